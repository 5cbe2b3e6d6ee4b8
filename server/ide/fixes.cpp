#include "server/ide/fixes.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/variant.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ir/primitive.h"
#include "compiler/scope/codes.h"
#include "compiler/text/nearest.h"
#include "server/ide/imports.h"
#include "server/ide/lines.h"
#include "server/ide/look.h"
#include "server/ide/operand_fixes.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

// Python's own names that kernels are written with.
constexpr std::string_view kBuiltins[] = {
    "range", "len",       "min",        "max",       "int",      "float",        "tuple",      "list",
    "dict",  "enumerate", "zip",        "sum",       "abs",      "isinstance",   "print",      "bool",
    "str",   "set",       "type",       "sorted",    "reversed", "any",          "all",        "getattr",
    "map",   "round",     "ValueError", "TypeError", "property", "staticmethod", "classmethod"};

constexpr std::size_t kMostTrials = 10;

// Counts of findings, to compare a script before and after a fix.
struct Weight {
  std::size_t errors = 0, warnings = 0;
  std::size_t here = 0;  // errors and warnings of the lines that an edit changes
  std::size_t like = 0;  // findings as the one that is fixed
  bool quieter = true;   // there are fewer of them than before
};
Weight weigh(const session::Analysis& analysis, const text::Source& source, Stretch lines,
             const text::Diagnostic& finding) {
  Weight w;
  for (const session::Finding& f : analysis.findings) {
    w.like += f.diagnostic->code == finding.code && f.diagnostic->message == finding.message;
    const bool error = f.diagnostic->severity == text::Severity::Error;
    if (!error && f.diagnostic->severity != text::Severity::Warning) continue;
    ++(error ? w.errors : w.warnings);
    text::Anchors::Place at = f.anchors->resolve(f.diagnostic->span);
    if (at.source == &source && at.begin < lines.end && at.end > lines.begin) ++w.here;
  }
  return w;
}

// Makes edits in a copy of the script, and sees what comes of them.
class Trials {
 public:
  // `at`: where the finding stands.
  Trials(const Query& q, const session::Analysis& before, const text::Diagnostic& finding, Stretch at)
      : q_(q), before_(before), finding_(finding), at_(at) {}

  // What is left to say after an edit that fixes the finding and breaks nothing: fewer errors than before, or as many
  // and fewer warnings; and less is said about the lines of the finding and of the edit, or a warning in place of an
  // error. Nothing: it does not.
  std::optional<Weight> fixes(const QuickFix& m) {
    if (tried_++ >= kMostTrials || q_.stop.stop_requested()) return std::nullopt;
    std::string_view text = q_.snapshot->source().text();
    const Stretch lines{line_begin(text, std::min(at_.begin, m.at.begin)), line_end(text, std::max(at_.end, m.at.end))};
    auto script = q_.snapshot->after(m.at.begin, m.at.end, m.text);
    auto now = script->analyse(q_.stop);
    if (!now) return std::nullopt;
    const auto grown = static_cast<std::int64_t>(m.text.size()) - (m.at.end - m.at.begin);
    const Stretch changed{lines.begin, static_cast<std::uint32_t>(lines.end + grown)};
    const Weight was = weigh(before_, q_.snapshot->source(), lines, finding_);
    Weight is = weigh(*now, script->source(), changed, finding_);
    is.quieter = is.here < was.here;
    const bool fails = finding_.severity == text::Severity::Error;
    if (!fails && finding_.severity != text::Severity::Warning) {
      const bool no_worse = is.errors <= was.errors && is.errors + is.warnings <= was.errors + was.warnings;
      return no_worse && is.like < was.like ? std::optional(is) : std::nullopt;
    }
    const bool better =
        fails ? is.errors < was.errors : is.errors <= was.errors && is.errors + is.warnings < was.errors + was.warnings;
    const bool here = is.quieter || (fails && is.here == was.here);  // a warning in place of the error
    return better && here ? std::optional(is) : std::nullopt;
  }

