#include "compiler/session/compile.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "compiler/dispatch/codes.h"
#include "compiler/session/unused.h"

namespace tilewright::session {
namespace {

// Line of a place in its file, from 0.
std::uint32_t line_of(const text::Anchors::Place& place) { return place.source->position(place.begin).line; }

// `# tilewright: ignore[TW3106]` silences its own line; without codes it silences everything there.
bool silenced(const syntax::Tree& tree, const text::Diagnostic& d, const text::Anchors& anchors) {
  text::Anchors::Place place = anchors.resolve(d.span);
  if (!place.source || place.source != tree.source().get()) return false;
  for (const syntax::Directive& directive : tree.directives()) {
    if (!directive.text.starts_with("ignore") || directive.line != line_of(place)) continue;
    std::size_t open = directive.text.find('[');
    if (open == std::string_view::npos || directive.text.find(d.code, open) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool Compiled::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const text::Diagnostic& d) { return d.severity == text::Severity::Error; });
}

std::vector<std::string> named_architectures(const syntax::Tree& tree) {
  std::vector<std::string> out;
  for (const syntax::Directive& d : tree.directives()) {
    if (!d.text.starts_with("arch ")) continue;
    std::string word;
    for (char c : std::string(d.text.substr(5)) + " ") {
      if (c != ' ' && c != ',') {
        word += c;
      } else if (!word.empty()) {
        out.push_back(std::exchange(word, {}));
      }
    }
  }
  return out;
}

Compiled compile(std::shared_ptr<const syntax::Tree> tree, script::Loader* loader, const text::Context& context,
                 const CompileOptions& options) {
  Compiled out;
  out.target = options.target;
  script::EvaluateOptions evaluate = options;
  evaluate.memo = options.cache;
  out.evaluation = script::evaluate(tree, loader, context, evaluate);
  out.dialect = out.evaluation->dialect;
  out.diagnostics = out.evaluation->diagnostics;

  text::Context stage = context;
  stage.diagnostics = &out.diagnostics;
  std::vector<KernelUses> uses;
  std::deque<std::vector<NeverRead>> never;  // of kernels that nobody keeps
  std::vector<std::shared_ptr<const syntax::TopLevel>> unread;
  for (const syntax::Tree::Statement& s : tree->statements()) {
    if (!s.node->unread.empty()) unread.push_back(s.node);
  }
  for (const script::Entry& entry : out.evaluation->entries) {
    for (script::KernelValue* value : entry.kernels) {
      CompiledKernel& k = out.kernels.emplace_back();
      k.entry = &entry;
      k.value = value;
      // A kernel with errors of evaluation is dispatched all the same: the calls that survived get their report.
      KernelStages alone;
      auto* known = options.cache ? static_cast<KernelEntry*>(value->record.get()) : nullptr;
      const ir::Kernel& kernel = known ? known->kernel : value->kernel;
      auto results = (known ? known->stages : alone).up_to(options.stage, kernel, value->failed, stage);
      k.dispatched = std::move(results.dispatched);
      k.lowered = std::move(results.lowered);
      k.cuda = std::move(results.cuda);
      k.failed = results.failed;
      if (options.stage == Stage::Evaluate) continue;
      // A record's spans name the statements that it was made from.
      bool keeps = known && known->reusable;
      if (!keeps || !known->stages.knows_never_read()) ++out.kernels_searched;
      uses.push_back({value->def_anchor, value->failed,
                      keeps ? known->stages.never_read(kernel, known->statements)
                            : never.emplace_back(never_read(kernel, unread))});
    }
  }
  out.stopped = context.stop.stop_requested();
  if (out.stopped) return out;

  const text::Anchors& anchors = out.evaluation->anchors;
  std::ranges::move(unused(uses, anchors, tree->source().get()), std::back_inserter(out.diagnostics));
  for (text::Diagnostic& d : out.diagnostics) {
    if (options.deny_fallback && d.code == dispatch::code::kFallback) d.severity = text::Severity::Error;
  }
  std::erase_if(out.diagnostics, [&](const text::Diagnostic& d) { return silenced(*tree, d, anchors); });
  auto key = [&](const text::Diagnostic& d) {
    text::Anchors::Place place = anchors.resolve(d.span);
    return std::tuple(place.source != tree->source().get(), place.begin, place.end, d.code,
                      std::string_view(d.message));
  };
  std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(),
                   [&](const text::Diagnostic& a, const text::Diagnostic& b) { return key(a) < key(b); });
  // Several entries of one kernel text find the same causes.
  auto same = [&](const text::Diagnostic& a, const text::Diagnostic& b) { return key(a) == key(b); };
  out.diagnostics.erase(std::unique(out.diagnostics.begin(), out.diagnostics.end(), same), out.diagnostics.end());
  return out;
}

}  // namespace tilewright::session
