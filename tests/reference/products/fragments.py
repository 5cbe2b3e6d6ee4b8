"""gemm in registers: fragments of mma.sync in every order of tiles, warps and registers.

A dimension is a list of digits, outermost first; a digit is (extent, stride, axis), the axis "m" for registers, else the
thread axis. Tensors in global memory are read and written element by element through `.local()`, whose index counts the
registers in the order of the digits, so that nothing here depends on how a copy would place them.
"""

from products.kernel import Kernel

THREADS = {"laneid": "lane", "tx": "tid", "tid_in_wg": "tg"}


def total(digits):
    n = 1
    for extent, _, _ in digits:
        n *= extent
    return n


class Tile:
    """A register tile of two dimensions; `strides` of its registers are drawn, but for the pairs that share a word."""

    def __init__(self, rng, name, dtype, rows, columns):
        self.name, self.dtype = name, dtype
        self.rows, self.columns = self.placed(rng, rows, columns)

    def placed(self, rng, rows, columns):
        free = [(d, i) for d, digits in enumerate((rows, columns)) for i, (e, s, axis) in enumerate(digits)
                if axis == "m" and s is None]
        rng.shuffle(free)
        step = 2 if any(s == 1 and axis == "m" for digits in (rows, columns) for _, s, axis in digits) else 1
        out = [list(rows), list(columns)]
        for d, i in free:
            extent, _, axis = out[d][i]
            out[d][i] = (extent, step, axis)
            step *= extent
        return out

    def layout(self):
        digits = self.rows + self.columns
        extents = ", ".join(str(e) for e, _, _ in digits)
        strides = ", ".join(str(s) if axis == "m" else f"{s} @ {axis}" for _, s, axis in digits)
        return f"TileLayout(S[({extents}) : ({strides})])"

    def shape(self):
        return total(self.rows), total(self.columns)

    def registers(self):
        return total([d for d in self.rows + self.columns if d[2] == "m"])

    def declare(self, layout=None):
        r, c = self.shape()
        return f'{self.name} = T.alloc_buffer(({r}, {c}), "{self.dtype}", scope="local", layout={layout or self.layout()})'

    def each(self, line):
        """Loops over this thread's elements; `line` with {register}, {row}, {column}."""
        loops, names, index = [], [], []
        at = {"row": [], "column": []}
        for where, digits in (("row", self.rows), ("column", self.columns)):
            weight = total(digits)
            for extent, stride, axis in digits:
                weight //= extent
                if axis == "m":
                    name = "ijpqruvw"[len(names)]
                    names.append(name)
                    loops.append(extent)
                    index.append((name, extent))
                    digit = name
                else:
                    digit = f"{THREADS[axis]} // {stride} % {extent}" if stride != 1 else f"{THREADS[axis]} % {extent}"
                at[where].append(f"{digit} * {weight}" if weight != 1 else digit)
        register, weight = [], 1
        for name, extent in reversed(index):
            register.insert(0, f"{name} * {weight}" if weight != 1 else name)
            weight *= extent
        if not names:
            return [line.format(register="0", row=" + ".join(at["row"]), column=" + ".join(at["column"]))]
        head = f"for {', '.join(names)} in T.grid({', '.join(map(str, loops))}):"
        return [head, "    " + line.format(register=" + ".join(register), row=" + ".join(at["row"]),
                                           column=" + ".join(at["column"]))]

    def local(self):
        return f"{self.name}_mine = {self.name}.local({self.registers()})"


def interleave(rng, outer, digits):
    """The outer digits, in an order that is drawn, before the fragment's own."""
    outer = [d for d in outer if d[0] > 1]
    rng.shuffle(outer)
    return outer + digits


class Shapes:
    """Tiles, warps and digits of one product, the same digits of a dimension for all operands."""

    def __init__(self, rng, scope=None):
        r = self.rng = rng
        self.scope = scope or r.choice(["warp", "warp", "warp", "wg", "cta", "cta"])
        self.threads = {"warp": 32, "wg": 128}.get(self.scope) or r.choice([64, 128, 256])
        self.axis = {"warp": "laneid", "wg": "tid_in_wg", "cta": "tx"}[self.scope]
        self.warps = self.threads // 32
        self.warps_m = r.choice([w for w in (1, 2, 4, 8) if w <= self.warps and self.warps % w == 0])
        self.warps_n = self.warps // self.warps_m
        self.tiles_m, self.tiles_n = r.choice([1, 1, 2]), r.choice([1, 1, 2, 3])
        self.eights = r.choice([1, 2, 2, 2, 3, 4, 4, 6])
        self.dtype = r.choice(["float16", "float16", "bfloat16"])
        outer_m = [(self.warps_m, "w"), (self.tiles_m, "t")]
        outer_n = [(self.warps_n, "w"), (self.tiles_n, "t")]
        r.shuffle(outer_m)
        r.shuffle(outer_n)
        self.outer = {"M": [o for o in outer_m if o[0] > 1], "N": [o for o in outer_n if o[0] > 1]}
        # K: chunks of eight as (lanes, pairs); or all chunks inside the lanes, the same in A and B.
        self.k_inside = self.eights % 2 == 0 and r.random() < 0.15

    def warp_stride(self, dim):
        # Warps along N are the neighbours; those along M are as many apart.
        return 32 if dim == "N" else 32 * self.warps_n

    def outer_digits(self, dim):
        return [(n, self.warp_stride(dim) if kind == "w" else None, self.axis if kind == "w" else "m")
                for n, kind in self.outer[dim]]

    def rows(self, lanes_axis=None):
        return self.outer_digits("M") + [(2, None, "m"), (8, 4, lanes_axis or self.axis)]

    def depth(self):
        if self.k_inside:
            return [(4, 1, self.axis), (self.eights, None, "m"), (2, 1, "m")]
        return ([(self.eights, None, "m")] if self.eights > 1 else []) + [(4, 1, self.axis), (2, 1, "m")]

    def d(self, name="d"):
        return Tile(self.rng, name, "float32", self.rows(), self.outer_digits("N") + [(4, 1, self.axis), (2, 1, "m")])

    def a(self, transposed):
        pair = (self.depth(), self.rows()) if transposed else (self.rows(), self.depth())
        return Tile(self.rng, "a", self.dtype, *pair)

    def b(self, transposed):
        across = self.outer_digits("N") + [(8, 4, self.axis)]
        pair = (across, self.depth()) if transposed else (self.depth(), across)
        return Tile(self.rng, "b", self.dtype, *pair)


