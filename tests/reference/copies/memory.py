"""Families of kernels between global and shared memory."""

from copies.kernel import BITS, DTYPES, product
from copies.layouts import global_layout, shared_layout
from copies.regions import guard_for, narrowing, region, tile_shape, walk, whole, widen


def round_trip(k, rng, scope=None, kinds=None, forced=None, load=None):
    """global -> shared -> global, one region each way, possibly cut into tiles that a loop or an id walks.

    `load`: the lines that fill a region of shared memory; without it a plain copy does.
    """
    k.launch() if not hasattr(k, "threads") else None
    scope = scope or rng.choice(k.scopes())
    dtype = rng.choice(DTYPES)
    tile = tile_shape(rng, k.workers(scope), dtype, 8192)
    dim = rng.randrange(len(tile))
    walked = walk(k, scope, rng, tile[dim]) if rng.random() < 0.4 else None
    gshape, gstart = widen(rng, tile)
    sshape, sstart = widen(rng, tile) if rng.random() < 0.3 else (list(tile), [0] * len(tile))
    loop = None
    if walked:
        loop, start, c = walked
        gshape[dim], gstart[dim] = tile[dim] * c, start
        if rng.random() < 0.15 and loop:  # the same start in other words
            start = gstart[dim] = rng.choice(
                [
                    f"({start}) // {tile[dim]} * {tile[dim]}",
                    f"T.min({start}, {tile[dim] * c})",
                    f"({start}) % {tile[dim] * c}",
                ]
            )
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
    fill = load(gx, ga) if load else [k.copy(scope, gx, ga, forced)]
    if loop:
        apart = sstart[dim] == gstart[dim]
        k.step(fill, guard, loop, apart=apart)
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
        k.step(fill, guard)
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
    x = (
        k.shared(
            (lead, rows, cols) if lead else (rows, cols),
            dtype,
            shared_layout(rng, ((lead, rows, cols) if lead else (rows, cols)), dtype),
        )
        if not lead or lead * rows * cols * BITS[dtype] // 8 <= 16384
        else None
    )
    if not x or k.shared_left < 0:
        return False
    a = k.tensor((rows, cols), dtype, global_layout(rng, (rows, cols)))
    b = k.tensor((rows, cols) if rng.random() < 0.6 else (1, rows, 1, cols), dtype, None, "B")
    slot = rng.randrange(lead) if lead else None
    gx = (
        f"{x}[{slot}, :, :]"
        if lead and rng.random() < 0.5
        else (f"{x}[{slot}:{slot + 1}, 0:{rows}, 0:{cols}]" if lead else whole(rng, x, (rows, cols)))
    )
    scopes = ["cta", "wg", "warp", "thread"]
    k.step([k.copy(rng.choice(scopes[:3]), gx, whole(rng, a, (rows, cols)))])
    k.step([k.copy(rng.choice(scopes), b, gx)])
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
        k.step(
            [k.copy(rng.choice([scope, "thread"]), whole(rng, b, tile), whole(rng, a, tile))],
            guard_for(k, scope, rng) if rng.random() < 0.4 else [],
        )
        return True
    x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
    y = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
    k.step([k.copy("cta", whole(rng, x, tile), whole(rng, a, tile))])
    k.step([k.copy(scope, whole(rng, y, tile), whole(rng, x, tile))])
    k.step([k.copy("cta", whole(rng, b, tile), whole(rng, y, tile))])
    return True


def family_symbolic(k, rng):
    """A symbolic extent gives the grid; every CTA copies its tile."""
    k.launch(threads=rng.choice([32, 64, 128]), ctas=1)
    n = rng.choice([16, 32, 64])
    dtype = rng.choice(DTYPES)
    cols = rng.choice([16, 32, 64])
    k.ids[0] = rng.choice(
        [f"bx = T.cta_id([n // {n}])", f"bx = T.cta_id([(n + {n - 1}) // {n}])", f"bx = T.cta_id([T.ceildiv(n, {n})])"]
    )
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
