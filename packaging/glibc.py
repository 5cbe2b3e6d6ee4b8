"""What the binary asks of a machine: its shared libraries, and the newest glibc among the versions of its symbols."""
import re
import subprocess

# Ubuntu 22.04; the platform tag of the wheel and the dependency of the .deb say the same.
PROMISED = (2, 35)
# All of them are part of glibc.
LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def words(version):
    return ".".join(str(part) for part in version)


def asked(binary):
    """{version: [symbols]} of glibc, and the names of the shared libraries."""
    symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", binary], check=True, capture_output=True, text=True).stdout
    dynamic = subprocess.run(["readelf", "--dynamic", "--wide", binary], check=True, capture_output=True, text=True).stdout
    versions = {}
    for name, version in re.findall(r"\bUND (\S+?)@GLIBC_([0-9.]+)", symbols):
        versions.setdefault(tuple(int(part) for part in version.split(".")), []).append(name)
    return versions, set(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))


def broken_promises(binary):
    """Why this binary does not start on every machine with the promised glibc; nothing: it does."""
    versions, libraries = asked(binary)
    out = [f"it needs the shared library {name}" for name in sorted(libraries - LIBRARIES)]
    for version in sorted(versions, reverse=True):
        if version > PROMISED:
            out.append(f"it needs glibc {words(version)} for {', '.join(sorted(versions[version]))}")
    return out
