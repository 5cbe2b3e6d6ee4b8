"""Families of kernels that end with an asynchronous copy that nothing serves, or that a forced name rules out."""

from copies.kernel import BITS, DTYPES
from copies.layouts import shared_layout
from copies.regions import narrowing, whole

VARIANTS = ["ldgsts", "dsmem", "smem->tmem", "tma", "tmem<->local"]


def family_async_refused(k, rng):
    kind = rng.choice(
        ["forced", "forced", "forced", "unknown", "shape", "dtype", "scope", "scope", "pair", "pair", "mbar", "mbar", "oob"]
        + ["narrow", "narrow", "local", "hint", "mask", "count", "scalar", "cluster"]
    )
    k.launch(threads=rng.choice([32, 64, 128, 256]), ctas=1)
    if k.multi:
        return False
    dtype = rng.choice(DTYPES)
    tile = rng.choice([(32, 32), (64, 16), (16, 64), (32, 8)])
    if BITS[dtype] == 64 and tile == (32, 32):
        tile = (32, 8)
    a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
    x = k.shared(tile, dtype, shared_layout(rng, tile, dtype, ["none", "rows", "mma", "compose", "pad"]))
    scope = rng.choice([s for s in k.scopes() if s != "thread"])
    into, out = (whole(rng, x, tile), whole(rng, a, tile)), (whole(rng, b, tile), whole(rng, x, tile))
    bar = k.barrier()
    guard, options = ["tid == 0"], {}
    last = None
    if kind == "forced":
        forced = rng.choice(VARIANTS)
        where = rng.choice([scope, "thread"])
        pair = rng.choice([into, out])
        last = (where, pair, forced)
        options = rng.choice([{}, {"mbar": bar}, {"mbar": bar, "remote_cta_id": "0"}])
        if forced == "tma" and where == "thread" and pair is into and options:
            options["cta_group"] = "1"
    elif kind == "unknown":
        last = (scope, into, rng.choice(["cp_async", "bulk", "gmem_smem", "TMA", "tma_g2s", "tmem->local"]))
    elif kind == "shape":
        n = rng.choice([(8, tile[1]), (tile[0], 4), (tile[0] // 2, tile[1])])
        last = (rng.choice([scope, "thread"]), (into[0], f"{a}[0:{n[0]}, 0:{n[1]}]"), None)
    elif kind == "dtype":
        other = rng.choice([d for d in BITS if d != dtype])
        c = k.tensor(tile, other, None, "C")
        last = (rng.choice([scope, "thread"]), (into[0], whole(rng, c, tile)), None)
    elif kind == "scope":  # out again by all threads
        last = (scope, out, rng.choice([None, None, "tma"]))
    elif kind == "pair":
        c = k.tensor(tile, dtype, None, "C")
        y = k.shared(tile, dtype, shared_layout(rng, tile, dtype, ["none", "rows"]))
        pair = rng.choice([(whole(rng, b, tile), whole(rng, c, tile)), (whole(rng, y, tile), whole(rng, x, tile))])
        last = (rng.choice([scope, "thread"]), pair, None)
    elif kind == "mbar":
        last = ("thread", into, "tma")
        options = {} if k.blackwell() else {"cta_group": "1"}
    elif kind in ("oob", "hint", "mask"):
        last = ("thread", into, "tma")
        options = {"mbar": bar, "cta_group": "1"}
        if kind == "oob":
            options["oob"] = rng.choice(['"ones"', '"nan"', '"NaN"', '""'])
        elif kind == "hint":
            options["cache_hint"] = rng.choice(['"evict_last_use"', '"evict_never"'])
        else:
            last, options = ("thread", out, None), {"cta_mask": rng.choice(["1", "3"])}
    elif kind == "narrow":
        guard = narrowing(k, scope, rng)
        last = (scope, into, None)
    elif kind == "local":
        r = k.local((32, 4), dtype, "TileLayout(S[(32, 4) : (1@laneid, 1)])")
        part = f"{x}[0:{min(32, tile[0])}, 0:4]"
        if tile[0] < 32:
            part = f"{x}[0:16, 0:4]"
        last = (rng.choice(["warp", "wg"]) if k.threads >= 128 else "warp", (r, part), None)
    elif kind == "count":
        c = k.tensor((9, 11), dtype, None, "C")
        y = k.shared((9, 11), dtype)
        last = (rng.choice([scope, "thread"]), (y, c), None)
    elif kind == "scalar":  # elements too narrow for cp.async
        dtype = rng.choice(["uint8", "float16"])
        c = k.tensor((32, 40), dtype, None, "C")
        y = k.shared((32, 16), dtype)
        lo = rng.choice([1, 3, 5])
        last = (scope, (y, f"{c}[0:32, {lo}:{lo + 16}]"), None)
    else:
        last = ("cluster", rng.choice([into, out]), None)
    if k.shared_left < 0:
        return False
    where, pair, forced = last
    k.step([k.copy("cta", *into)])
    if kind == "narrow" or where == "thread":
        k.put([k.copy_async(where, *pair, forced, **options)], guard)
    else:
        k.body.append(k.copy_async(where, *pair, forced, **options))
    k.body.append("T.cuda.cta_sync()")
    return True


def family_no_options(k, rng):
    """A load by one thread that was not forced: cp.async wins, whatever barrier is named."""
    k.launch(threads=rng.choice([32, 128]), ctas=1)
    if k.multi:
        return False
    dtype = rng.choice(DTYPES)
    tile = rng.choice([(8, 16), (16, 32), (4, 64), (5, 16), (8, 20), (3, 7)])
    a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
    x = k.shared(tile, dtype, shared_layout(rng, tile, dtype, ["none", "rows", "pad", "compose", "cols"]))
    bar = k.barrier()
    options = {"mbar": bar} if rng.random() < 0.6 else {}
    if options and rng.random() < 0.8:
        options["cta_group"] = "1"
    if options and rng.random() < 0.3:
        options["cache_hint"] = '"evict_first"'
    k.put(
        [
            k.copy_async("thread", whole(rng, x, tile), whole(rng, a, tile), None, **options),
            "T.ptx.cp_async.commit_group()",
            "T.ptx.cp_async.wait_group(0)",
        ],
        k.one_thread(),
    )
    k.body.append("T.cuda.cta_sync()")
    k.step([k.copy("cta", whole(rng, b, tile), whole(rng, x, tile))])
    return k.shared_left >= 0
