"""A Python wheel that puts the binary on the path, as those of other tools in compiled languages do.

A wheel is a zip file with a few texts (packaging.python.org, "Binary distribution format"): making one needs no tool and no
network. pip copies what lies in *.data/scripts to the environment's bin, executable.
"""
import base64
import hashlib
import os
import re
import time
import zipfile

from contents import for_readers
from glibc import PROMISED

MODULE = {
    "tilewright/__init__.py": '''\
"""Tilewright: compiler service and language server for TIRx tile scripts."""
import os
import sys
import sysconfig


def find_tilewright_bin():
    """The path of the binary that was installed with this package."""
    places = [sysconfig.get_path("scripts"), os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin"),
              sysconfig.get_path("scripts", scheme=f"{os.name}_user")]
    for place in places:
        path = os.path.join(place, "tilewright")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("tilewright is not beside its package: looked in " + ", ".join(places))
''',
    "tilewright/__main__.py": '''\
import os
import sys

from tilewright import find_tilewright_bin

if __name__ == "__main__":
    binary = find_tilewright_bin()
    os.execv(binary, [binary, *sys.argv[1:]])
''',
}
METADATA = """\
Metadata-Version: 2.1
Name: tilewright
Version: {version}
Summary: Compiler service and language server for TIRx tile scripts
Author: The Tilewright authors
License: Apache-2.0
Keywords: TIRx,TVMScript,CUDA,GPU,kernels,language server
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Software Development :: Compilers
Requires-Python: >=3.8
Provides-Extra: cuda
{requirements}Description-Content-Type: text/markdown

{readme}"""


def cuda_requirements(root):
    """NVIDIA's wheels, as ./bootstrap itself takes them."""
    with open(f"{root}/cmake/cuda-wheels.txt", encoding="utf-8") as f:
        pins = re.findall(r"^([a-z0-9-]+==[0-9.]+)", f.read(), re.M)
    return "".join(f"Requires-Dist: {pin} ; extra == 'cuda'\n" for pin in pins)


def record_line(path, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"


def make(made, folder):
    tag = f"py3-none-manylinux_{PROMISED[0]}_{PROMISED[1]}_{made.machine}"
    name = f"tilewright-{made.version}"
    info = f"{name}.dist-info"
    metadata = METADATA.format(version=made.version, requirements=cuda_requirements(made.root),
                               readme=made.text("README.md").decode())
    files = {path: text.encode() for path, text in MODULE.items()}
    files[f"{name}.data/scripts/tilewright"] = made.binary
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tilewright\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    for text in ("LICENSE", "THIRD-PARTY-NOTICES.txt"):
        files[f"{info}/licenses/{text}"] = made.text(text)
    files |= {f"tilewright/share/{path}": data for path, data in for_readers(made).items()}
    record = f"{info}/RECORD"
    files[record] = ("".join(record_line(*file) for file in files.items()) + f"{record},,\n").encode()
    path = os.path.join(folder, f"{name}-{tag}.whl")
    date = time.gmtime(max(made.time, 315532800))[:6]  # a zip file knows no year before 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for inside, data in files.items():
            entry = zipfile.ZipInfo(inside, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in inside else 0o100644) << 16
            archive.writestr(entry, data)
    return path
