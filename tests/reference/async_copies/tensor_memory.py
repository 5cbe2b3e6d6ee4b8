"""Families of kernels with tensor memory: registers to it and back, and shared memory into it."""

from copies.kernel import BITS
from copies.regions import whole

COLUMNS = {"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8}  # 32-bit columns of one repetition
REPEATS = {"32x32b": 128, "16x64b": 128, "16x128b": 64, "16x256b": 32}


class TensorMemory:
    """Columns allocated by the first warp, buffers declared over them, and the end."""

    def __init__(self, k, columns):
        self.k, self.columns = k, columns
        self.address = k.fresh("address")
        k.body += [
            f'{self.address} = T.alloc_shared([1], "uint32")',
            "if w == 0:",
            f"    T.ptx.tcgen05.alloc(T.address_of({self.address}), n_cols={columns}, cta_group=1)",
            "T.cuda.cta_sync()",
        ]

    def buffer(self, shape, dtype, layout, column=0):
        name = self.k.fresh("M")
        where = f"{self.address}[0]" + (f" + {column}" if column else "")
        shape = f"({', '.join(map(str, shape))})"
        self.k.body.append(
            f'{name} = T.decl_buffer({shape}, "{dtype}", scope="tmem", allocated_addr={where}, layout={layout})'
        )
        return name

    def end(self):
        self.k.body += [
            "T.cuda.cta_sync()",
            "if w == 0:",
            "    T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)",
            f"    T.ptx.tcgen05.dealloc({self.address}[0], n_cols={self.columns}, cta_group=1)",
        ]


def rows_of(name, rows, lo, hi):
    return f"{name}[0:{rows}, {lo}:{hi}]"


def datapath(letter, columns):
    if letter == "D":
        return f"TileLayout(S[(128, {columns}) : (1 @ TLane, 1 @ TCol)])"
    return f"TileLayout(S[(4, 16, {columns}) : (32 @ TLane, 1 @ TLane, 1 @ TCol)])"


def by_thread(columns):
    return f"TileLayout(S[(128, {columns}) : (1@tid_in_wg, 1)])"


def family_tmem_rows(k, rng):
    """A row a thread, there and back, in one width or another."""
    k.launch(threads=rng.choice([128, 128, 256]), ctas=1)
    if k.multi:
        return False
    dtype = rng.choice(["float32", "float32", "float16", "bfloat16", "uint8", "int32", "int8", "uint16", "float64"])
    packed = max(1, 32 // BITS[dtype])
    width = packed * rng.choice([1, 2, 4, 8, 16, 32])
    if rng.random() < 0.2:
        width = rng.choice([3, 5, 12, 48, 96, 2])
    total = width * rng.choice([1, 1, 2]) + rng.choice([0, 0, packed])
    if total * BITS[dtype] // 32 > 128:
        return False
    start = rng.choice([0, 0, total - width, rng.choice([0, 1, packed])])
    start = min(start, total - width)
    a, b = k.tensor((128, width), dtype), k.tensor((128, width), dtype, None, "B")
    local = width * rng.choice([1, 1, 1, 2])
    lo = rng.choice([0, local - width])
    layout = by_thread(local) if rng.random() < 0.9 else f"TileLayout(S[(4, 32, {local}) : (1@wid_in_wg, 1@laneid, 1)])"
    out, back = k.local((128, local), dtype, layout), k.local((128, local), dtype, by_thread(local))
    memory = TensorMemory(k, 128)
    letter = "F" if rng.random() < 0.06 else "D"
    n = 64 if letter == "F" else 128
    t = memory.buffer((n, total), dtype, datapath(letter, total))
    guard = ["wg == 0"] if k.threads > 128 else []
    if rng.random() < 0.06:
        guard = ["w == 0"]
    scope = rng.choice(["wg"] * 14 + ["warp", "cta", "thread"])
    mine, there = rows_of(out, n, lo, lo + width), rows_of(t, n, start, start + width)
    again = rows_of(back, n, lo, lo + width)
    if rng.random() < 0.04:
        there = rows_of(t, 64, start, start + width)
        mine = rows_of(out, 64, lo, lo + width)
    forced = rng.choice([None] * 9 + ["tmem<->local"])
    k.put(
        [
            k.copy("wg", rows_of(out, 128, lo, lo + width), whole(rng, a, (128, width))),
            k.copy_async(scope, there, mine, forced),
            "T.ptx.tcgen05.wait.st()",
            k.copy_async("wg", again, rows_of(t, n, start, start + width), forced),
            "T.ptx.tcgen05.wait.ld()",
            k.copy("wg", whole(rng, b, (128, width)), rows_of(back, 128, lo, lo + width)),
        ],
        guard,
    )
    memory.end()
    return True


def family_tmem_fragments(k, rng):
    """Rows of threads into tensor memory, fragments of tensor-core instructions out of it and back in."""
    k.launch(threads=128, ctas=1)
    if k.multi:
        return False
    dtype = rng.choice(["float32", "float32", "float16", "bfloat16", "uint32", "int32"])
    packed = 32 // BITS[dtype]
    shape = rng.choice(["16x64b", "16x128b", "16x256b"])
    unit = COLUMNS[shape] * packed
    columns = unit * rng.choice([1, 2, 4, 8])
    if columns // packed > 64:
        return False
    rows = rng.choice([64, 128, 128])
    total = columns * rng.choice([1, 1, 2])
    a, b = k.tensor((128, total), dtype), k.tensor((128, total), dtype, None, "B")
    line, back = k.local((128, total), dtype, by_thread(total)), k.local((128, total), dtype, by_thread(total))
    frag = k.fresh("F")
    k.buffers.append(f'{frag} = T.alloc_tcgen05_ldst_frag("{shape}", ({rows}, {columns}), "{dtype}")')
    memory = TensorMemory(k, 256)
    whole_t = memory.buffer((128, total), dtype, datapath("D", total))
    letter = "F" if rows == 64 or rng.random() < 0.1 else "D"
    if letter == "F" and rng.random() < 0.15:
        letter = "D"
    part = memory.buffer((128 if letter == "D" else 64, total), dtype, datapath(letter, total))
    into = memory.buffer(
        (128 if letter == "D" else 64, total), dtype, datapath(letter, total), rng.choice([128, 128, 64])
    )
    view = memory.buffer((128, total), dtype, datapath("D", total), 128)
    w = columns
    if columns > unit and rng.random() < 0.5:
        w = rng.choice([columns // 2, columns // 2, unit, 2, columns - 1])
    w = max(1, w)
    lo = rng.choice([0, 0, columns - w])
    at = rng.choice([0, 0, total - w, rng.choice([0, packed, 1])])
    at = max(0, min(at, total - w))
    n = rows if letter == "D" and rows == 128 else 64
    if letter == "D" and rows == 64:
        n = 64
    k.body += [
        k.copy("wg", whole(rng, line, (128, total)), whole(rng, a, (128, total))),
        k.copy_async("wg", whole(rng, whole_t, (128, total)), whole(rng, line, (128, total))),
        "T.ptx.tcgen05.wait.st()",
        k.copy_async("wg", rows_of(frag, rows, lo, lo + w), rows_of(part, n, at, at + w)),
        "T.ptx.tcgen05.wait.ld()",
        k.copy_async("wg", rows_of(into, n, at, at + w), rows_of(frag, rows, lo, lo + w)),
        "T.ptx.tcgen05.wait.st()",
        k.copy_async("wg", whole(rng, back, (128, total)), whole(rng, view, (128, total))),
        "T.ptx.tcgen05.wait.ld()",
        k.copy("wg", whole(rng, b, (128, total)), whole(rng, back, (128, total))),
    ]
    memory.end()
    return True


def family_smem_tmem(k, rng):
    """Block scale factors: 32 rows of 16 bytes an instruction, to all quarters of the lanes."""
    k.launch(threads=128, ctas=1)
    if k.multi:
        return False
    dtype = rng.choice(["uint8"] * 6 + ["float8_e4m3fn", "int8", "uint16", "uint32"])
    row = 128 // BITS[dtype]
    kind = rng.choice(["plain", "plain", "swizzled", "swizzled", "rows", "tiles", "tiles", "factors", "column", "bad"])
    lanes = f"TileLayout(S[(32, {row}) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    shape, slayout, region, tshape, columns = (32, row), None, None, (32, row), row
    if kind == "swizzled":
        mode = rng.choice([1, 2, 3])
        cols = (row << mode) * rng.choice([1, 1, 2])
        shape = (rng.choice([32, 32, 64]), cols)
        slayout = f'mma_shared_layout("{dtype}", {mode}, {shape})'
        r = rng.choice([0, 0, 0, 8, 16, 4]) if shape[0] == 64 else 0
        c = rng.choice([0, 0, row << mode, row]) if cols > row << mode else rng.choice([0, 0, 0, row])
        c = min(c, cols - row)
        region = f"[{r}:{r + 32}, {c}:{c + row}]"
    elif kind == "rows":
        shape = (64, 2 * row)
        slayout = f"TileLayout(S[(8, 8, 2, {row}) : ({8 * row}, {row}, {64 * row}, 1)])"
        r = rng.choice([0, 4, 8, 1, 32])
        c = rng.choice([0, row])
        region = f"[{r}:{r + 32}, {c}:{c + row}]"
    elif kind == "tiles":
        n = rng.choice([2, 3, 4])
        shape = tshape = (n, 32, row)
        columns = n * row
        step = row * rng.choice([1, 1, 2])
        columns = n * step
        lanes = f"TileLayout(S[({n}, 32, {row}) : ({step} @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
        if rng.random() < 0.4:
            slayout = f"TileLayout(S[({n}, 32, {row}) : ({32 * row + rng.choice([0, row, 8 * row])}, {row}, 1)])"
    elif kind == "factors":
        dtype, row = "uint8", 16
        shape = tshape = (256, 16)
        columns = 32
        slayout = "TileLayout(S[(2, 4, 32, 4, 4) : (2048, 4, 16, 512, 1)])"
        lanes = (
            "TileLayout(S[(2, 4, 32, 4, 4) : (16 @ TCol, 4 @ TCol, 1 @ TLane, 32 @ TCol, 1 @ TCol)] "
            "+ R[4 : 32 @ TLane])"
        )
        columns = 128
    elif kind == "column":
        tshape = (32, 3 * row)
        columns = 3 * row
        lanes = f"TileLayout(S[(32, {columns}) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    elif kind == "bad":
        what = rng.choice(["pitch", "replica", "lanes", "width"])
        if what == "pitch":
            shape, region = (64, 4 * row), f"[0:32, 0:{row}]"
            if rng.random() < 0.5:
                slayout = f"TileLayout(S[(64, {4 * row}) : ({rng.choice([5, 6, 8, 16])} * {row}, 1)])"
                slayout = slayout.replace(" * ", "*")
        elif what == "replica":
            lanes = f"TileLayout(S[(32, {row}) : (1 @ TLane, 1 @ TCol)]{rng.choice(['', ' + R[2 : 32 @ TLane]'])})"
        elif what == "lanes":
            shape = tshape = (16, row)
            lanes = f"TileLayout(S[(16, {row}) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
        else:
            shape = tshape = (32, row // 2 or 1)
            lanes = f"TileLayout(S[(32, {row // 2 or 1}) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])"
    a = k.tensor(shape, dtype)
    span = 1
    for e in shape:
        span *= e
    x = k.shared(shape, dtype, (slayout, span * 3) if slayout else None)
    if k.shared_left < 0:
        return False
    wide = max(1, columns * BITS[dtype] // 32)
    power = 1
    while power < wide:
        power *= 2
    packed = 32 // BITS[dtype]
    b = k.tensor((128, power * packed), dtype, None, "B")
    back = k.local((128, power * packed), dtype, by_thread(power * packed))
    bar = k.barrier()
    memory = TensorMemory(k, max(32, power))
    t = memory.buffer(tshape, dtype, lanes)
    view = memory.buffer((128, power * packed), dtype, datapath("D", power * packed))
    at = t
    if kind == "column":
        c = rng.choice([0, row, 2 * row, 4, 2, 1])
        at = f"{t}[0:32, {c}:{c + row}]"
    options = {"cta_group": rng.choice([None] * 4 + ["1", "1", "3"])}
    k.body += [
        k.copy("cta", whole(rng, x, shape), whole(rng, a, shape)),
        'T.ptx.fence.proxy_async("shared::cta")',
        "T.cuda.cta_sync()",
    ]
    k.put(
        [
            k.copy_async("thread", at, x + region if region else x, rng.choice([None] * 5 + ["smem->tmem"]), **options),
            f"T.ptx.tcgen05.commit({bar}, cta_group=1)",
        ],
        k.one_thread(),
    )
    k.body += [
        f"T.ptx.mbarrier.try_wait({bar}, 0)",
        "T.ptx.tcgen05.fence.after_thread_sync()",
        k.copy_async("wg", back, view),
        "T.ptx.tcgen05.wait.ld()",
        k.copy("wg", b, back),
    ]
    memory.end()
    return True
