#include "server/ide/lenses.h"

#include <algorithm>
#include <map>

#include "server/ide/resources.h"
#include "server/ide/run_findings.h"

namespace tilewright::ide {
namespace {

struct Target {
  const session::Compiled* compiled;
  const session::CompiledKernel* kernel;
};

std::string resources(const Query& q, const Target& t) {
  if (!t.kernel->lowered) return {};
  auto made = t.kernel->cuda && q.artifacts ? q.artifacts->find(*t.kernel->cuda, t.kernel->target.name()) : nullptr;
  const toolchain::KernelResources* own = nullptr;
  if (made) {
    auto found = std::ranges::find(made->kernels, t.kernel->lowered->symbol, &toolchain::KernelResources::name);
    if (found != made->kernels.end()) own = &*found;
  }
  return resource_words(t.kernel->lowered->plan, t.kernel->target, own);
}

// Entries left out that call the function which this one calls.
std::size_t of_the_same_factory(const script::Entry& entry, const std::vector<script::Entry>& others) {
  const std::string_view call = std::string_view(entry.expression).substr(0, entry.expression.find('(') + 1);
  return static_cast<std::size_t>(
      std::ranges::count_if(others, [&](const script::Entry& e) { return e.expression.starts_with(call); }));
}

}  // namespace

Answer<std::vector<Lens>> lenses(const Query& q) {
  std::vector<Lens> out;
  if (!q.preferences.code_lenses) return out;
  auto analysis = q.analysis();
  if (!analysis) return cancelled();
  const text::Source& source = q.snapshot->source();
  std::map<Stretch, std::vector<Target>> kernels;  // by the place of their name
  for (const session::Compiled& c : analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      text::Anchors::Place at = c.evaluation->anchors.resolve(k.value->kernel.span);
      if (at.source == &source) kernels[{at.begin, at.end}].push_back({&c, &k});
    }
  }
  for (const auto& [place, targets] : kernels) {
    const Target& first = targets.front();
    const std::string& entry = first.kernel->entry->expression;
    std::string title =
        "entry " + entry + " for " + session::architecture_words(*first.kernel, first.compiled->evaluation->anchors);
    std::size_t more = targets.size() - 1;
    if (targets.front().kernel->entry->kind == script::EntryKind::Configs ||
        targets.front().kernel->entry->kind == script::EntryKind::Parametrize)
      more += of_the_same_factory(*first.kernel->entry, analysis->others());
    if (more > 0) title += " (and " + std::to_string(more) + " more)";
    out.push_back({place, std::move(title), ShowEntries()});
    if (std::string text = resources(q, first); !text.empty()) {
      out.push_back({place, std::move(text), view_of(ViewKind::Plan, *first.kernel, q.snapshot->path())});
    }
    if (first.kernel->failed || !first.kernel->cuda) continue;
    for (const std::string& target : q.run_targets) out.push_back({place, "run on " + target, Run{entry, target}});
    if (!q.runs) continue;
    for (const RunFindings::Result& result : q.runs->results(*q.snapshot, entry))
      out.push_back({place, result.words, Run{entry, result.target}});
  }
  return out;
}

}  // namespace tilewright::ide
