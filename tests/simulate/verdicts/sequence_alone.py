# tilewright: arch sm_90a
# A kernel that its sequence runs behind another one is tried alone where that one is not compiled, and it is said.
# tilewright: sequence first then second
# tilewright: sequence second then third
# verdict unchecked second: first, which its sequence runs before it, was not compiled: it was tried alone
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def first(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([64])
    Tx.cta.fill(B[0:4, 0:64], T.float16(0))


@T.prim_func
def second(B: T.Buffer((64, 64), "float16"), C: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([64])
    for i in T.serial(64):
        C[i, tid] = B[i, tid]


@T.prim_func
def third(C: T.Buffer((64, 64), "float16"), D: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([64])
    for i in T.serial(64):
        D[i, tid] = C[i, tid]
