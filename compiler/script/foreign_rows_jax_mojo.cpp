#include "compiler/script/foreign_rows.h"

namespace tilewright::script {
namespace {

constexpr std::string_view kGemm =
    "write Tx.warp.gemm(D, A, B, C), on sm_90 Tx.wg.gemm_async(C, A, B), on sm_100 Tx.gemm_async(C, A, B)";
constexpr std::string_view kCopyAsync = "write Tx.cta.copy_async(dst, src): the destination comes first";
constexpr std::string_view kLoop = "write range(n), T.serial(n) or T.unroll(n)";
constexpr std::string_view kRing = "write a loop, with stages of your own: T.Pipeline and T.PipelineState";
constexpr std::string_view kSpecs =
    "a block is a slice: A[m : m + 64, k : k + 64]; the grid is bx, by = T.cta_id([n, m])";

constexpr ForeignRow kRows[] = {
    // JAX and its kernel language Pallas, on GPUs `plgpu` (Mosaic)
    {"pl.program_id pl.core_index jax.lax.axis_index lax.axis_index", "=T.cta_id",
     "a CTA's id is declared: bx = T.cta_id([n])"},
    {"pl.num_programs pl.num_cores jax.lax.axis_size lax.axis_size", "",
     "a grid has as many CTAs as T.cta_id([n]) declares"},
    {"pl.load pl.store pl.ds pl.dslice pl.swap plgpu.load plgpu.store", "",
     "a tile is copied with Tx.cta.copy(dst, src), and its part is a slice: A[m : m + 64, :]; one element is A[i, j]"},
    {"pl.when", "", "write `if condition:`"},
    {"pl.loop lax.fori_loop jax.lax.fori_loop lax.while_loop jax.lax.while_loop lax.scan jax.lax.scan pl.run_scoped",
     "", kLoop},
    {"pl.cdiv", "T.ceildiv", ""},
    {"pl.debug_print jax.debug.print", "{C58}", "write {C58}(format, values)"},
    {"pl.atomic_add pl.atomic_cas pl.atomic_max pl.atomic_min pl.atomic_xchg", "",
     "write {C33}(pointer, value) or {C34}(pointer, old, new)"},
    {"pl.dot", "", kGemm},
    {"pl.pallas_call pl.kernel plgpu.kernel jax.jit", "",
     "a kernel is a function below @T.prim_func; its constants are arguments of a factory around it"},
    {"pl.BlockSpec pl.GridSpec plgpu.BlockSpec", "", kSpecs},
    {"plgpu.emit_pipeline plgpu.emit_pipeline_warp_specialized pl.emit_pipeline", "", kRing},
    {"plgpu.copy_gmem_to_smem plgpu.copy_smem_to_gmem plgpu.async_load plgpu.async_store", "", kCopyAsync},
    {"plgpu.commit_smem", "{P17}(\"shared::cta\")", ""},
    {"plgpu.wait_smem_to_gmem", "", "write {P41}() and {P42}(0)"},
    {"plgpu.commit_smem_to_gmem_group", "{P41}()", ""},
    {"plgpu.barrier_wait", "", "write {P8}(barrier, phase)"},
    {"plgpu.barrier_arrive", "", "write {P2}(barrier)"},
    {"plgpu.Barrier plgpu.ClusterBarrier", "",
     "a barrier is in shared memory: bars = T.alloc_shared((n,), \"uint64\"), then {P1}(bars.ptr_to([i]), count)"},
    {"plgpu.wgmma plgpu.tcgen05_mma", "", kGemm},
    {"plgpu.wgmma_wait", "{P69}", ""},
    {"plgpu.set_max_registers", "", "write {P21}(True, registers) to ask for more, {P21}(False, registers) for less"},
    {"plgpu.SMEM plgpu.RefUnion", "", "write T.alloc_shared(shape, dtype)"},
    {"plgpu.ACC plgpu.WGMMAAccumulatorRef", "", "write T.alloc_local(shape, dtype), of what one thread holds"},
    {"plgpu.TMEM", "", "tensor memory is allocated by a pool: see T.TMEMPool"},
    {"plgpu.layout_cast plgpu.Layout plgpu.TilingTransform plgpu.SwizzleTransform", "",
     "a layout is given where the buffer is: T.alloc_shared(shape, dtype, layout=...)"},
    {"lax.dot lax.dot_general jax.lax.dot jax.lax.dot_general jnp.matmul jnp.einsum jnp.tensordot np.einsum", "",
     kGemm},
    {"lax.exp jax.lax.exp jax.numpy.exp", "T.exp", ""},
    {"lax.exp2 jax.lax.exp2 jnp.exp2 np.exp2 torch.exp2", "T.exp2", ""},
    {"lax.log jax.lax.log jnp.log np.log torch.log", "T.log", ""},
    {"jnp.log2 np.log2 torch.log2", "T.log2", ""},
    {"lax.rsqrt jax.lax.rsqrt", "T.rsqrt", ""},
    {"lax.tanh jax.lax.tanh jnp.tanh", "T.tanh", ""},
    {"lax.select jax.lax.select lax.cond jax.lax.cond", "T.if_then_else", ""},
    {"lax.max jax.lax.max jnp.maximum", "T.max", ""},
    {"lax.min jax.lax.min jnp.minimum", "T.min", ""},
    {"lax.convert_element_type jax.lax.convert_element_type", "", "write T.float32(x) or x.astype(dtype)"},
    {"lax.bitcast_convert_type jax.lax.bitcast_convert_type", "", "write T.reinterpret(dtype, x)"},
    {"jnp.abs lax.abs jax.lax.abs", "T.abs", ""},
    {"jnp.clip np.clip torch.clamp torch.clip lax.clamp jax.lax.clamp", "", "write T.max(T.min(x, high), low)"},
    {"jax.nn.relu", "T.max($1, 0)", ""},
    {"jax.nn.sigmoid", "T.sigmoid", ""},
    {"jax.nn.softmax jnp.softmax", "", "a softmax is Tx.cta.max, T.exp and Tx.cta.sum"},
    {"jnp.full np.full torch.full jnp.ones np.ones torch.ones", "",
     "write tile = T.alloc_local(shape, dtype), then Tx.fill(tile, value)"},
    {"jnp.arange np.arange torch.arange", "", "each thread has one index: tx = T.thread_id([128])"},
    {"np.float16 np.float32 np.float64 np.int8 np.int16 np.int32 np.int64 np.uint8 np.uint16 np.uint32 np.uint64", "",
     "write T.{name}(x); as a dtype write \"{name}\""},
    {"jnp jax lax jax.lax jax.nn", "", "JAX's names are none of a script's: tiles are copied with Tx.cta.copy"},
    {"plgpu", "",
     "Pallas' names are none of a script's: tiles are copied with Tx.cta.copy, barriers are T.ptx.mbarrier"},
    // Mojo
    {"lane_id", "=T.lane_id", "a lane's id is declared: lane = T.lane_id([32])"},
    {"warp_id", "=T.warp_id", "a warp's id is declared: warp = T.warp_id([4])"},
    {"global_idx", "", "write bx * threads + tx, with bx = T.cta_id([n]) and tx = T.thread_id([threads])"},
    {"warp.sum", "", "write {C13}(value)"},
    {"warp.max", "", "write {C14}(value)"},
    {"warp.min", "", "write {C15}(value)"},
    {"warp.shuffle_xor", "{C23}(0xFFFFFFFF, $1, $2, 32)", ""},
    {"warp.shuffle_down", "{C22}(0xFFFFFFFF, $1, $2, 32)", ""},
    {"warp.shuffle_up", "{C21}(0xFFFFFFFF, $1, $2, 32)", ""},
    {"warp.shuffle_idx warp.broadcast", "", "arguments are (0xFFFFFFFF, value, lane, 32): write {C20}"},
    {"block.sum block.max block.min block.broadcast", "",
     "write {C17}(value, warps, scratch), with scratch in shared memory; a tile: Tx.cta.sum(dst, src)"},
    {"stack_allocation", "", "write T.alloc_shared(shape, dtype), or T.alloc_local(shape, dtype) of one thread"},
    {"LayoutTensor TileTensor NDBuffer", "",
     "a buffer is a parameter: A: T.Buffer(shape, dtype), or buffer.view(shape)"},
    {"UnsafePointer", "", "a pointer is buffer.ptr_to([0, 0]); a parameter without a shape is T.handle"},
    {"SIMD", "", "write a loop: for i in T.vectorized(4)"},
    {"DType", "", "a dtype is a text: write \"float32\""},
    {"async_copy_wait_all", "{P34}(0)", ""},
    {"async_copy_commit_group", "{P33}()", ""},
    {"async_copy_wait_group", "{P34}", ""},
    {"copy_dram_to_sram copy_dram_to_sram_async copy_sram_to_dram copy_dram_to_local copy_local_to_dram", "",
     "write Tx.cta.copy(dst, src), or Tx.cta.copy_async(dst, src)"},
    {"TensorCore TensorCoreAsync", "", kGemm},
    // C++ and CUDA's libraries beside their functions
    {"cub cub.BlockReduce cub.WarpReduce cub.BlockScan cub.BlockLoad cub.BlockStore thrust", "",
     "reductions are Tx.cta.sum, Tx.cta.max and Tx.cta.min, tiles are copied with Tx.cta.copy"},
    {"__match_any_sync __match_all_sync", "",
     "nothing here is like it: compare shuffled values, or CUDA code with {C60}"},
    {"half2 make_half2 float2 make_float2 float4 make_float4 uint4 make_uint4 int4 make_int4 int2 make_int2 uint2 "
     "make_uint2 __nv_bfloat162",
     "", "elements are read and written one by one: a loop `for i in T.vectorized(4)` makes one wide access"},
    {"uint8_t", "T.uint8", ""},
    {"int8_t", "T.int8", ""},
    {"uint16_t", "T.uint16", ""},
    {"int16_t", "T.int16", ""},
    {"uint32_t", "T.uint32", ""},
    {"int32_t", "T.int32", ""},
    {"uint64_t", "T.uint64", ""},
    {"int64_t", "T.int64", ""},
    {"true", "True", ""},
    {"false", "False", ""},
    {"nullptr NULL", "None", "write None"},
};

}  // namespace

std::span<const ForeignRow> foreign_jax_mojo() { return kRows; }

}  // namespace tilewright::script
