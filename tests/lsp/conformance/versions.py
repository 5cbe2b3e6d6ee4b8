#!/usr/bin/env python3
"""versions.py SERVER [PATTERN] [--list]: conformance of the language server: versions and synchronisation."""
import sys
import time

from session import BROKEN, INVALID_PARAMS, KERNEL, SERVER, URI, main, names, place, started, test
from support.language_server import Client


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


if __name__ == "__main__":
    sys.exit(main())
