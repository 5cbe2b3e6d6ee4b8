// copy_async from global to shared memory by cp.async, vector by vector (copy_async.md 2).
//
// The sharing out is that of copy/gmem_smem; only the instruction differs, and it exists for 4, 8 and 16 bytes alone.
// Nothing is waited for here: the script commits and waits (copy_async.md 7).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/partition.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/sharing.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/ir/outside.h"

namespace tilewright::dispatch::variants::copy_async_ldgsts {
namespace {

using ir::Expr;

constexpr std::array<int, 3> kWidths = {128, 64, 32};  // bits

const intrinsics::Intrinsic& instruction() {
  static const intrinsics::Intrinsic& row = row_of("cp_async");
  return row;
}

Reason applicable(CallContext& context) {
  if (Reason r = no_such_instruction(context, instruction(), "cp.async"); !r.empty()) return r;
  if (Reason r = not_within_cta(context); !r.empty()) return r;
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.global_to_shared) return wrong_pair(o, "ldgsts moves global -> shared");
  return not_shared_evenly(context);
}

constexpr Predicate kPredicates[] = {{"ldgsts_applicable", applicable}};

}  // namespace

std::span<const Predicate> predicates() { return kPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const ir::Buffer &global = *o.src.buffer, &shared = *o.dst.buffer;
  if (Reason how = ir::outside_of_buffer(o.src); !how.empty()) return decline(cat(how, ": cp.async does not clip"));
  const WindowResult &g_window = window(context, false), &s_window = window(context, true);
  if (!g_window || !s_window) return decline(g_window ? s_window.error() : g_window.error());
  const std::int64_t threads = thread_count(context);
  auto share = [&](std::span<const int> widths, bool with_one) {
    return partition(global, *g_window, shared, *s_window, *o.elements, threads, o.bits, widths, with_one);
  };
  auto p = share(kWidths, false);
  if (!p) {
    // What a plain copy could do tells what is in the way.
    auto narrow = share(kCopyWidths, true);
    if (!narrow) return decline(std::move(narrow.error()));
    // Each side walked along itself tells whether it alone is the reason.
    auto alone = [&](const ir::Buffer& buffer, const Window& window) {
      Window plain = window;
      plain.swizzle.reset();
      return partition(buffer, plain, buffer, window, *o.elements, threads, o.bits, kWidths, false).has_value();
    };
    const bool global_fits = alone(global, *g_window), shared_fits = alone(shared, *s_window);
    const std::string_view which =
        global_fits == shared_fits ? std::string_view() : ir::spoken_name(global_fits ? shared : global);
    return decline(cat("the widest access that fits ",
                       which.empty() ? "shapes, pitches and starts" : "the shape, pitch and start of ", which, " has ",
                       narrow->vec * o.bits / 8, narrow->vec * o.bits == 8 ? " byte" : " bytes",
                       ", cp.async moves 4, 8 or 16 aligned bytes"));
  }
  const std::int64_t bytes = p->vec * o.bits / 8;

  auto access = [&](ir::BodyBuilder& round, Expr s, Expr g) {
    bind_offsets(round, s, "s_offset", g, "g_offset");
    round.add<ir::Evaluate>(row_call(
        instruction(), {element_pointer(context, &shared, s), element_pointer(context, &global, g), Expr(bytes)}));
  };
  Plan plan{.body = shared_rounds(context, *p, global, ir::LoopKind::Unrolled, access)};
  describe_sharing(plan, context, *p, static_cast<int>(bytes * 8), "ldgsts", cat(bytes, " bytes"));
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_ldgsts
