#!/usr/bin/env python3
"""Plain words: the turns of docs/style.md that comments, messages, help and documents do without.

words.py [ROOT] [--all]: documents are held as a whole (not their blocks of code), sources in their comments and texts.
What stands in NOT_YET is not held yet, only counted; a folder that has become clean has to leave the list, so the list
gets shorter. --all prints the places in these folders, too.
"""
import collections
import io
import os
import re
import subprocess
import sys
import tokenize

BANNED = re.compile(r"\b(nobody|whoever|whomever|somebody|anybody|everybody|anew|mend|mends|mended|mending|by now|how manieth|"
                    r"has got|have got|he|him|his|himself|is due|are due|heed|heeds|heeded|by and by|how bad|hence|whence|"
                    r"thereof|therein|hereby|lest|whilst)\b", re.I)
# Of messages: one thing stands after another in time and order; what a pointer leads to lies behind it.
BEHIND = re.compile(r'"(?:\\.|[^"\\\n])*?\b(behind) (?!`|its own |a pointer)')
# The words themselves.
LISTS = ("docs/style.md", "tests/house/words.py", "tests/house/words_test.py")
# Folders whose comments and messages are still to be rewritten.
NOT_YET = ()

C_LIKE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`', re.S)
LUA = re.compile(r'--\[\[.*?\]\]|--[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
SHELL = re.compile(r"(?<![\w$])#[^\n]*")
FENCED = re.compile(r"^\s*```.*?^\s*```", re.S | re.M)
INCLUDE = re.compile(r"^\s*#\s*include[^\n]*", re.M)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def python_words(text):
    """Comments and texts of Python; what cannot be read is held as a whole."""
    out = [list(blank(line)) for line in text.split("\n")]
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                (row, column), (last, end) = token.start, token.end
                for r in range(row, last + 1):
                    a, b = column if r == row else 0, end if r == last else len(lines[r - 1])
                    out[r - 1][a:b] = lines[r - 1][a:b]
    except (tokenize.TokenError, SyntaxError):
        return text
    return "\n".join("".join(line) for line in out)


def kept(pattern, text):
    """What `pattern` matches, at its places; all else is blank."""
    out, at = [], 0
    for m in pattern.finditer(text):
        out += [blank(text[at:m.start()]), m[0]]
        at = m.end()
    return "".join(out) + blank(text[at:])


def words_of(path, text):
    """The text with all blank that is neither a comment nor a text for people; None: not a file of ours to read."""
    name = os.path.basename(path)
    if name.endswith(".md"):
        text = FENCED.sub(lambda m: blank(m[0]), text)
        return re.sub(r"`[^`\n]+`|\]\([^)\n]*\)", lambda m: blank(m[0]), text)
    if name.endswith((".cpp", ".h")):
        return kept(C_LIKE, INCLUDE.sub(lambda m: blank(m[0]), text))
    if name.endswith((".ts", ".js", ".mjs", ".css")):
        return kept(C_LIKE, re.sub(r"^\s*import [^\n]*", lambda m: blank(m[0]), text, flags=re.M))
    if name.endswith(".lua"):
        return kept(LUA, text)
    if name.endswith(".py"):
        return python_words(text)
    if name.endswith((".sh", ".cmake")) or name in ("CMakeLists.txt", "bootstrap", "run"):
        return kept(SHELL, text)
    return None


def place(path):
    """The folder that a file is counted with: a room, a folder of tests, a document by itself."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("compiler", "server", "tests", "editors") and len(parts) > 2 else parts[0]


def tracked(root):
    try:
        said = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True).stdout
        return [p for p in said.splitlines() if os.path.isfile(os.path.join(root, p))]
    except (OSError, subprocess.CalledProcessError):
        return [os.path.relpath(os.path.join(where, name), root) for where, folders, names in os.walk(root) for name in names
                if not any(part in (".git", "build", "node_modules") for part in where.split(os.sep))]


def found(root):
    """(path, line, word) of each banned word."""
    for path in sorted(tracked(root)):
        if path in LISTS or path.startswith("grammar/src/"):
            continue
        try:
            with open(os.path.join(root, path), encoding="utf-8") as f:
                text = words_of(path, f.read()) if "." in os.path.basename(path) or os.path.basename(path) in ("bootstrap", "run") else None
        except UnicodeDecodeError:
            continue
        if text is None:
            continue
        for m in BANNED.finditer(text):
            yield path, text.count("\n", 0, m.start()) + 1, m[0]
        if path.startswith(("compiler/", "server/")) and path.endswith((".cpp", ".h")):
            texts = re.sub(r"//[^\n]*", lambda m: blank(m[0]), text)
            for m in BEHIND.finditer(texts):
                yield path, texts.count("\n", 0, m.start()) + 1, m[1]


def main():
    folders = [w for w in sys.argv[1:] if w != "--all"]
    root = folders[0] if folders else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    left, problems = collections.Counter(), 0
    for path, line, word in found(root):
        if place(path) in NOT_YET or path in NOT_YET:
            left[place(path) if place(path) in NOT_YET else path] += 1
            if "--all" in sys.argv:
                print(f"{path}:{line}: {word}")
        else:
            problems += 1
            print(f"{path}:{line}: '{word}': docs/style.md has the word for it")
    for folder in sorted(f for f in set(NOT_YET) - set(left) if os.path.isdir(os.path.join(root, f))):
        problems += 1
        print(f"{folder} is clean: take it out of NOT_YET in tests/house/words.py")
    print(f"{problems} problems; not held yet: {', '.join(f'{f} {n}' for f, n in sorted(left.items())) or 'nothing'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
