"""What gemm_async by tcgen05 does not take: the call alone, in a kernel that is not run, one thing wrong with it.

Each function takes a product that would be served and spoils one operand, one extent or one word of the call.
"""

from products.refusals import Kinds
from products.tensor_core import Product, Scaled, Shared, call, datapath

refused = Kinds()


def tup(shape):
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


class Operand:
    """A buffer as it is declared, and the part of it that is multiplied; `part` None: all of it."""

    def __init__(self, name, shape, dtype, memory, layout, column=0):
        self.name, self.shape, self.dtype, self.memory, self.layout = name, list(shape), dtype, memory, layout
        self.part = None
        self.address = f"address[0] + {column}"

    def declaration(self):
        if self.memory == "tmem":
            return (f'{self.name} = T.decl_buffer({tup(self.shape)}, "{self.dtype}", scope="tmem", '
                    f"allocated_addr={self.address}, layout={self.layout})")
        if self.memory == "shared":
            return f'{self.name} = pool.alloc({tup(self.shape)}, "{self.dtype}", align=1024, layout={self.layout})'
        return f'{self.name} = T.alloc_buffer({tup(self.shape)}, "{self.dtype}", scope="{self.memory}", layout={self.layout})'

    def region(self):
        return f"{self.name}[{self.part or ', '.join(f'0:{n}' for n in self.shape)}]"


def swizzled(dtype, shape, mode=3):
    return f'mma_shared_layout("{dtype}", {mode}, {tup(shape)})'


def over(tile, swizzle="3, 3, 3"):
    """A swizzle over a tile that is written out."""
    return f"ComposeLayout(SwizzleLayout({swizzle}), TileLayout({tile}))"


class Attempt:
    """128 x 64 x 64 of float16, which is served as it stands."""

    def __init__(self, k, rng, m=128, n=64, depth=64, dtype="float16", mode=3):
        self.k, self.rng = k, rng
        k.pair = 1
        self.a = Operand("A_smem", (m, depth), dtype, "shared", swizzled(dtype, (m, depth), mode))
        self.b = Operand("B_smem", (n, depth), dtype, "shared", swizzled(dtype, (n, depth), mode))
        self.c = Operand("C", (m, n), "float32", "tmem", datapath("F" if m == 64 else "D", n))
        self.scales = []
        self.t_a = self.t_b = False
        self.group = self.scope = None
        self.words = []   # more of the call's
        self.lines = []   # before the call
        self.around = []  # loops and conditions of the call

    def either(self):
        return self.rng.choice([self.a, self.b])

    def write(self):
        k, rng = self.k, self.rng
        operands = [self.c, self.a, self.b, *self.scales]
        k.begin(extra=[o.declaration() for o in operands if o.memory == "shared"])
        k.add(*self.lines, *(o.declaration() for o in operands if o.memory != "shared"))
        k.add(*getattr(self, "views", []))
        scales = [f"{name}={o.region()}" for name, o in zip(("SFA", "SFB"), self.scales)]
        text = call(self.a.region(), self.b.region(), self.c.region(), self.t_a, self.t_b, rng.choice([None, "False"]), self.group,
                    scales, forced=rng.random() < 0.3)
        text = text[:-1] + "".join(f", {w}" for w in self.words) + ")"
        lines = [*self.around, f"Tx.{self.scope}.{text}"] if self.scope else ["if tid == 0:", *self.around, f"Tx.{text}"]
        k.add(*("    " * depth + line for depth, line in enumerate(lines)))
        return True


