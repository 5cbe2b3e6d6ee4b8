"""Tensors without a library: DLPack and array interfaces over memory of this process, on any pretended device."""
import ctypes
import math
import struct

CPU, CUDA = 1, 2
TYPES = {"int8": (0, 8, "b"), "int32": (0, 32, "i"), "int64": (0, 64, "q"), "uint8": (1, 8, "B"), "uint16": (1, 16, "H"), "uint32": (1, 32, "I"),
         "float16": (2, 16, "e"), "float32": (2, 32, "f"), "float64": (2, 64, "d"), "bfloat16": (4, 16, "H"), "complex64": (5, 64, "d"), "bool": (6, 8, "?"),
         "float8_e4m3fn": (10, 8, "B")}


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("release", ctypes.c_void_p)]


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAME, USED = b"dltensor", b"used_dltensor"


class Memory:
    """Bytes at a multiple of 256."""

    def __init__(self, size):
        self.block = ctypes.create_string_buffer(size + 512)
        self.address = (ctypes.addressof(self.block) + 255) // 256 * 256


def compact(shape):
    out, step = [], 1
    for n in reversed(shape):
        out.append(step)
        step *= n
    return tuple(reversed(out))


class Tensor:
    """Offers __dlpack__ alone."""

    def __init__(self, shape, dtype="float32", device=(CPU, 0), strides=None, offset=0, memory=None, values=None, null=False):
        self.shape, self.dtype, self.device = tuple(shape), dtype, device
        self.strides = compact(self.shape) if strides is None else tuple(strides)
        code, bits, self.letter = TYPES[dtype]
        self.kind = DataType(code, bits, 1)
        span = 0 if 0 in self.shape else sum((n - 1) * abs(s) for n, s in zip(self.shape, self.strides)) + 1
        self.size = span * bits // 8
        self.memory = memory or Memory(max(1, self.size + offset))
        self.address = 0 if null else self.memory.address + offset
        self.stream = "not asked"
        if values is not None:
            self.put(values)

    def put(self, values):
        data = struct.pack(f"<{len(values)}{self.letter}", *values)
        ctypes.memmove(self.address, data, len(data))

    def get(self):
        count = math.prod(self.shape)
        return list(struct.unpack(f"<{count}{self.letter}", ctypes.string_at(self.address, struct.calcsize(f"<{count}{self.letter}"))))

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.stream = stream
        rank = len(self.shape)
        self.extents = (ctypes.c_int64 * max(1, rank))(*self.shape)
        self.steps = (ctypes.c_int64 * max(1, rank))(*self.strides)
        tensor = DLTensor(self.address, *self.device, rank, self.kind, self.extents, self.steps, 0)
        self.managed = Managed(tensor, None, None)
        return _capsule(ctypes.addressof(self.managed), NAME, None)


class Interface(Tensor):
    """Offers __cuda_array_interface__ (on a GPU) or __array_interface__ alone."""

    read_only = False
    mask = None

    def __dlpack__(self, stream=None):
        raise AttributeError("__dlpack__")

    def __getattr__(self, name):
        wanted = "__cuda_array_interface__" if self.device[0] == CUDA else "__array_interface__"
        if name != wanted:
            raise AttributeError(name)
        letter = {0: "i", 1: "u", 2: "f", 4: "V", 5: "c", 6: "b"}.get(self.kind.code, "V")
        size = self.kind.bits // 8
        return {"shape": self.shape, "typestr": f"<{letter}{size}", "data": (self.address, self.read_only), "version": 3,
                "strides": tuple(s * size for s in self.strides), "mask": self.mask}


def consumed(tensor):
    """A capsule that another library took."""
    capsule = tensor.__dlpack__()
    rename = ctypes.pythonapi.PyCapsule_SetName
    rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
    rename(capsule, USED)
    return capsule