def launch(k, threads):
    """Threads, in whole warps, or fewer or more; or the name of their number."""
    k.ids.append("T.cta_id([1])")
    known = isinstance(threads, int)
    if known and threads % 32 == 0:
        k.ids += [f"T.warp_id([{threads // 32}])", "lane = T.lane_id([32])"]
    if known and threads % 128 == 0:
        k.ids += [f"T.warpgroup_id([{threads // 128}])", "tg = T.thread_id_in_wg([128])"]
    k.ids.append(f"tid = T.thread_id([{threads}])")


def window(rng, digits, unit):
    """(start, extent) of a part of a dimension: whole tiles in registers, behind which no threads are left out."""
    n = total(digits)
    if digits[0][2] != "m" or digits[0][0] < 2 or n // digits[0][0] % unit or rng.random() < 0.5:
        return 0, n
    count = rng.randrange(1, digits[0][0] + 1)
    first = rng.randrange(0, digits[0][0] - count + 1)
    one = n // digits[0][0]
    return first * one, count * one


def span(start, extent):
    return f"{start}:{start + extent}"


def operands(k, tiles):
    for t in tiles:
        k.add(t.declare())
    k.add(*(t.local() for t in tiles))


def call(scope, d, a, b, c, t_a=False, t_b=False, beta=None, alpha=None, positional=False):
    words = [d, a, b, c]
    if positional:
        words += [str(t_a), str(t_b)]
    else:
        words += [f"transpose_A={t_a}"] * bool(t_a) + [f"transpose_B={t_b}"] * bool(t_b)
    words += [f"alpha={alpha}"] * (alpha is not None) + [f"beta={beta}"] * (beta is not None)
    return f"Tx.{scope}.gemm({', '.join(words)})"


def family_served(k, rng):
    """A product that fits a fragment, of all of the tiles or a part of them, with or without something to add."""
    s = Shapes(rng)
    t_a, t_b = rng.random() < 0.3, rng.random() < 0.4
    adds = rng.choice(["nothing", "nothing", "itself", "other"])
    d, a, b = s.d(), s.a(t_a), s.b(t_b)
    launch(k, s.threads)
    a_rows, a_columns = (a.columns, a.rows) if t_a else (a.rows, a.columns)
    b_depth, b_across = (b.columns, b.rows) if t_b else (b.rows, b.columns)
    whole_m, whole_n = window(rng, d.rows, 16), window(rng, d.columns, 8)
    depth = window(rng, a_columns, 8)
    k.tensor("A", a.shape(), s.dtype)
    k.tensor("B", b.shape(), s.dtype)
    if adds != "nothing":
        k.tensor("C", d.shape(), "float32")
    k.tensor("D", d.shape(), "float32")
    c = s.d("c")
    operands(k, [d, a, b] + ([c] if adds == "other" else []))
    k.add(*a.each("a_mine[{register}] = A[{row}, {column}]"), *b.each("b_mine[{register}] = B[{row}, {column}]"))
    k.add(*d.each("d_mine[{register}] = " + ("3.0" if adds == "nothing" else "C[{row}, {column}]")))
    if adds == "other":
        k.add(*c.each("c_mine[{register}] = C[{row}, {column}]"))
    part = {"M": whole_m, "N": whole_n, "K": depth}
    region = lambda name, dims: f"{name}[{', '.join(span(*part[dim]) for dim in dims)}]"  # noqa: E731
    to = region("d", "MN")
    k.add(call(s.scope, to, region("a", "KM" if t_a else "MK"), region("b", "NK" if t_b else "KN"),
               region("c", "MN") if adds == "other" else to, t_a, t_b, None if adds == "nothing" else "1.0",
               rng.choice([None, None, "1.0"]), rng.random() < 0.3))
    k.add(*d.each("D[{row}, {column}] = d_mine[{register}]"))
    at_a = (depth[0], whole_m[0]) if t_a else (whole_m[0], depth[0])
    at_b = (whole_n[0], depth[0]) if t_b else (depth[0], whole_n[0])
    k.reference = (f'plain({a.shape()}, {b.shape()}, {d.shape()}, "{s.dtype}", {t_a}, {t_b}, {at_a}, {at_b}, '
                   f"({whole_m[0]}, {whole_n[0]}), ({whole_m[1]}, {whole_n[1]}, {depth[1]}), {adds != 'nothing'}, True)")
    return True


def whole(t):
    r, c = t.shape()
    return f"{t.name}[0:{r}, 0:{c}]"


def make(rng, index):
    while True:
        k = Kernel(f"gemm_{index:04d}", "served")
        if family_served(k, rng):
            return k
