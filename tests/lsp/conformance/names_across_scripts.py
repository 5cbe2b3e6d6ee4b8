#!/usr/bin/env python3
"""names_across_scripts.py SERVER [PATTERN] [--list]: conformance of the language server: names across scripts."""
import os
import shutil
import sys
import tempfile

from session import INVALID_PARAMS, KERNEL, REQUEST_CANCELLED, main, place, started, test

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


if __name__ == "__main__":
    sys.exit(main())