def scaled(k, rng, q=None, steps=None, n=64):
    """128 x n with scale factors, which is served as it stands; `q`: factors a step of K."""
    f = Scaled(rng)
    while (q and f.q != q) or (steps and f.steps != steps) or f.group != 1:
        f = Scaled(rng)
    f.n = n
    p = Attempt(k, rng)
    p.format = f
    a, b = (Shared(f"{x}_bytes", "float8_e4m3fn", rows, f.bytes, f.span) for x, rows in (("A", 128), ("B", n)))
    p.a = Operand(a.name, (128, f.bytes), "uint8", "shared", a.layout())
    p.b = Operand(b.name, (n, f.bytes), "uint8", "shared", b.layout())
    p.a.region = lambda: f"A_smem[0:{p.c.shape[0]}, 0:{f.k}]"
    p.b.region = lambda: f"B_smem[0:{p.b.shape[0]}, 0:{f.k}]"
    p.views = [f'{x}_smem = {x}_bytes.view("{f.dtype}")' for x in "AB"]
    p.c = Operand("C", (128, n), "float32", "tmem", datapath("D", n))
    factors = f.steps * f.q
    p.scales = [Operand("SFA", (128, factors), f.scale, "tmem", f.layout(128)[0], 400),
                Operand("SFB", (n, factors), f.scale, "tmem", f.layout(n)[0], 440)]
    return p


# ---- who calls, and what with ----------------------------------------------------------------------------------------

@refused("one thread issues tcgen05.mma, this is")
def scope(k, rng):
    p = Attempt(k, rng)
    p.scope = rng.choice(["wg", "cta"])
    return p.write()


@refused("tcgen05.mma needs sm_100a", arch="sm_90a")
def target(k, rng):
    k.allocates = False  # which would be an error of its own
    return rng.choice([Attempt, scaled])(k, rng).write()


@refused("tcgen05 wants C in tensor memory")
def memory(k, rng):
    p = Attempt(k, rng)
    which = rng.choice([p.a, p.b, p.c])
    which.memory = "tmem" if which is p.b else "local" if which is p.a else rng.choice(["shared", "local"])
    which.layout = datapath("D", 64).replace("128", "64") if which is p.b else f"TileLayout(S[({which.shape[0]}, 64)])"
    return p.write()


@refused("scale factors are read from tensor memory")
def scale_memory(k, rng):
    p = scaled(k, rng)
    s = rng.choice(p.scales)
    s.memory, s.layout = "shared", f"TileLayout(S[{tup(s.shape)}])"
    return p.write()


@refused("has no layout")
def no_layout(k, rng):
    p = Attempt(k, rng)
    p.either().layout = None
    return p.write()


@refused("C is summed up in float32")
def accumulator(k, rng):
    p = Attempt(k, rng)
    p.c.dtype = rng.choice(["float16", "int32"])
    return p.write()


@refused("without scale factors it is float16 or bfloat16")
def types(k, rng):
    dtype = rng.choice(["float32", "int8", "float8_e4m3fn", "float8_e5m2"])
    return Attempt(k, rng, dtype=dtype, mode=3 if dtype == "float32" else 2).write()


@refused("with scale factors it is float8_e4m3fn or")
def scaled_types(k, rng):
    p = scaled(k, rng, 1)
    which = rng.randrange(2)
    p.views[which] = p.views[which].replace("float8_e4m3fn", rng.choice(["float8_e5m2", "int8"]))
    return p.write()


@refused(r"A is \w+ and B \w+; they must be of one type")
def mixed(k, rng):
    p = Attempt(k, rng)
    p.either().dtype = "bfloat16"
    return p.write()


@refused("scale factors are float8_e8m0fnu or float8_e4m3fn")
def scale_type(k, rng):
    p = scaled(k, rng)
    rng.choice(p.scales).dtype = rng.choice(["float8_e5m2", "uint8"])
    return p.write()


@refused(r"SFA is \w+ and SFB \w+; they must be of one type")
def scale_types(k, rng):
    p = scaled(k, rng)
    s = rng.choice(p.scales)
    s.dtype = "float8_e4m3fn" if s.dtype == "float8_e8m0fnu" else "float8_e8m0fnu"
    return p.write()


@refused("fp8 operands take scale factors of float8_e8m0fnu")
def fp8_e4m3(k, rng):
    p = scaled(k, rng, 1)
    for s in p.scales:
        s.dtype = "float8_e4m3fn"
    return p.write()


