"""Kernels of tile scripts as functions of tensors."""
import base64
import os
import struct

from tilewright import _launch
from tilewright._arguments import BFLOAT, BOOL, FLOAT, Checker, Given, parsed_dtype
from tilewright._binary import answer
from tilewright._errors import CompileError, Error, diagnostic_line, driver_error
from tilewright._expressions import Expression

_COOPERATIVE, _CLUSTER, _OVERLAPS, _PREFERRED = 2, 4, 6, 11  # CUlaunchAttributeID
_POINTER, _CONSTANT, _SCALAR, _MAP, _MAP_ADDRESS = range(5)
_OTHER_CLUSTERS = 8  # CTAs: what a larger cluster has to be allowed


def load(path: "str | os.PathLike[str]", *, arch=None, dialect=None) -> "Script":
    """A tile script. Nothing of it is compiled before a kernel is asked for.

    arch: the architecture to compile for, such as "sm_90a" (default: the device's own; of the simulator what the script
    needs). dialect: the release that it is written in, such as "0.26" (default: as the command line finds it).
    """
    return Script(path, arch=arch, dialect=dialect)


class Script:
    """A script whose kernels are taken by their entries: load("gemm.py")["gemm(4096, 4096, 4096)"]."""

    def __init__(self, path, *, arch=None, dialect=None):
        self.path = os.path.abspath(os.fspath(path))
        if not os.path.isfile(self.path):
            raise FileNotFoundError(f"{path}: there is no such script")
        self.arch = arch
        self.dialect = dialect
        self._kernels = {}

    def __getitem__(self, entry) -> "Kernel":
        if not isinstance(entry, str):
            raise TypeError(f"an entry is a text, as {self!r}.entries lists them, not {type(entry).__name__}")
        if entry not in self._kernels:
            self._kernels[entry] = Kernel(self, entry)
        return self._kernels[entry]

    def __iter__(self):
        return iter(self.entries)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"a script is not called: its kernels are, script[{self._some_entry()!r}](...)")

    def __getattr__(self, name):
        own = "" if name.startswith("_") else f"; a kernel is script[{name!r}], and .entries lists them"
        raise AttributeError(f"a script has no attribute {name!r}{own}")

    def _some_entry(self):
        try:
            return next(iter(self.entries), "entry")
        except Error:
            return "entry"

    @property
    def entries(self):
        """The expressions that yield kernels, as `tilewright entries` lists them."""
        _, said, words = answer(["entries", self.path, "--json"])
        if said is None:
            raise Error(words)
        return [e["entry"] for e in said["entries"]]

    def __repr__(self):
        return f"<tilewright script {self.path}>"

    def options(self, arch=None):
        arch = arch or self.arch
        return [*(["--arch", arch] if arch else []), *(["--dialect", self.dialect] if self.dialect else [])]


