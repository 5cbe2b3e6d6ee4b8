"""Families of elementwise calls."""

import math

from compute.kernel import Region
from compute.model import BITS, INTS, Layout, indices, is_float, promoted, product, rounded

BINARY = ["add", "sub", "mul", "fdiv"]
FUNCTIONS = {
    "exp": math.exp,
    "exp2": lambda x: 2.0**x,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "log2": lambda x: math.log2(x) if x > 0 else -math.inf if x == 0 else math.nan,
}
OPS = BINARY * 2 + ["fma", "fma", "cast", "cast", "cast", "exp", "exp2", "sqrt", "reciprocal", "silu", "zero", "fill"]
DTYPES = ["float32"] * 6 + ["float16"] * 4 + ["bfloat16"] * 3 + ["float64"] + ["int32", "uint32", "uint8", "int8"]
RTOL = {"float64": 1e-6, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2, "float8_e4m3fn": 0.13}


# What 0.26 adds.
NEWER = ["maximum"] * 4 + ["log2"] * 2


def binary(op, a, b, dtypes):
    """A value and its type."""
    t = promoted(*dtypes)
    a, b = rounded(t, a), rounded(t, b)
    if op == "fdiv":
        return (rounded(t, a / b) if is_float(t) else a // b), t
    return rounded(t, {"add": a + b, "sub": a - b, "mul": a * b, "maximum": max(a, b)}[op]), t


class Call:
    """An operation with its operands: `sources` are Regions or (text, value, dtype) of scalars."""

    def __init__(self, k, op, scope, dst, sources, options=""):
        self.k, self.op, self.scope, self.dst, self.sources, self.options = k, op, scope, dst, sources, options

    def text(self):
        def word(s):
            return s.text() if isinstance(s, Region) else s[0]

        prefix = "Tx" if self.scope == "thread" else f"Tx.{self.scope}"
        args = [self.dst.text()] + [word(s) if s is not None else "None" for s in self.sources]
        return f"{prefix}.{self.op}({', '.join(args)}{self.options})"

    def value(self, thread, index):
        values, types = [], []
        for s in self.sources:
            if isinstance(s, Region):
                values.append(s.tile.get(thread, s.at(index)))
                types.append(s.tile.dtype)
            else:
                values.append(None if s is None else rounded(s[2], s[1](thread) if callable(s[1]) else s[1]))
                types.append(None if s is None else s[2])
        return self.computed(values, types)

    def computed(self, v, t):
        op = self.op
        if op in BINARY or op == "maximum":
            return binary(op, v[0], v[1], t)[0]
        if op == "fma":
            p, pt = binary("mul", v[0], v[1], t[:2])
            return binary("add", p, v[2], (pt, t[2]))[0]
        if op in FUNCTIONS:
            x, xt = v[0], t[0]
            if len(v) > 2 and v[2] is not None:
                x, xt = binary("mul", x, v[2], (xt, t[2]))
            if len(v) > 1 and v[1] is not None:
                x, xt = binary("add", x, v[1], (xt, t[1]))
            return rounded(xt, FUNCTIONS[op](x))
        if op == "reciprocal":
            return rounded(t[0], 1 / v[0])
        if op == "silu":
            return rounded(t[0], v[0] / (1 + math.exp(-v[0])))
        return 0 if op == "zero" else v[0]

    def apply(self, times=1):
        """All elements are read before one is written: tiles that overlap are not drawn."""
        k = self.k
        for _ in range(times):
            new = []
            everybody = range(k.threads) if self.dst.tile.local else [None]
            for index in indices(self.dst.extents):
                at = tuple(s + i for s, i in zip(self.dst.starts, index))
                for thread in everybody:
                    if self.dst.tile.distributed and at not in self.dst.tile.held[thread]:
                        continue
                    new.append((thread, at, self.value(thread, index)))
            for thread, at, value in new:
                self.dst.tile.put(thread, at, value)


def finish(k, call, guard=None):
    k.result = call.dst.tile
    k.body = ([f"if {guard}:"] if guard else []) + [("    " if guard else "") + call.text()]
    k.model = call.apply
    worst = max([RTOL.get(s.tile.dtype, 0) for s in [call.dst, *[x for x in call.sources if isinstance(x, Region)]]])
    if worst:
        k.tolerance = {"rtol": worst, "atol": worst / 4}
    if not is_float(call.dst.tile.dtype):
        k.tolerance = {}
    return True


def constant(rng, dtype):
    if dtype in INTS:
        n = rng.choice([1, 2, 3])
        return (f'T.{dtype}({n})', n, dtype)
    x = rng.choice([0.5, 2.5, 1.0, -1.5])
    return (str(x), x, "float32")


def positive(tile):
    for place, v in tile.values.items():
        tile.values[place] = abs(v) or 1


def draw_call(k, rng, op, scope, make, dst_type=None):
    """`make(dtype, role)` gives a Region for the destination ("dst") or a source ("src", may broadcast)."""
    dtype = rng.choice(DTYPES)
    if op in ("fdiv", "exp", "exp2", "log2", "sqrt", "reciprocal", "silu") and not is_float(dtype) and rng.random() < 0.9:
        dtype = rng.choice(["float32", "float16", "bfloat16", "float64"])
    to = dtype
    if op == "cast":
        to, dtype = rng.choice(
            [
                ("float16", "float32"),
                ("float32", "float16"),
                ("bfloat16", "float32"),
                ("float32", "bfloat16"),
                ("float32", "int32"),
                ("int32", "float32"),
                ("float32", "float8_e4m3fn"),
                ("float64", "float32"),
                ("uint8", "int32"),
            ]
        )
    elif is_float(dtype) and rng.random() < 0.15:
        to = rng.choice(["float32", "float16", "float32"])
    dst = make(to, "dst")
    if dst is None:
        return None
    sources, options = [], ""
    if op in BINARY or op == "maximum":
        a = make(dtype, "src")
        if op != "fdiv" and rng.random() < 0.06:
            dtype = {"float32": "float16", "float16": "float32"}.get(dtype, dtype)
        b = make(dtype, "src")
        if a is None or b is None:
            return None
        if rng.random() < 0.35:
            b = constant(rng, dtype)
        if not isinstance(b, Region) and op in ("add", "mul", "maximum") and rng.random() < 0.3:
            a, b = b, a
        sources = [a, b]
        if isinstance(a, Region) and isinstance(b, Region) and product(a.extents) < product(b.extents):
            if op in ("sub", "fdiv"):
                sources = [b, a]
        if op in ("add", "sub", "mul") and rng.random() < 0.12:
            options = f', rounding_mode="{rng.choice(["rn", "rz", "rm", "rp"])}"'
    elif op == "fma":
        sources = [make(dtype, "src")] + [
            make(dtype, "src") if rng.random() < 0.6 else constant(rng, dtype) for _ in "bc"
        ]
    elif op in FUNCTIONS:
        sources = [make(dtype, "src")]
        compute = to if BITS[to] >= BITS[dtype] else dtype
        if rng.random() < 0.5:
            bias = make(dtype, "src") if rng.random() < 0.4 else None
            if bias is None and compute == "float32":
                bias = constant(rng, compute)
            scale = constant(rng, compute) if compute == "float32" and rng.random() < 0.6 else None
            sources += [bias] + ([scale] if scale else [])
            if bias is None and scale is None:
                sources = sources[:1]
    elif op == "fill":
        sources = [constant(rng, to)] if rng.random() < 0.6 else [make(dtype, "src")]
        if not isinstance(sources[0], Region) and to in INTS:
            sources = [(f"T.{to}(3)", 3, to)]
    elif op != "zero":
        sources = [make(dtype, "src")]
    if any(s is None for s in sources[:1]):
        return None
    call = Call(k, op, scope, dst, sources, options)
    if op in ("sqrt", "log2") or op == "fdiv" or op == "reciprocal":
        for s in sources:
            if isinstance(s, Region):
                positive(s.tile)
        fix = [("2.5", 2.5, "float32") if isinstance(s, tuple) and s[1] < 0 else s for s in sources]
        call.sources = fix
    return call


# ---- registers ----------------------------------------------------------------------------------------------------


def thread_layout(rng, shape):
    x = rng.random()
    if x < 0.45:
        return None
    if x < 0.65 and len(shape) == 2:  # columns one after the other
        return Layout([(shape[0], 1, "m"), (shape[1], shape[0], "m")])
    if x < 0.85 and len(shape) == 2:  # padded rows
        pad = rng.choice([1, 2, 4])
        return Layout([(shape[0], shape[1] + pad, "m"), (shape[1], 1, "m")])
    return Layout.row_major(shape)


def family_reg_thread(k, rng):
    """Each thread its own tile."""
    k.launch(rng.choice([32, 64]))
    shape = rng.choice([(8,), (7,), (16,), (32,), (1,), (4, 8), (3, 4), (6, 5), (2, 3, 4), (8, 2)])
    cut = rng.random() < 0.3
    if cut:
        extents = [rng.randrange(1, e + 1) for e in shape]
        starts = [rng.randrange(0, e - n + 1) for e, n in zip(shape, extents)]
    tiles = {}

    def make(dtype, role):
        dims = list(shape)
        if role == "src" and not cut and rng.random() < 0.2:
            dims = dims[1:] if len(dims) > 1 and rng.random() < 0.5 else [1 if rng.random() < 0.4 else d for d in dims]
        if role == "src" and dtype in tiles and rng.random() < 0.25 and dims == list(shape):
            tile = tiles[dtype]
        else:
            if len(k.tiles) >= 5:
                return None
            tile = k.tile("local", dtype, dims, thread_layout(rng, dims))
        if dims == list(shape):
            tiles.setdefault(dtype, tile)
        if cut:
            return Region(tile, starts, extents)
        return Region(tile) if rng.random() < 0.5 else Region(tile, [0] * len(dims), dims)

    call = draw_call(k, rng, rng.choice(k.ops), "thread", make)
    return call is not None and finish(k, call)


def spread(rng, scope, threads):
    """(shape, layout) of a tile that the threads of the scope hold together."""
    axis, t = {"warp": ("laneid", 32), "wg": ("tid_in_wg", 128), "cta": ("tx", threads)}[scope]
    n = rng.choice([2, 4, 8, 8, 16, 5])
    x = rng.random()
    if x < 0.45:
        return [t, n], Layout([(t, 1, axis), (n, 1, "m")])
    if x < 0.55:
        return [n, t], Layout([(n, 1, "m"), (t, 1, axis)])
    if x < 0.65:  # two rows of registers a thread
        return [2 * t, n], Layout([(2, n, "m"), (t, 1, axis), (n, 1, "m")])
    rows = t // 4  # an accumulator: 4 threads a row, 2 neighbours each
    m = rng.choice([1, 2, 4])
    if x < 0.85:
        return [rows, 8 * m], Layout([(rows, 4, axis), (m, 2, "m"), (4, 1, axis), (2, 1, "m")])
    return [2 * rows, 8 * m], Layout([(2, 2, "m"), (rows, 4, axis), (m, 4, "m"), (4, 1, axis), (2, 1, "m")])


def family_reg_spread(k, rng):
    """A tile that a warp, a warpgroup or a CTA holds together."""
    k.launch(rng.choice([32, 64, 128, 128]))
    scope = rng.choice(["warp"] * 3 + (["wg"] * 2 if k.threads == 128 else []) + ["cta"])
    shape, layout = spread(rng, scope, k.threads)
    starts = extents = None
    if rng.random() < 0.3 and len(layout.shard) <= 3 and layout.shard[-1][2] == "m" and shape[1] >= 4:
        n = rng.choice([2, 3, 4])
        starts, extents = [0, rng.randrange(0, shape[1] - n + 1)], [shape[0], n]
    elif rng.random() < 0.15 and len(layout.shard) == 5 and shape[1] >= 16:
        starts, extents = [0, 8], [shape[0], 8]
    tiles = {}

    def make(dtype, role):
        if role == "src" and dtype in tiles and rng.random() < 0.3:
            tile = tiles[dtype]
        else:
            if len(k.tiles) >= 4:
                return None
            dims, own = list(shape), layout
            if role == "src" and starts is None and rng.random() < 0.15 and len(layout.shard) == 2:
                first = layout.shard[0][2] != "m"
                dims = [shape[0], 1] if first else [1, shape[1]]
                own = Layout([layout.shard[0], (1, 1, "m")] if first else [(1, 1, "m"), layout.shard[1]])
                return Region(k.tile("local", dtype, dims, own))
            tile = k.tile("local", dtype, dims, own)
        tiles.setdefault(dtype, tile)
        return Region(tile, starts, extents) if starts else Region(tile)

    call = draw_call(k, rng, rng.choice(k.ops), scope, make)
    guard = None
    if call and scope == "warp" and k.threads > 32 and rng.random() < 0.15:
        guard, k.checked = f"w == {rng.randrange(k.threads // 32)}", False
    return call is not None and finish(k, call, guard)


def factors(rng, n):
    out = []
    while n > 1:
        out.append(rng.choice([f for f in (2, 2, 3, 4, 4, 5, 8) if n % f == 0]))
        n //= out[-1]
    return out


def with_strides(rng, parts):
    """Walks over threads as they are, walks over registers in an order and with gaps of their own."""
    order = [i for i, (_, _, axis) in enumerate(parts) if axis == "m"]
    rng.shuffle(order)
    out, s = list(parts), 1
    for i in order:
        out[i] = (parts[i][0], s, "m")
        s *= parts[i][0]
        s += rng.choice([0, 0, 0, 1, 2])
    return Layout(out)


def family_reg_factorised(k, rng):
    """Threads and registers in any order, each in several walks; tiles differ in where their registers lie."""
    k.launch(rng.choice([32, 64, 128]))
    scope = rng.choice(["warp", "warp"] + (["wg"] if k.threads == 128 else []) + ["cta"])
    axis, t = {"warp": ("laneid", 32), "wg": ("tid_in_wg", 128), "cta": ("tx", k.threads)}[scope]
    parts, s = [], 1
    for f in factors(rng, t):
        parts.append((f, s, axis))
        s *= f
    parts += [(f, 0, "m") for f in factors(rng, rng.choice([2, 4, 8, 6, 12, 16]))]
    rng.shuffle(parts)
    shape, n = [], 1
    for i, (e, _, _) in enumerate(parts):
        n *= e
        if i + 1 == len(parts) or rng.random() < 0.5:
            shape.append(n)
            n = 1
    common = with_strides(rng, parts)

    def make(dtype, role):
        if len(k.tiles) >= 4:
            return None
        layout = common if rng.random() < 0.6 else with_strides(rng, parts)
        return Region(k.tile("local", dtype, shape, layout))

    call = draw_call(k, rng, rng.choice(k.ops), scope, make)
    return call is not None and finish(k, call)


# ---- shared memory ------------------------------------------------------------------------------------------------


def shared_layout(rng, shape, dtype):
    x = rng.random()
    if x < 0.5 or len(shape) != 2:
        return None
    if x < 0.65:
        return Layout([(shape[0], 1, "m"), (shape[1], shape[0], "m")])
    if x < 0.85:
        return Layout([(shape[0], shape[1] + rng.choice([1, 2, 4, 8]), "m"), (shape[1], 1, "m")])
    layout = Layout.row_major(shape)
    if product(shape) % 512 == 0 and BITS[dtype] == 16:
        layout.swizzle = (3, 3, 3)
    return layout


def family_smem(k, rng):
    """Tiles in shared memory, shared out over the threads of the scope."""
    k.launch(rng.choice([32, 64, 128, 128, 96, 40, 16, 256]))
    t = k.threads
    scope = rng.choice(
        ["cta"] * 4
        + (["warp"] if t == 32 else [])
        + (["wg"] if t == 128 else [])
        + (["thread"] if rng.random() < 0.3 else [])
    )
    shape = rng.choice(
        [(256,), (128,), (80,), (100,), (16, 16), (32, 16), (10, 10), (8, 24), (16, 12), (5, 6, 7), (32, 32), (12, 40)]
    )
    cut = rng.random() < 0.35
    if cut:
        extents = [rng.randrange(1, e + 1) for e in shape]
        starts = [rng.randrange(0, e - n + 1) for e, n in zip(shape, extents)]
    tiles = {}

    def make(dtype, role):
        dims = list(shape)
        if role == "src" and not cut and rng.random() < 0.25:
            dims = dims[1:] if len(dims) > 1 and rng.random() < 0.5 else [1 if rng.random() < 0.4 else d for d in dims]
        if role == "src" and dtype in tiles and rng.random() < 0.3 and dims == list(shape):
            tile = tiles[dtype]
        else:
            if len(k.tiles) >= 4:
                return None
            tile = k.tile("shared", dtype, dims, shared_layout(rng, dims, dtype))
        if dims == list(shape):
            tiles.setdefault(dtype, tile)
        return Region(tile, starts, extents) if cut else Region(tile)

    call = draw_call(k, rng, rng.choice(k.ops), scope, make)
    if call is None:
        return False
    guard = None
    if scope == "thread":
        guard = "tid == 0"  # all of them would work on the same elements
    return finish(k, call, guard)


# ---- what nothing serves --------------------------------------------------------------------------------------------


def family_refused(k, rng, kind):
    """One rule broken, on purpose."""
    k.checked = False
    k.launch(256 if kind == "straddle" else 64 if kind == "span" else 128)

    def L(n, axis="laneid", t=32):
        return Layout([(t, 1, axis), (n, 1, "m")])

    wide = lambda dtype="float32": Region(k.tile("local", dtype, [32, 8], L(8)))  # noqa: E731
    own = lambda shape=(8,), dtype="float32": Region(k.tile("local", dtype, list(shape)))  # noqa: E731
    shared = lambda shape=(16, 16), dtype="float32", layout=None: Region(
        k.tile("shared", dtype, list(shape), layout)
    )  # noqa: E731
    op, scope, guard, options = rng.choice(["add", "mul"]), "warp", None, ""
    if kind == "mixed":
        dst, sources, scope = own(), [own(), shared((8,))], "thread"
    elif kind == "global":
        dst = shared((16, 16))
        k.result = dst.tile
        k.model = lambda: None
        k.body = [f"Tx.cta.exp({dst.text()}, Xa[:, :])"]
        return True
    elif kind in ("swizzled", "composed"):
        layout = Layout.row_major([16, 32])
        layout.swizzle = (3, 2, 2)
        dst = own((16, 32))
        dst.tile.layout = layout
        if kind == "swizzled":
            dst.tile.declaration = (
                lambda: 'a = T.alloc_buffer((16, 32), "float32", scope="local", layout=SwizzleLayout(3, 2, 2))'
            )
        sources, scope = [dst, dst], "thread"
    elif kind == "constants":
        dst, sources, scope = own(), [("1.0", 1, "float32"), ("2.0", 2, "float32")], "thread"
    elif kind == "constant_lhs":
        op, dst, scope = "sub", own(), "thread"
        sources = [("1.0", 1, "float32"), dst]
    elif kind == "swap":
        op, dst, scope = rng.choice(["sub", "fdiv"]), own((4, 8)), "thread"
        sources = [own((8,)), dst]
    elif kind == "rank":
        dst, sources, scope = own((8,)), [own((1, 8)), own((8,))], "thread"
    elif kind == "extent":
        dst, sources, scope = own((4, 8)), [own((4, 4)), own((4, 1))], "thread"
    elif kind == "narrowed":
        dst = shared()
        sources, scope, guard = [dst, dst], "cta", "w == 1"
    elif kind == "lanes":
        dst = wide()
        sources, guard = [dst, dst], "l < 16"
    elif kind == "elected":
        dst = wide()
        sources, guard = [dst, dst], "T.ptx.elect_sync()"
    elif kind == "straddle":
        dst = shared()
        sources, scope, guard = [dst, dst], "wg", "w >= 2 and w < 6"
    elif kind == "local_view":
        dst = wide()
        view = Region(dst.tile, text="a.local(8)")
        k.extra.append("a_own = a.local(8)")
        dst, sources = view, [view, view]
    elif kind == "foreign":
        dst = Region(k.tile("local", "float32", [128, 4], L(4, "tid_in_wg", 128)))
        sources = [dst, dst]
    elif kind == "span":
        dst = Region(k.tile("local", "float32", [32, 4], L(4, "tx", 32)))
        sources, scope = [dst, dst], "cta"
    elif kind == "stride":
        dst = Region(k.tile("local", "float32", [16, 4], Layout([(16, 2, "laneid"), (4, 1, "m")])))
        sources = [dst, dst]
    elif kind == "threads":
        dst = wide()
        sources = [dst, Region(k.tile("local", "float32", [1, 8]))]
    elif kind.startswith("replica"):
        dst = Region(k.tile("local", "float32", [8, 8], Layout([(8, 4, "laneid"), (8, 1, "m")], [(4, 1, "laneid")])))
        other = {"number": [], "extent": [(2, 1, "laneid")], "axis": [(4, 1, "warpid")], "stride": [(4, 2, "laneid")]}[
            kind[8:]
        ]
        source = Region(k.tile("local", "float32", [8, 8], Layout([(8, 4, "laneid"), (8, 1, "m")], other)))
        dst.tile.shape  # the destination does not cover the warp: at thread scope that is no matter
        sources, scope = [dst, source], "thread"
    elif kind == "slice":
        shard = [(2, 2, "m"), (8, 4, "laneid"), (2, 4, "m"), (4, 1, "laneid"), (2, 1, "m")]
        tile = k.tile("local", "float32", [16, 16], Layout(shard))
        dst = Region(tile, [0, 3], [16, 6])
        sources = [dst, dst]
    elif kind in ("scale", "bias"):
        op, dst, scope = "exp", own((8,), "float16"), "thread"
        sources = [dst, None, ("T.float32(2.0)", 2, "float32")] if kind == "scale" else [dst, ("2.0", 2, "float32")]
    elif kind == "signed":
        op, dst, scope = "fdiv", own((8,), "int32"), "thread"
        sources = [dst, own((8,), "int32")]
    elif kind == "integer":
        op, dst, scope = rng.choice(["reciprocal", "silu"]), own((8,), "int32"), "thread"
        sources = [dst]
    else:
        dst = shared()
        sources, scope = [dst, dst], "cluster"
    return finish(k, Call(k, op, scope, dst, sources, options), guard)


# ---- where the reference is known to be wrong --------------------------------------------------------------------------


def family_required(k, rng, kind):
    """Calls of the list of defects: what the reference refuses, drops or gets wrong and is served or refused here."""
    k.launch(64)
    own = lambda shape=(8,), dtype="float32": Region(k.tile("local", dtype, list(shape)))  # noqa: E731
    if kind == "fill_int":
        call = Call(k, "fill", "thread", own(), [("3", 3, "float32")])
    elif kind == "fill_tile":
        call = Call(k, "fill", "thread", own(), [own()])
    elif kind == "int_scale":
        call = Call(k, "exp2", "thread", own(), [own(), None, ("2", 2, "float32")])
    elif kind == "function_of_ints":
        k.checked = False
        dst = own((8,), "int32")
        call = Call(k, rng.choice(["exp", "sqrt"]), "thread", dst, [dst])
    elif kind == "four_bits":
        k.checked = False
        call = Call(k, "cast", "thread", own((8,)), [own((8,), "float4_e2m1fn")])
    elif kind == "mode":
        k.checked = False
        dst = own()
        call = Call(k, "add", "thread", dst, [dst, dst], ', rounding_mode="up"')
    elif kind == "zero_source":
        call = Call(k, "zero", "thread", own(), [Region(k.tile("shared", "float32", [4]))])
        call.value = lambda thread, index: 0
    else:
        k.checked = False
        layout = Layout([(2, 1, "warpid"), (32, 1, "laneid"), (4, 1, "m")])
        tile = k.tile("local", "float32", [2, 32, 4], layout)
        part = Region(tile, [0, 0, 0], [1, 32, 4], {"first_warp": "a[0]", "own_warp": "a[w]"}[kind])
        call = Call(k, "exp", "warp", part, [part])
    return finish(k, call)


FAMILIES = [(family_reg_thread, 26), (family_reg_spread, 22), (family_reg_factorised, 14), (family_smem, 30)]
# Every third kernel breaks a rule, or meets a defect of the reference: one kind after the other.
REFUSED = [
    "mixed",
    "global",
    "swizzled",
    "composed",
    "constants",
    "constant_lhs",
    "swap",
    "rank",
    "extent",
    "narrowed",
    "lanes",
    "straddle",
    "local_view",
    "foreign",
    "span",
    "stride",
    "threads",
    "replica_number",
    "replica_extent",
    "replica_axis",
    "replica_stride",
    "slice",
    "scale",
    "bias",
    "signed",
    "cluster",
    "elected",
    "integer",
]
REQUIRED = [
    "fill_int",
    "fill_tile",
    "int_scale",
    "function_of_ints",
    "four_bits",
    "mode",
    "zero_source",
    "first_warp",
    "own_warp",
]
KINDS = [(family_refused, kind) for kind in REFUSED] + [(family_required, kind) for kind in REQUIRED]
