# tilewright: arch sm_90a
# An mbarrier is initialised once, by one thread, and its memory is nothing else before mbarrier.inval.
# verdict make("once"): clean
# verdict make("two warps"): TW5013 at `T.ptx.mbarrier.init(bar.ptr_to([0]), 1)`
# verdict make("all lanes"): TW5013 at `T.ptx.mbarrier.init(bar.ptr_to([0]), 1)`
# verdict make("again"): TW5013 at `T.ptx.mbarrier.init(bar.ptr_to([0]), 1)  # again`
# verdict make("inval"): clean
# verdict over("store", False): TW5013 at `data[tid] = `
# verdict over("store", True): clean
# verdict over("bulk", False): TW5013 at `T.ptx.cp_async_bulk_g2s_cluster(data`
# verdict over("copy", False): TW5013 at `Tx.cta.copy(data`
# verdict over("beside", False): clean
# verdict ended("ordered"): clean
# verdict ended("unordered"): TW5020 at `T.ptx.mbarrier.inval(`
# verdict ended("arrived"): TW5020 at `T.ptx.mbarrier.inval(`
# verdict ended("last waits"): clean
# verdict after_data(True): clean
# verdict after_data(False): TW5020
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


def make(kind):
    @T.prim_func
    def k(B: T.Buffer((1,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        bar = T.alloc_shared([1], "uint64")
        if (tid % 32 == 0 if kind == "two warps" else tid < 32 if kind == "all lanes" else tid == 0):
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        T.cuda.cta_sync()
        if tid == 32:
            T.ptx.mbarrier.arrive(bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        if kind == "again" or kind == "inval":
            T.cuda.cta_sync()
            if tid == 0:
                if kind == "inval":
                    T.ptx.mbarrier.inval(bar.ptr_to([0]))
                T.ptx.mbarrier.init(bar.ptr_to([0]), 1)  # again
            T.cuda.cta_sync()
            if tid == 32:
                T.ptx.mbarrier.arrive(bar.ptr_to([0]))
            T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        if tid == 0:
            B[0] = 1

    return k


def over(kind, ends):
    @T.prim_func
    def k(A: T.Buffer((128,), "uint32"), B: T.Buffer((128,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        full = pool.alloc((2,), "uint64", align=16)
        pool.move_base_to(128 if kind == "beside" else 0)
        data = pool.alloc((128,), "uint32", align=128)
        other = pool.alloc((2,), "uint64", align=16)
        pool.commit()
        if tid == 0:
            T.ptx.mbarrier.init(full.ptr_to([0]), 128)
            T.ptx.mbarrier.init(other.ptr_to([0]), 1)
        T.cuda.cta_sync()
        T.ptx.mbarrier.arrive(full.ptr_to([0]))
        T.ptx.mbarrier.try_wait(full.ptr_to([0]), 0)
        T.cuda.cta_sync()
        if ends:
            if tid == 0:
                T.ptx.mbarrier.inval(full.ptr_to([0]))
            T.cuda.cta_sync()
        if kind == "bulk":
            if tid == 0:
                T.ptx.mbarrier.arrive.expect_tx(other.ptr_to([0]), 512)
                T.ptx.cp_async_bulk_g2s_cluster(data.ptr_to([0]), A.ptr_to([0]), 512, other.ptr_to([0]))
            T.ptx.mbarrier.try_wait(other.ptr_to([0]), 0)
        elif kind == "copy":
            Tx.cta.copy(data[:], A[:])
        else:
            data[tid] = A[tid]
        T.cuda.cta_sync()
        B[tid] = data[127 - tid]

    return k


def after_data(ordered):
    @T.prim_func
    def k(A: T.Buffer((128,), "uint32"), B: T.Buffer((128,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        data = pool.alloc((128,), "uint32", align=128)
        pool.move_base_to(0)
        bar = pool.alloc((1,), "uint64", align=8)
        pool.commit()
        data[tid] = A[tid]
        T.cuda.cta_sync()
        B[tid] = data[127 - tid]
        if ordered:
            T.cuda.cta_sync()
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 128)
        T.cuda.cta_sync()
        T.ptx.mbarrier.arrive(bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)

    return k


def ended(kind):
    @T.prim_func
    def k(B: T.Buffer((64,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 64)
        T.cuda.cta_sync()
        T.ptx.mbarrier.arrive(bar.ptr_to([0]))
        if kind == "last waits":
            if tid == 0:
                T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        elif kind != "arrived":
            T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        if kind == "ordered":
            T.cuda.cta_sync()
        if tid == 0:
            T.ptx.mbarrier.inval(bar.ptr_to([0]))
        B[tid] = 1

    return k
