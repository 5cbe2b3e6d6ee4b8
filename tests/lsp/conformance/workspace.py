#!/usr/bin/env python3
"""workspace.py SERVER [PATTERN] [--list]: conformance of the language server: the workspace."""
import os
import sys
import tempfile
import time

from session import BROKEN, KERNEL, PULL, SERVER, SERVER_CANCELLED, SLOW, URI, main, names, started, test
from support.language_server import Client
from support.patience import PATIENCE

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


def release(c, line=0):
    """What the hover of the import of the dialect says."""
    at = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 20}}
    return c.result("textDocument/hover", at)["contents"]["value"].splitlines()[0]


@test("the release of a script comes from the editor's setting where nothing says it, and changes with it")
def _():
    c = started(initializationOptions={"tilewright": {"dialect": "0.26"}})
    c.open(URI, KERNEL)
    assert c.diagnostics(URI, 1) == []
    assert "0.26: the editor's setting tilewright.dialect is 0.26" in release(c), release(c)
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {"dialect": "0.25"}}})
    c.diagnostics(URI, 1)
    assert "0.25: the editor's setting" in release(c), release(c)
    c.notify("workspace/didChangeConfiguration", {"settings": {"tilewright": {}}})
    c.diagnostics(URI, 1)
    assert "0.27: assumed, the newest release" in release(c), release(c)
    c.change(URI, 2, "# tilewright: dialect 0.25\n" + KERNEL)
    c.diagnostics(URI, 2)
    assert "0.25: the comment" in release(c, 1), release(c, 1)
    return c


@test("a line that is half typed does not change the release of a script")
def _():
    c = started()
    c.open(URI, KERNEL)
    c.diagnostics(URI, 1)
    for version, (more, now) in enumerate([("    T.ptx.mbarrier.init(lane, 1\n", "0.27"), ("    T.ptx.mbarrier.init(lane, 1)\n", "0.26"),
                                           ("    T.ptx.mbarrier.init(lane, 1)\n    T.ret(0\n", "0.26"), ("    T.ret(0)\n", "0.25")], 2):
        c.change(URI, version, KERNEL + more)
        c.diagnostics(URI, version)
        assert f"Dialect {now}: " in release(c), (more, release(c))
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


if __name__ == "__main__":
    sys.exit(main())
