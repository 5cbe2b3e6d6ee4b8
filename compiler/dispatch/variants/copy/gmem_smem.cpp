// copy between global and shared memory, by vector accesses of the whole scope (dispatch.md 8.1).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/partition.h"
#include "compiler/dispatch/blocks/sharing.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/blocks/vector_copies.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch::variants::copy_gmem_smem {
namespace {

using ir::Expr;

Reason gmem_smem_applicable(CallContext& context) {
  if (Reason r = not_within_cta(context); !r.empty()) return r;
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.global_to_shared && !o.shared_to_global) return wrong_pair(o, "gmem_smem moves global <-> shared");
  return not_shared_evenly(context);
}

constexpr Predicate kGmemSmemPredicates[] = {{"gmem_smem_applicable", gmem_smem_applicable}};

}  // namespace

std::span<const Predicate> predicates() { return kGmemSmemPredicates; }

Planned plan(CallContext& context) { return plan_as(context, "gmem_smem"); }

Planned plan_as(CallContext& context, std::string_view variant) {
  const CopyOperands& o = copy_operands(context);
  const bool to_shared = o.global_to_shared;
  const ir::Buffer &global = *o.on(!to_shared).buffer, &shared = *o.on(to_shared).buffer;
  const WindowResult &g_window = window(context, !to_shared), &s_window = window(context, to_shared);
  if (!g_window || !s_window) return decline(g_window ? s_window.error() : g_window.error());
  auto p = partition(global, *g_window, shared, *s_window, *o.elements, thread_count(context), o.bits, kCopyWidths);
  if (!p) return decline(std::move(p.error()));
  const int bits = static_cast<int>(p->vec * o.bits);

  auto access = [&](ir::BodyBuilder& round, Expr s, Expr g) {
    add_copy(context, round, bits, o.dst.buffer, to_shared ? s : g, to_shared ? "s_offset" : "g_offset", o.src.buffer,
             to_shared ? g : s, to_shared ? "g_offset" : "s_offset");
  };
  Plan plan{.body = shared_rounds(context, *p, global, ir::LoopKind::Serial, access)};
  describe_sharing(plan, context, *p, bits, variant, cat(bits, "-bit"));
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_gmem_smem
