#!/usr/bin/env python3
"""hostile_input.py SERVER [PATTERN] [--list]: conformance of the language server: hostile input."""
import sys

from session import URI, main, started, test

N = 100_000
DEEP = {
    "parentheses": "x = " + "(" * N + "1" + ")" * N + "\n",
    "open brackets": "x = " + "[" * N + "\ny = 1\n",
    "a sum": "x = y" + " + y" * N + "\n",
    "attributes": "x = y" + ".z" * N + "\n",
    "calls": "x = y" + "(1)" * N + "\n",
    "subscripts": "x = y" + "[1]" * N + "\n",
    "signs": "x = " + "-" * N + "y\n",
    "a choice": "x = " + "1 if y else " * N + "2\n",
    "functions": "".join(" " * i + f"def f{i}():\n" for i in range(600)) + " " * 600 + "pass\n",
    "blocks": "".join(" " * i + "if x:\n" for i in range(1500)) + " " * 1500 + "pass\n",
    "elif": "if x:\n    pass\n" + "elif x:\n    pass\n" * 20_000,
    "lambdas": "x = " + "lambda y: " * N + "y\n",
    "an entry comment": "# tilewright: entry " + "f(" * N + ")" * N + "\n",
    "powers": "x = " + "y ** " * N + "y\n",
    "strings": "x = " + "f'{" * 200 + "y" + "}'" * 200 + "\n",
}


def deep_session(text):
    c = started()
    c.open(URI, text)
    document = {"textDocument": {"uri": URI}}
    lines = text.split("\n")
    longest = max(range(len(lines)), key=lambda i: len(lines[i]))
    places = [{"line": longest, "character": len(lines[longest]) // 2}, {"line": 0, "character": 4}]
    c.result("textDocument/documentSymbol", document)
    assert c.result("textDocument/semanticTokens/full", document)["data"] is not None
    c.result("textDocument/foldingRange", document)
    for r in c.result("textDocument/selectionRange", {**document, "positions": places}):
        outer = 0
        while r:
            r, outer = r.get("parent"), outer + 1
        assert 0 < outer <= 256, outer
    for at in places:
        for method in ("documentHighlight", "hover", "definition", "prepareCallHierarchy", "linkedEditingRange"):
            c.result("textDocument/" + method, {**document, "position": at})
        c.result("textDocument/references", {**document, "position": at, "context": {"includeDeclaration": True}})
    c.result("textDocument/documentLink", document)
    c.settled()
    return c


for name, text in DEEP.items():
    test(f"a hundred thousand deep, or as deep as the parser goes: {name}")(lambda text=text: deep_session(text))


if __name__ == "__main__":
    sys.exit(main())
