#!/usr/bin/env python3
"""Random programs on sets of numbers and of tuples of them, beside Python itself: a set gives its items in the order in
which Python gives them, also after removals, copies and operations.

  set_order_test.py TILEWRIGHT [--count N] [--seed S|day|fresh] [--show]
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import unknown_test  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.seeds import seed  # noqa: E402

HEADER = """import copy
from tvm.script import tirx as T

def number(v):
    if isinstance(v, tuple):
        return sum(number(i) * (k + 3) for k, i in enumerate(v)) + len(v)
    return int(v * 4)

def told(s):
    out = 7
    for v in s:
        out = (out * 31 + number(v)) % 1000003
    return out

"""
KERNEL = """
@T.prim_func
def k_{0}(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = x_{0}
"""
PER_FILE = 40


class Program:
    in_function = False

    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.span = rng.choice((8, 40, 40, 1000, 10**6, 1 << 40, 1 << 70))
        self.tuples = rng.random() < 0.15

    def item(self):
        rng = self.rng
        if self.tuples:
            return repr(tuple(rng.randrange(-self.span, self.span) for _ in range(rng.randrange(4))))
        kind = rng.random()
        if kind < 0.08:
            return repr(rng.choice((0.5, -2.25, 1e15, -0.0625, 3.0, float(rng.randrange(self.span)) + 0.5)))
        if kind < 0.1:
            return rng.choice(("True", "False", "-1", "-2"))
        return repr(rng.randrange(-self.span if rng.random() < 0.3 else 0, self.span))

    def items(self, most=14):
        return ", ".join(self.item() for _ in range(self.rng.randrange(1, most)))

    def iterable(self):
        rng = self.rng
        kind = rng.randrange(7)
        if kind == 0:
            return f"{{{self.items()}}}"
        if kind == 1 and not self.tuples:
            start = rng.randrange(self.span)
            return f"range({start}, {start + rng.randrange(90)}, {rng.randrange(1, 20)})"
        if kind == 2:
            return f"dict.fromkeys([{self.items()}])"
        if kind == 3:
            return f"dict.fromkeys([{self.items()}]).keys()"
        if kind == 4:
            return rng.choice(("s", "t"))
        return f"[{self.items(40)}]"

    def step(self, name, other):
        rng = self.rng
        op = rng.choice("|&-^")
        method = rng.choice(("union", "intersection", "difference", "symmetric_difference"))
        update = rng.choice(("update", "intersection_update", "difference_update", "symmetric_difference_update"))
        return rng.choice((
            f"{name}.add({self.item()})", f"{name}.add({self.item()}); {name}.add({self.item()})",
            f"{name}.discard({self.item()})", f"{name}.pop() if {name} else 0", f"{name} = {name} {op} {other}",
            f"{name} {op}= {other}", f"{name} {op}= set({self.iterable()})", f"{name} = {name}.{method}({self.iterable()})",
            f"{name}.{update}({self.iterable()})", f"{name} = {name}.copy()", f"{name} = set({self.iterable()})",
            f"{name} = copy.deepcopy({name})", f"{name} = set({name})", f"{name} = set(frozenset({name}) | {other})",
            f"{name} = {{v for v in {self.iterable()}}}", f"{name} = {{*{name}, {self.items()}}}",
            f"for v in list({name})[:{rng.randrange(4)}]: {name}.remove(v)"))

    def text(self):
        """A function that returns a number in which the order of both sets stands."""
        lines = [f"s = set([{self.items(30)}])", f"t = {{{self.items()}}}"]
        for _ in range(self.rng.randrange(12)):
            lines.append(self.step(*self.rng.sample(("s", "t"), 2)))
        lines.append("return told(s) * 1009 % 1000003 + told(t) + len(s)")
        return "".join([f"def made_{self.number}():\n", *(f"    {line}\n" for line in lines),
                        f"x_{self.number} = made_{self.number}()\n"])


# Tuples that few lines make very deep, or of very many values: their sets end at once.
HOSTILE = ("t = (1,)\nfor _ in range(60): t = (t, t)\ns = {t}\n", "t = (1,)\nfor _ in range(200000): t = (t,)\ns = {t}\n",
           "t = (1,)\nfor _ in range(60): t = (t, t)\nn = hash(t)\n", "t = (1,)\nfor _ in range(200000): t = (t,)\nn = hash(t)\n")


def survived(binary, folder):
    path = os.path.join(folder, "hostile.py")
    for text in HOSTILE:
        with open(path, "w") as out:
            out.write(text)
        done = subprocess.run([binary, "check", path], capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), (text, done.returncode, done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    rng = random.Random(seed(options.seed))
    followed = wrong = 0
    with tempfile.TemporaryDirectory(prefix="tilewright-sets-") as folder:
        open(os.path.join(folder, "tilewright.toml"), "w").close()
        survived(options.binary, folder)
        path = os.path.join(folder, "program.py")
        for first in range(0, options.count, PER_FILE):
            programs = [Program(n, rng) for n in range(first, min(first + PER_FILE, options.count))]
            texts = {p.number: p.text() for p in programs}
            with open(path, "w") as out:
                out.write(HEADER + "".join(text + KERNEL.format(n) + "\n" for n, text in texts.items()))
            given, diagnostics = unknown_test.tilewright_gives(options.binary, path)
            scope = {}
            exec(HEADER.replace("from tvm.script import tirx as T\n", "") + "".join(texts.values()), scope)
            for n, text in texts.items():
                if f"k_{n}" not in given:
                    if options.show:
                        print([d["message"] for d in diagnostics][:3], text)
                    continue
                followed += 1
                stores, _ = given[f"k_{n}"]
                if stores != [(0, scope[f"x_{n}"])]:
                    wrong += 1
                    print(f"{stores} instead of {scope[f'x_{n}']}:\n{text}\n")
    print(f"{options.count} programs, {followed} followed, {wrong} wrong")
    return 1 if wrong or followed < 0.9 * options.count else 0


if __name__ == "__main__":
    sys.exit(main())
