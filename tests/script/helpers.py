# Pools, barriers, pipelines, roles and schedulers (surface.md 8 to 10).
#--- a shared memory pool  [print] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([128])
    pool = T.SMEMPool()
    a = pool.alloc_mma((128, 64), "float16")
    b = pool.alloc((16,), "float32", align=16)
    pool.move_base_to(0)
    c = pool.alloc((64, 64), "float32", align=128)
    pool.commit()
    b[tx % 16] = 1.0
    c[0, tx % 64] = 2.0
    Tx.cta.copy(a[:, :], A[:, :])
#| @T.prim_func
#| def k(A: T.Buffer((128, 64), "float16")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([1])
#|     tx = T.thread_id([128])
#|     pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     a = T.decl_buffer((128, 64), "float16", data=pool_buf.data, scope="shared.dyn", align=1024, layout=T.SwizzleLayout(3, 3, 3, swizzle_inner=True))
#|     b = T.decl_buffer((16,), data=pool_buf.data, elem_offset=4096, scope="shared.dyn", align=16)
#|     c = T.decl_buffer((64, 64), data=pool_buf.data, scope="shared.dyn", align=128)
#|     T.attr(pool_buf.data, "tirx.pool_max_bytes", 16448)
#|     b[tx % 16] = T.float32(1.0)
#|     c[0, tx % 64] = T.float32(2.0)
#|     T.cta.copy(a[0:128, 0:64], A[0:128, 0:64])

#--- pools that are refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    pool = T.SMEMPool()
    a = pool.alloc_mma((64,), "float16")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: alloc_mma: a swizzled layout needs rows and columns, shape (64,) has 1 dimension; use swizzle_mode='none'
    b = pool.alloc_mma((128, 60), "float16")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: alloc_mma: rows of shape (128, 60) with float16 have 120 bytes, no multiple of the 128 bytes that SWIZZLE_128B_ATOM swizzles; use SwizzleMode.SWIZZLE_NONE, or make shape[-1] a multiple of 64
    c = pool.alloc_mma((12, 64), "float16")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: alloc_mma: SWIZZLE_128B_ATOM takes rows by eight, shape[-2] is 12; make it a positive multiple of 8, or use swizzle_mode='none'
    d = pool.alloc_mma((128, 64), "float16", swizzle_mode="weird")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: alloc_mma: unknown swizzle_mode 'weird'; use 'auto', 'none' or a SwizzleMode (0 to 3)
    e = pool.alloc((16,), "float32")
    pool.commit(8)
#   ^^^^^^^^^^^^^^ error[TW2008]: AssertionError: SMEMPool.commit: 8 bytes are fewer than the 64 that are in use
    pool.commit()
    pool.commit()
#   ^^^^^^^^^^^^^ error[TW2008]: AssertionError: SMEMPool.commit() may be called only once
    pool.nothing()
#        ^^^^^^^ error[TW2003]: 'SMEMPool' object has no attribute 'nothing'

#--- tensor memory  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([1])
    wg = T.warpgroup_id([1])
    warp_id = T.warp_id_in_wg([4])
    lane = T.lane_id([32])
    pool = T.SMEMPool()
    tmem = T.TMEMPool(pool, total_cols=512)
    acc = tmem.alloc((128, 128), "float32")
    acc2 = tmem.alloc((128, 64), "float16", cols=32)
#   ^^^^ warning[TW2301]: the buffer 'acc2' is never used
#   hint: remove it, or begin its name with '_'
    stages = T.TMEMStages(acc, 0, 32, stages=2)
    pool.commit()
    tmem.commit()
    T.cuda.cta_sync()
    tmem.dealloc()
#| @T.prim_func
#| def k(A: T.Buffer((128, 64), "float16")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([1])
#|     wg = T.warpgroup_id([1])
#|     warp_id = T.warp_id_in_wg([4])
#|     lane = T.lane_id([32])
#|     pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     tmem_addr_buf = T.decl_buffer((1,), "uint32", data=pool_buf.data, scope="shared.dyn", align=4)
#|     acc = T.decl_buffer((128, 128), scope="tmem", layout=T.TileLayout(T.S[(128, 128):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     acc2 = T.decl_buffer((128, 64), "float16", scope="tmem", layout=T.TileLayout(T.S[(128, 64):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=128)
#|     T.attr(pool_buf.data, "tirx.pool_max_bytes", 4)
#|     warp = T.warp_id()
#|     if warp == 0:
#|         T.ptx.tcgen05.alloc(T.address_of(tmem_addr_buf[0]), T.uint32(512))
#|         T.cuda.warp_sync()
#|     T.cuda.cta_sync()
#|     warp_1 = T.warp_id()
#|     if warp_1 == 0:
#|         T.ptx.tcgen05.relinquish_alloc_permit()
#|         T.ptx.tcgen05.dealloc(tmem_addr_buf[0], T.uint32(512))

