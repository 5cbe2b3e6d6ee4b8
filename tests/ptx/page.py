#!/usr/bin/env python3
"""The forms in docs/language/ptx.md are those of the table.

    page.py PTX_ANSWER [--update]

The part of the page below its marker is written from the table; --update writes it, otherwise a difference fails.
"""
import os
import subprocess
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "language", "ptx.md")
MARKER = "<!-- Below: written by tests/ptx/page.py --update -->\n"


def choices(text):
    """"sem: a b; type: ..." with long lists cut."""
    out = []
    for slot in filter(None, text.split("; ")):
        name, _, words = slot.partition(": ")
        words = words.split()
        shown = ", ".join(f"`{w}`" for w in words) if len(words) < 9 else f"`{words[0]}`, `{words[1]}` … `{words[-1]}` ({len(words)})"
        out.append(f"{name}: {shown}")
    return "; ".join(out)


def links(ids):
    """Links to rows of intrinsics.md, each with the words that it is for: "P20 .wait,P19"; what follows a dot has no place there."""
    out = []
    for one in filter(None, ids.split(",")):
        name, _, when = one.partition(" ")
        when = ", ".join(f"without `{w[8:]}`" if w.startswith("without.") else f"`{w}`" for w in when.replace("without ", "without.").split())
        out.append(f"[{name}](intrinsics.md#{name.split('.')[0].lower()})" + (f" ({when})" if when else ""))
    return ", ".join(out)


def forms(program):
    lines = subprocess.run([program], input="L\n", capture_output=True, text=True, check=True).stdout.split("\n")
    rows = [line.split("\t") for line in lines if line]
    chapters = {}
    for row in rows:
        chapters.setdefault(row[2], {}).setdefault(row[1], []).append(row)
    out = []
    for number, chapter in enumerate(sorted(chapters), start=1):
        out.append(f'<a id="5.{number}"></a>\n\n### 5.{number} {chapter}\n')
        out.append("| family | form | what it does | choices | target | PTX | meaning as |\n|---|---|---|---|---|---|---|")
        for family in sorted(chapters[chapter]):
            for _, _, _, says, syntax, listed, arch, isa, same in chapters[chapter][family]:
                syntax = syntax.replace("|", "\\|")
                out.append(f"| `{family}` | `{syntax}` | {says} | {choices(listed)} | {arch} | {isa} | {links(same)} |")
        out.append("")
    return "\n".join(out)


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    head, found, have = page.partition(MARKER)
    assert found, "the page has lost its marker"
    want = "\n" + forms(sys.argv[1])
    if "--update" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(head + MARKER + want)
    elif have != want:
        print("docs/language/ptx.md does not show the table: run tests/ptx/page.py PTX_ANSWER --update")
        sys.exit(1)


if __name__ == "__main__":
    main()
