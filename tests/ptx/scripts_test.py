#!/usr/bin/env python3
"""Instructions of release 0.27 in scripts, against the reference's renderer, where its wheel is installed.

    scripts_test.py TILEWRIGHT [--combinations N] [--seed N] [--show]

Every row that can be spelled is called by a script once, and N more calls are sampled: the CUDA text must hold the reference's
helper with the same name and text, and a call of it. A second script holds what the first one prints and must give the same CUDA.
Exits 77 where the environment of `reference.py --release 0.27` is not installed.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

import table_test
from table_test import HOME

HEAD = "# tilewright: dialect 0.27\nfrom tvm.script import tirx as T\n\n"


def enter_environment():
    python = os.path.join(HOME, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(HOME):
        return
    if not os.path.exists(os.path.join(HOME, "ready")):
        print(f"skipped: the reference of release 0.27 is not installed below {HOME}")
        sys.exit(77)
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


class Script:
    """One kernel that makes one call, from the operands as table_test writes them."""

    def __init__(self, number, text, operands, how):
        self.lines, self.names = [], {}
        arguments = [self.operand(code) for code in operands]
        for word in how.split():
            arguments.append("preserve_dst=True" if word == "keep" else "pred=" + self.operand(word[5:]))
        self.text = (f"@T.prim_func\ndef k{number}(A: T.Buffer((64,), \"uint8\")):\n    T.device_entry()\n    T.cta_id([1])\n"
                     f"    tx = T.thread_id([32])\n    S = T.alloc_shared([64], \"uint8\")\n" +
                     "".join(f"    {line}\n" for line in self.lines) + f"    T.ptx[\"{text}\"]({', '.join(arguments)})\n")

    def scalar(self, dtype):
        name = f"r{len(self.names)}"
        self.names[name] = dtype
        self.lines.append(f"{name} = T.local_scalar(\"{dtype}\")")
        return name

    def operand(self, code):
        if code.startswith("k:"):
            return f"T.ptx.pred({self.operand(code[2:])})"
        if code.startswith("+"):
            offset, _, base = code[1:].partition(":")
            return f"T.ptx.addr({self.operand(base)}, {offset})"
        if code == "p":
            return "A.ptr_to([0])"
        if code == "ps":
            return "S.ptr_to([0])"
        if code == "_":
            return "T.ptx.SINK"
        if code == "b":
            return "True"
        if code.startswith("i"):
            return code[1:]
        kind, _, rest = code.partition(":")
        dtype, _, number = rest.partition("=")
        if number:
            return f"T.{dtype}({number})"
        if dtype == "bool":
            return "tx < 4"
        return self.scalar(dtype)


def compiled(program, text, arch):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([program, "compile", file.name, "--emit", "cuda", "--arch", arch], capture_output=True, text=True)
    return done.stdout, done.stderr


def target_of(arch):
    return {"sm_107f": "sm_107a", "sm_90": "sm_90a", "sm_75": "sm_90a", "sm_80": "sm_90a", "sm_89": "sm_90a", "sm_100": "sm_100a"}.get(arch, arch)


def main():
    enter_environment()
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--combinations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    reference = table_test.Reference()
    caller = table_test.Caller(reference, rng)
    table = reference.table
    entries = [e for e in table.TABLE.values() if not table_test.unspellable(e)]
    chosen = [(e, table.variants(e)[0], True) for e in entries]
    chosen += [(e, rng.choice(table.variants(e)), False) for e in (rng.choice(entries) for _ in range(options.combinations))]
    wanted = {}
    for number, (entry, combination, plain) in enumerate(chosen):
        try:
            operands, how, name, source = caller.make(entry, combination, plain)
        except ValueError:
            continue
        if "_wait" in entry.name and "phase_type::primary" in combination and operands[1] == "v:uint32":
            continue  # two rows take it (docs/language/ptx.md, 4)
        text = table_test.spelled(entry, table_test.tokens_of(entry, combination))
        script = Script(number, text, operands, how)
        wanted.setdefault(target_of(arch_of(entry)), []).append((number, entry, script.text, name, source))
    bad, good, left = [], 0, 0
    wide = "unknown dtype" not in compiled(options.program, HEAD + Script(0, "mov.b64", ["e:uint128"], "").text, "sm_90a")[1]
    for arch, calls in sorted(wanted.items()):
        if "sm_" in compiled(options.program, HEAD, arch)[1]:  # a target, or a dtype, that this version does not know
            left += len(calls)
            continue
        if not wide:
            left += sum("int128" in c[2] for c in calls)
            calls = [c for c in calls if "int128" not in c[2]]
        for i in range(0, len(calls), 100):
            some = calls[i:i + 100]
            out, err = compiled(options.program, HEAD + "\n".join(c[2] for c in some), arch)
            for number, entry, text, name, source in some:
                if source.strip() in out and re.search(rf"^  {re.escape(name)}\(", out, re.M):
                    good += 1
                else:
                    bad.append((arch, entry, text, name, source))
            if options.show and len(bad) < 200:
                print(err[:3000])
    print(f"scripts: {good} of {good + len(bad)} calls give the reference's helper, {left} need a target or a dtype that is not known")
    for arch, entry, text, name, source in bad[:12]:
        print(f"  {entry.name} ({arch}): {name}\n{text}{source}")
    print("  rows:", " ".join(sorted({e.name for _, e, _, _, _ in bad})))
    return 1 if bad else 0


def arch_of(entry):
    """The lowest target of a row, as the table has it."""
    return entry.cert_arch or "sm_75"


if __name__ == "__main__":
    sys.exit(main())
