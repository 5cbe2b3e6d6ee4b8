#!/usr/bin/env python3
"""Matrices of 0.27's instructions on the simulator, beside what this program computes of the same bytes.

    matrices_test.py TILEWRIGHT [--seed N|day|fresh]

wgmma with sums of float16, factors of two types, single bits and saturation; ldmatrix of bytes, of 6 and of 4 bits; tcgen05.mma with
collectors, sizes of blocks, scales, sparse and stationary; spcompress, spdecompress and loads of tensor memory that compress. The numbers are small, so that every sum is exact. Factors are K-major
rows of 32 bytes without a swizzle, in units of 8 rows of 16 bytes.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.seeds import seed  # noqa: E402

HEAD = '''# tilewright: dialect 0.27
# tilewright: arch {arch}
from tvm.script import tirx as T

'''
BITS = {"f16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1, "e2m1": 4, "ti16": 16}


def narrow(exponent, mantissa, code):
    """A small float: so many bits of exponent and mantissa, a sign above them."""
    sign = -1.0 if code >> (exponent + mantissa) & 1 else 1.0
    high, low, bias = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1, (1 << exponent - 1) - 1
    if high == 0:
        return sign * low * 2.0 ** (1 - bias - mantissa)
    return sign * (1 + low / (1 << mantissa)) * 2.0 ** (high - bias)


def number(kind, code):
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<H", code))[0]
    if kind == "tf32":
        return struct.unpack("<f", struct.pack("<I", code))[0]
    if kind == "s8":
        return code - 256 if code >= 128 else code
    if kind in ("u8", "b1"):
        return code
    if kind == "ti16":  # a sign, four zeros and a magnitude
        return -(code & 0x7ff) if code >> 15 else code
    return narrow(*{"e4m3": (4, 3), "e5m2": (5, 2), "e2m1": (2, 1)}[kind], code)


def drawn(kind, chance):
    """The bits of a random element, small enough that all sums are exact."""
    if kind == "f16":
        return struct.unpack("<H", struct.pack("<e", chance.randint(-4, 4)))[0]
    if kind == "tf32":
        return struct.unpack("<I", struct.pack("<f", chance.randint(-4, 4)))[0]
    if kind == "ti16":
        return chance.choice([0, 1]) << 15 | chance.choice([chance.randrange(2048), 2047])
    if kind in ("s8", "u8"):
        return chance.randrange(256)
    if kind == "e4m3":  # 1 to 1.875, 2 to 3.75, and their negatives
        return chance.choice([0, 0x38, 0x3c, 0x40, 0x44, 0xb8, 0xbc, 0xc0])
    if kind == "e5m2":
        return chance.choice([0, 0x3c, 0x3e, 0x40, 0x42, 0xbc, 0xbe, 0xc0])
    return chance.randrange(1 << BITS[kind])


def row_of(kind, chance, size=32):
    """A row of `size` bytes and its numbers."""
    bits = BITS[kind]
    codes = [drawn(kind, chance) for _ in range(size * 8 // bits)]
    packed = sum(code << bits * i for i, code in enumerate(codes))
    return packed.to_bytes(size, "little"), [number(kind, code) for code in codes]


def rows_of(kind, count, chance, size=32):
    rows = [row_of(kind, chance, size) for _ in range(count)]
    return b"".join(r for r, _ in rows), [n for _, n in rows]


def dot(x, y):
    return sum(p * q for p, q in zip(x, y))


def words(kind, sums):
    """Neighbouring sums as words of 32 bits."""
    if kind == "f16":
        return [struct.unpack("<I", struct.pack("<ee", sums[i], sums[i + 1]))[0] for i in range(0, len(sums), 2)]
    if kind == "f32":
        return [struct.unpack("<I", struct.pack("<f", s))[0] for s in sums]
    return [int(s) & 0xFFFFFFFF for s in sums]


class Case:
    """A kernel, what it is given and what it leaves: name -> (dtype, shape, bytes)."""

    def __init__(self, name, script, inputs, outputs):
        self.name, self.script, self.inputs, self.outputs = name, script, inputs, outputs

    def wrong(self, binary, folder):
        path = os.path.join(folder, self.name + ".py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.script)
        command = [binary, "run", path, "--on", "sim", "--json"]
        for option, tensors in (("--input", self.inputs), ("--expect", self.outputs)):
            for name, (dtype, shape, data) in tensors.items():
                file = os.path.join(folder, f"{self.name}_{name}.npy")
                with open(file, "wb") as f:
                    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
                    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)
                command.append(f"{option}={name}={file}")
        for name in self.outputs:
            command.append(f"--input={name}=zeros")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            return f"no JSON: {done.stderr.strip()}"
        if answer.get("verdict") == "verified" and not answer.get("findings"):
            return None
        return json.dumps({k: answer.get(k) for k in ("verdict", "status", "error", "problems", "findings", "diagnostics")})[:1500]


FACTORS = '''    left = T.alloc_buffer(({m} * {size},), "uint8", scope="shared", align=128)
    right = T.alloc_buffer(({n} * {right_size},), "uint8", scope="shared", align=128)
    for i in T.serial({m} * {size} // 128):
        a: T.let[T.int32] = tid * ({m} * {size} // 128) + i
        left[a // {size} // 8 * {eight} + a % {size} // 16 * 128 + a // {size} % 8 * 16 + a % 16] = A[a // {size}, a % {size}]
    for i in T.serial({n} * {right_size} // 128):
        b: T.let[T.int32] = tid * ({n} * {right_size} // 128) + i
        right[b // {right_size} // 8 * {right_eight} + b % {right_size} // 16 * 128 + b // {right_size} % 8 * 16 + b % 16] = B[b // {right_size}, b % {right_size}]
    T.ptx.fence.proxy.async_.shared__cta()
    T.ptx.bar.sync(0)
'''


def factors(m, n, size=32, right=32):
    return FACTORS.format(m=m, n=n, size=size, eight=8 * size, right_size=right, right_eight=8 * right)


WGMMA = HEAD + '''
@T.prim_func
def kernel(A: T.Buffer((64, 32), "uint8"), B: T.Buffer(({n}, 32), "uint8"), C: T.Buffer((128, {registers}), "uint32"), D: T.Buffer((128, {registers}), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    desc = T.alloc_local([2], "uint64")
    own = T.alloc_local([4], "uint32")
    acc = T.alloc_local([{registers}], "{carrier}")
{factors}
    for i in T.unroll({registers}):
        acc[i] = {load}
    for i in T.unroll(4):
        own[i] = T.uint32(0)
        for j in T.unroll(4):
            own[i] = own[i] | (T.Cast("uint32", A[tid // 32 * 16 + tid % 32 // 4 + i % 2 * 8, i // 2 * 16 + tid % 4 * 4 + j]) << (8 * j))
    T.cuda.wgmma.encode_matrix_descriptor(desc.ptr_to([0]), left.ptr_to([0]), 8, 16, 0)
    T.cuda.wgmma.encode_matrix_descriptor(desc.ptr_to([1]), right.ptr_to([0]), 8, 16, 0)
    T.ptx.wgmma.fence.sync.aligned()
    T.ptx["{instruction}"](*[acc[i] for i in range({registers})], {first}, desc[1], T.ptx.pred(1){rest})
    T.ptx.wgmma.commit_group.sync.aligned()
    T.ptx.wgmma.wait_group.sync.aligned(0)
    for i in T.unroll({registers}):
        D[tid, i] = {store}
'''


def warpgroup(name, shape, words_of_types, out, kinds, n, chance, registers_of_a=False, scales=True, transposes=False, saturates=False):
    left, right = kinds
    a, left_rows = rows_of(left, 64, chance)
    b, right_rows = rows_of(right, n, chance)
    signs = (chance.choice([1, -1]), chance.choice([1, -1])) if scales else (1, 1)
    before, after = [], []
    for tid in range(128):
        old, new = [], []
        for i in range(n // 2):
            row, column = tid // 32 * 16 + tid % 32 // 4 + i // 2 % 2 * 8, i // 4 * 8 + tid % 4 * 2 + i % 2
            was = chance.choice([2**31 - 5, -2**31 + 5, 7]) if saturates else chance.randint(-8, 8)
            total = was + signs[0] * signs[1] * dot(left_rows[row], right_rows[column])
            old.append(was)
            new.append(max(-2**31, min(2**31 - 1, total)) if saturates else total)
        before += words(out, old)
        after += words(out, new)
    registers = len(before) // 128
    rest = "".join(f", {s}" for s in signs) if scales else ""
    rest += ", 0" * ((0 if registers_of_a else 1) + 1) if transposes else ""
    floats = out == "f32"
    script = WGMMA.format(
        arch="sm_90a", n=n, registers=registers, carrier="float32" if floats else "uint32", factors=factors(64, n),
        load='T.reinterpret("float32", C[tid, i])' if floats else "C[tid, i]",
        store='T.reinterpret("uint32", acc[i])' if floats else "acc[i]",
        first="own[0], own[1], own[2], own[3]" if registers_of_a else "desc[0]",
        instruction=f"wgmma.mma_async.sync.aligned.m64n{n}{shape}.{words_of_types}", rest=rest)
    pack = lambda values: struct.pack(f"<{len(values)}I", *values)  # noqa: E731
    return Case(name, script, {"A": ("|u1", (64, 32), a), "B": ("|u1", (n, 32), b), "C": ("<u4", (128, registers), pack(before))},
                {"D": ("<u4", (128, registers), pack(after))})


def warpgroups(chance):
    for rs in (False, True):
        end = "_rs" if rs else "_ss"
        yield warpgroup("half" + end, "k16", "f16.f16.f16", "f16", ("f16", "f16"), 16, chance, rs, transposes=True)
        yield warpgroup("mixed" + end, "k32", "f32.e4m3.e5m2", "f32", ("e4m3", "e5m2"), 8, chance, rs)
        yield warpgroup("short_half" + end, "k32", "f16.e5m2.e4m3", "f16", ("e5m2", "e4m3"), 8, chance, rs)
        yield warpgroup("bits" + end, "k256", "s32.b1.b1.and.popc", "s32", ("b1", "b1"), 24, chance, rs, scales=False)
        yield warpgroup("integers" + end, "k32", "s32.u8.s8", "s32", ("u8", "s8"), 8, chance, rs, scales=False)
        yield warpgroup("saturated" + end, "k32", "satfinite.s32.s8.s8", "s32", ("s8", "s8"), 8, chance, rs, scales=False, saturates=True)


LDMATRIX = HEAD + '''
@T.prim_func
def kernel(A: T.Buffer((32, 16), "uint8"), D: T.Buffer((32, {registers}), "uint32")):
    T.device_entry()
    T.cta_id([1])
    lane = T.thread_id([32])
    rows = T.alloc_buffer((32, 16), "uint8", scope="shared", align=128)
    out = T.alloc_local([{registers}], "uint32")
    for i in T.serial(16):
        rows[lane, i] = A[lane, i]
    T.ptx.bar.sync(0)
    T.ptx["{instruction}"](*[out[i] for i in range({registers})], rows.ptr_to([lane, 0]))
    for i in T.unroll({registers}):
        D[lane, i] = out[i]
'''


def matrix_loads(chance):
    for shape, number_of, form in [("m8n16", 1, "b4x16_p64"), ("m8n16", 2, "b6x16_p32"), ("m8n16", 4, "b4x16_p64"),
                                   ("m16n16", 1, "b6x16_p32"), ("m16n16", 2, "b4x16_p64"), ("m16n16", 1, "b8"), ("m16n16", 2, "b8"),
                                   ("m8n16", 1, "s8.s4"), ("m8n16", 2, "s8.s4"), ("m8n16", 4, "s8.s4")]:
        a = bytes(chance.randrange(256) for _ in range(512))
        signed = form == "s8.s4"
        bits = 4 if signed else int(form[1])
        rows = [[int.from_bytes(a[16 * r:16 * r + 16], "little") >> bits * c & (1 << bits) - 1 for c in range(16)] for r in range(32)]
        if signed:
            rows = [[x | 0xF0 if x & 8 else x for x in row] for row in rows]
        out = []
        for lane in range(32):
            for matrix in range(number_of):
                if shape == "m8n16":
                    four = [[rows[8 * matrix + lane // 4][lane % 4 * 4 + e] for e in range(4)]]
                else:  # of the transposed matrix a row of 16, which is a column of what is stored
                    four = [[rows[16 * matrix + lane % 4 * 4 + e][lane // 4 + half] for e in range(4)] for half in (0, 8)]
                out += [int.from_bytes(bytes(f), "little") for f in four]
        registers = len(out) // 32
        turned = ".trans" if shape == "m16n16" else ""
        types = form if form in ("b8", "s8.s4") else f"b8x16.{form}"
        yield Case(f"ldmatrix_{shape}_x{number_of}_{form.replace('.', '_')}",
                   LDMATRIX.format(arch="sm_107a" if signed else "sm_100a", registers=registers,
                                   instruction=f"ldmatrix.sync.aligned.{shape}.x{number_of}{turned}.shared.{types}"),
                   {"A": ("|u1", (32, 16), a)}, {"D": ("<u4", (32, registers), struct.pack(f"<{len(out)}I", *out))})


REGISTERS = HEAD + '''
@T.prim_func
def kernel(A: T.Buffer((32, {read}), "uint32"), D: T.Buffer((32, {written}), "uint32")):
    T.device_entry()
    T.cta_id([1])
    lane = T.thread_id([32])
    a = T.alloc_local([{read}], "uint32")
    d = T.alloc_local([{written}], "uint32")
    for i in T.unroll({read}):
        a[i] = A[lane, i]
    T.ptx["{instruction}"](*[d[i] for i in range({written})], *[a[i] for i in range({read})])
    for i in T.unroll({written}):
        D[lane, i] = d[i]
'''
TYPES = {8: ["u8", "s8", "e5m2", "e4m3", "e3m2", "e2m3"], 16: ["f16", "bf16"]}
FLOATS = {"e5m2": (5, 2), "e4m3": (4, 3), "e3m2": (3, 2), "e2m3": (2, 3), "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23)}


def is_number(kind, code):
    if kind not in FLOATS:
        return True
    exponent, mantissa = FLOATS[kind]
    low = code & (1 << exponent + mantissa) - 1
    return {"e4m3": low != 0x7F, "e3m2": True, "e2m3": True}.get(kind, low <= ((1 << exponent) - 1) << mantissa)


def rank(kind, code, magnitudes):
    """A tuple that ascends as the numbers do; of equal ones -0.0 comes first."""
    if kind == "u8":
        return code, 0
    if kind == "s8":
        value = code - 256 if code >= 128 else code
        return abs(value) if magnitudes else value, 0
    exponent, mantissa = FLOATS[kind]
    negative = code >> exponent + mantissa & 1
    size = code & (1 << exponent + mantissa) - 1  # as whole numbers these ascend, too
    if magnitudes:
        return size, 0
    return -size if negative else size, 0 if negative else 1


def two_of_four(kind, codes, least, magnitudes):
    """The places of the two that are kept, and whether PTX leaves open which ones they are."""
    order = sorted(range(4), key=lambda i: rank(kind, codes[i], magnitudes), reverse=not least)
    numbers, none = [i for i in order if is_number(kind, codes[i])], [i for i in order if not is_number(kind, codes[i])]
    order = none + numbers
    is_open = len(none) > 2 or (len(none) < 2 and len(numbers) > 2 - len(none)
                                and rank(kind, codes[order[1]], magnitudes) == rank(kind, codes[order[2]], magnitudes))
    return sorted(order[:2]), is_open


def four_of(kind, bits, chance):
    """Four elements of which PTX says which two are kept, for any order."""
    while True:
        codes = [chance.randrange(1 << min(bits, {"e3m2": 6, "e2m3": 6}.get(kind, bits))) for _ in range(4)]
        if not any(two_of_four(kind, codes, least, size)[1] for least in (0, 1) for size in (0, 1)):
            return codes


def packed(fields, bits):
    total = sum(f << bits * i for i, f in enumerate(fields))
    count = (len(fields) * bits + 31) // 32
    return [total >> 32 * i & 0xFFFFFFFF for i in range(count)]


def compressed(chance):
    for bits, index, number_of in ((8, 2, 1), (8, 4, 4), (16, 2, 16), (16, 4, 2), (8, 2, 16)):
        for which, kind in enumerate(TYPES[bits]):
            order = chance.randrange(4)
            read, written = [], []
            for _ in range(32):
                fours = [four_of(kind, bits, chance) for _ in range(number_of * 16 // bits)]
                kept = [two_of_four(kind, f, order >> 1, order & 1)[0] for f in fours]
                read += packed([c for f in fours for c in f], bits) + [which << 2 | order]
                places = packed([i for two in kept for i in two], index)
                written += places + packed([f[i] for f, two in zip(fours, kept) for i in two], bits)
            yield Case(f"spcompress_{kind}_b{index}_x{number_of}",
                       REGISTERS.format(arch="sm_107a", read=len(read) // 32, written=len(written) // 32,
                                        instruction=f"spcompress.b{bits}.b{index}.sp::2:4.x{number_of}"),
                       {"A": ("<u4", (32, len(read) // 32), struct.pack(f"<{len(read)}I", *read))},
                       {"D": ("<u4", (32, len(written) // 32), struct.pack(f"<{len(written)}I", *written))})


def decompressed(chance):
    for bits, index, few, many, number_of in ((8, 2, 1, 2, 2), (8, 2, 2, 4, 8), (8, 4, 4, 16, 2), (16, 4, 2, 8, 4), (16, 2, 1, 4, 16), (16, 4, 1, 16, 1)):
        read, written = [], []
        for _ in range(32):
            places = [sorted(chance.sample(range(many), few)) for _ in range(number_of)]
            values = [[chance.randrange(1 << bits) for _ in range(few)] for _ in range(number_of)]
            whole = [0] * (many * number_of)
            for n in range(number_of):
                for place, value in zip(places[n], values[n]):
                    whole[n * many + place] = value
            read += packed([p for some in places for p in some], index) + packed([v for some in values for v in some], bits)
            written += packed(whole, bits)
        yield Case(f"spdecompress_{few}_{many}_b{bits}_b{index}_x{number_of}",
                   REGISTERS.format(arch="sm_107a", read=len(read) // 32, written=len(written) // 32,
                                    instruction=f"spdecompress.b{bits}.b{index}.sp::{few}:{many}.x{number_of}"),
                   {"A": ("<u4", (32, len(read) // 32), struct.pack(f"<{len(read)}I", *read))},
                   {"D": ("<u4", (32, len(written) // 32), struct.pack(f"<{len(written)}I", *written))})


LOADED = HEAD + '''
@T.prim_func
def kernel(A: T.Buffer((128, {count}), "uint32"), D: T.Buffer((128, {written}), "uint32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    tid = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    row = T.alloc_local([{count}], "uint32")
    kept = T.alloc_local([{written}], "uint32")
    most: T.float32
    if warp == 0:
        T.ptx["tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32"](address.ptr_to([0]), 576)
    T.ptx.bar.sync(0)
    at: T.let[T.uint32] = address[0] + T.Cast("uint32", warp * 32 * 65536) + T.uint32(448)
    for i in T.unroll({count}):
        row[i] = A[tid, i]
    T.ptx["tcgen05.st.sync.aligned.32x32b.x{count}.b32"](at, *[row[i] for i in range({count})])
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx["{instruction}"](*[kept[i] for i in range({kept})], {most}at)
    T.ptx.tcgen05.wait__ld.sync.aligned()
    {take}
    for i in T.unroll({written}):
        D[tid, i] = kept[i]
    T.ptx.bar.sync(0)
    if warp == 0:
        T.ptx["tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32"](address[0], 576)
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
'''


def loads_that_compress(chance):
    for count, op, sizes, reduces, tells in ((4, "max", 0, 0, 0), (16, "min", 0, 0, 0), (64, "max", 1, 0, 0), (128, "min", 1, 1, 0), (32, "max", 0, 1, 1), (8, "max", 1, 1, 0)):
        least, read, written = op == "min", [], []
        for _ in range(128):
            fours = [four_of("f32", 32, chance) for _ in range(count // 4)]
            if not tells:  # numbers alone: what a reduction says of others is tested elsewhere
                fours = [f if all(is_number("f32", c) for c in f) else [0x3F800000, 0xC0000000, 0x40400000, 0xC0800000] for f in fours]
            kept = [two_of_four("f32", f, least, sizes)[0] for f in fours]
            codes = [c for f in fours for c in f]
            read += codes
            written += packed([i for two in kept for i in two], 2) + [f[i] for f, two in zip(fours, kept) for i in two]
            if reduces:
                none = any(not is_number("f32", c) for c in codes)
                best = (min if least else max)((c for c in codes if is_number("f32", c)), key=lambda c: rank("f32", c, sizes))
                written.append(0x7FFFFFFF if none and tells else best & 0x7FFFFFFF if sizes else best)
        words_ = f"{'.abs' if sizes else ''}{'.NaN' if tells else ''}"
        yield Case(f"ld_spcompress_x{count}_{op}{words_.replace('.', '_')}",
                   LOADED.format(arch="sm_107a", count=count, written=len(written) // 128, kept=len(written) // 128 - reduces, most="most, " if reduces else "",
                                 take=f'kept[{len(written) // 128 - 1}] = T.reinterpret("uint32", most)' if reduces else "pass",
                                 instruction=f"tcgen05.ld.{'red.' if reduces else ''}spcompress.sync.aligned.32x32b.x{count}.{op}.sp::2:4{words_}.f32.b2"),
                   {"A": ("<u4", (128, count), struct.pack(f"<{len(read)}I", *read))},
                   {"D": ("<u4", (128, len(written) // 128), struct.pack(f"<{len(written)}I", *written))})


TENSOR = HEAD + '''
@T.prim_func
def kernel(A: T.Buffer(({m}, {left}), "uint8"), B: T.Buffer(({b_rows}, {right}), "uint8"), S: T.Buffer((128, 8), "uint32"), D: T.Buffer((128, {columns}), "{out}")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    tid = T.thread_id([128])
    read = T.alloc_shared([1], "uint64")
    address = T.alloc_shared([1], "uint32")
    done: T.uint32
    desc = T.alloc_local([2], "uint64")
    row = T.alloc_local([64], "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(address.ptr_to([0]), 128)
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(read.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
{factors}
    lanes: T.let[T.uint32] = T.Cast("uint32", warp * 32 * 65536)
    for i in T.unroll(8):
        row[i] = S[tid, i]
    T.ptx["tcgen05.st.sync.aligned.32x32b.x8.b32"](address[0] + lanes + T.uint32(64), *[row[i] for i in range(8)])
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx.tcgen05.fence__before_thread_sync()
    T.ptx.bar.sync(0)
    if tid == 0:
        T.ptx.tcgen05.fence__after_thread_sync()
        T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([0]), left.ptr_to([0]), 8, {left_eight}, 0)
        T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([1]), right.ptr_to([0]), 8, {right_eight}, 0)
        {segment}
        T.ptx["{instruction}"](address[0], desc[0], desc[1], {operands})
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(read.ptr_to([0]))
    done = T.uint32(0)
    while done == 0:
        T.ptx.mbarrier.try_wait.parity.shared.b64(done, read.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    T.ptx["tcgen05.ld.sync.aligned.32x32b.x{columns}.b32"](*[row[i] for i in range({columns})], address[0] + lanes)
    T.ptx.tcgen05.wait__ld.sync.aligned()
    for i in T.unroll({columns}):
        D[tid, i] = {store}
    T.ptx.bar.sync(0)
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(address[0], 128)
'''
LANES = ", ".join(["T.uint32(0)"] * 4)
PLACES = (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110)  # metadata: which two of four are there, the first one lowest


def spread(left, cells, chance, parts):
    """Rows of which half the elements stand there, with their zeros; their places go into the metadata, of 2 bytes an element and K = 32
    as PTX's figure has them: eight rows share a lane's halves with the next eight, and the second half of K stands eight lanes on."""
    out = []
    for part in range(parts):
        for r, row in enumerate(left):
            lane, whole = part * len(left) + r, []
            for chunk in range(len(row) // 2):
                places = chance.choice(PLACES)
                four = [0] * 4
                four[places & 3], four[places >> 2] = row[2 * chunk], row[2 * chunk + 1]
                whole += four
                at = lane // 16 * 16 + lane % 8 + chunk // 4 * 8
                cells[at][0] |= places << lane % 16 // 8 * 16 + chunk % 4 * 4
            out.append(whole)
    return out


def tensor(name, instruction, kind, chance, *, scales=0, powers=True, sparse=False, stationary=False, arch="sm_107a", m=128, mask=None, segment=None):
    """One product of 128 by 8, or by 64. Column 64 and on of tensor memory hold the scales, the metadata, or a table of B's numbers."""
    wide, whole = segment is not None, kind == "ti16"
    n = 64 if stationary else 16 if wide else 8  # as few as there may be
    b_rows = n + (32 if mask else 0)
    right_bytes = 48 if wide else 64 if sparse and not scales else 64 if sparse else 32
    a, left = rows_of(kind, m, chance, 64 if wide else 32)
    b, right = rows_of("u8" if wide else kind, b_rows, chance, right_bytes)
    cells, parts = [[0] * 8 for _ in range(128)], 128 // m if stationary else 1
    if wide:  # 128 places of 3 bits a row; each eight rows have their own eight numbers
        numbers = [[drawn("e4m3", chance) for _ in range(8)] for _ in range(n // 8)]
        for lane, eight in enumerate(numbers):
            cells[lane][6:8] = packed(eight, 8)
        bits = [int.from_bytes(b[48 * r:48 * r + 48], "little") for r in range(n)]
        right = [[number("e4m3", numbers[r // 8][bits[r] >> 3 * (64 * segment + k) & 7]) for k in range(64)] for r in range(n)]
    lefts = [left] * parts
    if sparse and kind in ("f16", "ti16"):
        every = spread(left, cells, chance, parts)
        lefts = [every[p * m:p * m + m] for p in range(parts)]
    elif sparse:
        cells = [[0] * 6 + [0x44444444] * 2 for _ in range(128)]  # the first two of each four
        lefts = [[[x for i in range(0, len(r), 2) for x in (r[i], r[i + 1], 0, 0)] for r in left]]
    shift = 0
    if mask:
        used, zeros, starts, firsts, shift = mask
        word = 1 << 39 | (zeros - 1) << 40 | (used - 1) << 48 | shift << 56
        word |= sum(c << 8 * i for i, c in enumerate(starts)) | sum(f << 32 + i for i, f in enumerate(firsts))
        right = right[shift:shift + n]
        for c in range(n):
            part, at = c // (n // parts), c % (n // parts)
            span = ([1] * zeros + [0] * used if firsts[part] else [0] * used + [1] * zeros) * n
            right[c] = [0] * len(right[c]) if span[at + starts[part]] else right[c]
    code = {"f16": 0, "tf32": 2, "e4m3": 0, "e2m1": 1, "ti16": 3}[kind]
    bits = code << 7 | code << 10 | n // 8 << 17 | (1 << 2 if sparse else 0) | (3 << 30 if mask else 0)
    meta = f"address[0] + T.uint32({70 if scales or wide else 64}), " if sparse or wide else ""
    if scales:
        bits |= (1 << 23 if powers else 0) | 1 << 27 | (1 << 31 if wide else 0)
        own = [[chance.choice([126, 127, 128] if powers else [0x30, 0x38, 0x40]) for _ in range(scales)] for _ in range(128 + n)]
        value = (lambda s: 2.0 ** (s - 127)) if powers else (lambda s: narrow(4, 3, s))
        for lane in range(128):  # rows of A by fours of columns, then those of B
            for part in range(4):
                cells[lane][part] = int.from_bytes(bytes(own[32 * part + lane % 32]), "little")
            if lane % 32 < n:
                cells[lane][4] = int.from_bytes(bytes(own[128 + lane % 32]), "little")
        size = len(lefts[0][0]) // scales
        at = lambda r, k: value(own[r][k // size])  # noqa: E731
        lefts = [[[x * at(r, k) for k, x in enumerate(row)] for r, row in enumerate(lefts[0])]]
        right = [[x * at(128 + r, k) for k, x in enumerate(row)] for r, row in enumerate(right)]
        operands = f"{meta}T.uint32({bits}), address[0] + T.uint32(64), address[0] + T.uint32(68), T.ptx.pred(0)"
    else:
        bits |= (2 if whole else 1) << 4 | m // 16 << 24 | (1 << 29 if wide else 0)
        last = ", T.uint64(%d)" % (word if mask else 0) if stationary else ""
        operands = f"{meta}T.uint32({bits}), " + (f"T.ptx.pred(0){last}" if stationary else f"{LANES}, T.ptx.pred(0)")
    columns = n // parts
    out = [dot(x, y) for p in range(parts) for x in lefts[p] for y in right[p * columns:p * columns + columns]]
    script = TENSOR.format(arch=arch, m=m, left=64 if wide else 32, b_rows=b_rows, columns=columns, out="uint32" if whole else "float32",
                           store="row[i]" if whole else 'T.reinterpret("float32", row[i])', instruction=instruction, operands=operands,
                           right=right_bytes, left_eight=32 if wide else 16, right_eight=right_bytes // 2,
                           segment="desc[1] = desc[1] | T.uint64(1 << 53)" if segment else "pass",
                           factors=factors(m, b_rows, 64 if wide else 32, right_bytes))
    flat = [w for row in cells for w in row]
    return Case(name, script,
                {"A": ("|u1", (m, 64 if wide else 32), a), "B": ("|u1", (b_rows, right_bytes), b), "S": ("<u4", (128, 8), struct.pack("<1024I", *flat))},
                {"D": ("<u4" if whole else "<f4", (128, columns), struct.pack(f"<{len(out)}" + ("i" if whole else "f"), *out))})


def tensors(chance):
    start, ab = "tcgen05.mma.cta_group::1.", ".collector::a::fill.collector::b::fill"
    for kind, dtype in (("f16", "f16"), ("tf32", "tf32"), ("f8f6f4", "e4m3")):
        yield tensor("collector_" + kind, f"{start}kind::{kind}{ab}", dtype, chance)
    yield tensor("stationary", "tcgen05.mma.ws.cta_group::1.kind::f16", "f16", chance, stationary=True, arch="sm_100a")
    yield tensor("sparse", f"tcgen05.mma.sp.cta_group::1.kind::f16{ab}", "f16", chance, sparse=True)
    yield tensor("sparse_scaled", f"tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale{ab}", "e4m3", chance, sparse=True, scales=1)
    for which, end in (("", ""), ("sp.", ""), ("", ".collector::b::fill"), ("", ab), ("ws.", ".collector::b1::fill")):
        name = "ti16_" + (which + end.count(".") * "c").replace(".", "_")
        yield tensor(name, f"tcgen05.mma.{which}cta_group::1.kind::ti16{end}", "ti16", chance, sparse="sp" in which, stationary="ws" in which)
    for rows in (128, 64, 32):
        yield tensor(f"ti16_ws_sp_{rows}", "tcgen05.mma.ws.sp.cta_group::1.kind::ti16", "ti16", chance, sparse=True, stationary=True, m=rows)
        yield tensor(f"stationary_{rows}", "tcgen05.mma.ws.cta_group::1.kind::f16", "f16", chance, stationary=True, arch="sm_100a", m=rows)
        mask = (4, 3, [chance.randrange(4) for _ in range(4)], [chance.randrange(2) for _ in range(4)], chance.choice([0, 2, 16]))
        yield tensor(f"ti16_ws_sp_masked_{rows}", "tcgen05.mma.ws.sp.cta_group::1.kind::ti16.collector::b0::fill", "ti16", chance, sparse=True, stationary=True, m=rows, mask=mask)
        yield tensor(f"masked_{rows}", "tcgen05.mma.ws.cta_group::1.kind::f16", "f16", chance, stationary=True, arch="sm_100a", m=rows, mask=mask)
    scaled = ".block_scale"
    for half in (0, 1):
        yield tensor(f"table_{half}", f"{start}kind::f8f6f4.decompress::lut::b", "e4m3", chance, segment=half)
        yield tensor(f"scaled_table_{half}", f"{start}kind::mxf8f6f4{scaled}.decompress::lut::b.collector::b::discard", "e4m3", chance, segment=half, scales=1)
    yield tensor("scaled_collector", f"{start}kind::mxf4{scaled}{ab}", "e2m1", chance, scales=2)
    yield tensor("scaled_bytes", f"{start}kind::mxf8f6f4{scaled}{ab}", "e4m3", chance, scales=1)
    yield tensor("block32", f"{start}kind::mxf4nvf4{scaled}.block32", "e2m1", chance, scales=2)
    yield tensor("block16", f"{start}kind::mxf4nvf4{scaled}.block16", "e2m1", chance, scales=4, powers=False)
    yield tensor("vector_2x", f"{start}kind::mxf4nvf4{scaled}.scale_vec::2X", "e2m1", chance, scales=2, arch="sm_100a")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilewright")
    parser.add_argument("--seed", default="day")
    parser.add_argument("--keep", help="a folder for the scripts")
    args = parser.parse_args()
    number_of = seed(args.seed)
    print(f"seed {number_of}")
    chance = random.Random(number_of)
    bad = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in [*warpgroups(chance), *matrix_loads(chance), *tensors(chance), *compressed(chance), *decompressed(chance), *loads_that_compress(chance)]:
            count += 1
            if wrong := case.wrong(args.tilewright, args.keep or folder):
                bad += 1
                print(f"{case.name}: {wrong}")
    print(f"{count} kernels, {count - bad} as computed")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
