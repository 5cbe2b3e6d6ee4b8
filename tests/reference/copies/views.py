"""Kernels that name their storage and their starts in other ways."""

from copies.kernel import DTYPES, tup
from copies.layouts import shared_layout
from copies.regions import whole


def family_views(k, rng):
    """The same storage under other shapes, names for starts, inlined calls, loops in loops, clusters."""
    kind = rng.choice(["view", "view", "permute", "local", "local", "let", "inline", "nested", "declare", "cluster"])
    k.launch(
        threads=rng.choice([32, 64, 128]) if kind != "local" else rng.choice([32, 128]),
        cluster=2 if kind == "cluster" else None,
        ctas=4 if kind == "cluster" else None,
    )
    dtype = rng.choice(DTYPES)
    scope = rng.choice([s for s in k.scopes() if s != "thread"])
    rows, cols = rng.choice([(32, 16), (16, 32), (64, 8), (32, 32), (16, 64)])
    tile = (rows, cols)
    if kind == "local":
        if k.multi:
            return False
        who, axis = ("warp", "laneid") if k.threads == 32 else ("wg", "tid_in_wg")
        n, c = k.threads, rng.choice([2, 4, 8, 16, 5])
        a, b = k.tensor((n, c), dtype), k.tensor((n, c), dtype, None, "B")
        r = k.local((n, c), dtype, f"TileLayout(S[({n}, {c}) : (1@{axis}, 1)])")
        k.step([k.copy(who, r, whole(rng, a, (n, c)))], sync=False)
        k.body.append(f"V0 = {r}.local({c})")
        lo = rng.choice([0, 0, 1])
        k.step([k.copy("thread", f"{b}[tid, {lo}:{c}]", f"V0[{lo}:{c}]")])
        return True
    if kind == "let":
        big = (rows * 4, cols)
        c, d = k.tensor(big, dtype, None, "C"), k.tensor(big, dtype, None, "D")
        x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
        k.body += [
            "for i in range(4):",
            f"    first: T.let = i * {rows}",
            "    " + k.copy(scope, whole(rng, x, tile), f"{c}[first : first + {rows}, :]"),
            "    T.cuda.cta_sync()",
            "    " + k.copy(scope, f"{d}[first : first + {rows}, :]", x),
            "    T.cuda.cta_sync()",
        ]
        return k.shared_left >= 0
    a, b = k.tensor(tile, dtype), k.tensor(tile, dtype, None, "B")
    if kind == "view":
        x = k.shared(
            tile, dtype, shared_layout(rng, tile, dtype, ["none", "rows", "compose", "swz", "ktile", "offset"])
        )
        flat = rng.choice([(rows * cols,), (cols, rows), (rows // 4, 4, cols)])
        c = k.tensor(flat, dtype, None, "C")
        k.body.append(f"V0 = {x}.view({', '.join(map(str, flat))})")
        k.step([k.copy(scope, whole(rng, x, tile), whole(rng, a, tile))])
        k.step([k.copy(scope, whole(rng, b, tile), whole(rng, x, tile)), k.copy(scope, c, "V0")])
    elif kind == "permute":
        x = k.shared(tile, dtype, shared_layout(rng, tile, dtype, ["rows", "pad", "cols", "ktile"]))
        c = k.tensor((cols, rows), dtype, None, "C")
        k.body.append(f"V0 = {x}.permute(1, 0)")
        k.step([k.copy(scope, whole(rng, x, tile), whole(rng, a, tile))])
        k.step([k.copy(scope, c, "V0"), k.copy(scope, b, x)])
    elif kind == "declare":
        x = k.shared((3, rows, cols), dtype, (None, 3 * rows * cols))
        if k.pool:
            return False
        k.body.append(
            f'V0 = T.decl_buffer({tup(tile)}, "{dtype}", data={x}.data, scope="shared", '
            f"elem_offset={rng.choice([8, 16, 64, 3])})"
        )
        k.step([k.copy(scope, "V0", whole(rng, a, tile))])
        k.step([k.copy(scope, b, "V0")])
    elif kind == "inline":
        x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
        k.body += [f"through({whole(rng, x, tile)}, {a})", "T.cuda.cta_sync()", f"through({b}, {whole(rng, x, tile)})"]
    elif kind == "nested":
        x = k.shared(tile, dtype, shared_layout(rng, tile, dtype))
        h, w = rows // 2, cols // rng.choice([1, 2, 4])
        at = f"[i * {h} : i * {h} + {h}, j * {w} : j * {w} + {w}]"
        loops = rng.choice(
            [["for i in range(2):", f"    for j in T.serial({cols // w}):"], [f"for i, j in T.grid(2, {cols // w}):"]]
        )
        pad = "    " * len(loops)
        k.body += (
            loops
            + [pad + k.copy(scope, x + at, a + at), "T.cuda.cta_sync()"]
            + loops
            + [pad + k.copy(scope, b + at, x + at)]
        )
    else:  # each CTA of a cluster its half
        x = k.shared((rows // 2, cols), dtype, shared_layout(rng, (rows // 2, cols), dtype))
        at = f"[cb * {rows // 2} : cb * {rows // 2} + {rows // 2}, :]"
        guard = rng.choice([[], [], ["cb == 0"], ["cb == 1"]])
        k.step([k.copy(scope, x, a + at)], guard)
        k.step([k.copy(scope, b + at, x)], guard)
    return k.shared_left >= 0
