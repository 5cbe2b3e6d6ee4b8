#!/usr/bin/env python3
"""Installs a real VS Code workbench that runs in a browser, and what drives it, for the tests of the extension.

    install_workbench.py FOLDER

Everything comes from the npm registry and goes below FOLDER: code-server, whose workbench is VS Code's own, with its
native modules built here; and the packages of the tests and of the extension's build. Debian's packages (a compiler,
headers, Chromium, ripgrep) are ./bootstrap's to install. Exit status 77: this machine cannot have it; the output says why.
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = "4.100.3"  # VS Code 1.100; newer ones ask for Node 22
SKIPPED = 77
NO_NETWORK = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT")
# What the workbench's extension host and terminal load: npm builds them, and its exit status says little about it.
NATIVE = {"node-pty": "pty.node", "@vscode/spdlog": "spdlog.node", "native-watchdog": "watchdog.node", "kerberos": "kerberos.node"}


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def npm(folder, *arguments, may_fail=False, environment=None):
    r = subprocess.run(["npm", *arguments, "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, **(environment or {})))
    if r.returncode != 0 and not may_fail:
        if NO_NETWORK.search(r.stdout):
            skip("the workbench is not installed, and the npm registry cannot be reached")
        sys.exit(f"npm {' '.join(arguments)} failed in {folder}:\n{r.stdout[-4000:]}")


def has(folder, name):
    return any(name in files for _, _, files in os.walk(folder))


def code_server(folder):
    shutil.rmtree(os.path.join(folder, "node_modules"), ignore_errors=True)
    with open(os.path.join(folder, "package.json"), "w") as f:
        f.write('{"name": "workbench", "private": true}\n')
    # Its own install script refuses to run as root and downloads from elsewhere: its steps are taken here one by one.
    npm(folder, "install", "code-server@" + VERSION, "--ignore-scripts")
    inside = os.path.join(folder, "node_modules", "code-server", "lib", "vscode")
    npm(inside, "install", "--omit=dev", "--ignore-scripts")
    headers = {"npm_config_nodedir": node_prefix()}
    npm(inside, "rebuild", *NATIVE, "@vscode/deviceid", may_fail=True, environment=headers)
    for module, file in NATIVE.items():
        if not has(os.path.join(inside, "node_modules", module), file):
            sys.exit(f"{file} of {module} was not built in {inside}; npm rebuild {module} there says why")
    link = os.path.join(inside, "node_modules.asar")
    if not os.path.lexists(link):
        os.symlink("node_modules", link)
    npm(os.path.join(inside, "extensions"), "install", "--omit=dev", "--ignore-scripts")
    npm(folder, "rebuild", "argon2", may_fail=True, environment=dict(headers, npm_config_build_from_source="true"))
    if not has(os.path.join(folder, "node_modules", "argon2"), "argon2.node"):
        sys.exit(f"argon2.node was not built in {folder}; npm rebuild argon2 there says why")
    # Search and Quick Open call ripgrep in a place of their own.
    place = os.path.join(inside, "node_modules", "@vscode", "ripgrep", "bin")
    os.makedirs(place, exist_ok=True)
    if not os.path.lexists(os.path.join(place, "rg")):
        os.symlink(shutil.which("rg"), os.path.join(place, "rg"))


def node_prefix():
    """Where Node's headers are, so that node-gyp downloads none."""
    node = os.path.realpath(shutil.which("node"))
    return os.path.dirname(os.path.dirname(node))


def check_tools():
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if not version.startswith("v20."):
        skip(f"the workbench runs on Node 20, and this is {version}")
    if not os.path.exists(os.path.join(node_prefix(), "include", "node", "node.h")):
        skip("Node's headers are not installed: native modules of the workbench cannot be built")
    for tool in ("chromium", "rg", "make", "g++"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_tools()
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = os.path.join(folder, "installed-" + VERSION)
        if not os.path.exists(stamp):
            code_server(folder)
            open(stamp, "w").close()
        extension = os.path.join(HERE, "..", "..", "..", "editors", "vscode")
        for packages in (HERE, extension):
            done = os.path.join(packages, "node_modules", ".package-lock.json")
            if not os.path.exists(done) or os.path.getmtime(done) < os.path.getmtime(os.path.join(packages, "package-lock.json")):
                npm(packages, "ci", "--ignore-scripts")


if __name__ == "__main__":
    main()
