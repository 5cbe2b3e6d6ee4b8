"""What is installed, and where, below a prefix: the .deb and the tarball hold the same, but for the places of some shells."""
import glob
import gzip
import io
import os
from dataclasses import dataclass


@dataclass
class Made:
    """All that the packages are filled with."""
    root: str  # of the checkout
    version: str  # "0.1.0"
    said: str  # what `--version` prints
    machine: str  # as uname says it: x86_64, aarch64
    time: int  # of everything inside, seconds since 1970: the same commit makes the same packages
    binary: bytes  # stripped
    manual: str
    completions: dict  # by shell
    maintainer: str  # "NAME <ADDRESS>": whom the .deb names
    extension: bytes = b""  # of the Python package, stripped; empty: it was not built
    quick: bool = False  # for tests: compressed in 2 s instead of 10, a sixth larger

    def text(self, name):
        with open(f"{self.root}/{name}", "rb") as f:
            return f.read()


def compressed(data):
    """As gzip -9n: without a name or a time."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as f:
        f.write(data)
    return out.getvalue()


# What people read and take over: pattern in the sources, and the folder that the files go to.
FOR_READERS = (
    ("docs/manual/*.md", "docs/manual"), ("docs/language/*.md", "docs/language"), ("docs/*.md", "docs"),
    ("examples/*.py", "examples"), ("examples/*.toml", "examples"),
    ("cmake/TilewrightKernels.cmake", "cmake"), ("protocol/schema/*.json", "schema"), ("docs/pytorch/torch_kernel.py", "launcher"),
)
# Notes about how the sources are worked on.
FOR_CONTRIBUTORS = ("contributing.md", "first-hour.md", "house.md", "style.md", "where.md")


def for_readers(made):
    """{path: bytes} of the manual, the language, examples, the CMake module, the schemas and the launcher."""
    out = {}
    for pattern, folder in FOR_READERS:
        for path in sorted(glob.glob(os.path.join(made.root, pattern))):
            if os.path.basename(path) not in FOR_CONTRIBUTORS:
                out[f"{folder}/{os.path.basename(path)}"] = made.text(os.path.relpath(path, made.root))
    return out


def shared(made):
    """{path below the prefix: (bytes, mode)}."""
    return {f"share/tilewright/{path}": (data, 0o644) for path, data in for_readers(made).items()} | {
        "bin/tilewright": (made.binary, 0o755),
        "share/man/man1/tilewright.1.gz": (compressed(made.manual.encode()), 0o644),
        "share/bash-completion/completions/tilewright": (made.completions["bash"].encode(), 0o644),
    }
