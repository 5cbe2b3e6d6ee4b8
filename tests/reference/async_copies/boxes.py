"""Families of kernels whose copies may go by tensor maps."""

from copies.kernel import BITS, DTYPES, product
from copies.layouts import global_layout, row_major, shared_layout, strides_text
from copies.regions import region, walk, whole

from async_copies.kernel import bytes_of

FLOATS = ("float16", "bfloat16", "float32", "float64")
# What the tensor unit combines; the first three are common.
REDUCIBLE = {
    "add": ["float16", "float32", "bfloat16", "int32", "uint32"],
    "min": ["float16", "bfloat16", "int32", "uint32"],
    "max": ["float16", "bfloat16", "int32", "uint32"],
    "inc": ["uint32"],
    "dec": ["uint32"],
    "and": ["int32", "uint32"],
    "or": ["int32", "uint32"],
    "xor": ["int32", "uint32"],
}


class Draw:
    """A box: what of the tensor, what of shared memory, and their layouts."""

    def __init__(self, dtype, tile, gshape, gstart, sshape, sstart, slayout, glayout, gtile, stile):
        self.dtype, self.tile, self.gshape, self.gstart = dtype, tile, gshape, gstart
        self.sshape, self.sstart, self.slayout, self.glayout = sshape, sstart, slayout, glayout
        self.gtile, self.stile = gtile, stile


def around(rng, tile, unit):
    """A tensor around a tile and where the tile starts; the last dimension in units of `unit` elements, mostly."""
    shape, start = [], []
    for d, e in enumerate(tile):
        x = rng.random()
        if x < 0.45:
            shape.append(e)
            start.append(0)
        elif x < 0.85:
            n = rng.choice([2, 2, 3, 4])
            shape.append(e * n)
            start.append(e * rng.randrange(n))
        else:
            step = unit if d + 1 == len(tile) and rng.random() < 0.7 else 1
            extra = step * rng.choice([1, 2, 4, 7])
            shape.append(e + extra)
            start.append(rng.choice([0, extra, step]))
    return shape, start


