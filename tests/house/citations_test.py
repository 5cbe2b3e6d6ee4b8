#!/usr/bin/env python3
"""Breaks each rule of citations.py once in a small tree and holds the words against what it says; unbroken, the tree has nothing to say."""
import contextlib
import io
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import citations  # noqa: E402

TREE = {
    "README.md": "# Top\n\n- `copy`: a, b,\n  `fast`\n\n[layouts](docs/language/layout.md#5.4), [own](#top), [a](docs/language/rules.md), [b](docs/language/intrinsics.md), [c](docs/language/dispatch.md),\n"
                 "[d](docs/language/copy_async.md), [e](docs/language/compute.md), [f](docs/language/gemm.md)\n",
    "docs/language/layout.md": '# Layouts\n\n<a id="5"></a>\n\n## 5. Operations\n\n<a id="5.4"></a>\n\n### 5.4 canonicalize\n\n| <a id="n1"></a>N1 | a | b |\n'
                               '| <a id="n2"></a>N2 | a | b |\n\n```text\n[no link](nowhere.md)\n```\n',
    "docs/language/intrinsics.md": '# Intrinsics\n\n| ID | Script | cc |\n|---|---|---|\n| <a id="p1"></a>P1 | `x(a)` | 90 |\n',
    "docs/language/dispatch.md": "copy: slow (0), `fast` (10)\n", "docs/language/copy_async.md": "", "docs/language/compute.md": "", "docs/language/gemm.md": "",
    "compiler/dispatch/table.cpp": '  V("copy", "fast", 10, copy_fast, false)\n',
    "compiler/layout/a.cpp": "// As layout.md 5 and 5.4 say (N1, N1-N2), on an H100 with its L2.\nint n7 = N7;  // not a comment before the slashes\n",
    "compiler/intrinsics/rows/r.cpp": 'row<"">("P1", "ptx.x").cc(Sm90)\n',
    "tests/unit/a.cpp": "// layout.md 5.4\n",
}
# A file, what is added to it, and what is said of that.
BROKEN = [
    ("compiler/layout/a.cpp", "// layout.md 5.5", "compiler/layout/a.cpp:3: docs/language/layout.md has no section 5.5"),
    ("compiler/layout/a.cpp", "// layout.md 5.4, 6.1", "docs/language/layout.md has no section 6.1"),
    ("compiler/layout/a.cpp", "// scope.md 2", "docs/language/scope.md has no section 2"),
    ("compiler/layout/a.cpp", "int x;  // N3", "compiler/layout/a.cpp:3: docs/language has no rule N3"),
    ("compiler/layout/a.cpp", "// N1-N4", "docs/language has no rule N3"),
    ("compiler/layout/a.cpp", "// X1", "docs/language has no rule X1"),
    ("compiler/layout/a.cpp", "// design.md, idea 3", "there is no design.md"),
    ("compiler/intrinsics/rows/r.cpp", 'row<"">("P2.dispatch", "ptx.y")', "docs/language/intrinsics.md has no row P2"),
    ("compiler/intrinsics/rows/r.cpp", 'row<"">("P1", "ptx.other")', "the line of P1 in docs/language/intrinsics.md does not name ptx.other"),
    ("compiler/intrinsics/rows/r.cpp", 'row<"">("P1.y", "ptx.x").cc(Sm100)', "P1 is Sm100, docs/language/intrinsics.md says 90"),
    ("compiler/dispatch/table.cpp", '  V("copy", "slow", 0, copy_slow, false)', "README.md does not name slow beside copy"),
    ("compiler/dispatch/table.cpp", '  V("copy", "fast", 20, copy_fast, false)', "docs/language does not say fast (20)"),
    ("tests/unit/a.cpp", "// layout.md 9", "tests/unit/a.cpp:2: docs/language/layout.md has no section 9"),
    ("tests/unit/a.cpp", "// N8", "tests/unit/a.cpp:2: docs/language has no rule N8"),
    ("README.md", '<img src="docs/none.png">', "README.md: docs/none.png leads nowhere"),
    ("README.md", "[a](docs/none.md)", "README.md: docs/none.md leads nowhere"),
    ("README.md", "[a](docs/language/layout.md#5.5)", "README.md: docs/language/layout.md has no anchor 5.5"),
    ("docs/language/layout.md", "[a](#n9)", "docs/language/layout.md: docs/language/layout.md has no anchor n9"),
    ("docs/language/layout.md", '<a id="n2"></a>', "docs/language/layout.md: two anchors n2"),
    ("docs/a.png", "", "docs/a.png: no document shows this"),
    ("docs/house.md", "# House", "docs/house.md: no other document leads here"),
    ("docs/language/layout.md", '<a id="n3"></a>N3', "docs/language/rules.md is stale"),
]


def said(root, *words):
    out = io.StringIO()
    sys.argv = ["citations.py", root, *words]
    with contextlib.redirect_stdout(out):
        status = citations.main()
    return status, out.getvalue()


def main():
    failures = []
    with tempfile.TemporaryDirectory() as root:
        for path, text in TREE.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
        said(root, "--update")
        status, out = said(root)
        if status != 0:
            failures.append("the unbroken tree: " + out)
        for path, added, wanted in BROKEN:
            whole = os.path.join(root, path)
            kept = None
            if os.path.exists(whole):
                with open(whole, encoding="utf-8") as f:
                    kept = f.read()
            with open(whole, "a", encoding="utf-8") as f:
                f.write(added + "\n")
            status, out = said(root)
            if status != 1 or wanted not in out:
                failures.append(f"{path} with {added!r}: wanted {wanted!r}, it said {out!r}")
            if kept is None:
                os.remove(whole)
                continue
            with open(whole, "w", encoding="utf-8") as f:
                f.write(kept)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
