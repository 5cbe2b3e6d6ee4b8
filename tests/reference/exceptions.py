"""Where Tilewright differs from the reference on purpose, and how that is recognised.

A rule names a Note of the specification (X: dispatch, N: scopes and layouts), says why, and has a test that looks at
the script and both answers: the difference passes only when the situation of the Note is really there.
"""
import re
from dataclasses import dataclass
from typing import Callable


class Source:
    """A script as lines; what surrounds a call is read from its indentation."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.lines = f.read().splitlines()

    def kernel_lines(self, kernel):
        first = kernel["range"]["start"]["line"]
        last = first
        while last < len(self.lines) and (not self.lines[last].strip() or self.lines[last].startswith(" ")):
            last += 1
        return first, last

    def diagnostics_of(self, kernel, diagnostics):
        first, last = self.kernel_lines(kernel)
        return [d for d in diagnostics if first <= d["range"]["start"]["line"] <= last]

    def text_of(self, kernel):
        first, last = self.kernel_lines(kernel)
        return "\n".join(self.lines[first - 1:last])

    def guards(self, call):
        """Conditions around a call, innermost first; an else branch is `else of <condition>`."""
        n = call["range"]["start"]["line"] - 1
        out, depth = [], len(self.lines[n]) - len(self.lines[n].lstrip())
        other = False
        for line in reversed(self.lines[:n]):
            here = len(line) - len(line.lstrip())
            if not line.strip() or here > depth or (here == depth and not other):
                continue
            text = line.strip()
            if text.startswith("if ") and (here < depth or other):
                out.append(("else of " if other else "") + text[3:].rstrip(":"))
                depth, other = here, False
            elif here < depth:
                other = text == "else:"
                depth = here
                if text.startswith("def "):
                    break
        return out


@dataclass
class Case:
    source: Source
    reference: dict  # the kernel as the reference answers
    ours: dict       # the kernel as we answer
    index: int | None  # of the call that differs; None: the kernel as a whole

    @property
    def call(self):
        return self.ours["calls"][self.index] if self.index is not None and self.index < len(self.ours["calls"]) else None

    @property
    def text(self):
        return self.source.text_of(self.ours)

    def ours_of(self, variant, outcome):
        return self.call and any(t["variant"] == variant and t["outcome"] == outcome for t in self.call["trials"])

    def reason(self, variant):
        return next((t["reason"] for t in self.call["trials"] if t["variant"] == variant), "") if self.call else ""

    def theirs(self):
        return self.reference["calls"][self.index] if self.index is not None else None


@dataclass
class Rule:
    name: str
    note: str
    why: str
    test: Callable[[Case], bool]


RULES = []


def rule(name, note, why):
    def add(test):
        RULES.append(Rule(name, note, why, test))
        return test
    return add


def explain(case):
    return next((r for r in RULES if r.test(case)), None)
