"""What speaks with a worker as a client does, byte by byte, and as no client would."""
import json
import os
import queue
import re
import select
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import schema  # noqa: E402


SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "protocol", "schema", "worker.json")


def messages_in(data):
    """The messages of a whole stream of frames."""
    while data:
        end = data.index(b"\r\n\r\n")
        lengths = dict(line.split(": ") for line in data[:end].decode().split("\r\n"))
        body = int(lengths["Content-Length"])
        yield json.loads(data[end + 4:end + 4 + body])
        data = data[end + 4 + body + int(lengths.get("Payload-Length", 0)):]


def against_schema(sent, answered):
    """What breaks the schema in a session: the streams of both sides. And the methods that were seen."""
    with open(SCHEMA, encoding="utf-8") as f:
        root = json.load(f)
    asked, seen, wrong = {}, set(), []

    def check(name, value):
        seen.add(name)
        wrong.extend(f"{name}: {v}" for v in schema.violations(value, root["$defs"][name], root))

    for message in messages_in(sent):
        name = message["method"].replace("/", "_")
        if message["method"].startswith("$"):
            continue
        if "id" in message:
            asked[message["id"]] = name
            check(name + "_params", message["params"])
        else:
            check(name, message["params"])
    for message in messages_in(answered):
        if "method" in message:
            check(message["method"].replace("/", "_"), message["params"])
        elif "result" in message:
            check(asked[message["id"]] + "_result", message["result"])
    return wrong, seen


class Closed(Exception):
    """The worker ended the connection."""


def frame(message, payload=b""):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    head = f"Content-Length: {len(body)}\r\n"
    if payload:
        head += f"Payload-Length: {len(payload)}\r\n"
    return head.encode() + b"\r\n" + body + payload


class Client:
    """One connection: over a process's standard streams, or a socket."""

    def __init__(self, read, write, close=lambda: None, token=None):
        self._read, self._write, self.close, self.token = read, write, close, token
        self._next = 0
        self.messages = queue.Queue()
        self._kept = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        data = b""
        try:
            while True:
                end = data.find(b"\r\n\r\n")
                if end < 0:
                    more = self._read(1 << 16)
                    if not more:
                        break
                    data += more
                    continue
                lengths = dict(line.split(": ") for line in data[:end].decode().split("\r\n"))
                body, extra = int(lengths["Content-Length"]), int(lengths.get("Payload-Length", 0))
                whole = end + 4 + body + extra
                while len(data) < whole:
                    more = self._read(1 << 20)
                    if not more:
                        raise OSError
                    data += more
                message = json.loads(data[end + 4:end + 4 + body])
                self.messages.put((message, data[end + 4 + body:whole]))
                data = data[whole:]
        except (OSError, ValueError):
            pass
        self.messages.put((None, b""))

    def send(self, data):
        self._write(data)

    def notify(self, method, params, payload=b""):
        self.send(frame({"jsonrpc": "2.0", "method": method, "params": params}, payload))

    def ask(self, method, params):
        self._next += 1
        self.send(frame({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}))
        return self._next

    def message(self, timeout=60):
        message, payload = self.messages.get(timeout=timeout)
        if message is None:
            self.messages.put((None, b""))
            raise Closed
        return message, payload

    def answer(self, number, timeout=60):
        """The answer to a request, and the notifications that came before it."""
        before = []
        while True:
            message, payload = self.message(timeout)
            if message.get("id") == number and "method" not in message:
                return message, before
            before.append((message, payload))

    def call(self, method, params, timeout=60):
        return self.answer(self.ask(method, params), timeout)[0]

    def hello(self, **more):
        token = {"token": self.token} if self.token else {}
        return self.call("initialize", {"protocol": 1, "client": "test", "version": "0", **token, **more})


class Worker:
    """A worker process that listens, or that serves its standard streams."""

    def __init__(self, binary, *options, listen=True, env=None, address="127.0.0.1:0"):
        words = [binary, "worker"] + (["--listen", address] if listen else ["--stdio"]) + list(options)
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=env, start_new_session=True)
        self.log = []
        self.clients = []
        self._token_file = None
        self.port = None
        self.token = None  # that the worker made
        self._said = threading.Event()
        threading.Thread(target=self._hear, daemon=True).start()
        if listen:
            assert self._said.wait(120), "the worker does not listen: " + "".join(self.log)
            assert self.port, "the worker does not listen: " + "".join(self.log)

    def _hear(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace")
            self.log.append(text)
            if found := re.search(r"show: ([0-9a-f]{64})", text):
                self.token = found.group(1)
            if found := re.search(r"listening on \S*:(\d+)", text):
                self.port = int(found.group(1))
                self._said.set()
        self._said.set()

    def connect(self, tls=None):
        raw = socket.create_connection(("127.0.0.1", self.port))
        made = tls.wrap_socket(raw, server_hostname="localhost") if tls else raw
        def close():
            try:
                made.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            made.close()
        if not tls:
            self.clients.append(Client(made.recv, made.sendall, close, self.token))
            return self.clients[-1]
        # OpenSSL reads and writes one connection on one thread at a time, so neither may block.
        lock = threading.Lock()
        made.setblocking(False)

        def read(most):
            while True:
                try:
                    with lock:
                        return made.recv(most)
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    select.select([made], [], [], 0.05)

        def write(data):
            while data:
                try:
                    with lock:
                        data = data[made.send(data):]
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    select.select([], [made], [], 0.05)

        self.clients.append(Client(read, write, close, self.token))
        return self.clients[-1]

    def url(self):
        """Its address for --on, with the token that it made in a file."""
        if not self._token_file:
            self._token_file = tempfile.NamedTemporaryFile("w")
            self._token_file.write(self.token)
            self._token_file.flush()
        return f"tcp://127.0.0.1:{self.port}?token-file={self._token_file.name}"

    def leave(self):
        """Closes every connection that is left."""
        for client in self.clients:
            client.close()
        self.clients.clear()

    def stdio(self):
        p = self.process
        return Client(lambda n: os.read(p.stdout.fileno(), n), lambda data: (p.stdin.write(data), p.stdin.flush()),
                      p.stdin.close)

    def resident(self):
        """Bytes of the worker itself."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as f:
            own = [int(n) for n in f.read().split()]
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            try:
                with open(f"/proc/{self.process.pid}/task/{task}/children", encoding="ascii") as f:
                    own += [int(n) for n in f.read().split()]
            except OSError:
                pass
        return sorted(set(own))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


def tls_context(ca, cert=None, key=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(ca)
    if cert:
        context.load_cert_chain(cert, key)
    return context


def wait_until(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)
