"""Families of sums and of largest and smallest elements."""

import math

from compute.elementwise import RTOL, factors, with_strides
from compute.kernel import Region
from compute.model import Layout, indices, is_float, product, rounded

DTYPES = ["float32"] * 6 + ["float16"] * 3 + ["bfloat16"] * 2 + ["float64", "int32", "uint8"]
START = {"sum": 0, "max": -math.inf, "min": math.inf}


def combine(op, dtype, a, b):
    return rounded(dtype, a + b) if op == "sum" else max(a, b) if op == "max" else min(a, b)


class Reduction:
    """`axes` of the source; `together`: the lanes exchange, so that a result takes in what all of them hold."""

    def __init__(self, k, op, scope, dst, src, axes, accum=False, options="", together=False, axes_text=None):
        self.k, self.op, self.scope, self.dst, self.src = k, op, scope, dst, src
        self.axes, self.accum, self.options, self.together = (
            [a % len(src.extents) for a in axes],
            accum,
            options,
            together,
        )
        self.axes_text = axes_text

    def text(self):
        prefix = "Tx" if self.scope == "thread" else f"Tx.{self.scope}"
        axes = "" if self.axes_text == "" else f", axes={self.axes_text or '(' + ', '.join(map(str, self.axes)) + ',)'}"
        accum = ", accum=True" if self.accum else ""
        return f"{prefix}.{self.op}({self.dst.text()}, {self.src.text()}{axes}{accum}{self.options})"

    def stays(self, index):
        return tuple(i for d, i in enumerate(index) if d not in self.axes)

    def group(self, thread):
        """The threads whose parts a result takes in."""
        if thread is None or not self.src.tile.distributed:
            return [thread]
        first = thread // 32 * 32
        return range(first, first + 32) if self.together else [thread]

    def apply(self):
        dst, src, dtype = self.dst.tile, self.src.tile, self.dst.tile.dtype
        everybody = range(self.k.threads) if dst.local else [None]
        by_result = {}
        for index in indices(self.src.extents):
            by_result.setdefault(self.stays(index), []).append(tuple(s + i for s, i in zip(self.src.starts, index)))
        new = []
        for n, index in enumerate(indices(self.dst.extents)):
            at = tuple(s + i for s, i in zip(self.dst.starts, index))
            key = self.key(index, n)
            for thread in everybody:
                if dst.distributed and at not in dst.held[thread]:
                    continue
                total = dst.get(thread, at) if self.accum else START[self.op]
                seen = set()
                for other in self.group(thread):
                    for element in by_result[key]:
                        if element in seen or src.get(other, element) is None:
                            continue
                        seen.add(element)
                        total = combine(self.op, dtype, total, src.get(other, element))
                new.append((thread, at, total))
        for thread, at, value in new:
            dst.put(thread, at, value)

    def key(self, index, n):
        """Which result stands at this index of the destination: its dimensions that are not reduced, in order."""
        shape = [e for d, e in enumerate(self.src.extents) if d not in self.axes]
        if len(index) == len(self.src.extents):  # the reduced ones are kept, with one part a thread or one element
            return tuple(i for d, i in enumerate(index) if d not in self.axes)
        out = []
        for e in reversed(shape):
            out.append(n % e)
            n //= e
        return tuple(out[::-1])


def finish(k, call, guard=None):
    k.result = call.dst.tile
    k.body = ([f"if {guard}:"] if guard else []) + [("    " if guard else "") + call.text()]
    k.model = call.apply
    worst = RTOL.get(call.dst.tile.dtype, 0)
    k.tolerance = {"rtol": worst, "atol": worst} if worst else {}
    return True


def op_of(rng):
    return rng.choice(["sum", "sum", "max", "min"])


def family_thread(k, rng):
    """Registers of one thread."""
    k.launch(32)
    dtype = rng.choice(DTYPES)
    shape = rng.choice([(8,), (27,), (16,), (5,), (4, 8), (3, 4, 5), (6, 6), (2, 2, 7), (4,)])
    axes = sorted(rng.sample(range(len(shape)), rng.randrange(1, len(shape) + 1)))
    kept = [e for d, e in enumerate(shape) if d not in axes] or [1]
    src, dst = Region(k.tile("local", dtype, shape)), Region(k.tile("local", dtype, kept))
    if rng.random() < 0.2 and len(shape) == 1 and shape[0] > 5:
        src = Region(src.tile, [rng.randrange(3)], [shape[0] - 3])
    if rng.random() < 0.2:
        big = k.tile("local", dtype, [e + 2 for e in kept])
        dst = Region(big, [rng.randrange(3) for _ in kept], kept)
    return finish(k, Reduction(k, op_of(rng), "thread", dst, src, axes, rng.random() < 0.3))


