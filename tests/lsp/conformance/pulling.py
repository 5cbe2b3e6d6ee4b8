#!/usr/bin/env python3
"""pulling.py SERVER [PATTERN] [--list]: conformance of the language server: pulling."""
import os
import sys
import tempfile

from session import BROKEN, KERNEL, PULL, SERVER, URI, main, names, started, test
from support.language_server import Client


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


if __name__ == "__main__":
    sys.exit(main())
