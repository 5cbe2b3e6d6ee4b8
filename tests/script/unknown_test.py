#!/usr/bin/env python3
"""Random host programs around kernels, on values that Tilewright does not know, beside Python itself.

Each program is run by Python twice: with the unknown true, and with it false. What its kernel stores, and how many
threads it has, is noted. Tilewright evaluates the same text without knowing: a kernel that it gives without an error
must be the one of each run in which Python gives one at all.

  unknown_test.py TILEWRIGHT [--count N] [--seed S|day|fresh] [--keep FOLDER] [--show]
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.seeds import seed  # noqa: E402

HEADER = """import contextlib
import functools
import mystery
import torch
from tvm.script import tirx as T

"""


class Program:
    """The text of one program; its names end in its number, so that several can stand in one file."""

    def __init__(self, number, rng):
        self.number = number
        self.rng = rng
        self.lines = []
        self.fresh = 0
        self.in_function = rng.random() < 0.4
        self.helpers = []
        self.loops = 0

    def name(self, base):
        return f"{base}_{self.number}"

    def unique(self, base):
        self.fresh += 1
        return f"{base}{self.fresh}_{self.number}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    # ---- expressions -------------------------------------------------------------------------------------------

    def unknown(self):
        n = self.name
        return self.pick("torch.cuda.is_available()", n("FLAG"), n("FLAG"), f"{n('COUNT')} > 2", f"{n('OPT')} is None",
                         f"not {n('FLAG')}", f"isinstance({n('OPT')}, str)", f"{n('OPT')} is not None")

    def condition(self, depth=0):
        r = self.rng.random()
        if r < 0.45:
            return self.unknown()
        if r < 0.6 and depth < 2:
            return f"({self.condition(depth + 1)} {self.pick('and', 'or')} {self.condition(depth + 1)})"
        if r < 0.65 and depth < 2:
            return f"not ({self.condition(depth + 1)})"
        if r < 0.8:
            return f"{self.integer(2)} {self.pick('<', '>', '==', '!=', '<=')} {self.integer(2)}"
        if r < 0.86:
            return f"{self.integer(2)} in {self.name('L')}"
        if r < 0.9:
            return f"{self.integer(2)} < {self.integer(2)} < {self.integer(2)}"
        if r < 0.95:
            return f"{self.name('D')}.get({self.key()}, 0) == {self.rng.randrange(4)}"
        return self.pick("True", "False", f"{self.name('C')}.flag", f"len({self.name('L')}) > 2",
                         f"({self.name('x')}, 1) == ({self.name('y')}, 1)")

    def key(self):
        return self.pick('"p"', '"q"', '"p"', f'("p" if {self.unknown()} else "q")', f'{self.name("K")}')

    def integer(self, depth=0):
        n, r = self.name, self.rng.random()
        if r < 0.25 or depth > 2:
            return str(self.rng.randrange(6))
        if r < 0.5:
            return n(self.pick("x", "y", "z"))
        if r < 0.56:
            return f"(({self.integer(depth + 1)} {self.pick('+', '-', '*')} {self.integer(depth + 1)}) % 7)"
        if r < 0.64:
            return f"({self.integer(depth + 1)} if {self.condition(1)} else {self.integer(depth + 1)})"
        if r < 0.68:
            return f"len({n('L')})"
        if r < 0.72:
            return f"sum({n('L')}) % 5"
        if r < 0.76:
            return f"{n('D')}.get({self.key()}, {self.rng.randrange(5)})"
        if r < 0.8:
            return f"{n('C')}.n"
        if r < 0.84:
            return f"{n('h')}({self.integer(depth + 1)})"
        if r < 0.87:
            return f"{self.pick('min', 'max')}({self.integer(depth + 1)}, {self.integer(depth + 1)})"
        if r < 0.9:
            return f"len([v for v in list({n('L')}) if {self.pick(self.condition(1), 'v > 1')}])"
        if r < 0.93:
            return f"sum(v * 2 for v in list({n('L')})) % 5"
        if r < 0.95:
            return f"int({self.condition(1)})"
        if r < 0.97:
            return f"sorted({n('L')} + [0], key=lambda v: {self.pick('v', '-v', f'v if {self.unknown()} else -v')})[0]"
        if r < 0.98:
            return f"max({n('L')} + [0], key=lambda v: {self.pick('v', '-v', f'v if {self.unknown()} else -v')})"
        if r < 0.985:
            return f"{self.pick('any', 'all')}({self.pick('v > 1', self.unknown())} for v in list({n('L')})) + 1"
        if r < 0.99:
            return f"{n('e')}({self.integer(2)})"
        return f"(lambda v: v + {self.integer(2)})({self.integer(2)})"

    def container(self):
        n = self.name
        return self.pick(n("L"), n("M"), n("D"), n("C"), n("B"), n("P"), n("Q"), f"[{n('C')}]", f"{n('Q')}.inner",
                         f"{{'a': {n('L')}}}")

    # Functions that are not known, values that may be one object or another, and what is called when a block is left.
    def rare(self, pad, indent, inner):
        n, r = self.name, self.rng.random()
        if r < 0.2:
            return [f"{pad}mystery.touch({self.container()})"]
        if r < 0.3:
            return [f"{pad}{n('P')} = {self.pick(n('L'), n('M'))} if {self.condition()} else "
                    f"{self.pick(n('M'), '[1, 2]', n('L'))}",
                    f"{pad}{n('P')}{self.pick('.append(1)', '[0] = 3', ' += [2]')}"]
        if r < 0.38:
            return [f"{pad}{n('Q')} = {n('C')} if {self.condition()} else {n('B')}",
                    f"{pad}{n('Q')}.{self.pick('n = 2', 'bump(1)', 'inner[0] = 4', 'inner.append(1)')}"]
        if r < 0.44:
            return [f"{pad}mystery.pick({n('L')}, {n('M')}).append({self.integer(2)})"]
        if r < 0.5:
            return [f"{pad}mystery.keep({n('C')}){self.pick('', '.n = 3', '.bump(2)')}"]
        if r < 0.53:
            return self.pick([f"{pad}mystery.run({self.pick(n('w'), n('w'), n('h'))})"],
                             [f"{pad}mystery.run(callback=lambda v: {n('L')}.append(v))"],
                             [f"{pad}mystery.run({n('L')}.append)"],
                             [f"{pad}{n('g')} = mystery.wrap({n('w')})", f"{pad}{n('x')} = 1", f"{pad}{n('g')}(3)"],
                             [f"{pad}@mystery.wrap", f"{pad}def {n('g')}(a):", f"{pad}    {n('L')}.append(a)",
                              f"{pad}    return a", f"{pad}{n('y')} = {n('g')}(2) or 0"])
        if r < 0.55 and self.rng.random() < 0.7:
            return self.generated(pad, indent, inner)
        if r < 0.56:
            return [f"{pad}[{n('C')}, {n('B')}][{n('COUNT')} % 2].n = {self.integer(2)}"]
        if r < 0.74:
            manager = self.pick("Quiet", "Loud", "Perhaps")
            out = [f"{pad}with {manager}_{self.number}({n('C')}) as m_:"] + inner()
            out += self.pick([], [f"{pad}    if {self.condition()}:", f"{pad}        raise ValueError(3)"],
                             [f"{pad}    mystery.risk({self.integer(2)})"])
            return out + inner()
        if r < 0.88:
            out = [f"{pad}try:"] + inner()
            out += [f"{pad}    {self.pick('mystery.risk(1)', 'mystery.settings[0]', 'int(mystery.word)')}"] + inner()
            handler = self.pick("except (ValueError, KeyError, RuntimeError):", "except RuntimeError:", "except:")
            out += [f"{pad}{handler}"] + inner()
            if "RuntimeError:" in handler and "(" not in handler:
                out += [f"{pad}except Exception:"] + inner()
            if self.rng.random() < 0.3:
                out += [f"{pad}else:"] + inner()
            if self.rng.random() < 0.3:
                out += [f"{pad}finally:"] + self.simple("    " * (indent + 1))
            return out
        if r < 0.93:
            return [f"{pad}if {self.condition()}:", f"{pad}    del {n('D')}[{self.key()}]"] if self.rng.random() < 0.5 else [
                f"{pad}del {n('L')}[{self.pick('0', '-1')}]", f"{pad}{n('L')}.append(2)"]
        if r < 0.97:
            return [f"{pad}Config_{self.number}.shared = {self.integer(2)}",
                    f"{pad}{n('x')} = {n('C')}.shared"]
        return [f"{pad}if (w_ := {self.integer(2)}) > 2 and {self.condition(1)}:", f"{pad}    {n('y')} = w_ % 5"]

    # What runs item by item, or once.
    def generated(self, pad, indent, inner):
        n = self.name
        choice = self.rng.randrange(8)
        if choice == 0:
            return [f"{pad}for v_ in {n('gen')}({self.integer(2)}):"] + inner() + (
                [f"{pad}    if {self.condition()}:", f"{pad}        break"] if self.rng.random() < 0.5 else [])
        if choice == 1:
            return [f"{pad}{n('x')} = sum({n('gen')}({self.integer(2)})) % 7"]
        if choice == 2:
            return [f"{pad}{n('G')} = {n('gen')}({self.integer(2)})", f"{pad}{n('x')} = next({n('G')}, 5)"]
        if choice == 3:
            return [f"{pad}{n('y')} = next({n('G')}, 3) % 6"]
        if choice == 4:
            return [f"{pad}with {n('scope')}({self.integer(2)}) as {n('z')}:"] + inner() + self.pick(
                [], [f"{pad}    if {self.condition()}:", f"{pad}        raise ValueError(1)"])
        if choice == 5:
            return [f"{pad}{n('x')} = int({self.pick('any', 'all')}({n('h')}(v) > 2 for v in list({n('L')})))"]
        if choice == 6:
            return [f"{pad}{n('y')} = {n('once')}({self.rng.randrange(3)})"]
        return [f"{pad}{n('G')} = (v + {n('x')} for v in list({n('L')}) if {self.condition(1)})",
                f"{pad}{n('x')} = {self.integer(2)}", f"{pad}{n('y')} = sum({n('G')}) % 5"]

    def definitions(self, pad):
        n = self.name
        scope = "nonlocal" if self.in_function else "global"
        out = [f"{pad}{n('G')} = iter([1, 2])",
               f"{pad}def {n('gen')}(a):", f"{pad}    {scope} {n('z')}", f"{pad}    for i in range(3):"]
        if self.rng.random() < 0.5:
            out += [f"{pad}        if {self.pick(self.unknown(), 'a > 2', 'i == 1')}:",
                    f"{pad}            {self.pick('yield a', 'continue', 'return', n('L') + '.append(i)', n('z') + ' = i')}"]
        out += [f"{pad}        yield i + a", f"{pad}        {self.pick(n('z') + ' = i', n('C') + '.n = i', 'pass')}"]
        out += [f"{pad}@contextlib.contextmanager", f"{pad}def {n('scope')}(a):", f"{pad}    {n('C')}.n = a",
                f"{pad}    try:", f"{pad}        yield a + 1",
                f"{pad}    {self.pick('finally', 'except ValueError', 'finally')}:",
                f"{pad}        {self.pick(n('C') + '.n = 3', n('L') + '.append(a)')}"]
        out += [f"{pad}@functools.cache", f"{pad}def {n('once')}(a):", f"{pad}    {n('L')}.append(a)"]
        if self.rng.random() < 0.5:
            out += [f"{pad}    if {self.unknown()}:", f"{pad}        return a + 2"]
        return out + [f"{pad}    return a + 1"]

    # ---- statements --------------------------------------------------------------------------------------------

    def block(self, indent, depth, in_loop):
        out = []
        for _ in range(self.rng.randrange(1, 4)):
            out += self.statement(indent, depth, in_loop)
        return out

    def simple(self, pad):
        n, r = self.name, self.rng.random()
        v = n(self.pick("x", "y", "z"))
        if r < 0.02:  # valid, and not followed
            return [f"{pad}{v} = 10 ** 60 % {self.rng.randrange(2, 7)}"]
        if r < 0.3:
            return [f"{pad}{v} = {self.integer()}"]
        if r < 0.4:
            return [f"{pad}{v} = ({v} + {self.integer(1)}) % 9"]
        if r < 0.48:
            return [f"{pad}{n(self.pick('L', 'M'))}.append({self.integer(1)})"]
        if r < 0.52:
            return [f"{pad}{n('L')}[{self.pick('0', '0', f'0 if {self.unknown()} else -1')}] = {self.integer(1)}"]
        if r < 0.55:
            return [f"{pad}if len({n('L')}) > 2:", f"{pad}    {n('L')}.{self.pick('pop()', 'pop(0)', 'reverse()')}"]
        if r < 0.58:
            return [f"{pad}{n('L')}.sort(key=lambda v: {self.pick('v', '-v')})"]
        if r < 0.61:
            return [f"{pad}{n('L')}.insert({self.integer(2)}, {self.integer(2)})"]
        if r < 0.68:
            return [f"{pad}{n('D')}[{self.key()}] = {self.integer(1)}"]
        if r < 0.71:
            return [f"{pad}{n('D')}.pop({self.key()}, 0)"]
        if r < 0.74:
            return [f"{pad}{n('D')}.update({self.pick('p', 'q')}={self.integer(1)})"]
        if r < 0.79:
            return [f"{pad}{n(self.pick('C', 'B'))}.n = {self.integer(1)}"]
        if r < 0.83:
            return [f"{pad}{n('C')}.bump({self.integer(1)})"]
        if r < 0.85:
            return [f"{pad}setattr({n('C')}, {self.pick(repr('n'), repr('flag'))}, {self.integer(1)})"]
        if r < 0.88:
            return [f"{pad}{v}, {n('z')} = {self.integer(1)}, {self.integer(1)}"]
        if r < 0.91:
            return [f"{pad}{v} = ({self.condition(1)} and {self.integer(1)}) or {self.integer(1)}"]
        if r < 0.94:
            return [f"{pad}{n('w')}({self.integer(1)})"]
        if r < 0.96:
            return [f"{pad}{n('L')} = [v + {self.rng.randrange(3)} for v in list({n('L')}) if {self.condition(1)}]",
                    f"{pad}{n('L')} += [1]"]
        if r < 0.98:
            return [f"{pad}del {v}", f"{pad}{v} = {self.integer(3) if False else self.rng.randrange(5)}"]
        return [f"{pad}({self.condition(1)}) and {n('w')}({self.rng.randrange(4)})"]

    def statement(self, indent, depth, in_loop):
        pad, n, r = "    " * indent, self.name, self.rng.random()
        inner = lambda loop=in_loop: self.block(indent + 1, depth + 1, loop)
        if depth <= 2 and self.rng.random() < 0.2:
            return self.rare(pad, indent, inner)
        if depth > 2 or r < 0.42:
            return self.simple(pad)
        if r < 0.66:
            out = [f"{pad}if {self.condition()}:"] + inner()
            if self.rng.random() < 0.25:
                out += [f"{pad}elif {self.condition()}:"] + inner()
            if self.rng.random() < 0.5:
                out += [f"{pad}else:"] + inner()
            return out
        if r < 0.74 and self.loops < 3:
            self.loops += 1
            v = self.unique("v")
            over = self.pick("range(3)", n("L") + "[:3]", f"range({n('COUNT')})", "range(2)")
            out = [f"{pad}for {v} in {over}:"] + inner(True)
            if self.rng.random() < 0.5:
                out += [f"{pad}    if {self.condition()}:", f"{pad}        {self.pick('break', 'continue')}"]
                out += inner(True)
            if self.rng.random() < 0.2:
                out += [f"{pad}else:"] + inner()
            return out
        if r < 0.79 and self.loops < 3:
            self.loops += 1
            i = self.unique("i")
            test = self.pick(f"{i} < 3", f"{i} < 3 and {self.unknown()}", f"{i} < 2 or ({i} < 4 and {self.unknown()})")
            out = [f"{pad}{i} = 0", f"{pad}while {test}:", f"{pad}    {i} += 1"] + inner(True)
            if self.rng.random() < 0.4:
                out += [f"{pad}    if {self.condition()}:", f"{pad}        {self.pick('break', 'continue')}"]
                out += inner(True)
            return out
        if r < 0.9:
            out = [f"{pad}try:"] + inner()
            out += self.pick([f"{pad}    if {self.condition()}:", f"{pad}        raise ValueError({self.integer(2)})"],
                             [f"{pad}    assert {self.condition()}"], [f"{pad}    {n('r')}({self.integer(2)})"],
                             [f"{pad}    if {self.condition()}:", f"{pad}        raise KeyError({self.integer(2)})"])
            out += inner()
            out += [f"{pad}except {self.pick('ValueError', 'Exception', '(ValueError, AssertionError)')}:"] + inner()
            if self.rng.random() < 0.4:
                out += [f"{pad}except Exception:"] + inner()
            if self.rng.random() < 0.25:
                out += [f"{pad}else:"] + inner()
            if self.rng.random() < 0.25:
                out += [f"{pad}finally:"] + self.simple("    " * (indent + 1))
            return out
        if r < 0.94:
            out = [f"{pad}match {self.pick(n('K'), self.integer(1), f'({n(chr(120))}, {n(chr(121))})')}:"]
            for pattern in self.rng.sample(['"p"', '"q"', "1", "2", "3 | 4", "(1, b_)", "(a_, 2)", "int()"], 3):
                guard = f" if {self.condition(1)}" if self.rng.random() < 0.3 else ""
                out += [f"{pad}    case {pattern}{guard}:"] + self.block(indent + 2, depth + 1, in_loop)
            out += [f"{pad}    case _:"] + self.block(indent + 2, depth + 1, in_loop)
            return out
        if r < 0.97:
            return [f"{pad}with contextlib.suppress(ValueError):"] + inner() + [
                f"{pad}    if {self.condition()}:", f"{pad}        raise ValueError(1)"] + inner()
        return [f"{pad}if {self.condition()}:", f"{pad}    {n('g')} = lambda v: v + {self.rng.randrange(4)}",
                f"{pad}else:", f"{pad}    {n('g')} = lambda v: v + {self.rng.randrange(4)}",
                f"{pad}{n('x')} = {n('g')}({self.integer(2)})"]

    # ---- the whole ---------------------------------------------------------------------------------------------

    def helper(self, pad, base, body_returns):
        """A function of one number that reads and changes what is around it."""
        n = self.name
        scope = "nonlocal" if self.in_function else "global"
        out = [f"{pad}def {n(base)}(a):", f"{pad}    {scope} {n('x')}, {n('y')}"]
        for _ in range(self.rng.randrange(1, 3)):
            choice = self.rng.random()
            condition = self.pick(self.unknown(), "a > 2", f"{n('y')} > 2", f"{self.unknown()} and a < 4")
            if choice < 0.5 and body_returns:
                out += [f"{pad}    if {condition}:", f"{pad}        return a + {self.rng.randrange(4)}"]
            elif choice < 0.7:
                out += [f"{pad}    if {condition}:", f"{pad}        {n(self.pick('x', 'y'))} = a + 1"]
            elif choice < 0.85:
                out += [f"{pad}    for i in range(3):", f"{pad}        if {condition}:",
                        f"{pad}            {'return i' if body_returns else 'break'}",
                        f"{pad}        if len({n('L')}) < 30:", f"{pad}            {n('L')}.append(i)"]
            else:
                out += [f"{pad}    if {condition}:", f"{pad}        {n('C')}.n = a"]
        if base == "r":
            out += [f"{pad}    if {self.pick(self.unknown(), 'a > 2')}:", f"{pad}        raise ValueError(a)"]
        if body_returns:
            out += [f"{pad}    return {self.pick('a', 'a + 2', n('x'))}"]
        return out

    def text(self):
        n, rng = self.name, self.rng
        pad = "    " if self.in_function else ""
        out = [f"class Config_{self.number}:",
               "    def __init__(self, n):",
               "        self.n = n",
               "        self.flag = 0",
               "        self.inner = [n]",
               "    shared = 1",
               "    def bump(self, by):",
               f"        if {self.pick('torch.cuda.is_available()', 'by > 2', 'self.n > 3')}:",
               "            self.n = (self.n + by) % 6",
               f"        {self.pick('self.flag = by', 'pass')}", ""]
        for manager, answer in (("Quiet", "True"), ("Loud", "None"), ("Perhaps", "torch.cuda.is_available()")):
            out += [f"class {manager}_{self.number}:",
                    "    def __init__(self, c):",
                    "        self.c = c",
                    "    def __enter__(self):",
                    "        return self.c",
                    "    def __exit__(self, kind, value, trace):",
                    f"        self.c.n = {self.pick('self.c.n + 1', '2', '0 if kind is None else 3')}",
                    f"        return {answer}", ""]
        if self.in_function:
            out += [f"def run_{self.number}():"]
        out += [f"{pad}{n('FLAG')} = torch.cuda.is_available()",
                f"{pad}{n('COUNT')} = torch.cuda.device_count()",
                f"{pad}{n('OPT')} = torch.version.hip",
                f"{pad}{n('K')} = " + self.pick("'p'", "'q'", "'p' if torch.cuda.is_available() else 'q'"),
                f"{pad}{n('x')}, {n('y')}, {n('z')} = {rng.randrange(5)}, {rng.randrange(5)}, {rng.randrange(5)}",
                f"{pad}{n('L')} = [{rng.randrange(4)}, {rng.randrange(4)}]",
                f"{pad}{n('M')} = {self.pick(n('L'), '[1]')}",
                f"{pad}{n('D')} = {{'p': {rng.randrange(4)}, 'q': {rng.randrange(4)}}}",
                f"{pad}{n('C')} = Config_{self.number}({rng.randrange(4)})",
                f"{pad}{n('B')} = {self.pick(n('C'), f'Config_{self.number}(1)')}"]
        out += [f"{pad}{n('P')} = {n('L')}", f"{pad}{n('Q')} = {n('C')}"]
        out += [f"{pad}def {n('e')}(a, seen={self.pick('[]', n('L'))}, *rest):"]
        out += self.pick([f"{pad}    with Loud_{self.number}({n('C')}):"], [f"{pad}    try:"])
        out += [f"{pad}        if {self.condition(1)}:", f"{pad}            return a", f"{pad}        seen.append(a)"]
        if out[-4].endswith("try:"):
            out += [f"{pad}    finally:", f"{pad}        {n('C')}.n = 5"]
        out += [f"{pad}    return len(seen)"]
        out += self.helper(pad, "h", True) + self.helper(pad, "w", False) + self.helper(pad, "r", False)
        out += self.definitions(pad)
        for _ in range(rng.randrange(2, 6)):
            self.loops = 0
            out += self.statement(1 if self.in_function else 0, 0, False)
        observed = [n("x"), n("y"), n("z"), f"len({n('L')})", f"{n('L')}[0]", f"{n('D')}['p']", f"{n('C')}.n",
                    f"{n('B')}.n", f"len({n('M')})", f"{n('h')}(1)", f"len({n('C')}.inner)", f"{n('M')}[0]",
                    f"{n('D')}.get('q', 7)", f"Config_{self.number}.shared", f"len({n('P')})"]
        rng.shuffle(observed)
        out += [f"{pad}def {n('observe')}(A):"]
        for i, value in enumerate(observed[:rng.randrange(1, 4)]):
            out += [f"{pad}    A[{i}] = {value}"]
        if rng.random() < 0.3:
            out += [f"{pad}    if {self.pick(self.condition(), n('x') + ' > 2')}:", f"{pad}        A[9] = 1"]
        out += [f"{pad}@T.prim_func", f"{pad}def {n('k')}(A: T.Buffer((64,), \"int32\")):",
                f"{pad}    T.device_entry()", f"{pad}    T.cta_id([1])",
                f"{pad}    T.thread_id([{self.pick('32', '32', f'abs({n(chr(120))}) + 1')}])",
                f"{pad}    {n('observe')}(A)"]
        if self.in_function:
            out += [f"    return {n('k')}", "", f"made_{self.number} = run_{self.number}()"]
        return "\n".join(out) + "\n\n"


# ---- Python's own runs ---------------------------------------------------------------------------------------------

class Spent(BaseException):
    """A program runs too long; none of its handlers catches that."""


def stand_ins(unknown):
    """The modules that the programs import, for a run in which the unknown is this."""
    class Tensor:
        def __init__(self):
            self.stores = []

        def __setitem__(self, index, value):
            self.stores.append((index, int(value)))

    class Dialect(types.ModuleType):
        threads = None

        def prim_func(self, f):
            return f

        def Buffer(self, *_):
            return None

        def device_entry(self):
            pass

        def cta_id(self, _):
            pass

        def thread_id(self, extents):
            self.threads = extents[0]

    dialect = Dialect("tvm.script.tirx")
    script = types.ModuleType("tvm.script")
    script.tirx = dialect
    tvm = types.ModuleType("tvm")
    tvm.script = script
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(is_available=lambda: unknown, device_count=lambda: 3 if unknown else 0)
    torch.version = types.SimpleNamespace(hip="6" if unknown else None)
    mystery = types.ModuleType("mystery")

    def touch(x):
        if not unknown:
            return
        if isinstance(x, list):
            for part in x:
                if not isinstance(part, int):
                    touch(part)
            x.append(8)
        elif isinstance(x, dict):
            for part in x.values():
                if not isinstance(part, int):
                    touch(part)
            x["p"] = 8
        else:
            x.n = 8
            x.inner.append(1)

    def risk(_):
        if unknown:
            raise RuntimeError("risk")

    def run(callback):
        if unknown:
            callback(2)

    mystery.touch, mystery.risk, mystery.run = touch, risk, run
    mystery.wrap = lambda f: f if unknown else lambda a: 3
    mystery.pick = lambda a, b: a if unknown else b
    mystery.keep = lambda a: a if unknown else types.SimpleNamespace(n=0, bump=lambda _: None)
    mystery.settings = {0: 1} if unknown else {}
    mystery.word = "3" if unknown else "x"
    return Tensor, dialect, {"mystery": mystery, "tvm": tvm, "tvm.script": script, "tvm.script.tirx": dialect,
                             "torch": torch}


def python_gives(program, text, unknown):
    """(stores, threads) of the program's kernel; None: Python makes none."""
    tensor, dialect, modules = stand_ins(unknown)
    saved = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    def spent(*_):
        raise Spent
    signal.signal(signal.SIGALRM, spent)
    signal.alarm(10)
    try:
        names = {"__name__": "program"}
        exec(compile(HEADER + text, "program", "exec"), names)
        kernel = names[f"made_{program.number}" if program.in_function else f"k_{program.number}"]
        a = tensor()
        kernel(a)
        return a.stores, dialect.threads
    except (Exception, Spent):
        return None
    finally:
        signal.alarm(0)
        for name, module in saved.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


