#include "compiler/dispatch/advice.h"

#include <algorithm>

#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/say.h"
#include "compiler/text/letters.h"

namespace tilewright::dispatch {
namespace {

using ir::ExecScope;

std::string joined(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::string_view name : names) out += cat(out.empty() ? "" : ", ", name);
  return out;
}

bool is_word(char c) { return text::is_ascii_name_byte(c) || c == '.'; }
// As a word of its own.
bool mentions(std::string_view text, std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

// Copies move elements as they are; what is said of their pairs of operands holds for no other primitive.
bool moves(const ir::TileCall& call) {
  return call.primitive.starts_with("copy") && call.args.size() == 2 && call.args[0].region.buffer &&
         call.args[1].region.buffer;
}

// Variants that serve only calls which name them say nothing of the others.
bool only_when_named(const Trial& t) { return t.reason.starts_with("requires explicit dispatch="); }

bool covers_its_buffer(const ir::Region& region) {
  for (std::size_t i = 0; i < region.ranges.size() && i < region.buffer->shape.size(); ++i) {
    if (!ir::provably_equal(region.ranges[i].extent, region.buffer->shape[i])) return false;
  }
  return true;
}

// In how many of the kernel's calls the buffer meets one of another type, less those where it meets one of its own.
int type_quarrels(const ir::Stmt* kernel, const ir::Buffer* buffer) {
  int quarrels = 0;
  ir::walk_stmts(kernel, [&](const ir::Stmt* s) {
    const auto* call = ir::as<ir::TileCall>(s);
    if (!call || call->args.size() < 2) return true;
    const ir::Buffer *a = call->args[0].region.buffer, *b = call->args[1].region.buffer;
    if (a && b && (a == buffer || b == buffer)) quarrels += a->dtype == b->dtype ? -1 : 1;
    return true;
  });
  return quarrels;
}

// Tensors are what the kernel is given; what it allocated for itself is more likely to be wrong.
std::optional<std::size_t> the_allocated_one(const CopyOperands& o) {
  const bool dst = o.dst.buffer->scope != ir::StorageScope::Global;
  const bool src = o.src.buffer->scope != ir::StorageScope::Global;
  if (dst == src) return std::nullopt;
  return dst ? 0 : 1;
}

// The variant that would be chosen, and that no warning is given of; null: none.
const Variant* serving(KernelContext& kernel, const ir::TileCall& call, const scope::CallScope& scope) {
  CallContext context(kernel, call, scope);
  for (const Variant& variant : variants_of(call.primitive, kernel.dialect())) {
    if (!call.dispatch.empty() && variant.name != call.dispatch) continue;
    if (!std::ranges::all_of(variant.predicates, [&](const Predicate& p) { return p.test(context).empty(); })) continue;
    Planned plan = variant.plan(context);
    if (plan) return plan->caution.empty() ? &variant : nullptr;
    context.journal = {};
  }
  return nullptr;
}

// What a variant that one thread issues would say if one thread called it; empty: it is none, or would serve.
Reason asked_by_one_thread(std::string_view name, const CallContext& context) {
  if (context.call.scope == ExecScope::Thread) return {};
  for (const Variant& variant : variants_of(context.call.primitive, context.kernel.dialect())) {
    if (variant.name != name || !variant.single_thread) continue;
    ir::TileCall call = context.call;
    call.scope = ExecScope::Thread;
    const scope::CallScope one{.kind = ExecScope::Thread, .inter = {}, .intra = {}, .inexact = {}, .failure = {}};
    CallContext asked(context.kernel, call, one);
    for (const Predicate& p : variant.predicates) {
      if (Reason r = p.test(asked); !r.empty()) return r;
    }
    Planned plan = variant.plan(asked);
    return plan ? Reason() : std::move(plan.error().reason);
  }
  return {};
}

std::int64_t together(const scope::CallScope& scope) {
  std::int64_t threads = 1;
  for (const scope::AxisRange& axis : scope.intra) threads *= axis.range.extent;
  return threads;
}

// Whether threads of one CTA name different places.
bool differs_in_cta(const ir::TileCall& call) {
  bool differs = false;
  auto look = [&](ir::Expr e) {
    ir::walk(e, [&](ir::Expr node) {
      const auto* var = node.as<ir::Var>();
      differs |= var && var->role == ir::VarRole::ScopeId && var->scope_id != ir::ScopeBinding::KernelCluster &&
                 var->scope_id != ir::ScopeBinding::KernelCta && var->scope_id != ir::ScopeBinding::ClusterCta &&
                 var->scope_id != ir::ScopeBinding::ClusterCtaPair;
      differs |= node.kind() == ir::ExprKind::Load;  // perhaps of what such an id gave
      return !differs;
    });
  };
  for (const ir::Operand& operand : call.args) {
    for (const ir::Range& range : operand.region.ranges) {
      look(range.min);
      look(range.extent);
    }
  }
  return differs;
}

// As scripts write it: "Tx.warp.copy", "Tx.copy".
std::string spelling(const ir::TileCall& call, ExecScope scope) {
  if (scope == ExecScope::Thread) return cat("Tx.", call.primitive);
  return cat("Tx.", ir::exec_scope_name(scope), ".", call.primitive);
}

// The operand that all reasons speak of.
std::optional<std::size_t> blamed(const std::vector<ReasonRow>& rows, const ir::Buffer& dst, const ir::Buffer& src) {
  std::optional<std::size_t> named;
  for (const ReasonRow& row : rows) {
    if (row.unrelated || row.of_who) continue;
    const bool d = mentions(row.reason, ir::spoken_name(dst)), s = mentions(row.reason, ir::spoken_name(src));
    if (d == s) return std::nullopt;
    const std::size_t here = d ? 0 : 1;
    if (named && *named != here) return std::nullopt;
    named = here;
  }
  return named;
}

}  // namespace

std::vector<ReasonRow> reason_rows(const CallReport& report, CallContext& context) {
  const ir::TileCall& call = *report.call;
  const CopyOperands* o = moves(call) ? &copy_operands(context) : nullptr;
  const std::string pair = o ? pair_words(*o) : "";
  std::vector<ReasonRow> rows;
  ReasonRow unrelated;
  unrelated.reason = pair;
  unrelated.unrelated = true;
  Reason whole;  // of the one unrelated variant, should there be no second
  for (const Trial& t : report.trials) {
    if (t.outcome == Outcome::Chosen || only_when_named(t)) continue;
    // No variant could take such operands, whatever else it lacks. The tensor copies of 0.26 move bytes: they ask
    // themselves (copy_async.md 12).
    const bool invalid = o && !o->invalid.empty() && !t.variant.starts_with("tma_");
    if (o && !invalid) {
      Reason reason = t.reason;
      if (reason.find(pair) == reason.npos) reason = asked_by_one_thread(t.variant, context);
      if (std::size_t at = reason.find(pair); at != reason.npos) {
        unrelated.variants.push_back(t.variant);
        whole = reason.substr(at);
        if (std::size_t tail = whole.find("; "); tail != whole.npos) {
          const std::size_t end = std::min(whole.find("; ", tail + 2), whole.size());
          unrelated.moves +=
              cat(unrelated.moves.empty() ? "" : ", ", std::string_view(whole).substr(tail + 2, end - tail - 2));
        }
        continue;
      }
    }
    const Reason& reason = invalid ? o->invalid : t.reason;
    auto same = std::ranges::find_if(
        rows, [&](const ReasonRow& r) { return r.reason == reason && (r.outcome == t.outcome || invalid); });
    if (same != rows.end()) {
      same->variants.push_back(t.variant);
      continue;
    }
    ReasonRow& row = rows.emplace_back();
    row.variants = {t.variant};
    row.outcome = t.outcome;
    row.reason = reason;
    row.of_call = invalid;
    row.of_who = call.scope != ExecScope::Thread &&
                 std::ranges::any_of(variants_of(call.primitive, context.kernel.dialect()),
                                     [&](const Variant& v) { return v.name == t.variant && v.single_thread; });
  }
  if (unrelated.variants.size() == 1) unrelated.reason = std::move(whole);
  if (!unrelated.variants.empty()) rows.push_back(std::move(unrelated));
  return rows;
}

std::string in_one_line(const std::vector<ReasonRow>& rows) {
  std::string out;
  for (const ReasonRow& row : rows) out += cat(out.empty() ? "" : "; ", joined(row.variants), ": ", row.reason);
  return out;
}

std::string in_a_table(const std::vector<ReasonRow>& rows) {
  constexpr std::size_t kWidest = 32;  // a longer list of names pushes its own reason alone
  std::size_t width = 0;
  for (const ReasonRow& row : rows) width = std::max(width, std::min(kWidest, joined(row.variants).size()));
  std::string out;
  for (const ReasonRow& row : rows) {
    std::string names = joined(row.variants);
    names.resize(std::max(width, names.size()) + 2, ' ');
    out += cat("\n   ", names, outcome_name(row.outcome), ": ", row.reason);
  }
  return out;
}

std::optional<std::size_t> operand_at_fault(const std::vector<ReasonRow>& rows, CallContext& context,
                                            const ir::Stmt* kernel) {
  if (rows.empty() || context.call.args.size() != 2) return std::nullopt;
  const ir::Buffer *dst = context.call.args[0].region.buffer, *src = context.call.args[1].region.buffer;
  const bool copy = context.call.primitive.starts_with("copy");
  if (!dst || !src) return copy ? std::optional<std::size_t>(dst ? 1 : 0) : std::nullopt;
  if (!copy) return blamed(rows, *dst, *src);
  const CopyOperands& o = copy_operands(context);
  if (std::ranges::any_of(rows, &ReasonRow::of_call)) {
    if (!dst->layout || !src->layout) return dst->layout ? 1 : 0;
    if (dst->dtype != src->dtype) {
      const int d = type_quarrels(kernel, dst), s = type_quarrels(kernel, src);
      return d != s ? std::optional<std::size_t>(d > s ? 0 : 1) : the_allocated_one(o);
    }
    const bool whole_dst = covers_its_buffer(o.dst), whole_src = covers_its_buffer(o.src);
    return whole_dst != whole_src ? std::optional<std::size_t>(whole_dst ? 1 : 0) : the_allocated_one(o);
  }
  if (std::ranges::all_of(rows, &ReasonRow::unrelated)) return the_allocated_one(o);
  return blamed(rows, *dst, *src);
}

bool wrong_type(CallContext& context) {
  if (!moves(context.call)) return false;
  const ir::Buffer *dst = context.call.args[0].region.buffer, *src = context.call.args[1].region.buffer;
  return dst && src && dst->layout && src->layout && dst->dtype != src->dtype;
}

std::string fix_hint(const std::vector<ReasonRow>& rows, CallContext& context, std::optional<std::size_t> at_fault) {
  if (!moves(context.call)) return {};
  const ir::Buffer *dst = context.call.args[0].region.buffer, *src = context.call.args[1].region.buffer;
  if (wrong_type(context)) {
    const std::size_t wrong = at_fault.value_or(0);
    return cat(
        "both sides have one type: declare ", ir::spoken_name(wrong == 0 ? *dst : *src), " as ",
        ir::dtype_name((wrong == 0 ? *src : *dst).dtype), ", or convert with ",
        spelling(context.call, context.call.scope).substr(0, spelling(context.call, context.call.scope).rfind('.')),
        ".cast");
  }
  // What there is instead, where a single reason does not say it itself.
  const bool elsewhere = rows.size() == 1 && rows[0].unrelated && rows[0].variants.size() > 1;
  return elsewhere ? rows[0].moves : std::string();
}

std::string another_way(CallContext& context, const scope::ActiveSet& set) {
  const ir::TileCall& call = context.call;
  const scope::CallScope& now = context.scope;
  if (!now.tracked || !now.failure.empty() || scope::dividing_condition(now)) return {};
  auto at = [&](ExecScope kind) {
    scope::CallScope scope = scope::split(set, kind);
    scope.inexact = now.inexact;
    return scope;
  };
  auto called_at = [&](ExecScope kind) {
    ir::TileCall copy = call;
    copy.scope = kind;
    return copy;
  };
  const std::string who = narrowed_to(context);
  for (ExecScope kind : {ExecScope::Cta, ExecScope::Warpgroup, ExecScope::Warp, ExecScope::Thread}) {
    if (kind == call.scope) continue;
    scope::CallScope there = at(kind);
    if (!there.failure.empty()) continue;
    const bool narrower = kind > call.scope;
    if (narrower ? together(now) != together(there) : differs_in_cta(call)) continue;
    if (!serving(context.kernel, called_at(kind), there)) continue;
    return cat(narrower && !who.empty() ? who : cat("the whole ", ir::exec_scope_name(kind), " gets here"), ": use ",
               spelling(call, kind));
  }
  if (call.scope == ExecScope::Thread) return {};
  if (!set.lanes.elected) {
    scope::ActiveSet one = set;
    one.lanes = {.extent = 1, .offset = 0, .stride = 1, .elected = true};
    one.warps.extent = 1;
    const Variant* variant =
        serving(context.kernel, called_at(ExecScope::Thread), scope::split(one, ExecScope::Thread));
    if (variant && variant->single_thread) {
      return cat("one thread issues it: guard it with `if ",
                 intrinsics::say(intrinsics::row_of("elect"), context.kernel.dialect()), "():`",
                 set.warps.extent > 1 ? " in one warp" : "", " and use ", spelling(call, ExecScope::Thread));
    }
  }
  if (parts_a_warp(context.launch())) {
    return cat("a CTA of ", *context.launch().threads(),
               " threads is no whole number of warps: launch a multiple of 32");
  }
  const std::int64_t threads = context.launch().threads().value_or(0);
  if (call.scope == ExecScope::Warpgroup && threads < 128) {
    return cat("a CTA of ", threads, " threads is less than a warpgroup, which has 128: launch that many");
  }
  return who.empty() ? who : cat(who, ": let the whole ", ir::exec_scope_name(call.scope), " reach the call");
}

}  // namespace tilewright::dispatch