@refused("trans[AB] must be known before the launch")
def flag_at_run_time(k, rng):
    p = Attempt(k, rng)
    p.words.append(f"{rng.choice(['transA', 'transB'])}={rng.choice(['lane < 16', 'tid == 0', 'warp % 2'])}")
    return p.write()


@refused("cta_group= is 1 or 2, not")
def group(k, rng):
    p = Attempt(k, rng)
    p.group = rng.choice([0, 3, 4])
    return p.write()


@refused("works in a pair of CTAs")
def no_pair(k, rng):
    p = Attempt(k, rng)
    p.group, p.b.part = 2, "0:32, 0:64"
    return p.write()


# ---- extents ---------------------------------------------------------------------------------------------------------

@refused("the extent .* of [ABC] is known only at run time")
def extent_at_run_time(k, rng):
    p = Attempt(k, rng)
    p.around = ["for s in T.serial(2):"]
    o = rng.choice([p.a, p.b, p.c])
    o.part = f"0:{o.shape[0]}, 0:{o.shape[1]} - s * 16"
    return p.write()


@refused("a matrix has two extents larger than 1")
def matrix(k, rng):
    p = Attempt(k, rng)
    p.a.part = rng.choice(["0:1, 0:64", "0:128, 0:1"])
    return p.write()


@refused("dimensions, rows and columns are needed")
def rank(k, rng):
    p = Attempt(k, rng)
    p.c.shape = [1, 128, 64]
    p.c.layout = "TileLayout(S[(1, 128, 64) : (1 @ TCol, 1 @ TLane, 1 @ TCol)])"
    return p.write()


@refused("multiplies 64 or 128 rows at once")
def rows(k, rng):
    p = Attempt(k, rng, m=rng.choice([32, 96, 192, 256]))
    p.c.layout = f"TileLayout(S[({p.c.shape[0]}, 64) : (1 @ TLane, 1 @ TCol)])"
    return p.write()


@refused("multiplies 128 rows")
def scaled_rows(k, rng):
    p = scaled(k, rng)
    p.c = Operand("C", (64, 64), "float32", "tmem", datapath("F", 64))
    p.scales[0].part = f"0:64, 0:{p.scales[0].shape[1]}"
    return p.write()


@refused("is no sum of equal tiles of at most 256 columns that are multiples of 16, as M=128 needs$")
def columns(k, rng):
    return Attempt(k, rng, n=rng.choice([8, 24, 40])).write()


@refused("and of 64, an atom along N")
def columns_of_atoms(k, rng):
    p = Attempt(k, rng)
    n = rng.choice([272, 288, 304, 336])
    p.c = Operand("C", (128, n), "float32", "tmem", datapath("D", n))
    p.b.shape, p.b.layout, p.t_b, p.b.part = [64, 384], swizzled("float16", (64, 384)), True, f"0:64, 0:{n}"
    return p.write()


@refused("and of 32, a block of scale factors")
def columns_of_blocks(k, rng):
    n = rng.choice([264, 272])
    p = scaled(k, rng, 1, 1, n=288)
    p.b.region = lambda: f"B_smem[0:{n}, 0:{p.format.k}]"
    p.c = Operand("C", (128, n), "float32", "tmem", datapath("D", n))
    return p.write()


@refused(r"C has \d+ rows, A has \d+")
def a_rows(k, rng):
    p = Attempt(k, rng)
    p.a.part = f"0:{rng.choice([8, 64, 96])}, 0:64"
    return p.write()


