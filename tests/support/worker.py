"""Workers and their clients, byte by byte; also what no honest client would send."""
import os
import select
import signal
import socket
import ssl
import subprocess
import tempfile
import threading

from support import jsonrpc, schema
from support.jsonrpc import messages_in
from support.listener import Listener


def against_schema(sent, answered):
    """What breaks the schema in a session: the streams of both sides. And the methods that were seen."""
    root = schema.load("worker")
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


class Client(jsonrpc.Client):
    """One connection: over a process's standard streams, or a socket."""
    patience = 60

    def __init__(self, read, write, close=lambda: None, token=None):
        self.token, self.before = token, []
        super().__init__(read, write, close)

    def answer(self, id, timeout=None):
        """The answer to a request; `before` are then the messages that came before it."""
        message = super().answer(id, timeout)
        self.before, self.seen = self.seen, []
        return message

    def hello(self, **more):
        token = {"token": self.token} if self.token else {}
        return self.request("initialize", {"protocol": 1, "client": "test", "version": "0", **token, **more})


class Worker:
    """A worker process that listens, or that serves its standard streams."""

    def __init__(self, binary, *options, listen=True, env=None, address="127.0.0.1:0"):
        words = [binary, "worker"] + (["--listen", address] if listen else ["--stdio"]) + list(options)
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=env, start_new_session=True)
        self.clients = []
        self._token_file = None
        heard = Listener(self.process)
        self.log, self.port, self.token = heard.log, None, None
        if listen:
            assert heard.listens(), "the worker does not listen: " + "".join(self.log)
            self.port, self.token = int(heard.address.rsplit(":", 1)[1]), heard.token

    def connect(self, tls=None):
        raw = socket.create_connection(("127.0.0.1", self.port))
        made = tls.wrap_socket(raw, server_hostname="localhost") if tls else raw
        if not tls:
            self.clients.append(Client.of_socket(made, self.token))
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

        self.clients.append(Client(read, write, made.close, self.token))
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
        return Client.of_process(self.process)

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
