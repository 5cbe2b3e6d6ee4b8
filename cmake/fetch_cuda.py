"""fetch_cuda.py LIST FOLDER: downloads the wheels of LIST (pip checks their digests) and unpacks them into FOLDER.

FOLDER appears only when it is complete, and keeps a copy of LIST, by which `./bootstrap` sees that it is current.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

# 120 MB that nothing here uses: the second allocator's NVRTC and static libraries.
UNUSED = (".alt.so", "libcudadevrt.a", "libcudart_static.a")


def main(wheel_list, folder):
    parent = os.path.dirname(os.path.abspath(folder))
    with tempfile.TemporaryDirectory(prefix=".cuda-", dir=parent) as scratch:
        wheels, tree = os.path.join(scratch, "wheels"), os.path.join(scratch, "tree")
        subprocess.check_call([sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes",
                               "--disable-pip-version-check", "-d", wheels, "-r", wheel_list])
        for name in sorted(os.listdir(wheels)):
            print(f"   unpacking {name.split('-py3')[0]}", flush=True)
            with zipfile.ZipFile(os.path.join(wheels, name)) as archive:
                archive.extractall(tree, [m for m in archive.namelist() if not any(u in m for u in UNUSED)])
        for root, _, files in os.walk(tree):
            if os.path.basename(root) == "bin":
                for file in files:
                    os.chmod(os.path.join(root, file), 0o755)  # zip archives carry no execute bit through zipfile
        shutil.copy(wheel_list, os.path.join(tree, "wheels.txt"))
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(tree, folder)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode or 1)
