"""Families of kernels whose CTAs write to each other's shared memory."""

from copies.kernel import BITS, DTYPES, product
from copies.layouts import row_major, shared_layout, strides_text
from copies.regions import region

from async_copies.boxes import draw, load_options
from async_copies.kernel import bytes_of


def padded(rng, shape, dtype):
    """Rows at a pitch of whole 16 bytes."""
    unit = max(1, 128 // BITS[dtype])
    pitch = -(-(shape[-1] + unit * rng.choice([1, 2])) // unit) * unit
    strides = [s // shape[-1] * pitch for s in row_major(shape)[:-1]] + [1]
    return strides_text(shape, strides), product(shape[:-1]) * pitch


def family_dsmem(k, rng):
    """Each CTA of a pair sends a tile to the other one."""
    k.launch(threads=rng.choice([1, 32, 128, 128]), cluster=2, ctas=rng.choice([2, 4]))
    if k.multi:
        return False
    dtype = rng.choice(DTYPES)
    unit = max(1, 128 // BITS[dtype])
    tile = [rng.choice([4, 8, 16, 32, 64]), unit * rng.choice([1, 2, 4, 8])]
    if rng.random() < 0.2:
        tile.insert(0, rng.choice([2, 3]))
    if rng.random() < 0.15:
        tile[-1] = rng.choice([3, 4, 5, 12, 20])
    shape, start = list(tile), [0] * len(tile)
    if rng.random() < 0.35:
        d = rng.randrange(len(tile))
        shape[d], start[d] = tile[d] * 2, rng.choice([0, tile[d], rng.choice([4, 8])])
        start[d] = min(start[d], tile[d])
    if bytes_of(shape, dtype) > 16384:
        return False
    kind = rng.choice(["same", "same", "same", "other", "pad", "pad"])

    def some_layout():
        if kind == "pad" and rng.random() < 0.7:
            return padded(rng, shape, dtype)
        return shared_layout(rng, shape, dtype, ["none", "rows", "mma", "mma", "compose", "ktile", "cols", "random"])

    layout = some_layout()
    x = k.shared(shape, dtype, layout)
    y = k.shared(shape, dtype, layout if kind == "same" else some_layout())
    if k.shared_left < 0:
        return False
    a, b = k.tensor([2, *tile], dtype), k.tensor([2, *tile], dtype, None, "B")
    to, other = start, rng.random() < 0.1
    if other and any(s != t for s, t in zip(shape, tile)):
        to = [s - t if rng.random() < 0.5 else 0 for s, t in zip(shape, tile)]
    bar = k.barrier()
    everyone = k.everyone()
    guard = k.one_thread()
    first = region("", [0] * len(tile), tile)[1:-1]
    k.put([f"T.ptx.mbarrier.arrive.expect_tx({bar}, {bytes_of(tile, dtype)})"], guard)
    k.body += [
        k.copy(everyone, region(x, start, tile), f"{a}[cb, {first}]"),
        'T.ptx.fence.proxy_async("shared::cta")',
        "T.cuda.cluster_sync()",
    ]
    rank = rng.choice(["1 - cb", "1 - cb", "T.int32(1) - cb", "cb ^ 1"])
    options = {"mbar": bar, "remote_cta_id": rank}
    if rng.random() < 0.08:
        del options[rng.choice(list(options))]
    k.put(
        [
            k.copy_async(
                "thread", region(y, to, tile), region(x, start, tile), rng.choice([None, "dsmem", "dsmem"]), **options
            )
        ],
        guard,
    )
    k.body += [
        f"T.ptx.mbarrier.try_wait({bar}, 0)",
        k.copy(everyone, f"{b}[cb, {first}]", region(y, to, tile)),
        "T.cuda.cluster_sync()",
    ]
    return True


def family_multicast(k, rng):
    """One CTA of a cluster loads for all of them."""
    n = rng.choice([2, 2, 4])
    k.launch(threads=rng.choice([32, 128]), cluster=n, ctas=n)
    if k.multi:
        return False
    one = draw(k, rng)
    if one is None or len(one.gshape) != len(one.tile) or len(one.stile) != len(one.tile):
        return False
    a, b = k.tensor(one.gshape, one.dtype, one.glayout), k.tensor([n, *one.tile], one.dtype, None, "B")
    x = k.shared(one.sshape, one.dtype, one.slayout)
    if k.shared_left < 0:
        return False
    bar = k.barrier()
    guard = k.one_thread()
    options = load_options(k, rng, one.dtype)
    options["cta_mask"] = rng.choice([str(2**n - 1)] * 4 + ["1", "3", f"T.uint16({2**n - 1})"])
    # Who is left out of the mask must not wait.
    receivers = {"1": ["cb == 0"], "3": ["cb < 2"] if n > 2 else []}.get(options["cta_mask"], [])
    k.put([f"T.ptx.mbarrier.arrive.expect_tx({bar}, {bytes_of(one.tile, one.dtype)})"], [*receivers, *guard])
    k.body.append("T.cuda.cluster_sync()")
    k.put(
        [
            k.copy_async(
                "thread", region(x, one.sstart, one.stile), region(a, one.gstart, one.tile), "tma", mbar=bar, **options
            )
        ],
        ["cb == 0", *guard],
    )
    first = region("", [0] * len(one.tile), one.tile)[1:-1]
    k.put(
        [
            f"T.ptx.mbarrier.try_wait({bar}, 0)",
            k.copy("cta", f"{b}[cb, {first}]", region(x, one.sstart, one.stile)),
        ],
        receivers,
    )
    k.body.append("T.cuda.cluster_sync()")
    return True