def family_row(k, rng):
    """A row of float32 to one number: the forms of Blackwell, and on Hopper a plain loop."""
    k.launch(32)
    n = rng.choice([8, 9, 16, 20, 27, 32, 64] + ([7] if k.arch == "sm_90a" else []))
    src, dst = Region(k.tile("local", "float32", [n])), Region(k.tile("local", "float32", [rng.choice([1, 1, 4])]))
    if dst.tile.shape != [1]:
        dst = Region(dst.tile, [2], [1])
    if rng.random() < 0.2:
        src = Region(src.tile, [rng.randrange(4)], [n - 3]) if n > 10 else src
    return finish(
        k, Reduction(k, op_of(rng), "thread", dst, src, [0], rng.random() < 0.4, axes_text=rng.choice(["", "-1", "0"]))
    )


def family_view(k, rng):
    """A tile that a warp or a warpgroup holds, each thread its part."""
    scope = rng.choice(["warp", "warp", "warp", "wg"])
    k.launch(128 if scope == "wg" else rng.choice([32, 64]))
    axis, t = ("laneid", 32) if scope == "warp" else ("tid_in_wg", 128)
    dtype, op, accum = rng.choice(DTYPES), op_of(rng), rng.random() < 0.3
    n = rng.choice([1, 2, 4, 8, 16, 5])
    exchange = scope == "warp" and rng.random() < 0.5
    options = ", thread_reduce=True" if exchange else rng.choice(["", "", ", thread_reduce=False"])
    kind = rng.choice(["rows", "rows", "columns", "fragment", "fragment_rows", "cube"])
    m = rng.choice([1, 2, 4])
    if kind == "rows":  # the columns of a thread's row; no lane takes part
        src = k.tile("local", dtype, [t, n], Layout([(t, 1, axis), (n, 1, "m")]))
        dst = k.tile("local", dtype, [t, 1], Layout([(t, 1, axis), (1, 1, "m")]))
        axes = [1]
        s = Region(src)
        if n >= 4 and rng.random() < 0.4:
            s = Region(src, [0, 2], [t, n - 2])
    elif kind == "columns":  # over the threads; the destination keeps them
        src = k.tile("local", dtype, [t, n], Layout([(t, 1, axis), (n, 1, "m")]))
        dst = k.tile("local", dtype, [t, n], Layout([(t, 1, axis), (n, 1, "m")]))
        axes, s = [0], Region(src)
    elif kind == "fragment":  # four threads a row, which they may share
        rows = t // 4
        src = k.tile("local", dtype, [rows, 8 * m], Layout([(rows, 4, axis), (m, 2, "m"), (4, 1, axis), (2, 1, "m")]))
        dst = k.tile("local", dtype, [rows, 4], Layout([(rows, 4, axis), (4, 1, axis)]))
        axes, s = [1], Region(src)
    elif kind == "fragment_rows":
        rows = t // 4
        src = k.tile(
            "local",
            dtype,
            [2 * rows, 8 * m],
            Layout([(2, 2, "m"), (rows, 4, axis), (m, 4, "m"), (4, 1, axis), (2, 1, "m")]),
        )
        dst = k.tile("local", dtype, [rows, 8 * m], Layout([(rows, 4, axis), (m, 2, "m"), (4, 1, axis), (2, 1, "m")]))
        axes, s = [0], Region(src)
    else:
        src = k.tile("local", dtype, [t, 4, n], Layout([(t, 1, axis), (4, n, "m"), (n, 1, "m")]))
        dst = k.tile("local", dtype, [t, 4], Layout([(t, 1, axis), (4, 1, "m")]))
        axes, s = [2], Region(src)
    call = Reduction(k, op, scope, Region(dst), s, axes, accum, options, together=exchange)
    if kind in ("columns", "fragment", "fragment_rows"):
        call.key = by_kept_threads(call, kind)
    return finish(k, call)


