# Kernels of the traced library: a function that runs once. docs/language/dialects.md 7
#--- a kernel, its launch and its parameters [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=4, arch="sm_90a", grid=8)
def add(a: txl.gptr[txl.f32, (1024,)], b: txl.gptr[txl.f32], n: txl.i32):
    i = txl.cta_id() * 128 + txl.thread_id()
    x = txl.local_scalar("float32")
    with txl.If(i < n), txl.Then():
        txl.ptx.ld.global_.f32(x, a.ptr_to([i]))
        for step in range(2):
            txl.assign(x, x + float(step))
        txl.ptx["st.global.f32"](b.ptr_to([i]), x)
    with txl.serial(2) as j:
        txl.cuda.cta_sync()
#| @T.prim_func
#| def add(a: T.Buffer((1024,), "float32"), b_handle: T.handle, n: T.int32):
#|     T.func_attr({"global_symbol": "add", "tirx.cuda_arch": "sm_90a"})
#|     b_dim0 = T.int64()
#|     b = T.match_buffer(b_handle, (b_dim0,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([8])
#|     v_1 = T.warp_id([4])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([128])
#|     x = T.alloc_local((1,))
#|     if v * 128 + v_3 < n:
#|         T.ptx.ld(x[0], T.address_of(a[v * 128 + v_3]), "", "", "", "global", "", "", "", "", "", "f32", "")
#|         x[0] = x[0] + T.float32(0.0)
#|         x[0] = x[0] + T.float32(1.0)
#|         T.ptx.st(T.address_of(b[v * 128 + v_3]), x[0], "", "", "", "global", "", "", "", "f32", "")
#|     for j in range(2):
#|         T.cuda.cta_sync()

#--- a grid by a parameter, shapes of numbers, bounds, what the host makes [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def encode(p):
    m = txl.stack_alloca("tensormap", 1)
    txl.call_packed("runtime.cuTensorMapEncodeTiled", m, "float32", 2, p["a"].data, 64, 64, 256, 32, 8, 1, 1, 0, 0, 0, 0)
    return m

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=2, grid=["n", 2], host_prelude=encode)
def k(a: txl.gptr(txl.f32, shape=lambda p: (p["n"], 64)), n: txl.i32, *, host):
    x, y = txl.cta_id()
    with txl.If(txl.thread_id() == 0), txl.Then():
        txl.ptx.prefetch.tensormap(txl.address_of(host))
#| @T.prim_func
#| def k(a_handle: T.handle, n: T.int32):
#|     T.func_attr({"global_symbol": "k", "tirx.cuda_arch": "sm_90a"})
#|     a = T.match_buffer(a_handle, (n, 64))
#|     m: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
#|     T.call_packed("runtime.cuTensorMapEncodeTiled", m, "float32", 2, a.data, 64, 64, 256, 32, 8, 1, 1, 0, 0, 0, 0)
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     T.attr({"tirx.launch_bounds_min_blocks_per_sm": 2})
#|     x, y = T.cta_id([n, 2])
#|     v = T.warp_id([8])
#|     v_1 = T.lane_id([32])
#|     v_2 = T.thread_id([256])
#|     if v_2 == 0:
#|         T.ptx.prefetch(T.reinterpret("handle", T.address_of(m)), "", "", "", "tensormap", "")

#--- what belongs to other dialects is refused by name
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=1, grid=1)
def k(a: txl.gptr[txl.f32]):
    txl.evaluate(txl.ptx.bar.sync(0))
#       ^^^^^^^^ error[TW2003]: txl has no 'evaluate': each call makes its statement itself
#   hint: write the call alone

@txl.kernel(warps=1, grid=1)
def l(a: txl.gptr[txl.f32]):
    x = txl.cuda.ldg(a.ptr_to([0]), "float32")
#                ^^^ error[TW2003]: txl.cuda.ldg gives a value, and where it is used decides how often it runs
#   hint: write txl.ptx.ld.global_.nc.<type>(dst, address)

@txl.kernel(warps=1, grid=1)
def m(a: txl.gptr[txl.f32]):
    txl.alloc_shared([32], "float32")
#       ^^^^^^^^^^^^ error[TW2003]: txl has no 'alloc_shared': tensors have their default layout, and tiles are made of instructions
#   hint: write txl.smem_pool().alloc(shape, dtype, swizzle=...)

#--- what a traced kernel may not do stands at the call, with the calls that led there
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def first(a):
    return a[0]

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def reads(a: txl.gptr[txl.f32]):
    x = txl.local_scalar("float32")
    txl.assign(x, first(a))