 private:
  const Query& q_;
  const session::Analysis& before_;
  const text::Diagnostic& finding_;
  Stretch at_;
  std::size_t tried_ = 0;
};

// A call of a tile primitive as it is written: "Tx.warp.copy" is the primitive copy of Tx at warp scope.
struct TileCallee {
  std::string root, scope;
  const ir::Primitive* primitive = nullptr;

  std::string at(std::string_view other) const {
    return root + (other.empty() ? "." : "." + std::string(other) + ".") + std::string(primitive->name);
  }
};

constexpr std::string_view kScopes[] = {"", "warp", "wg", "cta", "cluster"};

std::optional<TileCallee> tile_callee(const Query& q, const Call& call, std::uint32_t offset) {
  const std::string written = dotted(call.function);
  std::string name = canonical(*q.snapshot, written, offset);
  for (std::string_view space : {"Tx.", "T.tile.", "T."}) {
    if (!name.starts_with(space)) continue;
    std::string_view rest = std::string_view(name).substr(space.size());
    std::size_t dot = rest.rfind('.');
    TileCallee out{{},
                   dot == rest.npos ? "" : std::string(rest.substr(0, dot)),
                   ir::find_primitive(rest.substr(dot == rest.npos ? 0 : dot + 1), q.snapshot->surface().dialect())};
    if (out.scope == "warpgroup") out.scope = "wg";
    if (out.scope == "thread") out.scope.clear();
    const bool scoped = std::ranges::find(kScopes, out.scope) != std::end(kScopes);
    if (!out.primitive || !scoped || rest.size() > written.size()) return std::nullopt;
    out.root = written.substr(0, written.size() - rest.size() - 1);
    return out;
  }
  return std::nullopt;
}

// Threads of one CTA that reach the call; nothing: not known.
std::optional<std::int64_t> reaching(const dispatch::CallReport& report) {
  if (!report.scope.tracked) return std::nullopt;
  std::int64_t count = 1;
  using enum scope::ActiveAxis;
  for (const scope::Box* box : {&report.scope.inter, &report.scope.intra}) {
    for (const scope::AxisRange& r : *box) {
      const bool threads = r.axis == laneid || r.axis == warpid || r.axis == wid_in_wg || r.axis == wgid;
      if (threads) count *= r.range.extent;
    }
  }
  return count;
}

// The scopes that a call could have, those first whose threads are the ones that reach it.
struct ScopeChoice {
  std::string_view scope;
  bool fits;  // its threads are those that reach the call
};
std::vector<ScopeChoice> scopes_by_threads(std::optional<std::int64_t> active, std::optional<std::int64_t> cta) {
  std::vector<ScopeChoice> first, rest;
  auto sort_in = [&](std::string_view scope, bool fits) { (fits ? first : rest).push_back({scope, fits}); };
  sort_in("cta", active && cta && *active == *cta && *cta > 1);
  sort_in("wg", active == 128);
  sort_in("warp", active == 32);
  sort_in("", active == 1);
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

const Keyword* keyword(const Call& call, std::string_view name) {
  auto it = std::ranges::find_if(call.keywords, [&](const Keyword& k) { return k.name.text == name; });
  return it == call.keywords.end() ? nullptr : &*it;
}

// The bytes of a keyword argument with the comma before it.
std::optional<Stretch> with_comma(std::string_view text, std::uint32_t offset, const Keyword& k) {
  std::uint32_t begin = offset + k.name.at.begin, end = offset + k.value->at.end;
  std::size_t comma = begin ? text.find_last_not_of(" \t\r\n", begin - 1) : text.npos;
  if (comma == text.npos || text[comma] != ',') return std::nullopt;
  return Stretch{static_cast<std::uint32_t>(comma), end};
}

// Nothing but blanks and comments, each on a line of its own?
bool is_quiet(std::string_view text) {
  bool comment = false, fresh = false;
  for (char c : text) {
    if (c == '\n') {
      comment = false;
      fresh = true;
    } else if (c == '#' && fresh) {
      comment = true;
    } else if (!comment && c != ' ' && c != '\t' && c != '\r') {
      return false;
    }
  }
  return true;
}

// With every line but the first, and none that is empty, four columns further in.
std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && (i + 1 == text.size() || (text[i + 1] != '\n' && text[i + 1] != '\r'))) out += "    ";
  }
  return out;
}

