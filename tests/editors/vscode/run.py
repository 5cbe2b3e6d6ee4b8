#!/usr/bin/env python3
"""Tests of the VS Code extension in a real workbench in headless Chromium, from the packaged file.

    run.py SERVER FOLDER [PATTERN]

Installs the workbench below FOLDER, makes the .vsix with the binary SERVER inside, and runs the scenarios whose names match
PATTERN (default: all). Pictures of each are kept in FOLDER/screenshots. Exit status 77: this machine cannot have it.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXTENSION = os.path.join(HERE, "..", "..", "..", "editors", "vscode")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    server, folder = map(os.path.abspath, sys.argv[1:3])
    pattern = sys.argv[3] if len(sys.argv) == 4 else "."
    installed = subprocess.run([sys.executable, os.path.join(HERE, "install_workbench.py"), folder])
    if installed.returncode != 0:
        return installed.returncode
    scenarios = sorted(f for f in glob.glob(os.path.join(HERE, "*.test.mjs")) if re.search(pattern, os.path.basename(f)))
    if not scenarios:
        sys.exit(f"no scenario matches {pattern}")
    vsix = os.path.join(folder, "tilewright.vsix")
    stripped = os.path.join(folder, "tilewright")
    subprocess.run(["strip", "-o", stripped, server], check=True)
    for command in (["run", "--silent", "check"], ["run", "--silent", "package", "--", "--binary", stripped, "--out", vsix]):
        made = subprocess.run(["npm", *command], cwd=EXTENSION, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode != 0:
            sys.exit(f"npm {' '.join(command)} failed:\n{made.stdout}")
    environment = dict(os.environ, TILEWRIGHT_WORKBENCH=folder, TILEWRIGHT_VSIX=vsix,
                       TILEWRIGHT_SCREENSHOTS=os.path.join(folder, "screenshots"))
    # One after the other: each has the machine's cores for a browser, an editor and a server.
    return subprocess.run(["node", "--test", "--test-concurrency=1", "--test-reporter=spec", *scenarios], env=environment, cwd=HERE).returncode


if __name__ == "__main__":
    sys.exit(main())
