#!/usr/bin/env python3
"""Compares our verdict on every .py file of a Python's standard library, its tests included, with that Python's own.

    stdlib.py ACCEPTANCE [FOLDER…]

ACCEPTANCE is the program of tests/grammar/acceptance.cpp. Without folders, the standard library of the Python that runs
this script. A file agrees if ACCEPTANCE accepts it exactly when `ast.parse` of its bytes does. Exits with 1 on any
difference.
"""

import ast
import os
import pathlib
import subprocess
import sys
import sysconfig
import warnings


def python_accepts(path):
    try:
        ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def main():
    program, *folders = sys.argv[1:]
    if not folders:
        folders = [sysconfig.get_path("stdlib")]
    files = []
    for folder in folders:
        for root, names, leaves in os.walk(folder):
            names[:] = sorted(name for name in names if name != "site-packages")
            files += [pathlib.Path(root) / leaf for leaf in sorted(leaves) if leaf.endswith(".py")]
    files = [path for path in files if path.is_file()]

    listing = "\n".join(map(str, files))
    ours = subprocess.run([program, "-"], input=listing, capture_output=True, text=True, check=True).stdout.splitlines()
    if len(ours) != len(files):
        sys.exit(f"{len(files)} files, but {len(ours)} verdicts")

    warnings.simplefilter("ignore")
    accepted = rejected = 0
    differences = []
    for path, verdict in zip(files, ours):
        objection = python_accepts(path)
        if objection is None:
            accepted += 1
        else:
            rejected += 1
        if (objection is None) != verdict.startswith("accept "):
            differences.append(f"{verdict}\n  Python: {objection or 'accepts'}")

    for difference in differences:
        print(difference)
    version = sys.version.split()[0]
    size = sum(path.stat().st_size for path in files)
    print(f"Python {version}: {len(files)} files, {size / 1e6:.1f} MB; ast.parse accepts {accepted}, rejects {rejected}; "
          f"{len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