def family_factorised(k, rng):
    """Threads and registers in any order, each in several walks. A reduced dimension keeps the threads that it lives in."""
    scope = rng.choice(["warp", "warp", "wg"])
    k.launch(128 if scope == "wg" else rng.choice([32, 64]))
    axis, t = ("laneid", 32) if scope == "warp" else ("tid_in_wg", 128)
    parts, s = [], 1
    for f in factors(rng, t):
        parts.append((f, s, axis))
        s *= f
    parts += [(f, 0, "m") for f in factors(rng, rng.choice([2, 4, 8, 6, 12]))]
    rng.shuffle(parts)
    dims = [[]]
    for i, part in enumerate(parts):
        dims[-1].append(part)
        if i + 1 < len(parts) and rng.random() < 0.5:
            dims.append([])
    axes = sorted(rng.sample(range(len(dims)), rng.randrange(1, len(dims) + 1)))
    kept = [(d, [x for x in dim if d not in axes or x[2] != "m"]) for d, dim in enumerate(dims)]
    kept = [(d, dim) for d, dim in kept if dim]
    shape = [product(e for e, _, _ in dim) for dim in dims]
    left = [product(e for e, _, _ in dim) for _, dim in kept] or [1]
    dtype = rng.choice(DTYPES)
    src = k.tile("local", dtype, shape, with_strides(rng, parts))
    dst = k.tile("local", dtype, left, with_strides(rng, [x for _, dim in kept for x in dim] or [(1, 1, "m")]))
    exchange = scope == "warp" and rng.random() < 0.5
    options = ", thread_reduce=True" if exchange else ""
    call = Reduction(
        k, op_of(rng), scope, Region(dst), Region(src), axes, rng.random() < 0.3, options, together=exchange
    )
    call.key = lambda index, n: tuple(i for i, (d, _) in zip(index, kept) if d not in axes)
    return finish(k, call)


def by_kept_threads(call, kind):
    if kind == "fragment_rows":
        return lambda index, n: (index[1],)
    return lambda index, n: (index[0],) if kind == "fragment" else (index[1],)


def family_lanes(k, rng):
    """The lane pattern: the destination repeats its elements over the lanes that the source is reduced over."""
    k.launch(rng.choice([32, 64]))
    dtype, n = rng.choice(DTYPES), rng.choice([1, 2, 3, 4])
    kind = rng.choice(["all", "eights", "many"])
    if kind == "all":
        src, dst, axes = Layout([(32, 1, "laneid")]), Layout([(1, 1, "m")], [(32, 1, "laneid")]), [0]
        shapes = [32], [1]
    elif kind == "eights":
        src = Layout([(4, 8, "laneid"), (8, 1, "laneid")])
        dst, axes = Layout([(4, 8, "laneid"), (1, 1, "m")], [(8, 1, "laneid")]), [1]
        shapes = [4, 8], [4, 1]
    else:
        src = Layout([(n, 1, "m"), (32, 1, "laneid")])
        dst, axes = Layout([(n, 1, "m"), (1, 1, "m")], [(32, 1, "laneid")]), [1]
        shapes = [n, 32], [n, 1]
    s, d = Region(k.tile("local", dtype, shapes[0], src)), Region(k.tile("local", dtype, shapes[1], dst))
    call = Reduction(k, op_of(rng), "warp", d, s, axes, False, together=True)
    if kind == "all":
        call.key = lambda index, n: ()
    return finish(k, call)


