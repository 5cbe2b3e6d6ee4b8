#include "compiler/dispatch/dispatcher.h"

#include <algorithm>
#include <map>

#include "compiler/dispatch/advice.h"
#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/copy_regions.h"
#include "compiler/dispatch/overruns.h"
#include "compiler/dispatch/variant.h"
#include "compiler/dispatch/words.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/primitive.h"
#include "compiler/scope/codes.h"
#include "compiler/scope/tracker.h"
#include "compiler/text/nearest.h"

namespace tilewright::dispatch {
namespace {

using ir::Stmt;
using text::Severity;

text::Diagnostic diagnostic(std::string_view code, Severity severity, std::string message, const ir::Origin& at) {
  text::Diagnostic d;
  d.code = code;
  d.severity = severity;
  d.message = std::move(message);
  d.span = at.span;
  d.chain = ir::call_chain(at.chain);
  return d;
}

// The reasons of the predicates that do not hold, each once; all are asked.
struct Refusal {
  std::string_view predicate;
  Reason reason;
};
std::optional<Refusal> refusal(const Variant& variant, CallContext& context) {
  std::optional<Refusal> out;
  for (const Predicate& p : variant.predicates) {
    Reason r = p.test(context);
    if (r.empty()) continue;
    if (out) {
      if (out->reason.find(r) == std::string::npos) out->reason += cat("; ", r);
    } else {
      out = Refusal{p.name, std::move(r)};
    }
  }
  return out;
}

constexpr std::size_t kMostRelated = 8;  // places that one finding names

class Dispatcher {
 public:
  Dispatcher(const ir::Kernel& kernel, const text::Context& context, Dispatched& out)
      : kernel_(kernel),
        context_(context),
        out_(out),
        closure_(scope::close_scope_ids(kernel, context)),
        body_(closure_.failed ? kernel.body : scope::with_closed_ranges(kernel, closure_, *out.layouts)),
        shared_(closure_, kernel),
        tracker_(closure_, body_) {}

  void run() {
    out_.launch = closure_.launch;
    if (closure_.failed) {
      out_.failed = true;
      out_.body = kernel_.body;
      out_.scope_ids = shared_.scope_ids();
      return;
    }
    out_.body = visit(body_);
    for (text::Diagnostic& d : held_) context_.report(std::move(d));
    if (!allocations_.empty() || !init_.empty()) out_.body = with_prologue(out_.body);
    out_.scope_ids = shared_.scope_ids();
    if (!context_.stop.stop_requested()) report_overruns(body_, closure_, out_.calls, shared_.dialect(), context_);
  }

 private:
  // ---- the walk: returns the same node where nothing below it changed -------------------------------------------

  const Stmt* visit(const Stmt* s) {
    if (!s || context_.stop.stop_requested()) return s;
    block_ = nullptr;
    switch (s->kind) {
      case ir::StmtKind::Seq: return visit_seq(static_cast<const ir::Seq*>(s));
      case ir::StmtKind::If: return visit_if(static_cast<const ir::If*>(s));
      case ir::StmtKind::For: {
        const auto* loop = static_cast<const ir::For*>(s);
        auto mark = tracker_.mark();
        tracker_.enter_loop(loop);
        const Stmt* body = visit(loop->body);
        tracker_.restore(mark);
        if (body == loop->body) return s;
        auto* copy = Arena::current().make<ir::For>(*loop);
        copy->body = body;
        return copy;
      }
      case ir::StmtKind::While: {
        const auto* loop = static_cast<const ir::While*>(s);
        auto mark = tracker_.mark();
        tracker_.enter_loop(loop);
        const Stmt* body = visit(loop->body);
        tracker_.restore(mark);
        if (body == loop->body) return s;
        auto* copy = Arena::current().make<ir::While>(*loop);
        copy->body = body;
        return copy;
      }
      case ir::StmtKind::Attr: {
        const auto* attr = static_cast<const ir::Attr*>(s);
        if (!attr->body) return s;
        auto mark = tracker_.mark();
        const Stmt* body = visit(attr->body);
        tracker_.restore(mark);
        if (body == attr->body) return s;
        auto* copy = Arena::current().make<ir::Attr>(*attr);
        copy->body = body;
        return copy;
      }
      case ir::StmtKind::TileCall: {
        std::vector<const Stmt*> statements;
        serve(static_cast<const ir::TileCall*>(s), statements);
        return ir::make_seq(s->origin, statements);
      }
      default: tracker_.seen(s); return s;
    }
  }

