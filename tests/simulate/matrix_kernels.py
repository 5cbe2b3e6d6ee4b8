#!/usr/bin/env python3
"""Writes seeded kernels of what warps and warpgroups do together: mma, wgmma, ldmatrix, stmatrix, shuffles, votes, atomics,
and the arithmetic whose rounding instructions name.

    matrix_kernels.py --seed N --count M -o FOLDER

Every kernel computes B from the random words of A, and is for sm_90a. What lanes hold in registers and how tiles lie in shared
memory is drawn at random, so that a fragment or a layout that is read in another way gives another result. Operands are small
whole numbers, whose sums are exact in any order; one kernel in four has operands with all their bits, for which sums may differ
in the last ones. `tests/gpu/beside_simulator.py` runs them on a GPU and on the simulator; each file holds ten kernels.
"""
import argparse
import os
import random

HEADER = '''# tilewright: dialect 0.25
# tilewright: arch sm_90a
"""Kernels of seed {seed}, made by matrix_kernels.py."""
from tvm.script import tirx as T
'''


class Kernel:
    """One kernel as text; statements come in their order, and `words` counts the words of A that it has used."""

    def __init__(self, rng, name, threads=32):
        self.rng, self.name, self.threads, self.lines, self.words = rng, name, threads, [], 0
        self.result, self.shape = "int32", (1,)
        self.exact = rng.random() < 0.75

    def add(self, *lines):
        self.lines += lines

    def word(self, count, index):
        """Word `index` of `count` new ones that each thread has."""
        first, self.words = self.words, self.words + count * self.threads
        return f"A[{first} + tid * {count} + {index}]"

    def text(self):
        out = ["", "", "@T.prim_func", f"def {self.name}(A_ptr: T.handle, B_ptr: T.handle):",
               f'    A = T.match_buffer(A_ptr, ({max(1, self.words)},), "uint32")',
               f'    B = T.match_buffer(B_ptr, {tuple(self.shape)}, "{self.result}")', "    T.device_entry()", "    T.cta_id([1])"]
        if self.threads == 128:
            out += ["    warp = T.warp_id([4])"]
        out += ["    lane = T.lane_id([32])", f"    tid = T.thread_id([{self.threads}])"]
        return "\n".join(out + ["    " + line for line in self.lines]) + "\n"


def number(k, dtype, word):
    """A number of this type out of a random word, as text."""
    if dtype in ("int8", "uint8"):
        return f'T.cast({word} & T.uint32(255), "{dtype}")'
    if dtype == "int32":
        return f'T.reinterpret("int32", {word})' if not k.exact else f'T.cast({word} & T.uint32(1023), "int32")'
    whole = f'T.cast(T.cast({word} & T.uint32(7), "int32") - 3, "float32")'
    if not k.exact:
        # A sign, an exponent near 1 and 23 bits behind it.
        whole = f'T.reinterpret("float32", ({word} & T.uint32(0x81FFFFFF)) | T.uint32(0x3E000000))'
    return whole if dtype == "float32" else f'T.cast({whole}, "{dtype}")'


def pointers(array, count, step):
    return "[" + ", ".join(f"{array}.ptr_to([{i * step}])" for i in range(count)) + "]"


def array(k, name, count, dtype):
    """A register array with random contents."""
    k.add(f'{name} = T.alloc_local([{count}], "{dtype}")', f"for i in T.unroll({count}):",
          f"    {name}[i] = {number(k, dtype, k.word(count, 'i'))}" if dtype != "uint32" else f"    {name}[i] = {k.word(count, 'i')}")


def give_back(k, name, count, dtype):
    """B gets what every thread has in an array."""
    k.result, k.shape = dtype, (k.threads, count)
    k.add(f"for i in T.unroll({count}):", f"    B[tid, i] = {name}[i]")


