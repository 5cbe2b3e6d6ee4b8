#!/usr/bin/env python3
"""The rules of the house, as far as text shows them (docs/house.md).

    rooms.py [ROOT]

Which room may include which is written once: in the room() lines of CMakeLists.txt for compiler/, in the server_room()
lines of server/CMakeLists.txt for server/. This reads them from there. It prints one line a violation and exits 1 when
there is one. Nothing is excepted from a rule by its name; rooms_test.py shows each rule broken.
"""
import os
import re
import sys

WIDTH = 120

ROOM = re.compile(r"^\s*(server_)?room\((\w+)(?:\s+USES\s+([\w\s]*?))?(?:\s+LIBS\s+[^)]*)?\)", re.M)
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
ASIO = re.compile(r"^boost/asio\b")

# The library casts numbers to integers, ours looks first whether they are some.
CARELESS, CAREFUL = "nlohmann/json.hpp", "compiler/text/json.h"

CONSOLE = "server/project/console.cpp"

# Who speaks to the outside. Each says the same answers in its own protocol, so none needs another.
SPEAKERS = ("cli", "lsp", "bsp", "worker", "mcp")
# Answers are plain values: a speaker makes JSON of them, or something else.
JSON = re.compile(r"nlohmann|json", re.I)


class House:
    """The tree below `root`: its rooms, and what they may include."""

    def __init__(self, root):
        self.root = root
        self.problems = []
        self.texts = {}
        self.allowed = {}  # room to the rooms that it may include: those of its line, and theirs
        direct = self.direct = {"protocol": {"text"}}  # a room beside compiler/, without a line of its own
        self.folder = {"protocol": "protocol"}
        for name in ("CMakeLists.txt", "server/CMakeLists.txt"):
            for m in ROOM.finditer(re.sub(r"#.*", "", self.text(name))):
                direct[m.group(2)] = set((m.group(3) or "").split())
                self.folder[m.group(2)] = ("server/" if m.group(1) else "compiler/") + m.group(2)

        def close(name):
            if name not in self.allowed:
                self.allowed[name] = {name}
                for used in direct.get(name, ()):
                    self.allowed[name] |= close(used)
            return self.allowed[name]

        for name in direct:
            close(name)

    def text(self, path):
        if path not in self.texts:
            try:
                with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as f:
                    self.texts[path] = f.read()
            except OSError:
                self.texts[path] = ""
        return self.texts[path]

    def report(self, path, line, what):
        self.problems.append(f"{path}:{line}: {what}")

    def sources(self, *folders):
        for folder in folders:
            for path, dirs, files in os.walk(os.path.join(self.root, folder)):
                dirs[:] = sorted(d for d in dirs if not d.startswith(".") and d != "node_modules")
                for name in sorted(files):
                    if name.endswith((".cpp", ".h")):
                        yield os.path.relpath(os.path.join(path, name), self.root).replace(os.sep, "/")

    def room_of(self, path):
        """The room that a file lies in; None: it is in no room's folder. A name without a line is given all the same."""
        parts = path.split("/")
        if parts[0] == "protocol":
            return "protocol"
        return parts[1] if parts[0] in ("compiler", "server") and len(parts) > 2 else None

    def includes(self, path):
        for number, line in enumerate(self.text(path).split("\n"), 1):
            if m := INCLUDE.match(line):
                yield number, m.group(2)


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


def check_width(house, path):
    text = house.text(path)
    raw = raw_lines(text)
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDTH and number not in raw:
            house.report(path, number, f"{len(line)} columns, {WIDTH} are allowed")


# What may stand before a statement that has no braces of its own.
CONTROL = re.compile(r"\s*(?:case\s+[^;{}?]*?[^:]:(?!:)|default\s*:|else\b|(?:if|while|for|switch)\s*(?:constexpr\s*)?(?=\())")
# How a statement begins that is no declaration: a call, an assignment, an increment; its parentheses are empty here.
ACTION = re.compile(r"(?:return\b.*|(?:\+\+|--|\*|::)?\w+(?:(?:::|\.|->)\w+|\[[^\]]*\]|\(\))*\s*(?:[-+*/|&^%]?=[^=].*|\+\+|--)?)$", re.S)


def comma_statements(code):
    """The lines of statements that commas join: `a = 1, b = 2;`. `code` is without comments and insides of literals."""
    open_, start = [], 0
    for at, c in enumerate(code):
        if c in "([{":
            open_.append((c, start))
            start = at + 1 if c == "{" else start
        elif c in ")]}" and open_:
            before = open_.pop()[1]
            if c == "}":  # a list of values goes on, a block has ended
                start = before if code[at + 1:at + 40].lstrip()[:1] in (",", ")", ".", ";") else at + 1
        elif c == ";" and not (open_ and open_[-1][0] != "{"):
            text, start = code[start:at], at + 1
            while m := CONTROL.match(text):
                text = text[m.end():]
                if text.startswith("("):
                    depth = 0
                    for end, c in enumerate(text):
                        depth += {"(": 1, ")": -1}.get(c, 0)
                        if not depth:
                            break
                    text = text[end + 1:]
            parts = [""]
            depth = 0
            for c in text:
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(c, 0)
                if c == "," and not depth:
                    parts.append("")
                else:
                    parts[-1] += c
            first = re.sub(r"\(.*\)", "()", parts[0].strip(), flags=re.S)
            if len(parts) > 1 and ACTION.match(first) and not re.fullmatch(r"[\w:]+", first) and not re.search(r"<[^>]*$", first):
                yield code.count("\n", 0, at - len(text.lstrip())) + 1