  const Stmt* visit_seq(const ir::Seq* seq) {
    std::vector<const Stmt*> statements;
    statements.reserve(seq->body.size() + 8);
    bool changed = false;
    for (const Stmt* child : seq->body) {
      block_ = seq;
      if (const auto* call = ir::as<ir::TileCall>(child)) {
        serve(call, statements);
        changed |= statements.back() != child;
        continue;
      }
      const Stmt* now = visit(child);
      changed |= now != child;
      statements.push_back(now);
    }
    return changed ? ir::make_stmt<ir::Seq>(seq->origin, Arena::current().copy(statements)) : seq;
  }

  const Stmt* visit_if(const ir::If* s) {
    auto mark = tracker_.mark();
    tracker_.enter_then(s);
    const Stmt* then_body = visit(s->then_body);
    tracker_.restore(mark);
    const Stmt* else_body = nullptr;
    if (s->else_body) {
      tracker_.enter_else(s);
      else_body = visit(s->else_body);
      tracker_.restore(mark);
    }
    tracker_.after(s);
    if (then_body == s->then_body && else_body == s->else_body) return s;
    return ir::make_stmt<ir::If>(s->origin, s->condition, then_body, else_body);
  }

  // Allocations and initial statements that variants asked for, at the start of the device part.
  const Stmt* with_prologue(const Stmt* body) {
    std::vector<const Stmt*> statements;
    auto prologue = [&] {
      for (const ir::Buffer* b : allocations_) statements.push_back(ir::make_stmt<ir::Alloc>(ir::Origin{}, b));
      statements.insert(statements.end(), init_.begin(), init_.end());
    };
    bool done = false;
    if (const auto* seq = ir::as<ir::Seq>(body)) {
      for (const Stmt* child : seq->body) {
        statements.push_back(child);
        if (!done && child->kind == ir::StmtKind::DeviceEntry) {
          prologue();
          done = true;
        }
      }
    } else {
      statements.push_back(body);
    }
    if (!done) {
      std::vector<const Stmt*> rest = std::move(statements);
      statements.clear();
      prologue();
      statements.insert(statements.end(), rest.begin(), rest.end());
    }
    return ir::make_seq(body->origin, statements);
  }

  // ---- one call -------------------------------------------------------------------------------------------------

  void serve(const ir::TileCall* call, std::vector<const Stmt*>& statements) {
    CallReport& report = out_.calls.emplace_back();
    report.call = call;
    report.scope = tracker_.at_call(call->scope);
    choose(*call, report);
    if (!report.body) {
      out_.failed = true;
      statements.push_back(call);
      return;
    }
    statements.push_back(
        ir::make_stmt<ir::Comment>(call->origin, Arena::current().copy(std::string_view(report.summary))));
    // A block of the body's own opens no new scope of names: lowering makes names unique.
    if (const auto* seq = ir::as<ir::Seq>(report.body)) {
      statements.insert(statements.end(), seq->body.begin(), seq->body.end());
    } else {
      statements.push_back(report.body);
    }
  }

