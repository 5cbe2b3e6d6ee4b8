"""Families of kernels that end with a refusal, or stand under conditions that leave threads out."""

from copies.kernel import BITS, DTYPES
from copies.layouts import global_layout, shared_layout
from copies.regions import region, whole


def family_refused(k, rng):
    """Ends with a call that no variant can serve."""
    kind = rng.choice(
        [
            "cluster",
            "cluster",
            "forced",
            "forced",
            "forced",
            "unknown",
            "shape",
            "dtype",
            "straddle",
            "elect",
            "fragment",
            "shape",
        ]
    )
    threads = {"straddle": rng.choice([256, 384])}.get(kind)
    k.launch(
        threads=threads or rng.choice([32, 64, 128, 256]),
        cluster=2 if kind == "cluster" and rng.random() < 0.5 else None,
        ctas=2 if kind == "cluster" else None,
    )
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
            k.step(
                [
                    k.copy(
                        "warp",
                        r,
                        f"{x}[0:{32 if tile[0] >= 32 else 16}, 0:4]",
                        rng.choice(["gmem_smem", "ldstmatrix", "fallback"]),
                    )
                ]
            )
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
    k.step(
        [k.copy(rng.choice(["thread", "cta"]), whole(rng, b, tile), whole(rng, x, tile))],
        guard if rng.random() < 0.3 else [],
    )
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
        k.body += [
            f"if {first}:",
            "    " + k.copy("thread", whole(rng, b, tile), whole(rng, x, tile)),
            "else:",
            "    " + k.copy(scope, whole(rng, b, tile), whole(rng, x, tile)),
            "T.cuda.cta_sync()",
        ]
    else:
        k.step([k.copy(scope, whole(rng, b, tile), whole(rng, x, tile))], [c])
    return True
