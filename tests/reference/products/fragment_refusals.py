"""What gemm by mma.sync does not take: a product that would be served, and one thing wrong with it."""

from products.fragments import Shapes, Tile, call, launch, operands, whole
from products.kernel import Kernel
from products.refusals import Kinds

refused = Kinds()


class Attempt:
    """A product of a warp, or of what `scope` says, over whole tiles; `lines` stand before the call."""

    def __init__(self, k, rng, scope=None):
        self.k, self.rng = k, rng
        self.shapes = s = Shapes(rng, scope or ("warp" if rng.random() < 0.6 else None))
        self.d, self.a, self.b = s.d(), s.a(False), s.b(False)
        self.parts = {}      # of operands that are not taken whole
        self.layouts = {}    # of operands whose layout is written out
        self.others = {}     # operands that are no tiles: name and declaration
        self.guard = None
        self.scope, self.words, self.threads = s.scope, {}, s.threads
        self.loop = None

    def tiles(self):
        return {"d": self.d, "a": self.a, "b": self.b}

    def any(self):
        return self.rng.choice("dab")

    def write(self):
        k = self.k
        launch(k, self.threads)
        for name, t in self.tiles().items():
            k.add(t.declare(self.layouts.get(name)))
        k.add(*(line for _, line in self.others.values()))
        d, a, b = (self.others[n][0] if n in self.others else f"{n}[{self.parts[n]}]" if n in self.parts else whole(t)
                   for n, t in self.tiles().items())
        c = self.words.pop("c", d)
        line = call(self.scope or "", d, a, b, c, **self.words).replace("Tx..", "Tx.")
        lines = [x for x in (self.loop, f"if {self.guard}:" if self.guard else None, line) if x]
        k.add(*("    " * depth + text for depth, text in enumerate(lines)))
        return True


# ---- who calls, and what with ----------------------------------------------------------------------------------------

@refused("works at warp, warpgroup and cta scope, not at cluster scope", scope="cluster")
@refused("works at warp, warpgroup and cta scope, not at thread scope", scope="")  # G26
def scope(k, rng, scope):
    p = Attempt(k, rng, "warp")
    p.scope = scope
    return p.write()


@refused("only lanes? .* of 32 gets? here|only one elected lane of 32 gets here")
def lanes(k, rng):
    p = Attempt(k, rng)
    p.guard = rng.choice(["lane < 1", "lane < 8", "lane < 16", "T.ptx.elect_sync()"])
    return p.write()


@refused(r"only warp.* of \d gets? here")
def warps(k, rng):
    p = Attempt(k, rng, "cta")
    p.guard = "tid < 32"
    return p.write()


@refused("only some threads of the")
def some_threads(k, rng):
    p = Attempt(k, rng, "warp")
    p.guard = rng.choice(["lane % 3 == 0", "(lane & 5) == 1"])
    return p.write()


@refused("is less than one warp: degenerate thread count 0")
def less_than_a_warp(k, rng):
    p = Attempt(k, rng, "cta")
    p.threads = 16
    return p.write()


@refused("is not a whole number of warps")
def partial_warp(k, rng):
    p = Attempt(k, rng, "warp")
    p.threads = 48
    return p.write()


@refused("number of threads of the CTA is not known before the launch")
def threads_at_run_time(k, rng):
    p = Attempt(k, rng, "cta")
    p.threads = "n"
    k.scalars = ["n: T.int32"]
    return p.write()


@refused("has no tile layout")
def no_tile(k, rng):
    p = Attempt(k, rng)
    p.layouts[p.any()] = "None"
    return p.write()


@refused("layout has replica")
def replica(k, rng):
    p = Attempt(k, rng)
    name = p.any()
    p.layouts[name] = p.tiles()[name].layout()[:-1] + f" + R[2 : {rng.choice(['64 @ tx', '32 @ ' + p.shapes.axis])}])"
    return p.write()


