#!/usr/bin/env python3
"""Writes seeded tile scripts that copy in every way the dialect knows.

    generate.py --seed N --count M -o DIR [--per-file 25]

Each script is one module-level kernel; DIR/copies_<i>.py holds --per-file of them. The same seed gives the same text.
A kernel is a chain global -> shared (-> registers -> shared) -> global, so that what a copy moved can be seen in the
tensors after a run. All tensors are inputs and outputs at once: what no copy means to touch has to stay as it is.
Steps that share memory are parted by a barrier of the whole CTA; guarded steps keep the barrier outside of the guard.

A family below is a function that fills a Kernel. Families draw their details at random and do not ask whether a
variant will serve: that is what the comparison wants to know. Calls that are meant to be refused come last, because
the reference stops at the first call that no variant serves.
"""
import argparse
import os
import random

HEADER = '''from tvm.backend.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg
'''

BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "uint8": 8, "int8": 8, "float64": 64, "int32": 32, "uint16": 16,
        "int64": 64, "float8_e4m3fn": 8, "uint32": 32, "bool": 8, "float8_e5m2": 8}
DTYPES = ["float16"] * 5 + ["float32"] * 4 + ["uint8", "bfloat16", "bfloat16", "float64", "int8", "int32", "uint16",
                                            "int64", "float8_e4m3fn", "uint32", "bool", "float8_e5m2"]


def product(xs):
    out = 1
    for x in xs:
        out *= x
    return out


def tup(xs):
    return "(" + ", ".join(map(str, xs)) + ("," if len(xs) == 1 else "") + ")"


