#!/usr/bin/env python3
"""Writes seeded kernels of instructions of release 0.27 for sm_90a, with inputs and with what they must leave.

    instruction_kernels.py --seed N|fresh --count M [--per-file N] [--only FAMILY] -o FOLDER

Every kernel computes B from the random words of A in steps of several families: arithmetic, conversions, shared memory, atomics,
lanes that exchange values, barriers, asynchronous copies, matrices, clusters. What each step must give is computed here, word for
word, without the compiler: it stands in E, and the kernel's reference copies E to B. All results are whole words, compared exactly.

    tilewright run FOLDER --entry all --on sim       tilewright run FOLDER --entry all --on gpu
"""
import argparse
import math
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.seeds import seed  # noqa: E402

MASK = 0xffffffff
HEAD = '''# tilewright: dialect 0.27
# tilewright: arch sm_90a
"""Kernels of seed {seed}, made by instruction_kernels.py."""
from tvm.script import tirx as T
'''


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def as_f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits & MASK))[0]


def f16(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def as_f16(bits):
    return struct.unpack("<e", struct.pack("<H", bits & 0xffff))[0]


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.threads = rng.choice([32, 64, 96, 128])
        self.ctas = 1  # of the cluster
        self.lines, self.inputs, self.results = [], [], []
        self.shared, self.names, self.barriers, self.named = 0, 0, 0, 1
        self.families = []

    def add(self, *lines):
        self.lines += lines

    # Values are lists with one for each thread of all CTAs.
    def threads_of_all(self):
        return self.threads * self.ctas

    def word(self, draw=None):
        """A column of A: its text, and the values that it has."""
        values = [(draw() if draw else self.rng.getrandbits(32)) & MASK for _ in range(self.threads_of_all())]
        self.inputs.append(values)
        return f"A[row, {len(self.inputs) - 1}]", values

    def scalar(self, dtype="uint32"):
        self.names += 1
        self.add(f"v{self.names}: T.{dtype}")
        return f"v{self.names}"

    def out(self, text, values):
        self.add(f"B[row, {len(self.results)}] = {text}")
        self.results.append([v & MASK for v in values])

    def space(self, words):
        """The first of so many words of shared memory, 16 bytes aligned."""
        first, self.shared = self.shared, self.shared + (words + 3) // 4 * 4
        return first

    def barrier(self, arrivals):
        number, self.barriers = self.barriers, self.barriers + 1
        self.add("if tx == 0:", f"    T.ptx.mbarrier.init.shared.b64(bars.ptr_to([{number}]), {arrivals})",
                 "    T.ptx.fence.mbarrier_init.release.cluster()", "T.ptx.bar.sync(0)")
        return f"bars.ptr_to([{number}])"

    def wait(self, bar, phase=0):
        done = self.scalar()
        self.add(f"{done} = T.uint32(0)", f"while {done} == 0:",
                 f"    T.ptx.mbarrier.try_wait.parity.shared.b64({done}, {bar}, {phase})")

    def ctas_of(self, f):
        """f(CTA, its threads' numbers in all) for each CTA."""
        for cta in range(self.ctas):
            yield cta, range(cta * self.threads, (cta + 1) * self.threads)

    def warps(self):
        for first in range(0, self.threads_of_all(), 32):
            yield range(first, first + 32)

    def text(self, inputs_width, results_width):
        head = ["", "", f"# tilewright: run {self.name} reference=copy_{self.name} A={self.name}_A.npy E={self.name}_E.npy B=zeros",
                "@T.prim_func",
                f'def {self.name}(A: T.Buffer(({self.threads_of_all()}, {inputs_width}), "uint32"), '
                f'E: T.Buffer(({self.threads_of_all()}, {results_width}), "uint32"), '
                f'B: T.Buffer(({self.threads_of_all()}, {results_width}), "uint32")):',
                "    T.device_entry()"]
        if self.ctas > 1:
            head += [f"    cta = T.cta_id_in_cluster([{self.ctas}])", f"    T.cta_id([{self.ctas}])"]
        else:
            head += ["    T.cta_id([1])"]
        head += [f"    tx = T.thread_id([{self.threads}])",
                 f"    row: T.let[T.int32] = {'cta * %d + tx' % self.threads if self.ctas > 1 else 'tx'}"]
        body = "\n".join(self.lines)
        head += [f"    {name}: T.let[T.int32] = {of}" for name, of in (("lane", "tx % 32"), ("warp", "tx // 32"))
                 if re.search(rf"(?<![.\w]){name}(?![.\w])", body)]
        if self.shared:
            head += [f'    S = T.alloc_shared([{self.shared}], "uint32", align=128)']
        if self.barriers:
            head += [f'    bars = T.alloc_shared([{self.barriers}], "uint64")']
        copy = ["", "", "@T.prim_func",
                f'def copy_{self.name}(A: T.Buffer(({self.threads_of_all()}, {inputs_width}), "uint32"), '
                f'E: T.Buffer(({self.threads_of_all()}, {results_width}), "uint32"), '
                f'B: T.Buffer(({self.threads_of_all()}, {results_width}), "uint32")):',
                "    T.device_entry()", f"    row = T.cta_id([{self.threads_of_all()}])", f"    k = T.thread_id([{results_width}])",
                "    B[row, k] = E[row, k]"]
        return "\n".join(head + ["    " + line for line in self.lines] + copy) + "\n"


# ---- arithmetic ----

def integers(k):
    (a, va), (b, vb), (c, vc) = k.word(), k.word(), k.word()
    is_signed = k.rng.random() < 0.2
    x = k.scalar("int32" if is_signed else "uint32")
    s = k.rng.randrange(32)
    table = k.rng.randrange(256)
    choices = [
        (f'T.ptx.add.u32({x}, {a}, {b})', lambda p, q, r: p + q),
        (f'T.ptx.sub.u32({x}, {a}, {b})', lambda p, q, r: p - q),
        (f'T.ptx["mul.lo.u32"]({x}, {a}, {b})', lambda p, q, r: p * q),
        (f'T.ptx["mul.hi.u32"]({x}, {a}, {b})', lambda p, q, r: p * q >> 32),
        (f'T.ptx["mad.lo.u32"]({x}, {a}, {b}, {c})', lambda p, q, r: p * q + r),
        (f'T.ptx["and.b32"]({x}, {a}, {b})', lambda p, q, r: p & q),
        (f'T.ptx["or.b32"]({x}, {a}, {b})', lambda p, q, r: p | q),
        (f'T.ptx["xor.b32"]({x}, {a}, {b})', lambda p, q, r: p ^ q),
        (f'T.ptx["not.b32"]({x}, {a})', lambda p, q, r: ~p),
        (f'T.ptx["shl.b32"]({x}, {a}, {s})', lambda p, q, r: p << s),
        (f'T.ptx["shr.u32"]({x}, {a}, {s})', lambda p, q, r: p >> s),
        (f'T.ptx["popc.b32"]({x}, {a})', lambda p, q, r: bin(p).count("1")),
        (f'T.ptx["clz.b32"]({x}, {a})', lambda p, q, r: 32 - p.bit_length()),
        (f'T.ptx["brev.b32"]({x}, {a})', lambda p, q, r: int(f"{p:032b}"[::-1], 2)),
        (f'T.ptx["bfind.u32"]({x}, {a})', lambda p, q, r: p.bit_length() - 1),
        (f'T.ptx["min.u32"]({x}, {a}, {b})', lambda p, q, r: min(p, q)),
        (f'T.ptx["lop3.b32"]({x}, {a}, {b}, {c}, {table})',
         lambda p, q, r: sum(((table >> ((p >> i & 1) * 4 + (q >> i & 1) * 2 + (r >> i & 1))) & 1) << i for i in range(32))),
        (f'T.ptx["prmt.b32"]({x}, {a}, {b}, T.uint32(0x{k_selector(k):x}))', None),
        (f'T.ptx["bfe.u32"]({x}, {a}, {s}, 7)', lambda p, q, r: p >> s & 127),
        (f'T.ptx["sad.u32"]({x}, {a}, {b}, {c})', lambda p, q, r: abs(p - q) + r),
        (f'T.ptx["mul24.lo.u32"]({x}, {a}, {b})', lambda p, q, r: (p & 0xffffff) * (q & 0xffffff)),
    ]
    if is_signed:
        i, j = f'T.reinterpret("int32", {a})', f'T.reinterpret("int32", {b})'
        choices = [
            (f'T.ptx["mul.hi.s32"]({x}, {i}, {j})', lambda p, q, r: signed(p) * signed(q) >> 32),
            (f'T.ptx["max.s32"]({x}, {i}, {j})', lambda p, q, r: max(signed(p), signed(q))),
            (f'T.ptx["shr.s32"]({x}, {i}, {s})', lambda p, q, r: signed(p) >> s),
            (f'T.ptx["abs.s32"]({x}, {i})', lambda p, q, r: abs(signed(p))),
            (f'T.ptx["bfe.s32"]({x}, {i}, {s % 24}, 8)', lambda p, q, r: signed(p >> s % 24 & 255, 8)),
        ]
    line, f = k.rng.choice(choices)
    if f is None:
        selector = int(line.split("0x")[1].rstrip(")"), 16)
        def f(p, q, r):
            both = (q << 32 | p).to_bytes(8, "little")
            return int.from_bytes(bytes(both[selector >> 4 * i & 7] for i in range(4)), "little")
    values = [f(p, q, r) & MASK for p, q, r in zip(va, vb, vc)]
    if k.rng.random() < 0.4:  # executed by some, kept by others
        some = k.rng.randrange(1, 31)
        first = f'T.reinterpret("int32", {c})' if is_signed else c
        k.add(f"{x} = {first}", line[:-1] + f", pred=lane < {some}, preserve_dst=True)")
        values = [v if i % 32 < some else r for i, (v, r) in enumerate(zip(values, vc))]
    else:
        k.add(line)
    k.out(f'T.reinterpret("uint32", {x})' if is_signed else x, values)


def k_selector(k):
    return sum(k.rng.randrange(8) << 4 * i for i in range(4))


def floats(k):
    """Numbers whose sums and products are exact."""
    draw = lambda: f32(k.rng.randrange(-64, 64) / 8)
    (a, va), (b, vb), (c, vc) = k.word(draw), k.word(draw), k.word(draw)
    f = lambda text: f'T.reinterpret("float32", {text})'
    kind = k.rng.randrange(8)
    x = k.scalar("float32") if kind in (0, 1, 6, 7) else ""
    u = k.scalar() if kind in (2, 4, 5) else ""
    nums = [(as_f32(p), as_f32(q), as_f32(r)) for p, q, r in zip(va, vb, vc)]
    if kind == 0:
        mode = k.rng.choice(["rn", "rz", "rm", "rp"])
        k.add(f'T.ptx["add.{mode}.f32"]({x}, {f(a)}, {f(b)})')
        k.out(f'T.reinterpret("uint32", {x} + T.float32(1024))', [f32(p + q + 1024) for p, q, r in nums])
    elif kind == 1:
        k.add(f'T.ptx["fma.rn.f32"]({x}, {f(a)}, {f(b)}, {f(c)})')
        k.out(f'T.reinterpret("uint32", {x} + T.float32(65536))', [f32(p * q + r + 65536) for p, q, r in nums])
    elif kind == 2:
        op = k.rng.choice(["lt", "le", "gt", "ge", "eq", "ne"])
        k.add(f'T.ptx["setp.{op}.f32"]({u}, {f(a)}, {f(b)})')
        compare = {"lt": lambda p, q: p < q, "le": lambda p, q: p <= q, "gt": lambda p, q: p > q, "ge": lambda p, q: p >= q,
                   "eq": lambda p, q: p == q, "ne": lambda p, q: p != q}[op]
        k.out(u, [compare(p, q) for p, q, r in nums])
    elif kind == 3:
        i = k.scalar("int32")
        mode = k.rng.choice(["rzi", "rni", "rmi", "rpi"])
        to = {"rzi": math.trunc, "rni": round, "rmi": math.floor, "rpi": math.ceil}[mode]
        k.add(f'T.ptx["cvt.{mode}.s32.f32"]({i}, {f(a)})')
        k.out(f'T.reinterpret("uint32", {i})', [to(p) for p, q, r in nums])
    elif kind == 4:
        k.add(f'T.ptx["cvt.rn.f16x2.f32"]({u}, {f(a)}, {f(b)})')
        k.out(u, [f16(p) << 16 | f16(q) for p, q, r in nums])
    elif kind == 5:
        h = k.scalar()
        k.add(f'T.ptx["cvt.rn.f16x2.f32"]({u}, {f(a)}, {f(b)})', f'T.ptx["cvt.rn.f16x2.f32"]({h}, {f(b)}, {f(c)})',
              f'T.ptx["fma.rn.f16x2"]({u}, {u}, {h}, {h})')
        k.out(u, [(f16(p * q + q) << 16) | f16(q * r + r) for p, q, r in nums])
    elif kind == 6:
        op, g = k.rng.choice([("min", min), ("max", max)])
        k.add(f'T.ptx["{op}.f32"]({x}, {f(a)}, {f(b)})')
        k.out(f'T.reinterpret("uint32", {x} + T.float32(256))', [f32(g(p, q) + 256) for p, q, r in nums])
    else:
        w, z = k.scalar("uint64"), k.scalar("uint64")
        y = k.scalar("float32")
        k.add(f'T.ptx["mov.b64"]({w}, {f(a)}, {f(b)})', f'T.ptx["mov.b64"]({z}, {f(c)}, {f(a)})',
              f'T.ptx["mov.b64"]({x}, {y}, {w})', f'T.ptx["sub.f32"]({x}, {x}, {y})')
        k.out(f'T.reinterpret("uint32", {x} + T.float32(512))', [f32(p - q + 512) for p, q, r in nums])


# ---- memory ----

def shared_memory(k):
    n = k.threads
    width = k.rng.choice([1, 2, 4])
    words = [k.word() for _ in range(width)]
    first, shift = k.space(n * width), k.rng.randrange(n)
    to, back = f"S.ptr_to([{first} + tx * {width}])", f"S.ptr_to([{first} + (tx + {shift}) % {n} * {width}])"
    xs = [k.scalar() for _ in range(width)]
    vec = "" if width == 1 else f".v{width}"
    if width == 4 and k.rng.random() < 0.4:
        wide = k.scalar("uint128")
        k.add(f'T.ptx["st.shared.v4.b32"]({to}, {", ".join(w for w, _ in words)})', "T.ptx.bar.sync(0)",
              f'T.ptx["ld.shared.b128"]({wide}, {back})', f'T.ptx["mov.b128"]({", ".join(xs)}, {wide})')
    else:
        manner = k.rng.choice(["", ".volatile", ".relaxed.cta"]) if width == 1 else ""
        k.add(f'T.ptx["st{manner}.shared{vec}.b32"]({to}, {", ".join(w for w, _ in words)})', "T.ptx.bar.sync(0)",
              f'T.ptx["ld{manner}.shared{vec}.b32"]({", ".join(xs)}, {back})')
    for x, (_, values) in zip(xs, words):
        k.out(x, [values[cta * n + (t + shift) % n] for cta in range(k.ctas) for t in range(n)])
    k.add("T.ptx.bar.sync(0)")


def atomics(k):
    n = k.threads
    cells = k.rng.choice([1, 2, 8])
    first = k.space(cells)
    a, va = k.word()
    x = k.scalar()
    kind = k.rng.choice(["add", "min", "max", "and", "or", "xor", "s32.max", "f16x2", "inc"])
    start = k.rng.getrandbits(32)
    if kind == "f16x2":
        start = f16(1.0) << 16 | f16(2.0)
        a, va = k.word(lambda: f16(k.rng.randrange(-4, 5)) << 16 | f16(k.rng.randrange(-4, 5)))
    if kind == "inc":
        start = 5
    k.add(f"if tx < {cells}:", f"    S[{first} + tx] = T.uint32({start})", "T.ptx.bar.sync(0)")
    at = f"S.ptr_to([{first} + tx % {cells}])"
    line = {"s32.max": f'T.ptx["red.shared.max.s32"]({at}, T.reinterpret("int32", {a}))',
            "f16x2": f'T.ptx["red.shared.add.noftz.f16x2"]({at}, {a})',
            "inc": f'T.ptx["red.shared.inc.u32"]({at}, T.uint32(1000))'}.get(kind)
    kinds = {"and": "b32", "or": "b32", "xor": "b32"}
    if line is None:
        line = f'T.ptx["red.shared.{kind}.{kinds.get(kind, "u32")}"]({at}, {a})'
    k.add(line, "T.ptx.bar.sync(0)", f'T.ptx["ld.shared.b32"]({x}, {at})')
    step = {"add": lambda p, q: p + q & MASK, "min": min, "max": max, "and": lambda p, q: p & q, "or": lambda p, q: p | q,
            "xor": lambda p, q: p ^ q, "s32.max": lambda p, q: max(signed(p), signed(q)) & MASK, "inc": lambda p, q: 0 if p >= 1000 else p + 1,
            "f16x2": lambda p, q: f16(as_f16(p >> 16) + as_f16(q >> 16)) << 16 | f16(as_f16(p) + as_f16(q))}[kind]
    out = []
    for cta in range(k.ctas):
        cell = [start] * cells
        for t in range(n):
            cell[t % cells] = step(cell[t % cells], va[cta * n + t])
        out += [cell[t % cells] for t in range(n)]
    k.out(x, out)
    k.add("T.ptx.bar.sync(0)")


# ---- lanes ----

def shuffles(k):
    a, va = k.word()
    x, p = k.scalar(), k.scalar()
    mode = k.rng.choice(["up", "down", "bfly", "idx"])
    segment = k.rng.choice([0, 16, 24, 28])
    clamp = 0 if mode == "up" else k.rng.choice([31, 31, k.rng.randrange(32)])
    by = k.rng.randrange(32)
    k.add(f'T.ptx["shfl_sync.{mode}.b32"]({x}, {p}, {a}, {by}, {segment << 8 | clamp}, 0xffffffff)')
    values, holds = [], []
    for warp in k.warps():
        for l in range(32):
            most, least = (l & segment) | (clamp & ~segment & 31), l & segment
            j = {"up": l - by, "down": l + by, "bfly": l ^ by, "idx": least | (by & ~segment & 31)}[mode]
            good = j >= most if mode == "up" else j <= most
            values.append(va[warp[j if good else l]])
            holds.append(good)
    k.out(x, values)
    k.out(p, holds)


def votes(k):
    a, va = k.word(lambda: k.rng.randrange(4))
    kind = k.rng.randrange(6)
    x = k.scalar() if kind not in (2, 3) else ""
    groups = [[va[t] for t in warp] for warp in k.warps()]
    give = lambda f: [v for g in groups for v in f(g)]
    if kind == 0:
        k.add(f'T.ptx["vote_sync.ballot.b32"]({x}, {a} == T.uint32(1), 0xffffffff)')
        k.out(x, give(lambda g: [sum((v == 1) << i for i, v in enumerate(g))] * 32))
    elif kind == 1:
        mode = k.rng.choice(["any", "all", "uni"])
        k.add(f'T.ptx["vote_sync.{mode}.pred"]({x}, {a} != T.uint32(0), 0xffffffff)')
        judge = {"any": any, "all": all, "uni": lambda g: all(g) or not any(g)}[mode]
        k.out(x, give(lambda g: [judge([v != 0 for v in g])] * 32))
    elif kind == 2:
        i = k.scalar("int32")
        k.add(f'T.ptx["match.any.sync.b32"]({i}, {a}, 0xffffffff)')
        k.out(f'T.reinterpret("uint32", {i})', give(lambda g: [sum((w == v) << n for n, w in enumerate(g)) for v in g]))
    elif kind == 3:
        i, p = k.scalar("int32"), k.scalar()
        k.add(f'T.ptx["match.all.sync.b32"]({i}, {p}, {a} >> T.uint32({k.rng.randrange(3)}), 0xffffffff)')
        shift = int(k.lines[-1].split("T.uint32(")[1].split(")")[0])
        same = give(lambda g: [MASK if len({v >> shift for v in g}) == 1 else 0] * 32)
        k.out(f'T.reinterpret("uint32", {i})', same)
        k.out(p, [v != 0 for v in same])
    elif kind == 4:
        op, f = k.rng.choice([("add", sum), ("min", min), ("max", max)])
        k.add(f'T.ptx["redux_sync.{op}.u32"]({x}, {a}, 0xffffffff)')
        k.out(x, give(lambda g: [f(g)] * 32))
    else:
        y = k.scalar()
        k.add(f'T.ptx.elect_sync({x}, {y}, 0xffffffff)')
        k.out(f"{x} + T.uint32(100) * {y}", give(lambda g: [100] + [0] * 31))


def transposes(k):
    a, va = k.word()
    x = k.scalar()
    k.add(f'T.ptx["movmatrix.sync.aligned.m8n8.trans.b16"]({x}, {a})')
    values = []
    for warp in k.warps():
        m = [[0] * 8 for _ in range(8)]
        for l in range(32):
            m[l // 4][l % 4 * 2], m[l // 4][l % 4 * 2 + 1] = va[warp[l]] & 0xffff, va[warp[l]] >> 16
        values += [m[l % 4 * 2][l // 4] | m[l % 4 * 2 + 1][l // 4] << 16 for l in range(32)]
    k.out(x, values)


# ---- barriers ----

def reductions(k):
    a, va = k.word(lambda: k.rng.randrange(3))
    x = k.scalar()
    kind = k.rng.choice(["popc", "and", "or"])
    name = {"popc": 'bar.red.popc.u32', "and": "bar.red.and.pred", "or": "bar.red.or.pred"}[kind]
    number = k.rng.randrange(4)
    count = f", {k.threads}" if k.rng.random() < 0.5 and number else ""
    k.add(f'T.ptx["{name}"]({x}, {number}{count}, {a} != T.uint32(0))', "T.ptx.bar.sync(0)")
    out = []
    for cta in range(k.ctas):
        g = [v != 0 for v in va[cta * k.threads:(cta + 1) * k.threads]]
        out += [{"popc": sum, "and": all, "or": any}[kind](g)] * k.threads
    k.out(x, out)


def hand_over(k):
    """What one half of the warps writes, the other half reads behind a named barrier that the first only arrives at."""
    if k.threads < 64:
        return False
    a, va = k.word()
    first = k.space(64)
    x = k.scalar()
    number = 4 + k.named % 10
    k.named += 1
    k.add(f"{x} = {a}", "if warp == 0:", f"    S[{first} + lane] = {a}", f"    T.ptx.bar.arrive({number}, 64)",
          "if warp == 1:", f"    T.ptx.bar.sync({number}, 64)", f"    {x} = S[{first} + 31 - lane]", "T.ptx.bar.sync(0)")
    out = list(va)
    for cta in range(k.ctas):
        base = cta * k.threads
        for l in range(32):
            out[base + 32 + l] = va[base + 31 - l]
    k.out(x, out)


def states(k):
    a, va = k.word()
    n = k.threads
    first = k.space(n)
    bar = k.barrier(n)
    state, done = k.scalar("int64"), k.scalar()
    words = k.rng.choice(["mbarrier.arrive.shared.b64", "mbarrier.arrive.release.cta.shared::cta.b64", "mbarrier.arrive.release.cluster.shared::cta.b64"])
    k.add(f"S[{first} + tx] = {a}", f'T.ptx["{words}"]({state}, {bar})', f"{done} = T.uint32(0)", f"while {done} == 0:",
          f'    T.ptx["mbarrier.try_wait.shared.b64"]({done}, {bar}, {state})')
    k.out(f"S[{first} + {n - 1} - tx]", [va[cta * n + n - 1 - t] for cta in range(k.ctas) for t in range(n)])
    k.add("T.ptx.bar.sync(0)")


# ---- asynchronous copies ----

def small_copies(k):
    columns = [k.word() for _ in range(4)]
    column = len(k.inputs) - 4
    if column % 4:  # 16 bytes aligned
        for _ in range(4 - column % 4):
            columns.append(k.word())
        columns, column = columns[-4:], len(k.inputs) - 4
    n = k.threads
    first = k.space(4 * n)
    size = k.rng.choice([4, 8, 16])
    given = k.rng.choice([None, *range(0, size + 1, 4)])
    part = "" if given is None else f", T.uint32({given})"
    way = "cg" if size == 16 and k.rng.random() < 0.5 else "ca"
    k.add(f'T.ptx["cp.async.{way}.shared.global"](S.ptr_to([{first} + 4 * tx]), A.ptr_to([row, {column}]), {size}{part})')
    if k.rng.random() < 0.5:
        k.add("T.ptx.cp.async_.commit_group()", "T.ptx.cp.async_.wait_group(0)")
    else:
        k.add("T.ptx.cp.async_.wait_all()")
    for i in range(size // 4):
        whole = given is None or 4 * i < given
        k.out(f"S[{first} + 4 * tx + {i}]", columns[i][1] if whole else [0] * len(columns[i][1]))
    k.add("T.ptx.bar.sync(0)")


def bulk_copies(k):
    """A row of A into shared memory, counted by a barrier; and from there to global memory and back by another thread."""
    n = k.threads
    while len(k.inputs) % 4:
        k.word()
    column = len(k.inputs)
    words = k.rng.choice([4, 8])
    columns = [k.word() for _ in range(words)]
    source = k.rng.randrange(n)
    first = k.space(words)
    bar = k.barrier(1)
    k.bulk = True
    base = f"cta * {n} + {source}" if k.ctas > 1 else f"{source}"
    k.add("if tx == 0:", f"    T.ptx.mbarrier.arrive.expect_tx.shared.b64({bar}, T.uint32({words * 4}))",
          '    T.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"]'
          f"(S.ptr_to([{first}]), A.ptr_to([{base}, {column}]), T.uint32({words * 4}), {bar})")
    k.wait(bar)
    pick = k.rng.randrange(words)
    k.out(f"S[{first} + {pick}] + T.cast(tx, \"uint32\")", [columns[pick][1][cta * n + source] + t for cta in range(k.ctas) for t in range(n)])
    k.add("T.ptx.bar.sync(0)")


def bulk_stores(k):
    """Four words of each thread from shared memory to its row of B."""
    while len(k.results) % 4:
        integers(k)
    words = [k.word() for _ in range(4)]
    first = k.space(4 * k.threads)
    column = len(k.results)
    k.add(f'T.ptx["st.shared.v4.b32"](S.ptr_to([{first} + 4 * tx]), {", ".join(w for w, _ in words)})',
          "T.ptx.fence.proxy.async_.shared__cta()",
          f'T.ptx["cp.async.bulk.global.shared::cta.bulk_group"](B.ptr_to([row, {column}]), S.ptr_to([{first} + 4 * tx]), T.uint32(16))',
          "T.ptx.cp.async_.bulk.commit_group()", "T.ptx.cp.async_.bulk.wait_group(0)", "T.ptx.bar.sync(0)")
    k.results += [list(values) for _, values in words]


# ---- matrices ----

def fragments(k):
    """Shared memory through ldmatrix, as it is or transposed."""
    n = k.threads
    count = k.rng.choice([1, 2, 4])
    trans = k.rng.random() < 0.5
    words = [k.word() for _ in range(4)]
    first = k.space(n * 4)
    xs = [k.scalar() for _ in range(count)]
    k.add(f'T.ptx["st.shared.v4.b32"](S.ptr_to([{first} + 4 * tx]), {", ".join(w for w, _ in words)})', "T.ptx.bar.warp.sync(0xffffffff)",
          f'T.ptx["ldmatrix.sync.aligned.m8n8.x{count}{".trans" if trans else ""}.shared.b16"]({", ".join(xs)}, S.ptr_to([{first} + 4 * tx]))')
    outs = [[] for _ in range(count)]
    for warp in k.warps():
        rows = [[h for _, v in words for h in (v[t] & 0xffff, v[t] >> 16)] for t in warp]  # 8 halves of each lane's row
        for m in range(count):
            matrix = rows[8 * m:8 * m + 8]
            for l in range(32):
                r, c = l // 4, l % 4 * 2
                pair = (matrix[c][r], matrix[c + 1][r]) if trans else (matrix[r][c], matrix[r][c + 1])
                outs[m].append(pair[0] | pair[1] << 16)
    for x, values in zip(xs, outs):
        k.out(x, values)
    k.add("T.ptx.bar.sync(0)")


# Of each kind of product: the type of its sums, k of a dense one, elements of a register, those of A of which sparse ones store half.
PRODUCTS = {"f16": ("f32", 16, 2, 4), "bf16": ("f32", 16, 2, 4), "tf32": ("f32", 8, 1, 2), "e4m3": ("f32", 32, 4, 4), "e5m2": ("f32", 32, 4, 4),
            "s8": ("s32", 32, 4, 4), "u8": ("s32", 32, 4, 4)}
SMALL = {"e4m3": {0: 0, 1: 0x38, 2: 0x40}, "e5m2": {0: 0, 1: 0x3c, 2: 0x40}}  # numbers that a float of 8 bits has


def products(k):
    """m16n8: halves, tf32 and floats of 8 bits into floats, bytes into integers; dense, or with half of the elements of A."""
    sparse = k.rng.random() < 0.5
    kind = k.rng.choice([*PRODUCTS, "f16", "bf16", "s8"])
    total_type, deep, per, unit = PRODUCTS[kind]
    integers_ = total_type == "s32"
    if kind == "tf32":
        deep = k.rng.choice([4, 8]) if not sparse else k.rng.choice([8, 16])
    elif sparse:
        deep *= 2 if kind in SMALL else k.rng.choice([1, 2])
    stored = deep // 2 if sparse else deep
    na, nb = 16 * stored // 32 // per, deep * 8 // 32 // per

    def element():
        if kind in SMALL:
            n = k.rng.randrange(-2, 3)
            return SMALL[kind][abs(n)] | (0x80 if n < 0 else 0)
        n = k.rng.randrange(-4, 5)
        return f16(n) if kind == "f16" else f32(n) >> 16 if kind == "bf16" else f32(n)

    def draw():
        return k.rng.getrandbits(32) if integers_ else sum(element() << 32 // per * i for i in range(per))
    a, b = [k.word(draw) for _ in range(na)], [k.word(draw) for _ in range(nb)]
    c = [k.word((lambda: k.rng.getrandbits(20)) if integers_ else (lambda: f32(k.rng.randrange(-8, 9)))) for _ in range(4)]
    lanes = deep // unit // 4 if sparse else 0
    selector = k.rng.randrange(4 // lanes) if sparse else 0
    choices = [4, 14] if kind == "tf32" else [4, 8, 12, 9, 13, 14]
    metadata, vm = k.word(lambda: sum(k.rng.choice(choices) << 4 * i for i in range(8))) if sparse else ("", [])
    dtype = "uint32" if integers_ else "float32"
    k.names += 1
    tag = k.names
    k.add(f'd{tag} = T.alloc_local([4], "{dtype}")', f'a{tag} = T.alloc_local([{na}], "uint32")', f'b{tag} = T.alloc_local([{nb}], "uint32")',
          f'c{tag} = T.alloc_local([4], "{dtype}")')
    for i, (text, _) in enumerate(a):
        k.add(f"a{tag}[{i}] = {text}")
    for i, (text, _) in enumerate(b):
        k.add(f"b{tag}[{i}] = {text}")
    for i, (text, _) in enumerate(c):
        k.add(f"c{tag}[{i}] = {text}" if integers_ else f'c{tag}[{i}] = T.reinterpret("float32", {text})')
    names = lambda p, n: ", ".join(f"{p}{tag}[{i}]" for i in range(n))
    types = f"{total_type}.{kind}.{kind}.{total_type}"
    variant = k.rng.choice([".sp", ".sp::ordered_metadata"]) if sparse else ""
    tail = f", {metadata}, {selector}" if sparse else ""
    k.add(f'T.ptx["mma{variant}.sync.aligned.m16n8k{deep}.row.col.{types}"]({names("d", 4)}, {names("a", na)}, {names("b", nb)}, {names("c", 4)}{tail})')

    def elements(word):
        out = []
        for i in range(per):
            bits = word >> 32 // per * i & (1 << 32 // per) - 1
            if kind in SMALL:
                value = next(n for n, code in SMALL[kind].items() if code == bits & 0x7f) * (-1 if bits >> 7 else 1)
            else:
                value = {"s8": lambda: signed(bits, 8), "u8": lambda: bits, "f16": lambda: as_f16(bits), "bf16": lambda: as_f32(bits << 16),
                         "tf32": lambda: as_f32(bits)}[kind]()
            out.append(value)
        return out
    outs = [[] for _ in range(4)]
    for warp in k.warps():
        A = [[0] * deep for _ in range(16)]
        B = [[0] * 8 for _ in range(deep)]
        for l in range(32):
            for r in range(na):
                for e, v in enumerate(elements(a[r][1][warp[l]])):
                    row, col = l // 4 + 8 * (r % 2), r // 2 * 4 * per + l % 4 * per + e
                    if sparse:
                        half = unit // 2
                        group = col // half
                        # Of bytes a lane holds eight groups of one row, of wider elements four groups of two rows.
                        lane = group // 8 * 2 + row // 8 if per == 4 else group // 4
                        bit = group % 8 * 4 if per == 4 else row // 8 * 16 + group % 4 * 4
                        word = vm[warp[row % 8 * 4 + (0 if lanes == 4 else selector * lanes) + lane]]
                        index = word >> (bit + (col % half) * 2) & 3
                        col = group * unit + (index // 2 if unit == 2 else index)
                    A[row][col] = v
            for r in range(nb):
                for e, v in enumerate(elements(b[r][1][warp[l]])):
                    B[r * 4 * per + l % 4 * per + e][l // 4] = v
        for i in range(4):
            for l in range(32):
                row, col = l // 4 + 8 * (i // 2), l % 4 * 2 + i % 2
                start = c[i][1][warp[l]] if integers_ else as_f32(c[i][1][warp[l]])
                total = start + sum(A[row][x] * B[x][col] for x in range(deep))
                outs[i].append(total & MASK if integers_ else f32(total))
    for i in range(4):
        text = f"d{tag}[{i}]"
        k.out(text if integers_ else f'T.reinterpret("uint32", {text} + T.float32(0))', outs[i])


# ---- clusters ----

def neighbours(k):
    """Words of the next CTA's shared memory, by a mapped address."""
    if k.ctas == 1:
        return False
    a, va = k.word()
    n = k.threads
    first = k.space(n)
    x, at = k.scalar(), k.scalar("uint32")
    k.add(f"S[{first} + tx] = {a}", "T.ptx.barrier.cluster.arrive.release.aligned()", "T.ptx.barrier.cluster.wait.acquire.aligned()",
          f'T.ptx["mapa.shared::cluster.u32"]({at}, T.cuda.cvta_generic_to_shared(S.ptr_to([{first} + tx])), T.cast((cta + 1) % {k.ctas}, "uint32"))',
          f'T.ptx["ld.shared::cluster.b32"]({x}, {at})', "T.ptx.barrier.cluster.arrive.release.aligned()",
          "T.ptx.barrier.cluster.wait.acquire.aligned()")
    k.out(x, [va[(cta + 1) % k.ctas * n + t] for cta in range(k.ctas) for t in range(n)])


def mapped(k, pointer):
    """The same place in the next CTA, as an address of the cluster's window."""
    at = k.scalar()
    k.add(f'T.ptx["mapa.shared::cluster.u32"]({at}, T.cuda.cvta_generic_to_shared({pointer}), T.cast((cta + 1) % {k.ctas}, "uint32"))')
    return at


def meet(k):
    k.add("T.ptx.barrier.cluster.arrive.release.aligned()", "T.ptx.barrier.cluster.wait.acquire.aligned()")


def remote_stores(k):
    """Words stored into the next CTA, whose barrier counts the bytes."""
    if k.ctas == 1:
        return False
    a, va = k.word()
    n = k.threads
    first = k.space(n)
    bar = k.barrier(1)
    k.add("if tx == 0:", f"    T.ptx.mbarrier.arrive.expect_tx.shared.b64({bar}, T.uint32({4 * n}))")
    meet(k)
    to, counts = mapped(k, f"S.ptr_to([{first} + tx])"), mapped(k, bar)
    k.add(f'T.ptx["st_async.shared::cluster.mbarrier::complete_tx::bytes.b32"]({to}, {a}, {counts})')
    k.wait(bar)
    k.out(f"S[{first} + tx]", [va[(cta - 1) % k.ctas * n + t] for cta in range(k.ctas) for t in range(n)])
    meet(k)


def remote_arrivals(k):
    """Arrivals at the next CTA's barrier, behind which this CTA reads what that one wrote."""
    if k.ctas == 1:
        return False
    a, va = k.word()
    n = k.threads
    first = k.space(n)
    bar = k.barrier(n)
    x = k.scalar()
    meet(k)
    there = mapped(k, bar)
    k.add(f"S[{first} + tx] = {a}", f'T.ptx["mbarrier.arrive.release.cluster.shared::cluster.b64"]({there})', f"{x} = T.uint32(0)",
          f"while {x} == 0:", f'    T.ptx["mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"]({x}, {bar}, 0)')
    at = k.scalar()
    k.add(f'T.ptx["mapa.shared::cluster.u32"]({at}, T.cuda.cvta_generic_to_shared(S.ptr_to([{first} + tx])), T.cast((cta + {k.ctas} - 1) % {k.ctas}, "uint32"))',
          f'T.ptx["ld.shared::cluster.b32"]({x}, {at})')
    meet(k)
    k.out(x, [va[(cta - 1) % k.ctas * n + t] for cta in range(k.ctas) for t in range(n)])


FAMILIES = [integers, integers, integers, floats, floats, shared_memory, atomics, shuffles, votes, votes, transposes, reductions, hand_over,
            states, small_copies, bulk_copies, bulk_stores, fragments, products, products, neighbours, remote_stores, remote_arrivals]


def array(values):
    """An .npy file of uint32 rows."""
    rows, columns = len(values[0]), len(values)
    head = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    body = b"".join(struct.pack(f"<{columns}I", *(column[r] for column in values)) for r in range(rows))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body


def make(rng, name, families=FAMILIES):
    k = Kernel(rng, name)
    k.ctas = rng.choice([1, 1, 2])
    while len(k.results) < 8:
        family = rng.choice(families)
        if family(k) is not False:
            k.families.append(family.__name__)
    while len(k.inputs) % 4:
        k.word()  # rows of whole 16 bytes
    while len(k.results) % 4:
        integers(k)
    while len(k.inputs) % 4:
        k.word()
    return k


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--per-file", type=int, default=10)
    parser.add_argument("--only", help="kernels of one family, as products")
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    chosen = seed(args.seed)
    families = [f for f in FAMILIES if args.only in (None, f.__name__)]
    rng = random.Random(chosen)
    os.makedirs(args.output, exist_ok=True)
    used = {}
    for start in range(0, args.count, args.per_file):
        text = HEAD.format(seed=chosen)
        for number in range(start, min(start + args.per_file, args.count)):
            k = make(rng, f"kernel_{number:03}", families)
            text += k.text(len(k.inputs), len(k.results))
            for which, values in (("A", k.inputs), ("E", k.results)):
                with open(os.path.join(args.output, f"{k.name}_{which}.npy"), "wb") as file:
                    file.write(array(values))
            for family in k.families:
                used[family] = used.get(family, 0) + 1
        with open(os.path.join(args.output, f"kernels_{start // args.per_file:03}.py"), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"{args.count} kernels of seed {chosen}: " + ", ".join(f"{name} {count}" for name, count in sorted(used.items())))


if __name__ == "__main__":
    main()