def family_shared(k, rng):
    """Tiles in shared memory."""
    k.launch(rng.choice([32, 64, 128, 128, 256, 16, 96]))
    t = k.threads
    scope = rng.choice(["cta"] * 4 + (["warp"] if t == 32 else []) + (["wg"] if t == 128 else []) + ["thread"])
    dtype = rng.choice(DTYPES)
    shape = rng.choice([(32, 32), (10, 40), (10, 5), (4, 8), (100,), (10, 1), (3, 4, 5), (64, 9), (2, 70), (7, 33)])
    axes = (
        sorted(rng.sample(range(len(shape)), rng.randrange(1, len(shape) + 1)))
        if rng.random() < 0.4
        else [len(shape) - 1]
    )
    kept = [e for d, e in enumerate(shape) if d not in axes] or [1]
    layout = None
    if len(shape) == 2 and rng.random() < 0.4:
        layout = Layout([(shape[0], 1, "m"), (shape[1], shape[0] + rng.choice([0, 1]), "m")])
    src, dst = k.tile("shared", dtype, shape, layout), k.tile("shared", dtype, kept)
    s = Region(src)
    if rng.random() < 0.2 and shape[-1] > 4:
        s = Region(src, [0] * len(shape), list(shape[:-1]) + [shape[-1] - 3])
        kept_now = [e for d, e in enumerate(s.extents) if d not in axes] or [1]
        return finish(
            k,
            Reduction(k, op_of(rng), scope, Region(dst, [0] * len(kept_now), kept_now), s, axes, rng.random() < 0.3),
            "tid == 0" if scope == "thread" else None,
        )
    return finish(
        k,
        Reduction(k, op_of(rng), scope, Region(dst), s, axes, rng.random() < 0.3),
        "tid == 0" if scope == "thread" else None,
    )


def family_refused(k, rng, kind):
    k.checked = False
    k.launch(128)
    reg = lambda shape, layout=None, dtype="float32": Region(k.tile("local", dtype, shape, layout))  # noqa: E731
    sh = lambda shape, dtype="float32": Region(k.tile("shared", dtype, shape))  # noqa: E731
    L = lambda n, axis="laneid", t=32: Layout([(t, 1, axis), (n, 1, "m")])  # noqa: E731
    scope, options, axes, text = "warp", "", [1], None
    if kind == "mixed":
        src, dst = reg([32, 8], L(8)), sh([32, 1])
    elif kind == "types":
        src, dst = sh([8, 8]), sh([8], "float16")
        scope = "cta"
    elif kind == "cta_registers":
        src, dst, scope = reg([128, 8], L(8, "tx", 128)), reg([128, 1], L(1, "tx", 128)), "cta"
    elif kind == "group_exchange":
        src, dst, scope = reg([128, 8], L(8, "tid_in_wg", 128)), reg([128, 1], L(1, "tid_in_wg", 128)), "wg"
        options = ", thread_reduce=True"
    elif kind == "size":
        src, dst, scope = sh([8, 8]), sh([4]), "cta"
    elif kind == "axis":
        src, dst, scope, text = sh([8, 8]), sh([8]), "cta", "2"
    elif kind == "cluster":
        src, dst, scope = sh([8, 8]), sh([8]), "cluster"
    elif kind == "zero_stride":
        src, dst = reg([32, 8], Layout([(32, 0, "laneid"), (8, 1, "m")])), reg([32, 1], L(1))
    elif kind == "replica":
        src, dst = reg([8, 8], Layout([(8, 4, "laneid"), (8, 1, "m")], [(4, 1, "laneid")])), reg(
            [8, 1], Layout([(8, 4, "laneid"), (1, 1, "m")], [(4, 1, "laneid")])
        )
    elif kind == "lanes_replica":
        src, dst = reg([16, 4], Layout([(16, 1, "laneid"), (4, 1, "m")])), reg(
            [1, 4], Layout([(1, 1, "m"), (4, 1, "m")], [(16, 1, "laneid")])
        )
        axes = [0]
    elif kind == "mismatch":
        src, dst = reg([32, 8], L(8)), reg([32, 4], L(4))
    elif kind == "surplus":
        src, dst = reg([32, 8], L(8)), reg([32, 1, 4], Layout([(32, 1, "laneid"), (1, 1, "m"), (4, 1, "m")]))
    elif kind == "slice":
        shard = [(2, 2, "m"), (8, 4, "laneid"), (2, 4, "m"), (4, 1, "laneid"), (2, 1, "m")]
        src, dst = reg([16, 16], Layout(shard)), reg([16, 4], Layout([(2, 1, "m"), (8, 4, "laneid"), (4, 1, "laneid")]))
        src = Region(src.tile, [0, 3], [16, 6])
    elif kind == "swizzled":
        src, dst = reg([32, 8], L(8)), reg([16, 32], Layout.row_major([16, 32]))
        dst.tile.layout.swizzle = (3, 2, 2)
    elif kind == "no_row":
        src, dst, scope = sh([8, 8]), reg([8]), "thread"
    elif kind == "two_dimensions":
        src, dst, scope = reg([4, 4], None, "float16"), sh([4], "float16"), "thread"
    else:
        dst = sh([8])
        k.tile("shared", "float32", [8, 8])
        k.result, k.model = dst.tile, lambda: None
        k.body = ["Tx.cta.sum(a[:], Xb[:, :])"]
        return True
    return finish(k, Reduction(k, op_of(rng), scope, dst, src, axes, rng.random() < 0.2, options, axes_text=text))


