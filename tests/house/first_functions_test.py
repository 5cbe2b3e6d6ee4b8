#!/usr/bin/env python3
"""first_functions_test.py TILEWRIGHT: the functions that everyday work runs are linked beside each other.

At least three quarters of cmake/first_functions.txt are functions of the binary, and nearly all of these lie in the one
stretch that begins its text. Else: cmake/first_functions.py. 77: another linker made it, or it has no symbols.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    binary = sys.argv[1]
    sections = subprocess.run(["readelf", "-SW", binary], capture_output=True, text=True, check=True).stdout
    first = re.search(r" \.text\.first +PROGBITS +(\w+) \w+ (\w+)", sections)
    if not first:
        linker = subprocess.run(["c++", "-Wl,--version"], capture_output=True, text=True).stdout
        print("no stretch of first functions; linked by " + linker.split("\n")[0])
        return 1 if "GNU ld" in linker else 77
    begin, end = int(first[1], 16), int(first[1], 16) + int(first[2], 16)
    symbols = {}
    for line in subprocess.run(["nm", "--defined-only", binary], capture_output=True, text=True, check=True).stdout.splitlines():
        address, _, name = line.split(" ", 2)
        symbols[name] = int(address, 16)
    if not symbols:
        return 77
    with open(os.path.join(ROOT, "cmake", "first_functions.txt"), encoding="utf-8") as f:
        names = f.read().split()
    there = [name for name in names if name in symbols]
    first_there = [name for name in there if begin <= symbols[name] < end]
    print(f"{len(names)} functions are named, {len(there)} are there, {len(first_there)} of them first")
    return 0 if 4 * len(there) >= 3 * len(names) and 20 * len(first_there) >= 19 * len(there) else 1


if __name__ == "__main__":
    sys.exit(main())
