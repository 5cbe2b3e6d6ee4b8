"""A call on the simulator: tensors in the memory of this machine, given to `tilewright run` and taken back."""
import ctypes
import os
import shutil
import tempfile

from tilewright._arguments import BOOL, FLOAT, INT, Checker
from tilewright._binary import answer
from tilewright._errors import RunError, diagnostic_line


def _typestr(dtype):
    code, bits, lanes = dtype
    letter = {INT: "i", FLOAT: "f", BOOL: "b"}.get(code, "u")
    size = bits * lanes // 8
    return ("|" if size == 1 else "<") + letter + str(size)


def _write(path, typestr, shape, address, size):
    """A file of numpy's, version 1.0, with the bytes that lie there."""
    text = f"{{'descr': '{typestr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode())
        if size:
            f.write((ctypes.c_char * size).from_address(address))


def _read(path, address, size):
    with open(path, "rb") as f:
        head = f.read(10)
        length = int.from_bytes(head[8:10], "little") if head[6] == 1 else None
        if length is None:
            length = int.from_bytes(head[8:10] + f.read(2), "little")
        f.seek(length + (10 if head[6] == 1 else 12))
        data = f.read()
    if len(data) != size:
        raise RunError(f"{os.path.basename(path)} has {len(data)} bytes, and the tensor {size}")
    ctypes.memmove(address, data, size)


def _compact(view):
    expected = 1
    for n, s in zip(reversed(view.shape), reversed(view.strides)):
        if n != 1 and s != expected:
            return False
        expected *= n
    return True


def simulate(kernel, arguments):
    checker = Checker(kernel, arguments)
    views = checker.everything()
    kernel._numbers(checker)
    folder = tempfile.mkdtemp(prefix="tilewright-")
    try:
        words = ["run", kernel.script.path, "--entry", kernel.entry, "--on", "sim", "--json", "--schedules", "1", "--reference",
                 "none", "-o", os.path.join(folder, "out"), *kernel.script.options()]
        for at, (given, view) in enumerate(zip(kernel._given, views)):
            if view is None:
                words += ["--set", f"{given.name}={checker.values[given.name]}"]
                continue
            dtype = given.dtype if given.kind == "tensor" else (1, 8, 1)
            compact = given.kind == "tensor" and _compact(view)
            flat = view.bytes // (dtype[1] * dtype[2] // 8)
            path = os.path.join(folder, f"{at}.npy")
            _write(path, _typestr(dtype), view.shape if compact else (flat,), view.address, view.bytes)
            words += ["--input", f"{given.name}={path}"]
        for name in sorted({e.text for g in kernel._given for e in g.shape if e.is_symbol}):
            words += ["--set", f"{name}={checker.values[name]}"]
        status, report, said = answer(words)
        _judge(kernel, status, report, said)
        for given, view in zip(kernel._given, views):
            path = os.path.join(folder, "out", given.name + ".npy")
            if view is not None and given.written and os.path.exists(path):
                _read(path, view.address, view.bytes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _judge(kernel, status, report, said):
    """Raises what the simulator found, but for warnings."""
    if report is None or "verdict" not in report:
        raise RunError(f"{kernel.entry}: {said or 'the simulator did not answer'}", report)
    errors = [f for f in report.get("findings", []) if f["severity"] != "warning"]
    if status == 0 and not errors:
        return
    lines = [diagnostic_line(f) for f in errors] or report.get("problems") or [said]
    raise RunError(f"{kernel.entry}: the simulator says {report['verdict']}\n" + "\n".join(lines), report)
