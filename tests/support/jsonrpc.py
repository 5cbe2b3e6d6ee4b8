"""JSON-RPC 2.0 in frames with a Content-Length, as the language server, the build server and workers speak it.

`Client` is the one client of all tests. What it sends is exactly what a test says; a server's client (language_server.py,
build_server.py, worker.py) adds the steps of its protocol.
"""
import json
import queue
import socket
import subprocess
import threading
import time

from support.patience import TIMEOUT


class Closed(Exception):
    """The other side ended the connection."""


class Refused(Exception):
    """A request was answered with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Message(dict):
    """A message that was received; `payload`: the bytes that followed it in its frame."""
    payload = b""


def frame(message, payload=b""):
    """The frame of a message, or of bytes in place of one."""
    body = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    head = b"Content-Length: %d\r\n" % len(body)
    if payload:
        head += b"Payload-Length: %d\r\n" % len(payload)
    return head + b"\r\n" + body + payload


def request(number, method, params):
    """The frame of a request."""
    return frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def messages(read):
    """The messages of a stream, as they come. `read(n)` returns at most n bytes, none at the end of the stream."""
    data = b""

    def more(most):
        piece = read(most)
        if not piece:
            raise EOFError
        return piece

    while True:
        while (end := data.find(b"\r\n\r\n")) < 0:
            try:
                data += more(1 << 16)
            except EOFError:
                return
        fields = dict(line.split(":", 1) for line in data[:end].decode("ascii").lower().split("\r\n"))
        body = end + 4 + int(fields["content-length"])
        whole = body + int(fields.get("payload-length", 0))
        if len(data) < whole:
            pieces, there = [data], len(data)
            while there < whole:
                pieces.append(more(1 << 20))
                there += len(pieces[-1])
            data = b"".join(pieces)
        message = Message(json.loads(data[end + 4:body]))
        message.payload = data[body:whole]
        data = data[whole:]
        yield message


def messages_in(data):
    """The messages of a whole stream of frames."""
    pieces = iter((data, b""))
    return messages(lambda most: next(pieces))


def connected(address, timeout=None):
    """A socket at an address as the servers print it."""
    if address.startswith("unix:"):
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(timeout)
        made.connect(address[5:])
        return made
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host.strip("[]"), int(port)), timeout)


def hang_up(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


class Client:
    patience = TIMEOUT  # seconds that it waits for a message unless a call says more

    def __init__(self, read, write, close=lambda: None):
        """`read(n)` and `write(data)` move bytes; a thread reads until the stream ends."""
        self._read, self._write, self.close = read, write, close
        self.next_id = 1
        self.seen = []  # messages that were received and not yet taken
        self.incoming = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    @classmethod
    def of_process(cls, process, *more):
        """The client of a server that serves its standard streams."""
        def write(data):
            process.stdin.write(data)
            process.stdin.flush()

        return cls(process.stdout.read1, write, process.stdin.close, *more)

    @classmethod
    def of_socket(cls, connection, *more):
        return cls(connection.recv, connection.sendall, lambda: hang_up(connection), *more)

    def received(self, message):
        """Called on the reading thread for each message."""

    def _listen(self):
        try:
            for message in messages(lambda most: self._read(most)):
                self.received(message)
                self.incoming.put(message)
        except (EOFError, OSError, ValueError, KeyError):
            pass
        self.incoming.put(None)

    # ---- sending ----------------------------------------------------------------------------------------------------
    def raw(self, data):
        self._write(data)

    def send(self, message, payload=b""):
        self.raw(frame(message, payload))

    def notify(self, method, params=None, payload=b""):
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}, payload)

    def ask(self, method, params=None, id=None):
        """Sends a request and returns its id."""
        if id is None:
            id, self.next_id = self.next_id, self.next_id + 1
        self.send({"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})})
        return id

    def reply(self, asked, result=None):
        self.send({"jsonrpc": "2.0", "id": asked["id"], "result": result})

    # ---- receiving --------------------------------------------------------------------------------------------------
    def take(self, timeout=0.0):
        """Moves the next message to `seen` and returns it. Raises queue.Empty if none comes in time."""
        message = self.incoming.get(timeout=timeout) if timeout > 0 else self.incoming.get_nowait()
        if message is None:
            self.incoming.put(None)
            raise Closed
        self.seen.append(message)
        return message

    def wait_for(self, wanted, timeout=None):
        """The first message that `wanted` accepts, among those not yet taken and those to come."""
        for i, m in enumerate(self.seen):
            if wanted(m):
                return self.seen.pop(i)
        end = time.monotonic() + (timeout or self.patience)
        while True:
            try:
                m = self.take(max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise TimeoutError("no such message; there were: " + json.dumps(self.seen)[:2000]) from None
            if wanted(m):
                return self.seen.pop()

    def message(self, timeout=None):
        """The next message, whatever it is."""
        return self.wait_for(lambda m: True, timeout)

    def answer(self, id, timeout=None):
        return self.wait_for(lambda m: m.get("id") == id and "method" not in m, timeout)

    def request(self, method, params=None, timeout=None):
        """The whole answer, be it a result or an error."""
        return self.answer(self.ask(method, params), timeout)

    def result(self, method, params=None, timeout=None):
        m = self.request(method, params, timeout)
        if "error" in m:
            raise Refused(m["error"])
        return m["result"]

    def error(self, method, params=None):
        """The code of the error."""
        m = self.request(method, params)
        assert "error" in m, m
        return m["error"]["code"]

    def notification(self, method, wanted=lambda params: True):
        return self.wait_for(lambda m: m.get("method") == method and "id" not in m and wanted(m.get("params")))["params"]

    def server_request(self, method):
        return self.wait_for(lambda m: m.get("method") == method and "id" in m)

    def wait_until_gone(self):
        try:
            self.wait_for(lambda m: False)
        except Closed:
            pass


def started(command, **more):
    """A server that serves its standard streams."""
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)