  void choose(const ir::TileCall& call, CallReport& report) {
    std::span<const Variant> variants = variants_of(call.primitive, shared_.dialect());
    if (variants.empty()) {
      fail(call, code::kNoVariants, cat(call.primitive, " has no registered variants for target cuda"), "");
      return;
    }
    if (Reason unequal = unequal_regions(call, shared_.dialect()); !unequal.empty()) {
      text::Diagnostic d = diagnostic(code::kUnequalRegions, Severity::Error, std::move(unequal), call.origin);
      d.hint = "copy between views of one shape: index the dimensions that one side lacks";
      context_.report(std::move(d));
      return;
    }
    std::optional<text::Diagnostic> misspelt = check_options(call);
    if (!call.dispatch.empty() && std::ranges::none_of(variants, [&](auto& v) { return v.name == call.dispatch; })) {
      unknown_variant(call, variants);
      return;
    }
    if (!report.scope.tracked && !untracked_noted_) {
      untracked_noted_ = true;
      context_.report(
          diagnostic(scope::code::kUntracked, Severity::Warning,
                     "the number of threads of the CTA is not a constant, so the threads that reach a call are unknown",
                     call.origin));
    }
    CallContext context(shared_, call, report.scope);
    const Variant* chosen = nullptr;
    for (const Variant& variant : variants) {
      if (!call.dispatch.empty() && variant.name != call.dispatch) continue;
      Trial& trial = report.trials.emplace_back(Trial{.variant = variant.name, .priority = variant.priority});
      std::optional<Refusal> refused = refusal(variant, context);
      if (refused) {
        trial.predicate = refused->predicate;
        trial.reason = std::move(refused->reason);
      }
      if (chosen) {
        trial.outcome = Outcome::NotTried;
        if (!refused) trial.reason = preferred_over(*chosen, variant);
        continue;
      }
      if (refused) {
        trial.outcome = Outcome::Rejected;
        continue;
      }
      Planned plan = variant.plan(context);
      if (!plan) {
        trial.outcome = Outcome::Declined;
        trial.reason = std::move(plan.error().reason);
        context.journal = {};
        continue;
      }
      trial.outcome = Outcome::Chosen;
      chosen = &variant;
      accept(call, report, variant, std::move(*plan), context);
      context.journal = {};
    }
    report.lacks_instruction = context.lacks_instruction;
    if (misspelt) {
      // Whatever the call lacks, it is said where it was meant to be given.
      if (!chosen) misspelt->severity = Severity::Error;
      context_.report(std::move(*misspelt));
    } else if (!chosen) {
      not_served(call, report, context);
    } else if (call.dispatch.empty()) {
      warn_idle_options(call, report, *chosen);
    }
  }

  // The kernel's parameter that a tensor looks at: the host knows no views.
  const ir::Buffer* parameter_of(const ir::Buffer* tensor) const {
    for (const ir::Param& p : kernel_.params) {
      if (p.buffer && p.buffer->data == tensor->data) return p.buffer;
    }
    return tensor;
  }

  static Reason preferred_over(const Variant& chosen, const Variant& other) {
    if (chosen.priority > other.priority) {
      return cat("would serve; ", chosen.name, " is preferred (priority ", chosen.priority, " over ", other.priority,
                 ")");
    }
    return cat("may serve; ", chosen.name, " is asked first");
  }

  void accept(const ir::TileCall& call, CallReport& report, const Variant& variant, Plan plan, CallContext& context) {
    const Journal& journal = context.journal;
    report.variant = variant.name;
    report.body = plan.body;
    report.facts = std::move(plan.facts);
    report.constants = std::move(plan.constants);
    report.summary = std::move(plan.summary);
    shared_.commit(journal);
    allocations_.insert(allocations_.end(), journal.allocations.begin(), journal.allocations.end());
    init_.insert(init_.end(), journal.device_init.begin(), journal.device_init.end());
    for (TensorMap map : journal.tensor_maps) {
      map.tensor = parameter_of(map.tensor);
      out_.tensor_maps.push_back(std::move(map));
    }
    ir::walk_stmts(plan.body, [&](const Stmt* s) {
      if (s->kind == ir::StmtKind::TileCall) {
        fail(call, code::kNested, cat("variant ", variant.name, " emitted a tile primitive"), "");
        report.body = nullptr;
      }
      return true;
    });
    if (!plan.caution.empty()) warn_caution(call, report, context, std::move(plan.caution));
    for (Remark& remark : plan.remarks) {
      text::Diagnostic d = diagnostic(remark.code, Severity::Warning, std::move(remark.message), call.origin);
      d.hint = std::move(remark.hint);
      context_.report(std::move(d));
    }
    if (variant.single_thread) warn_many_threads(call, report);
    note_uniformity(call, report);
  }

