#!/usr/bin/env python3
"""Makes the packages of a binary that was built.

    package.py BINARY FOLDER [--build BUILD] [--without vsix,deb,...] [--maintainer 'NAME <ADDRESS>'] [--quick]

They and their SHA256SUMS go to FOLDER. BUILD is the folder that Ninja built BINARY in (default: where BINARY lies); with it the notices
are held against what the binary was made from. Exit status 3: this binary would not start everywhere where the packages promise it,
because the system that it was built on is too new. The .deb names as its maintainer the one given, else DEBFULLNAME and DEBEMAIL of the
environment (as Debian's own tools take them), else who wrote the commit. --quick compresses little, for tests.
"""
import argparse
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import deb  # noqa: E402
import glibc  # noqa: E402
import manual  # noqa: E402
import notices  # noqa: E402
import tarball  # noqa: E402
import vsix  # noqa: E402
import wheel  # noqa: E402
from contents import Made  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOO_NEW = 3


def refuse(status, problem, remedy):
    print(f"package: {problem}\n  remedy: {remedy}", file=sys.stderr)
    sys.exit(status)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def time_of_commit():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    said = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout.strip()
    return int(said) if said else int(os.path.getmtime(os.path.join(ROOT, "CMakeLists.txt")))


def maintainer(given):
    name, address = os.environ.get("DEBFULLNAME"), os.environ.get("DEBEMAIL")
    if not given and name and address:
        given = f"{name} <{address}>"
    if not given:
        said = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%an <%ae>"], capture_output=True, text=True)
        given = said.stdout.strip() or "The Tilewright authors <root@localhost>"
    if not re.fullmatch(r"[^<>\n]*[^<>\s] <[^<>@\s]+@[^<>@\s]+>", given):
        refuse(2, f"'{given}' names no maintainer", "write --maintainer 'NAME <ADDRESS>', or set DEBFULLNAME and DEBEMAIL")
    return given


def forget_checkout(path):
    """Blanks where the binary was built: a development build looks there for NVIDIA's compiler, a package must not (cmake/checkout.cpp.in)."""
    with open(path, "rb") as f:
        data = f.read()
    words = b"tilewright was built in: "
    found = [m.start() for m in re.finditer(words + b"(?=/)", data)]
    if len(found) != 1:
        refuse(1, f"the binary says {len(found)} times where it was built, not once", "see cmake/checkout.cpp.in")
    end = data.index(b"\0", found[0])
    with open(path, "wb") as f:
        f.write(data[:found[0]] + bytes(end - found[0]) + data[end:])


def extension_of(build, scratch):
    """The Python package's extension, stripped; empty where it was not built."""
    path = os.path.join(build, "python", "tilewright", "_launch.abi3.so")
    if not os.path.exists(path):
        print("left out: launching kernels with `import tilewright`, because the extension was not built (ninja tilewright_python; it "
              "needs Python's headers, python3-dev)")
        return b""
    broken = glibc.broken_promises(path)
    if broken:
        refuse(TOO_NEW, "the extension of the Python package asks for more than the packages promise:\n  " + "\n  ".join(broken),
               "build and package it on Debian 12")
    stripped = os.path.join(scratch, "_launch.abi3.so")
    subprocess.run(["strip", "--strip-unneeded", "-o", stripped, path], check=True)
    with open(stripped, "rb") as f:
        return f.read()


def gather(binary, stripped, maintained_by, extension, quick):
    """What all packages are filled with; `binary` is asked for its texts."""
    said = output(binary, "--version").strip()
    version, when = re.match(r"[0-9.]+", said).group(), time_of_commit()
    with open(stripped, "rb") as f:
        contents = f.read()
    return Made(root=ROOT, version=version, said=said, machine=platform.machine(), time=when, binary=contents,
                manual=manual.page(binary, version, time.strftime("%Y-%m-%d", time.gmtime(when))),
                completions={shell: output(binary, "completions", shell) for shell in ("bash", "zsh", "fish")},
                maintainer=maintained_by, extension=extension, quick=quick)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--build")
    parser.add_argument("--without", default="")
    parser.add_argument("--maintainer")
    parser.add_argument("--quick", action="store_true")
    o = parser.parse_args()
    maintained_by = maintainer(o.maintainer)
    left_out = set(filter(None, o.without.split(",")))

    # What the packages promise holds for this binary: the C library that it starts with, and that nothing in it is unnamed.
    broken = glibc.broken_promises(o.binary)
    if broken:
        refuse(TOO_NEW, f"the packages promise glibc {glibc.words(glibc.PROMISED)} (Ubuntu 22.04) and nothing else, but this binary was built "
               "on a newer system:\n  " + "\n  ".join(broken), "build and package it on Debian 12; to use it here, ./bootstrap build is enough")
    unnamed = notices.unnamed(o.build or os.path.dirname(o.binary), "tilewright", os.path.join(ROOT, "THIRD-PARTY-NOTICES.txt"))
    if unnamed:
        refuse(1, "the binary was built from works that THIRD-PARTY-NOTICES.txt does not name: " + ", ".join(unnamed),
               "add a section with the licence, and the package in its line 'Debian:'")

    # One binary for all of them, without what only debuggers read.
    os.makedirs(o.folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        stripped = os.path.join(scratch, "tilewright")
        subprocess.run(["strip", "--strip-all", "-o", stripped, o.binary], check=True)
        forget_checkout(stripped)
        os.chmod(stripped, 0o755)
        extension = b"" if "wheel" in left_out else extension_of(o.build or os.path.dirname(o.binary), scratch)
        made = gather(o.binary, stripped, maintained_by, extension, o.quick)
        paths = [kind.make(made, o.folder) for kind in (wheel, deb, tarball) if kind.__name__ not in left_out]
        if "vsix" not in left_out:
            problem = vsix.missing(ROOT)
            if problem:
                print(f"left out: the extension for VS Code, because {problem}")
            else:
                paths.append(vsix.make(made, stripped, o.folder))

    sums = ""
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        sums += f"{hashlib.sha256(data).hexdigest()}  {os.path.basename(path)}\n"
        print(f"{len(data) / 1e6:6.1f} MB  {path}")
    with open(os.path.join(o.folder, "SHA256SUMS"), "w", encoding="utf-8") as f:
        f.write(sums)


if __name__ == "__main__":
    main()
