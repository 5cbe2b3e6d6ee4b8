// Names that other languages have for tile primitives and for members of buffers and pools.
#include "compiler/script/foreign_rows.h"

namespace tilewright::script {
namespace {

constexpr std::string_view kGemm =
    "write gemm(D, A, B, C) of a warp, or gemm_async(C, A, B): of a warpgroup on sm_90, of one thread on sm_100";
constexpr std::string_view kLoop = "no tile primitive does this: write a loop over the elements, with T.{name}(x)";
constexpr std::string_view kView = "a view with another shape is .view(shape)";
constexpr std::string_view kCast = "Tx.cta.cast(dst, src) converts a tile; of an element write T.float32(tile[i])";

constexpr ForeignRow kTiles[] = {
    {"matmul mm dot bmm mma einsum", "", kGemm},
    {"tanh sin cos log pow abs erf sigmoid rsqrt floor ceil round log10 log1p exp10", "", kLoop},
    {"neg negate", "", "write mul(dst, src, -1.0)"},
    {"relu", "", "write a loop over the elements, with T.max(x, 0)"},
    {"gelu softplus elu mish leaky_relu hardswish", "", "no tile primitive does this: write a loop over the elements"},
    {"softmax log_softmax layer_norm rms_norm", "", "write it with max, sum and a loop"},
    {"div divide truediv true_divide", "fdiv", ""},
    {"multiply mult", "mul", ""},
    {"subtract minus", "sub", ""},
    {"plus", "add", ""},
    {"reduce_sum", "sum", ""},
    {"reduce_max amax", "max", ""},
    {"reduce_min amin", "min", ""},
    {"mean average var std norm prod any all argmax argmin cumsum", "",
     "the reductions are sum, max and min; the rest is scalars"},
    {"load store ld st move mov assign set tma_load tma_store", "",
     "write copy(dst, src): the destination comes first"},
    {"transpose permute swapaxes", "permute_layout",
     "permute_layout(dst, src) moves a tile into another layout; a view is buffer.permute(1, 0)"},
    {"clear zeros zero_ zeros_like zero_fill", "zero", ""},
    {"full fill_ set_value", "fill", ""},
    {"memcpy_async", "copy_async", ""},
    {"async_copy copyAsync cp_async tma_copy bulk_copy", "", "write copy_async(dst, src): the destination comes first"},
    {"memcpy", "copy", ""},
    {"convert to astype type_cast convert_to", "cast", ""},
    {"square", "", "write mul(dst, x, x)"},
    {"rcp recip", "reciprocal", ""},
    {"swish", "silu", ""},
    {"clamp clip", "", "write maximum and minimum, or a loop with T.max(T.min(x, high), low)"},
    {"where", "select", ""},
    {"fmax", "maximum", ""},
    {"fmin", "minimum", ""},
    {"block threadblock thread_block", "cta", "a thread block is a CTA: write Tx.cta"},
    {"lane", "thread", "one thread's scope is Tx.thread, or Tx alone"},
};

constexpr ForeignRow kBuffers[] = {
    {"reshape view_as", "view", "write .view(shape)"},
    {"to type astype float half bfloat16 int double long cast", "", kCast},
    {"T mT t transpose transpose_ swapaxes movedim", "",
     "a view with its dimensions in another order is .permute(1, 0)"},
    {"sum", "", "write Tx.cta.sum(dst, src): the destination comes first"},
    {"max amax", "", "write Tx.cta.max(dst, src): the destination comes first"},
    {"min amin", "", "write Tx.cta.min(dst, src): the destination comes first"},
    {"mean var std norm softmax argmax argmin cumsum prod any all", "",
     "the reductions are Tx.cta.sum, Tx.cta.max and Tx.cta.min"},
    {"fill_ fill", "", "write Tx.cta.fill(tile, value)"},
    {"zero_ clear", "", "write Tx.cta.zero(tile)"},
    {"copy_ copy clone contiguous copy_to copy_from", "", "write Tx.cta.copy(dst, src)"},
    {"size", "shape[$1]", "write .shape[i]"},
    {"numel nelement", "", "write math.prod(buffer.shape)"},
    {"dim", "ndim", "write .ndim"},
    {"flatten ravel unsqueeze squeeze expand expand_dims broadcast_to repeat", "", kView},
    {"item tolist", "", "an element is buffer[0]"},
    {"clamp clip clamp_ clamp_min clamp_max", "",
     "no tile primitive does this: write a loop over the elements, with T.max(T.min(x, high), low)"},
    {"data_ptr ptr get_ptr address iterator", "", "the address of an element is .ptr_to([0, 0])"},
    {"stride", "", "write .strides[i]"},
    {"load", "", "an element is x = buffer[i, j]; .vload([i, j], dtype) reads a vector"},
    {"store", "", "an element is buffer[i, j] = x; .vstore([i, j], value) writes a vector"},
    {"cuda cpu device numpy detach requires_grad to_device", "", "leave it out: a buffer of a kernel is in GPU memory"},
    {"matmul mm dot", "", "write Tx.warp.gemm(D, A, B, C), or Tx.wg.gemm_async(C, A, B)"},
    {"exp exp2 sqrt silu reciprocal", "", "write Tx.cta.{name}(dst, src)"},
    {"add mul sub add_ mul_ sub_", "", "write Tx.cta.add, Tx.cta.sub or Tx.cta.mul(dst, a, b)"},
    {"relu tanh sigmoid abs log neg pow", "", "no tile primitive does this: write a loop over the elements"},
    {"partition_S partition_D partition_A partition_B partition_C tile_to_shape", "",
     "nothing to write: Tx.cta.copy shares a tile out among the threads"},
};

constexpr ForeignRow kScalars[] = {
    {"to type cast", "astype", "write .astype(dtype)"},
    {"float", "T.float32($0)", ""},
    {"half", "T.float16($0)", ""},
    {"bfloat16", "T.bfloat16($0)", ""},
    {"double", "T.float64($0)", ""},
    {"int", "T.int32($0)", ""},
    {"long", "T.int64($0)", ""},
    {"bool", "T.bool($0)", ""},
    {"item", "$0", "leave it out: this is a scalar"},
    {"exp exp2 log log2 sqrt rsqrt tanh sin cos abs sigmoid floor ceil round erf", "T.$name($0)", ""},
    {"relu", "T.max($0, 0)", ""},
    {"max clamp_min maximum", "T.max($0, $1)", ""},
    {"min clamp_max minimum", "T.min($0, $1)", ""},
    {"clamp clip", "T.max(T.min($0, $2), $1)", ""},
    {"pow", "T.pow($0, $1)", ""},
    {"x y z w", "", "an id of one dimension is a number; two are declared so: bx, by = T.cta_id([n, m])"},
    {"shape size ndim dim", "", "this is a scalar: it has no shape"},
    {"reshape view transpose T sum mean permute flatten", "", "this is a scalar: tiles are buffers"},
};

}  // namespace

std::span<const ForeignRow> foreign_tiles() { return kTiles; }
std::span<const ForeignRow> foreign_buffers() { return kBuffers; }
std::span<const ForeignRow> foreign_scalars() { return kScalars; }

}  // namespace tilewright::script
