// The table of variants. A new one is a file under variants/ and a line here; one of a later release has a column that
// says so.
#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

#include "compiler/dispatch/variant.h"
#include "compiler/dispatch/words.h"

// Primitive, variant, priority, releases that have it, namespace of its predicates() and plan(), whether a single
// thread issues it, and the keywords of the primitive's row that it reads.
#define TILEWRIGHT_VARIANTS(V)                                                                                         \
  V("copy", "gmem_smem", 10, kUntil26, copy_gmem_smem, false)                                                          \
  V("copy", "ldstmatrix", 10, kAll, copy_ldstmatrix, false)                                                            \
  V("copy", "reg", 10, kUntil26, copy_reg, false)                                                                      \
  V("copy", "vec_auto", 10, kSince26, copy_vec_auto, false, "cache", "l1_evict", "l2_evict", "prefetch_size")          \
  V("copy", "vec_16b", 20, kSince26, copy_vec_16b, false, "cache", "l1_evict", "l2_evict", "prefetch_size")            \
  V("copy", "vec_32b", 20, kSince26, copy_vec_32b, false, "cache", "l1_evict", "l2_evict", "prefetch_size")            \
  V("copy", "vec_64b", 20, kSince26, copy_vec_64b, false, "cache", "l1_evict", "l2_evict", "prefetch_size")            \
  V("copy", "vec_128b", 20, kSince26, copy_vec_128b, false, "cache", "l1_evict", "l2_evict", "prefetch_size")          \
  V("copy", "vec_256b", 20, kSince26, copy_vec_256b, false, "cache", "l1_evict", "l2_evict", "prefetch_size")          \
  V("copy", "fallback", 0, kAll, copy_fallback, false)                                                                 \
  V("copy_async", "ldgsts", 20, kUntil26, copy_async_ldgsts, false)                                                    \
  V("copy_async", "ldgsts", 20, kSince26, copy_async_ldgsts, false, "direct", "predicate", "fill_mode",                \
    "prefetch_size")                                                                                                   \
  V("copy_async", "dsmem", 10, kAll, copy_async_dsmem, true, "mbar", "remote_cta_id")                                  \
  V("copy_async", "tma", 10, kUntil26, copy_async_tma, true, "mbar", "cta_group", "cta_mask", "cache_hint",            \
    "use_tma_reduce", "oob", "prefetch_tensormap")                                                                     \
  V("copy_async", "tma_auto", 10, kSince26, copy_async_tma_auto, true, "mbar", "cta_group", "cta_mask",                \
    "use_tma_reduce", "oob", "prefetch_tensormap", "tensormap_l2_promotion", "mbarrier_addr", "cache_hint",            \
    "tma_dtype")                                                                                                       \
  V("copy_async", "tma_explicit", 10, kSince26, copy_async_tma_explicit, true, "mbar", "oob", "cta_group",             \
    "use_tma_reduce", "cta_mask", "mbarrier_addr", "prefetch_tensormap", "cache_hint", "tma_dtype",                    \
    "tensormap_l2_promotion", "src_selector", "gather4")                                                               \
  V("copy_async", "smem->tmem", 10, kUntil26, copy_async_smem_tmem, true, "cta_group")                                 \
  V("copy_async", "smem->tmem", 10, kSince26, copy_async_smem_tmem, true, "cta_group", "shape", "multicast")           \
  V("copy_async", "tmem<->local", 10, kAll, copy_async_tmem_local, false)                                              \
  V("gemm", "mma.m16n8k*", 10, kAll, gemm_mma, false)                                                                  \
  V("gemm_async", "tcgen05", 10, kUntil26, gemm_async_tcgen05, true, "cta_group", "descI")                             \
  V("gemm_async", "tcgen05", 10, kSince26, gemm_async_tcgen05, true, "cta_group", "descI", "mma_m", "mma_n",           \
    "smem_desc", "weight_stationary", "is_AB_tf32")                                                                    \
  V("gemm_async", "wgmma", 5, kAll, gemm_async_wgmma, false)                                                           \
  V("add", "reg", 10, kAll, elementwise_reg, false, "rounding_mode")                                                   \
  V("cast", "reg", 10, kAll, elementwise_reg, false)                                                                   \
  V("exp", "reg", 10, kAll, elementwise_reg, false)                                                                    \
  V("exp2", "reg", 10, kAll, elementwise_reg, false)                                                                   \
  V("fdiv", "reg", 10, kAll, elementwise_reg, false)                                                                   \
  V("fill", "reg", 10, kAll, elementwise_reg, false)                                                                   \
  V("fma", "reg", 10, kAll, elementwise_reg, false, "rounding_mode")                                                   \
  V("log2", "reg", 10, kSince26, elementwise_reg, false)                                                               \
  V("maximum", "reg", 10, kSince26, elementwise_reg, false)                                                            \
  V("mul", "reg", 10, kAll, elementwise_reg, false, "rounding_mode")                                                   \
  V("reciprocal", "reg", 10, kAll, elementwise_reg, false)                                                             \
  V("silu", "reg", 10, kAll, elementwise_reg, false)                                                                   \
  V("sqrt", "reg", 10, kAll, elementwise_reg, false)                                                                   \
  V("sub", "reg", 10, kAll, elementwise_reg, false, "rounding_mode")                                                   \
  V("zero", "reg", 10, kAll, elementwise_reg, false)                                                                   \
  V("add", "smem", 10, kAll, elementwise_smem, false, "rounding_mode")                                                 \
  V("cast", "smem", 10, kAll, elementwise_smem, false)                                                                 \
  V("exp", "smem", 10, kAll, elementwise_smem, false)                                                                  \
  V("exp2", "smem", 10, kAll, elementwise_smem, false)                                                                 \
  V("fdiv", "smem", 10, kAll, elementwise_smem, false)                                                                 \
  V("fill", "smem", 10, kAll, elementwise_smem, false)                                                                 \
  V("fma", "smem", 10, kAll, elementwise_smem, false, "rounding_mode")                                                 \
  V("log2", "smem", 10, kSince26, elementwise_smem, false)                                                             \
  V("maximum", "smem", 10, kSince26, elementwise_smem, false)                                                          \
  V("mul", "smem", 10, kAll, elementwise_smem, false, "rounding_mode")                                                 \
  V("reciprocal", "smem", 10, kAll, elementwise_smem, false)                                                           \
  V("silu", "smem", 10, kAll, elementwise_smem, false)                                                                 \
  V("sqrt", "smem", 10, kAll, elementwise_smem, false)                                                                 \
  V("sub", "smem", 10, kAll, elementwise_smem, false, "rounding_mode")                                                 \
  V("zero", "smem", 10, kAll, elementwise_smem, false)                                                                 \
  V("sum", "packed_add_sum", 20, kAll, sum_packed_add_sum, false)                                                      \
  V("max", "3input_maxmin", 20, kAll, reduce_three_input, false)                                                       \
  V("min", "3input_maxmin", 20, kAll, reduce_three_input, false)                                                       \
  V("sum", "local", 10, kAll, reduce_local, false, "thread_reduce")                                                    \
  V("sum", "shared", 10, kAll, reduce_shared, false)                                                                   \
  V("max", "local", 10, kAll, reduce_local, false, "thread_reduce")                                                    \
  V("max", "shared", 10, kAll, reduce_shared, false)                                                                   \
  V("min", "local", 10, kAll, reduce_local, false, "thread_reduce")                                                    \
  V("min", "shared", 10, kAll, reduce_shared, false)                                                                   \
  V("permute_layout", "warp_xor_swizzle", 20, kAll, permute_layout_warp_xor_swizzle, false)                            \
  V("apply", "instruction", 10, kSince27, tile_apply, false, "instruction", "cache_policy", "preserve_dst",            \
    "chunk_bytes", "src_size", "ignore_src", "mbar", "remote_cta_id", "pred")                                          \
  V("apply_tmem", "tensor_memory", 10, kSince27, tile_apply_tmem, false, "instruction", "imm_half_splitoff")           \
  V("apply_tcgen05", "tensor_core", 10, kSince27, tile_apply_tcgen05, false, "instruction", "instruction_shape",       \
    "a_major", "b_major", "a_format", "b_format", "neg_a", "neg_b", "sat_d", "accum", "disable_output_lane",           \
    "zero_column_mask", "pred")                                                                                        \
  V("apply_tensor", "tensor_copy", 10, kSince27, copy_async_tma_apply, true, "instruction", "cache_policy", "box",     \
    "coords", "coord_steps", "format", "element_strides", "swizzle", "interleave", "l2_promotion", "oob_fill", "mbar", \
    "cta_mask", "gather4", "pred")                                                                                     \
  V("ewise", "registers", 10, kSince27, tile_ewise, false, "function", "parameters")