@refused(r"K is \d+ in A and \d+ in B")
def depths(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.part = f"0:{o.shape[0]}, 0:{rng.choice([16, 32])}"
    return p.write()


@refused(r"C has \d+ columns, B has \d+ rows$")
def b_rows(k, rng):
    p = Attempt(k, rng)
    p.b.part = f"0:{rng.choice([16, 32])}, 0:64"
    return p.write()


@refused(r"and so has the pair's other CTA: \d+")
def b_rows_of_a_pair(k, rng):
    p = Attempt(k, rng)
    k.pair = p.group = 2
    return p.write()


@refused("at most 256 columns in one call")
def wide_pair(k, rng):
    p = Attempt(k, rng, n=256)
    k.pair = p.group = 2
    p.c = Operand("C", (128, 512), "float32", "tmem", datapath("D", 512))
    return p.write()


@refused("multiples of 32, as M=128 needs$")
def odd_pair(k, rng):
    n = rng.choice([48, 80, 112])
    p = Attempt(k, rng, n=n // 2)
    k.pair = p.group = 2
    p.c = Operand("C", (128, n), "float32", "tmem", datapath("D", n))
    return p.write()


@refused("the K of one instruction of")
def k_of_one_instruction(k, rng):
    p = Attempt(k, rng)
    columns = 8 * rng.choice([1, 3, 5])
    p.a.part, p.b.part = f"0:128, 0:{columns}", f"0:64, 0:{columns}"
    return p.write()


# ---- tensor memory ---------------------------------------------------------------------------------------------------

@refused("of C.* is not one strided block of its layout|region C.* is not one strided block of its layout")
def c_in_pieces(k, rng):
    p = Attempt(k, rng)
    p.c.shape, p.c.part = [128, 128], "0:128, 16:80"
    p.c.layout = "TileLayout(S[(128, 4, 32) : (1 @ TLane, 64 @ TCol, 1 @ TCol)])"
    return p.write()


@refused("128 rows lie in one lane each")
def path_of_128(k, rng):
    p = Attempt(k, rng)
    p.c.layout = rng.choice(["TileLayout(S[(2, 64, 64) : (64 @ TCol, 1 @ TLane, 1 @ TCol)])",
                             "TileLayout(S[(128, 64) : (1 @ TLane, 2 @ TCol)])"])
    return p.write()


@refused("64 rows lie in 16 of every 32 lanes")
def path_of_64(k, rng):
    p = Attempt(k, rng, m=64)
    p.c.layout = datapath("D", 64).replace("128", "64")
    return p.write()


@refused("64 rows a CTA of a pair lie in lanes 0 to 63")
def path_of_a_pair(k, rng):
    p = Attempt(k, rng, m=64, n=32)
    k.pair = p.group = 2
    p.c = Operand("C", (64, 64), "float32", "tmem", rng.choice([datapath("F", 64), datapath("D", 64).replace("128", "64")]))
    return p.write()


@refused("the layout of A is .*its rows are lanes")
def path_of_a(k, rng):
    p = in_tensor_memory(k, rng)
    p.a.layout = rng.choice(["TileLayout(S[(128, 64) : (1 @ TLane, 2 @ TCol)])", "TileLayout(S[(2, 64, 64) : (64 @ TCol, 1 @ TLane, 1 @ TCol)])"])
    return p.write()


@refused("on TLane; the unit works from lane 0")
def lane(k, rng):
    p = Attempt(k, rng, m=64)
    p.c = Operand("C", (128, 64), "float32", "tmem", "TileLayout(S[(2, 4, 16, 64) : (16 @ TLane, 32 @ TLane, 1 @ TLane, 1 @ TCol)])")
    p.c.part = "64:128, 0:64"
    return p.write()


def in_tensor_memory(k, rng, rows=128):
    p = Attempt(k, rng, m=rows)
    p.a = Operand("A_tmem", (rows, 64), "float16", "tmem", f"TileLayout(S[({rows}, 64) : (1 @ TLane, 1 @ TCol)])", 256)
    return p


@refused("elements share 32-bit cells")
def odd(k, rng):
    p = in_tensor_memory(k, rng)
    p.a.shape, p.a.layout = [128, 128], datapath("D", 128)
    shift = rng.choice([1, 3, 17])
    p.a.part = f"0:128, {shift}:{shift + 64}"
    return p.write()


@refused("A in tensor memory cannot be transposed")
def turned(k, rng):
    p = in_tensor_memory(k, rng)
    p.t_a = True
    return p.write()


@refused("A in tensor memory has 128 rows")
def few(k, rng):
    return in_tensor_memory(k, rng, 64).write()


@refused("of tensor memory, which has 512")
def beyond(k, rng):
    p = Attempt(k, rng)
    p.c.address = str(rng.choice([450, 480, 500]))
    return p.write()


@refused("the product would write over A")
def overlap(k, rng):
    p = in_tensor_memory(k, rng)
    p.a.address = f"address[0] + {rng.choice([8, 32, 63])}"
    return p.write()


@refused("the product would write over SF[AB]")
def overlap_of_scales(k, rng):
    p = scaled(k, rng)
    rng.choice(p.scales).address = f"address[0] + {rng.choice([0, 32, 63])}"
    return p.write()


# ---- shared memory ---------------------------------------------------------------------------------------------------

@refused("has no swizzle; a descriptor reads rows")
def swizzle(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = f"TileLayout(S[({o.shape[0]}, 64)])"
    return p.write()


@refused(r"swizzle \d+ of \w+ is none of 1, 2, 3")
def long_swizzle(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 64) : (64, 1)]", "3, 4, 4")
    return p.write()


@refused("the hardware's for float16 is")
def other_swizzle(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 64) : (64, 1)]", rng.choice(["4, 3, 3", "3, 3, 4", "2, 3, 3"]))
    return p.write()


@refused("eight rows of an atom are 64 apart")
def pitch(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 64) : ({rng.choice([72, 128])}, 1)]")
    return p.write()


