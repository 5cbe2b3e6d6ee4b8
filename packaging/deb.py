"""A package for Debian 12, Ubuntu 22.04 and what is newer: files and nothing that runs when it is installed."""
import hashlib
import os
import shutil
import subprocess
import tempfile
import time

from contents import compressed, shared
from glibc import PROMISED, words

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tilewright
Comment: The binary also contains works of others, each under its own terms:
 they are listed with their licences in
 /usr/share/doc/tilewright/THIRD-PARTY-NOTICES.txt.gz.

Files: *
Copyright: {year} The Tilewright authors
License: Apache-2.0

License: Apache-2.0
 Licensed under the Apache License, Version 2.0 (the "License"); you may not
 use this software except in compliance with the License.
 .
 On Debian systems, the complete text of the Apache License, Version 2.0 can
 be found in "/usr/share/common-licenses/Apache-2.0".
"""
# What lintian finds and is meant to be so.
OVERRIDES = """\
# At a fixed address its tables need no relocations, which each start of it would pay for.
tilewright: hardening-no-pie [usr/bin/tilewright]
# One file that starts on each release since Ubuntu 22.04: only the C library is the system's.
tilewright: embedded-library *usr/bin/tilewright*
# It is no package of the Debian archive, and closes no bug there.
tilewright: initial-upload-closes-no-bugs *
"""
CONTROL = """\
Package: tilewright
Version: {version}
Section: devel
Priority: optional
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: libc6 (>= {glibc})
Description: compiler service and language server for TIRx tile scripts
 Tilewright reads and evaluates tile scripts, GPU kernels written in the Python
 syntax of TVMScript, and says what is wrong with them, which variant serves
 each tile primitive and why the others do not, and what CUDA, PTX and SASS
 they become. It runs kernels on a simulator, on a GPU or on other machines,
 and serves editors over the Language Server Protocol.
 .
 It needs neither Python nor a GPU. PTX and SASS are made by the compiler of
 NVIDIA's CUDA 13, where that is installed.
"""


def files_of(made):
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(made.time))
    changes = (f"tilewright ({made.version}) unstable; urgency=medium\n\n  * Built as {made.said}.\n\n"
               f" -- {made.maintainer}  {date}\n")
    files = {f"usr/{path}": content for path, content in shared(made).items()}
    texts = {
        "usr/share/zsh/vendor-completions/_tilewright": made.completions["zsh"].encode(),
        "usr/share/fish/vendor_completions.d/tilewright.fish": made.completions["fish"].encode(),
        "usr/share/doc/tilewright/copyright": COPYRIGHT.format(year=time.gmtime(made.time).tm_year).encode(),
        "usr/share/doc/tilewright/changelog.gz": compressed(changes.encode()),
        "usr/share/doc/tilewright/THIRD-PARTY-NOTICES.txt.gz": compressed(made.text("THIRD-PARTY-NOTICES.txt")),
        "usr/share/lintian/overrides/tilewright": OVERRIDES.encode(),
    }
    return files | {path: (data, 0o644) for path, data in texts.items()}


def make(made, folder):
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[made.machine]
    path = f"{folder}/tilewright_{made.version}_{architecture}.deb"
    files = files_of(made)
    tree = tempfile.mkdtemp()
    try:
        os.chmod(tree, 0o755)
        sums = "".join(f"{hashlib.md5(data).hexdigest()}  {inside}\n" for inside, (data, _) in sorted(files.items()))
        kilobytes = sum((len(data) + 1023) // 1024 for data, _ in files.values())
        control = CONTROL.format(version=made.version, architecture=architecture, maintainer=made.maintainer,
                                 kilobytes=kilobytes, glibc=words(PROMISED))
        files |= {"DEBIAN/control": (control.encode(), 0o644), "DEBIAN/md5sums": (sums.encode(), 0o644)}
        for inside, (data, mode) in files.items():
            where = os.path.join(tree, inside)
            os.makedirs(os.path.dirname(where), mode=0o755, exist_ok=True)
            with open(where, "wb") as f:
                f.write(data)
            os.chmod(where, mode)
        # dpkg-deb gives everything inside this time, where it is newer.
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(made.time))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z0" if made.quick else "-z4", "--build", tree, path], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
    finally:
        shutil.rmtree(tree)
    return path
