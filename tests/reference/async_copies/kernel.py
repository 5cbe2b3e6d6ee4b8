"""One kernel with asynchronous copies, and the protocol around them: barriers armed, groups committed, waits."""

from copies.kernel import BITS, Kernel, product

HEADER = '''from tvm.backend.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TCol, TileLayout, TLane, laneid, tid_in_wg, tx, warpid
from tvm.tirx.layout import wid_in_wg
'''

ARCHS = ("sm_90a", "sm_100a")


class AsyncKernel(Kernel):
    def __init__(self, rng, name, family, arch):
        super().__init__(rng, name, family)
        self.arch = arch

    def blackwell(self):
        return self.arch == "sm_100a"

    def copy_async(self, scope, dst, src, forced=None, **options):
        """The call. Options with value None are left out; their values are script text."""
        prefix = "Tx" if scope == "thread" and self.rng.random() < 0.6 else f"Tx.{scope}"
        if scope == "wg" and self.rng.random() < 0.5:
            prefix = "Tx.warpgroup"
        words = [dst, src] + ([f'dispatch="{forced}"'] if forced else [])
        words += [f"{key}={value}" for key, value in options.items() if value is not None]
        return f"{prefix}.copy_async({', '.join(words)})"

    def barrier(self, count=1):
        """An mbarrier that one thread has initialised: the text of the pointer to it."""
        name = self.fresh("bar")
        if self.pool is None:
            self.pool = self.rng.random() < 0.4
        if self.pool:
            self.buffers.append(f'{name} = pool.alloc(({count},), "uint64", align=8)')
        else:
            self.buffers.append(f'{name} = T.alloc_buffer(({count},), "uint64", scope="shared")')
        self.body.append("if tid == 0:" if self.threads > 1 else "if True:")
        self.body += [f"    T.ptx.mbarrier.init({name}.ptr_to([{i}]), 1)" for i in range(count)]
        self.body += ["    T.ptx.fence.mbarrier_init()", 'T.ptx.fence.proxy_async("shared::cta")', "T.cuda.cta_sync()"]
        return f"{name}.ptr_to([0])" if count == 1 else name

    def one_thread(self):
        """Conditions that leave one thread of the CTA."""
        r = self.rng
        if self.threads == 1:
            return r.choice([[], ["tid == 0"]])
        options = [["tid == 0"], ["tid == 0"], ["tid < 1"], [f"tid == {r.randrange(self.threads)}"]]
        if self.threads % 32 == 0:
            options += [["w == 0", "l == 0"], ["w == 0 and l == 0"], ["w == 0", "T.ptx.elect_sync()"]] * 2
            if self.threads == 32:
                options += [["T.ptx.elect_sync()"], ["l == 7"]]
            else:
                c = r.randrange(self.warps)
                options += [[f"w == {c}", "T.ptx.elect_sync()"]]
        return r.choice(options)

    def put(self, lines, guard=(), depth=0):
        """Lines under nested guards, without the barrier of step()."""
        for g in guard:
            self.body.append("    " * depth + f"if {g}:")
            depth += 1
        self.body += ["    " * depth + line for line in lines]

    def everyone(self):
        """The scope of plain copies by all threads."""
        return "thread" if self.threads == 1 else "cta"


def bytes_of(shape, dtype):
    return product(shape) * BITS[dtype] // 8
