#!/usr/bin/env python3
"""lifecycle.py SERVER [PATTERN] [--list]: conformance of the language server: lifecycle."""
import subprocess
import sys
import time

from session import (BROKEN, INVALID_PARAMS, INVALID_REQUEST, KERNEL, NOT_INITIALIZED, SERVER, SLOW, URI, main, names,
                     started, test)
from support.language_server import Client
from support.patience import PATIENCE


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


@test("what the values of an analysis took goes back to the system, and its kernels stay")
def _():
    c = started()
    first, rest = KERNEL.split("\n", 1)
    c.open(URI, first + "\nROWS = [(i, str(i), [i]) for i in range(250_000)]\n" + rest)  # 100 MB
    assert c.diagnostics(URI, 1) == []
    end = time.monotonic() + 20
    # (A sanitizer keeps a quarter of a gigabyte that was freed.)
    while (resident := c.result("$/tilewright/memory")["residentBytes"]) > (40 << 20 if PATIENCE == 1 else 1 << 30):
        assert time.monotonic() < end, f"{resident >> 20} MB"
        time.sleep(0.05)
    assert [s["name"] for s in c.result("workspace/symbol", {"query": "kernel"})] == ["kernel"]
    assert c.result("textDocument/codeLens", {"textDocument": {"uri": URI}})
    return c


if __name__ == "__main__":
    sys.exit(main())
