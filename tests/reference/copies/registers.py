"""Families of kernels that go through registers: rows of threads, matrix fragments."""

from copies.kernel import BITS, DTYPES, product, tup
from copies.layouts import global_layout, shared_layout, strides_text
from copies.regions import guard_for, narrowing, region, walk, whole, widen


def row_fragment(k, rng, scope, cols):
    """A register layout with one row a thread: rows, shape, layout text of a fragment of the scope."""
    if scope == "thread":
        rows = rng.choice([1, 2, 4, 8])
        shape = (rows, cols)
        return rows, shape, rng.choice([None, None, f"TileLayout(S[{tup(shape)}])", strides_text(shape, (1, rows))])
    if scope == "warp":
        rows = rng.choice([32, 32, 32, 64])
        if rows == 32:
            return (
                32,
                (32, cols),
                rng.choice(
                    [f"TileLayout(S[(32, {cols}) : (1@laneid, 1)])"] * 3
                    + [
                        (
                            f"TileLayout(S[(32, {cols}) : (4@laneid, 1)])"
                            if rng.random() < 0.3
                            else f"TileLayout(S[(32, {cols}) : (1@laneid, 1)])"
                        )
                    ]
                ),
            )
        return 64, (64, cols), f"TileLayout(S[(2, 32, {cols}) : ({cols}, 1@laneid, 1)])"
    if scope == "wg":
        x = rng.random()
        if x < 0.5:
            return 128, (128, cols), f"TileLayout(S[(128, {cols}) : (1@tid_in_wg, 1)])"
        if x < 0.8:
            return 128, (128, cols), f"TileLayout(S[(4, 32, {cols}) : (1@wid_in_wg, 1@laneid, 1)])"
        return (
            128,
            (128, cols),
            (
                f"TileLayout(S[(128, {cols}) : (1@tx, 1)])"
                if rng.random() < 0.3
                else f"TileLayout(S[(128, {cols}) : (1@tid_in_wg, 1)])"
            ),
        )
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
        loop, gstart[d], c = walk(k, scope, rng, (rows, cols)[d])
        gshape[d] = (rows, cols)[d] * c
    a = k.tensor(gshape, dtype, global_layout(rng, gshape))
    b = k.tensor(gshape, dtype, global_layout(rng, gshape), "B")
    ra = whole(rng, r, shape)
    k.step(
        [k.copy(scope, ra, region(a, gstart, (rows, cols))), k.copy(scope, region(b, gstart, (rows, cols)), ra)],
        (
            guard_for(k, scope, rng)
            if loop is None and rng.random() < 0.3 and not any(isinstance(s, str) for s in gstart)
            else []
        ),
        loop,
    )
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
    kinds = [
        "none",
        "none",
        "rows",
        "pad",
        "pad",
        "compose",
        "compose",
        "mma",
        "mma",
        "cols",
        "cols",
        "ktile",
        "random",
        "swz",
        "swz",
    ]
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