// The statements at `calls`, in the order of the text, go below `condition`: neighbours below one, others below one
// each. Nothing where one of them shares its line or stands in another block.
std::optional<QuickFix> guarded(std::string_view text, std::span<const Stretch> calls, std::string title,
                                std::string_view condition) {
  auto indent = [&](Stretch s) { return text.substr(line_begin(text, s.begin), s.begin - line_begin(text, s.begin)); };
  const std::string_view margin = indent(calls.front());
  if (margin.find_first_not_of(" \t") != margin.npos) return std::nullopt;
  std::string out;
  std::uint32_t at = calls.front().begin;
  for (const Stretch& call : calls) {
    if (indent(call) != margin || call.begin < at) return std::nullopt;
    const std::string_view between = text.substr(at, call.begin - at);
    if (!out.empty() && is_quiet(between)) {
      out += indented(between);
    } else {
      out += between;
      out += "if " + std::string(condition) + ":\n" + std::string(margin) + "    ";
    }
    const std::uint32_t end = line_end(text, call.end);
    out += indented(text.substr(call.begin, end - call.begin));
    at = end;
  }
  return QuickFix{std::move(title), {calls.front().begin, at}, std::move(out)};
}

class CallMends {
 public:
  CallMends(const Query& q, const text::Diagnostic& d, Stretch at, const session::Analysis& analysis,
            const Found& found, const Call& call, const TileCallee& callee, const EvaluatedCall* evaluated,
            std::optional<std::int64_t> cta, std::vector<Stretch> others)
      : q_(q),
        d_(d),
        trials_(q, analysis, d, at),
        found_(found),
        call_(call),
        callee_(callee),
        call_report_(evaluated),
        report_(evaluated ? evaluated->report : nullptr),
        cta_(cta),
        others_(std::move(others)) {}

  std::vector<QuickFix> all() {
    using namespace dispatch;
    if (d_.code == code::kIdleOption || d_.code == code::kUnknownOption) {
      options();
    } else if (d_.code == code::kUnknownVariant) {
      let_go();
    } else {
      operands();
      if (out_.empty()) threads();
      if (out_.empty() && d_.code != code::kManyThreads) let_go();
      if (out_.empty() && d_.code != code::kManyThreads) variants();
    }
    if (out_.empty()) out_ = std::move(noisy_);
    if (!out_.empty()) out_.front().preferred = true;
    return std::move(out_);
  }

 private:
  bool enough() const { return out_.size() >= 3; }
  void offer(QuickFix m) {
    if (enough()) return;
    auto left = trials_.fixes(m);
    if (left) (left->quieter ? out_ : noisy_).push_back(std::move(m));
  }

  // Operands that do not fit each other: of several edits the one first that leaves least to say.
  void operands() {
    if (!call_report_ || d_.code != dispatch::code::kNotServed) return;
    std::vector<std::pair<Weight, QuickFix>> good;
    for (QuickFix& m : operand_fixes(q_, found_, call_, *call_report_)) {
      if (auto left = trials_.fixes(m)) good.emplace_back(*left, std::move(m));
    }
    std::ranges::stable_sort(good, {}, [](const auto& g) { return std::pair(g.first.errors, g.first.warnings); });
    for (auto& [weight, one] : good) {
      if (!enough()) out_.push_back(std::move(one));
    }
  }

