# tilewright: dialect 0.27
# tilewright: arch sm_90a
"""A traced kernel: one warpgroup brings rows into a ring of shared memory, another one scales and stores them."""
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T

ROWS, COLUMNS, STAGES = 16, 128, 4
COPY = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"


def bring(ring, pipe, A):
    """The rows of A, one after the other, each when its stage is free."""
    state = txl.PipelineState(STAGES, 1)
    with txl.serial(ROWS) as row:
        pipe.empty.wait(state.stage, state.phase)
        pipe.full.arrive(state.stage, COLUMNS * 4)
        txl.ptx[COPY](
            ring.ptr_to([state.stage, 0]), A.ptr_to([row, 0]), txl.uint32(COLUMNS * 4), pipe.full.ptr_to([state.stage])
        )
        state.advance()


# tilewright: reference plain()
@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
def traced_ring(A: txl.gptr[txl.f32, (ROWS, COLUMNS)], B: txl.gptr[txl.f32, (ROWS, COLUMNS)]):
    pool = txl.smem_pool()
    ring = pool.alloc((STAGES, COLUMNS), txl.f32, align=128)
    pipe = txl.Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=128)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.cuda.cta_sync()
    roles = txl.specialize()
    loading = roles.role("loading", warps=range(4), regs=24)
    storing = roles.role("storing", warps=range(4, 8), regs=240)
    with loading:
        with txl.If(txl.tid_in_role() == 0), txl.Then():
            bring(ring, pipe, A)
    with storing:
        state = txl.PipelineState(STAGES, 0)
        value = txl.local_scalar("float32")
        with txl.serial(ROWS) as row:
            pipe.full.wait(state.stage, state.phase)
            txl.ptx.ld.shared.f32(value, ring.ptr_to([state.stage, txl.tid_in_role()]))
            pipe.empty.arrive(state.stage)
            txl.ptx.mul.f32(value, value, txl.float32(2))
            txl.ptx.st.global_.f32(B.ptr_to([row, txl.tid_in_role()]), value)
            state.advance()


def plain():
    """What `run` expects: one thread after the other."""

    @T.prim_func
    def scaled(A: T.Buffer((ROWS, COLUMNS), "float32"), B: T.Buffer((ROWS, COLUMNS), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for row in T.serial(ROWS):
            for column in T.serial(COLUMNS):
                B[row, column] = A[row, column] * T.float32(2)

    return scaled


def reference(A, B):
    B[:] = A * 2
    return {"B": B}