#   ^^^^^^^^^^^^^^^^^^^^^^^ error[TW2121]: a traced kernel does not read a in global memory by an index
#   hint: write txl.ptx.ld from a.ptr_to([...]) into a register

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def stores(a: txl.gptr[txl.f32]):
    a[0] = txl.float32(1)
#   ^^^^ error[TW2121]: a traced kernel does not store into a in global memory by an index
#   hint: write txl.ptx.st to a.ptr_to([...])

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def registers(a: txl.gptr[txl.f32]):
    txl.ptx.setmaxnreg.inc.sync.aligned.u32(240)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2121]: setmaxnreg needs to know how many registers a thread begins with
#   hint: give min_blocks_per_sm= to txl.kernel

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def copies(a: txl.gptr[txl.f32]):
    s = txl.smem_pool().alloc((32,), "float32")
    txl.ptx["cp.async.ca.shared.global"](s.ptr_to([0]), a.ptr_to([0]), 4)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.ca.shared.global takes a fourth operand in a traced kernel: it says what a copy that does not run leaves behind
#   hint: write the size again for a plain copy, 0 for zeros, txl.ptx.pred(x) for zeros where x holds; with pred= a thread where it is false keeps what was there

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def branches(a: txl.gptr[txl.f32], n: txl.i32):
    if txl.thread_id() < n:
#      ^^^^^^^^^^^^^^^^^^^ error[TW2103]: Python cannot branch on a run-time value
#   hint: write `with txl.If(condition), txl.Then():`, or txl.if_then_else
        txl.cuda.cta_sync()

#--- roles, their registers, and the chain of their branches [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
def k(a: txl.gptr[txl.f32, (256,)]):
    roles = txl.specialize()
    load = roles.role("load", warps=range(4), regs=24)
    work = roles.role("work", warps=[4, 5, 6, 7], regs=240)
    with load:
        txl.ptx.bar.sync(1, 128)
    with work:
        t = txl.tid_in_role()
        w = txl.warp_id_in_role()
        txl.ptx.st.global_.f32(a.ptr_to([t + w]), txl.float32(1))
#| @T.prim_func
#| def k(a: T.Buffer((256,), "float32")):
#|     T.func_attr({"global_symbol": "k", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     T.attr({"tirx.launch_bounds_min_blocks_per_sm": 1})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([8])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([256])
#|     if 0 <= v_1 and v_1 <= 3:
#|         T.ptx.setmaxnreg(24, "dec", "sync", "aligned", "u32", "")
#|         T.ptx.bar(T.uint32(1), T.uint32(128), "", "sync", "")
#|     elif 4 <= v_1 and v_1 <= 7:
#|         T.ptx.setmaxnreg(240, "dec", "sync", "aligned", "u32", "")
#|         T.ptx.st(T.address_of(a[v_3 - 128 + (v_1 - 4)]), T.float32(1.0), "", "", "", "global", "", "", "", "f32", "")

#--- roles that do not share out the warps
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
# @1:2-1:65 error[TW2008]: ValueError: warps [4, 5, 6, 7] have no role; the roles share out all 8 warps of the kernel
def k(a: txl.gptr[txl.f32]):
    roles = txl.specialize()
    load = roles.role("load", warps=range(4))
    with load:
        txl.ptx.bar.sync(1, 128)

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
def l(a: txl.gptr[txl.f32]):
    roles = txl.specialize()
    load = roles.role("load", warps=range(4), regs=256)
    work = roles.role("work", warps=range(4, 8), regs=256)
    with load:
        with work:
#            ^^^^ error[TW2008]: RuntimeError: role 'work' stands in role 'load'; roles do not nest
            txl.ptx.bar.sync(1, 128)

#--- pools, barriers and pipelines [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def k(a: txl.gptr[txl.f32, (256,)]):
    pool = txl.smem_pool()
    tile = pool.alloc((2, 64, 64), txl.f16, swizzle=txl.SW128B)
    pipe = txl.Pipeline(pool, 2, full="tma", empty="mbar", init_empty=4)
    state = txl.PipelineState(2, 0)
    ring = txl.RingState(4, stride=2)
    pipe.full.wait(state.stage, state.phase)
    r = txl.alloc_local([4], "uint32")
    txl.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(r[0], r[1], r[2], r[3], tile[state.stage].m8n8x4(0, 8, txl.lane_id()))
    pipe.empty.arrive(state.stage)
    state.advance()
    ring.advance()
