"""Families of gemm_async by tcgen05: a whole kernel each, from global memory and back, so that it can be run.

Threads write A and B into swizzled shared memory element by element, one thread (or a warp) starts the products, a commit
tells of their end, and every thread reads its lane of tensor memory. Scale factors are written into tensor memory by all
four warps, as the unit reads them. Kernels of a pair have two CTAs, each with its half of the rows.
"""

from products.kernel import Kernel

BITS = {"float16": 16, "bfloat16": 16, "float8_e4m3fn": 8, "float4_e2m1fn": 4, "float32": 32, "int8": 8, "float8_e5m2": 8}
STEP = {"float16": 16, "bfloat16": 16, "float8_e4m3fn": 32, "float4_e2m1fn": 64}
MODES = {128: 3, 64: 2, 32: 1}


def groups(rows, columns, w):
    """Iters (extent, stride) of mma_shared_layout, rows and columns apart."""
    return [(rows, w)], [(columns // w, rows * w), (w, 1)] if columns > w else [(w, 1)]


class Shared:
    """A tile of shared memory. `rows`, `columns`: as the call sees them; `exchanged`: stored for the exchanged shape."""

    def __init__(self, name, dtype, rows, columns, span, exchanged=False, stages=1):
        self.name, self.dtype, self.rows, self.columns, self.stages = name, dtype, rows, columns, stages
        self.w = span * 8 // BITS[dtype]
        self.span, self.exchanged = span, exchanged

    def fits(self):
        r, c = (self.columns, self.rows) if self.exchanged else (self.rows, self.columns)
        return r % 8 == 0 and c % self.w == 0

    def layout(self):
        r, c = (self.columns, self.rows) if self.exchanged else (self.rows, self.columns)
        outer, inner = groups(r, c, self.w)
        digits = [(self.stages, r * c)] * (self.stages > 1) + (inner + outer if self.exchanged else outer + inner)
        unit = {16: 3, 8: 4, 4: 5}[BITS[self.dtype]]
        extents, strides = (", ".join(str(x[i]) for x in digits) for i in (0, 1))
        return f"ComposeLayout(SwizzleLayout({unit}, {MODES[self.span]}, 3), TileLayout(S[({extents}) : ({strides})]))"

    def declare(self):
        shape = f"({self.stages}, {self.rows}, {self.columns})" if self.stages > 1 else f"({self.rows}, {self.columns})"
        return f'{self.name} = pool.alloc({shape}, "{self.dtype}", align=1024, layout={self.layout()})'

    def element(self, stage, row, column):
        return f"{self.name}[{stage}, {row}, {column}]" if self.stages > 1 else f"{self.name}[{row}, {column}]"

    def region(self, stage, rows, columns):
        text = f"{rows[0]}:{rows[0] + rows[1]}, {columns[0]}:{columns[0] + columns[1]}"
        return f"{self.name}[{stage}, {text}]" if self.stages > 1 else f"{self.name}[{text}]"

    def fill(self, stage, source, row_of, column_of):
        """All threads write what they find in global memory."""
        count = self.rows * self.columns
        return [f"for i in T.serial({count // 128}):",
                f"    r = T.meta_var((i * 128 + tid) // {self.columns})", f"    c = T.meta_var((i * 128 + tid) % {self.columns})",
                f"    {self.element(stage, 'r', 'c')} = {source}[{row_of}, {column_of}]"]


class Product(Kernel):
    """The frame around the products: launch, memory, barriers, and the way back."""

    def __init__(self, name, family, rng):
        super().__init__(name, family)
        self.rng, self.pair = rng, 1
        self.allocates = True  # tensor memory
        self.columns = 512
        self.shared = []
        self.scope = rng.choice(["thread", "thread", "warp"])

    def begin(self, extra=()):
        g = self.pair
        if g == 2:
            self.ids.append("rank = T.cta_id_in_cluster([2])")
        self.ids += [f"T.cta_id([{g}])", "warp = T.warp_id([4])", "T.warpgroup_id([1])", "lane = T.lane_id([32])",
                     "tid = T.thread_id([128])"]
        self.add("pool = T.SMEMPool()", *(s.declare() for s in self.shared), *extra,
                 'done = pool.alloc((1,), "uint64", align=8)', 'address = pool.alloc((1,), "uint32", align=4)', "pool.commit()")
        if self.allocates:
            self.add("if warp == 0:", f"    T.ptx.tcgen05.alloc(T.address_of(address), n_cols=512, cta_group={g})")
        self.add("if tid == 0:", "    T.ptx.mbarrier.init(done.ptr_to([0]), 1)", "    T.ptx.fence.mbarrier_init()")

    def meet(self):
        return "T.cuda.cluster_sync()" if self.pair == 2 else "T.cuda.cta_sync()"

    def tensor_memory(self, name, shape, dtype, layout, column):
        where = "address[0]" + (f" + {column}" if column else "")
        return f'{name} = T.decl_buffer(({", ".join(map(str, shape))}), "{dtype}", scope="tmem", allocated_addr={where}, layout={layout})'

    def issue(self, calls):
        """The products, then the commit, by one thread or by one elected lane of a warp."""
        r, g = self.rng, self.pair
        commit = "T.ptx.tcgen05.commit(done.ptr_to([0])" + (", cta_group=2, cta_mask=3)" if g == 2 else ")")
        self.add('T.ptx.fence.proxy_async("shared::cta")', "T.ptx.tcgen05.fence.before_thread_sync()", self.meet(),
                 "T.ptx.tcgen05.fence.after_thread_sync()")
        depth = ""
        if g == 2:
            self.add("if rank == 0:")
            depth = "    "
        if self.scope == "warp":
            self.add(depth + f"if warp == {r.choice([0, 1, 3])}:", *(depth + "    Tx.warp." + c for c in calls),
                     depth + "    if T.ptx.elect_sync():", depth + "        " + commit)
        else:
            self.add(depth + f"if tid == {r.choice([0, 0, 37, 96])}:", *(depth + "    Tx." + c for c in calls), depth + "    " + commit)
        self.add("T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)", "T.ptx.tcgen05.fence.after_thread_sync()")

    def give_back(self, n, path, column):
        """Every thread writes its lane of C to D."""
        self.add('word = T.alloc_local((8,), "float32")')
        per_lane = n // 2 if path == "halves" else n
        row, first, who = {"D": ("tid", "0", None), "F": ("warp * 16 + lane", "0", "lane < 16"),
                           "halves": ("tid % 64", f"tid // 64 * {n // 2}", None)}[path]
        rows = {"D": 128, "F": 64, "halves": 64}[path]
        row = f"rank * {rows} + {row}" if self.pair == 2 else row
        self.add(f"for i in T.unroll({per_lane // 8}):",
                 "    T.ptx.tcgen05.ld(address[0] + T.cast(warp, \"uint32\") * T.uint32(2097152) + T.cast(i * 8, \"uint32\")"
                 + (f" + T.uint32({column})" if column else "")
                 + ', word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7], shape="32x32b", num=8)',
                 "    T.ptx.tcgen05.wait.ld()")
        depth = "    "
        if who:
            self.add(f"    if {who}:")
            depth += "    "
        self.add(depth + "for j in T.unroll(8):", depth + f"    D[{row}, {first} + i * 8 + j] = word[j]")
        self.add("T.ptx.tcgen05.fence.before_thread_sync()", self.meet(), "if warp == 0:",
                 f"    T.ptx.tcgen05.relinquish_alloc_permit(cta_group={self.pair})",
                 f"    T.ptx.tcgen05.dealloc(address[0], n_cols=512, cta_group={self.pair})")


def datapath(path, n):
    return {"D": f"TileLayout(S[(128, {n}) : (1 @ TLane, 1 @ TCol)])",
            "F": f"TileLayout(S[(4, 16, {n}) : (32 @ TLane, 1 @ TLane, 1 @ TCol)])",
            "halves": f"TileLayout(S[(64, 2, {n // 2}) : (1 @ TLane, 64 @ TLane, 1 @ TCol)])"}[path]


def call(a, b, c, t_a, t_b, accum, group, scales=(), forced=False):
    words = [c, a, b, *scales] + ["transA=True"] * t_a + ["transB=True"] * t_b
    if accum is not None:
        words.append(f"accum={accum}")
    if forced:
        words.append('dispatch="tcgen05"')
    if group is not None:
        words.append(f"cta_group={group}")
    return f"gemm_async({', '.join(words)})"


class Dense:
    """Draws of a dense product: extents, storage, parts of K, where C lies."""

    def __init__(self, rng, pair=None):
        r = rng
        self.group = pair or r.choice([1, 1, 1, 2])
        self.dtype = r.choice(["float16", "float16", "bfloat16"])
        self.m = r.choice([128, 128, 128, 64])
        if self.group == 2:
            self.n = r.choice([32, 64, 64, 96, 128, 128, 160, 256])
        elif self.m == 64:
            self.n = r.choice([8, 16, 24, 40, 64, 64, 72, 128])
        else:
            self.n = r.choice([16, 32, 48, 64, 64, 80, 128, 128, 144, 192, 256, 320, 384, 448])
        self.k = r.choice([16, 32, 48, 64, 64, 96, 128, 128, 192])
        self.path = "halves" if self.m == 64 and self.group == 2 else "F" if self.m == 64 else "D"
        self.t_a, self.t_b = r.random() < 0.3, r.random() < 0.35
        self.column = r.choice([0, 0, 0, 32, 64]) if self.n <= 256 else 0
        self.stages, self.stage = r.choice([(1, 0), (1, 0), (2, 1), (3, 2), (3, 1)])

    def shared(self, rng, name, mn, transposed):
        """A tile that the extents allow, in a storage that is drawn; None: there is none."""
        rows, columns = (self.k, mn) if transposed else (mn, self.k)
        options = [Shared(name, self.dtype, rows, columns, span, exchanged, self.stages)
                   for span in MODES for exchanged in (False, False, False, True)]
        options = [o for o in options if o.fits()]
        return rng.choice(options) if options else None


def parts_of_k(rng, k, step):
    """K in one call, or cut into two of them."""
    if k > step and rng.random() < 0.35:
        cut = rng.randrange(1, k // step) * step
        return [(0, cut), (cut, k - cut)]
    return [(0, k)]


def region_of(tile, stage, mn, k, transposed):
    return tile.region(stage, k, mn) if transposed else tile.region(stage, mn, k)


def family_dense(k, rng):
    """One tile, or several of N, in one or two calls."""
    p = Dense(rng)
    g = k.pair = p.group
    a, b = p.shared(rng, "A_smem", p.m, p.t_a), p.shared(rng, "B_smem", p.n // g, p.t_b)
    if not a or not b or (a.rows * a.columns + b.rows * b.columns) * p.stages * 2 > 200 * 1024:
        return False
    k.shared = [a, b]
    a_shape = (p.k, p.m * g) if p.t_a else (p.m * g, p.k)
    b_shape = (p.k, p.n) if p.t_b else (p.n, p.k)
    k.tensor("A", a_shape, p.dtype)
    k.tensor("B", b_shape, p.dtype)
    k.tensor("D", (p.m * g, p.n), "float32")
    k.begin()
    own = lambda name, extent: f"{name} + rank * {extent}" if g == 2 else name  # noqa: E731
    k.add(*a.fill(p.stage, "A", *(("r", own("c", p.m)) if p.t_a else (own("r", p.m), "c"))))
    k.add(*b.fill(p.stage, "B", *(("r", own("c", p.n // 2)) if p.t_b else (own("r", p.n // 2), "c"))))
    width = p.n + p.column
    k.add(k.tensor_memory("C", (p.m, width), "float32", datapath(p.path, width) if p.path != "halves" else datapath("halves", p.n), 0)
          if p.path != "halves" else k.tensor_memory("C", (64, p.n), "float32", datapath("halves", p.n), p.column))
    first = p.column if p.path != "halves" else 0
    calls = []
    for at, extent in parts_of_k(rng, p.k, 16):
        accum = rng.choice([None, "False"]) if at == 0 else rng.choice(["True", "T.bool(True)"])
        group = rng.choice([None, 1]) if g == 1 else 2
        calls.append(call(region_of(a, p.stage, (0, p.m), (at, extent), p.t_a),
                          region_of(b, p.stage, (0, p.n // g), (at, extent), p.t_b),
                          f"C[0:{p.m}, {first}:{first + p.n}]", p.t_a, p.t_b, accum, group, forced=rng.random() < 0.3))
    k.issue(calls)
    k.give_back(p.n, p.path, p.column)
    k.reference = (f'plain({a_shape}, {b_shape}, {(p.m * g, p.n)}, "{p.dtype}", {p.t_a}, {not p.t_b}, (0, 0), (0, 0), (0, 0), '
                   f"({p.m * g}, {p.n}, {p.k}), False, False)")
    return True


def family_tensor_a(k, rng):
    """A in tensor memory, two elements a cell, each row written by the thread of its lane."""
    p = Dense(rng, 1)
    p.m, p.path, p.t_a, p.stages, p.stage = 128, "D", False, 1, 0
    p.n = rng.choice([16, 64, 128, 192])
    whole = p.k + rng.choice([0, 0, 32])
    start = whole - p.k
    b = p.shared(rng, "B_smem", p.n, p.t_b)
    if not b:
        return False
    k.shared = [b]
    b_shape = (p.k, p.n) if p.t_b else (p.n, p.k)
    k.tensor("A", (128, p.k), p.dtype)
    k.tensor("B", b_shape, p.dtype)
    k.tensor("D", (128, p.n), "float32")
    k.begin()
    k.add(*b.fill(0, "B", "r", "c"), k.meet(), 'two = T.alloc_local((2,), "uint16")', 'packed = T.alloc_local((1,), "uint32")',
          f"for i in T.serial({p.k // 2}):", '    two[0] = T.reinterpret("uint16", A[tid, i * 2])',
          '    two[1] = T.reinterpret("uint16", A[tid, i * 2 + 1])',
          '    packed[0] = T.cast(two[0], "uint32") | (T.cast(two[1], "uint32") << T.uint32(16))',
          f'    T.ptx.tcgen05.st(address[0] + T.cast(warp, "uint32") * T.uint32(2097152) + T.cast(i, "uint32") + T.uint32({256 + start // 2}), '
          'packed[0], shape="32x32b", num=1)', "T.ptx.tcgen05.wait.st()",
          k.tensor_memory("A_tmem", (128, whole), p.dtype, datapath("D", whole), 256),
          k.tensor_memory("C", (128, p.n), "float32", datapath("D", p.n), 0))
    calls = [call(f"A_tmem[0:128, {start + at}:{start + at + extent}]", region_of(b, 0, (0, p.n), (at, extent), p.t_b),
                  f"C[0:128, 0:{p.n}]", False, p.t_b, "False" if at == 0 else "True", rng.choice([None, 1]))
             for at, extent in parts_of_k(rng, p.k, 16)]
    k.issue(calls)
    k.give_back(p.n, "D", 0)
    k.reference = (f'plain((128, {p.k}), {b_shape}, (128, {p.n}), "{p.dtype}", False, {not p.t_b}, (0, 0), (0, 0), (0, 0), '
                   f"(128, {p.n}, {p.k}), False, False)")
    return True


class Scaled:
    FORMATS = [("float8_e4m3fn", "float8_e8m0fnu", 1), ("float4_e2m1fn", "float8_e8m0fnu", 2), ("float4_e2m1fn", "float8_e4m3fn", 4)]

    def __init__(self, rng):
        r = rng
        self.group = r.choice([1, 1, 1, 2])
        self.dtype, self.scale, self.q = r.choice(self.FORMATS)
        self.m, self.step = 128, STEP[self.dtype]
        self.n = r.choice([32, 64, 64, 96, 128, 128, 192, 256])
        if self.group == 1 and r.random() < 0.1:
            self.n = r.choice([320, 384])
        self.steps = r.choice([1, 2, 2, 4, 4, 8]) if self.q == 1 else r.choice([1, 2, 2, 4])
        self.k = self.steps * self.step
        self.span = {1: 32, 2: 64}.get(self.steps, 128)
        self.bytes = self.k * BITS[self.dtype] // 8

    def layout(self, rows):
        """sf_tmem_layout of these rows; groups of K that share a column come first."""
        m, groups = rows // 32, self.steps
        share = min(4 // self.q, groups & -groups)
        digits = [(m, "4 @ TCol"), (32, "1 @ TLane")]
        if groups // share > 1:
            digits.append((groups // share, f"{4 * m} @ TCol"))
        if share > 1:
            digits.append((share, f"{self.q} @ TCol"))
        if self.q > 1:
            digits.append((self.q, "1 @ TCol"))
        if groups == 1 and self.q == 1:
            digits.append((1, "1 @ TCol"))
        extents, strides = ", ".join(str(d[0]) for d in digits), ", ".join(d[1] for d in digits)
        return f"TileLayout(S[({extents}) : ({strides})] + R[4 : 32 @ TLane])", share


def write_scales(name, rows, p, share, column, own):
    """Each lane of each warp writes the cells that it has."""
    groups = p.steps // share
    columns = rows // 32 * groups
    held = share * p.q
    byte = f"T.cast({name}[{own}c % {rows // 32} * 32 + lane, c // {rows // 32} * {held} + j], \"uint32\")"
    return [f"for c in T.serial({columns}):", "    packed[0] = T.uint32(0)", f"    for j in T.unroll({held}):",
            f"        packed[0] = packed[0] | ({byte} << T.cast(8 * j, \"uint32\"))",
            f'    T.ptx.tcgen05.st(address[0] + T.cast(warp, "uint32") * T.uint32(2097152) + T.cast(c, "uint32") + T.uint32({column}), '
            'packed[0], shape="32x32b", num=1)']


def family_scaled(k, rng):
    """Block-scaled formats, data and scales as bytes whose values the plain kernel works out by itself."""
    p = Scaled(rng)
    g = k.pair = p.group
    if p.n // g % 8:
        return False
    wide = 2 if p.dtype == "float4_e2m1fn" else 1
    a, b = (Shared(f"{x}_bytes", "float8_e4m3fn", rows, p.bytes, p.span) for x, rows in (("A", p.m), ("B", p.n // g)))
    for s in (a, b):
        s.declared = s.declare().replace('"float8_e4m3fn"', '"uint8"')
    if not a.fits() or not b.fits():
        return False
    factors = p.steps * p.q
    for name, shape in (("A", (p.m * g, p.bytes)), ("B", (p.n, p.bytes)), ("SA", (p.m * g, factors)), ("SB", (p.n, factors))):
        k.tensor(name, shape, "uint8")
    k.tensor("D", (p.m * g, p.n), "float32")
    k.begin(extra=[a.declared, b.declared])
    mask = "T.uint8(159)" if p.dtype == "float8_e4m3fn" else "T.uint8(255)"  # small exponents: every sum is exact
    for s, source, rows in ((a, "A", p.m), (b, "B", p.n // 2)):
        lines = s.fill(0, source, f"r + rank * {rows}" if g == 2 else "r", "c")
        k.add(*lines[:-1], lines[-1] + f" & {mask}")
    a_layout, share = p.layout(p.m)
    b_layout, _ = p.layout(p.n)
    first, second = 400, 440
    k.add(k.meet(), 'packed = T.alloc_local((1,), "uint32")')
    # Factors of 1/2 and 1, as an 8-bit exponent or as an e4m3 without a mantissa.
    scaled = "((X & T.uint8(1)) + T.uint8(126))" if p.scale == "float8_e8m0fnu" else "(((X & T.uint8(1)) + T.uint8(6)) << T.uint8(3))"
    for name, rows, column, own in (("SA", p.m, first, f"rank * {p.m} + " if g == 2 else ""), ("SB", p.n, second, "")):
        for line in write_scales(name, rows, p, share, column, own):
            if f"T.cast({name}[" in line:
                at = line.index(f"{name}[")
                end = line.index("]", at) + 1
                line = line[:at] + scaled.replace("X", line[at:end]) + line[end:]
            k.add(line)
    k.add("T.ptx.tcgen05.wait.st()")
    for s, name in ((a, "A_smem"), (b, "B_smem")):
        k.add(f'{name} = {s.name}.view("{p.dtype}")')
    k.add(k.tensor_memory("SFA", (p.m, factors), p.scale, a_layout, first),
          k.tensor_memory("SFB", (p.n, factors), p.scale, b_layout, second),
          k.tensor_memory("C", (128, p.n), "float32", datapath("D", p.n), 0))
    parts = parts_of_k(rng, p.k, p.step)
    calls = []
    for at, extent in parts:
        sf = (at // p.step * p.q, extent // p.step * p.q)
        scales = (f"SFA=SFA[0:{p.m}, {sf[0]}:{sf[0] + sf[1]}]", f"SFB=SFB[0:{p.n}, {sf[0]}:{sf[0] + sf[1]}]")
        calls.append(call(f"A_smem[0:{p.m}, {at}:{at + extent}]", f"B_smem[0:{p.n // g}, {at}:{at + extent}]", f"C[0:128, 0:{p.n}]",
                          False, False, "False" if at == 0 else "True", rng.choice([None, 1]) if g == 1 else 2, scales))
    k.issue(calls)
    k.give_back(p.n, "D", 0)
    k.reference = f"scaled({p.m * g}, {p.n}, {p.bytes}, {factors}, {p.step // p.q}, {wide})"
    return True


FAMILIES = [(family_dense, 48), (family_tensor_a, 10), (family_scaled, 22)]


def make(rng, index):
    choices = [f for f, weight in FAMILIES for _ in range(weight)]
    while True:
        family = rng.choice(choices)
        k = Product(f"gemm_async_{index:04d}", family.__name__.removeprefix("family_"), rng)
        if family(k, rng):
            return k