  // ---- diagnostics ----------------------------------------------------------------------------------------------

  void fail(const ir::TileCall& call, std::string_view code, std::string message, std::string hint) {
    text::Diagnostic d = diagnostic(code, Severity::Error, std::move(message), call.origin);
    d.hint = std::move(hint);
    context_.report(std::move(d));
  }

  void not_served(const ir::TileCall& call, const CallReport& report, CallContext& context) {
    // An impossible split is the cause, whatever the variants made of it (N9).
    if (!report.scope.failure.empty()) {
      fail(call, scope::code::kCrossesWarpgroup, report.scope.failure,
           "guard the call with warpgroup_id, or use warp or cta scope");
      return;
    }
    std::vector<ReasonRow> rows = reason_rows(report, context);
    const std::optional<std::size_t> at_fault = operand_at_fault(rows, context, body_);
    text::Diagnostic d = diagnostic(
        code::kNotServed, Severity::Error,
        cat("no variant of ", call.primitive, " serves this call at ", ir::exec_scope_name(call.scope), " scope"),
        call.origin);
    d.message += rows.size() == 1 && call.dispatch.empty() ? cat(": ", rows[0].reason) : in_a_table(rows);
    d.hint = way_out(call, report, context, rows, at_fault);
    if (at_fault) {
      const ir::Operand& operand = call.args[*at_fault];
      if (operand.span) d.span = operand.span;
      const ir::Buffer* b = operand.region.buffer;
      if (b && b->span) d.related.push_back({b->span, cat(ir::spoken_name(*b), " is declared here")});
      // A buffer of the wrong type meets others again and again: that is one cause.
      if (b && rows.size() == 1 && rows[0].of_call && wrong_type(context)) {
        auto [said, fresh] = wrong_types_.try_emplace(b, held_.size());
        if (!fresh) {
          held_[said->second].related.push_back({call.origin.span, cat("and this ", call.primitive, " meets it, too")});
          return;
        }
        held_.push_back(std::move(d));
        return;
      }
    }
    context_.report(std::move(d));
  }

  // The variant that would serve the call if `dispatch=` did not name another one. Null: none would.
  const Variant* unforced(const ir::TileCall& call, CallContext& context) {
    for (const Variant& variant : variants_of(call.primitive, shared_.dialect())) {
      if (variant.name == call.dispatch || refusal(variant, context)) continue;
      bool serves = variant.plan(context).has_value();
      context.journal = {};
      if (serves) return &variant;
    }
    return nullptr;
  }

  std::string way_out(const ir::TileCall& call, const CallReport& report, CallContext& context,
                      const std::vector<ReasonRow>& rows, std::optional<std::size_t> at_fault) {
    if (const scope::Inexact* condition = scope::dividing_condition(report.scope)) {
      return cat("let all threads of the ", ir::exec_scope_name(call.scope), " reach the call: move it out of `if ",
                 condition->term, "`");
    }
    if (!call.dispatch.empty()) {
      if (std::string way = another_way(context, tracker_.set()); !way.empty()) return way;
      const Variant* other = unforced(call, context);
      return other ? cat("without dispatch=\"", call.dispatch, "\" it is served by ", other->name) : std::string();
    }
    if (call.scope == ir::ExecScope::Cluster) return cat("call it at cta scope in each CTA: Tx.cta.", call.primitive);
    if (std::string fix = fix_hint(rows, context, at_fault); !fix.empty()) return fix;
    return another_way(context, tracker_.set());
  }

