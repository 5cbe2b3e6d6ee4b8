#!/usr/bin/env python3
"""Stubs of what scripts import from `tvm`, for editors beside Pylance, made of the compiler's own tables.

    script_stubs.py DUMP [--update]

DUMP is the program tests/python/surface_dump. Writes python/tvm-stubs, or says that it is not what the tables have (exit
status 1). The package is partial (PEP 561): where TVM itself is installed, what is not here is looked up there.
"""
import ast
import json
import keyword
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "python", "tvm-stubs")
RELEASE = "0.27"  # names that earlier releases alone have follow
EARLIER = ["0.26", "0.25"]
# The files, and the space that each shows.
FILES = {"script/tirx/__init__.pyi": "T", "script/tirx/tile.pyi": "Tx", "tirx/layout.pyi": "layout"}
TYPES = ("type", "class")
# Modules of which scripts take something, and nothing is said here.
OTHERS = ["tirx/cuda/operator/tile_primitive/tma_utils.pyi", "backend/cuda/tile_primitive/tma_utils.pyi"]
HEAD = '"""Made by packaging/script_stubs.py of Tilewright\'s tables; do not edit."""\nfrom typing import Any\n\n'


def records(dump):
    out = {}
    for release in (RELEASE, *EARLIER):
        for line in subprocess.run([dump, release], capture_output=True, text=True, check=True).stdout.splitlines():
            r = json.loads(line)
            out.setdefault((r["space"], r["name"]), r)
    spaces = {}
    for (space, _), r in out.items():
        spaces.setdefault(space, []).append(r)
    return spaces


def parameters(signature, method):
    own = "self, " if method else ""
    try:
        ast.parse(f"def f({own}{signature}): ...")
    except SyntaxError:
        return f"{own}*args: Any, **kwargs: Any"
    parts = [own.rstrip(", ")] if own else []
    arguments = ast.parse(f"def f({signature}): ...").body[0].args if signature else None
    if arguments is None:
        return own.rstrip(", ") + (", " if own else "") + "*args: Any, **kwargs: Any"
    plain = arguments.posonlyargs + arguments.args
    first = len(plain) - len(arguments.defaults)
    for i, a in enumerate(plain):
        parts.append(f"{a.arg}: Any" + (" = ..." if i >= first else ""))
    if arguments.vararg:
        parts.append(f"*{arguments.vararg.arg}: Any")
    elif arguments.kwonlyargs:
        parts.append("*")
    for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        parts.append(f"{a.arg}: Any" + (" = ..." if default is not None else ""))
    parts.append(f"**{arguments.kwarg.arg}: Any" if arguments.kwarg else "**_: Any")
    return ", ".join(parts)


def written(text):
    return '"""' + text.replace("\\", "\\\\").replace('"""', "'''") + '"""'


def is_scope(record):
    """`cta` of T and Tx: who issues the primitives below it."""
    return "ssued by a" in record["documentation"] and record["kind"] != "primitive"