#--- fewer columns than there are begin where the hardware says; a pair's commit arrives in both of its CTAs  [print]
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import TCGen05Bar

@T.prim_func
def k(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    cb = T.cta_id_in_cluster([2])
    bx = T.cta_id([2])
    warp_id = T.warp_id([4])
    pool = T.SMEMPool()
    tmem = T.TMEMPool(pool, total_cols=128, cta_group=2)
    acc = tmem.alloc((128, 32), "float32")
    _acc2 = tmem.alloc((128, 32), "float32")
    done = TCGen05Bar(pool, 1)
    pool.commit()
    tmem.commit()
    done.arrive(0, cta_group=2)
#| @T.prim_func
#| def k(A: T.Buffer((128, 64), "float16")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     cb = T.cta_id_in_cluster([2])
#|     bx = T.cta_id([2])
#|     warp_id = T.warp_id([4])
#|     pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     tmem_addr_buf = T.decl_buffer((1,), "uint32", data=pool_buf.data, scope="shared.dyn", align=4)
#|     acc = T.decl_buffer((128, 32), scope="tmem", layout=T.TileLayout(T.S[(128, 32):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=tmem_addr_buf[0])
#|     _acc2 = T.decl_buffer((128, 32), scope="tmem", layout=T.TileLayout(T.S[(128, 32):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=tmem_addr_buf[0] + T.uint32(32))
#|     done_buf = T.decl_buffer((1,), "uint64", data=pool_buf.data, elem_offset=1, scope="shared.dyn", align=8)
#|     T.attr(pool_buf.data, "tirx.pool_max_bytes", 16)
#|     warp = T.warp_id()
#|     if warp == 0:
#|         T.ptx.tcgen05.alloc(T.address_of(tmem_addr_buf[0]), T.uint32(128), 2)
#|         T.cuda.warp_sync()
#|     T.ptx.tcgen05.commit(T.address_of(done_buf[0]), 2, T.Cast("uint16", T.shift_left(T.uint32(3), T.bitwise_and(T.Cast("uint32", T.ptx.fetch_register(32, "cluster_ctarank")), T.uint32(4294967294)))))

#--- tensor memory that is refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    warp_id = T.warp_id([4])
    pool = T.SMEMPool()
    tmem = T.TMEMPool(pool, total_cols=64)
    a = tmem.alloc((128, 128), "float32")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: AssertionError: TMEMPool.alloc: columns 0 to 128 do not fit the 64 of the pool
    b = tmem.alloc((128, 4, 4), "float32")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: TMEMPool.alloc: shape (128, 4, 4) is not two-dimensional; pass layout= and cols=
    c = tmem.alloc((100, 8), "float32", datapath="D")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: datapath D has 128 rows, not 100
    d = tmem.alloc((128, 8), "float32", datapath="Z")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: no tensor-memory datapath "Z": "D" or "F"
    e = tmem.alloc_sf((128, 6), "float8_e8m0fnu", sf_per_mma=4)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: TMEMPool.alloc_sf: SF_K=6 is no multiple of sf_per_mma=4
    tmem.dealloc()
#   ^^^^^^^^^^^^^^ error[TW2008]: AssertionError: TMEMPool.dealloc() comes after commit()

#--- barriers and pipelines  [print] [cuda]
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier, TMABar, TCGen05Bar, Pipeline, PipelineState

@T.prim_func
def k(A: T.Buffer((128,), "float32")):
    T.device_entry()
    cx = T.cta_id_in_cluster([2])
    bx = T.cta_id([4])
    tx = T.thread_id([128])
    pool = T.SMEMPool()
    pipe = Pipeline(pool, 2, full="tma", empty="mbar", init_full=1, init_empty=4, empty_phase_offset=1)
    bar = MBarrier(pool, 1)
    bar.init(2)
    tma = TMABar(pool, 2, leader=tx == 0)
    tma.init(1)
    tc = TCGen05Bar(pool, 2)
    tc.init(1)
    pool.commit()
    T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    st = PipelineState(2, phase=1)
    for k in range(4):
        pipe.empty.wait(st.stage, st.phase)
        if T.ptx.elect_sync():
            pipe.full.arrive(st.stage, 1024)
        st.advance()
    one = PipelineState(1, 0)
    one.advance()
    late = PipelineState(3)
    late.init(0)
    bar.arrive(0)
    bar.arrive(0, cta_id=1)
    bar.arrive(0, cta_id=1, pred=tx == 0)
    bar.arrive(0, cta_id=1, pred=True, count=2)
    bar.wait(0, 0)
    remote = bar.remote_view(1)
    tc.arrive(0)
    tc.arrive(0, cta_group=2, cta_mask=3)
    p: T.let = tma.ptr_to(0)
#   ^ warning[TW2301]: 'p' is never used
#   hint: remove it, or begin its name with '_'
#| @T.prim_func
#| def k(A: T.Buffer((128,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     cx = T.cta_id_in_cluster([2])
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([128])
#|     pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     pipe_full_buf = T.decl_buffer((2,), "uint64", data=pool_buf.data, scope="shared.dyn", align=8)
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier.init(T.address_of(pipe_full_buf[i]), T.uint32(1))
#|     pipe_empty_buf = T.decl_buffer((2,), "uint64", data=pool_buf.data, elem_offset=2, scope="shared.dyn", align=8)
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier.init(T.address_of(pipe_empty_buf[i]), T.uint32(4))
#|     bar_buf = T.decl_buffer((1,), "uint64", data=pool_buf.data, elem_offset=4, scope="shared.dyn", align=8)
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(1):
#|             T.ptx.mbarrier.init(T.address_of(bar_buf[i]), T.uint32(2))
#|     tma_buf = T.decl_buffer((2,), "uint64", data=pool_buf.data, elem_offset=5, scope="shared.dyn", align=8)
#|     if tx == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier.init(T.address_of(tma_buf[i]), T.uint32(1))
#|     tc_buf = T.decl_buffer((2,), "uint64", data=pool_buf.data, elem_offset=7, scope="shared.dyn", align=8)
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier.init(T.address_of(tc_buf[i]), T.uint32(1))
#|     T.attr(pool_buf.data, "tirx.pool_max_bytes", 72)
#|     T.ptx.fence.mbarrier_init()
#|     T.cuda.cta_sync()
#|     st_stage: T.int32
#|     st_phase: T.int32
#|     st_stage = 0
#|     st_phase = 1
#|     for k in range(4):
#|         T.ptx.mbarrier.try_wait(T.address_of(pipe_empty_buf[st_stage]), T.Cast("uint32", T.bitwise_xor(st_phase, 1)))
#|         if T.ptx.elect_sync():
#|             T.ptx.mbarrier.arrive.expect_tx(T.address_of(pipe_full_buf[st_stage]), T.uint32(1024))
#|         st_stage = st_stage + 1
#|         if st_stage == 2:
#|             st_stage = 0
#|             st_phase = T.bitwise_xor(st_phase, 1)
#|     one_stage: T.int32
#|     one_phase: T.int32
#|     one_stage = 0
#|     one_phase = 0
#|     one_phase = T.bitwise_xor(one_phase, 1)
#|     late_stage: T.int32
#|     late_phase: T.int32
#|     late_stage = 0
#|     late_phase = 0
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[0]))
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[0]), 1, 1)
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[0]), 1, T.Cast("int32", tx == 0))
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[0]), 1, 1, T.uint32(2))
#|     T.ptx.mbarrier.try_wait(T.address_of(bar_buf[0]), T.uint32(0))
#|     remote_buf_ptr: T.let[T.handle("uint64", "shared")] = T.reinterpret("handle", T.ptx.map_shared_rank(T.address_of(bar_buf[0]), T.uint32(1)))
#|     remote_buf = T.decl_buffer((1,), "uint64", data=remote_buf_ptr, scope="shared")
#|     T.ptx.tcgen05.commit(T.address_of(tc_buf[0]))
#|     T.ptx.tcgen05.commit(T.address_of(tc_buf[0]), 2, T.uint16(3))
#|     p: T.let[T.handle("uint64", "shared.dyn")] = T.address_of(tma_buf[0])

