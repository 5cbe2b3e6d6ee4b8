# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""Kernels of tvm_tirx that are right, each beside a plain one (package_test.py)."""
from tvm_tirx.script import tirx as T

n = T.dynamic("n")
ONE = T.cuda.LaunchConfig(grid=1, block=1)


@T.function
def plain_add(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=ONE)
    for i in T.serial(1024):
        C[i] = A[i] + B[i]


# tilewright: reference plain_add
@T.function
def add(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128))
    i = T.cuda.block_idx("x") * 128 + T.cuda.thread_idx("x")
    C[i] = A[i] + B[i]


# tilewright: reference plain_add
@T.function
def add_instructions(
    A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=(32, 4)))
    i = T.cuda.block_idx("x") * 128 + T.cuda.linear_thread_id()
    a: T.float32
    b: T.float32
    T.ptx.ld.global_.f32(a, A.ptr_to([i]))
    T.ptx.ld.global_.f32(b, B.ptr_to([i]))
    T.ptx.add.f32(a, a, b)
    T.ptx.st.global_.f32(C.ptr_to([i]), a)


# tilewright: reference plain_add
@T.function
def add_vectors(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    i = (T.cuda.block_idx("x") * 128 + T.cuda.thread_idx("x")) * 4
    a = T.alloc_local((4,), "float32")
    b = T.alloc_local((4,), "float32")
    T.ptx.ld.global_.v4.f32(a[0], a[1], a[2], a[3], A.ptr_to([i]))
    T.ptx.ld.global_.v4.f32(b[0], b[1], b[2], b[3], B.ptr_to([i]))
    for k in T.unroll(4):
        a[k] = a[k] + b[k]
    T.ptx.st.global_.v4.f32(C.ptr_to([i]), a[0], a[1], a[2], a[3])


# tilewright: reference plain_add
@T.function
def add_strided(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=3, block=64))
    i: T.int32 = T.cuda.block_idx("x") * 64 + T.cuda.thread_idx("x")
    while i < 1024:
        C[i] = A[i] + B[i]
        i = i + T.cuda.grid_dim("x") * T.cuda.block_dim("x")


# tilewright: run add_dynamic n=1024 reference=plain_add
@T.function
def add_dynamic(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=T.ceildiv(n, 96), block=96))
    i = T.cuda.block_idx("x") * 96 + T.cuda.thread_idx("x")
    if i < n:
        sum_of_both = A[i] + B[i]
        C[i] = sum_of_both


# tilewright: reference plain_add
@T.function
def add_staged(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128))
    stage = T.alloc_shared((128,), "float32")
    t = T.cuda.thread_idx("x")
    base = T.cuda.block_idx("x") * 128
    stage[t] = A[base + 127 - t]
    T.cuda.cta_sync()
    C[base + t] = stage[127 - t] + B[base + t]


