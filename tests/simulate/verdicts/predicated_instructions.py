# tilewright: dialect 0.27
# tilewright: arch sm_90a
# Where pred= is false, an instruction of 0.27 writes nothing: its destination has no value, unless preserve_dst=True keeps it.
# verdict arithmetic(False): TW5002 at `T.ptx.add.u32(x`
# verdict arithmetic(True): clean
# verdict loaded("guarded"): clean
# verdict loaded("all"): TW5002 at `T.ptx.ld.global_.b32(x`
# verdict loaded("kept"): clean
# verdict vector(False): TW5002 at `T.ptx["ld.shared.v2.b32"]`
# verdict vector(True): clean
# verdict branch(False): TW5002 at `T.ptx.setp.lt.s32`
# verdict branch(True): clean
# verdict exchanged(False): TW5002 at `T.ptx.add.u32(x`
# verdict exchanged(True): clean
# verdict swapped(False): TW5002 at `T.ptx["atom.shared.exch.b32"]`
# verdict swapped(True): clean
# verdict overwritten: clean
from tvm.script import tirx as T


def arithmetic(keeps):
    @T.prim_func
    def k(B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        x: T.uint32
        x = T.uint32(1)
        if keeps:
            T.ptx.add.u32(x, x, 100, pred=tid < 4, preserve_dst=True)
        else:
            T.ptx.add.u32(x, x, 100, pred=tid < 4)
        B[tid] = x

    return k


def loaded(how):
    @T.prim_func
    def k(A: T.Buffer((16,), "uint32"), B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        x: T.uint32
        x = T.uint32(0)
        if how == "kept":
            T.ptx.ld.global_.b32(x, A.ptr_to([tid]), pred=tid < 16, preserve_dst=True)
        else:
            T.ptx.ld.global_.b32(x, A.ptr_to([tid]), pred=tid < 16)
        if how == "guarded":
            if tid < 16:
                B[tid] = x
            else:
                B[tid] = T.uint32(7)
        else:
            B[tid] = x

    return k


def vector(keeps):
    @T.prim_func
    def k(B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        S = T.alloc_shared([64], "uint32", align=128)
        v = T.alloc_local([2], "uint32")
        v[0] = T.uint32(1)
        v[1] = T.uint32(2)
        T.ptx.st.shared.v2.b32(S.ptr_to([2 * tid]), tid, 9)
        if keeps:
            T.ptx["ld.shared.v2.b32"](v[0], v[1], S.ptr_to([2 * tid]), pred=tid != 3, preserve_dst=True)
        else:
            T.ptx["ld.shared.v2.b32"](v[0], v[1], S.ptr_to([2 * tid]), pred=tid != 3)
        B[tid] = v[0] + v[1]

    return k


def branch(keeps):
    @T.prim_func
    def k(B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        x: T.uint32
        x = T.uint32(0)
        if keeps:
            T.ptx.setp.lt.s32(x, T.int32(3), tid, pred=tid > 1, preserve_dst=True)
        else:
            T.ptx.setp.lt.s32(x, T.int32(3), tid, pred=tid > 1)
        if x != T.uint32(0):
            B[tid] = T.uint32(1)
        else:
            B[tid] = T.uint32(2)

    return k


def exchanged(keeps):
    @T.prim_func
    def k(B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        x: T.uint32
        y: T.uint32
        x = T.uint32(5)
        if keeps:
            T.ptx.add.u32(x, x, 1, pred=tid < 16, preserve_dst=True)
        else:
            T.ptx.add.u32(x, x, 1, pred=tid < 16)
        T.ptx.shfl_sync.bfly.b32(y, x, 16, 31, 0xffffffff)
        B[tid] = y

    return k


def swapped(keeps):
    @T.prim_func
    def k(B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        S = T.alloc_shared([32], "uint32", align=128)
        x: T.uint32
        x = T.uint32(0)
        S[tid] = T.uint32(3)
        if keeps:
            T.ptx["atom.shared.exch.b32"](x, S.ptr_to([tid]), T.uint32(4), pred=tid == 0, preserve_dst=True)
        else:
            T.ptx["atom.shared.exch.b32"](x, S.ptr_to([tid]), T.uint32(4), pred=tid == 0)
        B[tid] = x

    return k


# What has no value may move about, and be written over.
@T.prim_func
def overwritten(B: T.Buffer((32,), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    x: T.uint32
    y: T.uint32
    x = T.uint32(1)
    T.ptx.add.u32(x, x, 1, pred=tid < 4)
    y = x + T.uint32(1)
    x = T.uint32(2)
    T.ptx.add.u32(y, x, 1)
    B[tid] = x + y