@refused(r"must be in registers \(local\)")
def memory(k, rng):
    p = Attempt(k, rng)
    name = p.any()
    t = p.tiles()[name]
    shape = t.shape()
    p.others[name] = (f"s[0:{shape[0]}, 0:{shape[1]}]",
                      f's = T.alloc_buffer({shape}, "{t.dtype}", scope="shared", layout=TileLayout(S[{shape}]))')
    return p.write()


@refused("only alpha=1 can be computed", alpha="2.0")
@refused("only beta 0 or 1 can be computed", beta="0.5")
def factors(k, rng, alpha=None, beta=None):
    p = Attempt(k, rng)
    p.words = {"alpha": alpha and rng.choice([alpha, "-1", "0.5"]), "beta": beta and rng.choice([beta, "-1.0", "2"])}
    return p.write()


@refused("transpose_A and transpose_B must be known before the launch")
def flag_at_run_time(k, rng):
    p = Attempt(k, rng)
    p.words = {rng.choice(["t_a", "t_b"]): rng.choice(["lane < 16", "tid == 0"])}
    return p.write()


@refused(r"mma.sync.m16n8k8 needs sm_75, the target is sm_70", arch="sm_70")
@refused(r"mma.sync.m16n8k\d+ of bfloat16 needs sm_80, the target is sm_75", arch="sm_75")
def old_target(k, rng):
    p = Attempt(k, rng)
    p.a.dtype = p.b.dtype = "bfloat16"
    return p.write()


# ---- extents ---------------------------------------------------------------------------------------------------------

@refused("a matrix has two extents larger than 1")
def matrix(k, rng):
    p = Attempt(k, rng)
    p.parts["a"] = f"0:1, 0:{p.a.shape()[1]}"
    return p.write()


@refused(r"K is \d+ in A and \d+ in B")
def depths(k, rng):
    p = Attempt(k, rng)
    kk, n = p.b.shape()
    p.parts["b"] = f"0:{kk // 2}, 0:{n}"
    return p.write()


@refused(r"[CD] is \[.*\], the product is \[")
def extents(k, rng):
    p = Attempt(k, rng)
    (m, n), kk = p.d.shape(), p.b.shape()[0]
    kind = rng.choice("ND")
    if kind == "N":
        p.parts["b"] = f"0:{kk}, 0:{n // 2}"
    else:
        p.parts["d"] = f"0:{m // 2}, 0:{n}"
    return p.write()


@refused("the extent .* is known only at run time")
def extent_at_run_time(k, rng):
    p = Attempt(k, rng)
    p.loop = "for s in T.serial(2):"
    (m, n), kk = p.d.shape(), p.b.shape()[0]
    dim = rng.choice("MNK")
    if dim == "M":
        p.parts.update(d=f"0:{m} - s * 8, 0:{n}", a=f"0:{m} - s * 8, 0:{kk}")
    elif dim == "N":
        p.parts.update(d=f"0:{m}, 0:{n} - s * 4", b=f"0:{kk}, 0:{n} - s * 4")
    else:
        p.parts.update(a=f"0:{m}, 0:{kk} - s * 4", b=f"0:{kk} - s * 4, 0:{n}")
    return p.write()


@refused("are no multiples of 16, 8 and")
def multiples(k, rng):
    p = Attempt(k, rng, "warp")
    s = p.shapes
    s.outer, s.k_inside = {"M": [], "N": []}, False
    p.d, p.a, p.b = s.d(), s.a(False), s.b(False)
    (m, n), kk = p.d.shape(), p.b.shape()[0]
    dim = rng.choice("MK")
    if dim == "M":
        p.parts.update(d=f"0:8, 0:{n}", a=f"0:8, 0:{kk}")
    else:
        p.b.rows = p.a.columns = [(4, 1, s.axis)]
        p.b.columns = [(8, 4, s.axis)]
        p.a.rows = [(2, 1, "m"), (8, 4, s.axis)]
    return p.write()


