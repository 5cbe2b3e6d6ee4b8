// copy_async from global to shared memory by cp.async, vector by vector (copy_async.md 2).
//
// The sharing out is that of copy/gmem_smem; only the instruction differs, and it exists for 4, 8 and 16 bytes alone.
// Nothing is waited for here: the script commits and waits (copy_async.md 7).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/one_access.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/partition.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/sharing.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/ir/outside.h"

namespace tilewright::dispatch::variants::copy_async_ldgsts {
namespace {

using ir::Expr;

constexpr std::array<int, 3> kWidths = {128, 64, 32};  // bits

const intrinsics::Intrinsic& instruction() {
  static const intrinsics::Intrinsic& row = row_of("cp_async");
  return row;
}

Reason ldgsts_applicable(CallContext& context) {
  if (Reason r = no_such_instruction(context, instruction(), "cp.async"); !r.empty()) return r;
  if (Reason r = not_within_cta(context); !r.empty()) return r;
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.global_to_shared) return wrong_pair(o, "ldgsts moves global -> shared");
  return not_shared_evenly(context);
}

constexpr Predicate kLdgstsPredicates[] = {{"ldgsts_applicable", ldgsts_applicable}};

// What the call adds to each instruction, from 0.26 on.
struct Additions {
  std::int64_t prefetch = -1;  // bytes
  Expr predicate;              // bool; null: the copy is made everywhere
  bool zero_fill = false;
};

std::expected<Additions, Reason> additions(const ir::TileCall& call) {
  Additions out;
  if (Expr given = option(call, "prefetch_size")) {
    const std::int64_t* bytes = ir::constant(ir::simplify(given));
    if (!bytes || (*bytes != -1 && *bytes != 64 && *bytes != 128 && *bytes != 256)) {
      return std::unexpected(cat("prefetch_size= is 64, 128 or 256, not ", ir::to_string(given)));
    }
    out.prefetch = *bytes;
  }
  if (Expr given = option(call, "fill_mode")) {
    const auto* mode = given.as<ir::StringImm>();
    if (!mode || (!mode->value.empty() && mode->value != "zero")) {
      return std::unexpected(cat("fill_mode= is \"zero\" or \"\", not ", ir::to_string(given)));
    }
    out.zero_fill = mode->value == "zero";
  }
  Expr given = option(call, "predicate");
  if (given && !ir::is_constant(ir::simplify(given), -1)) out.predicate = ir::cast(ir::kBool, given);
  return out;
}

// One cp.async.
void add_instruction(ir::BodyBuilder& out, const Additions& add, Expr dst, Expr src, std::int64_t bytes) {
  static const intrinsics::Intrinsic &zeros = *intrinsics::row_of_id("P30"), &where = *intrinsics::row_of_id("P31");
  const Expr none = ir::string_imm("");
  std::vector<Expr> args = {
      dst, src, Expr(bytes), none, intrinsics::default_value(instruction().operands[4]), Expr(add.prefetch)};
  if (!add.predicate) {
    out.add<ir::Evaluate>(row_call(instruction(), std::move(args)));
    return;
  }
  args.push_back(ir::cast(ir::kInt32, add.predicate));
  if (add.zero_fill) args.push_back(ir::string_imm("zero"));
  out.add<ir::Evaluate>(row_call(add.zero_fill ? zeros : where, std::move(args)));
}

// direct=True: one instruction for the region of a thread, from its first element on.
Planned direct(CallContext& context, const Additions& add) {
  const CopyOperands& o = copy_operands(context);
  if (context.scope.kind != ir::ExecScope::Thread) return decline("direct= works at thread scope");
  const std::int64_t count = *o.elements, bytes = count * o.bits / 8;
  if (count * o.bits % 8 != 0 || (bytes != 4 && bytes != 8 && bytes != 16)) {
    return decline(cat("direct= moves 4, 8 or 16 bytes, the region has ", count, " elements of ", o.bits, " bits"));
  }
  for (bool is_dst : {true, false}) {
    if (Reason r = scattered(context, is_dst, count, count); !r.empty()) return decline(std::move(r));
  }
  ir::BodyBuilder out(context.call.origin);
  add_instruction(out, add, pointer_into(o.dst), pointer_into(o.src), bytes);
  Plan plan{.body = out.finish()};
  plan.fact("vec_bits", bytes * 8);
  plan.summary = cat(headline(context, "ldgsts"), ", ", bytes, " bytes, one instruction");
  return plan;
}

}  // namespace

std::span<const Predicate> predicates() { return kLdgstsPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const ir::Buffer &global = *o.src.buffer, &shared = *o.dst.buffer;
  if (Reason how = ir::outside_of_buffer(o.src); !how.empty()) return decline(cat(how, ": cp.async does not clip"));
  Additions add;
  if (context.kernel.dialect() >= text::Dialect::V0_26) {
    auto given = additions(context.call);
    if (!given) return decline(std::move(given.error()));
    add = *given;
    const Expr flag = option(context.call, "direct");
    if (flag && !ir::is_constant(ir::simplify(flag), 0)) return direct(context, add);
  }
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
    add_instruction(round, add, element_pointer(context, &shared, s), element_pointer(context, &global, g), bytes);
  };
  Plan plan{.body = shared_rounds(context, *p, global, ir::LoopKind::Unrolled, access)};
  describe_sharing(plan, context, *p, static_cast<int>(bytes * 8), "ldgsts", cat(bytes, " bytes"));
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_ldgsts
