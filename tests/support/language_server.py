"""A client of the language server: how editors open, change and ask."""
import os
import subprocess

from support import jsonrpc
from support.jsonrpc import connected
from support.listener import Listener
from support.patience import TIMEOUT


class Client(jsonrpc.Client):
    """Starts `server` (a path, or the words of a command) and speaks to it; with `connect` through the address that it listens at."""

    def __init__(self, server, arguments=(), connect=None, environment=None):
        command = [server] if isinstance(server, str) else list(server)
        self.process = jsonrpc.started([*command, "lsp", *arguments], stderr=subprocess.PIPE, env=environment)
        self.socket = self.token = None
        if connect:
            heard = Listener(self.process)
            assert heard.listens(), "".join(heard.log)
            self.address, self.token = heard.address, heard.token
            self._join()
        else:
            super().__init__(self.process.stdout.read1, self._write_to_process, self.close)

    def another(self):
        """A second client of the same listening server."""
        other = Client.__new__(Client)
        other.process, other.address, other.token = self.process, self.address, self.token
        other._join()
        return other

    def _join(self):
        self.socket = connected(self.address)
        super().__init__(self.socket.recv, self.socket.sendall, self.close)

    def _write_to_process(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def settled(self):
        """All that was sent is handled: requests are answered in order of arrival by the thread that reads them."""
        self.request("$/tilewright/memory")

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
