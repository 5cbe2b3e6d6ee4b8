// Names of Triton, TileLang, CUTLASS and CuTe, numba, numpy and torch.
#include "compiler/script/foreign_rows.h"

namespace tilewright::script {
namespace {

constexpr std::string_view kElementwise = "of an element write T.{name}(x); a tile is a loop over its elements";
constexpr std::string_view kSlices = "a block is a slice: A[m : m + 64, k : k + 64]";
constexpr std::string_view kLayout = "write TileLayout(S[(128, 64) : (64, 1)]): extents, then strides";
constexpr std::string_view kGemm =
    "write Tx.warp.gemm(D, A, B, C), on sm_90 Tx.wg.gemm_async(C, A, B), on sm_100 Tx.gemm_async(C, A, B)";
constexpr std::string_view kReduce = "write Tx.cta.{name}(dst, src, axes=(-1,)); dst says what is left";
constexpr std::string_view kScans = "no tile primitive does this: write it with loops";
constexpr std::string_view kTiled = "nothing to write: the dispatcher shares a copy out, explain says how";
constexpr std::string_view kDtype = "a dtype is a text: write \"{name}\"";

// Triton's own, of which people also write T.load and T.dot.
constexpr ForeignRow kForeignPackagesRows[] = {
    {"tl.load T.load", "", "copy a tile: Tx.cta.copy(tile, A[m : m + 64, :]); one element is x = A[i, j]"},
    {"tl.store T.store", "", "copy a tile: Tx.cta.copy(A[m : m + 64, :], tile); one element is A[i, j] = x"},
    {"tl.dot T.dot T.gemm T.gemm_v2 T.wgmma_gemm T.tcgen05_gemm cute.gemm tl.dot_scaled T.gemm_sp", "", kGemm},
    {"tl.arange T.arange", "", "each thread has one index: tx = T.thread_id([128])"},
    {"tl.zeros T.zeros tl.zeros_like", "", "write tile = T.alloc_local(shape, dtype), then Tx.zero(tile)"},
    {"tl.full T.full", "", "write tile = T.alloc_local(shape, dtype), then Tx.fill(tile, value)"},
    {"tl.sum", "", kReduce},
    {"tl.max", "", kReduce},
    {"tl.min", "", kReduce},
    {"T.reduce_sum", "", "write Tx.cta.sum(dst, src, axes=(-1,)): the destination comes first"},
    {"T.reduce_max T.reduce_absmax", "", "write Tx.cta.max(dst, src, axes=(-1,)): the destination comes first"},
    {"T.reduce_min", "", "write Tx.cta.min(dst, src, axes=(-1,)): the destination comes first"},
    {"T.reduce_any T.reduce_all T.reduce_abssum T.reduce", "", "the reductions are Tx.cta.sum, Tx.cta.max, Tx.cta.min"},
    {"tl.exp tl.math.exp tl.libdevice.exp cute.math.exp cute.exp math.exp_", "T.exp", ""},
    {"tl.exp2 tl.math.exp2 cute.math.exp2 cute.exp2 cute.arch.exp2", "T.exp2", ""},
    {"tl.log tl.math.log cute.math.log", "T.log", ""},
    {"tl.log2 tl.math.log2 cute.math.log2", "T.log2", ""},
    {"tl.sqrt tl.math.sqrt cute.math.sqrt", "T.sqrt", ""},
    {"tl.rsqrt tl.math.rsqrt cute.math.rsqrt", "T.rsqrt", ""},
    {"tl.sin tl.math.sin", "T.sin", ""},
    {"tl.cos tl.math.cos", "T.cos", ""},
    {"tl.abs tl.math.abs", "T.abs", ""},
    {"tl.fma tl.math.fma", "T.fma", ""},
    {"tl.erf tl.math.erf", "T.erf", ""},
    {"tl.floor tl.math.floor", "T.floor", ""},
    {"tl.ceil tl.math.ceil", "T.ceil", ""},
    {"tl.sigmoid", "T.sigmoid", ""},
    {"tl.math.tanh tl.libdevice.tanh tl.tanh cute.math.tanh", "T.tanh", ""},
    {"tl.softmax", "", "a softmax is Tx.cta.max, T.exp and Tx.cta.sum"},
    {"tl.where cute.where T.where", "T.if_then_else", ""},
    {"tl.cdiv triton.cdiv cute.ceil_div T.cdiv", "T.ceildiv", ""},
    {"tl.maximum T.maximum", "T.max", ""},
    {"tl.minimum T.minimum", "T.min", ""},
    {"tl.clamp T.clamp", "T.max(T.min($1, $3), $2)", ""},
    {"tl.div_rn tl.fdiv", "($1 / $2)", ""},
    {"tl.trans tl.permute cute.transpose T.transpose", "",
     "a view with its dimensions in another order is buffer.permute(1, 0)"},
    {"tl.reshape tl.view tl.ravel T.reshape T.view cute.flatten cute.group_modes", "",
     "a view with another shape is buffer.view(shape)"},
    {"tl.broadcast_to tl.broadcast tl.expand_dims", "", "index the smaller tile: x[i, j] * scale[i]"},
    {"tl.make_block_ptr tl.advance tl.make_tensor_descriptor tl.load_tensor_descriptor", "", kSlices},
    {"tl.static_print", "print", ""},
    {"tl.static_assert", "T.static_assert", ""},
    {"tl.range cutlass.range cute.range", "range", ""},
    {"tl.static_range cutlass.range_constexpr cute.range_constexpr", "T.unroll", ""},
    {"T.range", "", "write range(n), or T.serial(n)"},
    {"tl.constexpr cutlass.Constexpr", "", "a constant is an argument of the factory around the kernel"},
    {"cutlass.const_expr", "$1", "leave it out: what is known is evaluated"},
    {"tl.multiple_of tl.max_contiguous tl.assume", "", "write T.assume(x % 16 == 0)"},
    {"tl.num_warps tl.num_ctas", "", "T.thread_id([128]) and T.cta_id([n]) say how many there are"},
    {"tl.cat tl.join tl.split tl.interleave", "", "write into slices of one tile"},
    {"tl.cumsum tl.cumprod tl.associative_scan tl.sort tl.histogram tl.gather tl.argmax tl.argmin tl.flip tl.topk "
     "T.cumsum T.cumprod T.sort T.argmax",
     "", kScans},
    {"tl.rand tl.randn tl.philox", "", "random numbers are an input of the kernel"},
    {"tl.swizzle2d T.use_swizzle", "", "compute the tile from the CTA's id: tile = bx // GROUP * ..."},
    {"tl.float16 tl.bfloat16 tl.float32 tl.float64 tl.int8 tl.int16 tl.int32 tl.int64 tl.uint8 tl.uint16 tl.uint32 "
     "tl.uint64 mybir.float16",
     "\"$name\"", kDtype},
    {"tl.float8e4nv tl.float8e4b8", "\"float8_e4m3fn\"", ""},
    {"tl.float8e5", "\"float8_e5m2\"", ""},
    {"tl.int1", "\"bool\"", ""},
    {"tl.pointer_type tl.dtype tl.tensor", "", "parameters are T.Buffer(shape, dtype), T.handle, or T.int32"},
    {"triton.jit triton.autotune triton.heuristics cute.jit cute.kernel cute.compile tilelang.jit tilelang.compile", "",
     "a kernel is a function below @T.prim_func; its constants are arguments of a factory around it"},
    {"triton.next_power_of_2", "", "write 1 << (n - 1).bit_length()"},
    // CUTLASS and CuTe
    {"cute.copy cute.autovec_copy cute.basic_copy", "", "write Tx.cta.copy(dst, src): the destination comes first"},
    {"cute.make_layout cute.Layout cute.make_ordered_layout cute.make_composed_layout", "", kLayout},
    {"cute.make_tensor cute.Tensor cute.make_ptr", "", "a view of a buffer is buffer.view(shape, layout=...)"},
    {"cute.local_tile cute.local_partition cute.zipped_divide cute.logical_divide cute.tiled_divide cute.flat_divide "
     "cute.slice_ cute.domain_offset",
     "", kSlices},
    {"cute.make_tiled_copy cute.make_tiled_copy_tv cute.make_tiled_mma cute.make_copy_atom cute.make_mma_atom "
     "cute.make_tiled_copy_A cute.make_tiled_copy_B cute.make_tiled_copy_C cute.TiledCopy cute.TiledMma",
     "", kTiled},
    {"cute.size cute.shape cute.cosize", "", "write buffer.shape[i]"},
    {"cute.rank", "", "write len(buffer.shape)"},
    {"cute.make_swizzle cute.Swizzle", "", "write SwizzleLayout(3, 3, 3), composed with a TileLayout by ComposeLayout"},
    {"cute.arch.barrier cute.arch.sync_threads", "{C1}()", ""},
    {"cute.arch.warp_reduction", "", "write {C12}(value, \"sum\")"},
    {"cute.arch.fmax", "T.max", ""},
    {"cute.arch.fence_proxy", "{P17}(\"shared::cta\")", ""},
    {"cute.arch.cluster_arrive", "{P14}()", ""},
    {"cute.arch.cluster_wait", "{P15}()", ""},
    {"cute.arch.make_warp_uniform", "$1", "leave it out"},
    {"cute.nvgpu cute.nvgpu.cpasync cute.nvgpu.warpgroup cute.nvgpu.tcgen05", "", kTiled},
    {"cutlass.Float16 cutlass.float16", "T.float16", ""},
    {"cutlass.BFloat16 cutlass.bfloat16", "T.bfloat16", ""},
    {"cutlass.Float32 cutlass.float32", "T.float32", ""},
    {"cutlass.Int32 cutlass.int32", "T.int32", ""},
    {"cutlass.Int64", "T.int64", ""},
    {"cutlass.Boolean", "T.bool", ""},
    {"cutlass.pipeline cutlass.utils", "", "rings of stages are T.Pipeline and T.PipelineState"},
    // TileLang
    {"T.Kernel", "", "write T.device_entry(), then bx = T.cta_id([n]) and tx = T.thread_id([128])"},
    {"T.copy", "Tx.cta.copy($2, $1)", "write Tx.cta.copy(dst, src): the destination comes first"},
    {"T.async_copy T.tma_copy", "Tx.cta.copy_async($2, $1)",
     "write Tx.cta.copy_async(dst, src): the destination comes first"},
    {"T.clear", "Tx.zero", "write Tx.zero(tile); of shared memory Tx.cta.zero(tile)"},
    {"T.fill", "Tx.fill", "write Tx.fill(tile, value); of shared memory Tx.cta.fill(tile, value)"},
    {"T.Pipelined", "", "write range(n), with stages of your own: T.Pipeline and T.PipelineState"},
    {"T.Parallel", "", "rounds are shared out by the thread's index: for i in T.serial(tx, n, step=threads)"},
    {"T.Persistent", "", "write a loop over tiles: for tile in T.serial(bx, tiles, step=ctas)"},
    {"T.annotate_layout T.annotate_safe_value T.annotate_l2_hit_ratio", "",
     "a layout is given where the buffer is: T.alloc_shared(shape, dtype, layout=...)"},
    {"T.Tensor T.StridedTensor", "T.Buffer", ""},
    {"T.SharedBuffer", "", "write T.alloc_shared(shape, dtype)"},
    {"T.FragmentBuffer T.LocalBuffer", "", "write T.alloc_local(shape, dtype)"},
    {"T.dynamic T.symbolic", "", "an extent that the call says is a parameter: n: T.int32"},
    {"T.print", "{C58}", ""},
    {"T.ws T.use_warp_specialization", "", "write `if warp == 0:` around what one warp does"},
    {"T.c2d_im2col T.im2col", "", "compute the index: A[n, y + r, x + s, c]"},
    {"T.no_set_max_nreg T.disable_warp_group_reg_alloc", "", "leave it out: registers are as T.ptx.setmaxnreg says"},
    {"T.sync_global", "{C5}()", ""},
    {"T.Fragment T.Layout_", "", kLayout},
    // numba
    {"cuda.shared cuda.shared.array", "", "write T.alloc_shared(shape, dtype)"},
    {"cuda.local cuda.local.array", "", "write T.alloc_local(shape, dtype)"},
    {"cuda.grid", "", "write bx * threads + tx, with bx = T.cta_id([n]) and tx = T.thread_id([threads])"},
    {"cuda.gridsize", "", "write ctas * threads"},
    {"cuda.atomic.add", "", "write {C33}(pointer, value)"},
    {"cuda.atomic", "", "write {C33}(pointer, value) or {C34}(pointer, old, new)"},
    // torch and numpy within a kernel
    {"torch.relu np.relu F.relu", "T.max($1, 0)", ""},
    {"torch.exp np.exp jnp.exp", "T.exp", ""},
    {"torch.sqrt np.sqrt jnp.sqrt", "T.sqrt", ""},
    {"torch.rsqrt", "T.rsqrt", ""},
    {"torch.sigmoid", "T.sigmoid", ""},
    {"torch.tanh np.tanh", "T.tanh", ""},
    {"torch.maximum np.maximum", "T.max", ""},
    {"torch.minimum np.minimum", "T.min", ""},
    {"torch.where np.where jnp.where", "T.if_then_else", ""},
    {"torch.abs np.abs", "T.abs", ""},
    {"torch.matmul torch.mm torch.bmm np.matmul np.dot jnp.dot", "", kGemm},
    {"torch.sum np.sum jnp.sum", "", "write Tx.cta.sum(dst, src, axes=(-1,)); dst says what is left"},
    {"torch.max np.max jnp.max torch.amax np.amax", "",
     "write Tx.cta.max(dst, src, axes=(-1,)); dst says what is left"},
    {"torch.min np.min jnp.min torch.amin np.amin", "",
     "write Tx.cta.min(dst, src, axes=(-1,)); dst says what is left"},
    {"torch.zeros np.zeros jnp.zeros torch.empty np.empty torch.zeros_like", "",
     "write tile = T.alloc_local(shape, dtype), then Tx.zero(tile)"},
    {"torch.softmax F.softmax", "", "a softmax is Tx.cta.max, T.exp and Tx.cta.sum"},
    {"jnp.float16 jnp.bfloat16 jnp.float32 jnp.int32", "\"$name\"", kDtype},
    // packages as a whole, where no name of them is known
    {"tl", "",
     "Triton's names are none of a script's: tiles are copied with Tx.cta.copy, ids declared with T.cta_id([n])"},
    {"cute", "", "CuTe's names are none of a script's: layouts are TileLayout, tiles are copied with Tx.cta.copy"},
};

}  // namespace

std::span<const ForeignRow> foreign_packages() { return kForeignPackagesRows; }

}  // namespace tilewright::script
