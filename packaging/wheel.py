"""A Python wheel: the module `tilewright` of python/, and the binary on the path, as other tools in compiled languages have it.

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

# Python finds the plugin of pytest by it.
ENTRY_POINTS = """\
[pytest11]
tilewright = tilewright.pytest_plugin
"""
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
Requires-Python: >=3.9
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


def module(made):
    """{path in the wheel: contents} of the package, with the extension if it was built."""
    folder = os.path.join(made.root, "python")
    out = {}
    for package in ("tilewright", "tvm-stubs"):
        for where, folders, names in os.walk(os.path.join(folder, package)):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for name in sorted(n for n in names if n.endswith((".py", ".pyi", "py.typed"))):
                path = os.path.join(where, name)
                with open(path, "rb") as f:
                    out[os.path.relpath(path, folder)] = f.read()
    if made.extension:
        out["tilewright/_launch.abi3.so"] = made.extension
    return out


def make(made, folder):
    # The extension keeps to the stable ABI of Python 3.9.
    tag = f"{'cp39-abi3' if made.extension else 'py3-none'}-manylinux_{PROMISED[0]}_{PROMISED[1]}_{made.machine}"
    name = f"tilewright-{made.version}"
    info = f"{name}.dist-info"
    metadata = METADATA.format(version=made.version, requirements=cuda_requirements(made.root),
                               readme=made.text("README.md").decode())
    files = module(made)
    files[f"{name}.data/scripts/tilewright"] = made.binary
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tilewright\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
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
            entry.external_attr = (0o100755 if "/scripts/" in inside or inside.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, data)
    return path
