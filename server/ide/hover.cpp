#include "server/ide/hover.h"

#include <algorithm>

#include "server/ide/call_words.h"
#include "server/ide/hover_parts.h"
#include "server/ide/names.h"
#include "server/ide/run_findings.h"
#include "server/ide/subject.h"
#include "server/work/checked.h"

namespace tilewright::ide {

std::string first_lines(std::string_view text, std::size_t count) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t at = 0;
  for (std::size_t n = 0; n < count; ++n) {
    at = text.find('\n', at);
    if (at == text.npos) return std::string(text);
    ++at;
  }
  auto more = std::ranges::count(text.substr(at), '\n') + 1;
  if (more == 1) return std::string(text);
  return std::string(text.substr(0, at)) + "... " + std::to_string(more) + " more lines";
}

namespace {

// What an entry's kernel needs and holds.
void hover_kernel(HoverBlocks& out, const Query& q, const session::Analysis& analysis, const Found& found,
                  const Subject& subject) {
  text::Span name{found.statement->node->id, subject.def->name.at.begin, subject.def->name.at.end};
  const session::Compiled& c = analysis.first();
  const text::Anchors& anchors = c.evaluation->anchors;
  text::Anchors::Place wanted = anchors.resolve(name);
  const session::CompiledKernel* kernel = nullptr;
  std::size_t entries = 0;
  for (const session::CompiledKernel& k : c.kernels) {
    text::Anchors::Place at = anchors.resolve(k.value->kernel.span);
    if (at.source != wanted.source || at.begin != wanted.begin) continue;
    if (!kernel) kernel = &k;
    ++entries;
  }
  if (!kernel) return;
  std::string text = "entry " + kernel->entry->expression;
  if (entries > 1) text += ", the first of " + std::to_string(entries);
  text += "\n";
  if (kernel->lowered) {
    const lower::LaunchPlan& plan = kernel->lowered->plan;
    auto three = [](const std::array<ir::Expr, 3>& e) {
      std::string out;
      for (ir::Expr x : e) out += (out.empty() ? "" : " x ") + (x ? ir::to_string(x) : std::string("1"));
      return out;
    };
    text += "grid " + three(plan.launch.grid) + ", block " + three(plan.launch.block);
    if (plan.launch.has_cluster) text += ", cluster " + three(plan.launch.cluster);
    text += "\nshared memory " + grouped(plan.static_shared_bytes) + " bytes static, " +
            grouped(plan.dynamic_shared_bytes) + " dynamic\n";
  }
  text += work::NotChecked{}.words + "\n";
  out.code("text", text);
  hover_time(out, q, *kernel, anchors, std::nullopt);
  std::vector<std::pair<std::string, ViewName>> links;
  for (ViewKind kind : view_kinds()) {
    links.emplace_back(view_kind_name(kind), view_of(kind, *kernel, q.snapshot->path()));
  }
  out.links(std::move(links));
}

// Code that no entry reaches: what names lead to says what it is.
void hover_defined(HoverBlocks& out, const Query& q, std::uint32_t offset) {
  Names names(q, Names::Aliases::SameThing);
  auto meaning = names.at(q.snapshot, offset);
  if (!meaning || !meaning->symbol) return;
  const session::Symbol& s = *meaning->symbol;
  const bool made_here = s.kind != session::SymbolKind::Parameter && s.kind != session::SymbolKind::Import;
  auto* function = made_here ? syntax::as<syntax::FunctionDef>(s.node) : nullptr;
  auto* type = made_here ? syntax::as<syntax::ClassDef>(s.node) : nullptr;
  const auto& statements = meaning->script->symbols().tree->statements();
  if (function && s.statement < statements.size()) {
    const syntax::ClassDef* around = class_around(meaning->script->symbols(), s);
    hover_function(out, *function, statements[s.statement].node->text,
                   around ? "Method of " + std::string(around->name.text) + "." : std::string());
  } else if (type) {
    out.title("class " + std::string(type->name.text));
    out.said(docstring(type->body));
  } else if (auto of = names.type_at(q.snapshot, offset)) {
    auto* cls = syntax::as<syntax::ClassDef>(of->symbol->node);
    out.title(s.name, of->symbol->name);
    if (cls) out.said(docstring(cls->body));
  }
}

bool imports_dialect(const syntax::Node* statement) {
  auto of_dialect = [](std::string_view module) { return module == "tvm" || module.starts_with("tvm."); };
  if (auto* from = syntax::as<syntax::ImportFrom>(statement)) return from->level == 0 && of_dialect(from->module);
  auto* import = syntax::as<syntax::Import>(statement);
  return import && std::ranges::any_of(import->names, of_dialect, &syntax::ImportedName::name);
}

}  // namespace

