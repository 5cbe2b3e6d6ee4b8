// The table of variants. A new one is a file under variants/ and a line here.
#include <algorithm>

#include "compiler/dispatch/variant.h"

//      primitive  variant        priority  namespace of its predicates() and plan()  single thread
#define TILEWRIGHT_VARIANTS(V)                                  \
  V("copy", "gmem_smem", 10, copy_gmem_smem, false)             \
  V("copy", "ldstmatrix", 10, copy_ldstmatrix, false)           \
  V("copy", "reg", 10, copy_reg, false)                         \
  V("copy", "fallback", 0, copy_fallback, false)                \
  V("copy_async", "ldgsts", 20, copy_async_ldgsts, false)       \
  V("copy_async", "dsmem", 10, copy_async_dsmem, true)          \
  V("copy_async", "tma", 10, copy_async_tma, true)              \
  V("copy_async", "smem->tmem", 10, copy_async_smem_tmem, true) \
  V("copy_async", "tmem<->local", 10, copy_async_tmem_local, false)

namespace tilewright::dispatch {

#define DECLARE(primitive, name, priority, id, single) \
  namespace variants::id {                             \
  std::span<const Predicate> predicates();             \
  Planned plan(CallContext& context);                  \
  }
TILEWRIGHT_VARIANTS(DECLARE)
#undef DECLARE

namespace {

// Which keywords a variant reads; one that reads none has no line. An empty variant stands for those still to come.
struct Options {
  std::string_view primitive, variant;
  std::vector<std::string_view> keys;
};

const std::vector<Options>& option_table() {
  static const std::vector<Options> table = {
      {"copy_async", "dsmem", {"mbar", "remote_cta_id"}},
      {"copy_async", "smem->tmem", {"cta_group"}},
      {"copy_async",
       "tma",
       {"mbar", "cta_group", "cta_mask", "cache_hint", "oob", "use_tma_reduce", "prefetch_tensormap"}},
      {"gemm_async", "", {"cta_group", "descI"}},
  };
  return table;
}

// Sorted so that a primitive's variants stand together in the order of trial.
const std::vector<Variant>& sorted() {
  static const std::vector<Variant> table = [] {
    std::vector<Variant> rows = {
#define ROW(primitive, name, priority, id, single) \
  {primitive, name, priority, variants::id::predicates(), variants::id::plan, single},
        TILEWRIGHT_VARIANTS(ROW)
#undef ROW
    };
    std::ranges::sort(rows, [](const Variant& a, const Variant& b) {
      if (a.primitive != b.primitive) return a.primitive < b.primitive;
      if (a.priority != b.priority) return a.priority > b.priority;
      return a.name < b.name;
    });
    return rows;
  }();
  return table;
}

}  // namespace

std::span<const Variant> all_variants() { return sorted(); }

std::span<const Variant> variants_of(std::string_view primitive) {
  auto [first, last] = std::ranges::equal_range(sorted(), primitive, {}, &Variant::primitive);
  return {first, last};
}

std::vector<std::string_view> options_of(std::string_view primitive) {
  std::vector<std::string_view> keys;
  for (const Options& o : option_table()) {
    if (o.primitive != primitive) continue;
    for (std::string_view key : o.keys) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::vector<std::string_view> readers_of(std::string_view primitive, std::string_view key) {
  std::vector<std::string_view> variants;
  for (const Options& o : option_table()) {
    if (o.primitive == primitive && std::ranges::find(o.keys, key) != o.keys.end()) variants.push_back(o.variant);
  }
  return variants;
}

}  // namespace tilewright::dispatch