  // Who calls it: another scope, or one thread alone where that is what the variant wants.
  void threads() {
    const bool who = d_.code == scope::code::kCrossesWarpgroup || d_.code == dispatch::code::kManyThreads ||
                     d_.code == dispatch::code::kNotServed;
    const bool may_guard = who && !(report_ && reaching(*report_) == 1);
    const bool alone = d_.code == dispatch::code::kManyThreads || forced_alone();
    if (may_guard && alone) guards();
    if (out_.empty() || !alone) scopes();
    if (may_guard && !alone && out_.empty()) guards();
  }
  text::Dialect release() const { return q_.snapshot->surface().dialect(); }
  Stretch callee_at() const { return {found_.begin(call_.function), found_.end(call_.function)}; }

  // Does the call name a variant that one thread issues?
  bool forced_alone() const {
    const Keyword* forced = keyword(call_, "dispatch");
    auto* name = forced ? as<StringLit>(forced->value) : nullptr;
    return name &&
           std::ranges::any_of(dispatch::variants_of(callee_.primitive->name, release()),
                               [&](const dispatch::Variant& v) { return v.name == name->value && v.single_thread; });
  }

  void scopes() {
    auto active = report_ ? reaching(*report_) : std::nullopt;
    for (auto [scope, fits] : scopes_by_threads(active, cta_)) {
      if (!fits && !out_.empty()) break;
      // Several threads that each make the whole copy are no way out.
      if (scope == callee_.scope || (scope.empty() && active && *active != 1)) continue;
      const std::string name = callee_.at(scope);
      offer({"Write " + name, callee_at(), name});
    }
  }

  // One thread does it: below an elected lane, or a test of a thread id that the kernel has.
  void guards() {
    std::string_view text = q_.snapshot->source().text();
    const Stretch at = callee_at();
    const std::string name = callee_.at("");
    std::vector<Stretch> calls{{at.begin, found_.end(&call_)}};
    calls.insert(calls.end(), others_.begin(), others_.end());
    std::ranges::sort(calls);
    auto guard = [&](std::string title, const std::string& condition) {
      auto m = guarded(text, calls, std::move(title), condition);
      if (!m) return;
      if (calls.size() == 1) {  // one thread is at no scope of several
        std::size_t callee = m->text.find(text.substr(at.begin, at.end - at.begin), m->text.find('\n'));
        m->text.replace(callee, at.end - at.begin, name);
      }
      offer(std::move(*m));
    };
    const std::string elect = intrinsics::say(intrinsics::row_of("elect"), release()) + "()";
    const std::size_t before = out_.size();
    // Each warp elects a lane: where several get here, a test of the thread says more.
    const bool warps = report_ && reaching(*report_).value_or(0) > 32;
    auto by_thread = [&] {
      std::string tid = variable_with(q_, "T.thread_id", at.begin);
      if (!tid.empty()) guard("Guard with " + tid + " == 0", tid + " == 0");
    };
    if (warps) by_thread();
    if (out_.size() == before) guard("Guard with one elected lane", elect);
    if (out_.size() > before) return;
    if (!warps) by_thread();
    if (std::string warp = variable_with(q_, "T.warp_id", at.begin); !warp.empty() && out_.size() == before) {
      guard("Guard with one elected lane of warp 0", warp + " == 0 and " + elect);
    }
  }

  void let_go() {
    const Keyword* forced = keyword(call_, "dispatch");
    auto at = forced ? with_comma(q_.snapshot->source().text(), found_.statement->offset, *forced) : std::nullopt;
    if (at) offer({"Let the dispatcher choose", *at, ""});
  }

  // `dispatch=` of another variant, as a new keyword or in place of the one that is there.
  void variants() {
    const Keyword* forced = keyword(call_, "dispatch");
    if (!forced) return;
    for (const dispatch::Variant& v : dispatch::variants_of(callee_.primitive->name, release())) {
      force(*forced, v.name);
    }
  }
  void force(const Keyword& forced, std::string_view variant) {
    const std::uint32_t offset = found_.statement->offset;
    offer({"Force the variant " + std::string(variant),
           {offset + forced.value->at.begin, offset + forced.value->at.end},
           "\"" + std::string(variant) + "\""});
  }

