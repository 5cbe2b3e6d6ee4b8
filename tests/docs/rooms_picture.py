#!/usr/bin/env python3
"""The picture of the rooms in docs/house.md, made of the `room()` lines: an arrow from each room to those that it uses.

rooms_picture.py [--update]: without --update it says whether the picture is what the lines say.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "house.md")
sys.path.insert(0, os.path.join(ROOT, "tests", "house"))
import rooms  # noqa: E402


def picture():
    house = rooms.House(ROOT)
    uses = {room: reached - {room} for room, reached in house.allowed.items()}
    groups = {"server/": [], "compiler/": [], "protocol": []}
    for room in uses:
        groups[next(g for g in groups if house.folder[room].startswith(g))].append(room)
    lines = ["```mermaid", "flowchart TD"]
    for group, members in groups.items():
        if len(members) > 1:
            lines += [f'  subgraph {group.strip("/")}["{group}"]', *(f"    {room}_" + f'["{room}"]' for room in members), "  end"]
        else:
            lines += [f'  {room}_["{room}"]' for room in members]
    for room, reached in uses.items():
        # What is reached through another room needs no arrow of its own.
        direct = [r for r in reached if not any(r in uses[other] for other in reached)]
        if direct:
            lines.append(f"  {room}_ --> " + " & ".join(f"{r}_" for r in sorted(direct)))
    return "\n".join([*lines, "```"])


def main():
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    made = re.sub(r"```mermaid\n.*?\n```", lambda m: picture(), page, count=1, flags=re.S)
    if "--update" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(made)
    elif made != page or "```mermaid" not in page:
        print("docs/house.md: the picture of the rooms is stale: tests/docs/rooms_picture.py --update")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
