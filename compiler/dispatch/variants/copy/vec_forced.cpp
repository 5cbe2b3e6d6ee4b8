// copy of exactly 2, 4, 8, 16 or 32 bytes in one thread, by the access that dispatch= names, from 0.26 on
// (dispatch.md 8.7). Where both sides are memory, the bytes pass through registers.
#include <algorithm>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/one_access.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants {
namespace {

template <int kBits>
std::string_view name() {
  static const std::string text = cat("vec_", kBits, "b");
  return text;
}

template <int kBits>
Reason applicable(CallContext& context) {
  if (context.call.dispatch != name<kBits>()) return cat("requires explicit dispatch='", name<kBits>(), "'");
  if (context.scope.kind != ir::ExecScope::Thread) {
    return cat("works at thread scope, not at ", ir::exec_scope_name(context.scope.kind), " scope");
  }
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.global_to_shared && !o.shared_to_global && !o.local_shared && !o.local_global) {
    return wrong_pair(o, cat(name<kBits>(), " moves between two of global memory, shared memory and registers"));
  }
  if (kBits % o.bits != 0) {
    return cat(name<kBits>(), " holds no whole number of ", ir::dtype_name(o.dst.buffer->dtype), " elements");
  }
  for (const ir::Region* r : {&o.src, &o.dst}) {
    std::optional<std::int64_t> n = elements_of(*r);
    if (n && *n == kBits / o.bits) continue;
    return cat(name<kBits>(), " moves exactly ", kBits / o.bits, " elements of ", o.bits, " bits, ", ir::to_string(*r),
               n ? cat(" has ", *n) : std::string(" has a number known only at run time"));
  }
  auto hints = load_hints(context.call);
  if (!hints) return hints.error();
  if (hints->any() && o.src.buffer->scope != ir::StorageScope::Global) {
    return cat("cache hints are of loads from global memory, the source is ", scope_text(*o.src.buffer));
  }
  return {};
}

template <int kBits>
Planned planned(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const std::int64_t count = kBits / o.bits;
  for (bool is_dst : {true, false}) {
    if (Reason r = scattered(context, is_dst, count, std::min(kBits, 128) / o.bits); !r.empty())
      return decline(std::move(r));
  }
  const LoadHints hints = *load_hints(context.call);
  if (context.kernel.dialect() >= text::Dialect::V0_27) {
    const bool shared = ir::is_shared(o.src.buffer->scope) || ir::is_shared(o.dst.buffer->scope);
    if (kBits == 256 && shared) return decline("no load or store of shared memory moves 256 bits");
    if (kBits < 256 && !hints.l2_evict.empty()) return decline("l2_evict= belongs to loads of 256 bits");
  }
  // 256 bits are two words: a load and a store of 128 bits each.
  constexpr int kWord = kBits > 128 ? 128 : kBits;
  ir::BodyBuilder out(context.call.origin);
  for (int word = 0; word < kBits / kWord; ++word) {
    const std::int64_t skipped = word * (kWord / o.bits);
    add_hinted_copy(out, hints, kWord, pointer_into(o.dst, skipped), pointer_into(o.src, skipped));
  }
  Plan plan{.body = out.finish()};
  plan.fact("vec_bits", kBits);
  plan.fact("vec_elems", count);
  plan.summary = cat(headline(context, name<kBits>()), ", ", kBits, "-bit");
  return plan;
}

template <int kBits>
std::span<const Predicate> its_predicates() {
  static const std::string predicate = cat(name<kBits>(), "_applicable");
  static const Predicate all[] = {{predicate, applicable<kBits>}};
  return all;
}

}  // namespace

#define TILEWRIGHT_VECTOR(bits)                                                \
  namespace copy_vec_##bits##b {                                               \
    std::span<const Predicate> predicates() { return its_predicates<bits>(); } \
    Planned plan(CallContext& context) { return planned<bits>(context); }      \
  }
TILEWRIGHT_VECTOR(16)
TILEWRIGHT_VECTOR(32)
TILEWRIGHT_VECTOR(64)
TILEWRIGHT_VECTOR(128)
TILEWRIGHT_VECTOR(256)
#undef TILEWRIGHT_VECTOR

}  // namespace tilewright::dispatch::variants
