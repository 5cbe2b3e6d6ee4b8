// Builtins of the language itself that are calls with a text of their own: those of `T` that have no namespace.
// Those that every stage must know by identity (address_of, reinterpret, ...) are in expr.h.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

Emitted emit_extern(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  Emitted out;
  out.expression = a.text("func_name") + "(";
  for (std::size_t i = 2; i < args.size(); ++i) {
    out.expression += (i > 2 ? ", {" : "{") + std::to_string(i) + "}";
    out.argument_positions.push_back(static_cast<int>(i));
  }
  out.expression += ")";
  return out;
}

Emitted emit_storage_sync(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Emitted out;
  out.expression = Arguments(row, args).text("scope") == "warp" ? "__syncwarp()" : "__syncthreads()";
  return out;
}

// nvcuda::wmma; fragments are arrays indexed by the tile's number. `text` has a {layout} where the call names one.
Emitted emit_wmma(const Intrinsic& row, std::span<const ir::Expr> args, std::string_view text) {
  Arguments a(row, args);
  Emitted out;
  out.preamble = "mma";
  out.expression = "nvcuda::wmma::" + std::string(text);
  if (const std::size_t at = out.expression.find("{layout}"); at != std::string::npos) {
    const bool columns = a.text("layout") == "col_major";
    out.expression.replace(at, 8, columns ? "nvcuda::wmma::mem_col_major" : "nvcuda::wmma::mem_row_major");
  }
  for (std::size_t i = 0; i < args.size(); ++i) out.argument_positions.push_back(static_cast<int>(i));
  return out;
}
template <Literal Text>
Emitted emit_fragment(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return emit_wmma(row, args, Text.view());
}

#define TILEWRIGHT_FRAGMENT "fragment: any, m: attr, n: attr, k: attr, index: i32, "
#define TILEWRIGHT_PRODUCT "d: any, d_index: i32, a: any, a_index: i32, b: any, b_index: i32, c: any, c_index: i32"

constexpr Intrinsic kBuiltinRows[] = {
    row<"scope: attr(shared|shared.dyn|warp), is_load: flag = False, num_blocks: attr(-1) = -1">(
        "L1", "tvm_storage_sync", Meaning::CtaSync)
        .effects<"meets cta acq_rel.cta unless scope=warp; meets lanes acq_rel.warp if scope=warp; "
                 "by cta unless scope=warp else lanes">()
        .cxx("__syncthreads() or __syncwarp()")
        .emits(emit_storage_sync)
        .says("The threads that share the storage meet: the CTA, or the warp."),
    row<"mask: u32, value: any, lane: i32, width: i32, warp_size: i32">("L2", "tvm_warp_shuffle", Meaning::ShuffleIndex)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_sync({0}, {1}, {2}, {3})")
        .says("The value that another lane of the group holds."),
    row<"mask: u32, value: any, lane: i32, width: i32, warp_size: i32">("L2.up", "tvm_warp_shuffle_up",
                                                                        Meaning::ShuffleUp)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_up_sync({0}, {1}, {2}, {3})")
        .says("The value of a lane below."),
    row<"mask: u32, value: any, lane: i32, width: i32, warp_size: i32">("L2.down", "tvm_warp_shuffle_down",
                                                                        Meaning::ShuffleDown)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_down_sync({0}, {1}, {2}, {3})")
        .says("The value of a lane above."),
    row<"mask: u32, value: any, lane: i32, width: i32, warp_size: i32">("L2.xor", "tvm_warp_shuffle_xor",
                                                                        Meaning::ShuffleXor)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_xor_sync({0}, {1}, {2}, {3})")
        .says("The value of the lane whose number differs in the bits of the mask."),
    row<"">("L3", "tvm_warp_activemask", Meaning::ActiveMask)
        .effects<"reads machine">()
        .returns<ir::kUInt32>()
        .inline_cxx("__activemask()")
        .says("One bit for each lane that executes this with the caller."),
    row<"dtype: attr, func_name: attr, *args: any">("L11", "call_extern", Meaning::Unmodelled)
        .effects<"unknown">()
        .returns(type_named_by<0>)
        .emits(emit_extern)
        .says("Calls a function by name; its source comes from elsewhere."),
    row<"dtype: attr, func_name: attr, *args: any">("L11.pure", "call_pure_extern", Meaning::Unmodelled)
        .pure()
        .returns(type_named_by<0>)
        .emits(emit_extern)
        .says("Calls a function by name that depends on nothing but its arguments."),
    row<TILEWRIGHT_FRAGMENT "value: f32">("L12", "tvm_fill_fragment", Meaning::Unmodelled)
        .effects<"writes register fragment; by warp">()
        .emits(emit_fragment<"fill_fragment({0}[{4}], {5})">)
        .says("Sets all elements of a wmma fragment."),
    row<TILEWRIGHT_FRAGMENT "buffer_ptr: ptr, stride: u32, layout: attr(row_major|col_major)">(
        "L12.load", "tvm_load_matrix_sync", Meaning::Unmodelled)
        .effects<"reads generic buffer_ptr; writes register fragment; by warp">()
        .emits(emit_fragment<"load_matrix_sync({0}[{4}], {5}, {6})">)
        .says("The warp loads a wmma fragment."),
    row<TILEWRIGHT_FRAGMENT "buffer_ptr: ptr, stride: u32, layout: attr(row_major|col_major)">(
        "L12.store", "tvm_store_matrix_sync", Meaning::Unmodelled)
        .effects<"reads register fragment; writes generic buffer_ptr; by warp">()
        .emits(emit_fragment<"store_matrix_sync({5}, {0}[{4}], {6}, {layout})">)
        .says("The warp stores a wmma fragment."),
    row<TILEWRIGHT_PRODUCT>("L12.mma", "tvm_mma_sync", Meaning::Unmodelled)
        .effects<"reads register a; reads register b; reads register c; writes register d; by warp">()
        .emits(emit_fragment<"mma_sync({0}[{1}], {2}[{3}], {4}[{5}], {6}[{7}])">)
        .says("The warp multiplies wmma fragments: d = a * b + c."),
    row<TILEWRIGHT_PRODUCT>("L12.bmma", "tvm_bmma_sync", Meaning::Unmodelled)
        .effects<"reads register a; reads register b; reads register c; writes register d; by warp">()
        .emits(emit_fragment<"bmma_sync({0}[{1}], {2}[{3}], {4}[{5}], {6}[{7}])">)
        .says("The warp multiplies 1-bit wmma fragments."),
};

#undef TILEWRIGHT_FRAGMENT
#undef TILEWRIGHT_PRODUCT

}  // namespace

std::span<const Intrinsic> builtin_rows() { return kBuiltinRows; }

}  // namespace tilewright::intrinsics