#| @T.prim_func
#| def k(a: T.Buffer((256,), "float32")):
#|     T.func_attr({"global_symbol": "k", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([4])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([128])
#|     v_4 = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     tile_buf = T.decl_buffer((2, 64, 64), "float16", data=v_4.data, scope="shared.dyn", align=1024, layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[8192:1])))
#|     pipe_full_buf = T.decl_buffer((2,), "uint64", data=v_4.data, elem_offset=2048, scope="shared.dyn", align=8)
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier(T.cuda.cvta_generic_to_shared(T.address_of(pipe_full_buf[i])), T.uint32(1), "init", "", "shared", "b64", "")
#|     pipe_empty_buf = T.decl_buffer((2,), "uint64", data=v_4.data, elem_offset=2050, scope="shared.dyn", align=8)
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier(T.cuda.cvta_generic_to_shared(T.address_of(pipe_empty_buf[i])), T.uint32(4), "init", "", "shared", "b64", "")
#|     state_stage = T.alloc_local((1,), "int32")
#|     state_phase = T.alloc_local((1,), "int32")
#|     state_stage[0] = 0
#|     state_phase[0] = 0
#|     ring_stage = T.alloc_local((1,), "uint32")
#|     ring_phase = T.alloc_local((1,), "uint32")
#|     ring_stage[0] = T.uint32(0)
#|     ring_phase[0] = T.uint32(0)
#|     T.cuda.mbarrier_wait(T.address_of(pipe_full_buf[state_stage[0]]), T.Cast("uint32", state_phase[0]))
#|     r = T.alloc_local((4,), "uint32")
#|     T.ptx.ldmatrix(r[0], r[1], r[2], r[3], T.cuda.cvta_generic_to_shared(T.address_of(tile_buf[state_stage[0], T.bitwise_and(v_2, 15), T.shift_right(v_2, 4) * 8 + 8])), "sync", "aligned", "m8n8", "x4", "", "shared", "b16", "")
#|     T.ptx.mbarrier(T.cuda.cvta_generic_to_shared(T.address_of(pipe_empty_buf[state_stage[0]])), T.uint32(1), "arrive", "", "", "shared", "b64", "")
#|     state_stage[0] = state_stage[0] + 1
#|     if state_stage[0] == 2:
#|         state_stage[0] = 0
#|         state_phase[0] = T.bitwise_xor(state_phase[0], 1)
#|     ring_stage[0] = ring_stage[0] + T.uint32(2)
#|     if ring_stage[0] >= T.uint32(4):
#|         ring_stage[0] = ring_stage[0] - T.uint32(4)
#|         ring_phase[0] = T.bitwise_xor(ring_phase[0], T.uint32(1))
#|     T.attr(v_4.data, "tirx.pool_max_bytes", 16416)

#--- a release that has no such library
# tilewright: dialect 0.25
import tirx_kernels.tirx_lite as txl
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2204]: tirx_lite is written on the instructions of 0.27, and this script is in 0.25
#   hint: write # tilewright: dialect 0.27

#--- signatures that the function is given, another symbol, attributes without a with [print]
# tilewright: dialect 0.27
from __future__ import annotations
import inspect
import tirx_kernels.tirx_lite as txl

def make(names):
    def entry(*args):
        wide = txl.attr({"tirx.required_block_size": 1})
        wide.__enter__()
        for n, a in zip(names, args):
            if n == "a":
                txl.ptx["st.global_.b32"](a.ptr_to([txl.lane_id()]), txl.uint32(1))
        wide.__exit__(None, None, None)
    entry.__name__ = "given"
    entry.__signature__ = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=a) for n, a in
         (("a", txl.gptr[txl.u32, (32,)]), ("n", txl.i32))]
    )
    return txl.kernel(warps=1, arch="sm_90a", grid="n")(entry).func.with_attr("global_symbol", "renamed")

k = make(["a", "n"])

def other(a, b):
    pair = txl.reinterpret("bfloat16x2", txl.local_scalar("uint32", init=txl.uint32(5)))
    txl.ptx.st.global_.b16(a.ptr_to([0]), txl.reinterpret("uint16", txl.Shuffle([pair], [1])))
    txl.ptx.st.global_.u64(b.ptr_to([0]), txl.ptx.addr(a.ptr_to([0]), 4) if False else txl.uint64(1))