class Kernel(_launch.Launcher):
    """One kernel. Called with tensors and numbers in the order of the script's parameters, or by their names.

    Tensors of a GPU (torch, cupy, jax, numba: DLPack or __cuda_array_interface__) are worked on in the current stream of
    their library, or in `stream=`. Tensors in the memory of this machine (numpy, torch) run on the simulator.
    """

    def __init__(self, script, entry):
        self.script = script
        self.entry = entry
        self.arch = None
        self._devices = {}
        self._process = os.getpid()
        self._take(self._compiled(script.arch, "plan"))

    def __repr__(self):
        return f"<tilewright kernel {self.entry} of {self.script.path}>"

    @property
    def signature(self):
        """The parameters, in words: ["A: float16[4096, 4096]", ...]."""
        return [g.declared() for g in self._given]

    def export(self, path, arch=None):
        """Writes the kernel as a shared library that `tvm_ffi.load_module` takes, with a function named like the entry;
        a path that ends in .cpp gets its text. `arch`: for which GPU; default: what the script says."""
        path = os.fspath(path)
        status, _, words = answer(["export", self.script.path, "--entry", self.entry, "-o", path,
                                   *self.script.options(arch)])
        if status:
            raise CompileError(f"{self.entry}: {words}")

    # ---- compiling -------------------------------------------------------------------------------------------------

    def _compiled(self, arch, emit):
        script = self.script
        status, said, words = answer(["compile", script.path, "--entry", self.entry, "--emit", emit, "--json",
                                      *script.options(arch)])
        kernels = [k for k in (said or {}).get("kernels", [])]
        errors = [d for d in (said or {}).get("diagnostics", []) if d["severity"] == "error"]
        if errors or said is None or (status and not kernels):
            text = "\n".join(map(diagnostic_line, errors)) or words
            raise CompileError(f"{self.entry}: {text}", errors)
        if len(kernels) != 1:
            raise CompileError(f"{self.entry}: it yields {len(kernels)} kernels; name one. `tilewright entries` lists them")
        made = kernels[0]
        if "plan" not in made or ("cubin" in emit and "cubin" not in made["sources"]):
            raise CompileError(f"{self.entry}: {words or 'it was not compiled'}")
        return made

    def _take(self, made):
        plan, call = made["plan"], made["call"]
        if call.get("refused"):
            raise CompileError(f"{self.entry}: it cannot be called from here: {call['refused']}")
        self.arch = made["arch"]
        self._plan, self._call = plan, call
        self._given = [Given(row) for row in call["signature"]]
        for g in self._given:
            if g.kind == "tensor_map":
                raise CompileError(f"{self.entry}: {g.name} ({g.place}) is a tensor map that its caller makes; only maps "
                                   "that the script encodes can be passed from here")
        launch = plan["launch"]
        self._launch = {k: [Expression(e) for e in launch[k]] for k in ("grid", "block", "cluster", "preferred_cluster")
                        if k in launch}
        self._values = [(v["name"], Expression(v["value"])) for v in call["values"]]
        self._checks = [(Expression(c["condition"]), c["message"]) for c in call["checks"]]
        self._arguments = [{**a, "value": Expression(a["value"]) if "value" in a else None,
                            "byte_offset": [Expression(e) for e in a.get("byte_offset", [])]} for a in call["arguments"]]
        self._maps = [{k: [Expression(e) for e in v] if isinstance(v, list) else Expression(v) if k == "byte_offset" else v
                       for k, v in m.items()} for m in plan["tensor_maps"]]
        self._index = {g.name: i for i, g in enumerate(self._given)}
        self._set_signature(tuple(self._row(g) for g in self._given))

    def _row(self, g):
        if g.kind == "scalar":
            return 2, *g.dtype, (), (), 1, False, g.name in self._deciding()
        if g.kind == "pointer":
            return 1, 1, 8, 1, (), None, g.align, g.written, False
        def free(e):
            return -1 if e.names else e.text
        strides = None if g.strides is None else tuple(map(free, g.strides))
        return 0, *g.dtype, tuple(map(free, g.shape)), strides, g.align, g.written, False

    def _deciding(self):
        """Names that the launch follows from."""
        all_of = [e for es in self._launch.values() for e in es] + [e for _, e in self._values]
        all_of += [e for e, _ in self._checks]
        for g in self._given:
            all_of += [*g.shape, *(g.strides or []), g.first]
        for a in self._arguments:
            all_of += a["byte_offset"]
            if a["value"] is not None and a["value"].text != a.get("name"):
                all_of.append(a["value"])
        for m in self._maps:
            all_of += [e for v in m.values() if isinstance(v, list) for e in v] + [m["byte_offset"]]
        return frozenset().union(*[e.names for e in all_of]) if all_of else frozenset()

    # ---- what the launcher asks ------------------------------------------------------------------------------------

    def _load(self, device):
        """Compiles for a device, and loads the kernel there."""
        if os.getpid() != self._process:
            raise Error(f"{self.entry}: this process was forked after the kernel was made, and a CUDA context does not "
                        "survive a fork: load the script again in the child, or start processes with 'spawn'")
        open_driver()
        major, minor = _launch.capability(device)
        own = f"sm_{major}{minor}" + ("a" if major >= 9 else "")
        if self._devices and own != next(iter(self._devices.values())):
            other, arch = next(iter(self._devices.items()))
            raise Error(f"{self.entry}: GPU {device} is {own}, and the kernel was loaded for {arch} on GPU {other}: load "
                        "the script a second time for it")
        made = self._compiled(self.script.arch or own, "plan,cubin")
        self._take(made)
        plan = self._plan
        cluster = 1
        for e in self._launch.get("preferred_cluster") or self._launch["cluster"]:
            cluster *= e.text if not e.names else 1
        symbols = tuple(m["symbol"] for m in self._call["maps"])
        loaded = _launch.load(device, base64.b64decode(made["sources"]["cubin"]) + b"\0", plan["symbol"],
                              plan["dynamic_shared_bytes"], cluster > _OTHER_CLUSTERS, symbols)
        self._devices[device] = own
        self._set_function((device, *loaded))

    def _bind(self, arguments, key):
        checker = Checker(self, arguments)
        views = checker.everything()
        launch = self._numbers(checker)
        params = tuple(self._param(a, checker) for a in self._arguments)
        maps = tuple(self._map(m, i, checker) for i, m in enumerate(self._maps))
        size = tuple(v.bytes if v is not None else 0 for v in views)
        self._add_binding((key, launch["grid"], launch["block"], self._plan["dynamic_shared_bytes"],
                           self._attributes(launch), size, params, maps))

    def _numbers(self, checker):
        """Grid, block and cluster in numbers, after the host part's values and checks."""
        for name, value in self._values:
            checker.values[name] = checker.value(value)
        for condition, message in self._checks:
            if not checker.value(condition):
                checker.fail(None, f"an assertion of the script fails: {message or condition.text}")
        most = {"grid": ((1 << 31) - 1, 65535, 65535), "block": (1024, 1024, 64), "cluster": (16, 16, 16),
                "preferred_cluster": (16, 16, 16)}
        out = {}
        for name, extents in self._launch.items():
            out[name] = tuple(checker.value(e) for e in extents)
            for axis, value, limit in zip("xyz", out[name], most[name]):
                if not 1 <= value <= limit:
                    checker.fail(None, f"the {name.replace('_', ' ')}'s {axis} is {value} with "
                                       f"{self._said(checker)}; it has to lie between 1 and {limit}")
        for axis, grid, cluster in zip("xyz", out["grid"], out["cluster"]):
            if grid % cluster:
                checker.fail(None, f"the grid's {axis} is {grid}, no multiple of the cluster's {cluster}")
        return out

    @staticmethod
    def _said(checker):
        return ", ".join(f"{k} = {v}" for k, v in checker.values.items()) or "these arguments"

    def _attributes(self, launch):
        asked, out = self._plan["attributes"], []
        if launch["cluster"] != (1, 1, 1) or "preferred_cluster" in launch:
            out.append((_CLUSTER, *launch["cluster"]))
        if "preferred_cluster" in launch:
            out.append((_PREFERRED, *launch["preferred_cluster"]))
        if asked.get("cooperative"):
            out.append((_COOPERATIVE, 1, 0, 0))
        if asked.get("programmatic_dependent_launch"):
            out.append((_OVERLAPS, 1, 0, 0))
        return tuple(out)

    def _param(self, a, checker):
        if a["kind"] in ("map", "map_address"):
            return (_MAP if a["kind"] == "map" else _MAP_ADDRESS), a["map"], 0
        if a["kind"] == "pointer":
            return _POINTER, self._index[a["of"]], sum(checker.value(e) for e in a["byte_offset"])
        at = self._index.get(a["name"])
        if a["value"].text == a["name"] and at is not None and self._given[at].kind == "scalar":
            return _SCALAR, at, 0
        return _CONSTANT, 0, _bits(a["dtype"], checker.value(a["value"]))

    def _map(self, m, at, checker):
        def numbers(name):
            return tuple(checker.value(e) for e in m[name])
        said = self._call["maps"][at]
        return (self._index[m["param"]], checker.value(m["byte_offset"]), said["type"], numbers("dims"), numbers("strides"),
                numbers("box"), numbers("element_strides"), m["interleave"], m["swizzle"], m["l2_promotion"], m["oob_fill"],
                at if said["symbol"] else -1)

    def _explain(self, arguments):
        Checker(self, arguments).everything()
        raise Error(f"{self.entry}: the call was refused, and no check says why; please report this")

    def _simulate(self, arguments):
        from tilewright._simulate import simulate

        simulate(self, arguments)

    def _arrange(self, arguments, options):
        options = dict(options)
        stream = options.pop("stream", None)
        names = [g.name for g in self._given]
        unknown = [name for name in options if name not in names]
        if unknown:
            raise TypeError(f"{self.entry}: there is no argument '{unknown[0]}'; the kernel takes {', '.join(names)}")
        for name in names[:len(arguments)]:
            if name in options:
                raise TypeError(f"{self.entry}: argument '{name}' is given twice")
        missing = [name for name in names[len(arguments):] if name not in options]
        if missing:
            raise TypeError(f"{self.entry}: argument '{missing[0]}' is missing; the kernel takes {', '.join(names)}")
        return (*arguments, *(options[name] for name in names[len(arguments):])), stream

    def _stream(self, stream, device):
        from tilewright._streams import number_of

        number = number_of(stream)
        if number is None:
            raise TypeError(f"{self.entry}: stream={stream!r:.60} is no stream: give the object of torch, cupy or numba, "
                            "one with __cuda_stream__, or the number of a CUstream")
        if number < 0 or 2 < number < 4096:
            raise ValueError(f"{self.entry}: stream={number} is no CUstream: 0 is the legacy default stream, 1 the same, "
                             "2 the one of the thread, anything else an address")
        own = getattr(getattr(stream, "device", None), "index", None)
        if own is not None and own != device:
            raise ValueError(f"{self.entry}: the stream belongs to GPU {own}, and the tensors lie on GPU {device}")
        return number

    def _failed(self, what, code):
        raise driver_error(f"{self.entry}: {what}", code, _NAMES.get(code, "CUDA error"), "")


