"""Random tiles, where they lie in a buffer, who walks over them, and who is left out."""

from copies.kernel import BITS, product


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


def guard_for(k, scope, rng):
    """Conditions that leave whole instances of the scope; the copy then is the work of those."""
    t = k.threads
    if scope == "warp" and k.warps > 1:
        c = rng.randrange(k.warps)
        options = [[f"w == {c}"], [f"w >= {c}"], [f"{c} <= w", f"w < {c + 1}"], [f"w == {c} and l < 32"]]
        if t % 128 == 0:
            options += [
                [f"wg == {c // 4}", f"wi == {c % 4}"],
                [f"wg == {c // 4} and wi == {c % 4}"],
                [f"wg == {c // 4}"],
            ]
        if not k.multi:
            options += [[f"tid >= {32 * c} and tid < {32 * c + 32}"], [f"{32 * c} <= tid < {32 * c + 32}"]]
        return rng.choice(options)
    if scope == "wg" and t > 128:
        c = rng.randrange(t // 128)
        options = [
            [f"wg == {c}"],
            [f"wg >= {c}"],
            [f"w >= {4 * c} and w < {4 * c + 4}"],
            [f"{4 * c} <= w", f"w < {4 * c + 4}"],
        ]
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
        options += [
            [f"w == {c}"],
            [f"wg == {c // 4}", f"wi == {c % 4}"],
            [f"wg == {c // 4}", f"wi < {rng.choice([1, 2, 3])}"],
            [f"wg == {c // 4}", "tg >= 32 and tg < 64"],
            [f"wg == {c // 4}", "tg == 77"],
            ["l == 3"],
        ]
    else:
        options += [["l == 0"], ["l < 8"]]
        if k.warps > 1:
            c = rng.randrange(k.warps)
            options += [[f"w == {c}"], [f"w < {max(1, k.warps - 1)}"], ["w >= 1"]]
            if not k.multi:
                options += [["tid == 0"], ["32 <= tid < 64"], [f"tid >= {t - 32}"], [f"tid == {rng.randrange(t)}"]]
    return rng.choice(options)


def walk(k, scope, rng, n):
    """A way to go along a dimension in tiles of `n`: (loop or None, start as text, tiles covered)."""
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
        loop = rng.choice(
            [
                f"for i in range({c}):",
                f"for i in T.serial({c}):",
                f"for i in T.unroll({c}):",
                f"for i in range(1, {c + 1}):",
            ]
        )
        first = "(i - 1)" if "(1, " in loop else "i"
        return loop, rng.choice([f"{first} * {n}", f"{n} * {first}", f"{first} * {n}"]), c
    if way == "cta":
        return None, f"bx * {n}", k.ctas
    if way == "warp":
        return None, f"w * {n}", k.warps
    return None, f"wg * {n}", k.threads // 128
