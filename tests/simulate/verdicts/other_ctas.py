# tilewright: arch sm_90a
# A part of a large grid stands for all of it where the other CTAs do the same elsewhere, which their addresses show: then
# it is checked. What only far CTAs do is never called so: their classes are run, or it is said that they were not.
# verdict tiles("right"): clean
# verdict unchecked tiles("right"): nothing
# verdict unchecked tiles("rows meet"): CTAs may write what others touch in C
# verdict unchecked tiles("columns meet"): CTAs may write what others touch in C
# verdict unchecked tiles("one CTA writes elsewhere"): CTAs may write what others touch in C
# verdict tiles("one CTA races"): TW5020 at `s[0, 0] = T.cast(tid`
# verdict unchecked tiles("one CTA races"): nothing
# verdict unchecked tiles("each CTA has a branch of its own"): CTAs that take another branch were not run
# verdict unchecked tiles("data decides"): depends on data
# verdict unchecked tiles("an atomic"): T.cuda.atomic_add
# verdict unchecked tiles("reads a neighbour"): CTAs may write what others touch in C
# verdict tail(0): clean
# verdict unchecked tail(0): nothing
# verdict tail(1): TW5001 at `C[bx * 128 + tid] = A[`
# verdict unchecked through_tensor_maps(64): nothing
# verdict unchecked through_tensor_maps(63): CTAs may write what others touch in C
# verdict unchecked pairs(1): nothing
# verdict unchecked pairs(0): CTAs may write what others touch in B
# verdict unchecked far("a view"): nothing
# verdict unchecked far("a view too near"): CTAs may write what others touch in C
# verdict unchecked far("a bulk copy"): nothing
# verdict unchecked far("a bulk copy too near"): CTAs may write what others touch in C
# verdict far("one CTA reads another element"): TW5020 at `s[tid] = 0.0`
# verdict unchecked far("one CTA leaves the tensor"): CTAs may write what others touch in C
# verdict unchecked far("one CTA begins earlier"): CTAs that take another branch were not run
# verdict unchecked far("unsigned"): CTAs that take another branch were not run
# verdict unchecked far("a flag"): depends on data
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

M, N = 8192, 8192