  // An option that no variant in question reads: the variant that does, or without it.
  void options() {
    const std::uint32_t offset = found_.statement->offset;
    text::Span span = d_.span;
    for (const Keyword& k : call_.keywords) {
      const bool meant = (span.begin >= k.name.at.begin && span.begin <= k.name.at.end) ||
                         (span.begin >= k.value->at.begin && span.end <= k.value->at.end);
      if (!meant) continue;
      if (!keyword(call_, "dispatch")) {
        for (std::string_view variant : dispatch::readers_of(callee_.primitive->name, k.name.text, release())) {
          const std::uint32_t end = offset + k.value->at.end;
          offer(
              {"Force the variant " + std::string(variant), {end, end}, ", dispatch=\"" + std::string(variant) + "\""});
        }
      }
      if (auto at = with_comma(q_.snapshot->source().text(), offset, k)) {
        offer({"Remove " + std::string(k.name.text), *at, ""});
      }
    }
  }

  const Query& q_;
  const text::Diagnostic& d_;
  Trials trials_;
  const Found& found_;
  const Call& call_;
  const TileCallee& callee_;
  const EvaluatedCall* call_report_;  // null: it is not evaluated
  const dispatch::CallReport* report_;
  std::optional<std::int64_t> cta_;
  std::vector<Stretch> others_;  // calls that lack the same guard
  std::vector<QuickFix> out_;
  std::vector<QuickFix> noisy_;  // after which something milder is said: where nothing is better
};

}  // namespace

std::string variable_with(const Query& q, std::string_view make, std::uint32_t offset) {
  const session::SymbolIndex& index = q.snapshot->symbols();
  for (std::uint32_t scope = index.scope_at(offset); scope != 0; scope = index.scopes[scope].parent) {
    for (const session::Symbol& s : index.symbols) {
      auto* call = s.scope == scope ? as<Call>(s.value) : nullptr;
      if (call && canonical(*q.snapshot, dotted(call->function), offset) == make) return std::string(s.name);
    }
  }
  return {};
}

bool holds(const Query& q, const text::Diagnostic& d, Stretch at, const session::Analysis& analysis,
           const QuickFix& fix) {
  return Trials(q, analysis, d, at).fixes(fix).has_value();
}

static bool is_builtin(std::string_view name) { return std::ranges::find(kBuiltins, name) != std::end(kBuiltins); }

std::vector<QuickFix> name_fixes(const Query& q, Stretch at) {
  std::string_view wrong = q.snapshot->source().text().substr(at.begin, at.end - at.begin);
  std::vector<QuickFix> out = missing_imports(q, wrong, at.begin);
  const session::SymbolIndex& symbols = q.snapshot->symbols();
  // Of several that are as near, the one that nothing uses now, else the one that is used most.
  std::map<std::string_view, std::size_t> seen;
  for (const session::Symbol& s : symbols.symbols) {
    if (s.kind == session::SymbolKind::Builtin || s.name == wrong) continue;
    const session::Symbol* meant = symbols.lookup(s.name, symbols.scope_at(at.begin));
    if (meant == &s) seen[s.name] += s.occurrences.size();
  }
  for (std::string_view name : kBuiltins) seen[name] += 1;
  std::vector<std::pair<std::size_t, std::string_view>> names;
  for (auto [name, uses] : seen) names.emplace_back(uses == 1 && !is_builtin(name) ? ~std::size_t{0} : uses, name);
  std::ranges::sort(names,
                    [](auto& a, auto& b) { return std::pair(b.first, a.second) < std::pair(a.first, b.second); });
  text::Nearest nearest(wrong, text::Nearest::Among::Meant);
  for (auto [uses, name] : names) nearest.consider(name);
  if (std::string name(nearest.found()); !name.empty()) {
    out.push_back({"Replace by " + name, at, name, out.empty()});
  }
  return out;
}

