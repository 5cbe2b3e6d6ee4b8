# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""Traced kernels that are right: tensor maps of a host prelude, multicast, stores that add, tiles in turn."""
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T

LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
CAST = LOAD + ".multicast::cluster"
ADD = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"


def tensor_map(pointer, rows, columns, box):
    out = txl.stack_alloca("tensormap")
    txl.call_packed("runtime.cuTensorMapEncodeTiled", out, "float32", 2, pointer, columns, rows, columns * 4, box[1], box[0], 1, 1, 0, 0, 0, 0)
    return out


@T.prim_func
def plain_both(A: T.Buffer((16, 32), "float32"), B: T.Buffer((2, 16, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for c in T.serial(2):
        for i in T.serial(16):
            for j in T.serial(32):
                B[c, i, j] = A[i, j] + T.cast(c, "float32")


def of_a(p):
    return tensor_map(p["A"].data, 16, 32, (8, 32))


# tilewright: reference plain_both
@txl.kernel(warps=4, arch="sm_90a", grid=False, host_prelude=of_a)
def multicast(A: txl.gptr[txl.f32, (16, 32)], B: txl.gptr[txl.f32, (2, 16, 32)], *, host):
    txl.cta_id([2])
    rank = txl.cta_id_in_cluster([2])
    tid = txl.thread_id()
    pool = txl.smem_pool()
    tile = pool.alloc((16, 32), txl.f32, align=128)
    full = txl.TMABar(pool, 1)
    full.init(1)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()
    with txl.If(tid == 0), txl.Then():
        full.arrive(0, 16 * 32 * 4)
        txl.ptx[CAST](tile.ptr_to([rank * 8, 0]), txl.address_of(host), txl.int32(0), rank * 8, full.ptr_to([0]), txl.uint16(3))
    full.wait(0, 0)
    value = txl.local_scalar("float32")
    with txl.serial(4) as i:
        txl.ptx.ld.shared.f32(value, tile.ptr_to([i * 4 + tid // 32, tid % 32]))
        txl.ptx.st.global_.f32(B.ptr_to([rank, i * 4 + tid // 32, tid % 32]), value + txl.cast(rank, "float32"))
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()


@T.prim_func
def plain_added(A: T.Buffer((4, 8, 32), "int32"), B: T.Buffer((8, 32), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(8):
        for j in T.serial(32):
            B[i, j] = B[i, j] + A[0, i, j] + A[1, i, j] + A[2, i, j] + A[3, i, j]


def of_b(p):
    out = txl.stack_alloca("tensormap")
    txl.call_packed("runtime.cuTensorMapEncodeTiled", out, "int32", 2, p["B"].data, 32, 8, 128, 32, 8, 1, 1, 0, 0, 0, 0)
    return out


# tilewright: reference plain_added
@txl.kernel(warps=4, arch="sm_90a", grid=4, host_prelude=of_b)
def store_adds(A: txl.gptr[txl.i32, (4, 8, 32)], B: txl.gptr[txl.i32, (8, 32)], *, host):
    cta, tid = txl.cta_id(), txl.thread_id()
    tile = txl.smem_pool().alloc((8, 32), txl.i32, align=128)
    value = txl.local_scalar("int32")
    for i in range(2):
        txl.ptx.ld.global_.s32(value, A.ptr_to([cta, i * 4 + tid // 32, tid % 32]))
        txl.ptx.st.shared.s32(tile.ptr_to([i * 4 + tid // 32, tid % 32]), value)
    txl.ptx["fence.proxy.async.shared::cta"]()
    txl.cuda.cta_sync()
    with txl.If(tid == 0), txl.Then():
        txl.ptx[ADD](txl.address_of(host), txl.int32(0), txl.int32(0), tile.ptr_to([0, 0]))
        txl.ptx["cp.async.bulk.commit_group"]()
        txl.ptx["cp.async.bulk.wait_group"](0)


@T.prim_func
def plain_tiles(A: T.Buffer((48, 32), "float32"), B: T.Buffer((48, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(48):
        for j in T.serial(32):
            B[i, j] = A[i, j] * T.float32(0.5)


def maps(p):
    return tensor_map(p["A"].data, 48, 32, (8, 32)), tensor_map(p["B"].data, 48, 32, (8, 32))


# tilewright: reference plain_tiles
@txl.kernel(warps=5, arch="sm_90a", grid=2, host_prelude=maps)
def persistent(A: txl.gptr[txl.f32, (48, 32)], B: txl.gptr[txl.f32, (48, 32)], *, host):
    map_a, map_b = host
    cta = txl.cta_id()
    pool = txl.smem_pool()
    tiles, results = pool.alloc((2, 8, 32), txl.f32, align=128), pool.alloc((2, 8, 32), txl.f32, align=128)
    pipe = txl.Pipeline(pool, 2, full="tma", empty="mbar", init_empty=128)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.cuda.cta_sync()
    roles = txl.specialize()
    work, bring = roles.role("work", warps=range(4)), roles.role("bring", warps=[4])

    def each():
        tile = txl.local_scalar("int32", init=cta)
        with txl.While(tile < 6):
            yield tile
            txl.assign(tile, tile + 2)

    with bring:
        with txl.If(txl.cuda.elect_sync()), txl.Then():
            state = txl.PipelineState(2, 1)
            for tile in each():
                pipe.empty.wait(state.stage, state.phase)
                pipe.full.arrive(state.stage, 8 * 32 * 4)
                txl.ptx[LOAD](tiles.ptr_to([state.stage, 0, 0]), txl.address_of(map_a), txl.int32(0), tile * 8, pipe.full.ptr_to([state.stage]))
                state.advance()
    with work:
        tid = txl.tid_in_role()
        state = txl.PipelineState(2, 0)
        value = txl.local_scalar("float32")
        for tile in each():
            pipe.full.wait(state.stage, state.phase)
            with txl.If(tid == 0), txl.Then():
                txl.ptx["cp.async.bulk.wait_group.read"](1)
            txl.ptx.bar.sync(1, 128)
            for i in range(2):
                txl.ptx.ld.shared.f32(value, tiles.ptr_to([state.stage, i * 4 + tid // 32, tid % 32]))
                txl.ptx.st.shared.f32(results.ptr_to([state.stage, i * 4 + tid // 32, tid % 32]), value * txl.float32(0.5))
            pipe.empty.arrive(state.stage)
            txl.ptx["fence.proxy.async.shared::cta"]()
            txl.ptx.bar.sync(2, 128)
            with txl.If(tid == 0), txl.Then():
                txl.ptx[STORE](txl.address_of(map_b), txl.int32(0), tile * 8, results.ptr_to([state.stage, 0, 0]))
                txl.ptx["cp.async.bulk.commit_group"]()
            state.advance()
        with txl.If(tid == 0), txl.Then():
            txl.ptx["cp.async.bulk.wait_group"](0)
