#include "compiler/script/evaluate.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "compiler/script/dialect.h"
#include "compiler/script/dialect_names.h"
#include "compiler/script/entries/finder.h"
#include "compiler/script/entries/unneeded.h"
#include "compiler/script/unbound.h"
#include "compiler/script/undecorated.h"

namespace tilewright::script {

std::string_view entry_kind_name(EntryKind kind) {
  switch (kind) {
    case EntryKind::Module: return "module";
    case EntryKind::Call: return "call";
    case EntryKind::Defaults: return "defaults";
    case EntryKind::Configs: return "configs";
    case EntryKind::Parametrize: return "parametrize";
    case EntryKind::Comment: return "comment";
    case EntryKind::Requested: return "requested";
  }
  return "";
}

namespace {

// What the prelude refuses is the caller's doing: it is reported where the script called, with the prelude's place
// beside.
void lead_out_of_prelude(std::vector<text::Diagnostic>& diagnostics, const text::Anchors& anchors) {
  auto in_prelude = [&](text::Span span) {
    text::Anchors::Place place = anchors.resolve(span);
    return place.source && place.source->path().starts_with("prelude/");
  };
  for (text::Diagnostic& d : diagnostics) {
    if (!in_prelude(d.span)) continue;
    d.related.push_back({d.span, "raised here"});
    while (!d.chain.empty() && in_prelude(d.chain.back())) d.chain.pop_back();
    if (!d.chain.empty()) {
      d.span = d.chain.back();
      d.chain.pop_back();
      continue;
    }
    // Code of a module: the innermost call that the script makes.
    const auto call = std::ranges::find_if(
        d.related, [&](const text::Related& r) { return r.message == "called from here" && !in_prelude(r.span); });
    if (call == d.related.end()) continue;
    d.span = call->span;
    d.related.erase(call);
  }
}

// One cause, one diagnostic: entries that evaluate the same kernel text find the same errors.
void deduplicate(std::vector<text::Diagnostic>& diagnostics, const text::Anchors& anchors) {
  // Places, not anchors: one place may have several (memo.h).
  using Key = std::tuple<std::string_view, const text::Source*, std::uint32_t, std::uint32_t, std::string_view>;
  std::set<Key> seen;
  std::vector<bool> again;
  for (const text::Diagnostic& d : diagnostics) {
    text::Anchors::Place place = anchors.resolve(d.span);
    again.push_back(!seen.insert({d.code, place.source, place.begin, place.end, d.message}).second);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    if (again[i]) continue;
    if (kept != i) diagnostics[kept] = std::move(diagnostics[i]);
    ++kept;
  }
  diagnostics.resize(kept);
}

// What says why a script is read in no release.
text::Diagnostic no_release(const std::vector<DialectPlace>& wrong, const std::shared_ptr<const text::Source>& source,
                            text::Anchors& anchors) {
  auto span = [&](const DialectPlace& p) { return text::Span{anchors.add(source, p.begin), 0, p.end - p.begin}; };
  text::Diagnostic d{code::kDialect, text::Severity::Error, wrong.front().words, span(wrong.front()), {}, {}, {}};
  if (wrong.size() == 1) return d;
  // Names that no release has together.
  d.span = span(wrong.back());
  d.message = wrong.back().words;
  for (std::size_t i = wrong.size() - 1; i-- > 0;) d.message += (i ? ", " : ", and ") + wrong[i].words;
  d.message += wrong.size() == 2 ? ": no release has both" : ": no release has all";
  d.hint = "write all of it in one release, and name that: # tilewright: dialect " +
           std::string(text::kDialects.back().name);
  for (std::size_t i = 0; i + 1 < wrong.size(); ++i) d.related.push_back({span(wrong[i]), wrong[i].words});
  return d;
}

// Where a pin or a setting says one release and a name of the script another, the error at that name, or else the first
// one, names both.
void tell_release(Evaluation& e) {
  if (e.dialect.source != DialectSource::Pin && e.dialect.source != DialectSource::Setting) return;
  auto is_error = [](const text::Diagnostic& d) { return d.severity == text::Severity::Error; };
  auto first = std::ranges::find_if(e.diagnostics, is_error);
  if (first == e.diagnostics.end()) return;
  const auto name = first_of_others(*e.tree, e.dialect.dialect, false);
  if (!name) return;
  auto at_name = [&](const text::Diagnostic& d) {
    const text::Anchors::Place place = e.anchors.resolve(d.span);
    return is_error(d) && place.source == e.tree->source().get() && place.begin < name->end && name->begin < place.end;
  };
  auto there = std::ranges::find_if(e.diagnostics, at_name);
  (there == e.diagnostics.end() ? *first : *there)
      .related.push_back(
          {{e.anchors.add(e.tree->source(), name->begin), 0, name->end - name->begin},
           name->name + " is a name of " + name->releases + ", and the script is read in " + e.dialect.words()});
}

// What the evaluation comes to: its kernels, whatever their order, and its errors.
struct Sum {
  std::multiset<std::string> kernels;
  std::multiset<std::pair<std::string_view, std::string>> errors;
  friend bool operator==(const Sum&, const Sum&) = default;
};

Sum sum_of(const Evaluation& e) {
  Sum out;
  for (const Entry& entry : e.entries)
    for (const KernelValue* k : entry.kernels)
      if (!k->failed) out.kernels.insert(print_script(k->kernel));
  for (const text::Diagnostic& d : e.diagnostics)
    if (d.severity == text::Severity::Error) out.errors.insert({d.code, d.message});
  return out;
}

// The script has walked over a set whose order Python draws: does anything depend on that? In the orders that the
// evaluation is repeated in, each text of a set has another place at least once.
bool depends_on_order(Evaluation& e, Loader* loader, const text::Context& context, const EvaluateOptions& options) {
  const Sum first = sum_of(e);
  for (SetOrder order : {SetOrder::Ascending, SetOrder::Descending, SetOrder::Turned}) {
    EvaluateOptions other = options;
    other.set_order = order;
    other.probe = nullptr;
    other.order_matters = {};
    const std::unique_ptr<Evaluation> again = evaluate(e.tree, loader, context, other);
    if (context.stop.stop_requested()) {
      e.stopped = true;  // it is not known
      return false;
    }
    // A limit that another order meets is a difference, too.
    if (again->stopped || sum_of(*again) != first) return true;
  }
  return false;
}

void judge_drawn_order(Evaluation& e, Loader* loader, const text::Context& context, const EvaluateOptions& options) {
  e.order_matters = options.order_matters.value_or(false) ||
                    (!options.order_matters && depends_on_order(e, loader, context, options));
  if (!e.order_matters) return;
  e.diagnostics.push_back({code::kOpaque,
                           text::Severity::Error,
                           "what is made here depends on the order of a set of texts or objects, which differs from "
                           "one Python process to the next",
                           *e.interpreter().drawn_order(),
                           {},
                           "walk over it in one order: sorted(...), or write a list or a tuple instead of the set",
                           {}});
}

}  // namespace

std::unique_ptr<Evaluation> evaluate(std::shared_ptr<const syntax::Tree> tree, Loader* loader, text::Context context,
                                     const EvaluateOptions& options) {
  auto e = std::make_unique<Evaluation>();
  e->tree = tree;
  ArenaScope arena(e->arena());
  context.diagnostics = &e->diagnostics;
  for (const syntax::SyntaxError& s : tree->errors()) {
    std::uint32_t anchor = e->anchors.add(tree->source(), s.begin);
    e->diagnostics.push_back(
        {code::kSyntax, text::Severity::Error, s.message, {anchor, 0, s.end - s.begin}, {}, {}, {}});
  }
  EvaluateOptions said = options;
  const DialectFound found = find_dialect(*tree, options.dialect, options.dialect_hints, loader);
  if (!found.wrong.empty()) {
    // Nothing of it can be read: what another release means by the same names would be a guess.
    e->diagnostics.push_back(no_release(found.wrong, tree->source(), e->anchors));
    e->interpreter_ = std::make_unique<Interpreter>(context, e->anchors, loader, options, e->store_);
    e->module = e->interpreter_->make<Scope>();
    return e;
  }
  e->dialect = found.choice;
  said.dialect = found.choice.dialect;
  e->interpreter_ = std::make_unique<Interpreter>(context, e->anchors, loader, said, e->store_);
  pass_over_configs(*e->interpreter_, *tree, options.entries);
  e->module = e->interpreter_->modules().run(tree);
  if (e->interpreter_->has_pending()) {
    Pending p = e->interpreter_->take_pending();
    e->diagnostics.push_back(p.diagnostic);
    e->stopped = true;
  }
  if (!e->stopped) EntryFinder(*e, *e->interpreter_, options).run();
  if (!e->stopped) {
    report_unbound(*e);
    report_undecorated(*e);
  }
  const bool is_drawn = e->interpreter_->drawn_order() && options.set_order == SetOrder::Inserted;
  e->walks_drawn_set = is_drawn;
  if (e->interpreter_->reuse().has_conflict() || (is_drawn && options.memo && !options.order_matters)) {
    EvaluateOptions alone = options;
    alone.memo = nullptr;
    return evaluate(std::move(tree), loader, std::move(context), alone);
  }
  if (is_drawn && !e->stopped && !options.probe) judge_drawn_order(*e, loader, context, options);
  lead_out_of_prelude(e->diagnostics, e->anchors);
  deduplicate(e->diagnostics, e->anchors);
  tell_release(*e);
  return e;
}

std::vector<std::string> Evaluation::files() const {
  std::vector<std::string> out{tree->source()->path()};
  for (const std::shared_ptr<const syntax::Tree>& script : interpreter_->modules().trees()) {
    const std::string& path = script->source()->path();
    if (!path.starts_with("prelude/") && script != tree) out.push_back(path);
  }
  return out;
}

ExpressionResult evaluate_expression(std::string_view text, text::Context context) {
  std::string script =
      "from tvm.script import tirx as T\nfrom tvm.tirx.layout import *\n"
      "from tvm.tirx.layout import S, R, TileLayout, SwizzleLayout, ComposeLayout, Iter, Axis, laneid, warpid, wgid, "
      "tid_in_wg, wid_in_wg, tx, bx, by, bz, cbx, cby, cbz, m, TLane, TCol, P, F, Bank, mma_shared_layout, "
      "mma_atom_layout, wg_local_layout, mma_fragment_layout, wgmma_accumulator_layout, wgmma_operand_layout, "
      "tmem_datapath_layout, tcgen05_atom_layout, sf_tmem_layout, SwizzleMode\n"
      "from tvm.tirx.cuda.operator.tile_primitive.gemm_async.tcgen05 import sf_smem_layout\n";
  auto source = std::make_shared<text::Source>("<expression>", script);
  ExpressionResult r;
  r.evaluation = evaluate(syntax::Tree::parse(source), nullptr, std::move(context), {});
  Evaluation& e = *r.evaluation;
  ArenaScope arena(e.arena());
  std::vector<syntax::SyntaxError> errors;
  auto parsed = syntax::parse_expression(text, &errors);
  auto expression_source = std::make_shared<text::Source>("<expression>", std::string(text));
  std::uint32_t anchor = e.anchors.add(expression_source, 0);
  auto* statement = parsed ? syntax::as<syntax::ExprStmt>(parsed->statement) : nullptr;
  if (!errors.empty() || !statement) {
    text::Span span{anchor, errors.empty() ? 0 : errors[0].begin, errors.empty() ? 0 : errors[0].end};
    e.diagnostics.push_back({code::kSyntax,
                             text::Severity::Error,
                             errors.empty() ? "not an expression" : errors[0].message,
                             span,
                             {},
                             {},
                             {}});
    r.value = Value::poison();
    return r;
  }
  r.value = e.interpreter().eval_entry(statement->value, e.module, anchor, parsed);
  if (r.value.is_error()) {
    Pending p = e.interpreter().take_pending();
    e.diagnostics.push_back(p.diagnostic);
    r.value = Value::poison();
  }
  return r;
}

}  // namespace tilewright::script