@refused("has 100 elements, not a multiple of the 8 rows of an atom")
def part_of_eight(k, rng):
    p = Attempt(k, rng)
    p.a.part = "0:100, 0:64"
    return p.write()


@refused(r"groups of eight along M or N of \w+ are not at one distance")
def blocks(k, rng):
    p = Attempt(k, rng)
    p.a.layout = over("S[(2, 64, 64) : (8192, 64, 1)]")
    return p.write()


@refused(r"groups of eight along M or N of \w+ are 576 elements apart")
def between_atoms(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = over(f"S[({o.shape[0] // 8}, 8, 64) : (576, 64, 1)]")
    return p.write()


@refused("is not made of contiguous rows of 64 elements at one distance")
def scattered(k, rng):
    p = Attempt(k, rng, depth=256)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 2, 2, 64) : (64, 24576, 8192, 1)]")
    return p.write()


@refused(r"atoms along K of \w+ are 8256 elements apart, not a multiple of their own 512")
def torn_atoms(k, rng):
    p = Attempt(k, rng, depth=128)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 2, 64) : (64, 8256, 1)]")
    return p.write()


@refused(r"neither dimension of \w+ is contiguous")
def nothing_contiguous(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 64) : (128, 2)]")
    return p.write()


@refused("of the eight of an atom; the swizzle's pattern starts at row 0")
def atom(k, rng):
    p = Attempt(k, rng)
    p.a.shape, p.a.layout = [144, 64], swizzled("float16", (144, 64))
    p.a.part = rng.choice(["4:132, 0:64", "2:130, 0:64"])
    return p.write()


@refused(r"starts at element \d+ of an atom's row, not a multiple of 8 \(16 bytes\)")
def unaligned(k, rng):
    p = Attempt(k, rng)
    start = rng.choice([4, 12, 17])
    p.a.part, p.b.part = f"0:128, {start}:{start + 32}", f"0:64, {start}:{start + 32}"
    return p.write()


@refused("it would cross the end of that row$")
def depth(k, rng):
    p = Attempt(k, rng, depth=128)
    start = rng.choice([40, 56])
    p.a.part, p.b.part = f"0:128, {start}:{start + 32}", f"0:64, {start}:{start + 32}"
    return p.write()


@refused("it must start where an atom starts")
def inside_an_atom(k, rng):
    p = Attempt(k, rng, n=32)
    p.b.shape, p.b.layout, p.t_b = [64, 128], swizzled("float16", (64, 128)), True
    start = rng.choice([40, 48, 56])
    p.b.part = f"0:64, {start}:{start + 32}"
    return p.write()