# ---- Tilewright's ----------------------------------------------------------------------------------------------------

def tilewright_gives(binary, path):
    """Name of a kernel -> (stores, threads), of those without an error."""
    done = subprocess.run([binary, "compile", path, "--emit", "tirx", "--json"], capture_output=True, text=True,
                          timeout=300)
    out = {}
    answer = json.loads(done.stdout)
    for kernel in answer["kernels"]:
        if kernel["failed"] or not kernel["launch"]:
            continue
        stores = [(int(i), int(v.strip("()"))) for i, v in
                  re.findall(r"^\s*A\[(\d+)\] = (\(?-?\d+\)?)$", kernel["sources"]["tirx"], re.M)]
        count = len(re.findall(r"^\s*A\[", kernel["sources"]["tirx"], re.M))
        assert count == len(stores), kernel["sources"]["tirx"]
        out[kernel["name"]] = (stores, kernel["launch"]["block"][0])
    return out, answer["diagnostics"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument("--per-file", type=int, default=20)
    parser.add_argument("--keep")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="tilewright-unknown-")
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, "tilewright.toml"), "w").close()
    programs = []
    for number in range(options.count):
        program = Program(number, random.Random(options.seed * 1_000_003 + number))
        programs.append((program, program.text()))
    files = []
    for begin in range(0, len(programs), options.per_file):
        path = os.path.join(folder, f"programs_{begin}.py")
        with open(path, "w") as out:
            out.write(HEADER + "".join(text for _, text in programs[begin:begin + options.per_file]))
        files.append((path, programs[begin:begin + options.per_file]))
    wrong = known = refused = needless = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda f: tilewright_gives(options.binary, f[0]), files)
        for (path, group), (given, diagnostics) in zip(files, results):
            for program, text in group:
                runs = [python_gives(program, text, unknown) for unknown in (True, False)]
                got = given.get(f"k_{program.number}")
                if got is None:
                    refused += 1
                    needless += runs[0] == runs[1] and runs[0] is not None
                    continue
                known += 1
                for unknown, run in zip((True, False), runs):
                    if run is not None and run != got:
                        wrong += 1
                        print(f"{path}: k_{program.number} is {got}; with the unknown {unknown} it is {run}")
                        if options.show:
                            print(text)
                        break
    print(f"seed {options.seed}: {len(programs)} programs, {known} kernels given, {refused} not ({needless} that both runs agree "
          f"on), {wrong} wrong")
    # Who refuses everything is never wrong.
    return 1 if wrong or known < len(programs) // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
