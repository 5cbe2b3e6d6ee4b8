#!/usr/bin/env python3
"""The language server's conformance checklist: one test a line, each a session with the real server.

    conformance.py SERVER [PATTERN] [--list]

Prints one line a test and exits 1 when one fails.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.language_server import Client  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

SERVER = os.path.abspath(sys.argv[1])
TESTS = []

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CONTENT_MODIFIED, REQUEST_CANCELLED, SERVER_CANCELLED = -32002, -32801, -32800, -32802

URI = "file:///nowhere/script.py"
KERNEL = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    A[lane, 0] = A[lane, 1]
'''
BROKEN = KERNEL.replace("A[lane, 1]", "missing")
# Busy for a while: cancelled, superseded, or ended by its limit of steps.
SLOW = "x = 0\nwhile True:\n    x = x + 1\n"


def test(title):
    def add(f):
        TESTS.append((title, f))
        return f
    return add


def names(diagnostics):
    return sorted(d["code"] for d in diagnostics)


def started(capabilities=None, **more):
    c = Client(SERVER)
    c.initialize(capabilities, **more)
    return c


# ---- lifecycle ------------------------------------------------------------------------------------------------------

@test("initialize answers with capabilities and the server's name and version")
def _():
    c = Client(SERVER)
    r = c.initialize()
    assert r["serverInfo"]["name"] == "tilewright" and r["serverInfo"]["version"]
    assert r["capabilities"]["textDocumentSync"]["openClose"] is True
    return c


@test("a request before initialize is answered with ServerNotInitialized")
def _():
    c = Client(SERVER)
    assert c.error("textDocument/hover", {}) == NOT_INITIALIZED
    assert c.error("shutdown") == NOT_INITIALIZED
    return c


@test("notifications before initialize are dropped")
def _():
    c = Client(SERVER)
    c.open(URI, BROKEN)
    c.initialize()
    c.settled()
    assert not any(m.get("method") == "textDocument/publishDiagnostics" for m in c.seen)
    return c


@test("a second initialize is an invalid request")
def _():
    c = started()
    assert c.error("initialize", {"processId": None, "rootUri": None, "capabilities": {}}) == INVALID_REQUEST
    return c


@test("shutdown answers null, and exit ends with status 0")
def _():
    c = started()
    assert c.result("shutdown") is None
    c.notify("exit")
    assert c.exit_status() == 0
    return c


@test("exit without shutdown ends with status 1")
def _():
    c = started()
    c.notify("exit")
    assert c.exit_status() == 1
    return c


@test("exit before initialize ends with status 1")
def _():
    c = Client(SERVER)
    c.notify("exit")
    assert c.exit_status() == 1
    return c


@test("requests after shutdown are invalid requests, until exit")
def _():
    c = started()
    c.result("shutdown")
    assert c.error("textDocument/diagnostic", {"textDocument": {"uri": URI}}) == INVALID_REQUEST
    assert c.error("shutdown") == INVALID_REQUEST
    c.notify("exit")
    assert c.exit_status() == 0
    return c


@test("the end of the input ends the server with status 1, after shutdown with 0")
def _():
    for orderly in (False, True):
        c = started()
        if orderly:
            c.result("shutdown")
        c.process.stdin.close()
        assert c.exit_status() == (0 if orderly else 1)
        c.close()
    return c


@test("the server ends when the process named in initialize ends")
def _():
    parent = subprocess.Popen(["sleep", "60"])
    c = Client(SERVER)
    c.result("initialize", {"processId": parent.pid, "rootUri": None, "capabilities": {}})
    parent.kill()
    parent.wait()
    assert c.exit_status() == 1
    return c


@test("a processId of null is no process to wait for")
def _():
    c = Client(SERVER)
    c.result("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    c.settled()
    assert c.shutdown() == 0
    return c


@test("initialize with params of the wrong shape is InvalidParams, and can be sent again")
def _():
    c = Client(SERVER)
    assert c.error("initialize", {"processId": None, "workspaceFolders": [{"name": "no uri"}]}) == INVALID_PARAMS
    c.initialize()
    assert c.shutdown() == 0
    return c


@test("shutdown while an analysis runs does not wait for it")
def _():
    c = started()
    c.open(URI, SLOW)
    assert c.shutdown() == 0
    return c


@test("a busy server serves others: a slow document does not delay the diagnostics of another")
def _():
    c = started()
    c.open(URI, SLOW)
    c.open("file:///nowhere/other.py", BROKEN)
    assert names(c.diagnostics("file:///nowhere/other.py", 1)) == ["TW2002"]
    return c


# ---- framing --------------------------------------------------------------------------------------------------------

PING = b'{"jsonrpc":"2.0","id":77,"method":"$/tilewright/memory"}'


def framed(body, header=None):
    return (header or b"Content-Length: %d\r\n\r\n" % len(body)) + body


@test("header names are read in any case, with and without spaces")
def _():
    c = started()
    c.raw(framed(PING, b"content-LENGTH:%d  \r\n\r\n" % len(PING)))
    assert "result" in c.answer(77)
    return c


@test("Content-Type with the charset utf-8, and with the old name utf8")
def _():
    c = started()
    for charset in (b"utf-8", b"utf8"):
        header = b"Content-Type: application/vscode-jsonrpc; charset=%s\r\nContent-Length: %d\r\n\r\n" % (charset, len(PING))
        c.raw(framed(PING, header))
        assert "result" in c.answer(77)
    return c


@test("another charset is refused and its message passed over")
def _():
    c = started()
    c.raw(framed(PING, b"Content-Type: text/plain; charset=latin-1\r\nContent-Length: %d\r\n\r\n" % len(PING)))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("a message may arrive byte by byte, and several at once")
def _():
    c = started()
    for b in framed(PING):
        c.raw(bytes([b]))
    assert "result" in c.answer(77)
    c.raw(framed(PING) + framed(PING))
    assert "result" in c.answer(77) and "result" in c.answer(77)
    return c


@test("Content-Length counts bytes, not characters")
def _():
    c = started()
    c.open(URI, KERNEL.replace("lane, 0", "lane, 0") + "# \u00e9\U0001f600\n")
    assert c.diagnostics(URI, 1) == []
    return c


@test("a header without Content-Length is answered, and the next message is read")
def _():
    c = started()
    c.raw(b"X-Other: 1\r\n\r\n" + framed(PING))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    assert "result" in c.answer(77)
    return c


@test("a Content-Length that is no number is answered, and the next message is read")
def _():
    c = started()
    c.raw(b"Content-Length: many\r\n\r\n{}" + framed(PING))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    assert "result" in c.answer(77)
    return c


@test("a header that never ends is dropped, and the next message is read")
def _():
    c = started()
    c.raw(b"x" * 100_000 + framed(PING))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    assert "result" in c.answer(77)
    return c


@test("a message that is longer than its header says is answered, and the next message is read")
def _():
    c = started()
    for missing in (1, 2, 20):
        c.raw(framed(PING, b"Content-Length: %d\r\n\r\n" % (len(PING) - missing)))
        c.raw(framed(PING.replace(b"77", b"78")))
        assert c.answer(None)["error"]["code"] == PARSE_ERROR
        assert "result" in c.answer(78)
    c.raw(b"noise\r\n" + framed(PING))
    assert "result" in c.answer(77)
    return c


@test("an absurd length is refused, and nothing that its body holds is a message")
def _():
    c = started()
    c.raw(b"Content-Length: 99999999999999999999999999\r\n\r\n")
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    c.raw(b"Content-Length: 999999999999\r\n\r\n")
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.raw(framed(PING))
    try:
        c.answer(77, 1)
        raise AssertionError("a message in the body of another")
    except TimeoutError:
        pass
    return c


@test("a negative length, a signed one and a fraction are answered, and the next message is read")
def _():
    c = started()
    for length in (b"-5", b"+5", b"5.5", b"", b"0x10"):
        c.raw(b"Content-Length: " + length + b"\r\n\r\n{}" + framed(PING))
        assert c.answer(None)["error"]["code"] == PARSE_ERROR, length
        assert "result" in c.answer(77)
    return c


@test("a message that is too large is passed over to its end")
def _():
    c = started()
    size = (128 << 20) + 1
    c.raw(b"Content-Length: %d\r\n\r\n" % size)
    piece = (b"Content-Length: 9\r\n" * 60_000)[:1 << 20]
    for _ in range(size >> 20):
        c.raw(piece)
    c.raw(b"x")
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    assert c.result("$/tilewright/memory")["residentBytes"] < PATIENCE * (100 << 20)
    return c


@test("a body that is not JSON is a ParseError, and the server goes on")
def _():
    c = started()
    c.raw(framed(b"{not json"))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("a body that is not UTF-8 is a ParseError")
def _():
    c = started()
    c.raw(framed(b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}'))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("an empty body is a ParseError")
def _():
    c = started()
    c.raw(framed(b""))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("JSON nested a hundred thousand deep does no harm")
def _():
    c = started()
    c.raw(framed(b'{"jsonrpc":"2.0","id":5,"method":"shutdown","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"))
    assert c.answer(None)["error"]["code"] == INVALID_REQUEST
    c.settled()
    return c


@test("JSON nested as deep as is accepted can be traced and copied")
def _():
    c = started(trace="verbose")
    deep = "[" * 500 + "]" * 500
    c.raw(framed(('{"jsonrpc":"2.0","id":5,"method":"textDocument/nothing","params":' + deep + "}").encode()))
    assert c.answer(5)["error"]["code"] == METHOD_NOT_FOUND
    # Brackets in texts do not count.
    c.open(URI, "x = '" + "[" * 2000 + "\\\"'\n")
    c.diagnostics(URI, 1)
    return c


@test("a batch is an invalid request")
def _():
    c = started()
    c.raw(framed(b"[" + PING + b"]"))
    assert c.answer(None)["error"]["code"] == INVALID_REQUEST
    return c


@test("messages without jsonrpc, with a bad method, id or params are invalid requests")
def _():
    c = started()
    for message in ({"id": 5, "method": "x"}, {"jsonrpc": "2.0", "id": 5, "method": 7},
                    {"jsonrpc": "2.0", "id": 5, "method": "x", "params": 3}, {"jsonrpc": "2.0", "id": 5}):
        c.send(message)
        assert c.answer(5)["error"]["code"] == INVALID_REQUEST, message
    c.send({"jsonrpc": "2.0", "id": {}, "method": "x"})
    assert c.answer(None)["error"]["code"] == INVALID_REQUEST
    return c


@test("ids may be strings, and 1 is another id than \"1\"")
def _():
    c = started()
    c.ask("$/tilewright/memory", id="1")
    c.ask("$/tilewright/memory", id=1)
    assert {type(c.wait_for(lambda m: m.get("id") in (1, "1"))["id"]) for _ in range(2)} == {int, str}
    return c


@test("an id beyond 64 bits, a fraction and null are invalid requests")
def _():
    c = started()
    for id in (b"18446744073709551615", b"1e300", b"1.5", b"null", b"true", b"[1]"):
        c.raw(framed(b'{"jsonrpc":"2.0","id":' + id + b',"method":"$/tilewright/memory"}'))
        m = c.answer(None)
        assert m["id"] is None and m["error"]["code"] == INVALID_REQUEST, id
    return c


@test("an unknown request is MethodNotFound, also with $/")
def _():
    c = started()
    assert c.error("textDocument/nothing", {}) == METHOD_NOT_FOUND
    assert c.error("$/nothing", {}) == METHOD_NOT_FOUND
    return c


@test("an unknown notification is ignored")
def _():
    c = started()
    c.notify("$/nothing", {})
    c.notify("textDocument/nothing", {"a": 1})
    c.settled()
    assert c.seen == []
    return c


@test("a response that no request waits for is ignored")
def _():
    c = started()
    c.send({"jsonrpc": "2.0", "id": 12345, "result": {}})
    c.send({"jsonrpc": "2.0", "id": "tilewright-99", "error": {"code": 1, "message": "no"}})
    c.settled()
    return c


@test("params of the wrong shape are InvalidParams, and name what is missing")
def _():
    c = started()
    c.open(URI, KERNEL)
    m = c.request("textDocument/diagnostic", {"textDocument": {}})
    assert m["error"]["code"] == INVALID_PARAMS and "uri" in m["error"]["message"]
    assert c.error("textDocument/diagnostic", []) == INVALID_PARAMS
    assert c.error("textDocument/diagnostic") == INVALID_PARAMS
    return c


@test("notifications of the wrong shape are logged and change nothing")
def _():
    c = started()
    c.open(URI, BROKEN)
    c.diagnostics(URI, 1)
    c.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": 5}]})
    assert "didChange" in c.notification("window/logMessage")["message"]
    assert len(c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"]) == 1
    return c


# ---- encodings ------------------------------------------------------------------------------------------------------

def encoding_session(offered, expected, column):
    c = Client(SERVER)
    general = {"general": {"positionEncodings": offered}} if offered is not None else {}
    assert c.initialize(general)["capabilities"]["positionEncoding"] == expected
    # The name after two characters of two and four bytes in UTF-8, of one and two units in UTF-16.
    c.open(URI, KERNEL + '    T.evaluate("\u00e9\U0001f600" + missing)\n')
    d = c.diagnostics(URI, 1)
    assert [x["range"]["start"]["character"] for x in d] == [column], d
    return c


@test("positions are UTF-16 when the client says nothing")
def _():
    return encoding_session(None, "utf-16", 23)


@test("positions are UTF-8 when the client prefers it")
def _():
    return encoding_session(["utf-8", "utf-16"], "utf-8", 26)


@test("positions are UTF-32 when the client prefers it")
def _():
    return encoding_session(["utf-32", "utf-8"], "utf-32", 22)


@test("unknown encodings are passed over")
def _():
    return encoding_session(["utf-7", "utf-16"], "utf-16", 23)


@test("an edit behind an astral character meets its place in UTF-16")
def _():
    c = started()
    c.open(URI, KERNEL + '    T.evaluate("\U0001f600" + missing)\n')
    c.diagnostics(URI, 1)
    c.change(URI, 2, (11, 22, 11, 29, "absent_"))
    assert "'absent_'" in c.diagnostics(URI, 2)[0]["message"]
    return c


@test("an edit in the middle of a surrogate pair goes to its start")
def _():
    c = started()
    c.open(URI, "# \U0001f600\nmissing\n")
    c.change(URI, 2, (0, 3, 0, 3, "x"))
    c.diagnostics(URI, 2)
    c.change(URI, 3, KERNEL)
    assert c.diagnostics(URI, 3) == []
    return c


# ---- versions and synchronisation -----------------------------------------------------------------------------------

@test("each version gets diagnostics of its own, also when they are the same")
def _():
    c = started()
    c.open(URI, BROKEN)
    assert names(c.diagnostics(URI, 1)) == ["TW2002"]
    for v in range(2, 6):
        c.change(URI, v, (0, 0, 0, 0, "# more\n"))
        d = c.diagnostics(URI, v)
        assert names(d) == ["TW2002"] and d[0]["range"]["start"]["line"] == 9 + v
    return c


@test("the versions of published diagnostics never go backwards, and the last one comes")
def _():
    c = started()
    c.open(URI, KERNEL)
    for v in range(2, 60):
        c.change(URI, v, BROKEN if v % 2 else KERNEL)
    assert names(c.diagnostics(URI, 59)) == ["TW2002"]
    versions = [m["params"]["version"] for m in c.seen if m.get("method") == "textDocument/publishDiagnostics"]
    assert versions == sorted(versions)
    return c


@test("several changes in one notification apply one after the other")
def _():
    c = started()
    c.open(URI, BROKEN)
    c.diagnostics(URI, 1)
    c.change(URI, 2, (0, 0, 0, 0, "\n\n"), (12, 17, 12, 24, "A[lane, 1]"), (0, 0, 2, 0, ""))
    assert c.diagnostics(URI, 2) == []
    return c


@test("a change without a range replaces the whole text")
def _():
    c = started()
    c.open(URI, BROKEN)
    c.change(URI, 2, KERNEL)
    assert c.diagnostics(URI, 2) == []
    return c


@test("positions outside of the text are clamped to it")
def _():
    c = started()
    c.open(URI, BROKEN)
    c.change(URI, 2, (10, 17, 10, 99999, "A[lane, 1]"), (99999, 5, 2147483647, 7, "# end\n"))
    assert c.diagnostics(URI, 2) == []
    return c


@test("a range that ends before it starts inserts at its start")
def _():
    c = started()
    c.open(URI, KERNEL)
    c.change(URI, 2, (2, 0, 1, 0, "unknown = 1\n"))
    assert c.diagnostics(URI, 2) == []
    return c


@test("line ends of \\r\\n and \\r count as one")
def _():
    c = started()
    c.open(URI, BROKEN.replace("\n", "\r\n"))
    assert c.diagnostics(URI, 1)[0]["range"]["start"] == {"line": 10, "character": 17}
    c.change(URI, 2, BROKEN.replace("\n", "\r"))
    assert c.diagnostics(URI, 2)[0]["range"]["start"]["line"] == 10
    return c


@test("a change of a document that is not open is ignored and logged")
def _():
    c = started()
    c.change(URI, 2, KERNEL)
    assert "not open" in c.notification("window/logMessage")["message"]
    return c


@test("a version that does not increase is applied and logged")
def _():
    c = started()
    c.open(URI, KERNEL, 5)
    c.change(URI, 5, BROKEN)
    assert "version" in c.notification("window/logMessage")["message"]
    assert names(c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"]) == ["TW2002"]
    return c


@test("opening an open document replaces its text")
def _():
    c = started()
    c.open(URI, KERNEL, 1)
    c.open(URI, BROKEN, 2)
    assert names(c.diagnostics(URI, 2)) == ["TW2002"]
    return c


@test("closing a document withdraws its diagnostics")
def _():
    c = started()
    c.open(URI, BROKEN)
    c.diagnostics(URI, 1)
    c.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert c.notification("textDocument/publishDiagnostics")["diagnostics"] == []
    assert c.error("textDocument/diagnostic", {"textDocument": {"uri": URI}}) == INVALID_PARAMS
    return c


@test("untitled documents are analysed like others")
def _():
    c = started()
    c.open("untitled:Untitled-1", BROKEN)
    assert names(c.diagnostics("untitled:Untitled-1", 1)) == ["TW2002"]
    return c


@test("an open document keeps the spelling of its URI in every answer")
def _():
    for uri in ("file:///tmp/nowhere/a+b@(1)%20%c3%a9.py", "file:///C:/nowhere/a.py", "file://localhost/tmp/nowhere/a.py"):
        c = started()
        c.open(uri, KERNEL.replace("A[lane, 1]", "A[lane, 1] + missing"))
        assert names(c.diagnostics(uri, 1)) == ["TW2002"]
        at = {"textDocument": {"uri": uri}, "position": {"line": 10, "character": 6}}
        assert c.result("textDocument/definition", at)["uri"] == uri
        found = c.result("textDocument/references", {**at, "context": {"includeDeclaration": True}})
        assert len(found) == 3 and all(f["uri"] == uri for f in found)
        assert list(c.result("textDocument/rename", {**at, "newName": "thread"})["changes"]) == [uri]
        assert c.result("workspace/symbol", {"query": "kernel"})[0]["location"]["uri"] == uri
        assert c.result("workspace/diagnostic", {"previousResultIds": []})["items"][0]["uri"] == uri
        assert c.result("$/tilewright/memory")["documents"][0]["uri"] == uri
        c.close()
    return None


@test("answers after edits are those of a server that was started on the text")
def _():
    def answers(c, text):
        document = {"textDocument": {"uri": URI}}
        end = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n"), "character": 0}}
        out = [c.result("textDocument/" + method, {**document, "range": end})
               for method in ("inlayHint", "semanticTokens/range", "documentSymbol", "foldingRange", "codeLens", "documentLink")]
        for line in range(text.count("\n")):
            for character in (4, 12, 24):
                at = {**document, "position": {"line": line, "character": character}}
                out += [c.result("textDocument/" + method, at) for method in ("hover", "completion", "definition")]
        return out
    script = """from tvm.script import tirx as T
