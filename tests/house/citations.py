#!/usr/bin/env python3
"""Holds what the code cites against docs/language, and docs/language/rules.md against both.

citations.py [ROOT] [--update]: comments of compiler/, server/, protocol/ and tests/ cite sections ("layout.md 5.4", "copy_async.md 7, 8.4") and rules ("X5", "V1-V11").
Each has to lead to a heading or an anchor of docs/language; each link within docs/ and README.md to a file and to an anchor of it. Intrinsics and variants are
documented by the names, architectures and priorities that their tables have. --update writes the index of rules."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs"))
import lines as of_documents  # noqa: E402

PAGES = ("layout", "scope", "surface", "script", "dialects", "dispatch", "copy_async", "compute", "gemm", "intrinsics")
# A family of rules: where it is defined, and what it is about.
FAMILIES = [
    ("N", "layout", "layouts, where the reference is silent or differs"),
    ("N", "scope", "execution scopes, where the reference is silent or differs"),
    ("X", "dispatch", "dispatch and `copy`"),
    ("Y", "copy_async", "`copy_async`"),
    ("V", "copy_async", "what a legal plan of a tensor copy keeps"),
    ("Q", "compute", "arithmetic, reductions, `permute_layout`"),
    ("G", "gemm", "matrix products"),
    ("H", "gemm", "what tensor cores do"),
    ("P", "intrinsics", "`T.ptx`"),
    ("C", "intrinsics", "`T.cuda`"),
    ("E", "intrinsics", "intrinsics that the reference lacks"),
    ("N", "intrinsics", "`T.nvshmem`"),
    ("L", "intrinsics", "builtins that lowering makes"),
]
# Words of comments that look like a rule: devices, and what numbers of types and caches are called.
NO_RULES = re.compile(r"^(H100|H200|L1|L2)$")
SECTION = r"\d+(?:\.\d+)*"
CITED = re.compile(r"\b(" + "|".join(PAGES) + r")\.md\b((?:[ ,]*(?:section |and |to |or |-|–)?" + SECTION + r"(?![\w.]\w|\w))*)")
RULE = re.compile(r"\b([NXYVQGH])(\d{1,3})(?:-([NXYVQGH])?(\d{1,3}))?\b")
ROW = re.compile(r'\("([PCELN]\d+)(?:\.\w+)?",')
SUFFIXES = (".cpp", ".h", ".py", ".md", ".txt", ".patch")
# Where a comment begins in each kind of file; of Python the whole text counts, for its strings explain tests.
COMMENT = {".cpp": re.compile(r"//(.*)"), ".h": re.compile(r"//(.*)"), ".py": re.compile(r"#(.*)")}


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def files(root, folders, suffixes):
    for folder in folders:
        for where, below, names in os.walk(os.path.join(root, folder)):
            below[:] = sorted(d for d in below if d not in ("node_modules", "__pycache__"))
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(where, name), root)


def anchor_of(heading):
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", heading.strip()))


class Documents:
    """Headings and anchors of the pages below docs/."""

    def __init__(self, root):
        self.root = root
        self.anchors = {}
        self.problems = []
        for path in [*files(root, ["docs"], (".md",)), "README.md"]:
            text = re.sub(r"^```.*?^```$", "", text_of(os.path.join(root, path)), flags=re.M | re.S)
            found = re.findall(r'<a id="([^"]+)">', text)
            for twice in {a for a in found if found.count(a) > 1}:
                self.problems.append(f"{path}: two anchors {twice}")
            self.anchors[path] = set(found) | {anchor_of(h) for h in re.findall(r"^#+ (.*)$", text, re.M)}

    def page(self, name):
        return self.anchors.get(f"docs/language/{name}.md", set())

    def defines(self, letter, number):
        return any(f == letter and f"{letter.lower()}{number}" in self.page(page) for f, page, _ in FAMILIES)

    def links(self):
        reached = set()
        for path in self.anchors:
            text = re.sub(r"^```.*?^```$", "", text_of(os.path.join(self.root, path)), flags=re.M | re.S)
            pictures = re.findall(r'\bsrc(?:set)?="([^"]+)"', text)
            for target in re.findall(r"(?<!\\)\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)) + pictures:
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                where = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
                if where != path:
                    reached.add(os.path.join(where, "README.md") if os.path.isdir(os.path.join(self.root, where)) else where)
                if not os.path.exists(os.path.join(self.root, where)):
                    self.problems.append(f"{path}: {target} leads nowhere")
                elif anchor and where in self.anchors and anchor not in self.anchors[where]:
                    self.problems.append(f"{path}: {where} has no anchor {anchor}")
        self.problems += [f"{path}: no other document leads here" for path in self.anchors if path not in reached and path != "README.md"]
        pictures = (os.path.join(where, name) for where, _, names in os.walk(os.path.join(self.root, "docs")) for name in names
                    if name.endswith((".png", ".svg")))
        self.problems += [f"{path}: no document shows this" for path in sorted(os.path.relpath(p, self.root) for p in pictures) if path not in reached]


def comments(path, text):
    pattern = COMMENT.get(os.path.splitext(path)[1])
    for number, line in enumerate(text.splitlines(), 1):
        m = pattern.search(line) if pattern else None
        yield number, line, (m.group(1) if m else "")


def check_code(root, documents):
    problems = documents.problems
    for path in files(root, ["compiler", "server", "protocol", "tests"], (".cpp", ".h", ".py")):
        if path.startswith("tests/house/") or "/seeds/" in path:
            continue
        text = text_of(os.path.join(root, path))
        for number, line, comment in comments(path, text):
            for name, sections in CITED.findall(line):
                for section in re.findall(SECTION, sections):
                    if section not in documents.page(name):
                        problems.append(f"{path}:{number}: docs/language/{name}.md has no section {section}")
            if "design.md" in line:
                problems.append(f"{path}:{number}: there is no design.md: docs/house.md says how the house is laid out")
            for letter, first, other, last in RULE.findall(comment):
                for n in range(int(first), int(last or first) + 1):
                    if not NO_RULES.match(f"{letter}{n}") and not documents.defines(letter, n):
                        problems.append(f"{path}:{number}: docs/language has no rule {letter}{n}")
        if path.startswith("compiler/intrinsics/rows/"):
            for row in ROW.findall(text):
                if row.lower() not in documents.page("intrinsics"):
                    problems.append(f"{path}: docs/language/intrinsics.md has no row {row}")


# A row's architectures as its table has them: what the column begins with.
TARGETS = {"Sm80": "80", "Sm90": "90", "Sm90aPlus": "90a+", "Sm100": "100", "Sm100Suffixed": "100a", "Sm100aClass": "100a", "Sm100a103a": "100a/103a",
           "Never": "—"}


def cells_of(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def check_rows(root, problems):
    """Names and architectures of intrinsics are those of the table in docs/language/intrinsics.md."""
    described, titles = {}, []
    page = os.path.join(root, "docs/language/intrinsics.md")
    for line in text_of(page).splitlines():
        if line.startswith("| ID"):
            titles = cells_of(line)
        for row in re.findall(r'<a id="([pcenl]\d+)">', line):
            described[row.upper()] = (line, dict(zip(titles, cells_of(line))))
    for path in files(root, ["compiler/intrinsics/rows"], (".cpp",)):
        text = text_of(os.path.join(root, path))
        for here in re.finditer(r'\("([PCELN]\d+)(?:\.\w+)?",\s*"([\w.]+)"', text):
            row, name = here.group(1), here.group(2)
            if row not in described:
                continue  # said by check_code
            line, columns = described[row]
            if name.split(".")[-1] not in line:
                problems.append(f"{path}: the line of {row} in docs/language/intrinsics.md does not name {name}")
            target = re.search(r"\.cc\((\w+)\)", text[here.end():].partition("row<")[0])
            if target and "cc" in columns and not columns["cc"].startswith(TARGETS.get(target.group(1), "")):
                problems.append(f"{path}: {row} is {target.group(1)}, docs/language/intrinsics.md says {columns['cc']}")


def check_variants(root, problems):
    """Each variant stands with its priority in docs/language, and beside its primitive in the README."""
    table = os.path.join(root, "compiler/dispatch/table.cpp")
    if not os.path.exists(table):
        return
    pages = "".join(text_of(os.path.join(root, f"docs/language/{page}.md")) for page in ("dispatch", "copy_async", "compute", "gemm"))
    items = re.split(r"\n(?=- )", text_of(os.path.join(root, "README.md")))
    for primitive, variant, priority in re.findall(r'^  V\("(\w+)", "([^"]+)", (\d+),', text_of(table), re.M):
        if not re.search(re.escape(variant) + rf"`? \({priority}\)", pages):
            problems.append(f"compiler/dispatch/table.cpp: docs/language does not say {variant} ({priority})")
        if not any(re.match(rf"- `[^`]*\b{primitive}\b[^`]*`:", item) and f"`{variant}`" in item for item in items):
            problems.append(f"compiler/dispatch/table.cpp: README.md does not name {variant} beside {primitive}")


def index(documents):
    out = ["# Index of rules", "", "Comments in the code cite rules by number; this page leads to each. Numbers of a family are used by one page only,",
           "but for N: in `compiler/layout` it is a rule of layouts, in `compiler/scope` and for threads in `compiler/dispatch` one",
           "of scopes, in `compiler/intrinsics` a row of NVSHMEM.", "",
           "Written by `tests/house/citations.py`, which also holds what the code cites against these pages.", ""]
    for letter, page, what in FAMILIES:
        numbers = sorted(int(a[1:]) for a in documents.page(page) if re.fullmatch(letter.lower() + r"\d+", a))
        if not numbers:
            continue
        out += [f"## {letter}: {what}", "", f"In [{page}.md]({page}.md):", ""]
        row = [f"[{letter}{n}]({page}.md#{letter.lower()}{n})" for n in numbers]
        out += [*of_documents.fill(" · ".join(row)), ""]
    out += ["## Sections", "", "| page | sections |", "|---|---|"]
    for page in PAGES:
        sections = sorted((a for a in documents.page(page) if re.fullmatch(SECTION, a)), key=lambda a: [int(x) for x in a.split(".")])
        if sections:
            out.append(f"| [{page}.md]({page}.md) | " + " ".join(f"[{s}]({page}.md#{s})" for s in sections) + " |")
    return "\n".join(out) + "\n"


def main():
    words = [w for w in sys.argv[1:] if w != "--update"]
    root = words[0] if words else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    documents = Documents(root)
    page, made = os.path.join(root, "docs/language/rules.md"), index(documents)
    if "--update" in sys.argv:
        with open(page, "w", encoding="utf-8") as f:
            f.write(made)
        documents = Documents(root)
    elif text_of(page) != made:
        documents.problems.append("docs/language/rules.md is stale: tests/house/citations.py --update")
    check_code(root, documents)
    check_rows(root, documents.problems)
    check_variants(root, documents.problems)
    documents.links()
    for problem in documents.problems:
        print(problem)
    print(f"{len(documents.anchors)} documents, {len(documents.problems)} problems")
    return 1 if documents.problems else 0


if __name__ == "__main__":
    sys.exit(main())