namespace tilewright::dispatch {

#define DECLARE(primitive, name, priority, releases, id, ...) \
  namespace variants::id {                                    \
  std::span<const Predicate> predicates();                    \
  Planned plan(CallContext& context);                         \
  }
TILEWRIGHT_VARIANTS(DECLARE)
#undef DECLARE

namespace {

constexpr text::Releases kAll = text::kAllReleases;
constexpr text::Releases kUntil26 = text::until(text::Dialect::V0_26);
constexpr text::Releases kSince26 = text::since(text::Dialect::V0_26);
constexpr text::Releases kSince27 = text::since(text::Dialect::V0_27);

// The variants of a release, made when they are first asked for.
struct OfRelease {
  std::once_flag once;
  std::vector<Variant> rows;
  std::deque<std::vector<Predicate>> predicates;  // of those that have names of their own there
  std::deque<std::string> names;

  // Sorted so that a primitive's variants stand together in the order of trial.
  void make(text::Dialect release) {
    rows = {
#define ROW(primitive, name, priority, releases, id, single, ...) \
  {primitive, name, priority, releases, variants::id::predicates(), variants::id::plan, single, {__VA_ARGS__}},
        TILEWRIGHT_VARIANTS(ROW)
#undef ROW
    };
    std::erase_if(rows, [&](const Variant& v) { return !v.releases.has(release); });
    std::ranges::sort(rows, [](const Variant& a, const Variant& b) {
      if (a.primitive != b.primitive) return a.primitive < b.primitive;
      if (a.priority != b.priority) return a.priority > b.priority;
      return a.name < b.name;
    });
    if (release >= text::Dialect::V0_26) std::ranges::for_each(rows, [&](Variant& v) { name_after_primitive(v); });
  }

