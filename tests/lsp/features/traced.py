# tilewright: dialect 0.27
# Traced kernels: names of the library, of helpers, generators and context managers of the script.
import contextlib
from dataclasses import dataclass

import tirx_kernels.tirx_lite as txl

BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"


@contextlib.contextmanager
def one_thread():
    with txl.If(txl.tid_in_role() == 0), txl.Then():
#            ^^ hover:
#| 13:14 If
#| txl.If(condition)
#| A branch of the kernel: with T.If(c): with T.Then(): ...
        yield


@dataclass(frozen=True)
class Ring:
    rows: object
    pipe: object

    def stages(self):
        """Each row with its stage."""
        state = txl.PipelineState(2, 1)
#                   ^^^^^^^^^^^^^ hover:
#| 25:21 PipelineState
#| txl.PipelineState(depth, phase=None)
#| Stage and phase of one side of a pipeline.
        for row in range(4):
            self.pipe.empty.wait(state.stage, state.phase)
#                           ^^^^ hover:
#| 28:29 wait
#| def wait(self, stage, phase)
#| Method of MBarrier.
#| Waits until the phase with parity `phase` of barrier `stage` is complete. `phase_offset` flips the parity.
            self.pipe.full.arrive(state.stage, 512)
            yield row, state.stage
#                            ^^^^^ hover:
#| 31:30 stage
#| state.stage    int32
#| state.stage[0]
            state.advance()
#                 ^^^^^^^ definition: pipeline.py 24:9


@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
#    ^^^^^^ hover:
#| 37:6 kernel
#| @txl.kernel
#| A kernel: the function runs once, and what it calls makes the statements.
def ring(A: txl.gptr[txl.i32, (4, 128)], B: txl.gptr[txl.i32, (4, 128)]):
#               ^^^^ hover:
#| 39:17 gptr
#| txl.gptr(dtype, ndim=1, shape=None)
#| A tensor in global memory, as a parameter.
    pool = txl.smem_pool()
    it = Ring(pool.alloc((2, 128), txl.i32, align=128), txl.Pipeline(pool, 2, full="tma", empty="mbar", init_empty=128))
#                  ^^^^^ hover:
#| 42:20 alloc
#| def alloc(self, shape, dtype="float32", swizzle=None, align=0)
#| Method of SmemPool.
#| The next bytes: a buffer, or with a swizzle a tile of rows and columns, of three dimensions with stages.
    txl.cuda.cta_sync()
    roles = txl.specialize()
    load, use = roles.role("load", warps=range(4)), roles.role("use", warps=range(4, 8))
#                     ^^^^ hover:
#| 46:23 role
#| def role(self, name, warps, regs=None, when=None, group=None, register_scope=None)
#| Method of Specialize.
    with load:
#        ^^^^ hover:
#| 48:10 load
#| load    Role
#| .owner = Specialize
#| .name = 'load'
#| .warps = list
#| .regs = None
#| .when = None
#| .group = None
#| .register_scope = None
#| .first_warp = 0
        with one_thread():
#            ^^^^^^^^^^ definition: 12:5 one_thread
#            ^^^^^^^^^^ hover:
#| 50:14 one_thread
#| def one_thread()
            for row, stage in it.stages():
#                                ^^^^^^ definition: 23:9 stages
#                                ^^^^^^ hover:
#| 53:34 stages
#| def stages(self)
#| Method of Ring.
#| Each row with its stage.
                txl.ptx[BULK](it.rows.ptr_to([stage, 0]), A.ptr_to([row, 0]), txl.uint32(512), it.pipe.full.ptr_to([stage]))
#                       ^^^^ hover:
#| 56:25 BULK
#| BULK    str
#| 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'
#                                                                                                      ^^^^ references:
#| pipeline.py 53:14
#| pipeline.py 54:14
#| 30:23 full
#| 56:104 full
#| 64:21 full
    with use:
        state = txl.PipelineState(2, 0)
        value = txl.local_scalar("int32")
#                   ^^^^^^^^^^^^ hover:
#| 61:21 local_scalar
#| def local_scalar(dtype="float32", init=None, *, name=None)
#| One element in a register.
        for row in range(4):
            it.pipe.full.wait(state.stage, state.phase)
            txl.ptx.ld.shared.s32(value, it.rows.ptr_to([state.stage, txl.tid_in_role()]))
#                         ^^^^^^ hover:
#| 65:24 shared
#| ld.shared    2 forms
#| ld{.mmio}{.sem}{.scope}{.space}{.cop}{.nc}{.l1ev}{.L2::cache_hint}{.prefetch}.type d, [addr], {cache_policy}
#| Loads from memory.
#| From sm_90 on, PTX 8.3.
#| ld{.sem}{.scope}{.space}{.cop}{.nc}{.l1ev}{.L2::cache_hint}{.prefetch}.vec.type {d...}, [addr], {cache_policy}
#| Loads a vector of up to 16 bytes.
#| From sm_90 on, PTX 8.3.
            it.pipe.empty.arrive(state.stage)
            txl.ptx.st.global_.s32(B.ptr_to([row, txl.tid_in_role()]), value)
#                                                                      ^^^^^ definition: 61:9 value
            state.advance()