other.__annotations__ = {"a": txl.gptr[txl.u16], "b": txl.gptr[txl.u64]}
l = txl.kernel(warps=1, arch="sm_90a", grid=False)(other)
#| @T.prim_func
#| def renamed(a: T.Buffer((32,), "uint32"), n: T.int32):
#|     T.func_attr({"global_symbol": "renamed", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([n])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([32])
#|     T.attr({"tirx.required_block_size": 1})
#|     T.ptx.st(T.address_of(a[v_2]), T.uint32(1), "", "", "", "global", "", "", "", "b32", "")
#| @T.prim_func
#| def other(a_handle: T.handle, b_handle: T.handle):
#|     T.func_attr({"global_symbol": "other", "tirx.cuda_arch": "sm_90a"})
#|     a_dim0 = T.int64()
#|     b_dim0 = T.int64()
#|     a = T.match_buffer(a_handle, (a_dim0,), "uint16")
#|     b = T.match_buffer(b_handle, (b_dim0,), "uint64")
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.warp_id([1])
#|     v_1 = T.lane_id([32])
#|     v_2 = T.thread_id([32])
#|     v_3 = T.alloc_local((1,), "uint32")
#|     v_3[0] = T.uint32(5)
#|     T.ptx.st(T.address_of(a[0]), T.reinterpret("uint16", T.reinterpret("bfloat16", T.Cast("uint16", T.shift_right(v_3[0], T.uint32(16))))), "", "", "", "global", "", "", "", "b16", "")
#|     T.ptx.st(T.address_of(b[0]), T.uint64(1), "", "", "", "global", "", "", "", "u64", "")

#--- schedulers, descriptors and idioms [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl
from tvm.backend.cuda.cpp.descriptors import encode_instr_descriptor_dense_uint32, encode_smem_descriptor_base_uint64

IDESC = encode_instr_descriptor_dense_uint32(128, 64, 16, "float32", "float16", "float16", False, False)
assert IDESC == 0x08100010 and txl.idioms.decode_instr_descriptor(IDESC)["N"] == 64
assert encode_smem_descriptor_base_uint64(0, 64, 3) == 0x4000404000000000

@txl.kernel(warps=4, arch="sm_100a", grid=4)
def k(a: txl.gptr[txl.f32]):
    pool = txl.smem_pool()
    x = pool.alloc((2, 128, 64), txl.f16, swizzle=txl.SW128B)
    y = pool.alloc((64, 64), txl.f16, swizzle=txl.SW128B)
    tiles = txl.ClusterPersistentScheduler2D("t", 8, 4, 4, l2_group_size=4)
    tiles.init(txl.cta_id())
    with txl.While(tiles.valid()):
        txl.idioms.mma_chain(
            "tcgen05.mma.cta_group::1.kind::f16", 0, a=x[tiles.m_idx % 2], b=y, idesc=IDESC,
            pred=txl.cuda.elect_sync(), accumulate=False, guard="pred", k_range=(0, 32),
        )
        tiles.next_tile()
#| @T.prim_func
#| def k(a_handle: T.handle):
#|     T.func_attr({"global_symbol": "k", "tirx.cuda_arch": "sm_100a"})
#|     a_dim0 = T.int64()
#|     a = T.match_buffer(a_handle, (a_dim0,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([4])
#|     v_1 = T.warp_id([4])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([128])
#|     v_4 = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     x_buf = T.decl_buffer((2, 128, 64), "float16", data=v_4.data, scope="shared.dyn", align=1024, layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[16384:1])))
#|     y_tile_buf = T.decl_buffer((64, 64), "float16", data=v_4.data, elem_offset=16384, scope="shared.dyn", align=1024, layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[4096:1])))
#|     tiles_m_idx = T.alloc_local((1,), "int32")
#|     tiles_n_idx = T.alloc_local((1,), "int32")
#|     tiles_linear_idx = T.alloc_local((1,), "int32")
#|     tiles_tile_count = T.alloc_local((1,), "int32")
#|     tiles_linear_idx[0] = v
#|     tiles_tile_count[0] = 0
#|     if T.bitwise_and(v < 32, T.bool(True)):
#|         tiles_m_idx[0] = v // 16 * 4 + v % 16 % 4
#|         tiles_n_idx[0] = v % 16 // 4
#|     else:
#|         tiles_m_idx[0] = 0
#|         tiles_n_idx[0] = 0
#|     while tiles_linear_idx[0] < 32:
#|         v_5 = T.alloc_local((1,), "uint64")
#|         T.cuda.tcgen05.encode_matrix_descriptor(T.address_of(v_5[0]), T.address_of(y_tile_buf[0, 0]), T.uint64(0), T.uint64(64), 3)
#|         v_6 = T.alloc_local((1,), "uint64")
#|         T.cuda.tcgen05.encode_matrix_descriptor(T.address_of(v_6[0]), T.address_of(x_buf[tiles_m_idx[0] % 2, 0, 0]), T.uint64(0), T.uint64(64), 3)
#|         T.ptx.tcgen05(T.uint32(0), v_6[0], v_5[0], T.uint32(135266320), T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), 0, T.cuda.elect_sync(), "mma", "cta_group::1", "kind::f16", "", "pred,p8")
#|         v_7 = T.alloc_local((1,), "uint32")
#|         v_8 = T.alloc_local((1,), "uint32")
#|         v_9 = T.alloc_local((1,), "uint64")
#|         T.ptx.mov(v_7[0], v_8[0], v_6[0], "b64", "")
#|         T.ptx.add(v_7[0], v_7[0], T.uint32(2), "", "u32", "")
#|         T.ptx.mov(v_9[0], v_7[0], v_8[0], "b64", "")
#|         v_10 = T.alloc_local((1,), "uint32")
#|         v_11 = T.alloc_local((1,), "uint32")
#|         v_12 = T.alloc_local((1,), "uint64")
#|         T.ptx.mov(v_10[0], v_11[0], v_5[0], "b64", "")
#|         T.ptx.add(v_10[0], v_10[0], T.uint32(2), "", "u32", "")
#|         T.ptx.mov(v_12[0], v_10[0], v_11[0], "b64", "")
#|         T.ptx.tcgen05(T.uint32(0), v_9[0], v_12[0], T.uint32(135266320), T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), 1, T.cuda.elect_sync(), "mma", "cta_group::1", "kind::f16", "", "pred,p8")
#|         tiles_linear_idx[0] = tiles_linear_idx[0] + 4
#|         tiles_tile_count[0] = tiles_tile_count[0] + 1
#|         if T.bitwise_and(tiles_linear_idx[0] < 32, T.bool(True)):
#|             tiles_m_idx[0] = tiles_linear_idx[0] // 16 * 4 + tiles_linear_idx[0] % 16 % 4
#|             tiles_n_idx[0] = tiles_linear_idx[0] % 16 // 4
#|         else:
#|             tiles_m_idx[0] = 0
#|             tiles_n_idx[0] = 0
#|     T.attr(v_4.data, "tirx.pool_max_bytes", 40960)