class Kernel:
    """One kernel as text. `threads` and the declared ids are fixed first; then buffers and steps come in any order."""

    def __init__(self, rng, name, family):
        self.rng, self.name, self.family = rng, name, family
        self.params, self.buffers, self.body, self.ids = [], [], [], []
        self.pool = None
        self.count = {}
        self.shared_left = 40 * 1024  # static shared memory is 48 KiB; pools get the same budget
        self.host = []

    # -- launch ---------------------------------------------------------------------------------------------------
    def launch(self, threads=None, ctas=None, cluster=None):
        r = self.rng
        self.threads = threads or r.choice([32, 32, 64, 96, 128, 128, 128, 256, 256, 384])
        self.ctas = ctas or r.choice([1, 1, 1, 2, 3])
        t = self.threads
        if cluster:
            self.ids += [f"cb = T.cta_id_in_cluster([{cluster}])", f"bx = T.cta_id([{self.ctas}])"]
        elif self.ctas > 1 and self.ctas % 2 == 0 and r.random() < 0.2:
            self.ids.append(f"bx, by = T.cta_id([2, {self.ctas // 2}])")
        else:
            self.ids.append(f"bx = T.cta_id([{self.ctas}])")
        self.warps = t // 32
        self.multi = False
        if t % 32 == 0:
            self.ids.append(f"w = T.warp_id([{t // 32}])")
            self.ids.append("l = T.lane_id([32])")
            if t % 128 == 0:
                self.ids.append(f"wg = T.warpgroup_id([{t // 128}])")
                self.ids.append("wi = T.warp_id_in_wg([4])")
                self.ids.append("tg = T.thread_id_in_wg([128])")
            if t >= 64 and r.random() < 0.06:
                self.multi = True
                self.ids.append(f"tid, ty = T.thread_id([{t // 2}, 2])")
            else:
                self.ids.append(f"tid = T.thread_id([{t}])")
        else:
            self.ids.append(f"tid = T.thread_id([{t}])")
        return self

    def scopes(self):
        out = ["thread"]
        if self.threads % 32 == 0:
            out += ["warp", "warp"]
        if self.threads % 128 == 0:
            out += ["wg", "wg"]
        return out + ["cta", "cta"]

    def workers(self, scope):
        return {"thread": 1, "warp": 32, "wg": 128, "cta": self.threads}[scope]

    # -- buffers --------------------------------------------------------------------------------------------------
    def fresh(self, letter):
        n = self.count.get(letter, 0)
        self.count[letter] = n + 1
        return f"{letter}{n}"

    def tensor(self, shape, dtype, layout=None, letter="A"):
        name = self.fresh(letter)
        self.params.append(name)
        extra = f", layout={layout}" if layout else ""
        self.host.append(f'{name} = T.match_buffer({name}_ptr, {tup(shape)}, "{dtype}"{extra})')
        return name

    def shared(self, shape, dtype, layout=None, align=None):
        """Static or from the pool. `layout`: text, elements it spans."""
        text, span = layout or (None, product(shape))
        name = self.fresh("X")
        extra = f", layout={text}" if text else ""
        size = span * BITS[dtype] // 8
        self.shared_left -= size
        if self.pool is None:
            self.pool = self.rng.random() < 0.4
        if self.pool:
            align = f", align={align or 1024}"
            # The pool counts the elements of the shape, so padding needs room of its own.
            pad = (size - product(shape) * BITS[dtype] // 8 + 15) // 16 * 16
            if self.rng.random() < 0.2:  # nothing but the type's own alignment is sure
                self.buffers.append(f'{name}_gap = pool.alloc(({self.rng.choice([1, 2, 3, 4, 6, 8])},), "{dtype}"{align})')
                align = ""
            self.buffers.append(f'{name} = pool.alloc({tup(shape)}, "{dtype}"{align}{extra})')
            if pad > 0:
                self.buffers.append(f'{name}_pad = pool.alloc(({pad},), "uint8")')
        else:
            self.buffers.append(f'{name} = T.alloc_buffer({tup(shape)}, "{dtype}", scope="shared"{extra})')
        return name

    def local(self, shape, dtype, layout=None):
        name = self.fresh("R")
        extra = f", layout={layout}" if layout else ""
        self.buffers.append(f'{name} = T.alloc_buffer({tup(shape)}, "{dtype}", scope="local"{extra})')
        return name

    # -- steps ----------------------------------------------------------------------------------------------------
    def copy(self, scope, dst, src, forced=None):
        prefix = "Tx" if scope == "thread" and self.rng.random() < 0.5 else f"Tx.{scope}"
        if scope == "wg" and self.rng.random() < 0.5:
            prefix = "Tx.warpgroup"
        tail = f', dispatch="{forced}"' if forced else ""
        return f"{prefix}.copy({dst}, {src}{tail})"

    def step(self, lines, guard=(), loop=None, sync=True, apart=False):
        """Lines under a loop, then under nested guards; the barrier stands in the loop but outside of the guards.
        `apart`: the rounds do not meet each other, so that the guards may as well stand around the loop."""
        depth = 0
        if apart and guard and loop and self.rng.random() < 0.5:
            guard, loop = [*guard, loop], None

        def put(text):
            self.body.append("    " * depth + text)

        if loop:
            put(loop)
            depth = 1
        base = depth
        for g in guard:
            put(g if g.startswith("for ") else f"if {g}:")
            depth += 1
        for line in lines:
            put(line)
        depth = base
        if sync:
            put("T.cuda.cta_sync()")

    def text(self):
        out = ["", "", f"# family: {self.family}", "@T.prim_func",
               f"def {self.name}(" + ", ".join(f"{p}_ptr: T.handle" for p in self.params) + "):"]
        body = list(self.host) + ["T.device_entry()"] + self.ids
        if self.pool:
            body += ["pool = T.SMEMPool()"]
        body += self.buffers
        if self.pool:
            body += ["pool.commit()"]
        body += self.body
        return "\n".join(out + ["    " + b for b in body]) + "\n"


# ---- layouts ---------------------------------------------------------------------------------------------------------

def strides_text(extents, strides, offset=0):
    tail = f" + {offset}" if offset else ""
    if len(extents) == 1:
        return f"TileLayout(S[{extents[0]} : {strides[0]}]{tail})"
    return f"TileLayout(S[{tup(extents)} : {tup(strides)}]{tail})"


def row_major(shape):
    out, s = [], 1
    for e in reversed(shape):
        out.append(s)
        s *= e
    return out[::-1]


def split(rng, e):
    """A factorisation of an extent into one to three factors."""
    parts = []
    while len(parts) < 2 and e > 1 and rng.random() < 0.6:
        ds = [d for d in (2, 4, 8, 16, 32, 3) if e % d == 0 and d < e]
        if not ds:
            break
        d = rng.choice(ds)
        parts.append(d)
        e //= d
    return parts + [e] if rng.random() < 0.5 else [e] + parts


def random_compact(rng, shape):
    """The iters of a random split in a random order of strides: every element has its place, no gaps."""
    extents = [f for e in shape for f in split(rng, e)]
    order = list(range(len(extents)))
    rng.shuffle(order)
    if rng.random() < 0.6:  # keep the last iter contiguous, so that wide moves stay possible
        order.remove(len(extents) - 1)
        order.append(len(extents) - 1)
    strides, s = [0] * len(extents), 1
    for i in reversed(order):
        strides[i] = s
        s *= extents[i]
    return extents, strides


def swizzle_text(rng, dtype):
    base = {8: 4, 16: 3, 32: 2, 64: 1}[BITS[dtype]]
    m = base if rng.random() < 0.75 else rng.choice([0, 1, 2, 3])
    b = rng.choice([1, 2, 3, 3])
    a = max(b, rng.choice([3, 3, 3, 4]))
    inner = ", False" if rng.random() < 0.06 else ""
    return f"SwizzleLayout({m}, {b}, {a}{inner})", 1 << (m + a + b)


def shared_layout(rng, shape, dtype, kinds=None):
    """(text or None, elements spanned), for a shared buffer."""
    shape = list(shape)
    n = product(shape)
    kind = rng.choice(kinds or ["none", "none", "rows", "rows", "pad", "pad", "cols", "ktile", "blocks", "swz", "swz",
                                "compose", "compose", "compose", "mma", "mma", "random", "random", "offset"])
    if len(shape) == 1 and kind in ("pad", "cols", "ktile", "blocks", "mma"):
        kind = "rows"
    if kind == "rows":
        return f"TileLayout(S[{tup(shape)}])", n
    if kind == "offset":
        off = rng.choice([8, 16, 32, 4, 3])
        return strides_text(shape, row_major(shape), off), n + off
    if kind == "pad":
        pitch = shape[-1] + rng.choice([1, 2, 4, 8, 8, 8, 16, 4, 12])
        strides, s = [1], pitch
        for e in reversed(shape[1:-1] if len(shape) > 2 else []):
            strides.append(s)
            s *= e
        strides.append(s)
        strides = strides[:len(shape)][::-1]
        return strides_text(shape, strides), s * shape[0]
    if kind == "cols":
        pad = rng.choice([0, 0, 0, 8, 1])
        strides = row_major(shape)
        strides[-2:] = [1, shape[-2] + pad]
        strides[:-2] = [s // (shape[-1] * shape[-2]) * shape[-1] * (shape[-2] + pad) for s in strides[:-2]]
        return strides_text(shape, strides), n // shape[-2] * (shape[-2] + pad)
    if kind in ("ktile", "blocks"):
        k = rng.choice([d for d in (4, 8, 16, 32) if shape[-1] % d == 0] or [shape[-1]])
        r, c = shape[-2], shape[-1]
        lead = shape[:-2]
        outer = [s for s in row_major(lead + [r * c])[:-1]] if lead else []
        if kind == "ktile" or r % 8:
            return strides_text(lead + [r, c // k, k], outer + [k, r * k, 1]), n
        return strides_text(lead + [r // 8, 8, c // k, k], outer + [8 * c, k, 8 * k, 1]), n
    if kind in ("swz", "compose"):
        z, period = swizzle_text(rng, dtype)
        if n % period:
            return f"TileLayout(S[{tup(shape)}])", n
        if kind == "swz":
            return z, n
        inner, span = shared_layout(rng, shape, dtype, ["rows", "rows", "rows", "random", "ktile", "pad"])
        if inner is None:
            inner = f"TileLayout(S[{tup(shape)}])"
        return f"ComposeLayout({z}, {inner})", (span + period - 1) // period * period
    if kind == "mma":
        row_bytes = shape[-1] * BITS[dtype] // 8
        modes = [m for m, wide in ((1, 32), (2, 64), (3, 128)) if row_bytes % wide == 0]
        if not modes or shape[-2] % 8 or dtype in ("float64", "int64"):
            return f"TileLayout(S[{tup(shape)}])", n
        return f'mma_shared_layout("{dtype}", {rng.choice(modes)}, {tup(shape)})', n
    if kind == "random":
        extents, strides = random_compact(rng, shape)
        return strides_text(extents, strides), n
    return None, n


def global_layout(rng, shape):
    """Text or None. Mostly row-major, as tensors are."""
    kind = rng.choice(["none"] * 10 + ["cols", "pitch", "every_second", "random"])
    if kind == "cols" and len(shape) >= 2:
        strides = row_major(shape)
        strides[-2:] = [1, shape[-2]]
        return strides_text(shape, strides)
    if kind == "pitch" and len(shape) == 2:
        return strides_text(shape, [shape[1] + rng.choice([8, 4, 16, 3]), 1])
    if kind == "every_second":
        return strides_text(shape, [2 * s for s in row_major(shape)])
    if kind == "random":
        return strides_text(*random_compact(rng, shape))
    return None


# ---- regions ---------------------------------------------------------------------------------------------------------

def region(name, starts, tile):
    """`X[a:a + n, ...]`; a start is an int or text."""
    parts = []
    for s, n in zip(starts, tile):
        if isinstance(s, int):
            parts.append(f"{s}:{s + n}")
        else:
            parts.append(f"{s} : {s} + {n}")
    return f"{name}[{', '.join(parts)}]"


def whole(rng, name, shape):
    if rng.random() < 0.2:
        return name
    if rng.random() < 0.4:
        return f"{name}[{', '.join(':' for _ in shape)}]"
    return region(name, [0] * len(shape), shape)


def widen(rng, tile):
    """A shape around a tile and constant starts in it."""
    shape, starts = [], []
    for e in tile:
        x = rng.random()
        if x < 0.55:
            shape.append(e)
            starts.append(0)
        elif x < 0.85:  # a multiple of the tile
            k = rng.choice([2, 2, 3])
            shape.append(e * k)
            starts.append(e * rng.randrange(k))
        else:  # any start
            extra = rng.choice([1, 2, 4, 8, 8, 16])
            shape.append(e + extra)
            starts.append(rng.choice([0, extra, rng.randrange(extra + 1)]))
    return shape, starts


def tile_shape(rng, workers, dtype, limit):
    """A tile of one to three dimensions; usually the workers divide it."""
    while True:
        rank = rng.choice([1, 2, 2, 2, 2, 3])
        pick = [1, 2, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 12, 24, 48]
        shape = [rng.choice(pick) for _ in range(rank)]
        if rng.random() < 0.08:
            shape[rng.randrange(rank)] = rng.choice([3, 5, 7, 10, 20, 33])
        n = product(shape)
        if n * BITS[dtype] // 8 > limit or n < 2 or n > 16384:
            continue
        if n % workers and rng.random() < 0.85:
            continue
        return shape


# ---- guards ----------------------------------------------------------------------------------------------------------

def guard_for(k, scope, rng):
    """Conditions that leave whole instances of the scope; the copy then is the work of those."""
    t = k.threads
    if scope == "warp" and k.warps > 1:
        c = rng.randrange(k.warps)
        options = [[f"w == {c}"], [f"w >= {c}"], [f"{c} <= w", f"w < {c + 1}"], [f"w == {c} and l < 32"]]
        if t % 128 == 0:
            options += [[f"wg == {c // 4}", f"wi == {c % 4}"], [f"wg == {c // 4} and wi == {c % 4}"], [f"wg == {c // 4}"]]
        if not k.multi:
            options += [[f"tid >= {32 * c} and tid < {32 * c + 32}"], [f"{32 * c} <= tid < {32 * c + 32}"]]
        return rng.choice(options)
    if scope == "wg" and t > 128:
        c = rng.randrange(t // 128)
        options = [[f"wg == {c}"], [f"wg >= {c}"], [f"w >= {4 * c} and w < {4 * c + 4}"], [f"{4 * c} <= w", f"w < {4 * c + 4}"]]
        return rng.choice(options)
    if scope == "thread" and t % 32 == 0:
        c = rng.randrange(t)
        options = [[f"w == {c // 32}", f"l == {c % 32}"], [f"w == {c // 32} and l == {c % 32}"], [f"l == {c % 32}"]]
        if not k.multi:
            options += [[f"tid == {c}"], [f"tid < {c + 1}"]]
        return rng.choice(options)
    if k.ctas > 1 and not any("by" in i for i in k.ids):
        return rng.choice([[f"bx == {rng.randrange(k.ctas)}"], [f"bx < {k.ctas - 1}"], ["bx % 2 == 0"]])
    return []


def narrowing(k, scope, rng):
    """Conditions that leave only a part of an instance: the cooperative variants have to refuse."""
    t = k.threads
    if t % 32:
        return [f"tid == {rng.randrange(t)}"]
    options = []
    if scope == "warp":
        options += [[f"l < {rng.choice([1, 8, 16])}"], [f"l == {rng.randrange(32)}"]]
        if k.warps > 1:
            options += [[f"w == {rng.randrange(k.warps)}", f"l >= {rng.choice([4, 16, 31])}"]]
    elif scope == "wg":
        c = rng.randrange(k.warps)
        options += [[f"w == {c}"], [f"wg == {c // 4}", f"wi == {c % 4}"], [f"wg == {c // 4}", f"wi < {rng.choice([1, 2, 3])}"],
                    [f"wg == {c // 4}", f"tg >= 32 and tg < 64"], [f"wg == {c // 4}", "tg == 77"], [f"l == 3"]]
    else:
        options += [["l == 0"], ["l < 8"]]
        if k.warps > 1:
            c = rng.randrange(k.warps)
            options += [[f"w == {c}"], [f"w < {max(1, k.warps - 1)}"], [f"w >= 1"]]
            if not k.multi:
                options += [["tid == 0"], ["32 <= tid < 64"], [f"tid >= {t - 32}"], [f"tid == {rng.randrange(t)}"]]
    return rng.choice(options)


# ---- families --------------------------------------------------------------------------------------------------------

def start_symbol(k, scope, rng, tile, room):
    """A way to walk over `room` tiles along one dimension: (loop or None, start text, tiles covered) or None."""
    n = tile
    ways = ["loop", "loop"]
    if k.ctas > 1 and not any("by" in i for i in k.ids):
        ways.append("cta")
    if scope == "warp" and k.warps > 1:
        ways += ["warp", "warp"]
    if scope == "wg" and k.threads >= 256:
        ways += ["wg", "wg"]
    way = rng.choice(ways)
    if way == "loop":
        c = rng.choice([2, 3])
        loop = rng.choice([f"for i in range({c}):", f"for i in T.serial({c}):", f"for i in T.unroll({c}):", f"for i in range(1, {c + 1}):"])
        first = "(i - 1)" if "(1, " in loop else "i"
        return loop, rng.choice([f"{first} * {n}", f"{n} * {first}", f"{first} * {n}"]), c
    if way == "cta":
        return None, f"bx * {n}", k.ctas
    if way == "warp":
        return None, f"w * {n}", k.warps
    return None, f"wg * {n}", k.threads // 128


def round_trip(k, rng, scope=None, kinds=None, forced=None):
    """global -> shared -> global, one region each way, possibly cut into tiles that a loop or an id walks."""
    k.launch() if not hasattr(k, "threads") else None
    scope = scope or rng.choice(k.scopes())
    dtype = rng.choice(DTYPES)
    tile = tile_shape(rng, k.workers(scope), dtype, 8192)
    walked = start_symbol(k, scope, rng, 0, 0) if rng.random() < 0.4 else None
    dim = rng.randrange(len(tile))
    gshape, gstart = widen(rng, tile)
    sshape, sstart = widen(rng, tile) if rng.random() < 0.3 else (list(tile), [0] * len(tile))
    loop = None
    if walked:
        loop, start, c = walked
        start = start.replace("* 0", f"* {tile[dim]}").replace("0 *", f"{tile[dim]} *")
        gshape[dim], gstart[dim] = tile[dim] * c, start
        if rng.random() < 0.15 and loop:  # the same start in other words
            start = gstart[dim] = rng.choice([f"({start}) // {tile[dim]} * {tile[dim]}", f"T.min({start}, {tile[dim] * c})",
                                              f"({start}) % {tile[dim] * c}"])
        if rng.random() < 0.7 and product(sshape) * c * BITS[dtype] // 8 <= 16384:
            sshape[dim], sstart[dim] = tile[dim] * c, start
        elif loop is None and not start.startswith("bx"):
            sshape[dim], sstart[dim] = tile[dim] * c, start  # instances must not share their shared memory
        if product(sshape) * BITS[dtype] // 8 > 24576:
            return False
    guard = guard_for(k, scope, rng) if not (walked and loop is None) and rng.random() < 0.35 else []
    if guard and not walked and rng.random() < 0.3:
        guard = narrowing(k, scope, rng) if scope != "thread" else guard
    a = k.tensor(gshape, dtype, global_layout(rng, gshape))
    b = k.tensor(gshape, dtype, global_layout(rng, gshape) if rng.random() < 0.3 else None, "B")
    x = k.shared(sshape, dtype, shared_layout(rng, sshape, dtype, kinds))
    if k.shared_left < 0:
        return False
    ga, gb, gx = region(a, gstart, tile), region(b, gstart, tile), region(x, sstart, tile)
    if loop:
        apart = sstart[dim] == gstart[dim]
        k.step([k.copy(scope, gx, ga, forced)], guard, loop, apart=apart)
        if apart:
            k.step([k.copy(scope, gb, gx, forced)], guard, loop, apart=True)
        else:  # the loop uses the tile again: out before the next round
            k.body[-1:] = ["    T.cuda.cta_sync()"]
            depth = 1
            for g in guard:
                k.body.append("    " * depth + f"if {g}:")
                depth += 1
            k.body.append("    " * depth + k.copy(scope, gb, gx, forced))
            k.body.append("    T.cuda.cta_sync()")
    else:
        k.step([k.copy(scope, gx, ga, forced)], guard)
        k.step([k.copy(scope, gb, gx, forced)], guard)
    return True


def family_gmem_smem(k, rng):
    return round_trip(k, rng)


def family_two_scopes(k, rng):
    """In at one scope, out at another; extents match only after unit dimensions are dropped."""
    k.launch(threads=rng.choice([128, 256, 128]))
    dtype = rng.choice(DTYPES)
    rows, cols = rng.choice([(32, 64), (64, 64), (64, 32), (128, 32), (16, 64), (32, 128), (24, 48)])
    if rows * cols * BITS[dtype] // 8 > 16384:
        return False
    lead = rng.choice([None, None, 2, 3])
    x = k.shared((lead, rows, cols) if lead else (rows, cols), dtype, shared_layout(rng, ((lead, rows, cols) if lead else (rows, cols)), dtype)) \
        if not lead or lead * rows * cols * BITS[dtype] // 8 <= 16384 else None
    if not x or k.shared_left < 0:
        return False
    a = k.tensor((rows, cols), dtype, global_layout(rng, (rows, cols)))
    b = k.tensor((rows, cols) if rng.random() < 0.6 else (1, rows, 1, cols), dtype, None, "B")
    slot = rng.randrange(lead) if lead else None
    gx = f"{x}[{slot}, :, :]" if lead and rng.random() < 0.5 else (f"{x}[{slot}:{slot + 1}, 0:{rows}, 0:{cols}]" if lead else whole(rng, x, (rows, cols)))
    scopes = ["cta", "wg", "warp", "thread"]
    k.step([k.copy(rng.choice(scopes[:3]), gx, whole(rng, a, (rows, cols)))])
    k.step([k.copy(rng.choice(scopes), b, gx)])
    return True


def row_fragment(k, rng, scope, cols):
    """A register layout with one row a thread: rows, shape, layout text of a fragment of the scope."""
    if scope == "thread":
        rows = rng.choice([1, 2, 4, 8])
        shape = (rows, cols)
        return rows, shape, rng.choice([None, None, f"TileLayout(S[{tup(shape)}])", strides_text(shape, (1, rows))])
    if scope == "warp":
        rows = rng.choice([32, 32, 32, 64])
        if rows == 32:
            return 32, (32, cols), rng.choice([f"TileLayout(S[(32, {cols}) : (1@laneid, 1)])"] * 3 + [
                f"TileLayout(S[(32, {cols}) : (4@laneid, 1)])" if rng.random() < 0.3 else f"TileLayout(S[(32, {cols}) : (1@laneid, 1)])"])
        return 64, (64, cols), f"TileLayout(S[(2, 32, {cols}) : ({cols}, 1@laneid, 1)])"
    if scope == "wg":
        x = rng.random()
        if x < 0.5:
            return 128, (128, cols), f"TileLayout(S[(128, {cols}) : (1@tid_in_wg, 1)])"
        if x < 0.8:
            return 128, (128, cols), f"TileLayout(S[(4, 32, {cols}) : (1@wid_in_wg, 1@laneid, 1)])"
        return 128, (128, cols), f"TileLayout(S[(128, {cols}) : (1@tx, 1)])" if rng.random() < 0.3 else f"TileLayout(S[(128, {cols}) : (1@tid_in_wg, 1)])"
    t = k.threads
    x = rng.random()
    if x < 0.6 or t % 32 or t == 32:
        return t, (t, cols), f"TileLayout(S[({t}, {cols}) : (1@tx, 1)])"
    if x < 0.85:
        return t, (t, cols), f"TileLayout(S[({t // 32}, 32, {cols}) : (1@warpid, 1@laneid, 1)])"
    return 128, (128, cols), f"TileLayout(S[(128, {cols}) : (1@tid_in_wg, 1)])"


def family_reg(k, rng):
    """global -> shared -> registers -> shared -> global with one row a thread."""
    k.launch(threads=rng.choice([32, 64, 128, 128, 256]))
    scope = rng.choice(k.scopes())
    dtype = rng.choice(DTYPES)
    cols = rng.choice([2, 4, 8, 8, 16, 16, 32, 6, 12, 5])
    rows, shape, layout = row_fragment(k, rng, scope, cols)
    if rows * cols * BITS[dtype] // 8 > 12288:
        return False
    r = k.local(shape, dtype, layout)
    kinds = ["none", "rows", "pad", "pad", "cols", "ktile", "swz", "compose", "compose", "mma", "random", "offset"]
    xshape, xstart = widen(rng, (rows, cols)) if rng.random() < 0.4 else ([rows, cols], [0, 0])
    if product(xshape) * BITS[dtype] // 8 > 20000:
        return False
    y_rows = xshape[0]
    if scope == "thread" and rng.random() < 0.5 and k.threads <= 128:  # every thread its own rows
        xshape[0], xstart[0] = k.threads * rows, rng.choice(["tid", "tid"]) + f" * {rows}"
        if product(xshape) * BITS[dtype] // 8 > 20000 or k.multi:
            return False
    x = k.shared(xshape, dtype, shared_layout(rng, xshape, dtype, kinds))
    y = k.shared(xshape, dtype, shared_layout(rng, xshape, dtype, kinds)) if rng.random() < 0.6 else None
    if k.shared_left < 0:
        return False
    a, b = k.tensor(xshape, dtype), k.tensor(xshape, dtype, None, "B")
    part, rpart, cut = (rows, cols), whole(rng, r, shape), 0
    if cols >= 8 and rng.random() < 0.3:  # some columns only
        lo = rng.choice([0, cols // 2, 1, 4])
        n = rng.choice([d for d in (1, 2, 4, 8, 3) if lo + d <= cols])
        part, cut = (rows, n), lo
        rpart = f"{r}[0:{shape[0]}, {lo}:{lo + n}]"
    starts = [xstart[0], xstart[1] + cut if isinstance(xstart[1], int) else xstart[1]]
    guard = guard_for(k, scope, rng) if rng.random() < 0.3 and not isinstance(xstart[0], str) else []
    if guard and rng.random() < 0.2 and scope != "thread":
        guard = narrowing(k, scope, rng)
    k.step([k.copy("cta", whole(rng, x, xshape), whole(rng, a, xshape))])
    if rng.random() < 0.5:  # straight out of the registers
        k.step([k.copy(scope, rpart, region(x, starts, part)), k.copy(scope, region(b, starts, part), rpart)], guard)
        return True
    if y:
        k.step([k.copy("cta", whole(rng, y, xshape), whole(rng, a, xshape))])
    k.step([k.copy(scope, rpart, region(x, starts, part))], guard)
    k.step([k.copy(scope, region(y or x, starts, part), rpart)], guard)
    k.step([k.copy("cta", whole(rng, b, xshape), whole(rng, y or x, xshape))])
    return True


def family_reg_global(k, rng):
    """global -> registers -> global."""
    k.launch(threads=rng.choice([32, 64, 128, 256, 96]))
    scope = rng.choice(k.scopes())
    dtype = rng.choice(DTYPES)
    cols = rng.choice([1, 2, 4, 8, 16, 3, 10, 24])
    rows, shape, layout = row_fragment(k, rng, scope, cols)
    r = k.local(shape, dtype, layout)
    gshape, gstart = widen(rng, (rows, cols))
    loop = None
    if rng.random() < 0.4:
        d = rng.randrange(2)
        walk = start_symbol(k, scope, rng, (rows, cols)[d], 0)
        loop, gstart[d], c = walk
        gshape[d] = (rows, cols)[d] * c
    a = k.tensor(gshape, dtype, global_layout(rng, gshape))
    b = k.tensor(gshape, dtype, global_layout(rng, gshape), "B")
    ra = whole(rng, r, shape)
    k.step([k.copy(scope, ra, region(a, gstart, (rows, cols))), k.copy(scope, region(b, gstart, (rows, cols)), ra)],
           guard_for(k, scope, rng) if loop is None and rng.random() < 0.3 and not any(isinstance(s, str) for s in gstart) else [], loop)
    return True


def fragment(k, rng, scope):
    """(shape, layout text) of a matrix fragment in registers."""
    axis = {"warp": "laneid", "wg": "tid_in_wg", "cta": "tx"}[scope]
    t = k.workers(scope)
    x = rng.random()
    if scope == "warp" and x < 0.35:
        n = rng.choice([1, 2, 4, 8])
        return (8, 8 * n), f"TileLayout(S[(8, {n}, 4, 2) : (4@laneid, 2, 1@laneid, 1)])"
    if scope == "warp" and x < 0.8:
        kk = rng.choice([1, 2, 4])
        return (16, 16 * kk), f"TileLayout(S[(2, 8, {kk}, 2, 4, 2) : (2, 4@laneid, 8, 4, 1@laneid, 1)])"
    if scope == "warp":
        return (8, 4, 4, 2), "TileLayout(S[(8, 4, 4, 2) : (4@laneid, 1@laneid, 2, 1)])"
    n = rng.choice([1, 2, 4, 8])
    w = t // 32
    if w == 1:
        return (16, 8 * n), f"TileLayout(S[(2, 8, {n}, 4, 2) : (2, 4@{axis}, 4, 1@{axis}, 1)])"
    return (16 * w, 8 * n), f"TileLayout(S[({w}, 2, 8, {n}, 4, 2) : (32@{axis}, 2, 4@{axis}, 4, 1@{axis}, 1)])"


def family_ldstmatrix(k, rng):
    """Matrix fragments through shared memory: ldmatrix in, stmatrix out."""
    k.launch(threads=rng.choice([32, 64, 128, 128, 256]))
    scope = rng.choice([s for s in k.scopes() if s != "thread"])
    dtype = rng.choice(["float16"] * 6 + ["bfloat16", "bfloat16", "uint16"] + ["float32", "uint8", "int8", "float64"])
    shape, layout = fragment(k, rng, scope)
    xshape, xstart = list(shape), [0] * len(shape)
    if len(shape) == 2 and rng.random() < 0.4:
        xshape, xstart = widen(rng, shape)
    if product(xshape) * BITS[dtype] // 8 > 18000:
        return False
    kinds = ["none", "none", "rows", "pad", "pad", "compose", "compose", "mma", "mma", "cols", "cols", "ktile", "random", "swz", "swz"]
    x = k.shared(xshape, dtype, shared_layout(rng, xshape, dtype, kinds))
    y = k.shared(xshape, dtype, shared_layout(rng, xshape, dtype, kinds))
    if k.shared_left < 0:
        return False
    r = k.local(shape, dtype, layout)
    a, b = k.tensor(xshape, dtype), k.tensor(xshape, dtype, None, "B")
    guard = guard_for(k, scope, rng) if rng.random() < 0.35 else []
    if guard and rng.random() < 0.15:
        guard = narrowing(k, scope, rng)
    k.step([k.copy("cta", whole(rng, x, xshape), whole(rng, a, xshape))])
    k.step([k.copy("cta", whole(rng, y, xshape), whole(rng, a, xshape))])
    forced = rng.choice([None] * 8 + ["ldstmatrix", "reg"])
    k.step([k.copy(scope, whole(rng, r, shape), region(x, xstart, shape), forced)], guard)
    k.step([k.copy(scope, region(y, xstart, shape), whole(rng, r, shape), forced)], guard)
    k.step([k.copy("cta", whole(rng, b, xshape), whole(rng, y, xshape))])
    return True


def family_fallback(k, rng):
    """Pairs and counts that only the scalar loop serves."""
    kind = rng.choice(["count", "count", "shared", "global", "narrow", "narrow", "few", "odd"])
    if kind == "few":
        k.launch(threads=rng.choice([1, 8, 16, 24]))
        scope = rng.choice(["cta", "thread", "cta"])
        return round_trip(k, rng, scope)
    if kind == "odd":
        k.launch(threads=rng.choice([48, 40, 100]))
        return round_trip(k, rng, rng.choice(["cta", "thread"]))
    k.launch(threads=rng.choice([32, 64, 128, 256]))
    scope = rng.choice([s for s in k.scopes() if s != "thread"])
    dtype = rng.choice(DTYPES)
    if kind == "count":
        tile = rng.choice([(10, 10), (3, 7), (4, 6), (1, 8), (5,), (6, 2, 3), (9, 11), (1, 1), (2, 1, 3)])
        a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
        x = k.shared(tile, dtype, shared_layout(rng, tile, dtype, ["none", "rows", "pad", "offset"]))
        k.step([k.copy(scope, whole(rng, x, tile), whole(rng, a, tile))])
        k.step([k.copy(scope, whole(rng, b, tile), whole(rng, x, tile))])
        return True
    if kind == "narrow":
        tile = rng.choice([(16, 16), (32, 8), (8, 64), (64,), (4, 8)])
        guard = narrowing(k, scope, rng)
        a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
        x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
        k.step([k.copy(scope, whole(rng, x, tile), whole(rng, a, tile))], guard)
        k.step([k.copy(scope, whole(rng, b, tile), whole(rng, x, tile))], guard)
        return True
    tile = rng.choice([(16, 16), (32, 8), (8, 32), (64,)])
    a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
    if kind == "global":
        k.step([k.copy(rng.choice([scope, "thread"]), whole(rng, b, tile), whole(rng, a, tile))], guard_for(k, scope, rng) if rng.random() < 0.4 else [])
        return True
    x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
    y = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
    k.step([k.copy("cta", whole(rng, x, tile), whole(rng, a, tile))])
    k.step([k.copy(scope, whole(rng, y, tile), whole(rng, x, tile))])
    k.step([k.copy("cta", whole(rng, b, tile), whole(rng, y, tile))])
    return True


def family_refused(k, rng):
    """Ends with a call that no variant can serve."""
    kind = rng.choice(["cluster", "cluster", "forced", "forced", "forced", "unknown", "shape", "dtype", "straddle", "elect",
                       "fragment", "shape"])
    threads = {"straddle": rng.choice([256, 384])}.get(kind)
    k.launch(threads=threads or rng.choice([32, 64, 128, 256]), cluster=2 if kind == "cluster" and rng.random() < 0.5 else None,
             ctas=2 if kind == "cluster" else None)
    dtype = rng.choice(DTYPES)
    tile = rng.choice([(32, 32), (64, 16), (16, 64), (32, 8)])
    a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
    x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
    scope = rng.choice([s for s in k.scopes() if s != "thread"])
    into, out = (whole(rng, x, tile), whole(rng, a, tile)), (whole(rng, b, tile), whole(rng, x, tile))
    if kind == "cluster":
        if rng.random() < 0.5:
            k.step([k.copy("cta", *into)])
            k.step([k.copy("cluster", *out)])
        else:
            k.step([k.copy("cluster", *into)])
    elif kind == "forced":
        k.step([k.copy("cta", *into)])
        k.step([k.copy(scope, *out, rng.choice(["reg", "ldstmatrix", "reg", "gmem_smem", "fallback"]))])
        if rng.random() < 0.5:
            r = k.local((32, 4), dtype, "TileLayout(S[(32, 4) : (1@laneid, 1)])")
            k.step([k.copy("warp", r, f"{x}[0:{32 if tile[0] >= 32 else 16}, 0:4]", rng.choice(["gmem_smem", "ldstmatrix", "fallback"]))])
    elif kind == "unknown":
        k.step([k.copy(scope, *into, rng.choice(["regs", "tma", "ldgsts", "gmem", "Fallback"]))])
    elif kind == "shape":
        k.step([k.copy(scope, *into)])
        bad = rng.choice([f"{b}[0:8, 0:{tile[1]}]", f"{b}[0:{tile[0]}, 0:4]", f"{b}[0:{tile[0] // 2}, 0:{tile[1]}]"])
        k.step([k.copy(scope, bad, out[1])])
    elif kind == "dtype":
        other = rng.choice([d for d in BITS if d != dtype])
        c = k.tensor(tile, other, None, "C")
        k.step([k.copy(scope, *into)])
        k.step([k.copy(scope, whole(rng, c, tile), out[1])])
    elif kind == "straddle":
        lo = rng.choice([1, 2, 3])
        k.step([k.copy("cta", *into)])
        k.step([k.copy("wg", *out)], [f"w >= {lo} and w < {lo + 4}"])
    elif kind == "elect":
        k.step([k.copy("cta", *into)])
        k.step([k.copy(scope, *out)], rng.choice([["T.ptx.elect_sync()"], ["w == 0", "T.ptx.elect_sync()"]]))
    else:  # a fragment that no instruction fits: the scalar loop cannot read other threads' registers
        r = k.local((32, 8), dtype, "TileLayout(S[(8, 4, 8) : (1@laneid, 8@laneid, 1)])")
        k.step([k.copy("cta", *into)])
        k.step([k.copy("warp", r, region(x, (0, 0), (32 if tile[0] >= 32 else 16, 8)))])
    return True


def family_elect(k, rng):
    """One elected lane does the work of a thread-scope copy."""
    k.launch(threads=rng.choice([32, 64, 128]))
    dtype = rng.choice(DTYPES)
    tile = rng.choice([(8, 16), (4, 4), (32,), (3, 5), (16, 8)])
    a, b = k.tensor(tile, dtype, global_layout(rng, tile)), k.tensor(tile, dtype, None, "B")
    x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
    guard = rng.choice([["T.ptx.elect_sync()"], ["w == 0", "T.ptx.elect_sync()"], ["T.ptx.elect_sync()", "w == 0"]])
    k.step([k.copy("thread", whole(rng, x, tile), whole(rng, a, tile))], guard)
    k.step([k.copy(rng.choice(["thread", "cta"]), whole(rng, b, tile), whole(rng, x, tile))],
           guard if rng.random() < 0.3 else [])
    return True


def family_inexact(k, rng):
    """Conditions that no box describes, and else branches: what the active set says then is documented in notes."""
    k.launch(threads=rng.choice([64, 128, 256]))
    dtype = rng.choice(DTYPES)
    tile = rng.choice([(16, 16), (32, 8), (64,), (8, 32)])
    scope = rng.choice([s for s in k.scopes() if s != "thread"])
    a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
    x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
    conditions = ["w == 0 or w == 1", "w != 0", "l != 5", "w % 2 == 0", "l % 2 == 0", "bx == 0 or bx == 1"]
    if not k.multi:
        conditions += ["tid // 32 == 0", "tid < 40", "0 <= tid and tid < 40", "tid < 32", "tid % 2 == 0"]
    c = rng.choice(conditions)
    k.step([k.copy("cta", whole(rng, x, tile), whole(rng, a, tile))])
    if rng.random() < 0.4:
        first = rng.choice(["w == 0", "w < 1", "l < 16", "bx == 0", "w >= 1"])
        k.body += [f"if {first}:", "    " + k.copy("thread", whole(rng, b, tile), whole(rng, x, tile)), "else:",
                   "    " + k.copy(scope, whole(rng, b, tile), whole(rng, x, tile)), "T.cuda.cta_sync()"]
    else:
        k.step([k.copy(scope, whole(rng, b, tile), whole(rng, x, tile))], [c])
    return True


def family_symbolic(k, rng):
    """A symbolic extent gives the grid; every CTA copies its tile."""
    k.launch(threads=rng.choice([32, 64, 128]), ctas=1)
    n = rng.choice([16, 32, 64])
    dtype = rng.choice(DTYPES)
    cols = rng.choice([16, 32, 64])
    k.ids[0] = rng.choice([f"bx = T.cta_id([n // {n}])", f"bx = T.cta_id([(n + {n - 1}) // {n}])", f"bx = T.cta_id([T.ceildiv(n, {n})])"])
    k.host.append("n = T.int32()")
    a = k.fresh("A")
    b = k.fresh("B")
    k.params += [a, b]
    for t in (a, b):
        k.host.append(f'{t} = T.match_buffer({t}_ptr, (n, {cols}), "{dtype}")')
    x = k.shared((n, cols), dtype, shared_layout(rng, (n, cols), dtype))
    scope = rng.choice(k.scopes())
    k.step([k.copy(scope, whole(rng, x, (n, cols)), region(a, (f"bx * {n}", 0), (n, cols)))])
    k.step([k.copy(scope, region(b, (f"bx * {n}", 0), (n, cols)), whole(rng, x, (n, cols)))])
    return k.shared_left >= 0


FAMILIES = [(family_gmem_smem, 24), (family_two_scopes, 8), (family_reg, 18), (family_reg_global, 8), (family_ldstmatrix, 18),
            (family_fallback, 14), (family_refused, 12), (family_elect, 4), (family_inexact, 5), (family_symbolic, 4)]


def make(seed, index):
    """Kernel `index` of a seed. Draws that would not fit (too much shared memory) are drawn again."""
    rng = random.Random(f"{seed}/{index}")
    families = [f for f, weight in FAMILIES for _ in range(weight)]
    while True:
        family = rng.choice(families)
        k = Kernel(rng, f"copy_{index:04d}", family.__name__.removeprefix("family_"))
        if family(k, rng) and k.shared_left >= 0:
            return k


def write(seed, count, folder, per_file=25, keep=False):
    """Paths of the files, in order. With `keep` a file that already has its text is left alone."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for begin in range(0, count, per_file):
        path = os.path.join(folder, f"copies_{begin // per_file:03d}.py")
        paths.append(path)
        text = f'"""Copies of seed {seed}, made by generate.py."""\n' + HEADER
        text += "".join(make(seed, i).text() for i in range(begin, min(begin + per_file, count)))
        if keep and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                if f.read() == text:
                    continue
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return paths


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--per-file", type=int, default=25)
    ap.add_argument("-o", "--output", required=True)
    args = ap.parse_args()
    for path in write(args.seed, args.count, args.output, args.per_file):
        print(path)


if __name__ == "__main__":
    main()
