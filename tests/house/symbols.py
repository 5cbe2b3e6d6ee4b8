#!/usr/bin/env python3
"""Rooms at link time: what a room's library takes from another one has to lie in a room that it may include.

    symbols.py BUILD [ROOT]

rooms.py reads the includes; a function that is declared in one room and defined in another one goes past them. This
compares the undefined symbols of each libtw_ROOM.a below BUILD with the definitions of the others and with the lines
room() and server_room(). Inline functions and templates, which every room makes for itself, do not count. One line a
violation, exit status 1 when there is one; symbols_test.py shows the rule broken.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import rooms  # noqa: E402

STRONG = "TDBRS"  # code and data of which there is one definition

# Arrows upward that stand, with their reasons. One that no library needs any more has to go.
STANDING = {}


def libraries(build):
    """Room to its library."""
    out = {}
    for folder, folders, files in os.walk(build):
        folders[:] = [f for f in folders if f not in ("CMakeFiles", "toys")]
        for name in files:
            if name.startswith("libtw_") and name.endswith(".a"):
                out[name[len("libtw_"):-len(".a")]] = os.path.join(folder, name)
    return out


def symbols(library):
    """What a library defines once, and what it takes from elsewhere."""
    said = subprocess.run(["nm", "--extern-only", "--format=posix", library], capture_output=True, text=True, check=True).stdout
    defined, used = set(), set()
    for line in said.splitlines():
        parts = line.split()
        if len(parts) < 2:
            continue  # the name of a member
        if parts[1] in STRONG:
            defined.add(parts[0])
        elif parts[1] == "U":
            used.add(parts[0])
    return defined, used - defined


def demangled(names):
    return dict(zip(names, subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                                          check=True).stdout.splitlines()))


def check(build, root, standing=STANDING):
    """The violations, a line each, and the number of libraries."""
    house = rooms.House(root)
    seen = {room: symbols(path) for room, path in sorted(libraries(build).items()) if room in house.allowed}
    owner = {name: room for room, (defined, _) in seen.items() for name in defined}
    wrong = [(room, owner[name], name) for room, (_, used) in seen.items() for name in sorted(used)
             if name in owner and owner[name] not in house.allowed[room]]
    words = demangled([name for _, _, name in wrong]) if wrong else {}
    found = {(room, other, words[name]) for room, other, name in wrong}
    stale = [key for key in standing if key not in found and {key[0], key[1]} <= set(seen)]
    return ([f"{room} takes from {other}, which it may not include: {name}" for room, other, name in sorted(found - set(standing))] +
            [f"{room} no longer takes from {other}: take it out of STANDING in symbols.py: {name}" for room, other, name in stale],
            len(seen))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "..", ".."))
    problems, count = check(os.path.abspath(sys.argv[1]), root)
    if not count:
        problems.append(f"no library of a room below {sys.argv[1]}")
    for problem in problems:
        print(problem)
    print(f"{count} libraries, {len(problems)} violation{'' if len(problems) == 1 else 's'}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
