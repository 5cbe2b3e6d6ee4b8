# tilewright: dialect 0.27
# tilewright: arch sm_100a
# tilewright: entry elements
# tilewright: run elements reference=expected U=zeros P=arange A=zeros
"""Instructions of 0.27 that write their results straight into elements of tensors: those are outputs (ptx_elements)."""
from tvm.script import tirx as T

@T.prim_func
def elements(U: T.Buffer((32, 8), "uint32"), P: T.Buffer((32,), "uint32"), A: T.Buffer((32,), "uint32")):
    T.device_entry()
    T.warp_id([1])
    lane = T.lane_id([32])
    bar = T.alloc_buffer((1,), "uint64", scope="shared", align=8)
    state = T.local_scalar("uint64")
    S = T.alloc_buffer((32,), "uint32", scope="shared")
    S[lane] = T.Cast("uint32", lane * 3)
    T.cuda.warp_sync()
    T.ptx.add.u32(U[lane, 0], T.uint32(3), T.uint32(4))
    T.ptx.ld.shared.u32(U[lane, 1], S.ptr_to([lane]))
    T.ptx.atom.global_.add.u32(U[lane, 2], A.ptr_to([lane]), T.uint32(5))
    T.ptx.shfl_sync.idx.b32(U[lane, 3], T.uint32(lane), T.uint32(3), T.uint32(31), T.uint32(0xffffffff))
    T.ptx.mov.b32(U[lane, 4], lane)
    T.ptx.vote_sync.ballot.b32(U[lane, 5], lane < 4, T.uint32(0xffffffff))
    T.ptx.add.u32(U[lane, 6], P[lane], T.uint32(1))
    T.ptx.add.u32(U[lane, 7], T.uint32(1), T.uint32(2), pred=lane < 4, preserve_dst=True)
    if lane == 0:
        T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), T.uint32(1))
        T.ptx.mbarrier.arrive.shared__cta.b64(state, bar.ptr_to([0]))
        T.ptx.mbarrier.test_wait.parity.shared__cta.b64(U[0, 7], bar.ptr_to([0]), T.uint32(0))

@T.prim_func
def expected(U: T.Buffer((32, 8), "uint32"), P: T.Buffer((32,), "uint32"), A: T.Buffer((32,), "uint32")):
    T.device_entry()
    T.warp_id([1])
    lane = T.lane_id([32])
    U[lane, 0] = T.uint32(7)
    U[lane, 1] = T.Cast("uint32", lane * 3)
    U[lane, 2] = T.uint32(0)
    A[lane] = T.uint32(5)
    U[lane, 3] = T.uint32(3)
    U[lane, 4] = T.Cast("uint32", lane)
    U[lane, 5] = T.uint32(15)
    U[lane, 6] = P[lane] + T.uint32(1)
    if lane < 4:
        U[lane, 7] = T.Cast("uint32", T.if_then_else(lane == 0, 1, 3))