def check_commas(house, path):
    lines = house.text(path).split("\n")
    for number in comma_statements(re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m.group(0).count("\n"),
                                          without_comments(house.text(path)), flags=re.M)):
        house.report(path, number, f"a comma joins statements: {lines[number - 1].strip()}")


def check_rooms(house, path, room):
    """Each include of a file leads to a room that its own may include."""
    for number, name in house.includes(path):
        other = house.room_of(name)
        if name.startswith(("server/", "protocol/")) and path.startswith("compiler/"):
            house.report(path, number, f"the compiler includes no {name.split('/')[0]}: {name}")
        elif name.startswith("tests/"):
            house.report(path, number, f"{room} includes no tests: {name}")
        elif other is not None and other not in house.allowed[room]:
            may = ", ".join(sorted(house.allowed[room] - {room})) or "no other room"
            house.report(path, number, f"{room} may not include {other}: {name} (it may include {may})")


def check_variant(house, path):
    """Variants do not know each other; the files of one variant share its name as a prefix."""
    for number, name in house.includes(path):
        if name.startswith("compiler/") and re.search(r"/variants/\w+/", name):
            mine, its = os.path.basename(path).split(".")[0], os.path.basename(name).split(".")[0]
            prefix = os.path.commonprefix([mine + "_", its + "_"])
            if os.path.dirname(name) != os.path.dirname(path) or "_" not in prefix:
                house.report(path, number, f"a variant includes another one: {name}")


def check_compiler(house, path):
    """The compiler is a function of its input: no environment, no sockets, nothing printed."""
    lines = house.text(path).split("\n")
    for number, name in house.includes(path):
        if SOCKETS.match(name) and not (name == "sys/socket.h" and SOCKETPAIR.match(path)):
            house.report(path, number, f"the compiler opens no socket: {name}")
    for number, line in enumerate(without_comments(house.text(path)).split("\n"), 1):
        if re.search(r"(?<![\w.>])::(connect|bind|listen|accept4?)\s*\(", line):
            house.report(path, number, f"the compiler opens no socket: {lines[number - 1].strip()}")
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                house.report(path, number, f"compiler/ {what}: {lines[number - 1].strip()}")


def check_server(house, path, room):
    for number, name in house.includes(path):
        if ASIO.match(name) and room != "transport":
            house.report(path, number, f"only server/transport knows Boost.Asio: {name}")
    check_console(house, path)


def check_console(house, path):
    """What is printed holds text of others: one function makes it harmless to terminals and CI logs."""
    if path == CONSOLE:
        return
    code = without_comments(house.text(path))
    for pattern, what in FORBIDDEN[1:]:
        for m in pattern.finditer(code):
            house.report(path, code.count("\n", 0, m.start()) + 1, f"{what}: {CONSOLE} does that")


def check_json(house, path):
    for number, name in house.includes(path):
        if name == CARELESS and path != CAREFUL:
            house.report(path, number, f"numbers of JSON are looked at first: {CAREFUL} instead of {CARELESS}")


def check_plain(house, path):
    """No JSON in server/ide, not even by way of a header that it includes."""
    todo, seen = [(path, None)], {path}
    while todo:
        file, first = todo.pop()
        for number, name in house.includes(file):
            line = first or number  # of the include in `path` that leads there
            if JSON.search(name):
                by = "" if file == path else f", included by {file}"
                house.report(path, line, f"an answer is a plain value, without JSON: {name}{by}")
            elif name not in seen and house.text(name):
                seen.add(name)
                todo.append((name, line))


def check(root):
    """The violations, a line each, and the number of rooms."""
    house = House(root)
    if len(house.folder) < 2:
        house.problems.append("CMakeLists.txt: no room() line was understood")
    for room in SPEAKERS:
        for other in house.allowed.get(room, set()) & set(SPEAKERS) - {room}:
            house.problems.append(f"server/CMakeLists.txt: {room} may not use {other}: no speaker knows another")
    seen = list(house.sources("compiler", "protocol", "server", "tests"))
    used = {house.room_of(path) for path in seen}
    edges = {(house.room_of(path), house.room_of(name)) for path in seen for _, name in house.includes(path)}
    for room, folder in house.folder.items():
        lists = "server/CMakeLists.txt" if folder.startswith("server/") else "CMakeLists.txt"
        if room not in used:
            house.problems.append(f"{lists}: the room {room} has no file in {folder}/")
            continue
        for other in sorted(house.direct[room]):
            if (room, other) not in edges:
                house.problems.append(f"{lists}: {room} USES {other}, and no file of it includes one of {other}")
    for path in seen:
        check_width(house, path)
        check_json(house, path)
        room = house.room_of(path)
        if path == "server/main.cpp":
            check_console(house, path)
        if room is None:  # a test, or the one file that holds the speakers together
            continue
        if not path.startswith(house.folder.get(room, "?") + "/"):
            house.report(path, 1, f"the room {room} has no line in CMakeLists.txt")
            continue
        check_rooms(house, path, room)
        check_commas(house, path)
        if path.startswith("compiler/"):
            check_compiler(house, path)
            if "/variants/" in path:
                check_variant(house, path)
        elif path.startswith("server/"):
            check_server(house, path, room)
            if room == "ide":
                check_plain(house, path)
    return house.problems, len(house.allowed)


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    problems, rooms = check(root)
    for p in problems:
        print(p)
    print(f"{rooms} rooms, {len(problems)} violation{'' if len(problems) == 1 else 's'}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
