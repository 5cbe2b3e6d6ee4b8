"""One kernel as text."""

HEADER = '''from tvm.backend.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg


@T.inline
def through(dst, src):
    Tx.cta.copy(dst, src)
'''

BITS = {
    "float16": 16, "bfloat16": 16, "float32": 32, "uint8": 8, "int8": 8, "float64": 64, "int32": 32, "uint16": 16,
    "int64": 64, "float8_e4m3fn": 8, "uint32": 32, "float8_e5m2": 8,
}  # fmt: skip
# The common ones more often.
DTYPES = ["float16"] * 5 + ["float32"] * 4 + ["uint8", "bfloat16", "bfloat16", "float64", "int8", "int32", "uint16"]
DTYPES += ["int64", "float8_e4m3fn", "uint32", "float8_e5m2"]


def product(xs):
    out = 1
    for x in xs:
        out *= x
    return out


def tup(xs):
    return "(" + ", ".join(map(str, xs)) + ("," if len(xs) == 1 else "") + ")"


class Kernel:
    """One kernel as text. `threads` and the declared ids are fixed first; then buffers and steps come in any order."""

    def __init__(self, rng, name, family):
        self.rng, self.name, self.family = rng, name, family
        self.params, self.buffers, self.body, self.ids = [], [], [], []
        self.pool = None
        self.count = {}
        self.shared_left = 40 * 1024  # static shared memory is 48 KiB; pools get the same budget
        self.host = []

    # -- launch ---------------------------------------------------------------------------------------------------
    def launch(self, threads=None, ctas=None, cluster=None):
        r = self.rng
        self.threads = threads or r.choice([32, 32, 64, 96, 128, 128, 128, 256, 256, 384])
        self.ctas = ctas or r.choice([1, 1, 1, 2, 3])
        t = self.threads
        if cluster:
            self.ids += [f"cb = T.cta_id_in_cluster([{cluster}])", f"bx = T.cta_id([{self.ctas}])"]
        elif self.ctas > 1 and self.ctas % 2 == 0 and r.random() < 0.2:
            self.ids.append(f"bx, by = T.cta_id([2, {self.ctas // 2}])")
        else:
            self.ids.append(f"bx = T.cta_id([{self.ctas}])")
        self.warps = t // 32
        self.multi = False
        if t % 32 == 0:
            self.ids.append(f"w = T.warp_id([{t // 32}])")
            self.ids.append("l = T.lane_id([32])")
            if t % 128 == 0:
                self.ids.append(f"wg = T.warpgroup_id([{t // 128}])")
                self.ids.append("wi = T.warp_id_in_wg([4])")
                self.ids.append("tg = T.thread_id_in_wg([128])")
            if t >= 64 and r.random() < 0.06:
                self.multi = True
                self.ids.append(f"tid, ty = T.thread_id([{t // 2}, 2])")
            else:
                self.ids.append(f"tid = T.thread_id([{t}])")
        else:
            self.ids.append(f"tid = T.thread_id([{t}])")
        return self

    def scopes(self):
        out = ["thread"]
        if self.threads % 32 == 0:
            out += ["warp", "warp"]
        if self.threads % 128 == 0:
            out += ["wg", "wg"]
        return out + ["cta", "cta"]

    def workers(self, scope):
        return {"thread": 1, "warp": 32, "wg": 128, "cta": self.threads}[scope]

    # -- buffers --------------------------------------------------------------------------------------------------
    def fresh(self, letter):
        n = self.count.get(letter, 0)
        self.count[letter] = n + 1
        return f"{letter}{n}"

    def tensor(self, shape, dtype, layout=None, letter="A"):
        name = self.fresh(letter)
        self.params.append(name)
        extra = f", layout={layout}" if layout else ""
        self.host.append(f'{name} = T.match_buffer({name}_ptr, {tup(shape)}, "{dtype}"{extra})')
        return name

    def shared(self, shape, dtype, layout=None, align=None):
        """Static or from the pool. `layout`: text, elements it spans."""
        text, span = layout or (None, product(shape))
        name = self.fresh("X")
        extra = f", layout={text}" if text else ""
        size = span * BITS[dtype] // 8
        self.shared_left -= size
        if self.pool is None:
            self.pool = self.rng.random() < 0.4
        if self.pool:
            align = f", align={align or 1024}"
            # The pool counts the elements of the shape, so padding needs room of its own.
            pad = (size - product(shape) * BITS[dtype] // 8 + 15) // 16 * 16
            if self.rng.random() < 0.2:  # nothing but the type's own alignment is sure
                self.buffers.append(
                    f'{name}_gap = pool.alloc(({self.rng.choice([1, 2, 3, 4, 6, 8])},), "{dtype}"{align})'
                )
                align = ""
            self.buffers.append(f'{name} = pool.alloc({tup(shape)}, "{dtype}"{align}{extra})')
            if pad > 0:
                self.buffers.append(f'{name}_pad = pool.alloc(({pad},), "uint8")')
        else:
            self.buffers.append(f'{name} = T.alloc_buffer({tup(shape)}, "{dtype}", scope="shared"{extra})')
        return name

    def local(self, shape, dtype, layout=None):
        name = self.fresh("R")
        extra = f", layout={layout}" if layout else ""
        self.buffers.append(f'{name} = T.alloc_buffer({tup(shape)}, "{dtype}", scope="local"{extra})')
        return name

    # -- steps ----------------------------------------------------------------------------------------------------
    def copy(self, scope, dst, src, forced=None):
        prefix = "Tx" if scope == "thread" and self.rng.random() < 0.5 else f"Tx.{scope}"
        if scope == "wg" and self.rng.random() < 0.5:
            prefix = "Tx.warpgroup"
        tail = f', dispatch="{forced}"' if forced else ""
        return f"{prefix}.copy({dst}, {src}{tail})"

    def step(self, lines, guard=(), loop=None, sync=True, apart=False):
        """Lines under a loop, then under nested guards; the barrier stands in the loop but outside of the guards.
        `apart`: the rounds do not meet each other, so that the guards may as well stand around the loop."""
        depth = 0
        if apart and guard and loop and self.rng.random() < 0.5:
            guard, loop = [*guard, loop], None

        def put(text):
            self.body.append("    " * depth + text)

        if loop:
            put(loop)
            depth = 1
        base = depth
        for g in guard:
            put(g if g.startswith("for ") else f"if {g}:")
            depth += 1
        for line in lines:
            put(line)
        depth = base
        if sync:
            put("T.cuda.cta_sync()")

    def text(self):
        out = [
            "",
            "",
            f"# family: {self.family}",
            "@T.prim_func",
            f"def {self.name}(" + ", ".join(f"{p}_ptr: T.handle" for p in self.params) + "):",
        ]
        body = list(self.host) + ["T.device_entry()"] + self.ids
        if self.pool:
            body += ["pool = T.SMEMPool()"]
        body += self.buffers
        if self.pool:
            body += ["pool.commit()"]
        body += self.body
        return "\n".join(out + ["    " + b for b in body]) + "\n"