#--- mistakes in what the library is given
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=4, arch="sm_90a", grid=0)
# @1:2-1:44 error[TW2008]: ValueError: an extent of the grid is 0: it must be positive
def none(a: txl.gptr[txl.f32]):
    pass

@txl.kernel(warps=4, arch="sm_9a", grid=1)
# @1:2-1:43 error[TW2005]: there is no architecture "sm_9a"
#   hint: for example "sm_90a" or "sm_100a"
def architecture(a: txl.gptr[txl.f32]):
    pass

@txl.kernel(warps=4, arch="sm_90a", grid="m")
# @1:2-1:46 error[TW2008]: ValueError: grid='m' is the name of no parameter
def parameter(a: txl.gptr[txl.f32], n: txl.i32):
    pass

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def untyped(a):
#           ^ error[TW2105]: parameter 'a' of a traced kernel needs an annotation
#   hint: for example a: txl.gptr[txl.f32]
    pass

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def twice(a: txl.gptr[txl.f32]):
    txl.smem_pool()
    txl.smem_pool()
#   ^^^^^^^^^^^^^^^ error[TW2008]: RuntimeError: txl.smem_pool() was called before in this kernel

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def swizzle(a: txl.gptr[txl.f32]):
    txl.smem_pool().alloc((7, 64), txl.f16, swizzle=txl.SW128B)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: txl.smem_pool().alloc: SWIZZLE_128B_ATOM takes rows by eight, shape[-2] is 7; make it a positive multiple of 8, or use swizzle_mode='none'

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def loops(a: txl.gptr[txl.f32]):
    for i in txl.serial(4):
#            ^^^^^^^^^^^^^ error[TW2104]: a helper function cannot make a loop of the kernel
#   hint: write `with txl.serial(n) as i:`; a `for` of Python is written out
        pass

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def assigns(a: txl.gptr[txl.f32]):
    txl.assign(a[0], 1)
#              ^^^^ error[TW2004]: txl.assign stores into an element in registers, and a is in global memory
#   hint: write it with txl.ptx.st

#--- mistakes at the decorator
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel
# @1:2-1:12 error[TW2006]: txl.kernel needs the number of warps of a CTA
#   hint: write @txl.kernel(warps=4) above the function
def bare(a: txl.gptr[txl.f32]):
    pass

@txl.kernel(arch="sm_90a")
# @1:2-1:27 error[TW2006]: txl.kernel needs the number of warps of a CTA
#   hint: write @txl.kernel(warps=4) above the function
def unsized(a: txl.gptr[txl.f32]):
    pass

