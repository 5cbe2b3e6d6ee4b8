"""A kernel's parameters beside what is given for them, and in words what is wrong with that."""
from tilewright import _launch
from tilewright._errors import ArgumentError
from tilewright._expressions import Expression

CPU, CUDA, CUDA_HOST, MANAGED = 1, 2, 3, 13
_DEVICES = {CPU: "the memory of this machine", CUDA: "a GPU", CUDA_HOST: "the memory of this machine", 4: "an OpenCL device",
            7: "a Vulkan device", 8: "a Metal device", 10: "a ROCm device", MANAGED: "managed memory", 14: "a oneAPI device"}

INT, UINT, FLOAT, OPAQUE, BFLOAT, COMPLEX, BOOL = range(7)
_NARROW = {"float8_e3m4": 7, "float8_e4m3": 8, "float8_e4m3b11fnuz": 9, "float8_e4m3fn": 10, "float8_e4m3fnuz": 11,
           "float8_e5m2": 12, "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14, "float6_e2m3fn": 15, "float6_e3m2fn": 16,
           "float4_e2m1fn": 17}
_LETTERS = {INT: "int", UINT: "uint", FLOAT: "float", BFLOAT: "bfloat", COMPLEX: "complex"}


def parsed_dtype(name):
    """(code, bits, lanes) of DLPack, for the script's name of a type."""
    lanes = 1
    head, cross, tail = name.rpartition("x")
    if cross and tail.isdigit():
        name, lanes = head, int(tail)
    if name == "bool":
        return BOOL, 8, lanes
    if name == "bfloat16":
        return BFLOAT, 16, lanes
    if name in _NARROW:
        return _NARROW[name], int(name[5]), lanes
    word = name.rstrip("0123456789")
    return {"int": INT, "uint": UINT, "float": FLOAT}[word], int(name[len(word):]), lanes


def dtype_words(dtype):
    code, bits, lanes = dtype
    for name, number in _NARROW.items():
        if number == code:
            return name + (f"x{lanes}" if lanes > 1 else "")
    if code == BOOL:
        return "bool"
    if code == OPAQUE:
        return f"raw elements of {bits // 8} bytes"
    return f"{_LETTERS.get(code, 'type')}{bits}" + (f"x{lanes}" if lanes > 1 else "")


class View:
    """Where a tensor's elements lie; strides in elements."""

    __slots__ = ("address", "device_type", "device", "dtype", "shape", "strides", "read_only", "owner")

    def __init__(self, parts):
        (self.address, self.device_type, self.device, self.dtype, self.shape, self.strides, self.read_only,
         self.owner) = parts

    @property
    def on_gpu(self):
        return self.device_type in (CUDA, MANAGED)

    @property
    def elements(self):
        """From the first element to the last one, as they lie in memory."""
        if 0 in self.shape:
            return 0
        return sum((n - 1) * abs(s) for n, s in zip(self.shape, self.strides)) + 1

    @property
    def bytes(self):
        return self.elements * self.dtype[1] * self.dtype[2] // 8


class Given:
    """One parameter of the script."""

    def __init__(self, row):
        at = row["range"]
        self.name = row["name"]
        self.kind = row["kind"]
        self.place = f"{at['file']}:{at['start']['line']}" if at.get("file") else ""
        self.dtype_name = row["dtype"]
        self.align = row.get("align", 1)
        self.access = row.get("access", "read")
        self.dtype = None if self.kind in ("tensor_map", "pointer") else parsed_dtype(self.dtype_name)
        self.shape = [Expression(e) for e in row.get("shape", [])]
        strides = row.get("strides")
        self.strides = None if strides is None else [Expression(e) for e in strides]
        self.first = Expression(row.get("first", 0))
        if self.kind == "tensor":
            self._pack()

    def _pack(self):
        """Elements as arrays hold them: vectors in one more dimension, parts of a byte in bytes."""
        code, bits, lanes = self.dtype
        self.scale = 1, 1  # extents of the last dimension: as the script has them, as the array has them
        if lanes > 1:
            self.shape.append(Expression(lanes))
            if self.strides is not None:
                self.strides = [Expression(_scaled(s.text, lanes, 1)) for s in self.strides] + [Expression(1)]
            self.dtype = code, bits, 1
        if bits < 8 and self.shape:
            self.scale = bits, 8
            last = self.shape[-1]
            self.shape[-1] = Expression(_scaled(last.text, bits, 8))
            if self.strides is not None:
                self.strides = [Expression(_scaled(s.text, bits, 8)) for s in self.strides[:-1]] + self.strides[-1:]
            self.dtype = UINT, 8, 1
        if self.strides is None and all(not e.names for e in self.shape):
            compact, out = 1, []
            for e in reversed(self.shape):
                out.append(Expression(compact))
                compact *= e.text
            self.strides = out[::-1]

    @property
    def is_tensor(self):
        return self.kind in ("tensor", "pointer")

    @property
    def written(self):
        return self.access != "read"

    def same_type(self, dtype):
        if self.kind == "pointer" or dtype == self.dtype:
            return True
        code, bits, lanes = self.dtype
        lacking = code > BOOL or code == BFLOAT
        raw = dtype[0] == OPAQUE or (lacking and dtype[0] == UINT)
        return (raw and dtype[1] * dtype[2] == bits * lanes) or (code == BOOL and dtype[0] == BOOL)

    def declared(self):
        if self.kind == "pointer":
            return f"{self.name}: a pointer"
        extents = ", ".join(str(e.text) for e in self.shape)
        return f"{self.name}: {self.dtype_name}" + (f"[{extents}]" if self.kind == "tensor" else "")