#--- roles  [print] [cuda]
from tvm.script import tirx as T
from tvm.tirx.lang.warp_role import WarpRole, WarpgroupRole

@T.prim_func
def k(A: T.Buffer((256,), "float32")):
    T.device_entry()
    bx = T.cta_id([4])
    wg = T.warpgroup_id([2])
    warp = T.warp_id_in_wg([4])
    tx = T.thread_id([256])
    with WarpRole(warp, 0):
        A[tx] = 1.0
    with WarpRole(warp, 1, regs=40):
        A[tx] = 2.0
    with WarpgroupRole(wg, 0, regs=232, increase=True):
        A[tx] = 3.0
    with WarpgroupRole(wg, (0, 2)):
        A[tx] = 4.0
#| @T.prim_func
#| def k(A: T.Buffer((256,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     wg = T.warpgroup_id([2])
#|     warp = T.warp_id_in_wg([4])
#|     tx = T.thread_id([256])
#|     if warp == 0:
#|         A[tx] = T.float32(1.0)
#|     if warp == 1:
#|         T.ptx.setmaxnreg(T.bool(False), 40)
#|         A[tx] = T.float32(2.0)
#|     if wg == 0:
#|         T.ptx.setmaxnreg(T.bool(True), 232)
#|         A[tx] = T.float32(3.0)
#|     if T.bitwise_and(wg >= 0, wg < 2):
#|         A[tx] = T.float32(4.0)