@txl.kernel(warps=1, blocks=2)
#                    ^^^^^^ error[TW2006]: txl.kernel has no argument 'blocks'
def unknown(a: txl.gptr[txl.f32]):
    pass

k = txl.kernel(warps=1, grid=1)(lambda a: 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2004]: @txl.kernel(...) decorates a function

def deep(n):
    return deep(n + 1)
#          ^^^^^^^^^^^ error[TW2009]: evaluation is nested more than 1000 deep
#   hint: look for a recursion without an end
#   from: deep(0)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)
#   from: deep(n + 1)

@txl.kernel(warps=1, grid=1)
def recursion(a: txl.gptr[txl.f32]):
    deep(0)

@txl.kernel(warps=1, grid=1)
def shape(a: txl.gptr[txl.f32, (0,)]):
#            ^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: TypeError: the shape of a txl.gptr has positive integers, not (0,)
    pass

@txl.kernel(warps=1, grid=1)
def dtypes(a: "x"):
#             ^^^ error[TW2004]: unknown dtype "x"
#   hint: for example float16, bfloat16, int32, uint8x16
    pass

#--- switches of the environment are not set, and a device is the one of the target [print]
# tilewright: dialect 0.27
import os
import torch
import tirx_kernels.tirx_lite as txl

PAIRS = int(os.environ.get("KERNEL_PAIRS", "4"))
LEVEL = os.environ.setdefault("KERNEL_LEVEL", "6")
FAST = "KERNEL_FAST" in os.environ

def arch():
    if not torch.cuda.is_available():
        raise RuntimeError("no device")
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}a"

@txl.kernel(warps=1, arch=arch(), grid=torch.cuda.get_device_properties(0).multi_processor_count)
def k(out: txl.gptr[txl.i32]):
    txl.ptx["st.global.b32"](out.ptr_to([0]), txl.int32(PAIRS + int(LEVEL) + int(FAST) + int(os.environ["KERNEL_LEVEL"])))
#| @T.prim_func
#| def k(out_handle: T.handle):
#|     T.func_attr({"global_symbol": "k", "tirx.cuda_arch": "sm_100a"})
#|     out_dim0 = T.int64()
#|     out = T.match_buffer(out_handle, (out_dim0,), "int32")
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([148])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([32])
#|     T.ptx.st(T.address_of(out[0]), 16, "", "", "", "global", "", "", "", "b32", "")

#--- a yield in a frame of the kernel [print]
# tilewright: dialect 0.27
import contextlib
import tirx_kernels.tirx_lite as txl

@contextlib.contextmanager
def guard(predicate):
    if predicate is None:
        yield
    else:
        with txl.If(predicate), txl.Then():
            yield

@contextlib.contextmanager
def rounds(n):
    with txl.serial(n) as i:
        yield i

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def k(out: txl.gptr[txl.i32], n: txl.i32):
    lane = txl.lane_id()
    with guard(lane < n):
        txl.ptx["st.global.b32"](out.ptr_to([lane]), n)
    with guard(None):
        txl.ptx["st.global.b32"](out.ptr_to([32]), n)
    with rounds(n) as i:
        with guard(i == lane):
            txl.ptx["st.global.b32"](out.ptr_to([i]), lane)
#| @T.prim_func
#| def k(out_handle: T.handle, n: T.int32):
#|     T.func_attr({"global_symbol": "k", "tirx.cuda_arch": "sm_90a"})
#|     out_dim0 = T.int64()
#|     out = T.match_buffer(out_handle, (out_dim0,), "int32")
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([1])
#|     lane = T.lane_id([32])
#|     v_2 = T.thread_id([32])
#|     if lane < n:
#|         T.ptx.st(T.address_of(out[lane]), n, "", "", "", "global", "", "", "", "b32", "")
#|     T.ptx.st(T.address_of(out[32]), n, "", "", "", "global", "", "", "", "b32", "")
#|     for i in range(n):
#|         if i == lane:
#|             T.ptx.st(T.address_of(out[i]), lane, "", "", "", "global", "", "", "", "b32", "")

#--- a generator that leaves a frame open
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def halves(n):
    with txl.If(n > 0), txl.Then():
        yield 1

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def k(out: txl.gptr[txl.i32], n: txl.i32):
#   ^ error[TW2103]: a frame of this kernel was not closed: a generator that yields in it did not go on
#   hint: use a generator that yields in a frame with @contextmanager
    steps = halves(n)
    txl.ptx["st.global.b32"](out.ptr_to([0]), txl.int32(next(steps)))