  // From 0.26 on trials name the predicates of arithmetic after the primitive: "maximum_reg".
  void name_after_primitive(Variant& v) {
    if (std::ranges::none_of(v.predicates, [](const Predicate& p) { return p.name.starts_with("elementwise_"); })) {
      return;
    }
    std::vector<Predicate>& own = predicates.emplace_back(v.predicates.begin(), v.predicates.end());
    for (Predicate& p : own) {
      if (p.name.starts_with("elementwise_")) p.name = names.emplace_back(cat(v.primitive, "_", v.name));
    }
    v.predicates = own;
  }
};

}  // namespace

std::span<const Variant> all_variants(text::Dialect release) {
  static auto& tables = *new std::array<OfRelease, text::kDialects.size()>;  // never destroyed: that would take time
  OfRelease& table = tables[static_cast<std::size_t>(release)];
  std::call_once(table.once, [&] { table.make(release); });
  return table.rows;
}

std::span<const Variant> variants_of(std::string_view primitive, text::Dialect release) {
  auto [first, last] = std::ranges::equal_range(all_variants(release), primitive, {}, &Variant::primitive);
  return {first, last};
}

std::vector<std::string_view> readers_of(std::string_view primitive, std::string_view keyword, text::Dialect release) {
  std::vector<std::string_view> readers;
  for (const Variant& v : variants_of(primitive, release)) {
    if (std::ranges::find(v.keywords, keyword) != v.keywords.end()) readers.push_back(v.name);
  }
  return readers;
}

}  // namespace tilewright::dispatch