  // The keywords of a primitive that a variant reads.
  std::string known_options(std::string_view primitive) const {
    std::string names;
    const ir::Primitive* row = ir::find_primitive(primitive);
    for (const ir::PrimitiveKeyword& k : row ? std::span(row->keywords) : std::span<const ir::PrimitiveKeyword>()) {
      if (!readers_of(primitive, k.name, shared_.dialect()).empty()) names += cat(names.empty() ? "" : ", ", k.name);
    }
    return names;
  }

  // Options of other libraries' reductions, which no release knows: the call would mean something else. Returns what
  // the axes are called here; empty: the option is none of those.
  static std::string_view reduced_axes(const ir::TileCall& call, std::string_view key) {
    constexpr std::string_view kMeant[] = {"dim", "dims", "axis", "keepdim", "keepdims"};
    const ir::Primitive* row = ir::find_primitive(call.primitive);
    if (!row || std::ranges::find(kMeant, key) == std::end(kMeant)) return {};
    for (const ir::PrimitiveOperand& o : row->operands) {
      if (o.kind == ir::OperandKind::Axes) return o.name;
    }
    return {};
  }

  // Reports options that no variant reads. One that is nearly the name of another is not reported but answered: it says
  // what is wrong with the call.
  std::optional<text::Diagnostic> check_options(const ir::TileCall& call) {
    std::optional<text::Diagnostic> misspelt;
    for (const ir::ConfigItem& item : call.config) {
      if (!readers_of(call.primitive, item.key, shared_.dialect()).empty()) continue;
      std::string names = known_options(call.primitive);
      text::Diagnostic d = diagnostic(code::kUnknownOption, Severity::Warning,
                                      cat(call.primitive, " has no option `", item.key, "`"), call.origin);
      if (text::Span at = item.key_span ? item.key_span : item.value.span) d.span = at;
      if (std::string_view axes = reduced_axes(call, item.key); !axes.empty()) {
        d.severity = Severity::Error;
        const bool keeps = item.key.starts_with("keep");
        d.message = cat(call.primitive, " has no option `", item.key, "`: ",
                        keeps ? std::string("the shape of its destination tells what is kept")
                              : cat("without ", axes, "= it takes the last axis"));
        d.hint = keeps ? std::string("leave it out") : cat("write ", axes, "=");
        if (!keeps && item.key_span) d.fix = {text::Fix::Kind::Replace, cat("Replace by ", axes), std::string(axes)};
        context_.report(std::move(d));
        continue;
      }
      d.hint = names.empty() ? cat(call.primitive, " takes no options") : cat("it knows ", names);
      std::string meant(nearest_keyword(call, item.key));
      if (!meant.empty()) {
        d.hint = names.empty() ? cat("did you mean ", meant, "=?") : cat("did you mean ", meant, "=? ", d.hint);
        if (item.key_span) d.fix = {text::Fix::Kind::Replace, cat("Replace by ", meant), meant};
        if (!misspelt) {
          misspelt = std::move(d);
          continue;
        }
      }
      context_.report(std::move(d));
    }
    return misspelt;
  }

  // The keyword of a call of the primitive that `key` was meant to be; empty: none is near.
  std::string_view nearest_keyword(const ir::TileCall& call, std::string_view key) const {
    text::Nearest nearest(key, text::Nearest::Among::Few);
    const ir::Primitive* row = ir::find_primitive(call.primitive);
    for (const ir::PrimitiveKeyword& k : row ? std::span(row->keywords) : std::span<const ir::PrimitiveKeyword>()) {
      const bool given =
          std::ranges::any_of(call.config, [&](const ir::ConfigItem& item) { return item.key == k.name; });
      if (!given && !readers_of(call.primitive, k.name, shared_.dialect()).empty()) nearest.consider(k.name);
    }
    if (call.dispatch.empty()) nearest.consider("dispatch");
    // An operand with a default stands among the arguments, whether or not it was written.
    for (std::size_t i = 0; row && i < row->operands.size(); ++i)
      if (i >= call.args.size() || !row->operands[i].required()) nearest.consider(row->operands[i].name);
    return nearest.found();
  }

