"""A client of the Model Context Protocol server: how coding agents list and call tools."""
import json
import os
import subprocess

from support import jsonrpc, schema

NEWEST = "2025-11-25"
PAGE = 4096  # bytes of an answer


class Client(jsonrpc.Client):
    """Starts `binary` and speaks to it in lines. `capabilities`: those that the client says it has."""

    def __init__(self, binary, arguments=(), folder=None, revision=NEWEST, capabilities=None, begin=True, roots=()):
        self.process = subprocess.Popen([binary, "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=folder)
        super().__init__(self.process.stdout.read1, self._write_to_process, self.process.stdin.close)
        self.schemas = {}
        if begin:
            self.initialized = self.result("initialize", {
                "protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": {"name": "test", "version": "1"}})
            self.notify("notifications/initialized")
            if roots:
                self.reply(self.server_request("roots/list"), {"roots": [{"uri": "file://" + r, "name": r} for r in roots]})

    def _write_to_process(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _listen(self):
        for line in iter(self.process.stdout.readline, b""):
            self.incoming.put(jsonrpc.Message(json.loads(line)))
        self.incoming.put(None)

    def send(self, message, payload=b""):
        self.raw(json.dumps(message).encode("utf-8", "surrogatepass") + b"\n")

    def tools(self):
        """The tools by name."""
        return {tool["name"]: tool for tool in self.result("tools/list")["tools"]}

    def call(self, name, arguments=None, timeout=None, meta=None):
        """The result of a call, held against the tool's schema and the size of a page."""
        params = {"name": name, "arguments": arguments or {}} | ({"_meta": meta} if meta else {})
        result = self.result("tools/call", params, timeout)
        self.hold(name, result)
        return result

    def hold(self, name, result):
        if not self.schemas:
            self.schemas = {n: tool.get("outputSchema") for n, tool in self.tools().items()}
        size = len(json.dumps(result, separators=(",", ":"), ensure_ascii=False).encode())
        assert size <= PAGE, f"{name}: an answer of {size} bytes"
        assert [c["type"] for c in result["content"]] == ["text"], result
        if result.get("isError"):
            assert "structuredContent" not in result, result
        elif self.schemas[name]:
            wrong = list(schema.violations(result["structuredContent"], self.schemas[name], self.schemas[name]))
            assert not wrong, f"{name}: {wrong}"

    def answer_of(self, name, arguments=None, **more):
        """What is structured of an answer, which is no error."""
        result = self.call(name, arguments, **more)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refusal(self, name, arguments=None, **more):
        """The words of a call that is refused."""
        result = self.call(name, arguments, **more)
        assert result.get("isError"), result
        return result["content"][0]["text"]

    def all_pages(self, name, arguments, member, most=200):
        """The whole of a list or a text, page by page."""
        answer = self.answer_of(name, arguments)
        whole = answer[member]
        while "cursor" in answer and most > 0:
            most -= 1
            answer = self.answer_of(name, {**arguments, "cursor": answer["cursor"]})
            whole += answer[member]
        return whole

    def stop(self):
        """Ends the session: the exit status."""
        self.close()
        status = self.process.wait(self.patience)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
        return status


def written(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path
