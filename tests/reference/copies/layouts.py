"""Random layouts of shared and global buffers, as script text."""

from copies.kernel import BITS, product, tup


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
    kind = rng.choice(
        kinds
        or [
            "none",
            "none",
            "rows",
            "rows",
            "pad",
            "pad",
            "cols",
            "ktile",
            "blocks",
            "swz",
            "swz",
            "compose",
            "compose",
            "compose",
            "mma",
            "mma",
            "random",
            "random",
            "offset",
        ]
    )
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
        strides = strides[: len(shape)][::-1]
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