#--- frames that a function enters and leaves itself [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def make(guarded):
    @txl.kernel(warps=1, arch="sm_90a", grid=1)
    def kernel(a: txl.gptr[txl.f32, (32,)], n: txl.i32):
        if guarded:
            inside = txl.If(txl.lane_id() < n)
            inside.__enter__()
            then = txl.Then()
            then.__enter__()
        txl.ptx.st.global_.f32(a.ptr_to([txl.lane_id()]), txl.float32(1))
        if guarded:
            then.__exit__(None, None, None)
            inside.__exit__(None, None, None)
        txl.cuda.cta_sync()

    return kernel

guarded, plain = make(True), make(False)
#| @T.prim_func
#| def kernel(a: T.Buffer((32,), "float32"), n: T.int32):
#|     T.func_attr({"global_symbol": "kernel", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([32])
#|     if v_2 < n:
#|         T.ptx.st(T.address_of(a[v_2]), T.float32(1.0), "", "", "", "global", "", "", "", "f32", "")
#|     T.cuda.cta_sync()
#| @T.prim_func
#| def kernel(a: T.Buffer((32,), "float32"), n: T.int32):
#|     T.func_attr({"global_symbol": "kernel", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([32])
#|     T.ptx.st(T.address_of(a[v_2]), T.float32(1.0), "", "", "", "global", "", "", "", "f32", "")
#|     T.cuda.cta_sync()

#--- frames that are left in another order
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def crossed(a: txl.gptr[txl.f32, (32,)], n: txl.i32):
    inside = txl.If(txl.lane_id() < n)
    inside.__enter__()
    txl.Then().__enter__()
    inside.__exit__(None, None, None)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2103]: this frame is not the last that was entered
#   hint: close the frames in it first, or write `with`

#--- equality of run-time values is what Python makes of it [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def even(a: txl.gptr[txl.f32, (32,)]):
    with txl.unroll(8) as i:
        if i % 2 == 0:
#          ^^^^^^^^^^ warning[TW2103]: Python asks a run-time value for its truth: `==` of two expressions is False whatever they are worth, so the branch is never taken
#   hint: write `with txl.If(condition), txl.Then():`, or txl.if_then_else
            txl.ptx.st.global_.f32(a.ptr_to([i]), txl.float32(1))
        if i % 2 != 0:
#          ^^^^^^^^^^ warning[TW2103]: Python asks a run-time value for its truth: `!=` of two expressions is True whatever they are worth, so the branch is always taken
#   hint: write `with txl.If(condition), txl.Then():`, or txl.if_then_else
            txl.ptx.st.global_.f32(a.ptr_to([i]), txl.float32(2))
#| @T.prim_func
#| def even(a: T.Buffer((32,), "float32")):
#|     T.func_attr({"global_symbol": "even", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([32])
#|     for i in T.unroll(8):
#|         T.ptx.st(T.address_of(a[i]), T.float32(2.0), "", "", "", "global", "", "", "", "f32", "")

#--- a sign that run-time values do not have
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def sign(a: txl.gptr[txl.f32, (32,)]):
    x = txl.local_scalar("float32")
    y = +x
#       ^^ error[TW2004]: Python has no unary + of a run-time value
#   hint: write the value alone

#--- a number of elements below 0
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def below(a: txl.gptr[txl.f32, (32,)]):
    s = txl.smem_pool().alloc((-4, 8), txl.f32, align=16)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: SMEMPool.alloc: an extent is a number of elements, shape is (-4, 8)

#--- another wait in the place of the library's [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def spins(self, stage, phase):
    done = txl.local_scalar("uint32", init=txl.uint32(0))
    with txl.While(done == txl.uint32(0)):
        txl.ptx.mbarrier.test_wait.parity.shared.b64(done, self.buf.ptr_to([stage]), txl.uint32(phase))

usual = txl.MBarrier._wait
txl.MBarrier._wait = spins

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def waits(a: txl.gptr[txl.f32, (32,)]):
    bar = txl.MBarrier(txl.smem_pool(), 1)
    bar.init(1)
    bar.wait(0, 0)
#| @T.prim_func
#| def waits(a: T.Buffer((32,), "float32")):
#|     T.func_attr({"global_symbol": "waits", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([32])
#|     v_4 = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     bar_buf = T.decl_buffer((1,), "uint64", data=v_4.data, scope="shared.dyn", align=8)
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(1):
#|             T.ptx.mbarrier(T.cuda.cvta_generic_to_shared(T.address_of(bar_buf[i])), T.uint32(1), "init", "", "shared", "b64", "")
#|     done = T.alloc_local((1,), "uint32")
#|     done[0] = T.uint32(0)
#|     while done[0] == T.uint32(0):
#|         T.ptx.mbarrier(done[0], T.cuda.cvta_generic_to_shared(T.address_of(bar_buf[0])), T.uint32(0), "test_wait", "parity", "", "", "", "shared", "b64", "")
#|     T.attr(v_4.data, "tirx.pool_max_bytes", 8)