class Writer:
    def __init__(self, spaces):
        self.spaces = spaces

    def names(self, space, indent, method, classes):
        out = []
        for r in sorted(self.spaces.get(space, []), key=lambda r: r["name"]):
            name = r["name"]
            if not name.isidentifier() or keyword.iskeyword(name):
                continue
            words = written(r["documentation"]) if r["documentation"] else ""
            if r["children"] and r["children"] in self.spaces:
                own = "_" + "".join(c if c.isalnum() else "_" for c in r["children"])
                classes.setdefault(own, (r["children"], r))
                out.append(f"{indent}{name}: {own}" + (f"\n{indent}{words}" if words else ""))
            elif r["kind"] in TYPES:
                # What stands in annotations, is called and has members: of Any, so that a checker asks nothing of its values.
                out.append(f"{indent}class {name}(Any):" + (f"\n{indent}    {words}" if words else "")
                           + f"\n{indent}    def __new__(cls, *args: Any, **kwargs: Any) -> Any: ..."
                           + f"\n{indent}    def __class_getitem__(cls, item: Any) -> Any: ...")
            elif r["kind"] in ("function", "primitive", "instruction", "decorator"):
                out.append(f"{indent}def {name}({parameters(r['signature'], method)}) -> Any:"
                           + (f"\n{indent}    {words}\n{indent}    ..." if words else " ..."))
            elif space == "T" and name == "tile":
                out.append("from tvm.script.tirx import tile as tile")
            else:
                kind = "_Scope" if is_scope(r) else "Any"
                out.append(f"{indent}{name}: {kind}" + (f"\n{indent}{words}" if words else ""))
        return out

    def scope(self):
        """The class of `cta`, `warp` and the like: every primitive is a method of it."""
        only = Writer({"Tx": [r for r in self.spaces["Tx"] if r["kind"] == "primitive"]})
        return ["class _Scope:", *only.names("Tx", "    ", True, {}), "    def __getattr__(self, name: str) -> Any: ...", ""]

    def file(self, space):
        classes = {}
        top = self.names(space, "", False, classes)
        made, done = [], set()
        while set(classes) - done:
            for own in sorted(set(classes) - done):
                done.add(own)
                below, r = classes[own]
                lines = self.names(below, "    ", True, classes)
                made.append(f"class {own}:")
                if r["kind"] in ("function", "primitive", "instruction", "decorator", "class"):
                    made.append(f"    def __call__({parameters(r['signature'], True)}) -> Any: ...")
                made += lines or ["    ..."]
                made.append("")
        if space == "Tx":
            made += self.scope()
        elif any(line.endswith(": _Scope") for line in "\n".join(top).split("\n")):
            made.insert(0, "from tvm.script.tirx.tile import _Scope\n")
        return HEAD + "\n".join([*made, *top]) + "\n"


def files(dump):
    writer = Writer(records(dump))
    out = {path: writer.file(space) for path, space in FILES.items()}
    out["py.typed"] = "partial\n"
    anything = HEAD + "def __getattr__(name: str) -> Any: ...\n"
    out["__init__.pyi"] = anything
    out["script/__init__.pyi"] = HEAD + "from tvm.script import tirx as tirx\n\ndef __getattr__(name: str) -> Any: ...\n"
    out["tirx/__init__.pyi"] = HEAD + "from tvm.tirx import layout as layout\n\ndef __getattr__(name: str) -> Any: ...\n"
    out["tirx/lang/__init__.pyi"] = anything
    for path in OTHERS:
        out[path] = anything
        folder = os.path.dirname(path)
        while folder and folder + "/__init__.pyi" not in out:
            out[folder + "/__init__.pyi"] = anything
            folder = os.path.dirname(folder)
    prelude = sorted({r["name"] for r in writer.spaces.get("T", []) if r["kind"] == "class"})
    for module in ("pipeline", "tile_scheduler", "warp_role", "alloc_pool", "smem_desc"):
        out[f"tirx/lang/{module}.pyi"] = HEAD + "".join(f"from tvm.script.tirx import {n} as {n}\n" for n in prelude) + \
            "\ndef __getattr__(name: str) -> Any: ...\n"
    for path in FILES:
        out[path] += "\ndef __getattr__(name: str) -> Any: ...\n"
    return out


def main():
    made = files(sys.argv[1])
    known = {}
    for where, _, names in os.walk(FOLDER):
        for name in names:
            path = os.path.join(where, name)
            with open(path, encoding="utf-8") as f:
                known[os.path.relpath(path, FOLDER)] = f.read()
    if "--update" in sys.argv:
        for path, text in made.items():
            os.makedirs(os.path.dirname(os.path.join(FOLDER, path)), exist_ok=True)
            with open(os.path.join(FOLDER, path), "w", encoding="utf-8") as f:
                f.write(text)
        for path in set(known) - set(made):
            os.remove(os.path.join(FOLDER, path))
    elif known != made:
        sys.exit("python/tvm-stubs is not what the tables have: packaging/script_stubs.py DUMP --update")


if __name__ == "__main__":
    main()
