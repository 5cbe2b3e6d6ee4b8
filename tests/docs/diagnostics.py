#!/usr/bin/env python3
"""The index of diagnostics, docs/diagnostics.md, made of what `tilewright explain CODE` says of each code that the sources name.

diagnostics.py TILEWRIGHT [--update]: without --update it says where the page and the binary differ."""
import concurrent.futures
import os
import re
import subprocess
import sys

import lines as of_documents

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "diagnostics.md")
# The first two digits of a code, and what the codes below it speak of.
GROUPS = {
    "10": "The text of a script", "20": "Evaluation", "21": "What a kernel may say", "22": "Entries, imports, releases",
    "23": "Comments, architectures, what is not used", "30": "Execution scopes", "31": "Dispatch of tile primitives",
    "40": "Lowering", "41": "CUDA text", "50": "What the simulator finds", "60": "NVIDIA's compiler and runs",
    "70": "What a profile and the CUDA compiler advise",
}
HEAD = """# Index of diagnostics

Every finding has a code. `tilewright explain CODE` prints the paragraph that stands here, and an editor links each finding to it.
A severity can be changed with `[severity]` in `tilewright.toml`, a finding that is no error can be silenced on its line with
`# tilewright: ignore[CODE]`: see [the manual](manual/checking.md).

This page is written by `tests/docs/diagnostics.py`; a test holds it against the binary.
"""


def codes():
    found = set()
    for folder in ("compiler", "server"):
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                if name.endswith(("codes.h", "codes.cpp")):  # where the tables are
                    with open(os.path.join(where, name), encoding="utf-8") as f:
                        found.update(re.findall(r'"(TW\d{4})"', f.read()))
    return sorted(found)


def explained(binary, code):
    done = subprocess.run([binary, "explain", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"tilewright explain {code} failed: {done.stdout.strip()}")
    title, _, text = done.stdout.partition("\n\n")
    return title.partition(": ")[2], text.strip()


# Text of a terminal as Markdown: what could be a tag or emphasis is none; what stands between backticks stays as it is.
def plain(text):
    parts = text.split("`")
    return "`".join(part if i % 2 else re.sub(r"([<>*_\\])", r"\\\1", part) for i, part in enumerate(parts))


def page(binary):
    names = codes()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        texts = dict(zip(names, pool.map(lambda code: explained(binary, code), names)))
    out = [HEAD]
    groups = sorted({code[2:4] for code in names})
    for group in groups:
        out.append(f"\n## TW{group}xx: {GROUPS[group]}\n\n| code | |\n|---|---|")
        out += [f"| [{code}](#{code.lower()}) | {plain(texts[code][0])} |" for code in names if code[2:4] == group]
    for code in names:
        title, text = texts[code]
        out.append(f"\n### {code}\n\n**{plain(title)}.** " + plain(text))
    return of_documents.filled("\n".join(out) + "\n")


def main():
    made = page(sys.argv[1])
    if "--update" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(made)
        return 0
    with open(PAGE, encoding="utf-8") as f:
        kept = f.read()
    if kept == made:
        return 0
    lines = set(kept.splitlines())
    for line in made.splitlines():
        if line not in lines:
            print("docs/diagnostics.md lacks: " + line[:150])
    print(f"the page is stale: tests/docs/diagnostics.py {sys.argv[1]} --update writes it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
