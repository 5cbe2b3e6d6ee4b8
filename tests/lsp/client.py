"""A client of the language server that speaks the bare protocol: what it sends is exactly what a test says."""
import json
import os
import queue
import socket
import subprocess
import threading
import time

PATIENCE = int(os.environ.get("TILEWRIGHT_PATIENCE", "1"))  # more under sanitizers
TIMEOUT = 30 * PATIENCE  # seconds; generous, because only a hang may reach it


class Gone(Exception):
    """The server closed the connection."""


class Client:
    def __init__(self, server, arguments=(), connect=None, environment=None):
        self.process = subprocess.Popen([server, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment)
        self.socket = self.token = None
        if connect:
            for line in self.process.stderr:
                text = line.decode()
                if "that clients have to show: " in text:
                    self.token = text.split("show: ")[1].split()[0]
                if "listening on " in text:
                    self.address = text.split("listening on ")[1].strip()
                    break
            self.socket = self._connect(self.address)
            self.reader = self.socket.makefile("rb")
        else:
            self.reader = self.process.stdout
        self._begin()

    def another(self):
        """A second client of the same listening server."""
        other = Client.__new__(Client)
        other.process, other.address, other.token = self.process, self.address, self.token
        other.socket = self._connect(self.address)
        other.reader = other.socket.makefile("rb")
        other._begin()
        return other

    def _begin(self):
        self.next_id = 1
        self.seen = []  # messages that were received and not yet asked for
        self.incoming = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    @staticmethod
    def _connect(address):
        if address.startswith("unix:"):
            s = socket.socket(socket.AF_UNIX)
            s.connect(address[5:])
        else:
            host, port = address.rsplit(":", 1)
            s = socket.create_connection((host.strip("[]"), int(port)))
        return s

    def _read(self):
        try:
            while True:
                length = None
                while True:
                    line = self.reader.readline()
                    if not line:
                        raise EOFError
                    if line == b"\r\n":
                        break
                    name, value = line.decode("ascii").split(":", 1)
                    if name.lower() == "content-length":
                        length = int(value)
                body = self.reader.read(length)
                if len(body) < length:
                    raise EOFError
                self.incoming.put(json.loads(body))
        except (EOFError, OSError, ValueError):
            self.incoming.put(None)

    # ---- sending ----------------------------------------------------------------------------------------------------
    def raw(self, data):
        if self.socket:
            self.socket.sendall(data)
        else:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def start_request(self, method, params=None, id=None):
        if id is None:
            id, self.next_id = self.next_id, self.next_id + 1
        self.send({"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})})
        return id

    # ---- receiving --------------------------------------------------------------------------------------------------
    def wait_for(self, wanted, timeout=TIMEOUT):
        """The first message that `wanted` accepts, among those not yet asked for and those to come."""
        for i, m in enumerate(self.seen):
            if wanted(m):
                return self.seen.pop(i)
        end = time.monotonic() + timeout
        while True:
            try:
                m = self.incoming.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise TimeoutError("no such message; there were: " + json.dumps(self.seen)[:2000]) from None
            if m is None:
                self.incoming.put(None)
                raise Gone
            if wanted(m):
                return m
            self.seen.append(m)

    def answer(self, id, timeout=TIMEOUT):
        return self.wait_for(lambda m: m.get("id") == id and "method" not in m, timeout)

    def request(self, method, params=None):
        return self.answer(self.start_request(method, params))

    def result(self, method, params=None):
        m = self.request(method, params)
        assert "error" not in m, m
        return m["result"]

    def error(self, method, params=None):
        m = self.request(method, params)
        assert "error" in m, m
        return m["error"]["code"]

    def notification(self, method, wanted=lambda params: True):
        return self.wait_for(lambda m: m.get("method") == method and "id" not in m and wanted(m.get("params")))["params"]

    def server_request(self, method):
        return self.wait_for(lambda m: m.get("method") == method and "id" in m)

    def reply(self, request, result=None):
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def settled(self):
        """All that was sent is handled: requests are answered in order of arrival by the thread that reads them."""
        self.request("$/tilewright/memory")

    # ---- common steps -----------------------------------------------------------------------------------------------
    def initialize(self, capabilities=None, **more):
        params = {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities or {}, **more}
        if self.token:
            params["initializationOptions"] = {"token": self.token, **params.get("initializationOptions", {})}
        result = self.result("initialize", params)
        self.notify("initialized", {})
        return result

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen",
                    {"textDocument": {"uri": uri, "languageId": "python", "version": version, "text": text}})

    def change(self, uri, version, *changes):
        """Each change: a whole text, or (start line, start character, end line, end character, text)."""
        content = [{"text": c} if isinstance(c, str) else
                   {"range": {"start": {"line": c[0], "character": c[1]}, "end": {"line": c[2], "character": c[3]}},
                    "text": c[4]} for c in changes]
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": content})

    def diagnostics(self, uri, version):
        return self.notification("textDocument/publishDiagnostics",
                                 lambda p: p["uri"] == uri and p.get("version") == version)["diagnostics"]

    def wait_until_gone(self):
        try:
            self.wait_for(lambda m: False)
        except Gone:
            pass

    def exit_status(self, timeout=TIMEOUT):
        return self.process.wait(timeout)

    def shutdown(self):
        self.result("shutdown")
        self.notify("exit")
        return self.exit_status()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for f in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                f.close()
            except OSError:
                pass
        if self.socket:
            self.socket.close()
