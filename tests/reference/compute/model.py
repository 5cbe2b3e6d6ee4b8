"""What arithmetic on tiles means, element by element, in plain Python: types, layouts, and what each thread holds."""

import itertools
import math
import struct

FLOATS = {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64}
INTS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32}
BITS = {**FLOATS, **INTS, "float8_e4m3fn": 8, "float4_e2m1fn": 4}
THREAD_AXES = ("laneid", "tid_in_wg", "tx", "warpid", "wid_in_wg")


def is_float(dtype):
    return dtype.startswith(("float", "bfloat"))


def rounded(dtype, x):
    """The value of the type nearest to x."""
    if dtype in INTS:
        n, bits = int(x), INTS[dtype]
        n &= (1 << bits) - 1
        return n - (1 << bits) if dtype.startswith("int") and n >> (bits - 1) else n
    if dtype == "float64" or math.isnan(x) or math.isinf(x):
        return x
    if dtype == "float32":
        return through(x, "f")
    if dtype == "float16":
        return through(x, "e")
    if dtype == "float8_e4m3fn":
        return float8(x)
    bits = struct.unpack("I", struct.pack("f", through(x, "f")))[0]  # bfloat16: the upper half, to nearest even
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("f", struct.pack("I", bits & 0xFFFF0000))[0]


def through(x, code):
    try:
        return struct.unpack(code, struct.pack(code, x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def float8(x):
    """e4m3: three bits behind the point, up to 448."""
    if x == 0:
        return x
    exponent = max(math.frexp(abs(x))[1] - 1, -6)
    step = 2.0 ** (exponent - 3)
    return math.copysign(min(round(abs(x) / step) * step, 448.0), x)


def promoted(a, b):
    """The type in which two values meet: floats before integers, then the wider, then the first."""
    if is_float(a) != is_float(b):
        return a if is_float(a) else b
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    if BITS[a] == BITS[b] and not is_float(a):
        return a if a.startswith("uint") else b
    return a if BITS[a] >= BITS[b] else b


def product(numbers):
    return math.prod(numbers)


def digits(x, extents):
    out = []
    for e in reversed(extents):
        out.append(x % e)
        x //= e
    return out[::-1]


def fold(index, extents):
    x = 0
    for i, e in zip(index, extents):
        x = x * e + i
    return x


def indices(extents):
    return itertools.product(*map(range, extents))


class Layout:
    """shard and replica: lists of (extent, stride, axis), axis "m" for memory. `swizzle`: (M, B, A)."""

    def __init__(self, shard, replica=(), offset=0, swizzle=None):
        self.shard, self.replica, self.offset, self.swizzle = list(shard), list(replica), offset, swizzle

    @staticmethod
    def row_major(shape):
        strides, s = [], 1
        for e in reversed(shape):
            strides.append(s)
            s *= e
        return Layout([(e, t, "m") for e, t in zip(shape, strides[::-1])])

    def text(self):
        def part(letter, iters):
            def one(e, s, a):
                return f"{s}" if a == "m" else f"{s} @ {a}"

            if len(iters) == 1:
                return f"{letter}[{iters[0][0]} : {one(*iters[0])}]"
            return f"{letter}[({', '.join(str(i[0]) for i in iters)}) : ({', '.join(one(*i) for i in iters)})]"

        tile = part("S", self.shard) + (f" + {part('R', self.replica)}" if self.replica else "")
        tile += f" + {self.offset}" if self.offset else ""
        if not self.swizzle:
            return f"TileLayout({tile})"
        return f"ComposeLayout(SwizzleLayout{self.swizzle}, TileLayout({tile}))"

    def threads(self):
        return any(a != "m" for _, _, a in self.shard + self.replica)

    def registers(self):
        """The registers of a thread in the order of its `.local()` view: memory walks as they are written."""
        walks = [(e, s) for e, s, a in self.shard if a == "m"]
        return [self.offset + sum(i * s for i, (_, s) in zip(index, walks)) for index in indices([e for e, _ in walks])]

    def places(self, x):
        """[({axis: coordinate}, address)] of element x: one for each replica."""
        at, memory = {}, self.offset
        for d, (_, s, a) in zip(digits(x, [e for e, _, _ in self.shard]), self.shard):
            if a == "m":
                memory += d * s
            else:
                at[a] = at.get(a, 0) + d * s
        out = []
        for copy in indices([e for e, _, _ in self.replica]):
            here = dict(at)
            for d, (_, s, a) in zip(copy, self.replica):
                here[a] = here.get(a, 0) + d * s
            out.append((here, memory))
        return out


AXIS_COUNT = {"laneid": 32, "tid_in_wg": 128}


def coordinate(axis, thread):
    return {
        "laneid": thread % 32,
        "tid_in_wg": thread % 128,
        "tx": thread,
        "warpid": thread // 32,
        "wid_in_wg": thread // 32 % 4,
    }[axis]


def held(layout, shape, threads):
    """{thread: {element index: register}} of a tile in registers."""
    out = {t: {} for t in range(threads)}
    for index in indices(shape):
        for axes, register in layout.places(fold(index, shape)):
            for t in range(threads):
                if all(coordinate(a, t) == c for a, c in axes.items()):
                    out[t][index] = register
    return out


def npy(path, dtype, shape, values):
    """Writes numbers as a file of NumPy; float32 or int32."""
    code = {"float32": "f", "int32": "i"}[dtype]
    if dtype == "int32":
        values = [rounded("int32", v) for v in values]
    header = f"{{'descr': '<{code}4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack(f"<{len(values)}{code}", *values))
