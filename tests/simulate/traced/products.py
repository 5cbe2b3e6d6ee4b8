# tilewright: arch sm_100a
# tilewright: dialect 0.27
"""A traced kernel that is right: a product by tcgen05 in three roles."""
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T

LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
M, N, K = 128, 64, 128


@T.prim_func
def plain(A: T.Buffer((128, 128), "float16"), B: T.Buffer((64, 128), "float16"), C: T.Buffer((128, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(128):
        for j in T.serial(64):
            C[i, j] = T.float32(0)
            for k in T.serial(128):
                C[i, j] = C[i, j] + T.cast(A[i, k], "float32") * T.cast(B[j, k], "float32")


def encode(buffer, rows, columns, box):
    out = txl.stack_alloca("tensormap")
    txl.call_packed("runtime.cuTensorMapEncodeTiled", out, "float16", 2, buffer.data, columns, rows, columns * 2, 64, box, 1, 1, 0, 3, 0, 0)
    return out


def maps(p):
    return encode(p["A"], M, K, 128), encode(p["B"], N, K, 64)


# tilewright: reference plain
@txl.kernel(warps=6, arch="sm_100a", min_blocks_per_sm=1, grid=1, host_prelude=maps)
def gemm(A: txl.gptr[txl.f16, (128, 128)], B: txl.gptr[txl.f16, (64, 128)], C: txl.gptr[txl.f32, (128, 64)], *, host):
    map_a, map_b = host
    pool = txl.smem_pool()
    place = pool.alloc((1,), txl.u32)
    a = pool.alloc((2, 128, 64), txl.f16, swizzle=txl.SW128B)
    b = pool.alloc((2, 64, 64), txl.f16, swizzle=txl.SW128B)
    pipe = txl.Pipeline(pool, 2, full="tma", empty="tcgen05", init_empty=1)
    done = txl.TCGen05Bar(pool, 1)
    done.init(1)
    warp = txl.warp_id()
    with txl.If(warp == 0), txl.Then():
        txl.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), txl.uint32(64))
        txl.ptx["tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned"]()
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.ptx["tcgen05.fence::before_thread_sync"]()
    txl.cuda.cta_sync()
    txl.ptx["tcgen05.fence::after_thread_sync"]()
    tmem = txl.local_scalar("uint32")
    txl.ptx.ld.shared.u32(tmem, place.ptr_to([0]))
    roles = txl.specialize()
    epilogue = roles.role("epilogue", warps=range(4))
    load, mma = roles.role("load", warps=[4]), roles.role("mma", warps=[5])
    with load:
        with txl.If(txl.cuda.elect_sync()), txl.Then():
            state = txl.PipelineState(2, 1)
            for k in range(2):
                pipe.empty.wait(state.stage, state.phase)
                pipe.full.arrive(state.stage, (128 + 64) * 64 * 2)
                txl.ptx[LOAD](a[state.stage].ptr_to(0, 0), txl.address_of(map_a), txl.int32(k * 64), txl.int32(0), pipe.full.ptr_to([state.stage]))
                txl.ptx[LOAD](b[state.stage].ptr_to(0, 0), txl.address_of(map_b), txl.int32(k * 64), txl.int32(0), pipe.full.ptr_to([state.stage]))
                state.advance()
    with mma:
        with txl.If(txl.cuda.elect_sync()), txl.Then():
            state = txl.PipelineState(2, 0)
            desc = txl.local_scalar("uint32")
            txl.cuda.tcgen05.encode_instr_descriptor(txl.address_of(desc), d_dtype="float32", a_dtype="float16", b_dtype="float16", M=128, N=64, K=16, trans_a=False, trans_b=False, n_cta_groups=1)
            for k in range(2):
                pipe.full.wait(state.stage, state.phase)
                da, db = a[state.stage].mma_desc("k", 16), b[state.stage].mma_desc("k", 16)
                for step in range(4):
                    txl.ptx["tcgen05.mma.cta_group::1.kind::f16"](tmem, da + step * da.k_step, db + step * db.k_step, desc, txl.uint32(0), txl.uint32(0), txl.uint32(0), txl.uint32(0), txl.ptx.pred(k + step > 0))
                pipe.empty.arrive(state.stage)
                state.advance()
            done.arrive(0)
    with epilogue:
        done.wait(0, 0)
        txl.ptx["tcgen05.fence::after_thread_sync"]()
        r = txl.alloc_local([64], "float32")
        txl.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"](*[r[i] for i in range(64)], txl.cuda.get_tmem_addr(tmem, txl.warp_id_in_role() * 32, 0))
        txl.ptx["tcgen05.wait::ld.sync.aligned"]()
        for i in range(16):
            txl.ptx["st.global.v4.f32"](C.ptr_to([txl.tid_in_role(), i * 4]), *[r[i * 4 + j] for j in range(4)])
        txl.ptx.bar.sync(1, 128)
        with txl.If(txl.warp_id_in_role() == 0), txl.Then():
            txl.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](tmem, txl.uint32(64))
