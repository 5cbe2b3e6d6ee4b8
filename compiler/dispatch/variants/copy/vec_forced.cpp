// copy of exactly 2, 4, 8, 16 or 32 bytes in one thread, by the access that dispatch= names, from 0.26 on
// (dispatch.md 8.7). Where both sides are memory, the bytes pass through registers.
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants {
namespace {

using ir::Expr;

template <int kBits>
std::string_view name() {
  static const std::string text = cat("vec_", kBits, "b");
  return text;
}

std::optional<std::int64_t> elements_of(const ir::Region& region) {
  std::int64_t n = 1;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* e = ir::constant(ir::simplify(r.extent));
    if (!e || __builtin_mul_overflow(n, *e, &n)) return std::nullopt;
  }
  return n;
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

// The elements of a region stand one behind the other from its first on: an access of all of them is that region.
Reason scattered(CallContext& context, bool is_dst, std::int64_t count, int bits) {
  if (count == 1) return {};
  const ir::Region& region = copy_operands(context).on(is_dst);
  const WindowResult& window = dispatch::window(context, is_dst);
  if (!window) return window.error();
  std::string_view name = ir::spoken_name(*region.buffer);
  if (Reason r = not_plain(*window, name); !r.empty()) return r;
  Walks walks;
  for (const layout::Iter& it : window->tile.shard) walks.push_back(walk_of(it));
  walks = fuse(walks);
  if (walks.size() != 1 || walks[0].unit || walks[0].stride != 1) {
    return cat(ir::to_string(region), " is not ", count, " neighbouring elements: one access cannot move it");
  }
  if (window->swizzle && count > window->swizzle->chunk()) {
    return cat("the swizzle of ", name, " parts every ", window->swizzle->chunk(), " elements, one access moves ",
               count);
  }
  const std::int64_t* start = ir::constant(ir::simplify(window->start().expr()));
  if (start && *start % count != 0) {
    return cat(ir::to_string(region), " starts at element ", *start, ", an access of ", count * bits / 8,
               " bytes at a multiple of ", count);
  }
  return {};
}

Expr pointer_to(const ir::Region& region, std::int64_t skipped) {
  std::vector<Expr> at;
  for (const ir::Range& r : region.ranges) at.push_back(r.min);
  for (std::size_t d = at.size(); skipped > 0 && d-- > 0;) {  // row-major within the region
    const std::int64_t extent = *ir::constant(ir::simplify(region.ranges[d].extent));
    at[d] = ir::simplify(at[d] + Expr(skipped % extent));
    skipped /= extent;
  }
  Expr element[] = {ir::load(region.buffer, at)};
  return ir::call(ir::kHandle, ir::builtin::address_of, element);
}

template <int kBits>
Planned planned(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const std::int64_t count = kBits / o.bits;
  for (bool is_dst : {true, false}) {
    if (Reason r = scattered(context, is_dst, count, o.bits); !r.empty()) return decline(std::move(r));
  }
  const LoadHints hints = *load_hints(context.call);
  // 256 bits are two words: a load and a store of 128 bits each.
  constexpr int kWord = kBits > 128 ? 128 : kBits;
  ir::BodyBuilder out(context.call.origin);
  for (int word = 0; word < kBits / kWord; ++word) {
    const std::int64_t skipped = word * (kWord / o.bits);
    add_hinted_copy(out, hints, kWord, pointer_to(o.dst, skipped), pointer_to(o.src, skipped));
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
