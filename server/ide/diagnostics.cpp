#include "server/ide/diagnostics.h"

#include <algorithm>
#include <set>

#include "compiler/simulate/codes.h"
#include "server/ide/artifacts.h"
#include "server/ide/background_trials.h"
#include "server/ide/run_findings.h"
#include "server/ide/trials.h"
#include "server/work/compiler_notes.h"
#include "server/work/tools.h"
#include "server/work/words.h"

namespace tilewright::ide {

std::vector<text::Diagnostic> toolchain_findings(const session::Compiled& compiled, const Artifacts& artifacts) {
  std::vector<text::Diagnostic> out;
  std::set<std::string> seen;  // several entries of one text hear the same
  ir::Target target;           // of the kernel before, which is nearly always that of the next one
  std::string target_name = target.name();
  for (const session::CompiledKernel& k : compiled.kernels) {
    if (!k.cuda) continue;
    if (k.target != target) target_name = (target = k.target).name();
    auto made = artifacts.find(*k.cuda, target_name);
    if (!made) continue;
    for (const toolchain::LogEntry& entry : made->entries) {
      if (entry.severity == toolchain::LogEntry::Severity::Remark || work::is_of_our_variables(entry, k)) continue;
      text::Diagnostic d = work::message_of(entry, k);
      if (!d.span) d.span = k.value->kernel.span;
      if (seen.insert(std::to_string(d.span.anchor) + ":" + std::to_string(d.span.begin) + entry.message).second) {
        out.push_back(std::move(d));
      }
    }
    const auto used = std::ranges::find(made->kernels, k.lowered->symbol, &toolchain::KernelResources::name);
    if (used == made->kernels.end()) continue;
    for (text::Diagnostic& d : work::resource_notes(*used, k))
      if (seen.insert(std::to_string(d.span.anchor) + ":" + std::to_string(d.span.begin) + d.message).second)
        out.push_back(std::move(d));
  }
  return out;
}

namespace {

// A finding of the simulator as the script's comments and settings want it. Null: silenced.
std::shared_ptr<const text::Diagnostic> as_wanted(std::shared_ptr<const text::Diagnostic> found,
                                                  const session::Snapshot& script, const text::Anchors& anchors) {
  if (session::reason_for(*script.tree(), *found, anchors)) return nullptr;
  const auto& severity = script.settings()->severity;
  if (!severity) return found;
  std::vector<text::Diagnostic> one{*found};
  severity(one);
  return one.empty() ? nullptr : std::make_shared<const text::Diagnostic>(std::move(one.front()));
}

// What a kernel does says more than what it may do.
void fold_overruns(std::vector<Diagnostic>& list, const text::Source& own) {
  const auto is_outside = [](const Diagnostic& d) { return d.said->code == simulate::code::kOutOfBounds; };
  if (std::ranges::none_of(list, is_outside)) return;
  std::vector<PlacedFinding> all;
  for (const Diagnostic& d : list) all.push_back({d.said, statement_at(own.text(), d.at.begin, d.at.end)});
  std::vector<bool> is_taken(list.size());
  for (const TakenFinding& t : taken_by_overruns(all)) {
    is_taken[t.one] = true;
    const Diagnostic& one = list[t.one];
    if (t.is_related) list[t.by].related.push_back({{&own, one.at.begin, one.at.end}, one.said->message});
  }
  std::size_t at = 0;
  std::erase_if(list, [&](const Diagnostic&) { return is_taken[at++]; });
}

}  // namespace

Diagnostics diagnostics(const session::Snapshot& script, std::shared_ptr<const session::Analysis> analysis,
                        const Artifacts* artifacts, const BackgroundTrials* trials, const RunFindings* runs) {
  const text::Source& own = script.source();
  Diagnostics out{std::move(analysis), {}, {}, {}};
  out.list.reserve(out.analysis->findings.size());
  auto add = [&](const text::Diagnostic& d, const text::Anchors& anchors) {
    Diagnostic& made = out.list.emplace_back(Diagnostic{&d, {}, {}});
    auto beside = [&](text::Anchors::Place at, std::string_view message) {
      // The prelude is no file that could be opened.
      if (at.source && (at.source == &own || is_file(at.source->path()))) made.related.push_back({at, message});
    };
    text::Anchors::Place place = anchors.resolve(d.span);
    if (place.source != &own) {
      text::Anchors::Place elsewhere = place;
      place = {};
      for (std::size_t i = d.chain.size(); i-- > 0 && !place.source;) {
        text::Anchors::Place call = anchors.resolve(d.chain[i]);
        if (call.source == &own) place = call;
      }
      beside(elsewhere, "here");
    }
    made.at = {place.begin, place.end};
    for (const text::Related& r : d.related) beside(anchors.resolve(r.span), r.message);
    for (std::size_t i = d.chain.size(); i-- > 0;) beside(anchors.resolve(d.chain[i]), "called from here");
  };
  for (const session::Finding& f : out.analysis->findings) add(*f.diagnostic, *f.anchors);
  for (const session::Compiled& c : out.analysis->compiled) {
    if (trials)
      for (auto& d : trials->find(script.path(), c))
        if (auto wanted = as_wanted(std::move(d), script, c.evaluation->anchors))
          add(*out.of_trials.emplace_back(std::move(wanted)), c.evaluation->anchors);
    if (artifacts)
      for (text::Diagnostic& d : toolchain_findings(c, *artifacts))
        add(out.of_tools.emplace_back(std::move(d)), c.evaluation->anchors);
  }
  fold_overruns(out.list, own);
  if (!runs) return out;
  for (RunFindings::Item& item : runs->find(script)) {
    // The simulator may have found it before it was run.
    if (std::ranges::any_of(out.list,
                            [&](const Diagnostic& d) { return d.said->code == item.said.code && d.at == item.at; }))
      continue;
    Diagnostic& made = out.list.emplace_back(Diagnostic{&out.of_tools.emplace_back(std::move(item.said)), item.at, {}});
    out.of_tools.back().related.reserve(item.related.size());  // its texts stay where they are
    for (auto& [at, message] : item.related) {
      std::string_view kept = out.of_tools.back().related.emplace_back(text::Related{{}, std::move(message)}).message;
      made.related.push_back({{&own, at.begin, at.end}, kept});
    }
  }
  return out;
}

}  // namespace tilewright::ide
