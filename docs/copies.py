from tvm.script import tirx as T


# tilewright: run wide(1024) reference=plain seed=secret repeat=40
# tilewright: run wide(256) reference=plain seed=secret repeat=40
# tilewright: run narrow(1024) reference=plain seed=secret repeat=40
def wide(threads):
    @T.prim_func
    def kernel(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        T.device_entry()
        block = T.cta_id([T.ceildiv(n, threads * 4)])
        i = T.thread_id([threads])
        at = (block * threads + i) * 4
        if at < n:
            T.cuda.copy_128b(T.address_of(B[at]), T.address_of(A[at]))

    return kernel


def narrow(threads):
    @T.prim_func
    def kernel(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        T.device_entry()
        block = T.cta_id([T.ceildiv(n, threads)])
        i = T.thread_id([threads])
        at = block * threads + i
        if at < n:
            B[at] = A[at]

    return kernel


@T.prim_func
def plain(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    T.device_entry()
    block = T.cta_id([T.ceildiv(n, 1024)])
    i = T.thread_id([1024])
    if block * 1024 + i < n:
        B[block * 1024 + i] = A[block * 1024 + i]