@T.function
def plain_reverse(A: T.Tensor((1024,), "int32"), C: T.Tensor((1024,), "int32")):
    T.device_entry(launch=ONE)
    for i in T.serial(1024):
        C[i] = A[i // 128 * 128 + 127 - i % 128]


# tilewright: reference plain_reverse
@T.function
def reverse(A: T.Tensor((1024,), "int32"), C: T.Tensor((1024,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128))
    stage = T.alloc_tensor(ty_args=[T.Tensor((128,), "int32", scope="shared")])
    t = T.cuda.thread_idx("x")
    base = T.cuda.block_idx("x") * 128
    T.ptx.cp.async_.ca.shared.global_(stage.ptr_to([t]), A.ptr_to([base + t]), 4)
    T.ptx["cp.async.commit_group"]()
    T.ptx["cp.async.wait_group"](0)
    T.cuda.cta_sync()
    C[base + t] = stage[127 - t]


# tilewright: reference plain_reverse
@T.function
def reverse_views(A: T.Tensor((1024,), "int32"), C: T.Tensor((1024,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=(64, 2)))
    rows = A.view(8, 128)
    out = C.view(8, 2, 64)
    b = T.cuda.block_idx("x")
    x = T.cuda.thread_idx("x")
    y = T.cuda.thread_idx("y")
    out[b, y, x] = rows[b, 127 - (y * 64 + x)]


@T.function
def plain_sums(A: T.Tensor((8, 128), "int32"), S: T.Tensor((8,), "int32")):
    T.device_entry(launch=ONE)
    for r in T.serial(8):
        total: T.int32 = 0
        for c in T.serial(128):
            total += A[r, c]
        S[r] = total


# tilewright: reference plain_sums
@T.function
def sums(A: T.Tensor((8, 128), "int32"), S: T.Tensor((8,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128))
    part = T.alloc_shared((4,), "int32")
    r = T.cuda.block_idx("x")
    w = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    v: T.int32 = A[r, T.cuda.thread_idx("x")]
    other: T.int32
    for step in T.unroll(5):
        T.ptx.shfl_sync.bfly.b32(other, v, T.uint32(1 << step), T.uint32(31), T.uint32(0xFFFFFFFF))
        v += other
    if lane == 0:
        part[w] = v
    T.cuda.cta_sync()
    if T.cuda.thread_idx("x") == 0:
        S[r] = part[0] + part[1] + part[2] + part[3]


# tilewright: reference plain_sums
@T.function
def sums_warp(A: T.Tensor((8, 128), "int32"), S: T.Tensor((8,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    r = T.cuda.block_idx("x") * 4 + T.cuda.warp_id()
    v: T.int32 = 0
    for k in T.unroll(4):
        v += A[r, k * 32 + T.cuda.lane_id()]
    total = T.cuda.warp_sum(v)
    if T.cuda.lane_id() == 0:
        S[r] = total


# tilewright: reference plain_sums
@T.function
def sums_cluster(A: T.Tensor((8, 128), "int32"), S: T.Tensor((8,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=16, block=64, cluster=2))
    part = T.alloc_shared((1,), "int32")
    rank = T.cuda.cluster_cta_id("x")
    r = T.cuda.cluster_id("x")
    t = T.cuda.thread_idx("x")
    if t == 0:
        part[0] = 0
    T.cuda.cta_sync()
    T.ptx.red.shared__cta.add.s32(part.ptr_to([0]), A[r, rank * 64 + t])
    T.cuda.cluster_sync()
    if (rank == 0) and (t == 0):
        address: T.uint32
        other: T.int32
        T.ptx.mapa.shared__cluster.u32(address, T.cuda.cvta_generic_to_shared(part.ptr_to([0])), T.uint32(1))
        T.ptx.ld.shared__cluster.s32(other, address)
        S[r] = part[0] + other
    T.cuda.cluster_sync()


# tilewright: reference plain_sums
@T.function
def sums_bulk(A: T.Tensor((8, 128), "int32"), S: T.Tensor((8,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=32))
    row = T.alloc_shared((128,), "int32", align=128)
    full = T.alloc_shared((1,), "uint64")
    r = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        T.ptx.fence.proxy.async_.shared__cta()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(512))
        T.ptx["cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"](
            row.ptr_to([0]), A.ptr_to([r, 0]), T.uint32(512), full.ptr_to([0])
        )
    T.cuda.cta_sync()
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    v: T.int32 = 0
    for k in T.unroll(4):
        v += row[k * 32 + t]
    total = T.cuda.warp_sum(v)
    if t == 0:
        S[r] = total


def scaled(values, index, factor):
    return values[index] * factor


@T.inline
def store_scaled(A, C, i, factor):
    C[i] = scaled(A, i, factor)


@T.function
def plain_scale(A: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float32")):
    T.device_entry(launch=ONE)
    for i in T.serial(256):
        C[i] = A[i] * T.float32(2.5)


# tilewright: reference plain_scale
@T.function
def scale_inline(A: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    store_scaled(A, C, T.cuda.block_idx("x") * 128 + T.cuda.thread_idx("x"), 2.5)


@T.jit
def scale_by(A: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float32"), THREADS: T.constexpr, BY: T.constexpr):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=256 // THREADS, block=THREADS))
    i = T.cuda.block_idx("x") * THREADS + T.cuda.thread_idx("x")
    if T.constexpr(BY > 1):
        C[i] = A[i] * T.float32(BY)
    else:
        C[i] = A[i]


# tilewright: reference plain_scale
scale_jit = scale_by.specialize(THREADS=64, BY=2.5)


@T.function
def plain_product(A: T.Tensor((16, 16), "float16"), B: T.Tensor((8, 16), "float16"), C: T.Tensor((16, 8), "float32")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(16, 8):
        total: T.float32 = 0.0
        for k in T.serial(16):
            total += T.cast(A[i, k], "float32") * T.cast(B[j, k], "float32")
        C[i, j] = total


# tilewright: reference plain_product
@T.function
def product_mma(A: T.Tensor((16, 16), "float16"), B: T.Tensor((8, 16), "float16"), C: T.Tensor((16, 8), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    words_of_a = A.view("uint32")
    words_of_b = B.view("uint32")
    a = T.alloc_local((4,), "uint32")
    b = T.alloc_local((2,), "uint32")
    d = T.alloc_local((4,), "float32")
    for q in T.unroll(4):
        a[q] = words_of_a[lane // 4 + 8 * (q % 2), lane % 4 + 4 * (q // 2)]
        d[q] = T.float32(0)
    for q in T.unroll(2):
        b[q] = words_of_b[lane // 4, lane % 4 + 4 * q]
    T.ptx["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"](
        d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]
    )
    for q in T.unroll(4):
        C[lane // 4 + 8 * (q // 2), 2 * (lane % 4) + q % 2] = d[q]


# tilewright: reference plain_product
@T.function
def product_ldmatrix(
    A: T.Tensor((16, 16), "float16"), B: T.Tensor((8, 16), "float16"), C: T.Tensor((16, 8), "float32")
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    tile_a = T.alloc_shared((16, 16), "float16", align=128)
    tile_b = T.alloc_shared((8, 16), "float16", align=128)
    a = T.alloc_local((4,), "uint32")
    b = T.alloc_local((2,), "uint32")
    d = T.alloc_local((4,), "float32")
    for q in T.serial(8):
        tile_a[q * 2 + lane // 16, lane % 16] = A[q * 2 + lane // 16, lane % 16]
    for q in T.serial(4):
        tile_b[q * 2 + lane // 16, lane % 16] = B[q * 2 + lane // 16, lane % 16]
    T.cuda.warp_sync()
    T.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(
        a[0], a[1], a[2], a[3], tile_a.ptr_to([lane % 16, lane // 16 * 8])
    )
    T.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16(b[0], b[1], tile_b.ptr_to([lane % 8, lane // 8 % 2 * 8]))
    for q in T.unroll(4):
        d[q] = T.float32(0)
    T.ptx["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"](
        d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]
    )
    for q in T.unroll(4):
        C[lane // 4 + 8 * (q // 2), 2 * (lane % 4) + q % 2] = d[q]


@T.function
def plain_transpose(A: T.Tensor((32, 64), "float32"), C: T.Tensor((64, 32), "float32")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(64, 32):
        C[i, j] = A[j, i]


# tilewright: reference plain_transpose
@T.function
def transpose(A: T.Tensor((32, 64), "float32"), C: T.Tensor((64, 32), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=(32, 8)))
    tile = T.alloc_shared((32, 33), "float32")
    x = T.cuda.thread_idx("x")
    y = T.cuda.thread_idx("y")
    b = T.cuda.block_idx("x")
    for k in T.unroll(4):
        tile[y + 8 * k, x] = A[y + 8 * k, b * 32 + x]
    T.cuda.cta_sync()
    for k in T.unroll(4):
        C[b * 32 + y + 8 * k, x] = tile[x, y + 8 * k]


# tilewright: reference plain_transpose
@T.function
def transpose_permuted(A: T.Tensor((32, 64), "float32"), C: T.Tensor((64, 32), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=(2, 4), block=256))
    turned = A.permute(1, 0)
    t = T.cuda.thread_idx("x")
    i = T.cuda.block_idx("x") * 32 + T.cuda.block_idx("y") * 8 + t // 32
    C[i, t % 32] = turned[i, t % 32]


@T.function
def plain_steps(A: T.Tensor((128,), "int32"), C: T.Tensor((128,), "int32")):
    T.device_entry(launch=ONE)
    for i in T.serial(128):
        steps: T.int32 = 0
        x: T.int32 = T.bitwise_and(A[i], 1023) + 1
        while x > 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            steps += 1
            if steps == 40:
                break
        C[i] = steps


# tilewright: reference plain_steps
@T.function
def steps(A: T.Tensor((128,), "int32"), C: T.Tensor((128,), "int32")):
    T.device_entry(
        launch=T.cuda.LaunchConfig(grid=1, block=128), kernel_attrs=T.cuda.KernelAttributes(min_blocks_per_sm=2)
    )
    i = T.cuda.thread_idx("x")
    count: T.int32 = 0
    x: T.int32 = T.bitwise_and(A[i], 1023) + 1
    while (x > 1) and (count < 40):
        half = x // 2
        x = T.if_then_else(x % 2 == 0, half, 3 * x + 1)
        count += 1
    C[i] = count