@refused("they take float16 or bfloat16, both alike, and sum up in float32")
def types(k, rng):
    p = Attempt(k, rng)
    which = rng.choice(["a", "b", "d", "all"])
    if which == "d":
        p.d.dtype = rng.choice(["float16", "bfloat16", "int32"])
    elif which == "all":
        p.a.dtype = p.b.dtype = rng.choice(["float32", "int8", "float8_e4m3fn", "float8_e5m2", "uint8"])
    else:
        p.tiles()[which].dtype = "bfloat16" if p.shapes.dtype == "float16" else "float16"
    return p.write()


# ---- layouts ---------------------------------------------------------------------------------------------------------

@refused("registers have no swizzle")
def swizzle(k, rng):
    p = Attempt(k, rng)
    name = p.any()
    r, c = p.tiles()[name].shape()
    p.layouts[name] = "SwizzleLayout(3, 3, 3)" if rng.random() < 0.3 else f"ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[({r}, {c}) : ({c}, 1)]))"
    return p.write()


@refused("is not one strided block of its layout")
def pieces(k, rng):
    p = Attempt(k, rng, "warp")
    s = p.shapes
    s.outer, s.eights, s.k_inside = {"M": [(2, "t")], "N": []}, 1, False
    p.d, p.a, p.b = s.d(), s.a(False), s.b(False)
    p.d.rows = [(2, 64, "m"), (3, 4, "m"), (8, 4, s.axis)]
    p.parts.update(d="16:48, 0:8")
    return p.write()


@refused("has a layout known only at run time")
def layout_at_run_time(k, rng):
    p = Attempt(k, rng, "warp")
    k.scalars = ["n: T.int32"]
    p.a.rows[0] = (p.a.rows[0][0], "n", "m")
    return p.write()


@refused("is distributed over axis TCol")
def foreign(k, rng):
    p = Attempt(k, rng)
    t = p.tiles()[p.any()]
    t.rows = [(e, s, "TCol" if axis == "m" else axis) for e, s, axis in t.rows]
    return p.write()