# shape, type of A and B as the instruction names it, the registers' type, accumulators
FORMS = [
    ("m8n8k4", "float16", "float16", "float16"), ("m8n8k4", "float16", "float16", "float32"),
    ("m16n8k8", "float16", "float16", "float16"), ("m16n8k8", "float16", "float16", "float32"),
    ("m16n8k16", "float16", "float16", "float16"), ("m16n8k16", "float16", "float16", "float32"),
    ("m16n8k8", "bfloat16", "bfloat16", "float32"), ("m16n8k16", "bfloat16", "bfloat16", "float32"),
    ("m16n8k4", "tf32", "float32", "float32"), ("m16n8k8", "tf32", "float32", "float32"),
    ("m8n8k4", "float64", "float64", "float64"), ("m16n8k4", "float64", "float64", "float64"),
    ("m16n8k8", "float64", "float64", "float64"), ("m16n8k16", "float64", "float64", "float64"),
    ("m8n8k16", "int8", "uint32", "int32"), ("m16n8k16", "uint8", "uint32", "int32"), ("m16n8k32", "int8", "uint32", "int32"),
    ("m16n8k32", "uint8", "uint32", "int32"), ("m8n8k32", "int4", "uint32", "int32"), ("m16n8k32", "uint4", "uint32", "int32"),
    ("m16n8k64", "int4", "uint32", "int32"), ("m8n8k128", "b1", "uint32", "int32"), ("m16n8k128", "b1", "uint32", "int32"),
    ("m16n8k256", "b1", "uint32", "int32"), ("m16n8k32", "float8_e4m3fn", "float8_e4m3fn", "float32"),
    ("m16n8k32", "float8_e5m2", "float8_e5m2", "float32"),
]
SPARSE = [("m16n8k16", "float16", "float16"), ("m16n8k16", "float16", "float32"), ("m16n8k32", "float16", "float16"),
          ("m16n8k32", "float16", "float32"), ("m16n8k16", "bfloat16", "float32"), ("m16n8k32", "bfloat16", "float32")]
BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "tf32": 32, "float64": 64, "uint32": 32, "int32": 32, "int8": 8, "uint8": 8,
        "int4": 4, "uint4": 4, "b1": 1, "float8_e4m3fn": 8, "float8_e5m2": 8}


def extents(shape):
    m, rest = shape[1:].split("n")
    return int(m), int(rest.split("k")[0]), int(rest.split("k")[1])


