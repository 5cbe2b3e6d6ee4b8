#!/usr/bin/env python3
"""docs/files.md: every file of the program with the first sentences of what it says of itself, room by room.

files.py [--update]: without --update it says whether the page is what the files say. A header and its source stand in
one line, with the header's sentences.
"""
import os
import re
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "files.md")
FOLDERS = ["compiler", "server", "protocol", "python", "editors", "grammar", "cmake", "packaging"]
COMMENT = {".h": "//", ".cpp": "//", ".js": "//", ".ts": "//", ".lua": "--", ".cmake": "#", ".sh": "#"}
MOST = 240
HEAD = """# Every file in one line

What each file says of itself in its first sentences, room by room: search here for a word of your subject. What the
rooms are for, and which may use which, is in [house.md](house.md); [where.md](where.md) has questions to practise on.
`tests/docs/files.py --update` makes this page from the files.
"""


def tracked():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", *FOLDERS], capture_output=True, text=True, check=True)
    files = [f for f in listed.stdout.splitlines() if os.path.splitext(f)[1] in {*COMMENT, ".py"}]
    return sorted(f for f in files if not f.startswith("grammar/src/"))


def first_words(path):
    """The first sentences, up to MOST letters, of the first paragraph of the comment that a file begins with, or of a Python file's docstring."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    kind = os.path.splitext(path)[1]
    if kind == ".py":
        found = re.match(r'(?:#!.*\n)?"""(.*?)(?:"""|\n\n)', text, re.S) or re.match(r"(?:#!.*\n)?((?:# .*\n)+)", text)
        said = found[1] if found else ""
    else:
        mark = re.escape(COMMENT[kind])
        found = re.match(rf"(?:#!.*\n)?\s*((?:{mark} .*\n)+)", text)
        said = found[1] if found else ""
    said = " ".join(re.sub(r"^ *(//|--|#) ", "", line) for line in said.splitlines())
    first, *others = re.split(r"(?<=[.!?])\s+(?=[A-Z`])", " ".join(said.split()))
    for sentence in others:
        if len(first) + 1 + len(sentence) > MOST:
            break
        first += " " + sentence
    return first


def entries(files):
    """(room, names, words) of each file: a room is two folders deep, a header together with its source."""
    there = set(files)
    for path in files:
        stem, kind = os.path.splitext(path)
        if kind == ".cpp" and stem + ".h" in there:
            continue
        said = first_words(path)
        names = path
        if kind == ".h" and stem + ".cpp" in there:
            names = stem + ".{h,cpp}"
            said = said or first_words(stem + ".cpp")
        yield "/".join(path.split("/")[:-1][:2]), names, said


def page(files):
    lines, folder, silent = [HEAD], None, []
    for room, names, said in sorted(entries(files)):
        if room != folder:
            lines.append(f"\n## {room}\n\n")
            folder = room
        if not said:
            silent.append(names)
        text = f"`{names[len(room) + 1:]}`: {said}"
        lines.append(textwrap.fill(text, 120, initial_indent="- ", subsequent_indent="  ", break_long_words=False,
                                   break_on_hyphens=False) + "\n")
    return "".join(lines), silent


def main():
    made, silent = page(tracked())
    for names in silent:
        print(f"{names}: no comment says what the file is for")
    if "--update" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
        return int(bool(silent))
    with open(PAGE, encoding="utf-8") as file:
        if file.read() != made:
            print("docs/files.md is stale: tests/docs/files.py --update")
            return 1
    return int(bool(silent))


if __name__ == "__main__":
    sys.exit(main())
