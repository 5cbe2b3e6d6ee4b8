#!/usr/bin/env python3
"""What a request costs the language server in instructions, which other work on the machine does not change.

    lsp_instructions.py OLD NEW [--kind hover,lines,number,arguments] [--count 60] [--lines 2000] [--settled] [--keep FOLDER]

OLD and NEW are binaries. Each runs under callgrind with a script of large_script.py open, after some edits, and counts
while it is sent --count of one kind: `hover` anywhere, `lines` (a line above a kernel, and away again), `above` (the same
above all kernels), `number` (a number in a kernel), `arguments` and `names` (a line typed, completed and taken back). Without
--settled edits begin while runs in the background are still to come; hovers always begin when nothing is at work. Printed
are thousands of instructions for each, of all threads, without those of runs in the background, and NEW by OLD. --keep keeps
callgrind's files, which callgrind_annotate reads.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support.language_server import Client  # noqa: E402

URI = "file:///tmp/lsp_instructions/script.py"
TYPED = {"arguments": '    extra = T.alloc_buffer((4, 4), "float16", ', "names": "    T."}
RUNS = re.compile(r"BackgroundTrials::work\(|work_through<.*BackgroundTrials")


class Session:
    def __init__(self, binary, text, out, cache):
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", binary]
        self.client = Client(command, environment=dict(os.environ, XDG_CACHE_HOME=cache))
        self.client.initialize({"general": {"positionEncodings": ["utf-8"]}},
                               initializationOptions={"tilewright": {"toolchain": {"check": "off"}}})
        self.text, self.version, self.random = text, 0, random.Random(7)
        self.first = text.find("@T.prim_func")
        self.client.open(URI, text, 0)
        self.client.diagnostics(URI, 0)

    def position(self, at):
        return self.text.count("\n", 0, at), at - (self.text.rfind("\n", 0, at) + 1)

    def edit(self, begin, end, by, wait=True):
        self.version += 1
        place = (*self.position(begin), *self.position(end))
        self.text = self.text[:begin] + by + self.text[end:]
        self.client.change(URI, self.version, (*place, by))
        if wait:
            self.client.diagnostics(URI, self.version)

    def ask(self, method, at):
        line, character = self.position(at)
        self.client.result(f"textDocument/{method}",
                           {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})

    def kernel(self):
        return self.text.find("\n@T.prim_func", self.random.randrange(self.first - 1, len(self.text))) + 1 or self.first

    def line_at(self, at):
        self.edit(at, at, "#\n")
        self.edit(at, at + 2, "")

    def lines(self):
        self.line_at(self.kernel())

    def above(self):
        self.line_at(self.text.find("SCALE_0"))

    def number(self):
        found = re.compile(r"[ (]([1-9])(?!\w)").search(self.text, self.text.find("device_entry", self.kernel()))
        self.edit(*found.span(1), str(self.random.randrange(1, 10)))

    def hover(self):
        at = self.random.randrange(len(self.text))
        while not self.text[at].isalpha():
            at = (at + 1) % len(self.text)
        self.ask("hover", at)

    def completed(self, kind):
        at = self.text.find("\n", self.text.find("device_entry", self.kernel())) + 1
        self.edit(at, at, TYPED[kind] + "\n", wait=False)
        self.ask("completion", at + len(TYPED[kind]))
        self.edit(at, at + len(TYPED[kind]) + 1, "")

    def one(self, kind):
        self.completed(kind) if kind in TYPED else getattr(self, kind)()

    def settle(self):
        """Until its threads rest."""
        def spent():
            with open(f"/proc/{self.client.process.pid}/stat", encoding="utf-8") as file:
                return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
        before = -1
        while before != spent():
            before = spent()
            time.sleep(0.5)

    def switch(self, on):
        subprocess.run(["callgrind_control", "-i", on, str(self.client.process.pid)], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)


def counted(out):
    """All instructions of a file of callgrind, without those of runs in the background."""
    shown = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], capture_output=True, text=True,
                           check=True).stdout
    number = re.compile(r"\s*([\d,]+) \(")
    lines = [(int(m[1].replace(",", "")), line) for line in shown.splitlines() if (m := number.match(line))]
    runs = max((n for n, line in lines if RUNS.search(line)), default=0)
    return next(n for n, line in lines if "PROGRAM TOTALS" in line) - runs


def measured(binary, kind, count, text, settled, out):
    with tempfile.TemporaryDirectory() as cache:
        session = Session(os.path.abspath(binary), text, out, cache)
        for _ in range(10):
            session.lines()
        for _ in range(20):
            session.number()
        for _ in range(3):
            session.one(kind)
        if settled or kind == "hover":
            session.settle()
        session.switch("on")
        for _ in range(count):
            session.one(kind)
        session.switch("off")
        session.client.shutdown()
    return counted(out) / count / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--kind", default="hover,lines,number,arguments")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--settled", action="store_true")
    parser.add_argument("--keep", default="")
    arguments = parser.parse_args()
    text = subprocess.run([sys.executable, os.path.join(HERE, "large_script.py"), "--lines", str(arguments.lines), "--kernels",
                           str(arguments.lines // 50), "--helpers", "8"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.kind.split(","):
            figures = [measured(binary, kind, arguments.count, text, arguments.settled,
                                os.path.join(arguments.keep or folder, f"{name}.{kind}"))
                       for name, binary in (("old", arguments.old), ("new", arguments.new))]
            print(f"{kind:<10} {figures[0]:>10,.0f} {figures[1]:>10,.0f} thousand {figures[1] / figures[0]:6.3f}", flush=True)


if __name__ == "__main__":
    main()
