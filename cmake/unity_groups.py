#!/usr/bin/env python3
"""unity_groups.py LIST [APART]: which sources of a target may be compiled as one unit.

LIST holds a line `target<TAB>file` for each source, APART the files that stay by themselves, one a line. Printed are lines `target<TAB>group<TAB>file`; a file that is its group's
only one is compiled by itself. Most of the time of a unit goes into the headers and templates that it shares with its neighbours
(nlohmann's JSON above all), so that many together take little longer than one.

Together may be what cannot mean anything else together: no two files of a group have a local name in common (something in an
anonymous namespace, a static function, a macro), none uses a name that is another's local one, and their aliases are the same.
That is read off the text, which clang-format keeps regular: what stands at the left margin is at namespace scope. Where in
doubt, two files do not go together: a word in common is taken for a clash though it may mean something else.
"""
import functools
import itertools
import operator
import os
import re
import sys

FILES_A_GROUP = 64
BYTES_A_GROUP = 300_000  # what a group holds at most: one unit must not be what a build with many cores waits for

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
WORD = r"[A-Za-z_]\w*"
# Without a qualifier and not a member: `.name`, `->name` and `a::name` cannot lead to another file's local name.
FREE = re.compile(r"(?<![\w.:>~])(?:(%s)\s*[({<]|([A-Z]\w*)\b|(k[A-Z]\w*)\b)" % WORD)
DECLARATION = re.compile(r"(?:.*[\s*&])?(%s)\s*(?:[(\[{=;:,].*)?$" % WORD)
ANOTHER = re.compile(r",\s*(%s)\s*=" % WORD)
DEFINED = re.compile(r"^\s*#\s*define\s+(%s)" % WORD, re.M)
KEYWORDS = frozenset("if for while switch return sizeof catch decltype alignof static_assert requires noexcept constexpr operator "
                     "namespace template public private protected default case else do try const final override include".split())

# Each file has its own for its own types: overloads, which do not clash.
OVERLOADS = frozenset(["from_json", "to_json"])


def blank(match):
    """Comments and texts hold no names; the comment that closes a namespace says where it ends."""
    if match[0].startswith("// namespace"):
        return match[0]
    return '""' if match[0][0] in "\"'R" else " "


class Source:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = COMMENT_OR_TEXT.sub(blank, file.read())
        self.path = path
        self.size = len(text)
        self.used = {m[1] or m[2] or m[3] for m in FREE.finditer(text)} - KEYWORDS
        self.aliases = dict((m[2], m[1]) for m in re.finditer(r"^(using (?:.*::)?(\w+)(?: =.*)?;)", text, re.M))
        self.opened = frozenset(re.findall(r"^using namespace .*;", text, re.M))
        self.local = (set(DEFINED.findall(text)) | set(local_names(text))) - KEYWORDS - OVERLOADS
        self.alone = re.search(r"^#pragma", text, re.M) is not None  # what it switches off stays off to the unit's end


def local_names(text):
    """The names that are declared at namespace scope and that no other file is meant to see."""
    anonymous = enumeration = False
    for line in text.splitlines():
        if line.startswith("namespace") and "=" not in line:
            anonymous = line.startswith("namespace {")
        elif line.startswith("}  // namespace"):
            anonymous = False
        elif anonymous and (found := re.match(r"enum (?!class\b)(\w*)", line)):
            enumeration = True
            yield found[1]
        if enumeration or (anonymous and line[:1] == " "):
            # Enumerators, and the constants of a declaration over several lines.
            yield from re.findall(r"\b(k[A-Z]\w*)\s*(?=[=,}\[]|$)" if enumeration else r"^ +(k[A-Z]\w*)(?=\s*[=,\[])", line)
            enumeration = enumeration and "}" not in line
        elif line[:1].isalpha() and (anonymous or re.match(r"(static|constexpr|const|inline constexpr)\b", line)):
            if re.match(r"(namespace|using|template|extern|[A-Z_]+\()", line):
                continue
            head = re.split(r"[(\[{=;]| : ", line, maxsplit=1)[0].rstrip().removesuffix(" final")
            found = DECLARATION.match(head)
            # `const Row* find(...)` outside of an anonymous namespace is a function for all files.
            function = line[len(head):].lstrip().startswith("(")
            if found and "::" not in head.split(" ")[-1] and (anonymous or not function or line.startswith("static")):
                yield found[1]
            if "(" not in line.split("=")[0]:
                yield from ANOTHER.findall(line)


def clash(a, b):
    if a.opened != b.opened or any(b.aliases.get(name, text) != text for name, text in a.aliases.items()):
        return True
    # A type called by a short name here, and one of the room's own that has the same name there.
    if any(name[0].isupper() and name in y.used and name not in y.aliases for x, y in ((a, b), (b, a)) for name in x.aliases):
        return True
    return bool(a.local & (b.local | b.used | b.aliases.keys()) or b.local & (a.used | a.aliases.keys()))


def groups(sources, apart=frozenset()):
    """Each file into the first group that takes it. Its turn comes when it is the one that clashes with the most groups,
    then with the most of the files that are left: what is hard to place is placed while there is room."""
    for source in sources:
        source.alone = source.alone or source.path in apart
    against = {source: set() for source in sources}
    for a, b in itertools.combinations(sources, 2):
        if a.alone or b.alone or clash(a, b):
            against[a].add(b)
            against[b].add(a)
    made, left = [], list(sources)
    while left:
        source = max(left, key=lambda s: (sum(not against[s].isdisjoint(group) for group in made), len(against[s].intersection(left))))
        left.remove(source)
        for group in made:
            if len(group) < FILES_A_GROUP and sum(s.size for s in group) + source.size <= BYTES_A_GROUP and against[source].isdisjoint(group):
                group.append(source)
                break
        else:
            made.append([source])
    name = operator.attrgetter("path")
    return sorted((sorted(group, key=name) for group in made), key=lambda group: name(group[0]))


def main(listing, apart=None):
    targets, alone = {}, set()
    if apart and os.path.exists(apart):
        with open(apart, encoding="utf-8") as lines:
            alone = set(lines.read().split("\n"))
    with open(listing, encoding="utf-8") as lines:
        for line in lines:
            target, path = line.rstrip("\n").split("\t")
            targets.setdefault(target, []).append(path)
    read = functools.cache(Source)
    for target, paths in targets.items():
        for number, group in enumerate(groups([read(path) for path in sorted(paths)], alone)):
            for source in group:
                print(target, number if len(group) > 1 else "alone", source.path, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
