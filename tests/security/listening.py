"""Servers that listen, as their attackers meet them: `tilewright serve`, `lsp` and `worker`, and the bytes of a client of each."""
import os
import subprocess
import time

from attack import BINARY, Through
from support import jsonrpc
from support.jsonrpc import connected, frame, hang_up, request  # noqa: F401: for the attacks
from support.listener import Listener

KINDS = ("serve", "lsp", "worker")
SCRIPT = """from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    lane = T.thread_id([64])
    B[lane] = A[lane] + T.float32(1)
"""


class Server:
    """One that listens on a port (or at `address`). Its token is the one that it printed, or that of `token_file`."""

    def __init__(self, kind, env, folder, *options, address="127.0.0.1:0", preexec=None, token=None):
        self.kind, self.folder = kind, folder
        words = ["--on", "sim"] if kind != "lsp" else []
        self.process = subprocess.Popen([BINARY, kind, "--listen", address, *words, *options], env=env, cwd=folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=preexec)
        heard = Listener(self.process, token)
        self.said = heard.log
        if not heard.listens(60):
            raise Through(f"{kind} does not listen: {''.join(self.said)}")
        self.address, self.token = heard.address, heard.token

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def connect(self, timeout=20):
        return connected(self.address, timeout)

    def hello(self, token, number=1, **more):
        """The first request of this server's protocol, with `token` where it belongs (None: without)."""
        if self.kind == "worker":
            return request(number, "initialize", {"protocol": 1, "client": "x", "version": "0",
                                                  **({} if token is None else {"token": token}), **more})
        if self.kind == "serve":
            return request(number, "build/initialize", {
                "displayName": "x", "version": "0", "bspVersion": "2.2.0", "rootUri": "file://" + self.folder,
                "capabilities": {"languageIds": ["python"]}, **({} if token is None else {"data": {"token": token}}), **more})
        return request(number, "initialize", {
            "processId": None, "rootUri": "file://" + self.folder, "capabilities": {},
            **({} if token is None else {"initializationOptions": {"token": token}}), **more})

    def harm(self, mark):
        """A greeting and a deed, if they were heard."""
        return self.hello(None, 90) + self.deed(mark)

    def deed(self, mark):
        """A frame that would run `touch MARK`, or on a worker a compilation."""
        uri = "file://" + os.path.join(self.folder, "a.py")
        if self.kind == "serve":
            return request(91, "buildTarget/test", {"targets": [{"uri": uri}], "arguments": ["--on", "exec:touch " + mark]})
        if self.kind == "lsp":
            return request(91, "tilewright/run", {"textDocument": {"uri": uri}, "entry": "k", "on": "exec:touch " + mark})
        return request(91, "compile", {"source": f'#error touch {mark}\n', "arch": "sm_90a", "options": []})

    def client(self, token=None):
        """An honest client, which has been let in."""
        return Client(self, self.token if token is None else token)

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def end(self):
        self.process.kill()
        self.process.wait()


class Client(jsonrpc.Client):
    """An honest client: it must be let in, and answered in time."""

    def __init__(self, server, token):
        self.server = server
        connection = server.connect()

        def received(size):
            while True:
                try:
                    return connection.recv(size)
                except TimeoutError:  # the socket's, of which sending has need; an answer has a time of its own
                    pass

        super().__init__(received, connection.sendall, lambda: hang_up(connection))
        self.raw(server.hello(token))
        self.next_id = 2
        if "result" not in (answer := self.answer(1)):
            self.close()
            raise Through(f"{server.kind} does not let an honest client in: {answer}")

    def answer(self, id, timeout=20):
        try:
            answer = super().answer(id, timeout)
        except TimeoutError:
            raise Through(f"{self.server.kind} does not answer an honest client within {timeout} s") from None
        except jsonrpc.Closed:
            raise Through(f"{self.server.kind} has ended an honest client's connection") from None
        self.seen.clear()
        return answer

    def ping(self, seconds=20):
        method = {"worker": "ping", "serve": "workspace/buildTargets", "lsp": "$/tilewright/memory"}[self.server.kind]
        answer = self.request(method, {}, seconds)
        if "result" not in answer:
            raise Through(f"{self.server.kind} refuses an honest request: {answer}")


def served(server, seconds=20):
    """An honest client comes, asks and is answered; how long that took."""
    began = time.monotonic()
    client = server.client()
    client.ping(seconds)
    took = time.monotonic() - began
    client.close()
    if took > seconds:
        raise Through(f"an honest client of {server.kind} waited {took:.1f} s")
    return took


def send(connection, data):
    """As much of it as the other side takes. `connection`: a socket or a client."""
    try:
        (connection.raw if isinstance(connection, Client) else connection.sendall)(data)
    except OSError:
        pass


def until_closed(connection, seconds=5):
    """What the server said before it ended the connection."""
    said = b""
    end = time.monotonic() + seconds
    while True:
        connection.settimeout(max(0.01, end - time.monotonic()))
        try:
            more = connection.recv(1 << 16)
        except TimeoutError:
            raise Through(f"the connection is still open after {seconds} s; it said {said[:300]!r}") from None
        except OSError:
            return said
        if not more:
            return said
        said += more