@refused("not provably in the first of the eight rows of an atom")
def row_at_run_time(k, rng):
    p = Attempt(k, rng)
    p.a.shape, p.a.layout = [256, 64], swizzled("float16", (256, 64))
    p.around = ["for s in T.serial(2):"]
    p.a.part = "s * 4:s * 4 + 128, 0:64"
    return p.write()


@refused(r"elements, not provably a multiple of 8 \(16 bytes\)")
def column_at_run_time(k, rng):
    p = Attempt(k, rng)
    p.around = ["for s in T.serial(4):"]
    p.a.part, p.b.part = "0:128, s * 4:s * 4 + 16", "0:64, s * 4:s * 4 + 16"
    return p.write()


@refused("may run over a seam of the layout")
def seam(k, rng):
    p = Attempt(k, rng, depth=128)
    p.around = ["for s in T.serial(2):"]
    p.a.part, p.b.part = "0:128, s * 32:s * 32 + 64", "0:64, s * 32:s * 32 + 64"
    return p.write()


@refused("has an extent that no shared memory has")
def too_large(k, rng):
    p = Attempt(k, rng)
    p.a.shape, p.a.layout, p.a.part = [128, 1 << 20], swizzled("float16", (128, 1 << 20)), "0:128, 0:64"
    return p.write()


@refused(r"\w+_smem has a replicated layout")
def replicated(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 64) : (64, 1)] + R[2 : 8192]")
    return p.write()


@refused("has an offset on axis")
def offset(k, rng):
    p = Attempt(k, rng)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 64) : (64, 1)] + 1 @ laneid")
    return p.write()


@refused(r"\w+_smem has a layout known only at run time")
def pitch_at_run_time(k, rng):
    p = Attempt(k, rng)
    k.scalars = ["n: T.int32"]
    o = p.either()
    o.layout = over(rng.choice([f"S[({o.shape[0]}, 64) : (n, 1)]", f"S[({o.shape[0] // 8}, 8, 64) : (n * 512, 64, 1)]"]))
    return p.write()


@refused("of its storage, where no atom of 512 elements starts")
def storage(k, rng):
    p = Attempt(k, rng)
    p.lines = ['whole = T.alloc_buffer((16384,), "float16", scope="shared")']
    p.a.memory = "view"
    p.a.declaration = lambda: (f'A_smem = T.decl_buffer((128, 64), "float16", data=whole.data, elem_offset={rng.choice([8, 64, 256])}, '
                               f'scope="shared", layout={p.a.layout})')
    return p.write()


@refused("descriptor's 14 bits of 16 bytes")
def far_atoms(k, rng):
    p = Attempt(k, rng, depth=128)
    o = p.either()
    o.layout = over(f"S[({o.shape[0]}, 2, 64) : (64, 131072, 1)]")
    return p.write()


# ---- scale factors ---------------------------------------------------------------------------------------------------

@refused("is swizzled; tensor memory has lanes and columns only")
def swizzled_scales(k, rng):
    p = scaled(k, rng)
    s = rng.choice(p.scales)
    s.layout = over(f"S[{tup(s.shape)}]")
    return p.write()


@refused("an extent of SF[AB] is no constant")
def scales_at_run_time(k, rng):
    p = scaled(k, rng, 1, 4)
    p.around = ["for s in T.serial(2):"]
    o = rng.choice(p.scales)
    o.part = f"0:{o.shape[0]}, 0:4 - s"
    return p.write()


@refused("SF[AB] has a layout known only at run time")
def scales_with_a_pitch_at_run_time(k, rng):
    p = scaled(k, rng, 1, 4)
    k.scalars = ["n: T.int32"]
    s = rng.choice(p.scales)
    s.layout = f"TileLayout(S[({s.shape[0] // 32}, 32, 4) : (n @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused("SF[AB] has more than two extents larger than 1")
def scales_of_three(k, rng):
    p = scaled(k, rng, 1, 4)
    s = p.scales[0]
    s.shape, s.layout = [2, 128, 4], "TileLayout(S[(2, 4, 32, 4) : (16 @ TCol, 4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused("region SF[AB].* is not one strided block of its layout")
