# tilewright: arch sm_90a
# Integers that are not given differ, where they are data; where they are indices, they stay inside.
# verdict make("before start"): TW5020
# verdict make("synced"): clean
# verdict make("before end"): TW5016
# verdict gather(1): clean
# verdict gather(4): clean
# verdict bounds(): clean
# verdict flags(1): clean
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


def make(kind):
    @T.prim_func
    def k(A: T.Buffer((2, 128), "uint32"), B: T.Buffer((2, 128), "uint32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "uint32")
        s[tid] = T.uint32(0)
        if kind != "before start":
            T.cuda.cluster_sync()
        if kind == "before end":
            T.ptx.st(T.reinterpret("handle", T.ptx.map_shared_rank(s.ptr_to([tid]), 1 - rank)), A[rank, tid], space="shared::cluster", ptx_type="u32")
        else:
            T.ptx.st(T.reinterpret("handle", T.ptx.map_shared_rank(s.ptr_to([tid]), 1 - rank)), A[rank, tid], space="shared::cluster", ptx_type="u32")
            T.cuda.cluster_sync()
            B[rank, tid] = s[tid]

    return k


def gather(rows):
    @T.prim_func
    def k(A: T.Buffer((rows, 64), "float32"), I: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "int32", align=128)
        Tx.cta.copy(s[:], I[:])
        T.cuda.cta_sync()
        where: T.int32 = s[tid]
        B[tid] = A[where, tid]

    return k


def bounds(n=64):
    @T.prim_func
    def k(A: T.Buffer((n,), "float32"), L: T.Buffer((1,), "int32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        total: T.float32 = T.float32(0)
        for i in T.serial(L[0]):
            total = total + A[i]
        B[tid] = total

    return k


def flags(n):
    @T.prim_func
    def k(A: T.Buffer((64,), "int32"), done: T.Buffer((n,), "int32"), B: T.Buffer((64,), "int32")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([64])
        if cta == 0:
            if tid == 0:
                T.cuda.atomic_add(done.ptr_to([0]), 1)
        else:
            if tid == 0:
                while T.ptx.ld_acquire(done.ptr_to([0]), "int32", "s32") < 1:
                    pass
            B[tid] = A[tid]

    return k
