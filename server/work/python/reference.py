"""Computes what tensors should hold, by a function of the user's: the other end of server/work/python_reference.cpp.

    reference.py FOLDER

FOLDER/request.json says which function of which file, and of which tensors, whose contents are FOLDER/0.npy and so on. What
it returns goes to FOLDER/out/0.npy and so on. Exit status 3, or 4 without numpy: the last line of standard error says what is
wrong.
"""
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import os
import sys
import traceback


def refuse(text, status=3):
    print(text, file=sys.stderr)
    sys.exit(status)


class Inert:
    """What the script takes from the dialect. The reference does not need it, and a tile script does not need TVM here."""

    def __call__(self, *_, **__):
        return self

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __mro_entries__(self, _):
        return ()

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __bool__(self):
        return False

    def __hash__(self):
        return 0

    def _same(self, *_):
        return self

    __getitem__ = __setitem__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __pos__ = __invert__ = _same
    __add__ = __sub__ = __mul__ = __matmul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __and__ = __or__ = _same
    __radd__ = __rsub__ = __rmul__ = __rmatmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rand__ = _same
    __ror__ = __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _same


class Dialect(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tvm` and all below it."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] != "tvm":
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        inert = Inert()
        module.__getattr__ = lambda name: inert if not name.startswith("__") else _missing(name)


def _missing(name):
    raise AttributeError(name)


# ---- types that numpy lacks: their numbers are those of float32, and go back to the nearest ----


def narrow_values(numpy, name):
    """The number of each of the 256 codes of a float of 8 bits; None: it is no such type."""
    shapes = {"float8_e4m3fn": (4, 3, 7, True), "float8_e5m2": (5, 2, 15, False)}
    if name not in shapes:
        return None
    exponent_bits, mantissa_bits, bias, finite = shapes[name]
    codes = numpy.arange(256)
    mantissa = codes & ((1 << mantissa_bits) - 1)
    exponent = (codes >> mantissa_bits) & ((1 << exponent_bits) - 1)
    scale = numpy.ldexp(1.0, numpy.maximum(exponent, 1) - bias - mantissa_bits)
    values = (mantissa + numpy.where(exponent > 0, 1 << mantissa_bits, 0)) * scale
    top = exponent == (1 << exponent_bits) - 1
    if finite:
        values = numpy.where(top & (mantissa == (1 << mantissa_bits) - 1), numpy.nan, values)
    else:
        values = numpy.where(top, numpy.where(mantissa == 0, numpy.inf, numpy.nan), values)
    return numpy.where(codes & 128, -values, values).astype("float32")


def decoded(numpy, array, dtype):
    if dtype == "bfloat16":
        return (array.astype("uint32") << 16).view("float32")
    values = narrow_values(numpy, dtype)
    return array if values is None else values[array]


def encoded(numpy, array, dtype, stored):
    if dtype == "bfloat16":
        bits = numpy.ascontiguousarray(array, "float32").view("uint32")
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return numpy.where(numpy.isnan(array), (bits >> 16) | 0x40, rounded).astype("uint16")
    values = narrow_values(numpy, dtype)
    if values is None:
        return numpy.ascontiguousarray(array).astype(stored.dtype)
    number = numpy.asarray(array, "float32")
    codes = numpy.flatnonzero(numpy.isfinite(values[:128]))
    up = numpy.clip(numpy.searchsorted(values[codes], numpy.abs(number)), 0, len(codes) - 1)
    down = numpy.maximum(up - 1, 0)
    low, high = values[codes[down]], values[codes[up]]
    nearer_up = numpy.abs(high - numpy.abs(number)) < numpy.abs(numpy.abs(number) - low)
    even_up = (numpy.abs(high - numpy.abs(number)) == numpy.abs(numpy.abs(number) - low)) & (codes[up] % 2 == 0)
    out = codes[numpy.where(nearer_up | even_up, up, down)] | numpy.where(numpy.signbit(number), 128, 0)
    return numpy.where(numpy.isnan(number), 0x7F, out).astype("uint8")


# ---- the call ----


def function_of(request):
    path = request["file"]
    sys.path.insert(0, os.path.dirname(path))
    sys.meta_path.insert(0, Dialect())
    spec = importlib.util.spec_from_file_location("tilewright_reference", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found = getattr(module, request["function"], None)
    if not callable(found) or isinstance(found, Inert):
        names = sorted(n for n, f in vars(module).items() if inspect.isfunction(f))
        refuse(f"{path} has no function {request['function']} of plain Python; it has {', '.join(names) or 'none'}")
    return found


def wants_torch(function):
    return any("torch" in str(p.annotation) for p in inspect.signature(function).parameters.values()
               if p.annotation is not p.empty)


def as_torch(numpy, array, dtype):
    import torch

    own = getattr(torch, dtype, None)
    tensor = torch.from_numpy(numpy.ascontiguousarray(array))
    return tensor if own is None or tensor.dtype == own else tensor.view(own)


def plain(numpy, value, dtype):
    """An array of numpy's, for whatever the function returned."""
    if type(value).__module__.split(".")[0] == "torch":
        value = value.detach().cpu()
        if not str(value.dtype).split(".")[-1] in ("float16", "float32", "float64") and value.is_floating_point():
            value = value.float()
        return value.numpy()
    return numpy.asarray(value)


def arguments_of(numpy, function, request, stored):
    torch = wants_torch(function)
    given = {}
    for t in request["tensors"]:
        array = stored[t["name"]]
        given[t["name"]] = as_torch(numpy, array, t["dtype"]) if torch else decoded(numpy, array, t["dtype"]).copy()
    numbers = request["numbers"]
    call = {}
    for name, p in inspect.signature(function).parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if name in given or name in numbers:
            call[name] = given.get(name, numbers.get(name))
        elif p.default is p.empty:
            known = ", ".join([*given, *numbers])
            refuse(f"{request['function']} has a parameter {name}, and the kernel no tensor, scalar or extent of that "
                   f"name; it has {known}")
    return call


def results_of(returned, call, request):
    outputs = [t["name"] for t in request["tensors"] if t["role"] != "input"]
    if isinstance(returned, dict):
        return returned
    if returned is None:
        return {name: call[name] for name in outputs if name in call}
    if isinstance(returned, (tuple, list)):
        if len(returned) != len(outputs):
            refuse(f"{request['function']} returned {len(returned)} arrays; the kernel writes {', '.join(outputs)}")
        return dict(zip(outputs, returned))
    if len(outputs) != 1:
        refuse(f"{request['function']} returned one array, and the kernel writes {', '.join(outputs)}: return a "
               "dictionary of names and arrays")
    return {outputs[0]: returned}


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as f:
        request = json.load(f)
    try:
        import numpy
    except ImportError:
        refuse(f"a reference in Python needs numpy, which {sys.executable} does not have: install it there, or name "
               "another interpreter with --python or TILEWRIGHT_PYTHON", 4)
    stored = {t["name"]: numpy.load(os.path.join(folder, t["file"])) for t in request["tensors"]}
    try:
        function = function_of(request)
        call = arguments_of(numpy, function, request, stored)
        results = results_of(function(**call), call, request)
    except Exception as error:
        traceback.print_exc()
        refuse(f"{request['function']} raised {type(error).__name__}: {error}")
    written = [t["name"] for t in request["tensors"] if t["role"] != "input"]
    if not set(results) & set(written):
        refuse(f"{request['function']} returned {', '.join(results) or 'nothing'}; the kernel writes {', '.join(written)}")
    os.makedirs(os.path.join(folder, "out"))
    for t in request["tensors"]:
        if t["name"] not in results or t["role"] == "input":
            continue
        array = plain(numpy, results[t["name"]], t["dtype"])
        like = stored[t["name"]]
        if array.shape != like.shape:
            refuse(f"{request['function']} computed {t['name']} with the shape {array.shape}; the tensor's is {like.shape}")
        numpy.save(os.path.join(folder, "out", t["file"]), encoded(numpy, array, t["dtype"], like))


if __name__ == "__main__":
    main()
