# Kernels of the package that follows 0.27: tvm_tirx. docs/language/dialects.md 8
#--- a kernel, its launch and its parameters [print]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

n = T.dynamic("n")

@T.function
def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32"), s: T.float32):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=T.ceildiv(n, 128), block=(32, 4)))
    i = T.cuda.block_idx("x") * 128 + T.cuda.thread_idx("y") * 32 + T.cuda.thread_idx("x")
    x: T.float32 = 0.0
    if i < n:
        T.ptx.ld.global_.f32(x, A.ptr_to([i]))
        x += B[i]
        C[i] = x * s
#| @T.prim_func
#| def add(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle, s: T.float32):
#|     n = T.int32()
#|     A = T.match_buffer(A_handle, (n,))
#|     B = T.match_buffer(B_handle, (n,))
#|     C = T.match_buffer(C_handle, (n,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([(n + 127) // 128])
#|     v_1, v_2 = T.thread_id([32, 4])
#|     i: T.let[T.int32] = v * 128 + v_2 * 32 + v_1
#|     x: T.float32 = T.float32(0.0)
#|     if i < n:
#|         T.ptx.ld(x, T.address_of(A[i]), "", "", "", "global", "", "", "", "", "", "f32", "")
#|         x = x + B[i]
#|         C[i] = x * s

#--- a plain assignment binds, and binds again [print]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    x = A[0]
    x = x + 1
    A[1] = x
    y = 5
    A[2] = y
    buffer = T.alloc_local((4,), "int32")
    buffer = T.alloc_local((8,), "int32")
    buffer[7] = x
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     x: T.let[T.int32] = A[0]
#|     x_1: T.let[T.int32] = x + 1
#|     A[1] = x_1
#|     y: T.let[T.int32] = 5
#|     A[2] = y
#|     buffer = T.alloc_local((4,), "int32")
#|     buffer_1 = T.alloc_local((8,), "int32")
#|     buffer_1[7] = x_1

#--- a name of an outer block is not bound in an inner one
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    x = A[0]
    for i in range(4):
        x = x + A[i]
#       ^ error[TW2102]: 'x' is bound outside of this block: an assignment here makes another name, which ends with the block
#   hint: declare it above as a scalar: x: T.int32 = ...
    if A[1] > 0:
        x = A[2]
#       ^ error[TW2102]: 'x' is bound outside of this block: an assignment here makes another name, which ends with the block
#   hint: declare it above as a scalar: x: T.int32 = ...
    A[3] = x

#--- attributes, clusters and all ids [print]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

LAUNCH = T.cuda.LaunchConfig(grid=(8, 2), block=(128, 2), cluster=(2, 1), dynamic_smem_bytes=1024)

@T.function
def k(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=LAUNCH.replace(priority=1), kernel_attrs=T.cuda.KernelAttributes(min_blocks_per_sm=2))
    A[0] = T.cuda.block_idx("x") + T.cuda.block_idx("z")
    A[1] = T.cuda.thread_idx("y")
    A[2] = T.cuda.lane_id()
    A[3] = T.cuda.warp_id()
    A[4] = T.cuda.warpgroup_id()
    A[5] = T.cuda.warp_in_warpgroup()
    A[6] = T.cuda.thread_in_warpgroup()
    A[7] = T.cuda.cluster_cta_id("x")
    A[8] = T.cuda.cluster_id("y")
    A[9] = T.cuda.grid_dim("x") + T.cuda.block_dim("y") + T.cuda.cluster_dim("x")
    A[10] = T.cuda.linear_thread_id()
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     T.attr({"tirx.launch_bounds_min_blocks_per_sm": 2})
#|     T.attr({"tirx.dyn_smem_bytes": 1024})
#|     v, v_1 = T.cta_id([8, 2])
#|     v_2, v_3, v_4 = T.cta_id_in_cluster([2, 1, 1])
#|     v_5, v_6 = T.thread_id([128, 2])
#|     A[0] = v
#|     A[1] = v_6
#|     v_7 = T.lane_id([32])
#|     A[2] = v_7
#|     v_8 = T.warp_id([8])
#|     A[3] = v_8
#|     v_9 = T.warpgroup_id([2])
#|     A[4] = v_9
#|     v_10 = T.warp_id_in_wg([4])
#|     A[5] = v_10
#|     v_11 = T.thread_id_in_wg([128])
#|     A[6] = v_11
#|     A[7] = v_2
#|     A[8] = v_1
#|     A[9] = 12
#|     A[10] = v_6 * 128 + v_5