@refused("is spread over more than one thread axis")
def two_axes(k, rng):
    p = Attempt(k, rng, "wg")
    for t in (p.d, p.a, p.b):
        for digits in (t.rows, t.columns):
            digits[:] = [(e, s // 32, "wid_in_wg") if axis != "m" and s >= 32 else (e, s, "laneid" if axis != "m" else axis)
                         for e, s, axis in digits]
    return p.write()


@refused("disconnected thread axes", a="tid_in_wg", b="wid_in_wg")
@refused("conflicting thread axes", a="tx", b="laneid")
def foreign_axes(k, rng, a, b):
    p = Attempt(k, rng, "wg")
    t = p.tiles()[p.any()]
    t.rows = [(e, s, axis if axis == "m" else a) for e, s, axis in t.rows]
    t.columns = [(e, s, axis if axis == "m" else b) for e, s, axis in t.columns]
    return p.write()


def over_two_warps(p):
    """A CTA of two warps, one over the other."""
    s = p.shapes
    s.threads, s.warps, s.warps_m, s.warps_n, s.outer = 64, 2, 2, 1, {"M": [(2, "w")], "N": []}
    p.threads, p.d, p.a, p.b = 64, s.d(), s.a(False), s.b(False)


@refused("of 64 threads: each thread multiplies its own registers")  # G24
@refused(r"starts at \d+ on tx: each thread multiplies its own registers", first=16)
def chosen_threads(k, rng, first=0):
    p = Attempt(k, rng, "cta")
    over_two_warps(p)
    p.parts.update(d=f"{first}:{first + 16}, 0:8", a=f"{first}:{first + 16}, 0:{p.a.shape()[1]}")
    return p.write()


@refused(r"is spread over \d+ threads, the \w+ has")
def too_many_threads(k, rng):
    p = Attempt(k, rng, "cta")
    over_two_warps(p)
    p.scope = "warp"
    return p.write()


@refused(r"[MNK] of [ABC], .*, cannot be cut where that of")
def other_cuts(k, rng):
    p = Attempt(k, rng, "warp")
    s = p.shapes
    s.outer, s.eights, s.k_inside = {"M": [(3, "t")], "N": []}, 2, False
    p.d, p.a, p.b = s.d(), s.a(False), s.b(False)
    p.d.rows = [(3, 64, "m"), (2, 16, "m"), (8, 4, s.axis)]
    p.a.rows = [(2, 100, "m"), (3, 200, "m"), (8, 4, s.axis)]
    return p.write()


@refused("the fragment has multiples of")
def one_thread(k, rng):
    p = Attempt(k, rng, "warp")
    t = p.d
    r, c = t.shape()
    t.rows, t.columns = [(r, c, "m")], [(c, 1, "m")]
    for t, (r, c) in ((p.a, p.a.shape()), (p.b, p.b.shape())):
        t.rows, t.columns = [(r, c, "m")], [(c, 1, "m")]
    return p.write()


@refused("cannot be cut as the fragment is")
def other_fragment(k, rng):
    p = Attempt(k, rng, "warp")
    s = p.shapes
    s.outer, s.eights, s.k_inside = {"M": [], "N": []}, 3, False
    p.d, p.a, p.b = s.d(), s.a(False), s.b(False)
    p.a.columns = p.b.rows = [(4, 1, s.axis), (2, 4, "m"), (3, 1, "m")]
    return p.write()


@refused("where the fragment has")
def orders(k, rng):
    p = Attempt(k, rng)
    s, kind = p.shapes, rng.choice(["lanes", "pair", "across"])
    if kind == "lanes":
        p.a.rows[-1] = (8, rng.choice([1, 2]), s.axis)
    elif kind == "pair":
        at = next(i for i, x in enumerate(p.d.columns) if x[1:] == (1, s.axis))
        p.d.columns[at:] = [(2, 1, "m"), (4, 1, s.axis)]
    else:
        p.b.columns[-1:] = [(4, 8, s.axis), (2, 1, "m")] if rng.random() < 0.5 else [(8, 1, s.axis)]
    return p.write()


@refused("where the tiles of D are in registers")
def tiles_over_threads(k, rng):
    p = Attempt(k, rng, "cta")
    s = p.shapes
    s.threads, s.warps, s.outer = 64, 2, {"M": [(2, "t")], "N": []}
    p.threads, p.d, p.a, p.b = 64, s.d(), s.a(False), s.b(False)
    p.d.rows = [(2, 64, "m"), (2, 16, "m"), (8, 4, "tx")]
    p.a.rows = [(2, 32, "tx"), (2, 16, "m"), (8, 4, "tx")]
    return p.write()


@refused("over what is not a step of whole warps")
def half_warps(k, rng):
    p = Attempt(k, rng, "cta")
    over_two_warps(p)
    for t in (p.d, p.a):
        t.rows[0] = (2, 16, "tx")
    return p.write()


@refused(r"[MN] of [ABC] is spread over warps .*, that of D")
def other_warps(k, rng):
    p = Attempt(k, rng, "cta")
    over_two_warps(p)
    p.threads = 128
    p.a.rows[0] = (2, 64, "tx")
    return p.write()


@refused("nothing adds their sums up")  # G26
def sums_over_warps(k, rng):
    p = Attempt(k, rng, "cta")
    s = p.shapes
    s.threads, s.warps, s.outer = 64, 2, {"M": [], "N": []}
    p.threads, p.d = 64, s.d()
    p.a = Tile(rng, "a", s.dtype, s.rows(), [(2, 32, "tx")] + s.depth())
    p.b = Tile(rng, "b", s.dtype, [(2, 32, "tx")] + s.depth(), [(8, 4, "tx")])
    return p.write()


@refused("some pair starts at an odd one")
def torn_pairs(k, rng):
    p = Attempt(k, rng, "warp")
    s = p.shapes
    s.outer, s.eights, s.k_inside = {"M": [], "N": []}, 1, False
    p.d, p.a, p.b = s.d(), s.a(False), s.b(False)
    p.a.rows = [(2, 3, "m"), (8, 4, s.axis)]
    return p.write()


def make(rng, index, n, arch=None):
    """The n-th kernel that is refused, of those for that target."""
    kind = refused.number(n, arch)
    return kind.write(Kernel(f"gemm_{index:04d}", kind.name), rng)
