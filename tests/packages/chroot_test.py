#!/usr/bin/env python3
"""The packages in a bare system of another release: the .deb by its own dpkg, the wheel by its own Python.

    chroot_test.py bookworm|trixie|jammy|noble PACKAGES

PACKAGES is the folder that ./bootstrap package filled. Exit status 77: this machine cannot try it; the last line says why.
TILEWRIGHT_MIRROR names a Debian archive, TILEWRIGHT_UBUNTU_MIRROR an Ubuntu archive (default: archive.ubuntu.com).
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import scenario  # noqa: E402

SKIPPED = 77
UBUNTU = {"jammy", "noble"}
# What dpkg and apt write beside the packages themselves.
RECORDS = ("var/lib/dpkg/status", "var/lib/dpkg/status-old", "var/lib/dpkg/lock", "var/lib/dpkg/lock-frontend", "var/lib/dpkg/triggers/Lock",
           "var/log/dpkg.log", "var/cache/debconf", "var/lib/dpkg/diversions-old", "var/lib/dpkg/statoverride-old")
KEYS = {"debian": "/usr/share/keyrings/debian-archive-keyring.gpg", "ubuntu": "/usr/share/keyrings/ubuntu-archive-keyring.gpg"}


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def debian_mirror():
    if "TILEWRIGHT_MIRROR" in os.environ:
        return os.environ["TILEWRIGHT_MIRROR"]
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.startswith("URIs:") and "debian" in line:
                    return line.split()[1]
    return "http://deb.debian.org/debian"


def install_system(suite, where):
    """A minimal system with Python; without the archive's keys its signatures are not looked at, for it is thrown away at once."""
    family = "ubuntu" if suite in UBUNTU else "debian"
    mirror = os.environ.get("TILEWRIGHT_UBUNTU_MIRROR", "http://archive.ubuntu.com/ubuntu") if family == "ubuntu" else debian_mirror()
    keys = ["--keyring", KEYS[family]] if os.path.exists(KEYS[family]) else ["--no-check-gpg"]
    components = ["--components=main,universe"] if family == "ubuntu" else []  # Ubuntu has python3-venv in universe
    print(f"── {suite}, bare, from {mirror}" + ("" if os.path.exists(KEYS[family]) else "; its keys are not here, signatures not checked"), flush=True)
    said = subprocess.run(["debootstrap", "--variant=minbase", "--include=python3,python3-venv", *components, *keys, suite, where, mirror],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said.returncode != 0:
        skip(f"debootstrap could not make {suite} from {mirror}: " + (said.stdout.strip().splitlines() or ["no word"])[-1])


def tree(root, but=RECORDS):
    out = {}
    for where, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not os.path.ismount(os.path.join(where, name))]
        for name in folders + files:
            path = os.path.relpath(os.path.join(where, name), root)
            if not path.startswith(but) and "__pycache__" not in path:
                out[path] = os.lstat(os.path.join(root, path)).st_size if name in files else "folder"
    return out


def inside(root, *command):
    """With nothing of this machine's environment."""
    return ["chroot", root, "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", *command]


def must(root, *command):
    said = subprocess.run(inside(root, *command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {said.returncode}\n{said.stdout}")
    return said.stdout


def differences(before, after):
    return sorted(set(before.items()) ^ set(after.items()))


def expect_no_trace(what, before, after):
    if before != after:
        sys.exit(f"{what} left traces: {differences(before, after)[:20]}")
    print(f"ok    {what}: works, and is removed without a trace", flush=True)


def the_deb(root, packages):
    before = tree(root)
    deb, = glob.glob(os.path.join(packages, "*.deb"))
    shutil.copy(deb, os.path.join(root, "tilewright.deb"))
    must(root, "dpkg", "--install", "/tilewright.deb")
    scenario.try_out(inside(root, "tilewright"), environment=dict(os.environ))
    must(root, "test", "-x", "/usr/bin/tilewright")
    must(root, "dpkg", "--verify", "tilewright")
    must(root, "dpkg", "--purge", "tilewright")
    os.remove(os.path.join(root, "tilewright.deb"))
    expect_no_trace("the .deb", before, tree(root))


def the_wheel(root, packages):
    must(root, "python3", "-m", "venv", "/environment")
    before = tree(root)
    wheel, = glob.glob(os.path.join(packages, "*.whl"))
    shutil.copy(wheel, root)
    must(root, "/environment/bin/pip", "install", "--no-index", "/" + os.path.basename(wheel))
    scenario.try_out(inside(root, "/environment/bin/tilewright"), environment=dict(os.environ))
    must(root, "/environment/bin/pip", "uninstall", "--yes", "tilewright")
    os.remove(os.path.join(root, os.path.basename(wheel)))
    expect_no_trace("the wheel", before, tree(root))


def main():
    suite, packages = sys.argv[1:]
    if os.getuid() != 0:
        skip("a system in a folder needs root")
    if not shutil.which("debootstrap"):
        skip("there is no debootstrap here (apt-get install debootstrap)")
    if not glob.glob(os.path.join(packages, "*.deb")):
        skip("there are no packages: this system's binary is not packaged (./bootstrap package says why)")
    root = tempfile.mkdtemp(prefix="tilewright-packages-", dir="/var/tmp")
    try:
        install_system(suite, root)
        print("      glibc " + must(root, "ldd", "--version").splitlines()[0].split()[-1], flush=True)
        the_deb(root, packages)
        the_wheel(root, packages)
    finally:
        # debootstrap mounts /proc there for a while; nothing is removed through a mount that is left.
        subprocess.run(["umount", "-l", os.path.join(root, "proc")], stderr=subprocess.DEVNULL)
        subprocess.run(["umount", "-l", os.path.join(root, "sys")], stderr=subprocess.DEVNULL)
        with open("/proc/mounts", encoding="utf-8") as f:
            if f" {root}" not in f.read():
                shutil.rmtree(root)


if __name__ == "__main__":
    main()
