#!/usr/bin/env python3
"""No function is longer than a reader keeps in mind, unless it is a flat switch that has a name here.

    functions.py [ROOT]

A function is measured from the line of its head to the line of its closing brace; what it defines within (lambdas, local
classes) counts with it. One line a violation, exit status 1 when there is one; functions_test.py shows what counts.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import rooms  # noqa: E402

LIMIT = 80

# Flat switches that may be longer: one case beside the other, each of a line or a few. Taken apart they would be read in two
# places. With one shortened to the limit, or made more than a list of cases, its line goes away.
FLAT = {
    ("compiler/simulate/machine/execute.cpp", "interpret"): "one case an operation of the simulator's machine",
    ("compiler/syntax/walk.h", "for_children"): "one case a kind of node",
}
# What a case of a flat switch may take on average.
LINES_A_CASE = 4

# A block that no function begins: what stands before its brace. Where it may hold functions, it is looked into.
HOLDS = re.compile(r"^(?:typedef\s+|static\s+|inline\s+)*(?:namespace|class|struct|union|extern\s*\"\")(?![^{]*=)")
ENUM = re.compile(r"^(?:typedef\s+)?enum\b")
ACCESS = re.compile(r"^(?:(?:public|private|protected)\s*:|\[\[[^\]]*\]\])\s*")
LAMBDA = re.compile(r"\](?:\s*\((?:[^()]|\([^()]*\))*\))?\s*(?:mutable|constexpr|noexcept|static)?\s*(?:->\s*[\w:<>,\s&*]+)?$")
NAME = re.compile(r"(operator\s*(?:\(\s*\)|\[\s*\]|[^\s\w(]+|[\w:<>&* ]+?)|~?\w+)\s*$")


def code_of(text):
    """Code alone: no comments, no insides of literals, no directives, of alternatives (#else) the first one."""
    text = rooms.without_comments(text)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: m.group(0).split()[0].replace("#", "\0") +
                  "\n" * m.group(0).count("\n"), text, flags=re.M)
    lines, skipped = [], []
    for line in text.split("\n"):
        word = line[1:].split(" ")[0] if line.startswith("\0") else ""
        if word.startswith("if"):
            skipped.append(False)
        elif word in ("else", "elif") and skipped:
            skipped[-1] = True
        elif word == "endif" and skipped:
            skipped.pop()
        lines.append("" if line.startswith("\0") or any(skipped) else line)
    return "\n".join(lines)


def without_template(head):
    """The head without the `template <...>` before it."""
    while m := re.match(r"template\s*<", head):
        depth, parens, at = 1, 0, m.end()
        while at < len(head) and depth:
            parens += {"(": 1, ")": -1}.get(head[at], 0)
            depth += {"<": 1, ">": -1}.get(head[at], 0) if not parens else 0
            at += 1
        head = re.sub(r"^\s*requires\s+(?:\([^()]*\)|[\w:]+(?:<[^<>]*>)?)\s*", "", head[at:]).lstrip()
    return head


def function_name(head):
    """What a function's head (the text before its brace) names; None: it is no function's."""
    depth = angles = 0
    for at, c in enumerate(head):
        if c == "<" and re.search(r"\w$", head[:at]) and not head[:at].endswith("operator"):
            angles += 1
        elif c == ">" and angles and head[at - 1] != "-":
            angles -= 1
        elif angles:
            continue
        if c == "(" and depth == 0 and not re.search(r"\b(?:alignas|decltype|__attribute__|noexcept|explicit|requires)\s*$", head[:at]):
            if re.search(r"\boperator\s*$", head[:at]):  # operator(): its own parentheses
                depth += 1
                continue
            m = NAME.search(head[:at])
            return m.group(1) if m else None
        if c == "=" and depth == 0 and not re.search(r"\boperator\W*$", head[:at]):
            return None
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(c, 0)
    return None


def start_of_lambda(code, brace):
    """Where the `[` of the lambda stands whose body begins at `brace`."""
    at = code.rindex("]", 0, brace)
    depth = 0
    while at > 0:
        depth += {"]": 1, "[": -1}.get(code[at], 0)
        if not depth:
            break
        at -= 1
    return at


def functions_of(text):
    """(name, first line, last line, cases) of each function that a source defines, and whether its braces balance."""
    code = code_of(text)
    line_at = [0]
    for c in code:
        line_at.append(line_at[-1] + (c == "\n"))
    found, stack, start, at, parens = [], [], 0, 0, 0

    while at < len(code):
        c = code[at]
        if c == "{":
            inside = "function" if any(b[0] == "function" for b in stack) else stack[-1][0] if stack else "holds"
            head = code[start:at].strip()
            while m := ACCESS.match(head):
                head = head[m.end():]
            head = without_template(head)
            kind, name = "other", ""
            if inside == "holds" and parens == 0 and not ENUM.match(head):
                called = function_name(head)
                if HOLDS.match(head) and not called:
                    kind = "holds"
                elif called and re.search(r"\)[^)]*[^:]:[^:].*[\w>]$", head, re.S):
                    kind = "member"  # of a constructor's list: x_{1}
                elif called:
                    kind, name = "function", called
            first = start + len(code[start:at].rstrip()) - len(head)
            if kind == "other" and inside != "function" and LAMBDA.search(head):
                kind, name, first = "function", "a lambda", start_of_lambda(code, at)
            stack.append((kind, name, start, first, at, parens))
            if kind != "member":
                start = at + 1
            parens = 0
        elif c == "}":
            if not stack:
                return found, False
            kind, name, begin, first, opened, parens = stack.pop()
            if kind == "function":
                found.append((name, line_at[first] + 1, line_at[at] + 1,
                              len(re.findall(r"\b(?:case\b[^;{]*?|default\s*):(?!:)", code[opened:at]))))
            # A list of values belongs to the head that it stands in; what follows a block begins again.
            values = kind == "other" and re.search(r"[=\w>)\],(]$", code[begin:opened].strip())
            start = begin if parens or values or kind == "member" else at + 1
        elif c in "()":
            parens += 1 if c == "(" else -1
        elif c == ";" and parens <= 0:
            start, parens = at + 1, 0
        at += 1
    return found, not stack


def check(root):
    """The violations, a line each, and how many functions were measured."""
    house = rooms.House(root)
    problems, measured, needed = [], 0, set()
    for path in house.sources("compiler", "protocol", "server"):
        functions, balanced = functions_of(house.text(path))
        if not balanced:
            problems.append(f"{path}:1: its braces were not understood, so nothing of it was measured")
        measured += len(functions)
        for name, first, last, cases in functions:
            length = last - first + 1
            if length <= LIMIT:
                continue
            if (path, name) not in FLAT:
                problems.append(f"{path}:{first}: {name} has {length} lines, {LIMIT} are allowed")
            elif length > LINES_A_CASE * cases:
                problems.append(f"{path}:{first}: {name} is no flat switch: {length} lines for {cases} cases")
            needed.add((path, name))
    for path, name in sorted(set(FLAT) - needed):
        problems.append(f"{path}:1: {name} needs no exception any more (FLAT in tests/house/functions.py)")
    return problems, measured


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    problems, measured = check(root)
    if not measured:
        problems.append("no function was found")
    for p in problems:
        print(p)
    print(f"{measured} functions, {len(problems)} violation{'' if len(problems) == 1 else 's'}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
