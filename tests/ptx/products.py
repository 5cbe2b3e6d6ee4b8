# tilewright: dialect 0.27
# tilewright: arch sm_100a
# tilewright: entry gemm
# tilewright: reference product
"""A product of tensor memory, instruction by instruction: alloc, mma, commit, the wait, ld, st, dealloc."""
from tvm.script import tirx as T
from tvm.tirx.layout import mma_shared_layout

M, N, K = 128, 64, 64


@T.prim_func
def gemm(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    tid = T.thread_id([128])
    left = T.alloc_buffer((M, K), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (M, K)), align=1024)
    right = T.alloc_buffer((N, K), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (N, K)), align=1024)
    read = T.alloc_shared([1], "uint64")
    address = T.alloc_shared([1], "uint32")
    done: T.uint32
    desc = T.alloc_local([2], "uint64")
    kind = T.alloc_local([1], "uint32")
    row = T.alloc_local([N], "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(address.ptr_to([0]), 64)
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(read.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
    for k in T.serial(K):
        left[tid, k] = A[tid, k]
        if tid < N:
            right[tid, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.ptx.bar.sync(0)
    if tid == 0:
        T.cuda.tcgen05.encode_instr_descriptor(
            kind.ptr_to([0]), d_dtype="float32", a_dtype="float16", b_dtype="float16", M=M, N=N, K=16, trans_a=False, trans_b=False)
        for k in T.unroll(K // 16):
            T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([0]), left.ptr_to([0, 16 * k]), 1, 64, 3)
            T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([1]), right.ptr_to([0, 16 * k]), 1, 64, 3)
            T.ptx.tcgen05.mma.cta_group__1.kind__f16(address[0], desc[0], desc[1], kind[0], 0, 0, 0, 0, T.ptx.pred(k))
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(read.ptr_to([0]))
    done = T.uint32(0)
    while done == 0:
        T.ptx.mbarrier.try_wait.parity.shared.b64(done, read.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"](*[row[i] for i in range(N)], address[0] + T.Cast("uint32", warp * 32 * 65536))
    T.ptx.tcgen05.wait__ld.sync.aligned()
    T.ptx["tcgen05.st.sync.aligned.32x32b.x64.b32"](address[0] + T.Cast("uint32", warp * 32 * 65536), *[row[i] for i in range(N)])
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"](*[row[i] for i in range(N)], address[0] + T.Cast("uint32", warp * 32 * 65536))
    T.ptx.tcgen05.wait__ld.sync.aligned()
    for column in T.unroll(N):
        D[tid, column] = T.reinterpret("float32", row[column])
    T.ptx.bar.sync(0)
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(address[0], 64)


@T.prim_func
def product(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float32")
    T.device_entry()
    row = T.cta_id([M])
    column = T.thread_id([N])
    total: T.float32
    total = T.float32(0)
    for k in T.serial(K):
        total = total + T.Cast("float32", A[row, k]) * T.Cast("float32", B[column, k])
    D[row, column] = total