#--- a function with as many parameters as there are operands, written by exec [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def entry_point(names, body):
    arguments = ", ".join(names)
    namespace = {"_body": body}
    exec(f"def kernel({arguments}):\n    _body(({arguments},))\n", namespace)
    return namespace["kernel"]

def body(operands):
    txl.ptx["st.global.b32"](operands[0].ptr_to([0]), operands[1])

def make(names):
    f = entry_point(names, body)
    f.__annotations__ = {"out": txl.gptr[txl.i32], "n": txl.i32}
    return txl.kernel(warps=1, arch="sm_90a", grid=1)(f)

k = make(["out", "n"])
#| @T.prim_func
#| def kernel(out_handle: T.handle, n: T.int32):
#|     T.func_attr({"global_symbol": "kernel", "tirx.cuda_arch": "sm_90a"})
#|     out_dim0 = T.int64()
#|     out = T.match_buffer(out_handle, (out_dim0,), "int32")
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     v_3 = T.thread_id([32])
#|     T.ptx.st(T.address_of(out[0]), n, "", "", "", "global", "", "", "", "b32", "")

#--- a context manager without a yield, and a fraction that a nameless local drops
# tilewright: dialect 0.27
import contextlib

import tirx_kernels.tirx_lite as txl

@contextlib.contextmanager
def one_thread(of):
    with txl.If(txl.thread_id() == of), txl.Then():
        return of

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def k(out: txl.gptr[txl.f32, (32,)]):
    whole = txl.local_scalar("int32", init=txl.float32(0.5))
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW2116]: what is stored to is int32, and this stores float32: the fraction is dropped
#   hint: write T.int32(...) where it is meant
    with one_thread(0):
#        ^^^^^^^^^^^^^ error[TW2008]: what @contextmanager wraps gives no iterator: it has no yield
        txl.ptx.st.global_.f32(out.ptr_to([0]), txl.float32(1))

#--- frames in an ExitStack, managers as decorators, loops that a function enters itself [print]
# tilewright: dialect 0.27
import contextlib

import tirx_kernels.tirx_lite as txl

@contextlib.contextmanager
def where(*conditions):
    with contextlib.ExitStack() as stack:
        for c in conditions:
            stack.enter_context(txl.If(c))
            stack.enter_context(txl.Then())
        yield

class Tiles(contextlib.ContextDecorator):
    def __enter__(self):
        self.loop = txl.grid(2, 3)
        self.row, self.column = self.loop.__enter__()
        return self
    def __exit__(self, *exc):
        self.loop.__exit__(*exc)

@where(True)
def store(out, i, v):
    txl.ptx.st.global_.b32(out.ptr_to([i]), v)

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def k(out: txl.gptr[txl.i32, (32,)], n: txl.i32):
    t = txl.thread_id()
    with where(t < n, n > 3), contextlib.ExitStack() as stack:
        i = stack.enter_context(txl.serial(4))
        store(out, i, n)
    with Tiles() as tile:
        store(out, tile.row * 3 + tile.column, t)
#| @T.prim_func
#| def k(out: T.Buffer((32,), "int32"), n: T.int32):
#|     T.func_attr({"global_symbol": "k", "tirx.cuda_arch": "sm_90a"})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.warp_id([1])
#|     v_2 = T.lane_id([32])
#|     t = T.thread_id([32])
#|     if t < n:
#|         if n > 3:
#|             for i in range(4):
#|                 if T.bool(True):
#|                     T.ptx.st(T.address_of(out[i]), n, "", "", "", "global", "", "", "", "b32", "")
#|     for i in range(2):
#|         for i_1 in range(3):
#|             if T.bool(True):
#|                 T.ptx.st(T.address_of(out[i * 3 + i_1]), t, "", "", "", "global", "", "", "", "b32", "")

#--- what a failed statement would have made, called in a kernel
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

class Counted:
    def __init__(self, n): self.n = n

@Counted(4)
# @1:2-1:12 error[TW2004]: Counted cannot be called
def store(out, v):
    txl.ptx.st.global_.b32(out.ptr_to([0]), v)

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def k(out: txl.gptr[txl.i32, (32,)]):
    done = store(out, 3)
#          ^^^^^^^^^^^^^ error[TW2007]: this call is not known here: it comes from a statement that failed: Counted cannot be called
#   hint: give the value in the script, or name an entry with known arguments
