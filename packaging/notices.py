"""Does THIRD-PARTY-NOTICES.txt name everything that the binary was made from?

Ninja knows each header and each library that went into the binary, and dpkg whose they are.
"""
import os
import re
import subprocess

# The C library stays the system's: what comes from it are declarations, and the few lines around main that its licence excepts.
SYSTEM = re.compile(r"^(libc6-dev|linux-libc-dev|libcrypt-dev)$")


def ninja(build, *tool):
    return subprocess.run(["ninja", "-C", build, "-t", *tool], check=True, capture_output=True, text=True).stdout


def files_of(build, target):
    """The system's files that went into `target`."""
    inputs = {line.strip() for line in ninja(build, "inputs", target).splitlines()}
    files, ours = {path for path in inputs if path.startswith("/usr/")}, False
    for line in ninja(build, "deps").splitlines():
        if line and not line[0].isspace():
            ours = line.split(":")[0] in inputs
        elif ours and line.strip().startswith("/usr/"):
            files.add(line.strip())
    return files


def packages_of(files):
    """The Debian packages of these files; those of no package by their paths."""
    said = subprocess.run(["dpkg-query", "-S", *sorted(os.path.realpath(path) for path in files)], capture_output=True, text=True)
    out = {name for line in said.stdout.splitlines() for name in re.findall(r"([a-z0-9][a-z0-9.+-]+)(?::\w+)?(?=[,:] )", line)}
    return out | set(re.findall(r"no path found matching pattern (\S+)", said.stderr))


def unnamed(build, target, notices):
    """What went into `target` and no section of the notices names."""
    with open(notices, encoding="utf-8") as f:
        named = {name for line in re.findall(r"^Debian: (.+)$", f.read(), re.M) for name in line.split()}
    return sorted(name for name in packages_of(files_of(build, target)) if name not in named and not SYSTEM.match(name))
