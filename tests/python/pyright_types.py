#!/usr/bin/env python3
"""pyright_types.py FOLDER: what pyright knows of the package and of what scripts import.

Pyright comes from npm and is kept in FOLDER. Exit status 77 where it cannot be had.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

USE = '''\
import tilewright

script = tilewright.load("gemm.py")
reveal_type(script)  # Script
reveal_type(script["gemm(64, 64, 64)"])  # Kernel
found = tilewright.check("gemm.py")
reveal_type(found)  # CheckReport
reveal_type(found.diagnostics)  # List[Diagnostic]
reveal_type(found.diagnostics[0].code)  # str
reveal_type(found.diagnostics[0].fixes)  # List[Fix] | None
reveal_type(tilewright.run("gemm.py"))  # RunReport
reveal_type(tilewright.compile("gemm.py"))  # Compilation
found.nothing  # error
tilewright.load(3)  # error
'''
SCRIPT = '''\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

tile = T.alloc_shared((64, 64), "float16")
T.cuda.cta_sync()
Tx.cta.copy(tile, tile)
reveal_type(T.cuda.cta_sync)  # (...) -> Any
reveal_type(Tx.cta.copy)  # (dst: Any, src: Any, **_: Any) -> Any
reveal_type(Tx.copy)  # (dst: Any, src: Any, **_: Any) -> Any
Tx.cta.copy(tile)  # error
'''


def pyright(folder):
    """The program; None: it cannot be had."""
    program = os.path.join(folder, "node_modules", ".bin", "pyright")
    if not os.path.exists(program) and shutil.which("npm"):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, "pyright"], capture_output=True, timeout=600, check=False)
    return program if os.path.exists(program) else None


def expected(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if "  # " in line:
            yield (name, number), line.split("  # ")[1]


def main():
    program = pyright(os.path.abspath(sys.argv[1]))
    if not program:
        print("no pyright: npm cannot fetch it")
        return 77
    with tempfile.TemporaryDirectory(prefix="tilewright-pyright-") as folder:
        wanted = {}
        for name, text in (("use.py", USE), ("script.py", SCRIPT)):
            wanted.update(expected(name, text))
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        # As the wheel installs them.
        shutil.copytree(os.path.join(ROOT, "python", "tilewright"), os.path.join(folder, "site", "tilewright"))
        shutil.copytree(os.path.join(ROOT, "python", "tvm-stubs"), os.path.join(folder, "site", "tvm-stubs"))
        with open(os.path.join(folder, "pyrightconfig.json"), "w", encoding="utf-8") as f:
            json.dump({"extraPaths": ["site"], "include": ["use.py", "script.py"], "reportMissingModuleSource": False}, f)
        done = subprocess.run([program, "-p", folder, "--outputjson"], capture_output=True, text=True, timeout=300, check=False)
        said = {}
        for d in json.loads(done.stdout)["generalDiagnostics"]:
            where = (os.path.basename(d["file"]), d["range"]["start"]["line"] + 1)
            said[where] = d["message"].split('" is "')[1].rstrip('"') if d["severity"] == "information" else "error"
    problems = [f"{name}:{line}: {said.get((name, line))} in place of {what}" for (name, line), what in wanted.items()
                if said.get((name, line)) != what]
    problems += [f"{name}:{line}: {what}" for (name, line), what in said.items() if (name, line) not in wanted]
    print("\n".join(problems + [f"{len(wanted)} types and mistakes, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