def draw(k, rng, dtype=None):
    dtype = dtype or rng.choice(DTYPES)
    size = BITS[dtype] // 8
    unit = max(1, 16 // size)
    kind = rng.choice(
        ["tile"] * 8
        + ["part"] * 3
        + ["dense"] * 3
        + ["long", "long", "odd", "odd", "cols", "random", "random", "globals", "globals", "over", "blocks", "stage"]
        + ["deep", "row"]
    )
    glayout, slayout = None, None
    kinds = ["mma", "mma", "mma", "none", "rows", "compose", "blocks", "ktile"]
    if kind == "dense":
        rank = rng.choice([2, 3, 3, 4, 4, 5])
        tile = [rng.choice([1, 2, 3, 4, 8]) for _ in range(rank - 1)] + [rng.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])]
        gshape, gstart = list(tile), [0] * rank
        d = rng.randrange(rank - 1)
        if rng.random() < 0.5:
            gshape[d], gstart[d] = tile[d] * 2, tile[d]
        kinds = ["none", "none", "rows", "offset"]
    elif kind == "deep":
        rank = rng.choice([3, 4, 5, 6])
        tile = [rng.choice([1, 2, 2, 3]) for _ in range(rank - 2)] + [rng.choice([4, 8, 8]), unit * rng.choice([1, 2, 4])]
        gshape, gstart = around(rng, tile, unit)
        kinds = ["none", "rows", "random", "mma"]
    elif kind == "row":
        tile = [unit * rng.choice([1, 2, 4, 8, 16, 32, 48, 64])]
        gshape, gstart = around(rng, tile, unit)
        kinds = ["none", "rows", "offset"]
    else:
        rows = rng.choice([8, 8, 16, 32, 64, 64, 128])
        cols = unit * rng.choice([1, 2, 4, 4, 8, 8, 16])
        if kind == "long":
            rows, cols = rng.choice([(512, unit), (384, unit * 2), (8, 512), (4, 768), (16, 320), (320, unit * 2)])
        if kind == "odd":
            cols = rng.choice([5, 10, 12, 20, 36, 100])
        tile = [rows, cols]
        if rng.random() < 0.25:
            tile.insert(0, rng.choice([2, 3, 4]))
        gshape, gstart = around(rng, tile, unit)
        if kind == "cols":
            kinds = ["cols", "cols", "pad", "pad"]
        if kind == "random":
            kinds = ["random"]
        if kind == "globals":
            glayout = global_layout(rng, gshape)
            if glayout is None and len(gshape) >= 2:
                pitch = gshape[-1] + unit * rng.choice([1, 2, 4])
                strides = [s // gshape[-1] * pitch for s in row_major(gshape)[:-1]] + [1]
                glayout = strides_text(gshape, strides)
        if kind == "over":  # hangs over the end of the tensor
            d = rng.randrange(len(tile) - 1)
            gshape[d], gstart[d] = tile[d] * 2 - rng.choice([1, 3, 5]), tile[d]
        if kind == "blocks":
            kinds = ["blocks", "ktile"]
    sshape, sstart = list(tile), [0] * len(tile)
    if kind == "part":  # a part of the shared tile
        d = rng.randrange(len(tile))
        sshape[d], sstart[d] = tile[d] * 2, rng.choice([0, tile[d]])
        if rng.random() < 0.3:
            sshape[d], sstart[d] = tile[d] + 8, rng.choice([0, 8, 4])
    if kind == "stage":
        sshape, sstart = [3, *sshape], [rng.randrange(3), *sstart]
    if bytes_of(sshape, dtype) > 33000 or product(gshape) > 70000:
        return None
    # The reference unrolls an issue for each element of a transpose, or of rows wider than the swizzle (Y17), and takes
    # minutes over thousands.
    if kind in ("cols", "random", "globals", "part") and product(tile) > 2048:
        return None
    slayout = shared_layout(rng, sshape, dtype, kinds)
    if slayout[0] and slayout[0].startswith(("ComposeLayout", "SwizzleLayout")) and product(tile) > 2048:
        return None
    stile = ([1] if kind == "stage" else []) + tile
    gtile = list(tile)
    if kind in ("tile", "row", "long") and rng.random() < 0.35:  # indexed dimensions of the tensor
        for _ in range(rng.choice([1, 1, 2, 4])):
            n = rng.choice([1, 2, 3])
            at = rng.choice([0, 0, len(gshape) - 1])
            if product(gshape) * n > 70000:
                break
            gshape.insert(at, n)
            gstart.insert(at, rng.randrange(n))
            gtile.insert(at, 1)
        glayout = None
    return Draw(dtype, tile, gshape, gstart, sshape, sstart, slayout, glayout, gtile, stile)


def load_options(k, rng, dtype):
    """Options of a load, few at a time; some that are no options, too."""
    out = {}
    if rng.random() < 0.12:
        out["oob"] = rng.choice(['"zero"', '"zero"', '"nan"', '"nan"', '"ones"'])
    if rng.random() < 0.2:
        out["cache_hint"] = hint(rng)
    if rng.random() < 0.15:
        out["prefetch_tensormap"] = rng.choice(["True", "True", "False"])
    # Without the qualifier the reference's wrapper refuses other targets (Y16).
    if not k.blackwell():
        out["cta_group"] = "1" if rng.random() < 0.93 else None
    elif rng.random() < 0.2:
        out["cta_group"] = rng.choice(["1", "1", "2"])
    if rng.random() < 0.05:
        out["cta_mask"] = "0"
    return out


def hint(rng):
    return rng.choice(['"evict_first"', '"evict_last"', '"evict_normal"', '""'] * 3 + ['"evict_last_use"', '"evict"'])


def family_tma_load(k, rng):
    """global -> shared by tensor maps, then out again by plain copies."""
    k.launch(threads=rng.choice([1, 32, 64, 128, 128]))
    if k.multi:
        return False
    one = draw(k, rng)
    if one is None:
        return False
    a = k.tensor(one.gshape, one.dtype, one.glayout)
    b = k.tensor(one.tile, one.dtype, None, "B")
    x = k.shared(one.sshape, one.dtype, one.slayout)
    if k.shared_left < 0:
        return False
    bar = k.barrier()
    k.put(
        [
            f"T.ptx.mbarrier.arrive.expect_tx({bar}, {bytes_of(one.tile, one.dtype)})",
            k.copy_async(
                "thread",
                region(x, one.sstart, one.stile),
                region(a, one.gstart, one.gtile),
                "tma",
                mbar=bar,
                **load_options(k, rng, one.dtype),
            ),
        ],
        k.one_thread(),
    )
    k.body.append(f"T.ptx.mbarrier.try_wait({bar}, 0)")
    k.step([k.copy(k.everyone(), whole(rng, b, one.tile), region(x, one.sstart, one.stile))])
    return True


def family_tma_loop(k, rng):
    """A tile at a time by a loop or by CTA, and loads that share a tensor map."""
    k.launch(threads=rng.choice([32, 64, 128]))
    if k.multi or any("by" in i for i in k.ids):
        return False
    one = draw(k, rng)
    if one is None or len(one.gshape) != len(one.tile) or len(one.stile) != len(one.tile):
        return False
    d = rng.randrange(len(one.tile))
    loop, start, c = walk(k, "thread", rng, one.tile[d])
    if "l * " in start or "tid * " in start:
        return False
    one.gshape[d], one.gstart[d] = one.tile[d] * c, start
    if product(one.gshape) > 70000:
        return False
    glayout = one.glayout if one.glayout is None else global_layout(rng, one.gshape)
    # Plain copies do not hang over the end of a tensor.
    room = [max(n, s + e) if isinstance(s, int) else n for n, s, e in zip(one.gshape, one.gstart, one.tile)]
    a, b = k.tensor(one.gshape, one.dtype, glayout), k.tensor(room, one.dtype, None, "B")
    x = k.shared(one.sshape, one.dtype, one.slayout)
    if k.shared_left < 0:
        return False
    bar = k.barrier()
    into = region(x, one.sstart, one.stile)
    lines = [
        f"T.ptx.mbarrier.arrive.expect_tx({bar}, {bytes_of(one.tile, one.dtype)})",
        k.copy_async(
            "thread", into, region(a, one.gstart, one.tile), "tma", mbar=bar, **load_options(k, rng, one.dtype)
        ),
    ]
    depth = 0
    if loop:
        k.body.append(loop)
        depth = 1
    phase = ("(i - 1) % 2" if "(1, " in loop else "i % 2") if loop else "0"
    k.put(lines, k.one_thread(), depth)
    k.body += [
        "    " * depth + line
        for line in (
            f"T.ptx.mbarrier.try_wait({bar}, {phase})",
            k.copy("cta", region(b, one.gstart, one.tile), into),
            "T.cuda.cta_sync()",
        )
    ]
    return True


def family_tma_store(k, rng):
    """shared -> global by tensor maps, with and without arithmetic on the way."""
    k.launch(threads=rng.choice([1, 32, 64, 128, 128]))
    if k.multi:
        return False
    op, dtype = None, None
    if rng.random() < 0.3:
        op = rng.choice(["add", "add", "min", "max", *REDUCIBLE])
        dtype = rng.choice(REDUCIBLE[op])
    one = draw(k, rng, dtype)
    if one is None:
        return False
    a = k.tensor(one.tile, one.dtype)
    b = k.tensor(one.gshape, one.dtype, one.glayout, "B")
    x = k.shared(one.sshape, one.dtype, one.slayout)
    if k.shared_left < 0:
        return False
    options = {}
    if op:
        options["use_tma_reduce"] = f'"{op}"'
    if rng.random() < 0.2:
        options["cache_hint"] = hint(rng)
    if rng.random() < 0.15:
        options["prefetch_tensormap"] = "True"
    part = region(x, one.sstart, one.stile)
    k.body += [
        k.copy(k.everyone(), part, whole(rng, a, one.tile)),
        'T.ptx.fence.proxy_async("shared::cta")',
        "T.cuda.cta_sync()",
    ]
    k.put(
        [
            k.copy_async(
                "thread", region(b, one.gstart, one.gtile), part, rng.choice([None, None, "tma"]), **options
            ),
            "T.ptx.cp_async.bulk.commit_group()",
            "T.ptx.cp_async.bulk.wait_group(0)",
        ],
        k.one_thread(),
    )
    return True


def family_tma_symbolic(k, rng):
    """Tensors whose extents the host knows."""
    k.launch(threads=rng.choice([32, 128]), ctas=1)
    if k.multi:
        return False
    rows, dtype = rng.choice([16, 32, 64]), rng.choice(DTYPES)
    cols = max(1, 16 // (BITS[dtype] // 8)) * rng.choice([1, 2, 4, 8])
    k.ids[0] = rng.choice([f"bx = T.cta_id([n // {rows}])", f"bx = T.cta_id([T.ceildiv(n, {rows})])"])
    k.host.append("n = T.int32()")
    a, b = k.fresh("A"), k.fresh("B")
    k.params += [a, b]
    wide = rng.random() < 0.3  # the pitch is symbolic, too
    for t in (a, b):
        k.host.append(f'{t} = T.match_buffer({t}_ptr, (n, {"n" if wide else cols}), "{dtype}")')
    x = k.shared((rows, cols), dtype, shared_layout(rng, (rows, cols), dtype, ["none", "rows", "mma", "mma"]))
    if k.shared_left < 0:
        return False
    bar = k.barrier()
    at = (f"bx * {rows}", 0)
    k.put(
        [
            f"T.ptx.mbarrier.arrive.expect_tx({bar}, {rows * cols * BITS[dtype] // 8})",
            k.copy_async(
                "thread", x, region(a, at, (rows, cols)), "tma", mbar=bar, **load_options(k, rng, dtype)
            ),
        ],
        k.one_thread(),
    )
    k.body.append(f"T.ptx.mbarrier.try_wait({bar}, 0)")
    k.step([k.copy("cta", region(b, at, (rows, cols)), x)])
    return True
