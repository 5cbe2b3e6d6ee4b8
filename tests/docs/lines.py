#!/usr/bin/env python3
"""Lines of documents end at 120 columns.

lines.py [--update] [FILE.md...]: without files every document of the repository. --update fills the paragraphs and
list items that are too wide again, and leaves the others as they are. Output of commands (fenced blocks) and the tables
of WIDE, whose rows are rules, nodes of the grammar and measurements, are as wide as they are: Markdown has no way to
break them.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WIDTH = 120
WIDE = ("docs/language/", "docs/manual/from_elsewhere.md", "grammar/NODES.md", "tests/bench/RESULTS.md")
# A code span, the text of a link, white space, anything else.
PIECE = re.compile(r"(`+)(?:(?!\1).)+?\1|\[[^\]\[]{1,60}\](?=\()|\s+|.", re.S)
NOT_FIRST = re.compile(r"[-*+]$|\d+[.)]$|#+$|>|\||```")  # would become a list, a heading, a quotation
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s+")


def words(text):
    found, word = [], ""
    for piece in PIECE.finditer(text):
        if len(piece[0]) >= WIDTH:  # a span that fits into no line
            first, *between, last = piece[0].split()
            found += [word + first, *between]
            word = last
        elif piece[0].isspace():
            found += [word] if word else []
            word = ""
        else:
            word += re.sub(r"\s*\n\s*", " ", piece[0])
    found += [word] if word else []
    # What must not begin a line stays with the word before it.
    for i in range(len(found) - 1, 0, -1):
        if NOT_FIRST.match(found[i]):
            found[i - 1:i + 1] = [found[i - 1] + " " + found[i]]
    return found


def fill(text, first="", rest=""):
    """The lines of a paragraph: `first` begins the first one, `rest` the others."""
    lines, line, empty = [], first, True
    for word in words(text):
        if empty or len(line) + 1 + len(word) <= WIDTH:
            line, empty = line + ("" if empty else " ") + word, False
        else:
            lines.append(line)
            line = rest + word
    return lines + [line]


def blocks(text):
    """(kind, lines, number of the first): `text` is what may be filled, `code`, `table` and `other` what may not."""
    lines, at, inside = text.split("\n"), 0, False
    while at < len(lines):
        begin, line = at, lines[at]
        at += 1
        if FENCE.match(line):
            inside = not inside
        kind = ("code" if inside or FENCE.match(line) else "table" if line.startswith("|") else
                "text" if line.strip() and not re.match(r"\s*(#|<|>|\[[^\]]+\]:)", line) else "other")
        if kind == "text":
            while at < len(lines) and lines[at].strip() and not (FENCE.match(lines[at]) or ITEM.match(lines[at]) or
                                                                 re.match(r"\s*(#+ |\||</?[a-z!])", lines[at])):
                at += 1
        yield kind, lines[begin:at], begin + 1


def filled(text):
    out = []
    for kind, lines, _ in blocks(text):
        if kind == "text" and any(len(line) > WIDTH for line in lines) and not any(line.endswith(("  ", "\\")) for line in lines):
            first = (ITEM.match(lines[0]) or re.match(r"\s*", lines[0]))[0]
            lines = fill("\n".join([lines[0][len(first):], *lines[1:]]), first, " " * len(first))
        out += lines
    return "\n".join(out)


def too_wide(path, text):
    for kind, lines, number in blocks(text):
        if kind == "code" or kind == "table" and path.startswith(WIDE):
            continue
        yield from (number + i for i, line in enumerate(lines) if len(line) > WIDTH)


def documents():
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith(".") and f not in ("build", "node_modules") or folder != ROOT and f == "build"]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    return sorted(path for path in found if path != "CHANGELOG.md")


def main():
    paths, problems = [w for w in sys.argv[1:] if w != "--update"] or documents(), []
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            text = f.read()
        if "--update" in sys.argv and filled(text) != text:
            text = filled(text)
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as f:
                f.write(text)
        problems += [f"{path}:{number}: wider than {WIDTH} columns (lines.py --update fills paragraphs again)" for number in too_wide(path, text)]
    for problem in problems:
        print(problem)
    print(f"{len(paths)} documents, {len(problems)} lines too wide")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