SIZES = [8, 16]

def make(n, dtype="float16"):
    @T.prim_func
    def kernel(a: T.handle):
        A = T.match_buffer(a, (n, 32), dtype)
        T.device_entry()
        T.cta_id([1])
        lane = T.lane_id([32])
        T.thread_id([32])
        local = T.alloc_local((n,), dtype)
        local[0] = A[0, lane]
        A[1, lane] = local[0]
    return kernel

# tilewright: entry make(8)
# tilewright: entry make(n=SIZES[1])
"""
    edited = [script.replace("[8, 16]", "[8,\n 16]"), script.replace("make(8)", "make(8, 'float32')"),
              script.replace("import tirx as T\n", "import tirx as T\n\n\n"), script.replace("SIZES = ", "SIZES = ("), script]
    # What NVIDIA's compiler and the simulator say comes when they have been there, which is a matter of time.
    options = {"initializationOptions": {"tilewright": {"toolchain": {"check": "off"}, "simulate": False}}}
    c = started(**options)
    c.open(URI, script)
    for version, text in enumerate(edited, 2):
        c.change(URI, version, text)
        fresh = started(**options)
        fresh.open(URI, text)
        assert answers(c, text) == answers(fresh, text), text
        fresh.close()
    return c


RACY = """from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    smem = T.alloc_shared([64, 64], "float16")
    Tx.cta.copy(smem[:, :], A[:, :])
    B[tid // 2, tid % 2] = smem[tid % 2, tid // 2]
"""


def race(c, version):
    """The finding of the simulator, whenever it comes: its line and that of the other access."""
    found = c.notification("textDocument/publishDiagnostics",
                           lambda p: p.get("version") == version and "TW5020" in names(p["diagnostics"]))
    (d,) = [d for d in found["diagnostics"] if d["code"] == "TW5020"]
    assert d["severity"] == 1 and "cta_sync" in d["message"], d
    return d["range"]["start"]["line"], [r["location"]["range"]["start"]["line"] for r in d["relatedInformation"]]


@test("a finding of the simulator is silenced by the offered comment, at once, and not by one without a reason")
def _():
    c = started({"textDocument": {"publishDiagnostics": {"versionSupport": True}, "codeAction": {"codeActionLiteralSupport": {
        "codeActionKind": {"valueSet": ["quickfix"]}}}}})

    def offered(text, version):
        """The script with the comment that is offered for the race."""
        found = c.notification("textDocument/publishDiagnostics",
                               lambda p: p.get("version") == version and "TW5020" in names(p["diagnostics"]))
        (d,) = [d for d in found["diagnostics"] if d["code"] == "TW5020"]
        (action,) = [a for a in c.result("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": d["range"], "context": {"diagnostics": [d]}})
                     if a["title"].startswith("Silence TW5020 here")]
        (edit,) = action["edit"]["changes"][URI] if "changes" in action["edit"] else action["edit"]["documentChanges"][0]["edits"]
        lines, at = text.split("\n"), edit["range"]["start"]
        lines[at["line"]] = lines[at["line"]][:at["character"]] + edit["newText"] + lines[at["line"]][at["character"]:]
        return "\n".join(lines)

    c.open(URI, RACY)
    silenced = offered(RACY, 1)
    assert "tid // 2]  # tilewright: ignore[TW5020: " in silenced, silenced
    c.change(URI, 2, silenced)
    assert names(c.diagnostics(URI, 2)) == []
    # Without its reason it says so, and the offer adds one.
    bare = silenced[:silenced.index("[TW5020") + 7] + "]\n"
    c.change(URI, 3, bare)
    assert sorted(names(c.diagnostics(URI, 3))) == ["TW2313", "TW5020"]
    c.change(URI, 4, bare + "#\n")
    again = offered(bare + "#\n", 4)
    assert "ignore[TW5020: " in again, again
    c.change(URI, 5, again)
    assert names(c.diagnostics(URI, 5)) == []
    return c


@test("a missing barrier is found while the user does not type, with both lines, and stands until the kernel changes")
def _():
    c = started({"textDocument": {"publishDiagnostics": {"relatedInformation": True}}})
    c.open(URI, RACY)
    assert race(c, 1) == (12, [11])
    c.change(URI, 2, "# moved\n" + RACY)
    moved = [d["range"]["start"]["line"] for d in c.diagnostics(URI, 2) if d["code"] == "TW5020"]
    assert moved == [13], moved  # at once, and not tried again
    mended = RACY.replace("    B[tid", "    T.cuda.cta_sync()\n    B[tid")
    c.change(URI, 3, mended)
    assert "TW5020" not in names(c.diagnostics(URI, 3))
    c.change(URI, 4, RACY)
    assert race(c, 4) == (12, [11])
    return c


@test("an edit is tried out, whatever is found in the text before it while it is looked at")
def _():
    c = started()
    head, kernel = RACY.split("@T.prim_func\n")
    racy = head + "\n".join("@T.prim_func\n" + kernel.replace("kernel(", f"kernel_{i}(") for i in range(10))

    def text(version):  # of kernels that were not seen before
        return racy.replace("device_entry()\n", f"device_entry()\n    step_{version}: T.int32 = {version}\n")

    c.open(URI, text(1))
    for step in range(20):
        # The second edit comes when about half of the kernels have been tried out.
        version = 2 * step + 2
        c.change(URI, version, text(version))
        time.sleep(0.06 + 0.005 * step)
        c.change(URI, version + 1, text(version + 1))
        c.notification("textDocument/publishDiagnostics", lambda p, v=version + 1: p.get("version") == v and
                       names(p["diagnostics"]).count("TW5020") == 10)
    return c


@test("a client that asks for diagnostics is told when the simulator has found something")
def _():
    c = started({"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}},
                initializationOptions={"tilewright": {"toolchain": {"check": "off"}}})
    c.open(URI, RACY)
    c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    c.reply(c.server_request("workspace/diagnostic/refresh"))
    assert "TW5020" in names(c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"])
    return c


@test("a client that asks, and cannot be told to ask again, is sent what is found later, and each finding once")
def _():
    c = Client(SERVER)
    offered = c.initialize({"textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}}})["capabilities"]
    assert "diagnosticProvider" not in offered
    c.open(URI, RACY)
    assert race(c, 1) == (12, [11])
    return c


@test("the simulator can be switched off")
def _():
    c = started(initializationOptions={"tilewright": {"simulate": False, "toolchain": {"check": "off"}}})
    c.open(URI, RACY)
    c.diagnostics(URI, 1)
    time.sleep(0.5)  # many times as long as it takes
    c.settled()
    assert not any("TW5020" in names(m["params"]["diagnostics"]) for m in c.seen
                   if m.get("method") == "textDocument/publishDiagnostics")
    return c


@test("silencing works on a line that has a comment, and edits end lines as the document does")
def _():
    c = started()
    spare = '    spare = T.alloc_local((4,), "float32")  # a "comment"\n    A[lane, 0]'
    text = KERNEL.replace("    A[lane, 0]", spare).replace("\n", "\r\n")
    c.open(URI, text)
    found = [d for d in c.diagnostics(URI, 1) if d["code"] == "TW2301"]
    actions = c.result("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": found[0]["range"],
                                                   "context": {"diagnostics": found, "only": ["quickfix"]}})
    assert [a["title"] for a in actions] == ["Rename to _spare", "Silence TW2301 here"]  # what silences comes last
    edits = actions[-1]["edit"]["changes"][URI]
    s, e = edits[0]["range"]["start"], edits[0]["range"]["end"]
    c.change(URI, 2, (s["line"], s["character"], e["line"], e["character"], edits[0]["newText"]))
    assert "TW2301" not in names(c.diagnostics(URI, 2))
    kernel = KERNEL.replace("def kernel(a: T.handle)", "def kernel(a: T.handle, n: T.int32)").replace("\n", "\r\n")
    c.change(URI, 3, kernel)
    head = {"line": 4, "character": 6}
    for action in c.result("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": {"start": head, "end": head},
                                                       "context": {"diagnostics": []}}):
        for edit in action["edit"]["changes"][URI]:
            assert edit["newText"].count("\n") == edit["newText"].count("\r\n") > 0
    return c


@test("a completion tells of itself when it is asked for, or at once where the client cannot ask")
def _():
    at = {"textDocument": {"uri": URI}, "position": {"line": 5, "character": 10}}
    clients = []
    for properties in ([], ["documentation"]):
        capabilities = {"textDocument": {"completion": {"completionItem": {"resolveSupport": {"properties": properties}}}}}
        c = started(capabilities)
        clients.append(c)
        c.open(URI, KERNEL)
        (item,) = [i for i in c.result("textDocument/completion", at)["items"] if i["label"] == "match_buffer"]
        assert ("documentation" in item) == (not properties)
        whole = c.result("completionItem/resolve", item)
        assert "documentation" in whole and whole["label"] == item["label"] and whole["kind"] == item["kind"]
        # Whatever a client makes of the data, it is answered with its own item.
        for data in (None, 3, "space", "space nowhere", "instruction", {"uri": "file:///nowhere.py", "defined": 7}, {"uri": URI, "defined": 4_000_000_000}):
            assert c.result("completionItem/resolve", {"label": "x", "data": data}) == {"label": "x", "data": data}
    clients[0].close()
    return clients[1]


@test("the range of a hover holds the position that was asked for")
def _():
    c = started()
    copy = """B = T.alloc_buffer((32, 32), "float16", scope="shared")
    Tx.warp.copy(
        B[:, :],
        A[0 : 4 * 8, :],
    )
    """
    c.open(URI, KERNEL.replace("A[lane, 0] =", copy + "A[lane, 0] ="))
    for line, character in ((11, 6), (13, 17)):
        at = {"line": line, "character": character}
        hover = c.result("textDocument/hover", {"textDocument": {"uri": URI}, "position": at})
        place = (line, character)
        start, end = ((hover["range"][k]["line"], hover["range"][k]["character"]) for k in ("start", "end"))
        assert start <= place <= end, hover
    return c


@test("diagnostics carry code, severity, source and the way out")
def _():
    c = started()
    c.open(URI, KERNEL + "    A[0, 0] = A\n")
    d = c.diagnostics(URI, 1)[0]
    assert d["source"] == "tilewright" and d["severity"] == 1 and d["code"].startswith("TW") and "hint:" in d["message"]
    return c


@test("call sites of inlined code are related information, where the client shows it")
def _():
    text = KERNEL.replace("@T.prim_func", "@T.inline\ndef move(A):\n    A[0, 0] = missing\n\n@T.prim_func") + "    move(A)\n"
    for offered in (True, False):
        c = started({"textDocument": {"publishDiagnostics": {"relatedInformation": offered}}})
        c.open(URI, text)
        d = c.diagnostics(URI, 1)[0]
        assert ("relatedInformation" in d) == offered
        if offered:
            assert d["relatedInformation"][0]["location"]["range"]["start"]["line"] == 15
        c.close()
    return c


# ---- pulling --------------------------------------------------------------------------------------------------------

PULL = {"textDocument": {"diagnostic": {"dynamicRegistration": False}}}


@test("pull diagnostics are offered to clients that pull, and then nothing is pushed")
def _():
    c = Client(SERVER)
    assert c.initialize(PULL)["capabilities"]["diagnosticProvider"]["interFileDependencies"] is True
    c.open(URI, BROKEN)
    assert names(c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"]) == ["TW2002"]
    assert not any(m.get("method") == "textDocument/publishDiagnostics" for m in c.seen)
    return c


@test("a result that the client has is reported as unchanged")
def _():
    c = started(PULL)
    c.open(URI, BROKEN)
    first = c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    again = c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}, "previousResultId": first["resultId"]})
    assert first["kind"] == "full" and again == {"kind": "unchanged", "resultId": first["resultId"]}
    return c


@test("workspace diagnostics: open documents and files, partial results where asked for, progress")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            with open(f"{folder}/{name}.py", "w") as f:
                f.write(BROKEN)
        c = started(PULL, workspaceFolders=[{"uri": "file://" + folder, "name": "w"}])
        c.open(f"file://{folder}/a.py", KERNEL, 7)
        whole = c.result("workspace/diagnostic", {"previousResultIds": []})["items"]
        assert sorted((os.path.basename(i["uri"]), i["version"], len(i["items"])) for i in whole) == [("a.py", 7, 0), ("b.py", None, 1)]
        id = c.ask("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": "p", "workDoneToken": "w"})
        assert c.answer(id)["result"]["items"] == []
        values = [m["params"] for m in c.seen if m.get("method") == "$/progress"]
        assert len([v for v in values if v["token"] == "p"]) == 2
        kinds = [v["value"]["kind"] for v in values if v["token"] == "w"]
        assert kinds[0] == "begin" and kinds[-1] == "end", kinds
        return c


# ---- cancellation ---------------------------------------------------------------------------------------------------

@test("a cancelled request is answered with RequestCancelled, at once")
def _():
    c = started()
    c.open(URI, SLOW)
    id = c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    c.notify("$/cancelRequest", {"id": id})
    assert c.answer(id)["error"]["code"] == REQUEST_CANCELLED
    return c


@test("cancelling what is answered, or was never asked, does nothing")
def _():
    c = started()
    c.notify("$/cancelRequest", {"id": 4711})
    c.notify("$/cancelRequest", {"id": "x"})
    c.notify("$/cancelRequest", {})
    c.settled()
    return c


@test("a request on a document that changes is answered with ContentModified")
def _():
    c = started()
    c.open(URI, SLOW)
    id = c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    c.change(URI, 2, KERNEL)
    assert c.answer(id)["error"]["code"] == CONTENT_MODIFIED
    return c


@test("a request whose id is still open is an invalid request")
def _():
    c = started()
    c.open(URI, SLOW)
    c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}}, id=9)
    c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}}, id=9)
    assert c.answer(9)["error"]["code"] == INVALID_REQUEST
    return c


@test("an analysis that an edit made useless is dropped, and the next one comes")
def _():
    c = started()
    c.open(URI, SLOW)
    c.change(URI, 2, BROKEN)
    assert names(c.diagnostics(URI, 2)) == ["TW2002"]
    assert not any(m.get("params", {}).get("version") == 1 for m in c.seen)
    return c


# ---- the workspace --------------------------------------------------------------------------------------------------

WATCH = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}


@test("watchers are registered only where the client offers it")
def _():
    c = started()
    c.settled()
    assert not any(m.get("method") == "client/registerCapability" for m in c.seen)
    c.close()
    c = started(WATCH)
    r = c.server_request("client/registerCapability")
    assert [x["method"] for x in r["params"]["registrations"]] == ["workspace/didChangeWatchedFiles"]
    c.reply(r)
    return c


@test("settings are registered for where the client offers it, also without watchers")
def _():
    c = started({"workspace": {"didChangeConfiguration": {"dynamicRegistration": True}}})
    r = c.server_request("client/registerCapability")
    assert [x["method"] for x in r["params"]["registrations"]] == ["workspace/didChangeConfiguration"]
    c.reply(r)
    return c


@test("a client that refuses what it is asked is served all the same")
def _():
    c = started({"workspace": {"configuration": True, "didChangeWatchedFiles": {"dynamicRegistration": True}}})
    for method in ("client/registerCapability", "workspace/configuration"):
        r = c.server_request(method)
        c.send({"jsonrpc": "2.0", "id": r["id"], "error": {"code": -32603, "message": "no"}})
    c.open(URI, BROKEN)
    assert names(c.diagnostics(URI, 1)) == ["TW2002"]
    return c


@test("closing what a file on disk imports does no harm to that file")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("main", "from helper import N\n" + KERNEL), ("helper", "N = 1\n")):
            with open(f"{folder}/{name}.py", "w") as f:
                f.write(text)
        c = started(PULL, workspaceFolders=[{"uri": "file://" + folder, "name": "w"}],
                    initializationOptions={"diagnostics": "both"})
        c.result("workspace/diagnostic", {"previousResultIds": []})
        helper = f"file://{folder}/helper.py"
        for version in range(1, 4):
            c.open(helper, "N = 2\n", version)
            c.notify("textDocument/didClose", {"textDocument": {"uri": helper}})
        assert len(c.result("workspace/diagnostic", {"previousResultIds": []})["items"]) == 1
        return c


@test("workspace diagnostics that the client has are unchanged")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.py", "w") as f:
            f.write(BROKEN)
        c = started(PULL, workspaceFolders=[{"uri": "file://" + folder, "name": "w"}])
        first = c.result("workspace/diagnostic", {"previousResultIds": []})["items"]
        known = [{"uri": i["uri"], "value": i["resultId"]} for i in first]
        again = c.result("workspace/diagnostic", {"previousResultIds": known})["items"]
        assert [i["kind"] for i in first + again] == ["full", "unchanged"], again
        return c


@test("workspace diagnostics of files that did not change are not made again, and a changed file is seen")
def _():
    def counts(c):
        return c.result("$/tilewright/memory")["fileReports"]

    def poll(c):
        items = c.result("workspace/diagnostic", {"previousResultIds": []})["items"]
        return {os.path.basename(i["uri"]): names(i["items"]) for i in items}

    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            with open(f"{folder}/{name}.py", "w") as f:
                f.write(text)

        importing = "from helper import N\n" + KERNEL.replace("A[lane, 1]", "A[lane, N]")
        write("a", BROKEN)
        write("b", importing)
        write("other", "print('hello')\n")
        c = started(PULL, workspaceFolders=[{"uri": "file://" + folder, "name": "w"}])
        first = poll(c)
        assert set(first) == {"a.py", "b.py"} and first["a.py"] == ["TW2002"] and first["b.py"], first
        assert counts(c) == {"kept": 2, "made": 2, "reused": 0}, counts(c)
        assert poll(c) == first
        assert counts(c) == {"kept": 2, "made": 2, "reused": 2}, counts(c)
        # The file itself.
        write("a", KERNEL)
        assert poll(c)["a.py"] == []
        assert counts(c)["made"] == 3
        # An import that was missing, then another value of it; no client watches these files for the server.
        write("helper", "N = 1\n")
        assert poll(c)["b.py"] == []
        assert counts(c)["made"] == 4
        write("helper", "N = undefined\n")
        assert poll(c)["b.py"] != []
        assert counts(c)["made"] == 5
        assert poll(c)["b.py"] != []
        assert counts(c)["made"] == 5
        # An open document stands for the import; the others stay as they are.
        c.open(f"file://{folder}/helper.py", "N = 2\n")
        assert poll(c)["b.py"] == []
        assert counts(c)["made"] == 6
        # Settings.
        c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"entries": ["nothing()"]}}})
        assert poll(c)["a.py"] != []
        # What the client watches.
        made = counts(c)["made"]
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": f"file://{folder}/a.py", "type": 2}]})
        poll(c)
        assert counts(c)["made"] == made + 2
        return c


@test("rootUri and the older rootPath name a folder where there are no workspaceFolders")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.py", "w") as f:
            f.write(BROKEN)
        for more in ({"rootUri": "file://" + folder}, {"rootPath": folder}, {"workspaceFolders": None, "rootPath": folder}):
            c = started(PULL, **more)
            assert len(c.result("workspace/diagnostic", {"previousResultIds": []})["items"]) == 1, more
            c.close()
        return c


@test("a changed import is looked at again")
def _():
    with tempfile.TemporaryDirectory() as folder:
        helper = f"{folder}/helper.py"
        with open(helper, "w") as f:
            f.write("N = 32\n")
        c = started(WATCH)
        uri = f"file://{folder}/main.py"
        c.open(uri, "from helper import N\n" + KERNEL.replace("A[lane, 1]", "A[lane, N - 1] + T.float16(M)") + "M = 1\n")
        assert names(c.diagnostics(uri, 1)) == ["TW2002"]
        with open(helper, "w") as f:
            f.write("N = 32\nM = 2\n")
        c.change(uri, 2, "from helper import *\n" + KERNEL.replace("A[lane, 1]", "A[lane, N - 1] + T.float16(M)"))
        c.diagnostics(uri, 2)
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file://" + helper, "type": 2}]})
        assert c.diagnostics(uri, 2) == []
        return c


@test("a changed import is noticed where the client watches no files: at a change, a save, a question")
def _():
    with tempfile.TemporaryDirectory() as folder:
        helper, late = f"{folder}/helper.py", f"{folder}/late.py"
        def write(path, text):
            with open(path, "w") as f:
                f.write(text)
        write(helper, "N = 32\n")
        c = started()
        uri = f"file://{folder}/main.py"
        body = KERNEL.replace("A[lane, 1]", "A[lane, N - 1] + T.float16(M)")
        c.open(uri, "from helper import *\n" + body)
        assert names(c.diagnostics(uri, 1)) == ["TW2002"]
        write(helper, "N = 32\nM = 2\n")
        c.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        assert c.diagnostics(uri, 1) == []
        write(helper, "N = 32\nMM = 22\n")
        time.sleep(0.6)  # the time between two looks
        c.change(uri, 2, "from helper import *\n" + body + "\n")
        assert names(c.diagnostics(uri, 2)) == ["TW2002"]
        write(helper, "N = 32\nM = 3\n")
        time.sleep(0.6)
        c.result("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
        found = c.diagnostics(uri, 2)
        assert found == [], found
        # A helper that was missing.
        c.change(uri, 3, "from late import *\nN = 32\n" + body)
        found = names(c.diagnostics(uri, 3))
        assert found == ["TW2007"], found
        write(late, "M = 2\n")
        c.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        assert c.diagnostics(uri, 3) == []
        return c


@test("files that keep changing do not keep diagnostics from coming")
def _():
    c = started(WATCH)
    c.open(URI, SLOW)
    end = time.time() + PATIENCE * 20
    while True:
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///nowhere/other.py", "type": 2}]})
        try:
            m = c.wait_for(lambda m: m.get("method") == "textDocument/publishDiagnostics", 0.005)
        except TimeoutError:
            assert time.time() < end, "none came"
            continue
        assert m["params"]["version"] == 1, m
        if names(m["params"]["diagnostics"]):
            return c


@test("an open document stands for its file in the imports of others")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/helper.py", "w") as f:
            f.write("N = 1\n")
        c = started()
        main, helper = f"file://{folder}/main.py", f"file://{folder}/helper.py"
        c.open(main, "from helper import N\n" + KERNEL.replace("A[lane, 1]", "A[lane, N + 'x']"))
        assert len(c.diagnostics(main, 1)) == 1
        c.open(helper, "N = 'y'\n")
        assert "'y'" not in str(c.diagnostics(main, 1))
        c.change(helper, 2, "N = undefined\n")
        c.diagnostics(main, 1)
        return c


@test("settings come by workspace/configuration where the client offers it")
def _():
    c = started({"workspace": {"configuration": True}})
    r = c.server_request("workspace/configuration")
    assert r["params"]["items"] == [{"section": "tilewright"}]
    c.open(URI, KERNEL)
    c.diagnostics(URI, 1)
    c.reply(r, [{"entries": ["nothing()"]}])
    assert len(c.diagnostics(URI, 1)) == 1
    return c


@test("settings come with didChangeConfiguration from other clients")
def _():
    c = started()
    c.open(URI, KERNEL)
    assert c.diagnostics(URI, 1) == []
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"entries": ["nothing()"]}}})
    assert len(c.diagnostics(URI, 1)) == 1
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {}}})
    assert c.diagnostics(URI, 1) == []
    return c


@test("diagnostics asked for under settings that change are to be asked for again; other requests go on")
def _():
    c = started()
    c.open(URI, SLOW)
    id = c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"denyFallback": True}}})
    error = c.answer(id)["error"]
    assert error["code"] == SERVER_CANCELLED and error["data"] == {"retriggerRequest": True}, error
    return c


@test("settings that are the same as before interrupt nothing")
def _():
    c = started(initializationOptions={"tilewright": {"architectures": ["sm_80"]}})
    c.open(URI, SLOW)
    id = c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"architectures": ["sm_80"]}}})
    assert "result" in c.answer(id)
    return c


@test("a setting that is not understood is said, and the others count")
def _():
    c = started()
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"architectures": ["sm_xx"]}}})
    assert "sm_xx" in c.notification("window/showMessage")["message"]
    return c


@test("tilewright.toml sets severities; one that cannot be read is shown once")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/tilewright.toml", "w") as f:
            f.write('[severity]\nTW2313 = "hint"\n')
        c = started()
        uri = f"file://{folder}/main.py"
        c.open(uri, KERNEL + "# tilewright: arhc sm_90a\n")
        assert c.diagnostics(uri, 1)[0]["severity"] == 4
        with open(f"{folder}/tilewright.toml", "w") as f:
            f.write("[severity\n")
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": f"file://{folder}/tilewright.toml", "type": 2}]})
        assert "tilewright.toml" in c.notification("window/showMessage")["message"]
        assert c.diagnostics(uri, 1)[0]["severity"] == 2
        return c


@test("several folders, added and removed while running")
def _():
    c = Client(SERVER)
    r = c.initialize(workspaceFolders=[{"uri": "file:///a", "name": "a"}, {"uri": "file:///b", "name": "b"}])
    assert r["capabilities"]["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    c.notify("workspace/didChangeWorkspaceFolders",
             {"event": {"added": [{"uri": "file:///c", "name": "c"}], "removed": [{"uri": "file:///a", "name": "a"}]}})
    c.settled()
    return c


@test("progress of the server's own is created first, and only where the client offers it")
def _():
    c = started({"window": {"workDoneProgress": True}})
    c.open(URI, KERNEL)
    c.diagnostics(URI, 1)
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"denyFallback": True}}})
    r = c.server_request("window/workDoneProgress/create")
    assert not any(m.get("method") == "$/progress" for m in c.seen)
    c.reply(r)
    token = r["params"]["token"]
    kinds = [c.notification("$/progress", lambda p: p["token"] == token)["value"]["kind"] for _ in range(3)]
    assert kinds == ["begin", "report", "end"], kinds
    return c


@test("a progress that the client would not create is not reported")
def _():
    c = started({"window": {"workDoneProgress": True}})
    c.open(URI, KERNEL)
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"denyFallback": True}}})
    r = c.server_request("window/workDoneProgress/create")
    c.send({"jsonrpc": "2.0", "id": r["id"], "error": {"code": -32603, "message": "no"}})
    c.settled()
    c.change(URI, 2, BROKEN)
    c.diagnostics(URI, 2)
    assert not any(m.get("method") == "$/progress" for m in c.seen)
    return c


@test("a progress of the server's own can be cancelled")
def _():
    c = started({"window": {"workDoneProgress": True}})
    c.open(URI, SLOW)
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"denyFallback": True}}})
    r = c.server_request("window/workDoneProgress/create")
    c.notify("window/workDoneProgress/cancel", {"token": r["params"]["token"]})
    c.reply(r)
    c.notification("$/progress", lambda p: p["value"]["kind"] == "end")
    return c


# ---- names across scripts -------------------------------------------------------------------------------------------

HELPERS = "def scale(v, factor=3):\n    return v * factor\n"
USER = KERNEL + "from helpers import scale as by\nfrom helpers import scale\nx = by(scale(1), factor=2)\n"


def parts_of(c, token):
    """The parts that came, and no longer wait to be looked at."""
    parts = [m for m in c.seen if m.get("method") == "$/progress" and m["params"]["token"] == token]
    c.seen = [m for m in c.seen if m not in parts]
    return [p["params"]["value"] for p in parts]


def with_scripts(capabilities=None, opened=("a.py",), **files):
    """A session in a folder with these files, and its URIs."""
    folder = tempfile.mkdtemp()
    for name, text in files.items():
        with open(f"{folder}/{name}.py", "w") as f:
            f.write(text)
    c = started(capabilities, workspaceFolders=[{"uri": "file://" + folder, "name": "w"}])
    c.at_end = lambda: shutil.rmtree(folder)
    for name in opened:
        c.open(f"file://{folder}/{name}", files[name[:-3]], 7)
    return c, "file://" + folder + "/"


def place(base, name, line, character):
    return {"textDocument": {"uri": base + name}, "position": {"line": line, "character": character}}


def by_file(found):
    return sorted({os.path.basename(x["uri"]) for x in found})


@test("references are found in open documents and in files, whole or as partial results")
def _():
    c, base = with_scripts(a=USER, b=USER, helpers=HELPERS)
    params = {**place(base, "a.py", 13, 7), "context": {"includeDeclaration": True}}
    whole = c.result("textDocument/references", params)
    assert by_file(whole) == ["a.py", "b.py", "helpers.py"], whole
    assert c.result("textDocument/references", {**params, "partialResultToken": "r"}) == []
    parts = parts_of(c, "r")
    assert len(parts) == 3 and sum(parts, []) == whole, parts
    params["context"]["includeDeclaration"] = False
    assert len(c.result("textDocument/references", params)) == len(whole) - 1
    return c


@test("an open document counts as it is, not as its file, in references and rename")
def _():
    c, base = with_scripts(a=USER, b=USER, helpers=HELPERS)
    c.open(base + "b.py", "nothing = 1\n")
    params = {**place(base, "a.py", 13, 7), "context": {"includeDeclaration": True}}
    assert by_file(c.result("textDocument/references", params)) == ["a.py", "helpers.py"]
    c.change(base + "b.py", 2, "\n\nfrom helpers import scale\n")
    found = c.result("textDocument/references", params)
    assert [x["range"]["start"]["line"] for x in found if x["uri"] == base + "b.py"] == [2]
    return c


@test("rename is one edit of all scripts: versions of open documents, null for files, where the client knows documentChanges")
def _():
    edit = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
    for capabilities in (edit, {}):
        c, base = with_scripts(capabilities, a=USER, b=USER, helpers=HELPERS)
        result = c.result("textDocument/rename", {**place(base, "a.py", 13, 7), "newName": "times"})
        if capabilities:
            documents = result["documentChanges"]
            versions = {os.path.basename(d["textDocument"]["uri"]): d["textDocument"]["version"] for d in documents}
            assert versions == {"a.py": 7, "b.py": None, "helpers.py": None}, versions
            edits = {d["textDocument"]["uri"]: d["edits"] for d in documents}
        else:
            edits = result["changes"]
        # The alias stays; what it stands for is called otherwise.
        assert sorted((e["range"]["start"]["line"], e["range"]["start"]["character"]) for e in edits[base + "a.py"]) == [
            (11, 20), (12, 20), (13, 7)], edits
        assert {e["newText"] for each in edits.values() for e in each} == {"times"}
        c.close()
        c.at_end()
    return None


@test("rename is refused where any script has the new name already")
def _():
    c, base = with_scripts(a=USER, b=USER + "times = 1\n", helpers=HELPERS)
    m = c.request("textDocument/rename", {**place(base, "a.py", 13, 7), "newName": "times"})
    assert m["error"]["code"] == -32803 and "b.py" in m["error"]["message"], m
    return c


@test("workspace/symbol: open documents and tile scripts that are not open, whole or as partial results")
def _():
    c, base = with_scripts(a=KERNEL, b=KERNEL.replace("def kernel", "def kernel_of_b"), plain="def kernel_of_none(): pass\n")
    whole = c.result("workspace/symbol", {"query": "kernel"})
    assert [(x["name"], os.path.basename(x["location"]["uri"])) for x in whole] == [("kernel", "a.py"), ("kernel_of_b", "b.py")]
    assert c.result("workspace/symbol", {"query": "kernel", "partialResultToken": "s"}) == []
    assert sum(parts_of(c, "s"), []) == whole
    # A file that changed is read again.
    with open(base[7:] + "b.py", "w") as f:
        f.write(KERNEL.replace("def kernel", "def another_kernel"))
    assert [x["name"] for x in c.result("workspace/symbol", {"query": "kernel"})] == ["kernel", "another_kernel"]
    return c


@test("call hierarchy: items can be asked for after edits, and are null once they are gone; partial results")
def _():
    c, base = with_scripts(a=USER + "def f():\n    return scale(2)\n", b=USER, helpers=HELPERS)
    item = c.result("textDocument/prepareCallHierarchy", place(base, "a.py", 15, 12))[0]
    assert item["name"] == "scale" and item["uri"] == base + "helpers.py" and item["kind"] == 12
    whole = c.result("callHierarchy/incomingCalls", {"item": item})
    assert sorted((x["from"]["name"], len(x["fromRanges"])) for x in whole) == [("a.py", 2), ("b.py", 2), ("f", 1)], whole
    assert c.result("callHierarchy/incomingCalls", {"item": item, "partialResultToken": "i"}) == []
    assert sum(parts_of(c, "i"), []) == whole
    caller = next(x["from"] for x in whole if x["from"]["name"] == "f")
    c.change(base + "a.py", 8, (0, 0, 0, 0, "# a line more\n"))
    called = c.result("callHierarchy/outgoingCalls", {"item": caller})
    assert [x["to"]["name"] for x in called] == ["scale"] and called[0]["fromRanges"][0]["start"] == {"line": 16, "character": 11}
    assert c.result("callHierarchy/outgoingCalls", {"item": caller, "partialResultToken": "o"}) == []
    assert sum(parts_of(c, "o"), []) == called
    c.change(base + "a.py", 9, KERNEL)
    assert c.result("callHierarchy/outgoingCalls", {"item": caller}) is None
    assert c.result("callHierarchy/incomingCalls", {"item": caller}) is None
    assert c.error("callHierarchy/incomingCalls", {"item": {**caller, "data": 5}}) == INVALID_PARAMS
    return c


@test("searches of the workspace tell how far they are, where the client asks, and pass over what is too large for a script")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(40):
            with open(f"{folder}/script{i}.py", "w") as f:
                f.write(KERNEL)
        with open(folder + "/data.py", "w") as f:
            f.write("# tvm\n" + "kernel_of_data = 1\n" * 300_000)
        uri = f"file://{folder}/script0.py"
        c = started(rootUri="file://" + folder)
        c.open(uri, KERNEL)
        at = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 5}}
        for method, params in (("workspace/symbol", {"query": "kernel"}),
                               ("textDocument/references", {**at, "context": {"includeDeclaration": True}}),
                               ("workspace/diagnostic", {"previousResultIds": []})):
            answer = c.result(method, {**params, "workDoneToken": method})
            assert "data.py" not in str(answer)
            c.settled()
            said = [m["params"]["value"]["kind"] for m in c.seen
                    if m.get("method") == "$/progress" and m["params"]["token"] == method]
            assert said[0] == "begin" and said[-1] == "end" and "report" in said, (method, said)
        return c


@test("searches of the workspace can be cancelled, and leave the server as it was")
def _():
    c, base = with_scripts(a=USER, helpers=HELPERS, **{f"s{i}": USER for i in range(60)})
    for _ in range(5):
        id = c.ask("textDocument/references",
                             {**place(base, "a.py", 13, 7), "context": {"includeDeclaration": True}})
        c.notify("$/cancelRequest", {"id": id})
        answer = c.answer(id)
        assert "result" in answer or answer["error"]["code"] == REQUEST_CANCELLED
    c.settled()
    return c


@test("imports and classes that go in circles, with many ways through them, are followed to an end")
def _():
    stars = "".join(f"from c{i} import *\n" for i in range(9))
    ring = {f"c{i}": stars + f"from c{(i + 1) % 9} import lost as lost\n" for i in range(9)}
    bases = "".join(f"class C{i}({', '.join(f'C{k}' for k in range(9))}): pass\n" for i in range(9))
    c, base = with_scripts(a=stars + "from c0 import lost\n" + bases + "x = unknown(lost)\ny = C0.method\n", **ring)
    for line, character in ((19, 5), (19, 12), (20, 8), (20, 5)):
        for method in ("definition", "prepareCallHierarchy", "linkedEditingRange"):
            c.result("textDocument/" + method, place(base, "a.py", line, character))
        c.result("textDocument/references", {**place(base, "a.py", line, character), "context": {"includeDeclaration": True}})
    return c


# ---- hostile input --------------------------------------------------------------------------------------------------

N = 100_000
DEEP = {
    "parentheses": "x = " + "(" * N + "1" + ")" * N + "\n",
    "open brackets": "x = " + "[" * N + "\ny = 1\n",
    "a sum": "x = y" + " + y" * N + "\n",
    "attributes": "x = y" + ".z" * N + "\n",
    "calls": "x = y" + "(1)" * N + "\n",
    "subscripts": "x = y" + "[1]" * N + "\n",
    "signs": "x = " + "-" * N + "y\n",
    "a choice": "x = " + "1 if y else " * N + "2\n",
    "functions": "".join(" " * i + f"def f{i}():\n" for i in range(600)) + " " * 600 + "pass\n",
    "blocks": "".join(" " * i + "if x:\n" for i in range(1500)) + " " * 1500 + "pass\n",
    "elif": "if x:\n    pass\n" + "elif x:\n    pass\n" * 20_000,
    "lambdas": "x = " + "lambda y: " * N + "y\n",
    "an entry comment": "# tilewright: entry " + "f(" * N + ")" * N + "\n",
    "powers": "x = " + "y ** " * N + "y\n",
    "strings": "x = " + "f'{" * 200 + "y" + "}'" * 200 + "\n",
}


def deep_session(text):
    c = started()
    c.open(URI, text)
    document = {"textDocument": {"uri": URI}}
    lines = text.split("\n")
    longest = max(range(len(lines)), key=lambda i: len(lines[i]))
    places = [{"line": longest, "character": len(lines[longest]) // 2}, {"line": 0, "character": 4}]
    c.result("textDocument/documentSymbol", document)
    assert c.result("textDocument/semanticTokens/full", document)["data"] is not None
    c.result("textDocument/foldingRange", document)
    for r in c.result("textDocument/selectionRange", {**document, "positions": places}):
        outer = 0
        while r:
            r, outer = r.get("parent"), outer + 1
        assert 0 < outer <= 256, outer
    for at in places:
        for method in ("documentHighlight", "hover", "definition", "prepareCallHierarchy", "linkedEditingRange"):
            c.result("textDocument/" + method, {**document, "position": at})
        c.result("textDocument/references", {**document, "position": at, "context": {"includeDeclaration": True}})
    c.result("textDocument/documentLink", document)
    c.settled()
    return c


for name, text in DEEP.items():
    test(f"a hundred thousand deep, or as deep as the parser goes: {name}")(lambda text=text: deep_session(text))


# ---- telling --------------------------------------------------------------------------------------------------------

@test("$/setTrace: messages, verbose, and off again")
def _():
    c = started(trace="messages")
    c.settled()
    assert "verbose" not in c.notification("$/logTrace", lambda p: "memory" in p["message"])
    c.notify("$/setTrace", {"value": "verbose"})
    c.settled()
    assert "verbose" in c.notification("$/logTrace", lambda p: "memory" in p["message"])
    c.notify("$/setTrace", {"value": "off"})
    c.seen.clear()
    c.settled()
    assert not any(m.get("method") == "$/logTrace" for m in c.seen)
    return c


@test("$/tilewright/memory reports documents, caches and their limit; so does its command")
def _():
    c = started()
    c.open(URI, KERNEL)
    c.diagnostics(URI, 1)
    m = c.result("$/tilewright/memory")
    assert m["documents"][0]["uri"] == URI and m["documents"][0]["kernels"] == 1
    assert 0 < m["cacheBytes"] < m["cacheLimit"] == 256 << 20 and m["residentBytes"] > 0
    assert c.result("workspace/executeCommand", {"command": "tilewright.memory"})["documents"]
    assert c.error("workspace/executeCommand", {"command": "nothing"}) == INVALID_PARAMS
    return c


@test("the status notification is sent to clients that want it")
def _():
    c = started({"experimental": {"tilewright": {"status": True}}})
    assert c.notification("$/tilewright/status")["health"] == "ok"
    c.close()
    c = started()
    c.settled()
    assert not any(m.get("method") == "$/tilewright/status" for m in c.seen)
    return c


@test("a diagnostic leads to the page of its code, where the client takes links")
def _():
    for where in ("publishDiagnostics", "diagnostic"):
        c = started({"textDocument": {where: {"codeDescriptionSupport": True}}}, initializationOptions={"diagnostics": "both"})
        c.open(URI, BROKEN)
        d = c.diagnostics(URI, 1)[0]
        assert d["codeDescription"] == {"href": "tilewright:/codes/TW2002.md"}, d
        page = c.result("workspace/textDocumentContent", {"uri": d["codeDescription"]["href"]})["text"]
        explained = subprocess.run([SERVER, "explain", "TW2002"], capture_output=True, text=True, timeout=30).stdout
        assert page == "# " + explained, (page, explained)
        view = c.result("tilewright/view", {"uri": d["codeDescription"]["href"]})
        assert (view["languageId"], view["state"], view["text"]) == ("markdown", "ready", page)
        for missing in ("tilewright:/codes/TW9999.md", "tilewright:/codes/TW2002", "tilewright:/codes/../x.md"):
            assert c.error("workspace/textDocumentContent", {"uri": missing}) == INVALID_PARAMS
        c.close()
    c = started()
    c.open(URI, BROKEN)
    assert "codeDescription" not in c.diagnostics(URI, 1)[0]
    return c


@test("what is not used is tagged as unnecessary, where the client knows the tag")
def _():
    text = KERNEL + "    spare = lane + 1\n"
    tag = {"tagSupport": {"valueSet": [1, 2]}}
    for capabilities, tags in (({"publishDiagnostics": tag}, [1]), ({"diagnostic": tag}, [1]), ({}, None),
                               ({"publishDiagnostics": {"tagSupport": {"valueSet": [2]}}}, None)):
        c = started({"textDocument": capabilities}, initializationOptions={"diagnostics": "both"})
        c.open(URI, text)
        found = c.diagnostics(URI, 1)
        assert names(found) == ["TW2301"] and found[0].get("tags") == tags, found
        assert found[0]["range"]["start"] == {"line": 11, "character": 4}
        c.close()
    return c


# ---- transports -----------------------------------------------------------------------------------------------------

@test("--listen on a port of the loopback interface")
def _():
    c = Client(SERVER, ["--listen", "127.0.0.1:0"], connect=True)
    c.initialize()
    c.open(URI, BROKEN)
    assert names(c.diagnostics(URI, 1)) == ["TW2002"]
    assert c.shutdown() == 0
    return c


@test("--listen on a Unix socket, which only its user may open and which is gone afterwards")
def _():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/socket"
        c = Client(SERVER, ["--listen", "unix:" + path], connect=True)
        c.initialize()
        assert c.shutdown() == 0
        assert not os.path.exists(path)
        return c


@test("--listen serves several clients at once, each with documents of its own, until the last has gone")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for address in ("127.0.0.1:0", "unix:" + folder + "/socket"):
            first = Client(SERVER, ["--listen", address], connect=True)
            others = [first.another() for _ in range(3)]
            for c in (first, *others):
                c.initialize()
                c.open(URI, BROKEN if c is first else KERNEL)
            for c in others:
                assert c.diagnostics(URI, 1) == []
            assert names(first.diagnostics(URI, 1)) == ["TW2002"]
            for c in others:
                c.result("shutdown")
                c.notify("exit")
                c.wait_until_gone()
            first.settled()
            assert first.shutdown() == 0
            first.close()
    return None


@test("--listen: a client that went away, with or without a word, can come back at once")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for address in ("127.0.0.1:0", "unix:" + folder + "/socket"):
            first = Client(SERVER, ["--listen", address], connect=True)
            first.socket.shutdown(2)
            second = first.another()
            second.initialize()
            second.result("shutdown")
            second.notify("exit")
            second.wait_until_gone()
            third = first.another()
            third.initialize()
            third.open(URI, BROKEN)
            said = names(third.diagnostics(URI, 1))
            assert said == ["TW2002"], said
            status = third.shutdown()
            assert status == 0, status
            first.close()
    return None


@test("--listen on other interfaces is refused")
def _():
    r = subprocess.run([SERVER, "lsp", "--listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=30)
    assert r.returncode == 2 and "loopback" in r.stderr
    r = subprocess.run([SERVER, "lsp", "--listen", "somewhere"], capture_output=True, text=True, timeout=30)
    assert r.returncode == 2
    return None


@test("a client that goes away without a word ends the server")
def _():
    c = Client(SERVER, ["--listen", "127.0.0.1:0"], connect=True)
    c.initialize()
    c.socket.shutdown(2)
    assert c.exit_status() == 1
    return c


@test("a session may be read from a file")
def _():
    with tempfile.NamedTemporaryFile() as f:
        for body in (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}',
                     b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}'):
            f.write(framed(body))
        f.flush()
        f.seek(0)
        r = subprocess.run([SERVER, "lsp"], stdin=f, capture_output=True, timeout=30)
        assert r.returncode == 0 and r.stdout.count(b"Content-Length") == 2
    return None


@test("a session may be written to a file, and all of it is there")
def _():
    with tempfile.TemporaryFile() as out:
        bodies = [b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}']
        bodies += [PING] * 200 + [b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}']
        r = subprocess.run([SERVER, "lsp"], input=b"".join(map(framed, bodies)), stdout=out, timeout=30)
        out.seek(0)
        assert r.returncode == 0 and out.read().count(b"Content-Length") == 202
    return None


@test("messages behind exit do no harm")
def _():
    for _ in range(5):
        c = started()
        c.open(URI, SLOW)
        c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        c.ask("shutdown")
        exit_body = b'{"jsonrpc":"2.0","method":"exit"}'
        c.raw(framed(exit_body) + framed(PING) * 50)
        assert c.exit_status() == 0
        c.close()
    return c


@test("a client that reads nothing for a while gets everything later")
def _():
    c = started()
    c.open(URI, BROKEN)
    for i in range(3000):
        c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}}, id=100_000 + i)
    assert len({c.wait_for(lambda m: m.get("id", 0) >= 100_000)["id"] for _ in range(3000)}) == 3000
    return c


@test("SIGTERM ends the server")
def _():
    c = started()
    c.process.send_signal(signal.SIGTERM)
    c.exit_status()
    return c


def main():
    if "--list" in sys.argv:
        for title, _ in TESTS:
            print(title)
        return 0
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    failed = 0
    chosen = [(t, f) for t, f in TESTS if pattern in t]
    for title, f in chosen:
        client, began = None, time.monotonic()
        try:
            client = f()
            print(f"ok    {title}", flush=True)
        except Exception as e:  # whatever goes wrong is this test's
            failed += 1
            print(f"FAIL  {title}: {type(e).__name__}: {e} (after {time.monotonic() - began:.1f} s)", flush=True)
        finally:
            if client:
                client.close()
                getattr(client, "at_end", lambda: None)()
    print(f"{len(chosen) - failed} of {len(chosen)} pass")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
