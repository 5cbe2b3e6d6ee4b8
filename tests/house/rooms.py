#!/usr/bin/env python3
"""The rules of the house, as far as text shows them (docs/house.md).

    rooms.py [ROOT]

Which room may include which is written once, in the room() lines of CMakeLists.txt; this reads them from there. It
prints one line a violation and exits 1 when there is one.
"""
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
WIDTH = 120

ROOM = re.compile(r"^\s*room\((\w+)(?:\s+USES\s+([\w\s]*?))?(?:\s+LIBS\s+[^)]*)?\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')

# What no file of the compiler does: it reads no environment, opens no socket, prints nothing. (The script's own
# os.getenv is a function of the interpreter that answers with its default.)
FORBIDDEN = [
    (re.compile(r"\bsecure_getenv\s*\(|(?<!Value )\bgetenv\s*\(|\bsetenv\s*\(|\bputenv\s*\("), "reads or changes the environment"),
    (re.compile(r"\bstd::(cout|cerr|clog|wcout)\b"), "prints to a standard stream"),
    (re.compile(r"(?<![\w:.>])(?:std::|::)?(?:printf|puts|putchar|vprintf)\s*\("), "prints to standard output"),
    (re.compile(r"(?<![\w])(?:std::|::)?(?:fprintf|fputs|fputc|fwrite|vfprintf)\s*\([^;]*\bstd(?:out|err)\b"),
     "prints to a standard stream"),
    (re.compile(r"\bfmt::print\s*\("), "prints to standard output"),
]
# The toolchain talks to its helper process over a socketpair, which has no name anywhere.
SOCKETPAIR = re.compile(r"^compiler/(toolchain|run)/")
SOCKETS = re.compile(r"^(sys/socket\.h|netinet/.*|arpa/inet\.h|netdb\.h|sys/un\.h|boost/asio.*|openssl/ssl\.h)$")


def rooms():
    """Room to the rooms that it may include: those of its line, and theirs."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as f:
        text = re.sub(r"#.*", "", f.read())
    direct = {m.group(1): set((m.group(2) or "").split()) for m in ROOM.finditer(text)}
    closed = {}

    def close(name):
        if name not in closed:
            closed[name] = {name}
            for used in direct.get(name, ()):
                closed[name] |= close(used)
        return closed[name]

    for name in direct:
        close(name)
    return closed


def sources(*folders):
    for folder in folders:
        for path, dirs, files in os.walk(os.path.join(ROOT, folder)):
            dirs[:] = sorted(d for d in dirs if not d.startswith(".") and d not in ("build", "node_modules"))
            for name in sorted(files):
                if name.endswith((".cpp", ".h")):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def without_comments(text):
    """The code alone: comments and the insides of literals are blanked, lines keep their numbers."""
    def blank(m):
        s = m.group(0)
        if s.startswith("/"):
            return re.sub(r"[^\n]", " ", s)
        if s.startswith("R"):
            return 'R""' + "\n" * s.count("\n")
        return s[0] * 2
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text, flags=re.S)


def raw_lines(text):
    """Lines that lie in a raw string: other people's text, as wide as it is."""
    out = set()
    for m in re.finditer(r'R"(\w*)\(.*?\)\1"', text, flags=re.S):
        first = text.count("\n", 0, m.start()) + 1
        out.update(range(first, first + m.group(0).count("\n") + 1))
    return out


def main():
    allowed, problems = rooms(), []
    if not allowed:
        problems.append("CMakeLists.txt: no room() line was understood")

    def report(path, line, what):
        problems.append(f"{path}:{line}: {what}")

    for path in sources("compiler", "protocol", "server", "tests"):
        with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
            text = f.read()
        lines, raw = text.split("\n"), raw_lines(text)
        parts = path.split(os.sep)
        room = parts[1] if parts[0] == "compiler" else None
        if room is not None and len(parts) > 2 and room not in allowed:
            report(path, 1, f"the room {room} has no line in CMakeLists.txt")
            continue
        for number, line in enumerate(lines, 1):
            if len(line) > WIDTH and number not in raw:
                report(path, number, f"{len(line)} columns, {WIDTH} are allowed")
            m = INCLUDE.match(line)
            if not m or room is None:
                continue
            name = m.group(2)
            if SOCKETS.match(name) and not (name == "sys/socket.h" and SOCKETPAIR.match(path)):
                report(path, number, f"the compiler opens no socket: {name}")
            if name.startswith("compiler/"):
                other = name.split("/")[1]
                if other not in allowed[room]:
                    may = ", ".join(sorted(allowed[room] - {room})) or "no other room"
                    report(path, number, f"{room} may not include {other}: {name} (it may include {may})")
                if "variants/" in path and re.search(r"/variants/\w+/", name):
                    # Variants do not know each other; the files of one variant share its name as a prefix.
                    mine, its = os.path.basename(path).split(".")[0], os.path.basename(name).split(".")[0]
                    prefix = os.path.commonprefix([mine + "_", its + "_"])
                    if os.path.dirname(name) != os.path.dirname(path).replace(os.sep, "/") or "_" not in prefix:
                        report(path, number, f"a variant includes another one: {name}")
            elif name.startswith(("server/", "protocol/", "tests/")):
                report(path, number, f"the compiler includes no {name.split('/')[0]}: {name}")
        if room is not None:
            for number, line in enumerate(without_comments(text).split("\n"), 1):
                if re.search(r"(?<![\w.>])::(connect|bind|listen|accept4?)\s*\(", line):
                    report(path, number, f"the compiler opens no socket: {lines[number - 1].strip()}")
                for pattern, what in FORBIDDEN:
                    if pattern.search(line):
                        report(path, number, f"compiler/ {what}: {lines[number - 1].strip()}")

    for p in problems:
        print(p)
    print(f"{len(allowed)} rooms, {len(problems)} violation{'' if len(problems) == 1 else 's'}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
