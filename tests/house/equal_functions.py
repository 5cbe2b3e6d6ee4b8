#!/usr/bin/env python3
"""Counts pairs of functions that say the same, so that a journey which is written twice is seen.

    equal_functions.py [ROOT] [--tokens N] [--list] [--most N]

Two functions are equal when their bodies are the same token for token, after comments are dropped and names of their own
(parameters and locals) are numbered in the order in which they come up. Names that are called, types, members and
literals have to be the same. Bodies below N tokens (default 25) do not count: they say too little to be shared. Of a group
of n equal functions n - 1 pairs are counted. What is read: the C++ sources of compiler, protocol and server. With
--most, more pairs than that are listed, and the status is 1. equal_functions_test.py shows what counts.
"""
import argparse
import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import functions  # noqa: E402
import rooms  # noqa: E402

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[A-Za-z_]\w*|\d[\w.\']*|::|->|\S')
KEYWORDS = set("""alignas auto bool break case catch char class const constexpr const_cast continue decltype default delete do double
    dynamic_cast else enum explicit extern false float for friend goto if inline int long mutable namespace new noexcept nullptr
    operator private protected public register reinterpret_cast requires return short signed sizeof static static_assert
    static_cast struct switch template this throw true try typedef typename union unsigned using virtual void volatile
    while""".split())


COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)


def without_comments(text):
    """The text with its literals, each line at its place."""
    return COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)) if m.group(0).startswith("/") else m.group(0), text)


def body_of(text):
    """The tokens of a function's body, own names numbered."""
    tokens = TOKEN.findall(text)
    out, numbers = [], {}
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        after = tokens[at + 1] if at + 1 < len(tokens) else ""
        own = (re.match(r"[a-z_]", token) and token not in KEYWORDS and before not in (".", "->", "::") and
               after not in ("(", "::", "<") and not token.startswith("std"))
        out.append(f"#{numbers.setdefault(token, len(numbers))}" if own else token)
    return tuple(out)


def groups(root, least):
    """Equal functions: each a list of (path, line, name), and how many functions were read."""
    house = rooms.House(root)
    found, read = collections.defaultdict(list), 0
    for path in house.sources("compiler", "protocol", "server"):
        text = house.text(path)
        lines = without_comments(text).split("\n")
        of_file = functions.functions_of(text)[0]
        for name, first, last, _ in of_file:
            if name == "a lambda" and any(f[1] <= first and last <= f[2] and f[0] != name for f in of_file):
                continue  # counts with the function that it stands in
            whole = "\n".join(lines[first - 1:last])
            read += 1
            opened = whole.find("{")
            tokens = body_of(whole[opened:])
            if len(tokens) >= least:
                found[tokens].append((path, first, name))
    same = [sorted(set(places)) for places in found.values()]
    return sorted([places for places in same if len(places) > 1], key=lambda places: (-len(places), places)), read


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", nargs="?", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--tokens", type=int, default=25)
    parser.add_argument("--list", action="store_true", help="each group, a line a function")
    parser.add_argument("--most", type=int, help="how many pairs may be there")
    options = parser.parse_args()
    same, read = groups(os.path.abspath(options.root), options.tokens)
    pairs = sum(len(places) - 1 for places in same)
    too_many = options.most is not None and pairs > options.most
    if options.list or too_many:
        for places in same:
            print("\n".join(f"{path}:{line}: {name}" for path, line, name in places) + "\n")
    print(f"{pairs} pairs of equal functions in {len(same)} groups, {read} functions read" +
          (f"; {options.most} may be there: let one function serve where the logic is the same" if too_many else ""))
    return 1 if too_many or not read else 0


if __name__ == "__main__":
    sys.exit(main())
