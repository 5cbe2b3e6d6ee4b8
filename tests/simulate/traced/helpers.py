# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""Traced kernels that are right: stages by generators, a context manager, a class of its own, a semaphore of the grid."""
import contextlib
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T

BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
N = 8


@T.prim_func
def plain_tripled(A: T.Buffer((8, 128), "int32"), B: T.Buffer((8, 128), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(8):
        for c in T.serial(128):
            B[r, c] = A[r, 127 - c] * 3 + 1


@contextlib.contextmanager
def one_thread(of=0):
    with txl.If(txl.tid_in_role() == of), txl.Then():
        yield of


class Slot(IntEnum):
    FULL = 0
    EMPTY = 1


@dataclass(frozen=True)
class Ring:
    """Rows in shared memory with their barriers."""

    rows: object
    full: object
    empty: object
    stages: int

    @classmethod
    def make(cls, pool, stages, readers):
        full, empty = txl.TMABar(pool, stages), txl.MBarrier(pool, stages)
        rows = pool.alloc((stages, 128), txl.i32, align=128)
        full.init(1)
        empty.init(readers)
        return cls(rows, full, empty, stages)

    @property
    def bytes(self):
        return 128 * 4

    def producer(self):
        state = txl.PipelineState(self.stages, 1)
        for row in range(N):
            self.empty.wait(state.stage, state.phase)
            self.full.arrive(state.stage, self.bytes)
            yield row, state.stage
            state.advance()

    def consumer(self):
        state = txl.PipelineState(self.stages, 0)
        for row in range(N):
            self.full.wait(state.stage, state.phase)
            yield row, state.stage
            self.empty.arrive(state.stage)
            state.advance()


def finish(bias, x):
    return x * 3 + bias


def build(stages=1, *, bias=1):
    @txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
    def ring(A: txl.gptr[txl.i32, (8, 128)], B: txl.gptr[txl.i32, (8, 128)]):
        last = partial(finish, bias)
        pool = txl.smem_pool()
        ring = Ring.make(pool, stages, readers=128)
        txl.ptx["fence.mbarrier_init.release.cluster"]()
        txl.cuda.cta_sync()
        roles = txl.specialize()
        load, use = roles.role("load", warps=range(4), regs=24), roles.role("use", warps=range(4, 8), regs=240)
        with load:
            with one_thread():
                for row, stage in ring.producer():
                    txl.ptx[BULK](ring.rows.ptr_to([stage, 0]), A.ptr_to([row, 0]), txl.uint32(512), ring.full.ptr_to([stage]))
        with use:
            value = txl.local_scalar("int32")
            for row, stage in ring.consumer():
                txl.ptx.ld.shared.s32(value, ring.rows.ptr_to([stage, 127 - txl.tid_in_role()]))
                txl.ptx.st.global_.s32(B.ptr_to([row, txl.tid_in_role()]), last(value))

    return ring


# tilewright: reference plain_tripled
ring_of_one = build()
# tilewright: reference plain_tripled
ring_of_three = build(3)


def plain_sum(splits):
    @T.prim_func
    def summed(A: T.Buffer((512, 4), "int32"), S: T.Buffer((4,), "int32"), W: T.Buffer((4, 4), "int32"), L: T.Buffer((1,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for c in T.serial(4):
            S[c] = 0
            for r in T.serial(512):
                W[r // (512 // splits), c] = W[r // (512 // splits), c] + A[r, c]
                S[c] = S[c] + A[r, c]

    return summed


def last_of(semaphore, how_many):
    """True in all threads of the CTA that arrives last."""
    flag = txl.smem_pool().alloc((1,), txl.u32)
    before = txl.local_scalar("uint32")
    txl.cuda.cta_sync()
    with txl.If(txl.thread_id() == 0), txl.Then():
        txl.ptx["fence.acq_rel.gpu"]()
        txl.ptx["atom.acq_rel.gpu.global.inc.u32"](before, semaphore, txl.uint32(how_many - 1))
        txl.ptx["fence.acq_rel.gpu"]()
        txl.ptx.st.shared.u32(flag.ptr_to([0]), before)
    txl.cuda.cta_sync()
    txl.ptx.ld.shared.u32(before, flag.ptr_to([0]))
    return before == txl.uint32(how_many - 1)


def split_k_of(splits=4):
    @txl.kernel(warps=1, arch="sm_90a", grid=splits)
    def split_k(A: txl.gptr[txl.i32, (512, 4)], S: txl.gptr[txl.i32, (4,)], W: txl.gptr[txl.i32, (4, 4)], L: txl.gptr[txl.u32, (1,)]):
        cta, lane = txl.cta_id(), txl.lane_id()
        part, value = txl.local_scalar("int32", init=txl.int32(0)), txl.local_scalar("int32")
        rows = 512 // splits
        with txl.If(lane < 4), txl.Then():
            with txl.serial(rows) as r:
                txl.ptx.ld.global_.s32(value, A.ptr_to([cta * rows + r, lane]))
                txl.assign(part, part + value)
            txl.ptx.st.global_.s32(W.ptr_to([cta, lane]), part)
        is_last = last_of(L.ptr_to([0]), splits)
        with txl.If(txl.And(is_last, lane < 4)), txl.Then():
            txl.assign(part, txl.int32(0))
            for other in range(splits):
                txl.ptx.ld.global_.s32(value, W.ptr_to([other, lane]))
                txl.assign(part, part + value)
            txl.ptx.st.global_.s32(S.ptr_to([lane]), part)

    return split_k


# tilewright: run get_kernel(**CONFIGS[0]) reference=plain_sum(2) L=zeros W=zeros
# tilewright: run get_kernel(**CONFIGS[1]) reference=plain_sum(4) L=zeros W=zeros
KERNEL_META = {"compute_capability": 9}
CONFIGS = [{"splits": s, "label": f"split{s}"} for s in (2, 4) if 512 % s == 0]


def get_kernel(splits=4, **_):
    return split_k_of(splits)
