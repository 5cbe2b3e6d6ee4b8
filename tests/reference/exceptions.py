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


def explain(case):
    return next((r for r in RULES if r.test(case)), None)


# ---- what the tests below share ----

def many_dimensions(case):
    """threads(): more than one dimension of threadIdx."""
    return re.search(r"=\s*T\.thread_id\(\[\d+, *\d+", case.text) is not None


def threads(case):
    """Threads of the CTA; 0 when the script does not say."""
    m = re.search(r"T\.thread_id\(\[([\d, ]+)\]\)", case.text)
    out = 1
    for n in (m.group(1).split(",") if m else ["0"]):
        out *= int(n)
    return out


def registers(case):
    """The layout text of the register operand of the call; empty when there is none or it has no thread axis."""
    call = case.theirs()["call"] if case.index is not None else ""
    for name in re.findall(r"\b(R\d+)\b", call):
        m = re.search(rf"^\s*{name} = T\.alloc_buffer\(.*layout=(.*)\)$", case.text, re.M)
        if m and "@" in m.group(1):
            return m.group(1)
    return ""


def element_bits(case):
    m = re.search(r"^\s*R\d+ = T\.alloc_buffer\(.*?, \"([a-z]+)(\d+)", case.text, re.M)
    return int(m.group(2)) if m else 0


def refused_for_threads(case):
    """We say that not all threads of the scope come; the reference does not."""
    words = ("narrowed", "only some threads", "warpgroup boundary")
    return (any(w in t["reason"] for t in case.call["trials"] for w in words)
            and not any("narrowed" in t.get("reason", "") for t in case.theirs()["trials"]))


def served_by_fallback(case):
    return case.theirs() and case.theirs()["variant"] == "fallback"


def instruction_would_fail(case):
    """The reference moves a fragment by ldmatrix or stmatrix, and we decline to."""
    return case.theirs()["variant"] == "ldstmatrix" and case.ours_of("ldstmatrix", "declined")


def follows_a_difference(case, test):
    """The kernel as a whole differs because one of its calls does, in the way that `test` recognises."""
    calls = range(min(len(case.reference["calls"]), len(case.ours["calls"])))
    return case.index is None and any(test(Case(case.source, case.reference, case.ours, i)) for i in calls)


def rule_and_its_kernel(name, note, why):
    """A rule on a call that also explains that only one side compiles the kernel."""
    def add(test):
        def on_call(case):
            return case.index is not None and case.call is not None and bool(test(case))
        RULES.append(Rule(name, note, why, lambda case: on_call(case) or follows_a_difference(case, on_call)))
        return test
    return add


# ---- the rules ----

@rule_and_its_kernel(
    "rows of other threads", "X13",
    "the scalar loop runs in one thread, which cannot read or write registers of others; the reference "
    "chooses it and then fails when it lowers the access, or copies garbage")
def _(case):
    return bool(registers(case)) and served_by_fallback(case) and case.ours_of("fallback", "rejected")


@rule_and_its_kernel(
    "ldmatrix moves 16-bit elements", "X12",
    "the instruction pairs elements of 16 bits; the reference does not look at the type")
def _(case):
    return instruction_would_fail(case) and element_bits(case) != 16


@rule_and_its_kernel(
    "ldmatrix rows start at 16 bytes", "X12",
    "a row address that is not a multiple of 16 bytes faults; the reference does not test it")
def _(case):
    return instruction_would_fail(case) and "16 bytes" in case.reason("ldstmatrix")


@rule_and_its_kernel(
    "threads in several dimensions", "X16",
    "the reference measures a CTA by threadIdx.x alone, so that it calls a whole one narrowed, and a "
    "part of one whole; we count all threads")
def _(case):
    rows = case.theirs()["trials"] + case.call["trials"]
    return many_dimensions(case) and any("narrowed" in t.get("reason", "") for t in rows)


@rule_and_its_kernel(
    "a tail warp", "X15",
    "with a thread count that is no multiple of 32 the reference lets the extra threads copy outside of "
    "the partition")
def _(case):
    return (threads(case) % 32 != 0 and threads(case) > 32 and case.call["scope"] == "cta"
            and "whole number of warps" in case.reason("gmem_smem"))


@rule_and_its_kernel(
    "the else branch is the rest", "N5",
    "the reference takes the whole set of threads for an else branch")
def _(case):
    return any(g.startswith("else of ") for g in case.source.guards(case.call)) and refused_for_threads(case)


@rule_and_its_kernel(
    "some threads do not come", "N11",
    "a condition on threads that is no box leaves some of them out; the reference does not narrow and "
    "the copy stays incomplete")
def _(case):
    return bool(case.source.guards(case.call)) and any("only some threads" in t["reason"] for t in case.call["trials"])


@rule_and_its_kernel(
    "a range without a lower bound", "N7",
    "`tid < n` overflows in the reference and narrows nothing")
def _(case):
    return any(re.fullmatch(r"tid < \d+", g) for g in case.source.guards(case.call)) and refused_for_threads(case)


@rule_and_its_kernel(
    "regions of one element", "X14",
    "the reference builds an empty loop nest and fails")
def _(case):
    said = "".join(t.get("reason", "") for t in case.theirs()["trials"])
    return "Index out of range" in said and case.ours_of("fallback", "chosen")


@rule_and_its_kernel(
    "warpgroups that the CTA does not have", "N1",
    "128 rows on tid_in_wg need whole warpgroups; the reference notices only when it lowers")
def _(case):
    return ("cannot infer extent" in (case.reference.get("error") or "") and threads(case) % 128 != 0
            and re.search("tid_in_wg|wid_in_wg", registers(case)) and case.ours_of("reg", "declined"))