// Calls of the script that a finding about threads names besides its own.
static std::vector<Stretch> named_calls(const Query& q, const text::Diagnostic& d, const session::Analysis& analysis) {
  std::vector<Stretch> out;
  if (d.code != dispatch::code::kManyThreads) return out;
  auto finding = std::ranges::find(analysis.findings, &d, &session::Finding::diagnostic);
  if (finding == analysis.findings.end()) return out;
  for (const text::Related& r : d.related) {
    text::Anchors::Place place = finding->anchors->resolve(r.span);
    if (place.source == &q.snapshot->source()) out.push_back({place.begin, place.end});
  }
  return out;
}

std::vector<QuickFix> target_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                   const session::Analysis& analysis) {
  Trials trials(q, analysis, d, at);
  for (std::string_view name : {std::string_view(d.fix.text), std::string_view("sm_100a"), std::string_view("sm_90a"),
                                std::string_view("sm_120a"), std::string_view("sm_80")}) {
    QuickFix m{"Change to " + std::string(name), at, std::string(name), true};
    if (trials.fixes(m)) return {m};
  }
  return {};
}

std::vector<QuickFix> slice_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                  const session::Analysis& analysis) {
  Found found = look(*q.snapshot->tree(), at.begin);
  const Subscript* subscript = nullptr;
  const Call* around = nullptr;
  for (std::size_t up = 0; const Node* node = found.above(up); ++up) {
    if (auto* s = as<Subscript>(node); s && !subscript) subscript = s;
    if (auto* call = as<Call>(node); call && !around && subscript) around = call;
  }
  if (!subscript) return {};
  std::string_view text = q.snapshot->source().text();
  auto slices_of = [](const Subscript& s) {
    Exprs indices = s.indices;
    if (auto* tuple = indices.size() == 1 ? as<Tuple>(indices[0]) : nullptr) indices = tuple->elements;
    return indices;
  };
  auto written = [&](const Node* n) { return text.substr(found.begin(n), found.end(n) - found.begin(n)); };
  Trials trials(q, analysis, d, at);
  std::vector<QuickFix> out;
  auto offer = [&](const Slice& slice, const std::string& bounds) {
    QuickFix m{"Write " + bounds, {found.begin(&slice), found.end(&slice)}, bounds};
    if (out.empty() && trials.fixes(m)) out.push_back(std::move(m));
  };
  const Exprs mine = slices_of(*subscript);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    auto* slice = as<Slice>(mine[i]);
    if (!slice || slice->step || !slice->stop) continue;
    const std::string lower(slice->start ? written(slice->start) : std::string_view());
    for (const Node* arg : around ? around->args : Exprs()) {
      auto* other = as<Subscript>(arg);
      if (!other || other == subscript) continue;
      const Exprs theirs = slices_of(*other);
      auto* like = i < theirs.size() ? as<Slice>(theirs[i]) : nullptr;
      if (like && like->stop) offer(*slice, lower + ":" + std::string(written(like->stop)));
    }
    offer(*slice, lower + ":");
  }
  if (!out.empty()) out.front().preferred = true;
  return out;
}

std::vector<QuickFix> call_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                 const session::Analysis& analysis) {
  Found found = look(*q.snapshot->tree(), at.begin);
  for (std::size_t up = 0; const Node* node = found.above(up); ++up) {
    auto* call = as<Call>(node);
    if (!call) continue;
    auto callee = tile_callee(q, *call, found.begin(call));
    if (!callee) continue;
    auto calls = calls_in(analysis, q.snapshot->source(), found.begin(call), found.end(call));
    const EvaluatedCall* evaluated = calls.empty() ? nullptr : &calls.front();
    auto threads = calls.empty() || !calls.front().kernel->dispatched
                       ? std::nullopt
                       : calls.front().kernel->dispatched->launch.threads();
    return CallMends(q, d, at, analysis, found, *call, *callee, evaluated, threads, named_calls(q, d, analysis)).all();
  }
  return {};
}

}  // namespace tilewright::ide
