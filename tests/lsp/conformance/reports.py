#!/usr/bin/env python3
"""reports.py SERVER [PATTERN] [--list]: conformance of the language server: telling."""
import subprocess
import sys

from session import BROKEN, INVALID_PARAMS, KERNEL, SERVER, URI, main, names, started, test


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
    assert 0 < m["cacheBytes"] < m["cacheLimit"] == 32 << 20 and m["residentBytes"] > 0
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


if __name__ == "__main__":
    sys.exit(main())