#--- tensors over memory that is there, and memory that is allocated [print]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function
def k(p: T.Ptr(T.float32), A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    B = T.decl_tensor(p, ty_args=[T.Tensor((4,), "float32", scope="global")])
    B[0] = 1.0
    S = T.alloc_tensor(ty_args=[T.Tensor((4, 8), "float32", scope="shared", align=128)])
    S[1, 2] = B[3]
    x = T.bind_(A[3] + 1)
    T.tensor_store(A, [1], x)
    A[2] = T.select(A[0] > 0, 1, 2)
    if T.constexpr(3 > 2):
        A[4] = 1
    else:
        A[4] = 2
#| @T.prim_func
#| def k(p: T.handle("float32"), A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     B = T.decl_buffer((4,), data=p)
#|     B[0] = T.float32(1.0)
#|     S_1 = T.alloc_shared((4, 8), align=128)
#|     S_1[1, 2] = B[3]
#|     x: T.let[T.int32] = A[3] + 1
#|     A[1] = x
#|     A[2] = T.Select(A[0] > 0, 1, 2)
#|     A[4] = 1

#--- functions, kernels with constants, private ones [print]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

def twice(x):
    return x * 2

@T.inline
def store(A, i):
    A[i] = twice(A[i])

@T.function(private=True)
def k(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    store(A, T.cuda.thread_idx("x"))

@T.jit
def fill(A: T.Tensor((64,), "int32"), V: T.constexpr, N: T.constexpr = 32):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=N))
    A[T.cuda.thread_idx("x")] = V

five = fill.specialize(V=5)
#| @T.prim_func(private=True)
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     A[v_1] = A[v_1] * 2
#| @T.prim_func
#| def fill(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     A[v_1] = 5

#--- helper classes [print]
# tilewright: dialect 0.27
from tvm_tirx.backend.cuda.lang import MBarrier, Pipeline, PipelineState, SMEMPool
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    pool = SMEMPool()
    tile = pool.alloc((64,), "int32")
    full = MBarrier(pool, 2)
    pool.commit()
    state = PipelineState(2, 0)
    full.init(1)
    T.cuda.cta_sync()
    full.arrive(state.stage)
    full.wait(state.stage, state.phase)
    state.advance()
    tile[0] = A[0]
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([128])
#|     pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     tile = T.decl_buffer((64,), "int32", data=pool_buf.data, scope="shared.dyn")
#|     full_buf = T.decl_buffer((2,), "uint64", data=pool_buf.data, elem_offset=32, scope="shared.dyn", align=8)
#|     T.attr(pool_buf.data, "tirx.pool_max_bytes", 272)
#|     state_stage: T.int32
#|     state_phase: T.int32
#|     state_stage = 0
#|     state_phase = 0
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier.init(T.address_of(full_buf[i]), T.uint32(1))
#|     T.cuda.cta_sync()
#|     T.ptx.mbarrier.arrive(T.address_of(full_buf[state_stage]))
#|     T.cuda.mbarrier_wait(T.address_of(full_buf[state_stage]), T.Cast("uint32", state_phase))
#|     state_stage = state_stage + 1
#|     if state_stage == 2:
#|         state_stage = 0
#|         state_phase = T.bitwise_xor(state_phase, 1)
#|     tile[0] = A[0]

#--- launches that no kernel can have
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

a = T.cuda.LaunchConfig(grid=1, block=(64, 32))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: block= has 2048 threads; a CTA has at most 1024
b = T.cuda.LaunchConfig(grid=0, block=32)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: a dimension of grid= is 0: it must be positive
c = T.cuda.LaunchConfig(grid=6, block=32, cluster=4)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: cluster= divides grid= in every dimension, and 6 is no multiple of 4 in x
d = T.cuda.LaunchConfig(grid=1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: LaunchConfig needs the argument 'block'
e = T.cuda.KernelAttributes(max_registers_per_thread=64, min_blocks_per_sm=1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: max_registers_per_thread= and launch bounds exclude each other
f = T.cuda.LaunchConfig(grid=(1, 1, 1, 1), block=32)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: grid= takes one to three dimensions, 4 are given
g = T.cuda.LaunchConfig(grid=1, block=32, cluster_scheduling_policy="fast")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: cluster_scheduling_policy='fast' is none of default, spread, load_balancing

#--- no launch
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((64,), "int32")):
    T.device_entry()
#   ^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: a kernel for CUDA says its launch: T.device_entry(launch=T.cuda.LaunchConfig(grid=..., block=...))
    A[0] = 1

#--- an id before the launch, and along no axis
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((64,), "int32")):
    i = T.cuda.thread_idx("x")
#       ^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: RuntimeError: T.cuda.thread_idx has a value below T.device_entry(launch=...)
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    A[i] = 1

