#include "compiler/session/compile.h"

#include <algorithm>

#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/dispatcher.h"
#include "compiler/lower/lower.h"

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

Compiled compile(std::shared_ptr<const syntax::Tree> tree, script::Loader* loader, const text::Context& context,
                 const CompileOptions& options) {
  Compiled out;
  out.target = options.target;
  script::EvaluateOptions evaluate;
  evaluate.target = options.target;
  evaluate.entries = options.entries;
  out.evaluation = script::evaluate(tree, loader, context, evaluate);
  out.diagnostics = out.evaluation->diagnostics;

  text::Context stage = context;
  stage.diagnostics = &out.diagnostics;
  for (const script::Entry& entry : out.evaluation->entries) {
    for (script::KernelValue* value : entry.kernels) {
      CompiledKernel& k = out.kernels.emplace_back();
      k.entry = &entry;
      k.value = value;
      k.failed = value->failed;
      // A kernel with errors of evaluation is dispatched all the same: the calls that survived get their report.
      if (options.stage < Stage::Dispatch) continue;
      ArenaScope arena(*value->kernel.arena);
      k.dispatched = dispatch::dispatch(value->kernel, options.target, stage);
      k.failed = k.failed || k.dispatched.failed;
      if (options.stage < Stage::Lower || k.failed) continue;
      auto lowered = lower::lower(k.dispatched, stage);
      if (!lowered) {
        k.failed = true;
        continue;
      }
      k.lowered = std::move(*lowered);
      if (options.stage < Stage::Cuda) continue;
      auto cuda = cuda::emit(*k.lowered, stage);
      if (!cuda) {
        k.failed = true;
        continue;
      }
      k.cuda = std::move(*cuda);
    }
  }

  const text::Anchors& anchors = out.evaluation->anchors;
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