_NAMES = {1: "CUDA_ERROR_INVALID_VALUE", 2: "CUDA_ERROR_OUT_OF_MEMORY", 201: "CUDA_ERROR_INVALID_CONTEXT",
          400: "CUDA_ERROR_INVALID_HANDLE", 700: "CUDA_ERROR_ILLEGAL_ADDRESS", 701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
          702: "CUDA_ERROR_LAUNCH_TIMEOUT", 715: "CUDA_ERROR_ILLEGAL_INSTRUCTION", 716: "CUDA_ERROR_MISALIGNED_ADDRESS",
          718: "CUDA_ERROR_INVALID_PC", 719: "CUDA_ERROR_LAUNCH_FAILED", 720: "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
          900: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", 901: "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}


def open_driver():
    """The CUDA driver of this process; TILEWRIGHT_DRIVER names another library. Error: there is none."""
    library = os.environ.get("TILEWRIGHT_DRIVER", "libcuda.so.1")
    try:
        _launch.open_driver(library)
    except OSError as error:
        raise Error(f"{error}; tensors in the memory of this machine run on the simulator, without a GPU") from None


def _bits(dtype, value):
    """A scalar's bytes, as the number that they are."""
    code, bits, _ = parsed_dtype(dtype)
    if code == FLOAT:
        return struct.unpack("<q", struct.pack({16: "<e", 32: "<f", 64: "<d"}[bits], value).ljust(8, b"\0"))[0]
    if code == BFLOAT:
        single = struct.unpack("<I", struct.pack("<f", value))[0]
        return (single + 0x7FFF + ((single >> 16) & 1)) >> 16
    if code == BOOL:
        return int(bool(value))
    return struct.unpack("<q", struct.pack("<Q", int(value) & ((1 << 64) - 1)))[0]
