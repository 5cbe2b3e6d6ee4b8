# tilewright: dialect 0.26
"""What release 0.26 reads: one function a case, each yields a kernel, or fails where the release refuses it."""
from __future__ import annotations

from tvm.backend.cuda.tile_primitive.tma_utils import SwizzleMode, mma_atom_layout, mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.alloc_pool import SMEMPool, TMEMPool
from tvm.tirx.lang.pipeline import MBarrier, Pipeline, PipelineState, TCGen05Bar, TMABar
from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D
from tvm.tirx.lang.warp_role import WarpgroupRole, WarpRole
from tvm.tirx.layout import (
    ComposeLayout,
    R,
    S,
    TCol,
    TileLayout,
    TLane,
    laneid,
    tcgen05_atom_layout,
    tmem_datapath_layout,
    tmem_mma_operand_layout,
)


def _fill(buffer, places):
    for place in places:
        T.buffer_store(buffer, T.Cast(buffer.dtype, T.int32(1)), list(place))


def _shared(layout, shape, stores):
    """Stores into a shared buffer at the given constant places."""

    @T.prim_func
    def k(A: T.Buffer((64,), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        s = T.alloc_shared(shape, "float16", layout=layout)
        _fill(s, stores)
        A[tx] = T.float16(0)

    return k


def _placed(name, make, stores):
    """The same through a view that `make` makes of a buffer of (4, 64, 64)."""

    @T.prim_func
    def k(A: T.Buffer((64,), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        s = T.alloc_shared(
            (4, 64, 64), "float16", layout=ComposeLayout(3, 3, 3, TileLayout(S[(4, 64, 64) : (4096, 64, 1)]))
        )
        v = make(s)
        _fill(v, stores)
        A[tx] = s[0, 0, 0]

    return k


def _plain(make, stores):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        s = T.alloc_shared((8, 16), "float32")
        v = make(s)
        _fill(v, stores)
        A[tx] = s[0, 0]

    return k


def _layout(make):
    """A kernel whose tensor memory has the layout that `make` makes."""
    layout = make()

    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = T.float32(layout.size())

    return k


def _attribute(attributes):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        T.attr(attributes)
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = A[tx] + 1.0

    return k


STORES = [(0, 0), (1, 8), (3, 9), (7, 63), (9, 1)]


def swizzle_over_a_tile():
    return _shared(ComposeLayout(3, 3, 3, TileLayout(S[(64, 64) : (64, 1)])), (64, 64), STORES)


def swizzle_over_the_identity():
    return _shared(ComposeLayout(3, 3, 3, TileLayout(S[4096])), (64, 64), STORES)


def swizzle_the_other_way():
    return _shared(ComposeLayout(3, 3, 3, TileLayout(S[4096]), swizzle_inner=False), (64, 64), STORES)


def shared_of_mma():
    return _shared(mma_shared_layout("float16", 3, (64, 128)), (64, 128), STORES)


def shared_of_mma_64b():
    return _shared(mma_shared_layout("float16", SwizzleMode.SWIZZLE_64B_ATOM, (64, 128)), (64, 128), STORES)


def packed():
    return _shared(mma_shared_layout("float16", 0, (64, 64)), (64, 64), STORES)


def packed_stages():
    return _shared(mma_shared_layout("float16", 0, (2, 64, 64)), (2, 64, 64), [(0, 0, 0), (1, 3, 9), (1, 63, 63)])


def packed_rows_that_do_not_fit():
    return _shared(mma_shared_layout("float16", 0, (64, 12)), (64, 12), [(0, 0), (5, 11)])


def atom():
    return _shared(mma_atom_layout("float16", 2), (8, 32), [(0, 0), (1, 8), (7, 31)])


def compose_without_a_tile():
    return _layout(lambda: ComposeLayout(3, 3, 3))


def compose_of_two():
    return _layout(lambda: ComposeLayout(ComposeLayout(3, 3, 3, TileLayout(S[512])), TileLayout(S[512])))


def swizzle_that_is_none():
    return _layout(lambda: ComposeLayout(3, 4, 3, TileLayout(S[512])))


def datapath_b():
    return _layout(lambda: tmem_datapath_layout("B", 64, 64))


def datapath_g():
    return _layout(lambda: tmem_datapath_layout("G", 32, 64))


def datapath_f_upper():
    return _layout(lambda: tmem_datapath_layout("F", 64, 64, sub_slab=1))


def datapath_that_is_none():
    return _layout(lambda: tmem_datapath_layout("H", 64, 64))


def datapath_of_other_rows():
    return _layout(lambda: tmem_datapath_layout("E", 128, 64))


def datapath_d_upper():
    return _layout(lambda: tmem_datapath_layout("D", 128, 64, 1))


def operand_a_of_a_pair():
    return _layout(lambda: tmem_mma_operand_layout("A", (64, 64), "float16", M=128, cta_group=2))


def operand_d_in_segments():
    return _layout(lambda: tmem_mma_operand_layout("D", (64, 64), "float32", M=128, cta_group=2, group=(4, 2, 8)))


def operand_a_flat_with_ws():
    return _layout(lambda: tmem_mma_operand_layout("A", (64, 64), "float16", M=64, cta_group=1, ws=True))


def operand_of_no_instruction():
    return _layout(lambda: tmem_mma_operand_layout("D", (96, 64), "float32", M=96, cta_group=1))


def fragment_of_halves():
    return _layout(lambda: tcgen05_atom_layout("32x32b", (64, 64), "float32"))


def fragment_of_halves_16_bits():
    return _layout(lambda: tcgen05_atom_layout("32x32b", (64, 64), "float16"))


def grouped_for_two_shapes():
    return _layout(lambda: TileLayout(S[(8, 16)]).group_many([(8, 16), (4, 32), (128,)])[0])


def grouped_for_shapes_of_other_sizes():
    return _layout(lambda: TileLayout(S[(8, 16)]).group_many([(8, 16), (4, 16)])[0])


def sub_index():
    return _placed("sub", lambda s: s.sub[2], [(0, 0), (3, 9)])


def sub_range_and_index():
    return _placed("sub", lambda s: s.sub[1:3, 8], [(0, 0), (1, 9)])


def sub_step():
    return _placed("sub", lambda s: s.sub[0, 0:32, 1::2], [(0, 0), (3, 3)])


def sub_outside():
    return _placed("sub", lambda s: s.sub[4], [(0, 0)])


def sub_step_that_does_not_divide():
    return _placed("sub", lambda s: s.sub[0::3], [(0, 0, 0)])


def tile_contiguous():
    return _placed("tile", lambda s: s.tile(1, (4, -1))[1, :], [(0, 3, 3), (2, 15, 9)])


def tile_round_robin():
    return _placed("tile", lambda s: s.tile(1, (-1, 4))[:, 3], [(0, 3, 3), (2, 15, 9)])


def tile_two_dimensions():
    return _placed("tile", lambda s: s.tile((1, (4, -1)), (2, (2, 4, 8)))[:, 2, :, 1, :], [(0, 3, 3), (3, 2, 15)])


def tile_that_keeps_all():
    return _placed("tile", lambda s: s.tile(1, (4, -1))[:, :], [(0, 0, 0)])


def tile_of_wrong_factors():
    return _placed("tile", lambda s: s.tile(1, (3, -1))[0, :], [(0, 0, 0)])


def rearranged():
    return _placed("rearrange", lambda s: s.rearrange("s (a b) c -> (s a) (b c)", a=8), [(3, 5), (31, 70)])


def rearranged_with_too_few_sizes():
    return _placed("rearrange", lambda s: s.rearrange("s (a b) c -> (s a) (b c)"), [(0, 0)])


def rearranged_to_other_axes():
    return _placed("rearrange", lambda s: s.rearrange("s b c -> s b d"), [(0, 0, 0)])


def permuted_swizzle():
    return _placed("permute", lambda s: s.permute(2, 0, 1), [(1, 2, 3), (63, 3, 63)])


def plain_sub_of_sub():
    return _plain(lambda s: s.sub[3, 4:8].sub[1:], [(0,), (2,)])


def plain_rearranged():
    return _plain(lambda s: s.rearrange("(a b) c -> b a c", b=4), [(3, 1, 5), (0, 1, 15)])


def local_in_the_order_of_registers():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        r = T.alloc_local((4, 32, 8), "float32", layout=TileLayout(S[(4, 32, 8) : (1, 1 @ laneid, 4)]))
        q = r.local()
        q2 = r.local(4, 8)
        q3 = r.local(layout=TileLayout(S[(4, 8) : (1, 4)]))
        q[3] = 1.0
        q2[1, 3] = 2.0
        q3[5] = 3.0
        A[0, 0] = q[3] + q2[1, 3] + q3[5]

    return k


def local_of_another_size():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        r = T.alloc_local((4, 32, 8), "float32", layout=TileLayout(S[(4, 32, 8) : (1, 1 @ laneid, 4)]))
        q = r.local(5)
        q[3] = 1.0

    return k


def names_of_the_taken_branch():
    flag = True

    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if flag:
            x = T.float32(2.0)
            y: T.let = T.float32(3.0)
        A[tx] = x + y

    return k


def pointer_bound_once():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        p = A.ptr_to([0])
        B = T.decl_buffer((64,), "float32", data=p)
        B[tx] = 1.0

    return k


def pointer_bound_again():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        p = A.ptr_to([0])
        p = A.ptr_to([1])
        A[tx] = 1.0

    return k


def return_0():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if tx > 32:
            return 0
        A[tx] = 1.0

    return k


def return_by_name():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if tx > 32:
            T.Return(0)
        A[tx] = 1.0

    return k


def return_of_another_number():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if tx > 32:
            T.Return(1)
        A[tx] = 1.0

    return k


def _optional(**given):
    @T.jit
    def k(A: T.Buffer((64,), "float32"), B: T.Optional(T.Buffer((64,), "float32")), c: T.Optional(T.int32)):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if B is not None:
            A[tx] = B[tx]
        else:
            A[tx] = 0.0

    return k.specialize(**given)


def optional_given():
    return _optional()


def optional_left_out():
    return _optional(B=None, c=None)


def optional_of_a_value():
    return _optional(B=1)


def optional_of_a_plain_kernel():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Optional(T.Buffer((64,), "float32"))):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = B[tx]

    return k


def quoted_extents():
    @T.prim_func
    def k(A: T.Buffer(("n", "n * 2"), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        T.device_entry()
        bx = T.cta_id([n])
        tx = T.thread_id([64])
        B[bx] = A[bx, tx]

    return k


def quoted_extent_and_parameter():
    @T.prim_func
    def k(A: T.Buffer(("n", 64), "float32"), n: T.int32):
        T.device_entry()
        bx = T.cta_id([n])
        tx = T.thread_id([64])
        A[bx, tx] = 1.0

    return k


def quoted_extent_of_another_type():
    @T.prim_func
    def k(A: T.Buffer(("n",), "float32")):
        n = T.int64()
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = 1.0

    return k


def bounds_of_clusters():
    return _attribute({"tirx.launch_bounds_min_blocks_per_sm": 1, "tirx.launch_bounds_max_blocks_per_cluster": 2})


def bounds_of_clusters_alone():
    return _attribute({"tirx.launch_bounds_max_blocks_per_cluster": 2})


def pools_and_barriers():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        cx = T.cta_id_in_cluster([2])
        bx = T.cta_id([2])
        tx = T.thread_id([128])
        pool = T.SMEMPool()
        a = pool.alloc_tcgen05_mma_AB((64, 64), "float16")
        b = pool.alloc_tcgen05_mma_AB((64, 64), "float16", swizzle_mode="none")
        bar = MBarrier(pool, 2)
        tma = TMABar(pool, 2)
        pool.commit()
        bar.init(1)
        tma.init(1)
        bar.arrive(0)
        bar.arrive(1, remote=0)
        bar.arrive(1, remote=0, pred=tx == 0)
        bar.arrive(1, remote=0, count=2)
        tma.arrive(0, 128)
        tma.arrive(0, 128, remote=1)
        tma.arrive(0, remote=1)
        v = bar.remote_view(1)
        v.arrive(0)
        w = tma.remote_view(1)
        w.arrive(0, 64)
        bar.wait(0, 0)
        a[0, 0] = A[0, 0]
        b[3, 9] = A[0, 0]

    return k


def _view_of_a_barrier(use):
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        cx = T.cta_id_in_cluster([2])
        tx = T.thread_id([128])
        pool = T.SMEMPool()
        bar = MBarrier(pool, 2)
        pool.commit()
        v = bar.remote_view(1)
        use(v)

    return k


def view_of_a_barrier_is_initialised():
    return _view_of_a_barrier(lambda v: v.init(1))


def view_of_a_barrier_waits():
    return _view_of_a_barrier(lambda v: v.wait(0, 0))


def view_of_a_view_of_a_barrier():
    return _view_of_a_barrier(lambda v: v.remote_view(0))


def view_of_a_barrier_arrives_elsewhere():
    return _view_of_a_barrier(lambda v: v.arrive(0, remote=0))


def tensor_memory_by_use():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        wg = T.warpgroup_id([1])
        warp = T.warp_id_in_wg([4])
        lane = T.lane_id([32])
        pool = T.SMEMPool()
        tm = T.TMEMPool(pool, total_cols=512, cta_group=1)
        d = tm.alloc_tcgen05_mma_D((128, 128), "float32", M=128, cta_group=1)
        a = tm.alloc_tcgen05_mma_A((128, 64), "bfloat16", M=128, cta_group=1)
        c = tm.alloc_tcgen05_mma_C((64, 128), "float32", M=64, cta_group=1, ws=True)
        f = tm.alloc((64, 32), layout=tmem_datapath_layout("F", 64, 32, 1))
        dd = d.sub[:, 32:64]
        pool.commit()
        tm.commit()
        tm.dealloc()

    return k


def tensor_memory_by_datapath():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        pool = T.SMEMPool()
        tm = T.TMEMPool(pool)
        d = tm.alloc((128, 128), "float32", datapath="D")
        pool.commit()

    return k


def pool_by_its_old_name():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        pool = T.SMEMPool()
        d = pool.alloc_mma((64, 64), "float16")
        pool.commit()

    return k


def swizzle_by_its_old_name():
    return _layout(lambda: T.SwizzleLayout(3, 3, 3))


def keyword_that_went():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        B = T.alloc_shared((64,), "float32", axis_separators=[])
        A[tx] = B[tx]

    return k


def offset_of_a_layout_is_an_expression():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        bx = T.cta_id([4])
        tx = T.thread_id([128])
        s = T.alloc_shared((64, 64), "float16")
        t = s.view(32, 64, layout=TileLayout(S[(32, 64) : (64, 1)] + bx * 64))
        t[tx // 8, 0] = A[0, 0]
        A[0, 0] = s[0, 0]

    return k