def _scaled(value, by, over):
    if isinstance(value, str):
        return f"({value}) * {by} // {over}" if over > 1 else f"({value}) * {by}"
    return value * by // over


class Checker:
    """Looks at the arguments of one call, and raises ArgumentError at the first that is wrong."""

    def __init__(self, kernel, arguments):
        self.kernel = kernel
        self.given = kernel._given
        self.arguments = arguments
        self.values = {}

    def fail(self, given, text):
        at = f" ({given.place})" if given and given.place else ""
        who = f"argument {given.name}{at}: " if given else ""
        raise ArgumentError(f"{self.kernel.entry}: {who}{text}", given.name if given else None,
                            given.place if given else None)

    def everything(self):
        """The views of the tensors (None for scalars). `values` has the numbers of all names then."""
        if len(self.arguments) != len(self.given):
            self.fail(None, f"{len(self.arguments)} arguments were given; the kernel takes {len(self.given)}: "
                            + ", ".join(g.declared() for g in self.given))
        views = [self.view(g, a) for g, a in zip(self.given, self.arguments)]
        self.places(views)
        for g, a in zip(self.given, self.arguments):
            if g.kind == "scalar":
                self.scalar(g, a)
        pairs = [(g, v) for g, v in zip(self.given, views) if v is not None]
        for g, v in pairs:
            self.shape(g, v)
        for g, v in pairs:
            self.extents(g, v)
        for g, v in pairs:
            self.memory(g, v)
        self.overlaps(pairs)
        return views

    def view(self, given, argument):
        if given.kind == "scalar":
            return None
        if argument is None:
            self.fail(given, f"None was given; the script declares {given.declared()}")
        try:
            found = _launch.view(argument)
        except Exception as error:  # of whatever library made the tensor
            self.fail(given, f"its {type(argument).__module__}.{type(argument).__name__} cannot be read: {error}"
                             + self.way_out(argument, error))
        if found is None:
            self.fail(given, f"{type(argument).__name__} is no tensor; the script declares {given.declared()}. Tensors "
                             "have __dlpack__, __cuda_array_interface__ or __array_interface__")
        return View(found)

    @staticmethod
    def way_out(argument, error):
        words = str(error)
        try:
            words += "deleted" if argument.is_deleted() else ""  # of jax
        except Exception:  # another library's
            pass
        if type(argument).__name__.endswith("Tracer"):
            return "; a function that jax traces has no values: call the kernel outside of jax.jit"
        if "grad" in words:
            return "; give tensor.detach()"
        if "deleted" in words or "donated" in words:
            return "; its memory was given away: use the array that took its place"
        return ""

    def places(self, views):
        """All on one device; `device` is None for the simulator."""
        pairs = [(g, v) for g, v in zip(self.given, views) if v is not None]
        for g, v in pairs:
            if v.device_type not in (CPU, CUDA, CUDA_HOST, MANAGED):
                self.fail(g, f"it lies on {_DEVICES.get(v.device_type, 'a device of another kind')}; kernels run on CUDA "
                             "GPUs, and on the simulator with tensors in the memory of this machine")
            if v.on_gpu and v.device < 0:
                self.fail(g, f"its address {v.address:#x} is no memory of a GPU: it was freed, or lies in the memory of this "
                             "machine")
        first = next(((g, v) for g, v in pairs), None)
        for g, v in pairs:
            if v.on_gpu != first[1].on_gpu:
                host, gpu = (g, first) if not v.on_gpu else (first[0], (g, v))
                self.fail(host, f"it lies in the memory of this machine, and {gpu[0].name} on GPU {gpu[1].device}: all "
                                "tensors of a call lie on one device; move it to the GPU")
            if v.on_gpu and v.device != first[1].device:
                self.fail(g, f"it lies on GPU {v.device}, and {first[0].name} on GPU {first[1].device}: all tensors of a "
                             f"call lie on one device; move it to GPU {first[1].device}")

    def scalar(self, given, argument):
        code, bits, _ = given.dtype
        if code in (INT, UINT, BOOL):
            try:
                value = argument.__index__()
            except Exception:  # of whatever was given: tensors of torch raise their own
                self.fail(given, f"{argument!r:.40} is no integer; the script declares {given.declared()}")
            low = -(1 << (bits - 1)) if code == INT else 0
            high = 1 if code == BOOL else (1 << (bits - (code == INT))) - 1
            if not low <= value <= high:
                self.fail(given, f"{value} does not fit {given.dtype_name}: {low} to {high}")
        else:
            try:
                value = float(argument)
            except Exception:  # likewise
                self.fail(given, f"{argument!r:.40} is no number; the script declares {given.declared()}")
        self.values[given.name] = value

    def shape(self, given, view):
        if not given.same_type(view.dtype):
            got = dtype_words(view.dtype)
            self.fail(given, f"its elements are {got}; the script declares {given.dtype_name}: "
                             f"give a tensor of {given.dtype_name}")
        if given.kind == "pointer":
            return
        if len(view.shape) != len(given.shape):
            self.fail(given, f"its shape {view.shape} has {_count(len(view.shape), 'dimension')}; the script declares "
                             f"{given.declared()}, {_count(len(given.shape), 'dimension')}")
        for at, (extent, wanted) in enumerate(zip(view.shape, given.shape)):
            if wanted.is_symbol:
                value = extent
                known = self.values.setdefault(wanted.text, value)
                if known != value:
                    self.fail(given, f"its shape is {view.shape}, and extent {at} is `{wanted.text}`, which is {known} in "
                                     "this call: extents of one name are equal")

    def extents(self, given, view):
        if given.kind == "pointer":
            return
        for at, (extent, wanted) in enumerate(zip(view.shape, given.shape)):
            value = self.value(wanted, given)
            if value is not None and extent != value:
                meaning = f" ({wanted.text} here)" if wanted.names else ""
                self.fail(given, f"its shape is {view.shape}; the script declares {given.declared()}: extent {at} is "
                                 f"{extent} instead of {value}{meaning}")
        if given.strides is None:
            return
        for at, wanted in enumerate(given.strides):
            value = self.value(wanted, given)
            if view.shape[at] != 1 and value is not None and view.strides[at] != value:
                self.fail(given, f"its strides are {view.strides} elements; the script's layout has "
                                 f"{tuple(self.value(s, given) for s in given.strides)}: give a contiguous copy"
                                 + (" (it is transposed)" if sorted(view.strides) == sorted(
                                     self.value(s, given) or 0 for s in given.strides) else ""))

    def value(self, expression, given=None):
        try:
            return expression.of(self.values)
        except KeyError:
            missing = sorted(n for n in expression.names if n not in self.values)
            if given is not None and len(missing) == 1:
                return None
            self.fail(given, f"`{', '.join(missing)}` has no value in this call: no argument's shape says it")
        except (ArithmeticError, TypeError, AttributeError) as error:
            self.fail(given, f"`{expression.text}` has no value in this call: {error}")

    def memory(self, given, view):
        if view.bytes and not view.address:
            self.fail(given, "it has no memory (a null pointer): its storage was freed or never made")
        if view.address % given.align:
            self.fail(given, f"its first element lies at {view.address:#x}, {view.address % given.align} bytes after a "
                             f"multiple of {given.align}; the kernel accesses {given.align} bytes at once: give a tensor "
                             f"whose address is a multiple of {given.align} (a copy, not a slice)")
        if given.written and view.read_only:
            self.fail(given, "it is read-only, and the kernel writes it: give a writable copy")

    def overlaps(self, pairs):
        for g, v in pairs:
            if not g.written or not v.bytes:
                continue
            for other, w in pairs:
                if other is g or not w.bytes or w.on_gpu != v.on_gpu:
                    continue
                low, high = max(v.address, w.address), min(v.address + v.bytes, w.address + w.bytes)
                if low < high:
                    does = "writes" if other.written else "reads"
                    self.fail(g, f"it shares {_count(high - low, 'byte')} with {other.name}, which the kernel {does}, and "
                                 f"the kernel writes {g.name}: CTAs run in any order; give each its own memory")


def _count(number, what):
    return f"{number} {what}" + ("" if number == 1 else "s")
