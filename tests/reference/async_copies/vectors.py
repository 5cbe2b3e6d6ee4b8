"""Families of kernels whose loads may go by cp.async."""

from copies.kernel import DTYPES
from copies.layouts import shared_layout
from copies.memory import round_trip
from copies.regions import tile_shape, whole


def load_lines(k, rng, scope, forced=None):
    def load(dst, src):
        return [
            k.copy_async(scope, dst, src, forced),
            "T.ptx.cp_async.commit_group()",
            "T.ptx.cp_async.wait_group(0)",
        ]

    return load


def family_ldgsts(k, rng):
    """Every scope, walked regions, guards, swizzles: what cp.async takes and what it has to decline."""
    k.launch(threads=rng.choice([1, 32, 32, 64, 128, 128, 256, 96]))
    scope = rng.choice(k.scopes())
    forced = rng.choice([None] * 7 + ["ldgsts"])
    return round_trip(k, rng, scope, load=load_lines(k, rng, scope, forced))


def family_ldgsts_whole(k, rng):
    """Whole tiles whose widths and pitches cp.async likes, several in flight."""
    k.launch(threads=rng.choice([32, 64, 128, 256]))
    scope = rng.choice(k.scopes())
    dtype = rng.choice(DTYPES)
    tile = tile_shape(rng, k.workers(scope), dtype, 8192)
    stages = rng.choice([1, 2, 2, 3])
    names = []
    for _ in range(stages):
        x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
        a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
        names.append((x, a, b))
    if k.shared_left < 0:
        return False
    for x, a, _ in names:
        k.body += [k.copy_async(scope, whole(rng, x, tile), whole(rng, a, tile)), "T.ptx.cp_async.commit_group()"]
    for n, (x, _, b) in enumerate(names):
        k.body += [f"T.ptx.cp_async.wait_group({stages - 1 - n})", "T.cuda.cta_sync()"]
        k.step([k.copy(scope, whole(rng, b, tile), whole(rng, x, tile))])
    return True