#--- schedulers  [cuda]
from tvm.script import tirx as T
from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D, GroupMajor3D, FlashAttentionLinearScheduler, FlashAttentionLPTScheduler, IndexedTripleTileScheduler

@T.prim_func
def persistent(A: T.Buffer((4096,), "int32"), rows: T.int32):
    T.device_entry()
    bx = T.cta_id([4])
    tx = T.thread_id([128])
    a = ClusterPersistentScheduler2D("s", 8, 9, 4, l2_group_size=3, cluster_m=2)
    a.init(bx)
    while a.valid():
        A[a.m_idx * 8 + a.n_idx] = a.work_idx + a.tile_idx
        a.next_tile()
    b = ClusterPersistentScheduler2D("s", rows, 8, 4, l2_group_size=4)
    b.init(bx)
    while b.valid():
        A[b.m_idx * 8 + b.n_idx] = tx
        b.next_tile_stride(2)
    c = ClusterPersistentScheduler2D("s", 7, 9, 4, l2_group_size=4, serpentine=True)
    c.init(bx)
    while c.valid():
        A[c.m_idx * 8 + c.n_idx] = tx
        c.next_tile()

@T.prim_func
def grouped(A: T.Buffer((4096,), "int32")):
    T.device_entry()
    bx = T.cta_id([4])
    tx = T.thread_id([128])
    s = GroupMajor3D("s", 8, 8, 2, 4, step=4)
    s.init(bx)
    while s.valid():
        A[s.m_idx * 8 + s.n_idx] = s.k_idx
        s.next_tile()

@T.prim_func
def attention(A: T.Buffer((4096,), "int32"), I: T.Buffer((64,), "int32"), P: T.Buffer((5,), "int32")):
    T.device_entry()
    bx = T.cta_id([4])
    tx = T.thread_id([128])
    s = FlashAttentionLinearScheduler("s", 2, 4, 8, 4)
    s.init(bx)
    while s.valid():
        A[s.m_block_idx] = s.batch_idx + s.head_idx
        s.next_tile()
    l = FlashAttentionLPTScheduler("l", 2, 4, 8, 4, num_ctas=4)
    l.init(bx)
    while l.valid():
        A[l.m_block_idx] = l.batch_idx + l.head_idx
        l.next_tile()
    t = IndexedTripleTileScheduler("t", I, I, I, P)
    t.init(bx)
    while t.valid():
        A[t.b_idx] = t.h_idx + t.q_idx
        t.next_tile()

#--- helpers that are refused say so where the script calls
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier, Pipeline, PipelineState

@T.prim_func
def k(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    pool = T.SMEMPool()
    pipe = Pipeline(pool, 2, full="strange", empty="mbar")
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: Pipeline: full='strange' is no kind of barrier; use 'tma', 'tcgen05' or 'mbar'
    bar = MBarrier(pool)
#         ^^^^^^^^^^^^^^ error[TW2006]: MBarrier needs the argument 'depth'
    st = PipelineState()
#        ^^^^^^^^^^^^^^^ error[TW2006]: PipelineState needs the argument 'depth'
    bar2 = MBarrier(pool, 1)
    bar2.nothing()
#        ^^^^^^^ error[TW2003]: 'MBarrier' object has no attribute 'nothing'

#--- a descriptor  [print]
from tvm.script import tirx as T
from tvm.tirx.lang.smem_desc import SmemDescriptor

@T.prim_func
def k(A: T.Buffer((64,), "uint64")):
    T.device_entry()
    tx = T.thread_id([128])
    s = T.alloc_shared((8, 64), "float16")
    d = SmemDescriptor()
    d.init(s.ptr_to([0, 0]), 1, 64, 3)
    A[0] = d.add_16B_offset(2)
    A[1] = d.desc
#| @T.prim_func
#| def k(A: T.Buffer((64,), "uint64")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([128])
#|     s = T.alloc_shared((8, 64), "float16")
#|     d_buf = T.alloc_local((1,), "uint64")
#|     T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(d_buf[0]), T.address_of(s[0, 0]), T.uint64(1), T.uint64(64), 3)
#|     A[0] = T.bitwise_or(T.bitwise_and(d_buf[0], T.uint64(18446744069414584320)), T.bitwise_and(d_buf[0] + T.uint64(2), T.uint64(4294967295)))
#|     A[1] = d_buf[0]

