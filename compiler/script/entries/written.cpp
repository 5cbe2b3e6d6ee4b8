// Entries that the author named: comments of the script, and what was asked for.
#include <algorithm>
#include <utility>

#include "compiler/script/entries/finder.h"
#include "compiler/syntax/run_comment.h"

namespace tilewright::script {

void EntryFinder::comments() {
  for (const syntax::Directive& d : e_.tree->directives()) {
    if (!options_.entries.empty()) return;
    std::vector<std::string_view> expressions;
    if (d.text.starts_with("entry ")) expressions = {syntax::directive_expression(d)};
    // A factory's name speaks of entries that others make; a call is one.
    if (auto run = syntax::run_comment(d)) expressions = run->kernels();
    if (!d.text.starts_with("entry "))
      std::erase_if(expressions, [&](std::string_view text) { return text.find('(') == text.npos || known(text); });
    if (expressions.empty()) continue;
    std::uint32_t anchor = e_.anchors.add(e_.tree->source(), d.offset);
    std::string_view line = e_.tree->source()->text().substr(d.offset);
    std::uint32_t length = static_cast<std::uint32_t>(std::min(line.find('\n'), line.size()));
    text::Span span{anchor, 0, length};
    for (std::string_view text : expressions) expression(std::string(text), EntryKind::Comment, span);
  }
}

bool EntryFinder::known(std::string_view text) const {
  return std::ranges::find(e_.entries, text, &Entry::expression) != e_.entries.end();
}

void EntryFinder::report_entry(const std::string& text, text::Span span, const std::string& message) {
  text::Diagnostic& d = e_.diagnostics.emplace_back();
  d.code = code::kEntry;
  d.message = "entry '" + text + "': " + message;
  d.span = span;
  d.hint = "an entry is an expression that yields a kernel, such as make(128, 64)";
}

void EntryFinder::expression_failed(const std::string& text, text::Span span, const text::Source* source, Pending p) {
  if (p.fatal && !in_.go_on_after(p)) e_.stopped = true;
  if (p.diagnostic.code.empty()) return;
  told(p);
  // Where the script itself is at fault, its own place says more than the comment.
  text::Anchors::Place place = e_.anchors.resolve(p.diagnostic.span);
  if (!span || !p.refused || !place.source || place.source == source) {
    report_entry(text, span, p.diagnostic.message);
    if (!place.source || place.source == source) return;
    text::Diagnostic& d = e_.diagnostics.back();
    d.hint.clear();
    d.related.push_back({p.diagnostic.span, "raised here"});
    for (text::Related& r : p.diagnostic.related)
      if (e_.anchors.resolve(r.span).source != source) d.related.push_back(std::move(r));
    return;
  }
  for (text::Related& r : p.diagnostic.related) {
    if (e_.anchors.resolve(r.span).source == source) r.span = span;
  }
  e_.diagnostics.push_back(std::move(p.diagnostic));
}

// Although only some entries are asked for: what failed in the module. False if none of it is an error.
bool EntryFinder::reported_failures() {
  const auto before = static_cast<std::ptrdiff_t>(e_.diagnostics.size());
  if (!std::exchange(failures_reported_, true)) failures();
  failures_found_ = failures_found_ || std::any_of(e_.diagnostics.begin() + before, e_.diagnostics.end(),
                                                   [](const auto& d) { return d.severity == text::Severity::Error; });
  return failures_found_;
}

void EntryFinder::expression(const std::string& text, EntryKind kind, text::Span span) {
  if (configs_.run_listed(text, kind, span)) return;
  std::vector<syntax::SyntaxError> errors;
  auto parsed = syntax::parse_expression(text, &errors);
  auto* statement = parsed ? syntax::as<syntax::ExprStmt>(parsed->statement) : nullptr;
  if (!errors.empty() || !statement) {
    if (kind == EntryKind::Requested && listed(text)) return;
    return report_entry(text, span, errors.empty() ? "is not an expression" : errors[0].message);
  }
  std::size_t before = in_.kernels().size();
  auto source = std::make_shared<text::Source>("<entry>", text);
  e_.anchors.bind(parsed->id, source, 0);
  Value v = in_.eval_entry(statement->value, e_.module, parsed->id, parsed);
  if (v.is_error()) return expression_failed(text, span, source.get(), in_.take_pending());
  if (Jit* jit = v.as<Jit>()) v = specialise(jit);
  std::vector<KernelValue*> kernels;
  collect(v, kernels);
  if (kernels.empty()) kernels.assign(in_.kernels().begin() + static_cast<std::ptrdiff_t>(before), in_.kernels().end());
  if (kernels.empty() && v.is_poison()) {  // what made it so has been reported, but for statements of the module
    for (Candidate& c : functions_) {
      c.served = c.served || text.starts_with(std::string(c.function->def->name.text) + "(");
    }
    if (kind == EntryKind::Requested) reported_failures();
    return;
  }
  const bool by_failure = v.is_opaque() && std::string_view(v.reason()).starts_with("a statement that failed");
  if (kernels.empty() && by_failure && kind == EntryKind::Requested && reported_failures()) return;
  if (kernels.empty() && v.is_opaque())
    return report_entry(text, span, "yields no kernel that is known here: it comes from " + std::string(v.reason()));
  if (kernels.empty()) return report_entry(text, span, "yields " + std::string(type_name(v)) + ", not a kernel");
  if (kind == EntryKind::Requested) seen_.clear();
  add(kind, text, span ? span : kernels[0]->kernel.span, kernels);
}

bool EntryFinder::listed(const std::string& text) {
  std::size_t before = e_.entries.size();
  parametrized(&text);
  for (std::size_t i = before; i < e_.entries.size(); ++i) e_.entries[i].kind = EntryKind::Requested;
  return e_.entries.size() > before;
}

}  // namespace tilewright::script
