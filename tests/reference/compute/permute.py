"""Families of tiles that a warp moves into another layout."""

from compute.elementwise import RTOL
from compute.kernel import Region
from compute.model import Layout, indices


class Permute:
    def __init__(self, dst, src, scope="warp"):
        self.dst, self.src, self.scope = dst, src, scope

    def text(self):
        return f"Tx.{self.scope}.permute_layout({self.dst.text()}, {self.src.text()})"

    def apply(self):
        values = {
            i: self.src.tile.values[None, tuple(s + x for s, x in zip(self.src.starts, i))]
            for i in indices(self.src.extents)
        }
        for i, v in values.items():
            self.dst.tile.values[None, tuple(s + x for s, x in zip(self.dst.starts, i))] = v


def finish(k, call, guard=None):
    k.result, k.model = call.dst.tile, call.apply
    k.body = ([f"if {guard}:"] if guard else []) + [("    " if guard else "") + call.text()]
    k.tolerance = {"rtol": RTOL.get(call.dst.tile.dtype, 0), "atol": 0} if call.dst.tile.dtype in RTOL else {}
    return True


def ordered(shape, order, pad=0):
    """Dimensions from the outermost in memory to the innermost; the innermost row is padded."""
    strides, s = [0] * len(shape), 1
    for d in reversed(order):
        strides[d] = s
        s *= shape[d]
        if s == shape[d]:
            s += pad
    return Layout([(e, t, "m") for e, t in zip(shape, strides)])


def family_transposed(k, rng):
    """Rows to columns, padded or not, of four bytes an element: what the reference serves."""
    k.launch(32)
    dtype = rng.choice(["uint32", "int32", "float32"])
    shape = rng.choice(
        [(4, 32), (8, 32), (16, 32), (32, 32), (2, 32), (1, 32), (32, 4), (32, 8), (32,), (64,), (2, 4, 32)]
    )
    order = list(range(len(shape)))
    other = order[::-1] if rng.random() < 0.7 else rng.sample(order, len(order))
    pads = rng.choice([(0, 0), (0, 0), (1, 1), (1, 0), (0, 1)])
    src = k.tile("shared", dtype, shape, ordered(shape, order, pads[0]))
    dst = k.tile("shared", dtype, shape, ordered(shape, other, pads[1]))
    return finish(k, Permute(Region(dst), Region(src)))


def family_region(k, rng):
    """A part of a larger tile."""
    k.launch(32)
    rows, cols = rng.choice([(4, 32), (8, 32), (2, 32), (16, 32)])
    big = [rows + 2, cols + rng.choice([0, 4])]
    src, dst = k.tile("shared", "float32", big, ordered(big, [0, 1], rng.choice([0, 1]))), k.tile(
        "shared", "float32", [rows, cols], ordered([rows, cols], rng.choice([[0, 1], [1, 0]]))
    )
    return finish(k, Permute(Region(dst), Region(src, [rng.randrange(3), 0], [rows, cols])))


def family_copy(k, rng):
    """Both sides alike: no lane has to wait for another."""
    k.launch(32)
    shape = rng.choice([(4, 32), (32,), (64,), (8, 32), (128,), (4, 64)])
    src, dst = k.tile("shared", "float32", shape), k.tile("shared", "float32", shape)
    return finish(k, Permute(Region(dst), Region(src)))


def family_refused(k, rng, kind):
    k.checked = False
    k.launch(128)
    sh = lambda shape, layout=None, dtype="float32": Region(k.tile("shared", dtype, shape, layout))  # noqa: E731
    scope = "warp"
    if kind == "volume":
        n = rng.choice([(3, 16), (5, 8), (48,)])
        src, dst = sh(n), sh(n)
    elif kind == "count":
        n = rng.choice([(3, 32), (5, 32), (6, 32)])
        src, dst = sh(n), sh(n)
    elif kind == "large":
        src, dst = sh((64, 32)), sh((64, 32))
    elif kind == "scope":
        src, dst, scope = sh((4, 32)), sh((4, 32)), rng.choice(["cta", "wg", "cluster"])
    elif kind == "types":
        src, dst = sh((4, 32)), sh((4, 32), None, "int32")
    elif kind == "shapes":
        src, dst = sh((4, 32)), sh(rng.choice([(32, 4), (8, 16), (1, 4, 32)]))
    elif kind == "swizzled":
        layout = Layout.row_major([16, 32])
        layout.swizzle = (3, 2, 2)
        src, dst = sh((16, 32), layout), sh((16, 32))
        if rng.random() < 0.5:
            src, dst = dst, src
    elif kind == "folded":
        folded = Layout([(4, 0, "m"), (32, 1, "m")])
        src, dst = (sh((4, 32), folded), sh((4, 32))) if rng.random() < 0.5 else (sh((4, 32)), sh((4, 32), folded))
    elif kind == "width":
        src, dst = sh((4, 32), None, "float4_e2m1fn"), sh((4, 32), None, "float4_e2m1fn")
    elif kind == "slice":
        split = Layout([(8, 40, "m"), (2, 20, "m"), (16, 1, "m")])
        src, dst = Region(sh((8, 32), split).tile, [0, 3], [4, 20]), Region(sh((8, 32)).tile, [0, 3], [4, 20])
    else:
        src, dst = sh((4, 24)), sh((4, 24), Layout([(4, 25, "m"), (3, 8, "m"), (8, 1, "m")]))
        src.tile.layout = src.tile.plain = Layout([(4, 32, "m"), (2, 16, "m"), (12, 1, "m")])
    return finish(k, Permute(dst, src, scope))


def family_required(k, rng, kind):
    """Other widths, which the reference refuses for their banks; registers, and half a warp, which it takes."""
    k.launch(32)
    shape = rng.choice([(4, 32), (8, 32), (4, 64)])
    if kind == "width":
        dtype = rng.choice(["float16", "float64", "uint8", "bfloat16"])
        src, dst = k.tile("shared", dtype, shape), k.tile(
            "shared", dtype, shape, ordered(shape, rng.choice([[0, 1], [1, 0]]))
        )
        return finish(k, Permute(Region(dst), Region(src)))
    k.checked = False
    scope = "local" if kind == "registers" else "shared"
    src, dst = k.tile(scope, "float32", shape), k.tile(scope, "float32", shape)
    return finish(k, Permute(Region(dst), Region(src)), "l < 16" if kind == "half" else None)


FAMILIES = [(family_transposed, 34), (family_region, 12), (family_copy, 10)]
# Every third kernel breaks a rule, or meets a defect of the reference: one kind after the other.
REFUSED = [
    "volume",
    "count",
    "large",
    "scope",
    "types",
    "shapes",
    "swizzled",
    "folded",
    "width",
    "slice",
    "group",
]
REQUIRED = [
    "width",
    "registers",
    "half",
]
KINDS = [(family_refused, kind) for kind in REFUSED] + [(family_required, kind) for kind in REQUIRED]
