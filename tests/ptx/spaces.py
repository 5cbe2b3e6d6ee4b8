# tilewright: dialect 0.27
# tilewright: arch sm_90a
# tilewright: entry spaces
# tilewright: run spaces reference=expected A=arange U=zeros
"""The state spaces of addresses: of a tensor, of shared and local memory, and of a tensor map that is a parameter."""
from tvm.script import tirx as T


SPACES = ("const", "global", "local", "shared", "shared::cta", "shared::cluster", "param", "param::entry")


def asked(U, pointers):
    for at, pointer in enumerate(pointers):
        for place, space in enumerate(SPACES):
            T.ptx[f"isspacep.{space}"](U[at, place], pointer)


def told(U, rows):
    for at, holds in enumerate(rows):
        for place in holds:
            T.buffer_store(U, T.uint32(1), [at, place])


@T.prim_func
def spaces(A_ptr: T.handle, U: T.Buffer((4, 8), "uint32")):
    A = T.match_buffer(A_ptr, (64,), "uint32")
    A_map: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed("runtime.cuTensorMapEncodeTiled", A_map, "uint32", 1, A.data, 64, 64, 1, 0, 0, 2, 0)
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    S = T.alloc_shared([32], "uint32", align=128)
    own = T.alloc_local([8], "uint32")
    for i in T.unroll(8):
        own[i] = T.uint32(0)
    asked(U, (A.ptr_to([0]), S.ptr_to([0]), own.ptr_to([0]), T.reinterpret("handle", T.address_of(A_map))))


@T.prim_func
def expected(A_ptr: T.handle, U: T.Buffer((4, 8), "uint32")):
    A = T.match_buffer(A_ptr, (64,), "uint32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    told(U, ((1,), (3, 4, 5), (2,), (6, 7)))