def tiles(kind):
    @T.prim_func
    def k(A: T.Buffer((M, N), "float16"), C: T.Buffer((M, N), "float16"), count: T.Buffer((1,), "int32")):
        T.device_entry()
        bx, by = T.cta_id([M // 128, N // 64])
        tid = T.thread_id([128])
        s = T.alloc_shared((128, 64), "float16")
        Tx.cta.copy(s[:, :], A[bx * 128 : bx * 128 + 128, by * 64 : by * 64 + 64])
        T.cuda.cta_sync()
        row: T.int32 = bx
        column: T.int32 = by
        if T.meta_var(kind == "one CTA races"):
            if bx * by == 17 * 91:
                s[0, 0] = T.cast(tid, "float16")
            T.cuda.cta_sync()
        if T.meta_var(kind == "each CTA has a branch of its own"):
            if tid == bx + by:
                s[0, 0] = T.float16(0)
            T.cuda.cta_sync()
        if T.meta_var(kind == "data decides"):
            if T.cast(s[0, 0], "float32") > 100.0:
                T.cuda.cta_sync()
        if T.meta_var(kind == "an atomic"):
            T.cuda.atomic_add(count.ptr_to([0]), 1)
        if T.meta_var(kind == "one CTA writes elsewhere"):
            if bx == 17:
                if by == 3:
                    C[0, tid] = s[tid, 0]
        if T.meta_var(kind == "reads a neighbour"):
            s[tid, 1] = C[bx * 128 + tid, T.min(by * 64 + 64, N - 64)]
        if T.meta_var(kind == "rows meet"):
            Tx.cta.copy(C[(bx - bx // 41) * 128 : (bx - bx // 41) * 128 + 128, by * 64 : by * 64 + 64], s[:, :])
        elif T.meta_var(kind == "columns meet"):
            Tx.cta.copy(C[bx * 128 : bx * 128 + 128, by % 100 * 64 : by % 100 * 64 + 64], s[:, :])
        else:
            Tx.cta.copy(C[row * 128 : row * 128 + 128, column * 64 : column * 64 + 64], s[:, :])

    return k


def tail(off):
    n = (1 << 24) - 5

    @T.prim_func
    def k(A: T.Buffer((n,), "float32"), C: T.Buffer((n,), "float32")):
        T.device_entry()
        bx = T.cta_id([1 << 17])
        tid = T.thread_id([128])
        if bx * 128 + tid < n + off:
            C[bx * 128 + tid] = A[bx * 128 + tid]

    return k


def through_tensor_maps(step):
    @T.prim_func
    def k(A: T.Buffer((M, N), "float16"), C: T.Buffer((M, N), "float16")):
        T.device_entry()
        bx, by = T.cta_id([M // 64, N // 64])
        tid = T.thread_id([128])
        s = T.alloc_shared((64, 64), "float16", align=128)
        full = T.alloc_shared((1,), "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(full.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), 8192)
            Tx.copy_async(
                s[:, :], A[bx * 64 : bx * 64 + 64, by * 64 : by * 64 + 64], dispatch="tma", mbar=full.ptr_to([0])
            )
            T.ptx.mbarrier.try_wait(full.ptr_to([0]), 0)
            Tx.copy_async(C[bx * step : bx * step + 64, by * 64 : by * 64 + 64], s[:, :], dispatch="tma")
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0)

    return k


def pairs(own):
    @T.prim_func
    def k(A: T.Buffer((1 << 22,), "float32"), B: T.Buffer((1 << 22,), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        bx = T.cta_id([1 << 15])
        tid = T.thread_id([128])
        x: T.float32 = 0.0
        for i in T.serial(100):
            x = x * T.float32(0.5) + A[bx * 128 + tid]
        if rank == 0:
            B[(bx // 2) * (128 - (1 - own)) + tid] = x

    return k


def far(kind):
    n, ctas = 1 << 24, 1 << 17

    @T.prim_func
    def k(A: T.Buffer((n,), "float32"), C: T.Buffer((n,), "float32"), F: T.Buffer((ctas,), "int32")):
        T.device_entry()
        bx = T.cta_id([ctas])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "float32", align=128)
        x: T.float32 = 0.0
        for i in T.serial(60):
            x = x * T.float32(0.5) + T.float32(1)
        s[tid] = A[bx * 128 + tid] + x
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        at: T.int32 = bx * 128 + tid
        if T.meta_var(kind == "one CTA begins earlier"):
            if bx == 70001:
                at = at - 128
        if T.meta_var(kind == "unsigned"):
            u: T.uint32 = T.cast(bx, "uint32") - T.uint32(70000)
            at = T.cast(u % T.uint32(ctas - 1), "int32") * 128 + tid
        if T.meta_var(kind == "a flag"):
            if F[ctas - 1 - bx] == 1:
                at = tid
        if T.meta_var(kind == "a view" or kind == "a view too near"):
            V = T.decl_buffer((128,), "float32", data=C.data, elem_offset=bx * (128 if kind == "a view" else 120))
            V[tid] = s[tid]
        elif T.meta_var(kind == "a bulk copy" or kind == "a bulk copy too near"):
            if tid == 0:
                T.ptx.cp_async_bulk_s2g(C.ptr_to([bx * (128 if kind == "a bulk copy" else 124)]), s.ptr_to([0]), 512)
                T.ptx.cp_async.bulk.commit_group()
                T.ptx.cp_async.bulk.wait_group(0)
        elif T.meta_var(kind == "one CTA reads another element"):
            C[at] = s[T.if_then_else(bx == 88888, 127 - tid, tid)]
            s[tid] = 0.0
        elif T.meta_var(kind == "one CTA leaves the tensor"):
            C[at + T.if_then_else(bx == 88888, n, 0)] = s[tid]
        else:
            C[at] = s[tid]

    return k
