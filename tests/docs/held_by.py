#!/usr/bin/env python3
"""docs/security.md names the test that holds each promise: every such test exists.

held_by.py BUILD: the build folder, whose tests `ctest -N` lists. Fuzzers are targets of another preset.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    listed = subprocess.run(["ctest", "--test-dir", sys.argv[1], "-N"], capture_output=True, text=True, check=True).stdout
    tests = set(re.findall(r"Test +#\d+: (\S+)", listed))
    with open(os.path.join(ROOT, "tests", "fuzz", "CMakeLists.txt"), encoding="utf-8") as f:
        tests |= {"fuzz_" + name for name in re.findall(r"^fuzz_target\((\w+)", f.read(), re.M)}
    with open(os.path.join(ROOT, "docs", "security.md"), encoding="utf-8") as f:
        items = re.split(r"\n(?=- |\n)", f.read())
    named, unknown = 0, []
    for item in items:
        for name in re.findall(r"`([a-z][a-z0-9_]+)`", item.partition("Held by:")[2]):
            named += 1
            if name not in tests:
                unknown.append(name)
    for name in unknown:
        print(f"docs/security.md: there is no test {name}")
    print(f"{named} tests named, {len(unknown)} unknown")
    return 1 if unknown or not named else 0


if __name__ == "__main__":
    sys.exit(main())