def scales_in_pieces(k, rng):
    p = scaled(k, rng, 1, 4)
    s = p.scales[0]
    s.shape, s.part = [128, 12], "0:128, 2:10"
    s.layout = "TileLayout(S[(4, 32, 3, 4) : (4 @ TCol, 1 @ TLane, 32 @ TCol, 1 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused(r"SF[AB] has \d+ rows, \d+ are multiplied")
def scales_too_few(k, rng):
    p = scaled(k, rng)
    s, rows = rng.choice([(p.scales[0], 64), (p.scales[1], 32)])
    s.part = f"0:{rows}, 0:{s.shape[1]}"
    return p.write()


@refused(r"SFA has \d+ rows, A has \d+")
def scales_too_many(k, rng):
    p = scaled(k, rng)
    p.scales[0].shape[0], p.scales[0].layout = 256, p.format.layout(256)[0]
    return p.write()


@refused(r"SF[AB] has \d+ rows, not a multiple of 32")
def scales_of_half_a_block(k, rng):
    p = scaled(k, rng, 1, 4, n=72)
    p.scales[1].layout = "TileLayout(S[(72, 4) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused("the unit reads it in lane")
def lanes(k, rng):
    p = scaled(k, rng)
    p.scales[0].layout = f"TileLayout(S[{tup(p.scales[0].shape)} : (1 @ TLane, 1 @ TCol)])"
    return p.write()


@refused("in all four quarters")
def replica(k, rng):
    p = scaled(k, rng)
    s = rng.choice(p.scales)
    s.layout = s.layout.replace("R[4 : 32 @ TLane]", "R[2 : 32 @ TLane]") if rng.random() < 0.5 else s.layout.replace(" + R[4 : 32 @ TLane]", "")
    return p.write()


@refused("factors along K;")
def count(k, rng):
    p = scaled(k, rng)
    s, f = p.scales[0], p.format
    wider = Scaled(rng)
    columns = f.steps * f.q * 2 + f.q
    wider.q, wider.steps = f.q, columns // f.q
    s.shape[1], s.layout = columns, wider.layout(128)[0]
    return p.write()


@refused(r"four times as many, and they do not repeat")
def dense4(k, rng):
    p = scaled(k, rng, 1, rng.choice([2, 4]))
    s, factors = p.scales[0], p.format.steps
    s.shape[1] = factors * 4
    s.layout = f"TileLayout(S[(4, 32, {factors}, 4) : (4 @ TCol, 1 @ TLane, 16 @ TCol, 1 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused("bytes from the step's first; they must be neighbours")
def apart(k, rng):
    p = scaled(k, rng, 2, 1)
    s = rng.choice(p.scales)
    m = s.shape[0] // 32
    s.layout = f"TileLayout(S[({m}, 32, 2) : (4 @ TCol, 1 @ TLane, 2 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused("on TLane; the unit reads from lane 0")
def scales_from_another_lane(k, rng):
    p = scaled(k, rng, 1, 4)
    s = p.scales[0]
    s.shape, s.part = [2, 128, 4], "1, 0:128, 0:4"
    s.layout = "TileLayout(S[(2, 4, 32, 4) : (16 @ TLane, 4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused(r"of their columns; \d at a time start at a multiple of \d")
def scales_from_inside(k, rng):
    p = scaled(k, rng, 2, 1)
    s = p.scales[0]
    s.shape, s.part = [128, 4], "0:128, 1:3"
    s.layout = "TileLayout(S[(4, 32, 4) : (4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    return p.write()


@refused("cannot be transposed")
def scaled_and_turned(k, rng):
    p = scaled(k, rng, rng.choice([2, 4]), 1)
    p.t_b, p.format.n = True, 64
    p.b.region = lambda: "B_smem[0:64, 0:64]"
    return p.write()


def make(rng, index, n, arch=None):
    """The n-th kernel that is refused, of those for that target."""
    kind = refused.number(n, arch)
    return kind.write(Product(f"gemm_async_{index:04d}", kind.name, rng), rng)
