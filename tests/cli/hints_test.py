#!/usr/bin/env python3
"""hints_test.py TILEWRIGHT [--survey]: a hint that says what to write is a fix.

Each line of hint_fixes.txt stands in a kernel of its own, which has the second line after `tilewright fix`. `--survey`: of all
findings of the script tests (tests/script), those whose hint names code and that have no fix are the ones of hints_without_fixes.txt.
"""
import collections
import os
import re
import sys

from case import HERE, ROOT, Case, main
from foreign_test import HEAD

# What could stand in a script as it is said: a call, a path, an assignment, an argument.
CODE = re.compile(r"\b(?:write|use|drop|call|add:|decorate|pass|declare|leave|cast|compare|give|begin)\b.*?(?:\w+\.\w+|\w+\(|=|@\w|`)"
                  r"|did you mean|one assignment a line|\bwrites? [\w.]+\.\w")


IMPORT = "from tvm.script import tirx as T\n"
# Whole scripts before and after.
SCRIPTS = [
    # What changes how the whole module is read: kernels that stay as they are are looked at again.
    ("# tilewright: dialect 0.26\n" + IMPORT + """

@T.prim_func
def k(A: T.Buffer(("n",), "float32")):
    T.device_entry()
""", "@IMPORTfrom __future__ import annotations\n"),
    (IMPORT + """

@T.prim_func
def k(A: T.Buffer((128,), "float16")):
    T.cta_id([1])
    tid = T.thread_id([128])
    A[tid] = A[tid] + T.float16(1)
""", "    T.cta_id([1])\n@    T.device_entry()\n"),
    (IMPORT + """

@T.prim_func
def k(A: T.Buffer[(128,), "float16"]):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    A[tid] = A[tid] + T.float16(1)
""", 'T.Buffer[(128,), "float16"]@@T.Buffer((128,), "float16")'),
    # A function in place of the condition would be no error, and no fix either.
    (IMPORT + """

def clamped(x):
    if x > 3:
        x = 3
    return x


@T.prim_func
def k(A: T.Buffer((128,), "int32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    A[tid] = clamped(A[tid])
""", None),
]


def pairs():
    with open(os.path.join(HERE, "hint_fixes.txt"), encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
    return [(lines[i], lines[i + 1].strip()) for i in range(0, len(lines), 2)]


def kernel(line):
    return HEAD.replace("{line}", line.replace(";;", "\n    "))


class Hints(Case):
    def test_what_a_hint_says_is_a_fix(self):
        wanted = {}
        for i, (line, after) in enumerate(pairs()):
            path = self.file(f"k/{i:02}.py", kernel(line))
            wanted[path] = (line, kernel(after))
        self.run_it("fix", "k")
        for path, (line, after) in wanted.items():
            with self.subTest(line), open(path, encoding="utf-8") as f:
                self.assertEqual(f.read(), after)


    def test_whole_scripts(self):
        for i, (text, change) in enumerate(SCRIPTS):
            path = self.file(f"whole_{i}.py", text)
            self.run_it("fix", path)
            after = text
            if change and change.startswith("@IMPORT"):
                after = text.replace(IMPORT, change[len("@IMPORT"):] + IMPORT)
            elif change and "@@" in change:
                after = text.replace(*change.split("@@"))
            elif change:
                at, line = change.split("@")
                after = text.replace(at, line + at)
            with self.subTest(text), open(path, encoding="utf-8") as f:
                self.assertEqual(f.read(), after)


def scripts():
    """(name, text) of each case of the script tests that is one file."""
    folder = os.path.join(ROOT, "tests", "script")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py") or name.endswith("_test.py"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            parts = re.split(r"(?m)^#--- ?(.*)\n", f.read())
        for i in range(1, len(parts), 2):
            if not parts[i].startswith("file "):
                lines = [line for line in parts[i + 1].split("\n") if not re.match(r"#\s*(\^|hint:|[|])|#  |@\d", line)]
                release = "" if any("dialect 0.2" in line for line in lines) else "# tilewright: dialect 0.25\n"
                yield f"{name[:-3]}_{(i + 1) // 2:03}.py", release + "\n".join(lines)


class Survey(Case):
    def test_hints_without_fixes_are_listed(self):
        with open(os.path.join(HERE, "hints_without_fixes.txt"), encoding="utf-8") as f:
            listed = [line.rstrip("\n").split(" | ") for line in f if line.strip() and not line.startswith("#")]
        for name, text in scripts():
            self.file("k/" + name, text)
        findings = self.run_it("check", "k", "--json", "--fix-seconds", "60").json["diagnostics"]
        left, used, fixed = collections.Counter(), set(), 0
        for d in findings:
            hint = d.get("hint") or ""
            if d["severity"] not in ("error", "warning") or not CODE.search(hint):
                continue
            if d.get("fixes"):
                fixed += 1
                continue
            reason = next((i for i, (code, begin, _) in enumerate(listed) if d["code"] == code and hint.startswith(begin)), None)
            if reason is None:
                left[f"{d['code']} | {hint.splitlines()[0][:90]}"] += 1
                if os.environ.get("TILEWRIGHT_SHOW"):
                    print(d["range"]["file"], d["range"]["start"]["line"], d["code"], d["message"][:80], "||", hint[:100])
            else:
                used.add(reason)
        print(f"{fixed} hints that name code have fixes, {len(used)} of {len(listed)} exceptions occur", file=sys.stderr)
        self.assertEqual(sorted(left.items()), [])
        self.assertEqual([listed[i][:2] for i in range(len(listed)) if i not in used], [])


if __name__ == "__main__":
    if "--survey" in sys.argv:
        sys.argv.remove("--survey")
        del Hints
    else:
        del Survey
    main()
