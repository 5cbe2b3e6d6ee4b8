# tilewright: dialect 0.27
"""What release 0.27 reads: one function a case, each yields a kernel, or fails where the release refuses it."""
from __future__ import annotations

from typing import TypeVar

from tvm.script import tirx as T
from tvm.tirx.layout import ComposeLayout, S, TileLayout, tmem_datapath_layout

n = TypeVar("n")
m = TypeVar("other")
b = TypeVar("b", bound=int)


def _attribute(attributes):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        T.attr(attributes)
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = A[tx] + 1.0

    return k


def _fill(buffer, places):
    for place in places:
        T.buffer_store(buffer, T.Cast(buffer.dtype, T.int32(1)), list(place))


def _view(make, stores):
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


def sub_index():
    return _view(lambda s: s.sub[2], [(0, 0), (3, 9)])


def tile_contiguous():
    return _view(lambda s: s.tile(1, (4, -1))[1, :], [(0, 3, 3), (2, 15, 9)])


def rearranged():
    return _view(lambda s: s.rearrange("s (a b) c -> (s a) (b c)", a=8), [(3, 5), (31, 70)])


def ids_without_a_sign():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1], dtype="uint32")
        tx = T.thread_id([64], dtype="uint32")
        w = T.warp_id([2], dtype="uint32")
        A[tx] = T.Cast("float32", bx + w)

    return k


def ids_of_64_bits():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64], dtype="int64")
        A[tx] = 1.0

    return k


def loops_without_a_sign():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        for i in T.serial(4, dtype="uint32"):
            A[i] = 1.0
        for i in T.unroll(2, dtype="uint32"):
            A[i + T.uint32(8)] = 1.0
        for i, j in T.grid(2, 3, dtype="uint32"):
            A[i * T.uint32(3) + j] = 1.0
        for i in T.vectorized(4, dtype="uint32"):
            A[i] = 2.0

    return k


def loops_of_8_bits():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        for i in T.serial(4, dtype="int8"):
            A[tx] = 1.0

    return k


def loop_unrolled_by_four():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        for i in T.serial(8, unroll=4):
            A[i] = 1.0

    return k


def extent_by_type_variable():
    @T.prim_func
    def k(A: T.Buffer((n, n * 2), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        bx = T.cta_id([4])
        tx = T.thread_id([64])
        B[bx] = A[bx, tx]

    return k


def extent_quoted_and_type_variable():
    @T.prim_func
    def k(A: T.Buffer(("n", "n + 1"), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx, 0] = 1.0

    return k


def extent_quoted():
    @T.prim_func
    def k(A: T.Buffer(("q", "q + 1"), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx, 0] = 1.0

    return k


def type_variable_under_another_name():
    @T.prim_func
    def k(A: T.Buffer((m,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = 1.0

    return k


def type_variable_with_a_bound():
    @T.prim_func
    def k(A: T.Buffer((b,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = 1.0

    return k


def operators_as_functions():
    @T.prim_func
    def k(A: T.Buffer((64,), "int32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        A[tx] = T.BitwiseAnd(tx, 3) + T.BitwiseOr(tx, 4) + T.BitwiseXor(tx, 5) + T.BitwiseNot(tx)
        A[tx] = T.LShift(tx, 2) + T.RShift(tx, 1)

    return k


def sources():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        x: T.float32 = 1.0
        c = x.source
        d = A[3].source
        A[tx] = c[0] + d[2]

    return k


def predicate_of_a_vector_store():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        v: T.let = A.vload([0], "float32x4")
        A.vstore([8], v, predicate=None)

    return k


def string_by_its_old_name():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        s: T.let = T.StringImm("x")
        A[tx] = 1.0

    return k


def bound_of_registers():
    return _attribute({"tirx.max_registers": 64})


def bound_of_registers_and_of_blocks():
    return _attribute({"tirx.max_registers": 64, "tirx.launch_bounds_min_blocks_per_sm": 1})


def bounds_of_clusters():
    return _attribute({"tirx.launch_bounds_min_blocks_per_sm": 1, "tirx.launch_bounds_max_blocks_per_cluster": 2})


def swizzle_over_the_identity():
    return _view(lambda s: s, [(0, 1, 8), (3, 63, 63)])


def datapath_that_is_none():
    layout = tmem_datapath_layout("H", 64, 64)
    return _attribute({})


def early_return():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if tx > 32:
            return 0
        A[tx] = 1.0

    return k


def _optional(**given):
    @T.jit
    def k(A: T.Buffer((64,), "float32"), B: T.Optional(T.Buffer((64,), "float32"))):
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
    return _optional(B=None)


def optional_of_a_value():
    return _optional(B=2)


def pool_by_use():
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        pool = T.SMEMPool()
        a = pool.alloc_tcgen05_mma_AB((64, 64), "float16")
        c = pool.alloc_tcgen05_mma_AB((64, 64), "float16", swizzle_mode="none")
        pool.commit()
        a[0, 0] = A[0, 0]
        c[3, 9] = A[0, 0]

    return k