  void unknown_variant(const ir::TileCall& call, std::span<const Variant> variants) {
    text::Diagnostic d =
        diagnostic(code::kUnknownVariant, Severity::Error,
                   cat("no variant named '", call.dispatch, "' is registered for ", call.primitive), call.origin);
    text::Nearest nearest(call.dispatch, text::Nearest::Among::Few);
    for (const Variant& v : variants) {
      d.hint += cat(d.hint.empty() ? cat(call.primitive, " has ") : ", ", v.name);
      nearest.consider(v.name);
    }
    if (call.dispatch_span) d.span = call.dispatch_span;
    std::string meant(nearest.found());
    for (const Variant& v : variants)  // "tma" of 0.25 is "tma_auto" later
      if (meant.empty() && v.name.starts_with(call.dispatch) && v.name.substr(call.dispatch.size()).starts_with('_'))
        meant = v.name;
    if (!meant.empty()) {
      d.hint = cat("did you mean \"", meant, "\"? ", d.hint);
      if (call.dispatch_span) d.fix = {text::Fix::Kind::Replace, cat("Replace by ", meant), cat("\"", meant, "\"")};
    }
    context_.report(std::move(d));
  }

  // X1: the author who writes an option means a variant that reads it.
  void warn_idle_options(const ir::TileCall& call, const CallReport& report, const Variant& chosen) {
    for (const ir::ConfigItem& item : call.config) {
      if (!ir::is_given(item.value)) continue;
      std::vector<std::string_view> readers = readers_of(call.primitive, item.key, shared_.dialect());
      if (readers.empty() || std::ranges::find(readers, chosen.name) != readers.end()) continue;
      // Those that could serve the call, as far as their predicates tell.
      auto refused = [&](std::string_view v) {
        auto t = std::ranges::find(report.trials, v, &Trial::variant);
        return t != report.trials.end() && !t->predicate.empty();
      };
      if (!std::ranges::all_of(readers, refused)) std::erase_if(readers, refused);
      std::string names;
      for (std::string_view r : readers) names += cat(names.empty() ? "" : " or ", "dispatch=\"", r, "\"");
      text::Diagnostic d = diagnostic(code::kIdleOption, Severity::Warning,
                                      cat("`", item.key, "` has no effect: ", chosen.name, " was chosen (priority ",
                                          chosen.priority, ") and does not read it"),
                                      call.origin);
      if (item.value.span) d.span = item.value.span;
      d.hint = cat("write ", names, " for the variant that does");
      context_.report(std::move(d));
    }
  }

  void warn_caution(const ir::TileCall& call, const CallReport& report, CallContext& context, std::string caution) {
    text::Diagnostic d = diagnostic(code::kFallback, Severity::Warning, std::move(caution), call.origin);
    d.hint = another_way(context, tracker_.set());
    if (d.hint.empty()) d.hint = in_one_line(reason_rows(report, context));
    context_.report(std::move(d));
  }

  // N10: keep accepting, but say so; once for the calls of one block, which lack one guard.
  // Each warp's thread works on its own tile: some region starts where the warp says.
  static bool names_its_warp(const ir::TileCall& call) {
    bool found = false;
    for (const ir::Operand& operand : call.args) {
      for (const ir::Range& range : operand.region.ranges) {
        ir::walk(range.min, [&](ir::Expr e) {
          const auto* v = e.as<ir::Var>();
          found =
              found || (v && (v->scope_id == ir::ScopeBinding::CtaWarp || v->scope_id == ir::ScopeBinding::CtaThread ||
                              v->scope_id == ir::ScopeBinding::WarpgroupWarp));
          return !found;
        });
      }
    }
    return found;
  }