def mma(k):
    rng = k.rng
    shape, named, held, sums = rng.choice(FORMS)
    m, n, depth = extents(shape)
    quads = shape == "m8n8k4" and named == "float16"
    lanes = 8 if quads else 32
    bits = BITS[named]
    wide = 64 if named == "float64" else 32
    counts = [m * depth * bits // lanes // wide, n * depth * bits // lanes // wide]  # registers
    per = wide // BITS[held]  # elements of the arrays in a register
    c_per, c_count = (32 // BITS[sums] if sums != "float64" else 1), m * n // lanes
    layouts = [rng.choice(["row", "col"]), rng.choice(["row", "col"])] if quads else ["row", "col"]
    for name, count in zip("ab", counts):
        array(k, name, count * per, held)
    array(k, "c", c_count, sums)
    if sums == "int32" and rng.random() < 0.3:  # near the end, to stop there or to wrap
        k.add(f"for i in T.unroll({c_count}):", "    c[i] = c[i] | T.int32(0x7FFFFFC0)")
    b_named = named
    if named in ("int8", "uint8", "int4", "uint4") and rng.random() < 0.4:
        b_named = {"int8": "uint8", "uint8": "int8", "int4": "uint4", "uint4": "int4"}[named]
    options = ""
    if sums == "int32" and named != "b1" and rng.random() < 0.5:
        options = ", saturate=True"
    if named == "b1":
        options = f', bit_op="{rng.choice(["xor", "and"])}"'
    if rng.random() < 0.2 and not quads and not options:
        k.add(f'T.ptx.mma.legacy("{shape}", "row", "col", "{named}", "{b_named}", "{sums}", a.ptr_to([0]), 0, b.ptr_to([0]), 0, '
              "c.ptr_to([0]), 0, False)")
    else:
        out = pointers("c", c_count // c_per, c_per)
        added = f", {out}" if rng.random() < 0.8 else ""
        call = (f'T.ptx.mma("{shape}", "{layouts[0]}", "{layouts[1]}", "{sums}", "{named}", "{b_named}", "{sums}", {out}, '
                f'{pointers("a", counts[0], per)}, {pointers("b", counts[1], per)}{added}{options})')
        k.add(*[call] * rng.choice([1, 1, 2]))
    give_back(k, "c", c_count, sums)


def mma_sparse(k):
    rng = k.rng
    shape, named, sums = rng.choice(SPARSE)
    m, n, depth = extents(shape)
    a_count, b_count, c_count = m * depth // 2 // 32, n * depth // 32, m * n // 32
    array(k, "a", a_count, named)
    array(k, "b", b_count, named)
    array(k, "c", c_count, sums)
    # Two of every four elements, in their order: one of six nibbles.
    k.add('meta = T.alloc_local([1], "uint32")', "meta[0] = T.uint32(0)", "for i in T.unroll(8):",
          f"    pick: T.let = ({k.word(8, 'i')} >> T.uint32(8)) % T.uint32(6)",
          "    meta[0] = meta[0] | ((T.uint32(0xED9C84) >> (pick * T.uint32(4))) & T.uint32(15)) << T.uint32(4 * i)",
          f'T.ptx.mma.sp("{sums}", "{shape}", "row", "col", "{named}", "{named}", "{sums}", a.ptr_to([0]), 0, b.ptr_to([0]), 0, '
          f"c.ptr_to([0]), 0, meta.ptr_to([0]), 0, {rng.randrange(4 if depth == 16 else 2)}, False)")
    give_back(k, "c", c_count, sums)


# ---- wgmma ----

INPUTS = {"float16": ("float16", 16), "bfloat16": ("bfloat16", 16), "tf32": ("float32", 8), "e4m3": ("float8_e4m3fn", 32),
          "e5m2": ("float8_e5m2", 32)}


def tile(k, name, dtype, rows, depth, swizzle, by_rows, step):
    """Shared memory with a matrix in a canonical layout. Gives its leading and stride distances, in units of 16 bytes.

    Along K a row has the span of the swizzle, of which an instruction uses 32 bytes: those of number `step`.
    """
    unit = 128 // BITS[dtype]
    wide = 1 << swizzle  # units in a row of the pattern
    gap = k.rng.choice([1, 1, 2]) if rows < 96 else 1
    if by_rows:  # units run along the rows
        blocks = (rows + unit * wide - 1) // (unit * wide)
        inner = 8 * wide * unit  # elements in eight rows of K
        # Distances between neighbouring patterns along the rows, and along K.
        across, along = (inner, inner * blocks * gap) if k.rng.random() < 0.5 else (inner * 2 * gap, inner)
        if across > along:
            total = across * blocks + inner
        else:
            total = along * 2
        at = f"(r // {unit * wide}) * {across} + (k // 8) * {along} + k % 8 * {wide * unit} + r % {unit * wide}"
        leading, stride = (along, across) if swizzle == 0 else (across, along)
    else:
        eight = 8 * wide * unit * gap
        chunk = rows * unit * gap  # without a swizzle: from one column of units to the next
        total = max(1, rows // 8) * eight if swizzle else chunk * 2
        at = (f"r // 8 * {eight} + r % 8 * {wide * unit} + k + {2 * unit * step}" if swizzle
              else f"k // {unit} * {chunk} + r // 8 * {8 * unit * gap} + r % 8 * {unit} + k % {unit}")
        leading, stride = (chunk, 8 * unit * gap) if swizzle == 0 else (unit, eight)
    row = 128 // (BITS[dtype] // 8)  # elements in 128 bytes
    k.add(f'{name} = T.alloc_shared([{total}], "{dtype}", align=1024)', f"for j in T.serial({(rows * depth + 127) // 128}):",
          "    e: T.let = j * 128 + tid", f"    if e < {rows * depth}:", f"        r: T.let = e // {depth}",
          f"        k: T.let = e % {depth}", f"        at: T.let = {at}")
    first, k.words = k.words, k.words + rows * depth
    place = f"at // {unit * wide} * {unit * wide} + ((at // {unit} % {wide}) ^ (at // {row} % {wide})) * {unit} + at % {unit}"
    k.add(f"        {name}[{place if swizzle else 'at'}] = " + number(k, dtype, f"A[{first} + e]"))
    size = BITS[dtype] // 8
    return leading * size // 16, stride * size // 16


def wgmma(k):
    rng = k.rng
    named = rng.choice(["float16", "float16", "bfloat16", "tf32", "e4m3", "e5m2"])
    dtype, depth = INPUTS[named]
    n = rng.choice([8, 16, 24, 40, 64, 96, 128, 192, 256])
    in_registers = rng.random() < 0.3
    majors = [BITS[dtype] == 16 and not in_registers and rng.random() < 0.4, BITS[dtype] == 16 and rng.random() < 0.4]
    # Matrices by rows come in whole patterns.
    swizzles = [rng.choice([0, 1, 2, 3]), rng.choice([s for s in range(4) if not majors[1] or n % (8 << s) == 0])]
    steps = [0 if by_rows or s < 2 else rng.randrange(1 << (s - 1)) for by_rows, s in zip(majors, swizzles)]
    lists = f"*[acc[i] for i in range({n // 2})]"
    k.add('desc = T.alloc_local([2], "uint64")')
    descriptors = []
    if in_registers:
        per = 32 // BITS[dtype]
        count = 64 * depth * BITS[dtype] // 128 // 32
        k.add(f'a = T.alloc_local([{count}], "uint32")',
              f'parts = T.decl_buffer([{count * per}], "{dtype}", data=a.data, scope="local")', f"for i in T.unroll({count * per}):",
              f"    parts[i] = {number(k, dtype, k.word(count * per, 'i'))}")
        lists = f"*[a[i] for i in range({count})], " + lists
    else:
        descriptors.append((0, "a_tile", swizzles[0], steps[0], tile(k, "a_tile", dtype, 64, depth, swizzles[0], majors[0], steps[0])))
    descriptors.append((1, "b_tile", swizzles[1], steps[1], tile(k, "b_tile", dtype, n, depth, swizzles[1], majors[1], steps[1])))
    array(k, "acc", n // 2, "float32")
    for i, name, swizzle, step, (leading, stride) in descriptors:
        k.add(f"T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([{i}]), {name}.ptr_to([0]), {leading}, {stride}, {swizzle})")
        if step:
            k.add(f"desc[{i}] = desc[{i}] + T.uint64({2 * step})")
    scales = [rng.choice([1, 1, -1]), rng.choice([1, 1, -1])]
    accumulates = rng.choice([0, 1, 1])

    def call(scale_a):
        return (f"T.ptx.wgmma.mma_async.{'rs(' if in_registers else 'ss(desc[0], '}desc[1], {lists}, M=64, N={n}, K={depth}, "
                f'in_dtype="{named}", out_dtype="float32", transA={majors[0]}, transB={majors[1]}, scaleA={scale_a}, '
                f"scaleB={scales[1]}, scaleD={accumulates})")

    calls = [call(scales[0])]
    if rng.random() < 0.4:  # not the same again: ptxas 13.0 makes one of two equal ones that are narrow
        calls.append(call(-scales[0]))
    k.add("T.ptx.fence.proxy_async()", "T.cuda.cta_sync()", "T.ptx.wgmma.fence()", *calls,
          "T.ptx.wgmma.commit_group()", "T.ptx.wgmma.wait_group(0)")
    give_back(k, "acc", n // 2, "float32")


# ---- warps ----

def matrices(k):
    """Matrix loads and stores, rows in any order."""
    rng = k.rng
    count = rng.choice([1, 2, 4])
    rows, load = 8 * count, rng.random() < 0.5
    multiplier, start = rng.choice([1, 3, 5, 7]), rng.randrange(rows)
    k.add(f'tile = T.alloc_shared([{rows * 8}], "float16", align=16)', f'words = T.decl_buffer([{rows * 4}], "uint32", data=tile.data, '
          'scope="shared")')
    first, k.words = k.words, k.words + rows * 4
    fill = [f"for i in T.serial({count}):", f"    words[i * 32 + lane] = A[{first} + i * 32 + lane]", "T.cuda.cta_sync()"]
    pointer = f"tile.ptr_to([(lane % {rows} * {multiplier} + {start}) % {rows} * 8])"
    array(k, "held", count, "uint32")
    handles = ", ".join(f"held.ptr_to([{i}])" for i in range(count))
    trans = rng.randrange(2)
    k.add(*fill)
    if load:
        k.add(f'T.ptx.ldmatrix({trans}, {count}, ".b16", {pointer}, {handles})')
        return give_back(k, "held", count, "uint32")
    k.add(f'T.ptx.stmatrix({trans}, {count}, ".b16", {pointer}, {handles})', "T.cuda.cta_sync()")
    k.result, k.shape = "uint32", (count, 32)
    k.add(f"for i in T.serial({count}):", "    B[i, lane] = words[i * 32 + lane]")


def warps(k):
    """Shuffles, votes and reductions, one after the other."""
    rng = k.rng
    k.add(f"x: T.uint32 = {k.word(1, 0)}", "y: T.uint32 = T.uint32(0)")
    for _ in range(rng.randrange(2, 7)):
        width = rng.choice([32, 32, 16, 8, 4, 2])
        mask = "T.uint32(0xFFFFFFFF)"
        k.add("y = x ^ (y * T.uint32(2654435761))")
        k.add("x = " + rng.choice([
            lambda: f"T.cuda.__shfl_sync({mask}, y, T.cast(x & T.uint32(63), \"int32\"), {width})",
            lambda: f"T.cuda.__shfl_sync({mask}, y, {rng.randrange(32)}, {width})",
            lambda: f"T.cuda.__shfl_up_sync({mask}, y, {rng.randrange(32)}, {width})",
            lambda: f"T.cuda.__shfl_down_sync({mask}, y, {rng.randrange(32)}, {width})",
            lambda: f"T.cuda.__shfl_xor_sync({mask}, y, {rng.randrange(32)}, {width})",
            lambda: f'T.cuda.ballot_sync({mask}, T.cast(y >> T.uint32({rng.randrange(32)}) & T.uint32(1), "int32"))',
            lambda: f"T.cuda.reduce_add_sync_u32({mask}, y)",
            lambda: f"T.cuda.reduce_min_sync_u32({mask}, y)",
            lambda: f'T.cast(T.ptx.any_sync({mask}, T.cast(y & T.uint32({rng.choice([1, 0, 4096])}), "int32")), "uint32")',
            lambda: f'T.cuda.warp_reduce(T.cast(y & T.uint32(65535), "uint32"), "{rng.choice(["sum", "max", "min"])}", {width})',
        ])())
        k.add("x = x + T.uint32(lane)" if rng.random() < 0.5 else "x = x ^ y")
    k.result, k.shape = "uint32", (32,)
    k.add("B[lane] = x")


def atomics(k):
    """Sums of all threads in shared and global memory, whatever their order."""
    rng = k.rng
    dtype = rng.choice(["int32", "uint32", "float32"])
    cells = rng.choice([1, 3, 8, 32])
    k.exact = True
    k.add(f'sums = T.alloc_shared([{cells}], "{dtype}")', f"if tid < {cells}:", f'    sums[tid] = T.cast(0, "{dtype}")', "T.cuda.cta_sync()")
    rounds = rng.randrange(1, 5)
    value = f"{k.word(rounds, 'i')}" if dtype == "uint32" else number(k, dtype, k.word(rounds, "i"))
    k.add(f"for i in T.serial({rounds}):", f"    add: T.let = {value}",
          f"    T.evaluate(T.cuda.atomic_add(sums.ptr_to([(tid * {rng.choice([1, 3, 7])} + i) % {cells}]), add))", "T.cuda.cta_sync()")
    k.result, k.shape = dtype, (cells,)
    k.add(f"if tid < {cells}:", "    B[tid] = sums[tid]")


def arithmetic(k):
    """Rounding modes, flushed and clamped results, conversions and bits; all results as words."""
    rng = k.rng
    count = rng.randrange(3, 8)
    k.add(f'words = T.alloc_local([{count * 2}], "uint32")', 'one = T.alloc_local([1], "float32")',
          'wide = T.alloc_local([1], "float64")', 'pair = T.alloc_local([2], "float32")', 'halves = T.alloc_local([2], "float16")')

    def single():
        word = k.word(1, 0)
        return 'T.reinterpret("float32", ' + rng.choice([
            word, f"({word} & T.uint32(0x83FFFFFF)) | T.uint32(0x3C000000)", f"{word} & T.uint32(0x81FFFFFF)",
            f"({word} & T.uint32(0x80000007)) << T.uint32(20) ^ T.uint32(0x7F800000)"]) + ")"

    def double():
        high, low = k.word(1, 0), k.word(1, 0)
        near = rng.random() < 0.7
        top = f"(({high} & T.uint32(0x803FFFFF)) | T.uint32(0x3FC00000))" if near else f"({high} & T.uint32(0xFFEFFFFF))"
        return f'T.reinterpret("float64", T.cast({top}, "uint64") << T.uint64(32) | T.cast({low}, "uint64"))'

    def put(at, word):
        k.add(f"words[{at}] = {word}")

    for i in range(count):
        mode = f'rounding="{rng.choice(["rn", "rz", "rm", "rp"])}"'
        op = rng.choice(["add", "sub", "mul", "fma"])
        kind = rng.choice(["single", "single", "single", "double", "max", "bfloat", "brain", "half", "widen", "fp8", "ffs", "fns"])
        put(2 * i + 1, "T.uint32(0)")
        if kind == "single":
            operands = ", ".join(single() for _ in range(3 if op == "fma" else 2))
            k.add(f"T.ptx.{op}_f32(one.ptr_to([0]), {operands}, {mode}, ftz={rng.random() < 0.4}, sat={rng.random() < 0.3})")
            put(2 * i, 'T.reinterpret("uint32", one[0])')
        elif kind == "double":
            operands = ", ".join(double() for _ in range(3 if op == "fma" else 2))
            k.add(f"T.ptx.{op}_f64(wide.ptr_to([0]), {operands}, {mode})")
            put(2 * i, 'T.cast(T.reinterpret("uint64", wide[0]) & T.uint64(0xFFFFFFFF), "uint32")')
            put(2 * i + 1, 'T.cast(T.reinterpret("uint64", wide[0]) >> T.uint64(32), "uint32")')
        elif kind == "max":
            k.add(f"one[0] = T.ptx.max_f32({single()}, {single()}, ftz={rng.random() < 0.4}, nan={rng.random() < 0.4})")
            put(2 * i, 'T.reinterpret("uint32", one[0])')
        elif kind == "bfloat":
            put(2 * i, f"T.cuda.{rng.choice(['hmin2', 'hmax2'])}({k.word(1, 0)}, {k.word(1, 0)})")
        elif kind == "brain":
            put(2 * i, f"T.cuda.float22bfloat162_rn({single()}, {single()})")
        elif kind == "half":
            k.add(f"pair[0] = {single()}", f"pair[1] = {single()}", "T.cuda.float22half2(halves.ptr_to([0]), pair.ptr_to([0]))")
            for e in range(2):
                put(2 * i + e, f'T.cast(T.reinterpret("uint16", halves[{e}]), "uint32")')
        elif kind == "widen":
            put(2 * i, f'T.cast(T.cuda.bfloat1622float2({k.word(1, 0)}) >> T.uint64({rng.choice([0, 32])}), "uint32")')
        elif kind == "fp8":
            put(2 * i, f"T.cuda.fp8x4_e4m3_from_float4({', '.join(single() for _ in range(4))})")
        elif kind == "ffs":
            put(2 * i, f'T.cast(T.cuda.ffs_u32({k.word(1, 0)} << T.uint32({rng.randrange(32)})), "uint32")')
        else:
            put(2 * i, f'T.ptx.fns_b32({k.word(1, 0)}, {k.word(1, 0)} & T.uint32(31), {rng.randrange(-9, 10)})')
    give_back(k, "words", count * 2, "uint32")


FAMILIES = [(mma, 32, 6), (mma_sparse, 32, 2), (wgmma, 128, 6), (matrices, 32, 2), (warps, 32, 3), (atomics, 128, 1),
            (arithmetic, 32, 4)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    os.makedirs(options.output, exist_ok=True)
    kernels = []
    for i in range(options.count):
        family, threads, _ = rng.choices(FAMILIES, [weight for _, _, weight in FAMILIES])[0]
        kernel = Kernel(random.Random(rng.random()), f"{family.__name__}_{i}", threads)
        family(kernel)
        kernels.append(kernel.text())
    for first in range(0, len(kernels), 10):
        with open(os.path.join(options.output, f"matrix_{first // 10:03}.py"), "w", encoding="utf-8") as out:
            out.write(HEADER.format(seed=options.seed) + "".join(kernels[first : first + 10]))


if __name__ == "__main__":
    main()
