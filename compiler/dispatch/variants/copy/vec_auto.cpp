// copy by vector accesses as wide as the layouts allow, from 0.26 on (dispatch.md 8.6): between global and shared
// memory by the whole scope, else between registers and memory, each thread its own row.
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/vector_copies.h"
#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch::variants::copy_vec_auto {
namespace {

Reason refused(CallContext& context, std::span<const Predicate> predicates) {
  for (const Predicate& p : predicates) {
    if (Reason r = p.test(context); !r.empty()) return r;
  }
  return {};
}

Reason vec_auto_applicable(CallContext& context) {
  Reason shared_out = refused(context, copy_gmem_smem::predicates());
  if (shared_out.empty()) return {};
  Reason rows = refused(context, copy_reg::predicates());
  if (rows.empty()) return {};
  const CopyOperands& o = copy_operands(context);
  if (shared_out == rows) return rows;  // of the call, which neither could take
  if (o.global_to_shared || o.shared_to_global) return shared_out;
  if (o.local_shared || o.local_global) return rows;
  return cat(pair_words(o), "; vec_auto moves global <-> shared, and registers <-> shared or global");
}

constexpr Predicate kVecAutoPredicates[] = {{"vec_auto_applicable", vec_auto_applicable}};

// Hints are the load's: of global memory into registers.
void note_idle_hints(Plan& plan, const LoadHints& hints) {
  if (!hints.any()) return;
  plan.remarks.push_back({code::kIdleOption,
                          "the cache hints of this copy have no effect: only a load from global memory to registers "
                          "takes them",
                          "leave cache=, l1_evict=, l2_evict= and prefetch_size= out"});
}

}  // namespace

std::span<const Predicate> predicates() { return kVecAutoPredicates; }

Planned plan(CallContext& context) {
  auto hints = load_hints(context.call);
  if (!hints) return decline(std::move(hints.error()));
  const CopyOperands& o = copy_operands(context);
  const bool loads = o.local_global && o.dst.buffer->scope == ir::StorageScope::Local;
  if (loads && context.kernel.dialect() >= text::Dialect::V0_27 && !hints->l2_evict.empty())
    return decline("l2_evict= belongs to loads of 256 bits, vec_auto loads 128 at most");
  Planned plan = refused(context, copy_gmem_smem::predicates()).empty()
                     ? copy_gmem_smem::plan_as(context, "vec_auto")
                     : copy_reg::plan_as(context, "vec_auto", loads ? *hints : LoadHints());
  if (plan && !loads) note_idle_hints(*plan, *hints);
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_vec_auto
