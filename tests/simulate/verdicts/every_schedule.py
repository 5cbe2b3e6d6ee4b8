# tilewright: arch sm_80
# What each schedule leaves is compared; where any order is right, the comment says so.
# verdict run slots: failed
# verdict run bag: verified
# verdict run total: verified
from tvm.script import tirx as T


# tilewright: run slots reference=expected out=zeros count=zeros
@T.prim_func
def slots(out: T.Buffer((256,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    b = T.cta_id([4])
    t = T.thread_id([64])
    s: T.let = T.cuda.atomic_add(count.ptr_to([0]), 1)
    out[s] = b * 64 + t


# tilewright: run bag reference=expected expected=unordered(out) out=zeros count=zeros
@T.prim_func
def bag(out: T.Buffer((256,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    b = T.cta_id([4])
    t = T.thread_id([64])
    s: T.let = T.cuda.atomic_add(count.ptr_to([0]), 1)
    out[s] = b * 64 + t


@T.prim_func
def expected(out: T.Buffer((256,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in range(256):
        out[i] = i
    count[0] = 256


# tilewright: run total reference=sum count=zeros
@T.prim_func
def total(A: T.Buffer((256,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    b = T.cta_id([4])
    t = T.thread_id([64])
    T.cuda.atomic_add(count.ptr_to([0]), A[b * 64 + t])


@T.prim_func
def sum(A: T.Buffer((256,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in range(256):
        count[0] = count[0] + A[i]