def family_required(k, rng, kind):
    """Defects of the reference: what it gets wrong is refused here, or right."""
    k.launch({"threads": 128, "ragged": rng.choice([48, 24, 40])}.get(kind, 32))
    k.checked = kind in ("not_trailing", "single", "accumulated_lanes", "ragged")
    reg = lambda shape, layout=None: Region(k.tile("local", "float32", shape, layout))  # noqa: E731
    L = lambda n, t=32: Layout([(t, 1, "laneid"), (n, 1, "m")])  # noqa: E731
    options, guard, scope, axes, text, accum = "", None, "thread", [0], None, False
    if kind == "size":
        src, dst = reg([16]), reg([2])
    elif kind == "axis":
        src, dst, text = reg([16]), reg([1]), "1"
    elif kind == "threads":
        src, dst = Region(k.tile("shared", "float32", [8, 8])), Region(k.tile("shared", "float32", [8]))
        scope, axes, guard = "cta", [1], "w == 0"
    elif kind == "first":
        src = reg([rng.choice([4, 6])])
        dst = Region(src.tile, [0], [1])
    elif kind == "in_place":
        src = reg([32, 8], L(8))
        dst, scope, axes = Region(src.tile, [0, 0], [32, 1]), "warp", [1]
    elif kind == "twenty_four":
        src, dst = reg([24, 8], L(8, 24)), reg([24, 8], L(8, 24))
        scope, options = "warp", ", thread_reduce=True"
    elif kind == "not_trailing":
        src, dst = reg([32, 4, 8], Layout([(32, 1, "laneid"), (4, 8, "m"), (8, 1, "m")])), reg([32, 8], L(8))
        scope, axes = "warp", [1]
    elif kind == "single":
        shard = [(2, 2, "m"), (8, 4, "laneid"), (4, 4, "m"), (4, 1, "laneid"), (2, 1, "m")]
        src, dst = reg([16, 32], Layout(shard)), reg([16, 4], Layout([(2, 1, "m"), (8, 4, "laneid"), (4, 1, "laneid")]))
        src, scope, axes = Region(src.tile, [0, 8], [16, 8]), "warp", [1]
        call = Reduction(k, "sum", scope, dst, src, axes, options=", thread_reduce=True", together=True)
        call.key = lambda index, n: (index[0],)
        return finish(k, call)
    elif kind == "accumulated_lanes":
        src, dst = reg([32], Layout([(32, 1, "laneid")])), reg([1], Layout([(1, 1, "m")], [(32, 1, "laneid")]))
        call = Reduction(k, "sum", "warp", dst, src, [0], True, together=True)
        call.key = lambda index, n: ()
        return finish(k, call)
    else:
        src, dst = Region(k.tile("shared", "float32", [10, 40])), Region(k.tile("shared", "float32", [10]))
        scope, axes = "cta", [1]
    return finish(k, Reduction(k, "sum", scope, dst, src, axes, accum, options, axes_text=text), guard)


FAMILIES = [
    (family_thread, 14),
    (family_row, {"sm_90a": 10, "sm_100a": 290}),
    (family_view, 20),
    (family_factorised, 14),
    (family_lanes, 8),
    (family_shared, 26),
]
# Every third kernel breaks a rule, or meets a defect of the reference: one kind after the other.
REFUSED = [
    "mixed",
    "types",
    "cta_registers",
    "group_exchange",
    "size",
    "axis",
    "cluster",
    "zero_stride",
    "replica",
    "mismatch",
    "surplus",
    "slice",
    "swizzled",
    "global",
    "lanes_replica",
    "no_row",
    "two_dimensions",
]
REQUIRED = [
    "size",
    "axis",
    "threads",
    "first",
    "in_place",
    "twenty_four",
    "not_trailing",
    "single",
    "accumulated_lanes",
    "ragged",
]
KINDS = [(family_refused, kind) for kind in REFUSED] + [(family_required, kind) for kind in REQUIRED]
