# tilewright: arch sm_90a
# tilewright: dialect 0.25
# What `# tilewright: run` says that tensors hold is what they hold: made-up numbers would leave this loop, or this guard.
# verdict groups("right"): clean
# verdict groups("row beyond"): TW5001 at `Y[first + tid`
# verdict guarded("right"): clean
# verdict guarded("no barrier"): TW5020 at `B[tid] = s[`
from tvm.script import tirx as T


# Tiles from a counter, rows from a table.
def groups(kind):
    # tilewright: run groups_kernel Begin=arange(step=16) Next=zeros
    @T.prim_func
    def groups_kernel(X: T.Buffer((48,), "float32"), Begin: T.Buffer((4,), "int32"), Next: T.Buffer((1,), "int32"),
                      Y: T.Buffer((48,), "float32")):
        T.device_entry()
        T.cta_id([2])
        tid = T.thread_id([32])
        job = T.alloc_shared((1,), "int32")
        more: T.int32 = 1
        while more == 1:
            if tid == 0:
                job[0] = T.cuda.atomic_add(Next.ptr_to([0]), 1)
            T.cuda.cta_sync()
            tile: T.int32 = job[0]
            T.cuda.cta_sync()
            if tile >= 3:
                more = 0
            else:
                first: T.let = Begin[tile]
                if tid < (17 if kind == "row beyond" else 16):
                    if first + tid < Begin[tile + 1] or kind == "row beyond" and tile == 2:
                        Y[first + tid] = X[T.min(first + tid, 47)]

    return groups_kernel


# A branch that one value of a float takes.
def guarded(kind):
    # tilewright: run guarded_kernel Mask=7
    @T.prim_func
    def guarded_kernel(Mask: T.Buffer((1,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        s[tid] = T.cast(tid, "float32")
        if kind == "no barrier":
            if Mask[0] != T.float32(7):
                T.cuda.cta_sync()
        else:
            T.cuda.cta_sync()
        B[tid] = s[63 - tid]

    return guarded_kernel