  void warn_many_threads(const ir::TileCall& call, const CallReport& report) {
    std::int64_t threads = 1;
    for (scope::ActiveAxis axis : {scope::ActiveAxis::laneid, scope::ActiveAxis::warpid}) {
      if (const scope::ActiveRange* r = scope::find(report.scope.inter, axis)) threads *= r->extent;
    }
    if (call.scope != ir::ExecScope::Thread || threads <= 1 || tracker_.may_lack_threads()) return;
    const scope::ActiveRange* lanes = scope::find(report.scope.inter, scope::ActiveAxis::laneid);
    if (lanes && lanes->extent == 1 && names_its_warp(call)) return;
    if (block_ && unguarded_.block == block_ && unguarded_.threads == threads) {
      text::Diagnostic& first = held_[unguarded_.said];
      const bool again = first.span == call.origin.span;  // of a helper that is called twice
      if (!again && first.related.size() < kMostRelated) {
        first.related.push_back({call.origin.span, "and this call lacks the same guard"});
      }
      return;
    }
    text::Diagnostic d =
        diagnostic(code::kManyThreads, Severity::Warning,
                   cat(threads, " threads of the CTA reach this call, and each of them issues it"), call.origin);
    d.hint = intrinsics::say("guard it with `if {elect}():` or a test of thread_id"_row_text, shared_.dialect());
    d.fix = {text::Fix::Kind::OneLane, "Guard with one elected lane"};
    unguarded_ = {block_, threads, held_.size()};
    held_.push_back(std::move(d));
  }

  // N11: a cooperative body stands although a condition on the way is not known to be uniform. Said once a condition.
  void note_uniformity(const ir::TileCall& call, const CallReport& report) {
    if (call.scope == ir::ExecScope::Thread) return;
    for (const scope::Inexact& condition : report.scope.inexact) {
      if (!scope::may_divide(condition, call.scope)) continue;
      if (std::ranges::find(noted_, condition.span) != noted_.end()) continue;
      noted_.push_back(condition.span);
      text::Diagnostic d =
          diagnostic(scope::code::kAssumedUniform, Severity::Information,
                     cat("`", condition.term, "` is taken to be the same in all threads of a ",
                         ir::exec_scope_name(call.scope), ", which ", call.primitive, " inside relies on"),
                     call.origin);
      d.related.push_back({call.origin.span, cat("the ", call.primitive, " that relies on it")});
      if (condition.span) {
        d.span = condition.span;
        d.chain.clear();
      }
      context_.report(std::move(d));
    }
  }

  const ir::Kernel& kernel_;
  const text::Context& context_;
  Dispatched& out_;
  scope::Closure closure_;
  const Stmt* body_;  // as the closure leaves it
  KernelContext shared_;
  scope::Tracker tracker_;
  std::vector<const ir::Buffer*> allocations_;
  std::vector<const Stmt*> init_;
  std::vector<text::Span> noted_;
  // The last call that several threads reach and one should: where it is said, and how many threads.
  struct Unguarded {
    const ir::Seq* block = nullptr;
    std::int64_t threads = 0;
    std::size_t said = 0;  // of held_
  };
  Unguarded unguarded_;
  const ir::Seq* block_ = nullptr;      // around the statement that is looked at
  std::vector<text::Diagnostic> held_;  // until every call has been seen that they are about
  std::map<const ir::Buffer*, std::size_t> wrong_types_;
  bool untracked_noted_ = false;
};

}  // namespace

Dispatched dispatch(const ir::Kernel& kernel, const text::Context& context) {
  Dispatched out;
  out.arena = std::make_shared<Arena>();
  out.layouts = std::make_shared<std::deque<layout::Layout>>();
  ArenaScope scope(*out.arena);
  out.kernel = std::make_shared<const ir::Kernel>(kernel);
  Dispatcher(*out.kernel, context, out).run();
  return out;
}

}  // namespace tilewright::dispatch