Answer<std::optional<Hover>> hover(const Query& q, std::uint32_t offset) {
  Found found = look(*q.snapshot->tree(), offset);
  if (!found.innermost()) return std::nullopt;
  auto analysis = q.analysis();
  if (!analysis) return cancelled();
  HoverBlocks out;
  const bool import = imports_dialect(found.statement->node->statement);
  auto answer = [&](std::uint32_t begin, std::uint32_t end) -> Answer<std::optional<Hover>> {
    if (import) out.words("Dialect " + analysis->first().evaluation->dialect.words() + ".");
    if (out.empty()) return std::nullopt;
    if (q.runs)
      for (std::string& cost : q.runs->costs(*q.snapshot, q.snapshot->source().position(offset).line))
        out.words(std::move(cost) + ".");
    return Hover{std::move(out).take(), {begin, end}};
  };

  const syntax::Call* call = called(found);
  if (!call && found.innermost()->kind == syntax::NodeKind::Call) call = syntax::as<syntax::Call>(found.innermost());
  if (call) {
    auto calls = calls_in(*analysis, q.snapshot->source(), found.begin(call), found.end(call));
    std::erase_if(calls, [&](const EvaluatedCall& c) {
      text::Anchors::Place at = c.anchors().resolve(c.report->call->origin.span);
      return at.begin != found.begin(call) || at.end != found.end(call);
    });
    if (!calls.empty()) {
      hover_call(out, q, calls);
      // A range that the position is not in would put the hover somewhere else.
      bool on_name = found.begin(call->function) <= offset && offset <= found.end(call->function);
      const syntax::Node* shown = on_name ? call->function : call;
      return answer(found.begin(shown), found.end(shown));
    }
  }
  auto subject = subject_of(found, offset);
  if (!subject && import) return answer(found.begin(found.path.front()), found.end(found.path.front()));
  if (!subject) return std::nullopt;
  if (subject->def) {
    hover_function(out, *subject->def, found.statement->node->text, {});
    hover_kernel(out, q, *analysis, found, *subject);
    return answer(subject->begin, subject->end);
  }
  for (const syntax::Node* node : {subject->value, subject->otherwise}) {
    if (!node) continue;
    auto probed = q.snapshot->probe(node, *found.statement->node, q.stop);
    if (q.stop.stop_requested()) return cancelled();
    std::vector<script::Value> values = probed->probe.values;
    // A name of the module has its value there, whether or not it is read again.
    if (subject->of_module && values.empty()) {
      if (auto* binding = probed->evaluation->module->find(subject->name)) values.push_back(binding->value);
    }
    for (script::Value v : values) {
      if (hover_value(out, {subject->name, probed.get(), analysis.get()}, v)) {
        return answer(subject->begin, subject->end);
      }
    }
  }
  // Code that no entry reaches: intrinsics are known by their name.
  if (std::size_t dot = subject->name.find('.'); dot != std::string::npos) {
    std::string_view path = std::string_view(subject->name).substr(dot + 1);
    hover_intrinsic(out, q.snapshot->surface().dialect(), path);
    if (out.empty() && path.find('.') == path.npos) hover_documented(out, q.snapshot->surface(), path, subject->name);
  }
  if (out.empty()) hover_defined(out, q, offset);
  return answer(subject->begin, subject->end);
}

}  // namespace tilewright::ide