@T.function
def l(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    A[T.cuda.thread_idx("w")] = 1
#     ^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: T.cuda.thread_idx takes "x", "y" or "z", not 'w'

#--- names of 0.27 that it lacks
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    tx = T.thread_id([32])
#          ^^^^^^^^^ error[TW2003]: tvm_tirx has no T.thread_id
#   hint: write T.cuda.thread_idx("x"); the block stands in T.cuda.LaunchConfig
    b = T.alloc_buffer((4,), "int32")
#         ^^^^^^^^^^^^ error[TW2003]: tvm_tirx has no T.alloc_buffer
#   hint: write T.alloc_tensor(ty_args=[T.Tensor(shape, dtype, scope=...)])
    A[0] = T.cuda.ldg(A.ptr_to([0]), "int32")
#                 ^^^ error[TW2003]: tvm_tirx has no T.cuda.ldg
#   hint: write T.ptx.ld.global_.nc.<type>(dst, address)
    T.cta.copy(A, A)
#     ^^^ error[TW2003]: tvm_tirx has no T.cta
#   hint: tiles are moved by T.cuda.tile.apply(instruction, *views, scope=...)

@T.prim_func
#  ^^^^^^^^^ error[TW2003]: tvm_tirx has no T.prim_func
#   hint: write @T.function
def l(A: T.Buffer((64,), "int32")):
    pass

#--- a name that the package lacks
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((64,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    A[0] = T.cuda.block_id("x")
#                 ^^^^^^^^ error[TW2003]: 'T.cuda' has no attribute 'block_id'
#   hint: did you mean T.cuda.block_idx?
    A[1] = T.tensr(1)
#            ^^^^^ error[TW2003]: 'T' has no attribute 'tensr'

#--- the release
# tilewright: dialect 0.25
from tvm_tirx.script import tirx as T
# @1:1-1:38 error[TW2204]: tvm_tirx is written on the instructions of 0.27, and this script is in 0.25
#   hint: write # tilewright: dialect 0.27

#--- modules
# tilewright: dialect 0.27
from tvm_tirx.backend.cuda.lang import TMEMPool
#                                      ^^^^^^^^ error[TW2003]: tvm_tirx.backend.cuda.lang has no 'TMEMPool'
#   hint: it has BaseTileScheduler, ClusterPersistentScheduler2D, FlashAttentionLPTScheduler, FlashAttentionLinearScheduler, MBarrier, Pipeline, PipelineState, SMEMPool, TCGen05Bar, TMABar, query_cancel_first_ctaid_x
from tvm_tirx.tirx.layout import S, TileLayout
import tvm_tirx

layout = TileLayout(S[(4, 8)])
mod = tvm_tirx.tirx.compile(None)

#--- one instruction over views: what becomes of it [calls] [cuda] [arch sm_90a]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, S, TileLayout

laneid = Axis.get("laneid")

@T.function
def k(A: T.Tensor((32, 4, 4), "float32"), C: T.Tensor((32, 4, 4), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    r = T.alloc_local((32, 4, 4), "float32", layout=TileLayout(S[(32, 4, 4) : (1 @ laneid, 4, 1)]))
    T.cuda.tile.apply("ld.global.v4.f32", r, A, scope="warp")
    T.cuda.tile.apply(T.ptx.st.global_.v4.f32, C, r, scope="warp")
#| 11 apply -> instruction: instruction ld.global.v4.f32, repetitions 4, group [32], repeat [4]
#| 12 apply -> instruction: instruction st.global.v4.f32, repetitions 4, group [32], repeat [4]

#--- a printed kernel with a function of scalars [calls] [arch sm_90a]
# tilewright: dialect 0.27
from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def printed(A: T.Tensor((32, 4), T.float32), C: T.Tensor((32, 4), T.float32)):
    with T.device_entry(1, 1, 1, 32, 1, 1, attrs={"cuda.kernel_attrs": {}, "cuda.launch_fields": ["grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z"]}):
        r = T.alloc_tensor(ty_args=[T.Tensor((1, 4), T.float32, scope="local", layout=T.TileLayout.from_iters(shard=[T.Iter(1, 4, "m"), T.Iter(4, 1, "m")], replica=[]))])
        tid: T.let[T.int32] = T.cuda.thread_idx("x")
        T.ptx["bar.warp.sync"](T.uint32(4294967295))
        T.cuda.tile.apply("ld.global.v4.f32", (r[0, 0:4], A[tid, 0:4]), (), scope=T.ThreadScope("cuda.thread"))
        T.cuda.tile.ewise(T.Lambda([T.float32, T.float32], lambda arg0, arg1: arg0 * arg1 + T.float32(1.0)), r[0, 0:4], (r[0, 0:4], r[0, 0:4]), scope=T.ThreadScope("cuda.thread"))
#| 12 apply -> instruction: instruction ld.global.v4.f32, repetitions 1, repeat [1]
#| 13 ewise -> registers: repetitions 4, repeat [1 4]

#--- functions of scalars of a printed kernel that do not fit
# tilewright: dialect 0.27
from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def printed(A: T.Tensor((32, 4), T.float32), C: T.Tensor((32, 4), T.float32)):
    with T.device_entry(1, 1, 1, 32, 1, 1, attrs={"cuda.kernel_attrs": {}, "cuda.launch_fields": ["grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z"]}):
        r = T.alloc_tensor(ty_args=[T.Tensor((1, 4), T.float32, scope="local", layout=T.TileLayout.from_iters(shard=[T.Iter(1, 4, "m"), T.Iter(4, 1, "m")], replica=[]))])
        tid: T.let[T.int32] = T.cuda.thread_idx("x")
        T.cuda.tile.apply("ld.global.v4.f32", (r[0, 0:4], A[tid, 0:4]), (), scope=T.ThreadScope("cuda.thread"))
        T.cuda.tile.ewise(T.Lambda([T.float32], lambda arg0, arg1: arg0), r[0, 0:4], (r[0, 0:4],), scope=T.ThreadScope("cuda.thread"))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: the lambda needs the argument 'arg1'
        T.cuda.tile.ewise(T.Lambda([T.float32], lambda arg0: arg0), r[0, 0:4], (r[0, 0:4], r[0, 0:4]), scope=T.ThreadScope("cuda.thread"))
#                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: the function takes 1 scalar, 2 inputs are given

#--- contracts of tensor cores [cuda] [arch sm_100a]
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, ComposeLayout, S, TileLayout

TLane = Axis.get("TLane")
TCol = Axis.get("TCol")
MMA = "tcgen05.mma.cta_group::1.kind::f16"

@T.function
def cores(A: T.Tensor((128,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    place = T.alloc_shared((1,), "uint32")
    a = T.alloc_shared((1, 1, 128, 16), "float16", layout=TileLayout(S[(1, 1, 128, 16) : (16, 16, 16, 1)]), align=1024)
    b = T.alloc_shared((1, 1, 64, 16), "float16", layout=ComposeLayout(3, 1, 3, TileLayout(S[(1, 1, 64, 16) : (16, 16, 16, 1)])), align=1024)
    words = T.alloc_shared((32, 4), "uint32", layout=TileLayout(S[(32, 4) : (4, 1)]), align=128)
    cells = T.cuda.decl_tmem(place[0], ty_args=[T.Tensor((1, 1, 128, 64), "float32", scope="tmem", layout=TileLayout(S[(1, 1, 128, 64) : (64 @ TCol, 64 @ TCol, 1 @ TLane, 1 @ TCol)]))])
    turned = T.cuda.decl_tmem(place[0], ty_args=[T.Tensor((1, 1, 128, 64), "float32", scope="tmem", layout=TileLayout(S[(1, 1, 128, 64) : (64 @ TCol, 64 @ TCol, 1 @ TLane, 2 @ TCol)]))])
    four = T.cuda.decl_tmem(place[0], ty_args=[T.Tensor((32, 4), "uint32", scope="tmem", layout=TileLayout(S[(32, 4) : (1 @ TLane, 1 @ TCol)]))])
    if T.cuda.thread_idx("x") == 0:
        T.cuda.tile.apply(MMA, cells, b, b, instruction_shape=(128, 64, 16))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: A ends with what one instruction takes (128, 16); its shape is (1, 1, 64, 16)
        T.cuda.tile.apply(MMA, cells, a, b, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: K is 16 for kind f16 with 1 CTA, not 32
        T.cuda.tile.apply(MMA, cells, a, b, instruction_shape=(128, 64, 16), a_major="mn")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: atoms along K of a are 8 elements apart, not a multiple of their own 64; without a swizzle an atom is eight rows of 16 bytes, one after the other: alloc_mma and mma_shared_layout make tiles with one
        T.cuda.tile.apply(MMA, cells, a, b)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: instruction_shape= is (M, N, K) of one instruction, three constants
        T.cuda.tile.apply(MMA, turned, a, b, instruction_shape=(128, 64, 16))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: element (0, 1) of turned lies in lane 0, column 2; the instruction has it in lane 0, column 1
        T.cuda.tile.apply("tcgen05.mma.cta_group::1.kind::tf32", cells, a, b, instruction_shape=(128, 64, 16))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: the types of D, A and B are those of kind::f16, the instruction says another: tcgen05.mma.cta_group::1.kind::tf32
        T.cuda.tile.apply("tcgen05.mma.sp.cta_group::1.kind::f16", cells, a, b, instruction_shape=(128, 64, 16))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: tcgen05.mma.sp.cta_group::1.kind::f16 is not a whole instruction
        T.cuda.tile.apply("tcgen05.mma.sp.cta_group::1.kind::f16.collector::a::fill.collector::b::fill", cells, a, b, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: tcgen05.mma with .sp has no pattern, here and in the package: its metadata is no operand of T.cuda.tile.apply; write the instruction itself, T.ptx["tcgen05.mma.sp.cta_group::1.kind::f16.collector::a::fill.collector::b::fill"]
        T.cuda.tile.apply("tcgen05.cp.cta_group::1.32x128b.warpx4", four, words)
#                                                                   ^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: four has no copies in its layout, the instruction writes 4 at 32@TLane
        T.cuda.tile.apply("tcgen05.cp.cta_group::1.4x256b", four, words)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: dst ends with what one instruction takes (4, 8); its shape is (32, 4)
    T.cuda.tile.apply(MMA, cells, a, b, instruction_shape=(128, 64, 16), scope="warp")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at warp scope: one thread starts tcgen05.mma: write scope="thread", where T.cuda.elect_sync() chose one

#--- scale factors of tensor cores [cuda] [arch sm_100a]
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, ComposeLayout, R, S, TileLayout

TLane = Axis.get("TLane")
TCol = Axis.get("TCol")
MMA = "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X"

def scales(rows, dtype="float8_e8m0fnu", column=0, apart=4, copies=R[4 : 32 @ TLane]):
    return T.Tensor((1, 1, rows // 32, 32, 1), dtype, scope="tmem", layout=TileLayout(S[(1, 1, rows // 32, 32, 1) : (1 @ TCol, 1 @ TCol, apart @ TCol, 1 @ TLane, 1 @ TCol)] + copies))

@T.function
def cores(A: T.Tensor((128,), "float32"), n: T.int32):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    place = T.alloc_shared((1,), "uint32")
    a = T.alloc_shared((1, 1, 128, 32), "float8_e4m3fn", layout=ComposeLayout(4, 1, 3, TileLayout(S[(1, 1, 128, 32) : (32, 32, 32, 1)])), align=1024)
    b = T.alloc_shared((1, 1, 64, 32), "float8_e4m3fn", layout=ComposeLayout(4, 1, 3, TileLayout(S[(1, 1, 64, 32) : (32, 32, 32, 1)])), align=1024)
    cells = T.cuda.decl_tmem(place[0], ty_args=[T.Tensor((1, 1, 128, 64), "float32", scope="tmem", layout=TileLayout(S[(1, 1, 128, 64) : (64 @ TCol, 64 @ TCol, 1 @ TLane, 1 @ TCol)]))])
    sa = T.cuda.decl_tmem(place[0] + T.uint32(64), ty_args=[scales(128)]).view(1, 1, 128, 1)
    sb = T.cuda.decl_tmem(place[0] + T.uint32(68), ty_args=[scales(64)]).view(1, 1, 64, 1)
    once = T.cuda.decl_tmem(place[0] + T.uint32(64), ty_args=[scales(128, copies=R[1 : 32 @ TLane])]).view(1, 1, 128, 1)
    wide = T.cuda.decl_tmem(place[0] + T.uint32(64), ty_args=[scales(128, apart=8)]).view(1, 1, 128, 1)
    nv = T.cuda.decl_tmem(place[0] + T.uint32(64), ty_args=[scales(128, "float8_e4m3fn")]).view(1, 1, 128, 1)
    words = T.cuda.decl_tmem(place[0] + T.uint32(64), ty_args=[T.Tensor((1, 1, 128, 1), "uint32", scope="tmem", layout=TileLayout(S[(1, 1, 128, 1) : (1 @ TCol, 1 @ TCol, 1 @ TLane, 1 @ TCol)]))])
    if T.cuda.thread_idx("x") == 0:
        T.cuda.tile.apply(MMA, cells, a, b, sa, sb, instruction_shape=(128, 64, 32), neg_a=True)
        T.cuda.tile.apply(MMA, cells, a, b, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X takes D, A, B and their scale factors, SFA and SFB
        T.cuda.tile.apply(MMA, cells, a, b, sa, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X takes D, A, B and their scale factors, SFA and SFB
        T.cuda.tile.apply(MMA, cells, a, b, sb, sa, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: SFA ends with what one instruction takes (128, 1); its shape is (1, 1, 64, 1)
        T.cuda.tile.apply(MMA, cells, a, b, a, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: no tcgen05.mma multiplies float8_e4m3fn by float8_e4m3fn into float32 with scales float8_e4m3fn and float8_e8m0fnu
        T.cuda.tile.apply(MMA, cells, a, b, once, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: once has no copies in its layout, the instruction reads 4 at 32@TLane
        T.cuda.tile.apply(MMA, cells, a, b, wide, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: element (32, 0) of wide lies in lane 0, column 8; the instruction has it in lane 0, column 4
        T.cuda.tile.apply(MMA, cells, a, b, nv, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: no tcgen05.mma multiplies float8_e4m3fn by float8_e4m3fn into float32 with scales float8_e4m3fn and float8_e8m0fnu
        T.cuda.tile.apply(MMA, cells, a, b, sa, 1, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: SFB is no tensor and no region of one
        T.cuda.tile.apply(MMA, cells, a, b, sa, sb, sb, instruction_shape=(128, 64, 32))
#                                                   ^^ error[TW2006]: T.cuda.tile.apply takes at most 5 views, 6 are given
        T.cuda.tile.apply(MMA, cells, a, b, words, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: no tcgen05.mma multiplies float8_e4m3fn by float8_e4m3fn into float32 with scales uint32 and float8_e8m0fnu
        T.cuda.tile.apply(MMA, cells, a, b, sa, sb, instruction_shape=(128, 64, 32), sat_d=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X takes no sat_d=
        T.cuda.tile.apply(MMA, cells, a, b, sa, sb, instruction_shape=(64, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: M = 64 is not possible for kind mxf8f6f4 with 1 CTA
        T.cuda.tile.apply("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::2X", cells, a, b, sa, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::2X is not a whole instruction
        T.cuda.tile.apply("tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X", cells, a, b, sa, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: the types of D, A, B and the scale factors are those of kind::mxf8f6f4, the instruction says another: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X
        T.cuda.tile.apply("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32", cells, a, b, sa, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: kind::mxf8f6f4 with scale factors of float8_e8m0fnu takes 1 of a row: write .scale_vec::1X
        T.cuda.tile.apply("tcgen05.mma.cta_group::1.kind::f8f6f4", cells, a, b, sa, sb, instruction_shape=(128, 64, 32))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tcgen05 serves this call at thread scope: tcgen05.mma.cta_group::1.kind::f8f6f4 takes D, A and B

#--- contracts of apply [cuda] [arch sm_90a]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, S, TileLayout

laneid = Axis.get("laneid")

@T.function
def k(A: T.Tensor((128, 8), "float32"), H: T.Tensor((128, 8), "float16")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    r = T.alloc_local((1, 4), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r, A[t : t + 1, 0:8])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: src ends with what one instruction takes (4,); its shape is (1, 8)
    T.cuda.tile.apply("ld.global.v4.f32", r, A[t : t + 1, 1:5])
#                                            ^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: src, repetition (0,), element (0,) begins at element t * 8 + 1 of A, which is not known to be a multiple of 16 bytes
    T.cuda.tile.apply("ld.global.v4.f32", r, H[t : t + 1, 0:4])
#                                            ^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: src takes elements of 32 bits, H has 16: view it as another dtype
    T.cuda.tile.apply("ld.global.v2.f32", r, A[t : t + 1, 0:4])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: dst ends with what one instruction takes (2,); its shape is (1, 4)
    T.cuda.tile.apply("ld.v4.f32", r, A[t : t + 1, 0:4])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: ld.v4.f32 says no space of memory: global, shared or local
    T.cuda.tile.apply("ld.global.v4.f32", r, A[t : t + 1, 0:4], depth=3)
#                                                               ^^^^^ error[TW2006]: T.cuda.tile.apply has no argument 'depth'
    T.cuda.tile.apply("ld.global.v4.f32", r, A[t : t + 1, 0:4], chunk_bytes=16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: ld.global.v4.f32 takes no chunk_bytes=
    T.cuda.tile.apply("ld.global.v4.f32", r, A[t : t + 1, 0:4], scope="block")
#                                                                     ^^^^^^^ error[TW2005]: scope= is thread, warp, warpgroup, cta or cluster, not "block"
    T.cuda.tile.apply("ld.globl.v4.f32", r, A[t : t + 1, 0:4])
#                     ^^^^^^^^^^^^^^^^^ error[TW2003]: T.ptx: ld takes no .globl: .globl is no modifier of it; legal here: l1ev .L1::evict_first, .L1::evict_last, .L1::evict_normal, .L1::evict_unchanged or .L1::no_allocate; prefetch .L2::128B, .L2::256B or .L2::64B; cache .L2::cache_hint; l2ev .L2::evict_first, .L2::evict_last or .L2::evict_normal; sem .acquire, .relaxed, .volatile or .weak; type .b128, .b16, .b32, .b64, .b8, .f32, .f64, .s16 and 7 more and words of 7 more slots
    T.cuda.tile.apply("atom.global.add.f32", r, A[t : t + 1, 0:4])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: atom.global.add.f32 has no pattern here: ld, st, ldmatrix, stmatrix, mma.m16n8k8 and m16n8k16, cp.async.ca and .cg, cp.async.bulk to another CTA, and arithmetic on registers have

#--- the same, of layouts [cuda] [arch sm_90a]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, S, TileLayout

laneid = Axis.get("laneid")

@T.function
def k(A: T.Tensor((32, 4), "float32"), B: T.Tensor((4, 32), "float32"), Q: T.Tensor((4, 128), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    plain = T.alloc_local((1, 4), "float32")
    T.cuda.tile.apply("ld.global.v4.f32", plain, A[0:1, :])
#                                         ^^^^^ error[TW2109]: plain has no layout, and T.cuda.tile.apply takes tensors in registers that have one
#   hint: allocate it with layout="default", or with the layout that the threads share it by
    turned = T.alloc_local((32, 4), "float32", layout=TileLayout(S[(8, 4, 4) : (1 @ laneid, 8 @ laneid, 1)]))
    T.cuda.tile.apply("ld.global.v4.f32", turned, A, scope="warp")
#                                         ^^^^^^ error[TW3104]: no variant of apply serves this call at warp scope: dst, element (0,) belongs to laneid 1, and the layout of turned gives it to 8
    same = T.alloc_local((1, 4), "float32", layout=TileLayout(S[(1, 4) : (4, 0)]))
    T.cuda.tile.apply("ld.global.v4.f32", same, A[0:1, :])
#                                         ^^^^ error[TW3104]: no variant of apply serves this call at thread scope: dst is written, and two of its elements share register 0 of same
    r = T.alloc_local((32, 4), "float32", layout=TileLayout(S[(32, 4) : (1 @ laneid, 1)]))
    T.cuda.tile.apply("ld.global.v4.f32", r, B.permute(1, 0), scope="warp")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at warp scope: src, element (1,) lies at element 32 of the view, 32 after the first; the instruction takes neighbours
    T.cuda.tile.apply("ld.global.v4.f32", r, A, scope="cta")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at cta scope: dst begins with the threads of the scope (4, 32); its shape is (32, 4)
    w = T.alloc_local((1, 8, 4), "uint32", layout="default")
    s = T.alloc_shared((1, 8, 4), "uint32", align=128)
    T.cuda.tile.apply("ldmatrix.sync.aligned.m8n8.x1.shared.b16", w, s)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: the instruction is one of a whole warp: write scope="warp" or a wider one
    two = T.alloc_local((2, 1, 4), "float32", layout="default")
    T.cuda.tile.apply("st.global.v4.f32", A.view(32, 1, 4)[0:3, :, :], two)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply serves this call at thread scope: src is repeated (2, 1), and the views before it (3, 1)

#--- functions of scalars over views [cuda] [arch sm_90a]
# tilewright: dialect 0.27
from tvm_tirx.script import tirx as T

@T.function(private=True)
def twice(x: T.float32) -> T.float32:
    return x * T.float32(2)

@T.function
def k(A: T.Tensor((128, 4), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    r = T.alloc_local((4,), "float32", layout="default")
    h = T.alloc_local((4,), "float16", layout="default")
    T.cuda.tile.ewise(twice, r, r)
    T.cuda.tile.ewise(twice, h, r)
#                            ^ error[TW2004]: what the function returns is float32, and this view has float16: ewise converts nothing
#   hint: convert in the function: T.cast(x, "float32")
    T.cuda.tile.ewise(twice, r, h)
#                               ^ error[TW2004]: the parameter 'x' is float32, and this view has float16: ewise converts nothing
#   hint: convert in the function: T.cast(x, "float32")
    T.cuda.tile.ewise(twice, r, r, r)
#                     ^^^^^ error[TW2006]: 'twice' takes 1 scalar, 2 inputs are given
    T.cuda.tile.ewise(twice, A[0, 0:4], r)
#                            ^^^^^^^^^ error[TW3104]: no variant of ewise serves this call at thread scope: dst must be in local memory, A is in global
    T.cuda.tile.ewise(lambda x: x, r, r)
#                     ^^^^^^^^^^^ error[TW2004]: T.cuda.tile.ewise takes a function of scalars, a destination and inputs
#   hint: decorate it with @T.function and say what it returns: def f(x: T.float32) -> T.float32

#--- interleaved tensor maps  [cuda] [arch sm_90a]
from tvm_tirx.script import tirx as T

LOAD = "cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes"

@T.function
def k(A: T.Tensor((2, 4, 8, 8, 8), "float16"), B: T.Tensor((2, 4, 8, 8, 16), "float16"), C: T.Tensor((1,), "float16")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    s = T.alloc_shared((1, 1, 8, 8, 8), "float16", align=128, layout="default")
    w = T.alloc_shared((1, 1, 8, 8, 16), "float16", align=1024, layout="default")
    b = T.alloc_shared((1,), "uint64")
    T.cuda.tile.apply(LOAD, s, A, box=(1, 1, 8, 8), coords=(0, 0, 0, 0), interleave=3, mbar=b.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tensor serves this call at thread scope: interleave= is 0, 1 (slices of 16 bytes) or 2 (of 32)
    T.cuda.tile.apply(LOAD, s, A, box=(1, 1, 8, 8), coords=(0, 0, 0, 0), mbar=b.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tensor serves this call at thread scope: the view in global memory has 5 dimensions, cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes another number
    T.cuda.tile.apply(LOAD, s, A[0], box=(1, 1, 8, 8), coords=(0, 0, 0, 0), interleave=1, mbar=b.ptr_to([0]))
    T.cuda.tile.apply(LOAD, s, B, box=(1, 1, 8, 8), coords=(0, 0, 0, 0), interleave=1, mbar=b.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tensor serves this call at thread scope: the last dimension of the view in global memory has 16 elements, a slice of 16 bytes has 8
    T.cuda.tile.apply(LOAD, w, B, box=(1, 1, 8, 8), coords=(0, 0, 0, 0), interleave=2, mbar=b.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tensor serves this call at thread scope: interleave=2 needs swizzle=1
    T.cuda.tile.apply(LOAD, w, B, box=(1, 1, 8, 8), coords=(0, 0, 0, 0), interleave=2, swizzle=1, mbar=b.ptr_to([0]))
#                           ^ error[TW3104]: no variant of apply_tensor serves this call at thread scope: element 64 of the box lies at byte 128 of w, the copy leaves it at 144
    T.cuda.tile.apply(LOAD, s, A.permute(0, 1, 3, 2, 4), box=(1, 1, 8, 8), coords=(0, 0, 0, 0), interleave=1, mbar=b.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of apply_tensor serves this call at thread scope: the stride before the slice is 64 elements: slices lie side by side along the width, 8 apart
    T.cuda.tile.apply(LOAD, s, A[0:1, 0:1, 0:8, 0:8, :], box=(1, 2, 8, 8), coords=(0, 0, 0, 0), interleave=1, mbar=b.ptr_to([0]))
    C[0] = s[0, 0, 0, 0, 0]

#--- a launch that failed is told once  [cuda] [arch sm_90a]
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((32,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, blok=32))
#                                                     ^^^^ error[TW2006]: LaunchConfig has no argument 'blok'
#   hint: did you mean block=?
    t = T.cuda.thread_idx("x") + T.cuda.block_idx("x") * T.cuda.block_dim("x")
    A[t] = A[T.cuda.lane_id()]

@T.function
def none(A: T.Tensor((32,), "float32")):
    A[T.cuda.thread_idx("x")] = 0.0
#     ^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: RuntimeError: T.cuda.thread_idx has a value below T.device_entry(launch=...)

#--- modules and names that the package lacks
# tilewright: dialect 0.27
from tvm_tirx.scriptt import tirx as T2
#             ^^^^^^^ error[TW2203]: there is no module 'tvm_tirx.scriptt'
#   hint: did you mean script?
from tvm_tirx.script import tirxx as T3
#                           ^^^^^ error[TW2003]: 'tvm_tirx.script' has no name 'tirxx'
#   hint: did you mean tirx?
from tvm_tirx.tirx.layot import TileLayout
#                  ^^^^^ error[TW2203]: there is no module 'tvm_tirx.tirx.layot'
#   hint: did you mean layout?
import tvm_tirx.backend.cuda.lang.pipelin
#                                 ^^^^^^^ error[TW2203]: there is no module 'tvm_tirx.backend.cuda.lang.pipelin'
#   hint: did you mean pipeline?
from tvm_tirx.script.parser.entry import parse
from tvm_tirx.script import tirx as T

@T.function
def k(A: T.Tensor((32,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    A[T.cuda.thread_idx("x")] = 0.0
