#include "server/ide/run_findings.h"

#include <algorithm>
#include <cstdio>

#include "compiler/ir/origin.h"
#include "compiler/text/amounts.h"
#include "server/project/codes.h"
#include "server/work/profile.h"
#include "server/work/sampled.h"
#include "server/work/stalls.h"

namespace tilewright::ide {
namespace {

using End = work::RunAnswer::End;

// Puts what is said of a run to its places in the document.
class Placing {
 public:
  Placing(const std::string& document, const work::RunAnswer& answer)
      : document_(document), anchors_(answer.compiled.evaluation->anchors) {}

  // Of what lies elsewhere, the call that led there; of what has no place, the kernel.
  Stretch place(text::Span span, const std::vector<text::Span>& chain, Stretch otherwise) const {
    if (auto own = own_place(span)) return *own;
    for (auto call = chain.rbegin(); call != chain.rend(); ++call)
      if (auto own = own_place(*call)) return *own;
    return otherwise;
  }
  std::optional<Stretch> own_place(text::Span span) const { return place_in(span, anchors_, document_); }

 private:
  const std::string& document_;
  const text::Anchors& anchors_;
};

std::vector<RunFindings::Item> items_of(const std::string& document, const std::string& run,
                                        const work::RunAnswer& answer) {
  std::vector<RunFindings::Item> out;
  const run::Report& report = answer.report;
  const Placing placing(document, answer);
  const auto& kernels = answer.compiled.kernels;
  const Stretch kernel = kernels.empty() ? Stretch() : placing.place(kernels.front().value->kernel.span, {}, {});
  auto add = [&](std::string_view code, std::string message, Stretch at) {
    text::Diagnostic d;
    d.code = code;
    d.message = std::move(message) + " (" + run + ")";
    out.push_back({std::move(d), at, {}});
  };
  for (const simulate::Finding& f : report.outcome.findings) {
    const text::Diagnostic d = run::diagnostic_of(f, answer.compiled.evaluation->anchors);
    add(d.code, d.message, placing.place(d.span, d.chain, kernel));
    out.back().said.severity = d.severity;
    out.back().said.hint = d.hint;
    for (const text::Related& r : d.related)
      if (auto at = placing.own_place(r.span)) out.back().related.emplace_back(*at, r.message);
  }
  if (report.problems.empty()) return out;
  if (report.fault) add(project::kRunCode, report.fault_reason, placing.place(report.fault, {}, kernel));
  for (const run::TensorReport& t : report.tensors) {
    if (!t.producer || !t.comparison || !t.comparison->mismatches) continue;
    const auto i = static_cast<std::size_t>(&t - report.tensors.data());
    const run::BoundTensor& b = report.bound.tensors[i];
    add(project::kRunCode,
        "this writes " + run::coordinate(b, t.comparison->first) + " of " + b.name +
            ", the first element that is not as expected",
        placing.place(t.producer->origin.span, ir::call_chain(t.producer->origin.chain), kernel));
  }
  if (out.empty()) add(project::kRunCode, report.problems.front(), kernel);
  return out;
}

std::string words_of(const std::string& target, const work::RunAnswer& answer) {
  if (answer.end != End::Reported) return target + ": " + (answer.end == End::Errors ? "errors" : "not run");
  std::string out = target + ": " + std::string(answer.report.verdict());
  if (!answer.report.timing) return out;
  char time[32];
  std::snprintf(time, sizeof time, ", %.2f us", answer.report.timing->cold.median);
  return out + time;
}

// What a GPU's samples say of the document's own lines, whatever calls led there.
std::map<std::uint32_t, std::string> costs_of(const std::string& document, const std::string& run,
                                              const work::RunAnswer& answer) {
  std::map<std::uint32_t, std::string> out;
  if (!answer.report.outcome.samples || !answer.report.outcome.samples->absent.empty()) return out;
  const work::SampledAnswer sampled = work::sampled_of(answer);
  if (sampled.samples == 0) return out;
  std::map<std::uint32_t, work::SampledLine> lines;
  for (const work::SampledLine& line : sampled.lines) {
    if (line.path != document) continue;
    work::SampledLine& sum = lines[line.line];
    sum.count += line.count;
    for (const work::Waited& w : line.waits) {
      const auto known = std::ranges::find(sum.waits, w.reason, &work::Waited::reason);
      known == sum.waits.end() ? sum.waits.push_back(w) : void(known->count += w.count);
    }
  }
  for (auto& [number, line] : lines) {
    std::ranges::stable_sort(line.waits, std::greater{}, &work::Waited::count);
    auto share = [](std::uint64_t part, std::uint64_t all) {
      return text::formatted("%.1f", 100 * static_cast<double>(part) / static_cast<double>(all)) + " %";
    };
    std::string words = run + ": " + share(line.count, sampled.samples) + " of the warps' time, by " +
                        work::grouped(line.count) + " samples of the GPU";
    constexpr std::size_t kMostWaits = 3;
    for (std::size_t i = 0; i < std::min(kMostWaits, line.waits.size()); ++i)
      words += (i ? "; " : ", of that waiting for ") + std::string(work::stall_reason(line.waits[i].reason).words) +
               " " + share(line.waits[i].count, line.count);
    out[number] = std::move(words);
  }
  return out;
}

}  // namespace

void RunFindings::keep(const std::string& document, std::shared_ptr<const text::Source> source,
                       const std::string& entry, const std::string& target, const work::RunAnswer& answer) {
  if (answer.end == End::Stopped) return;
  Kept kept;
  kept.words = words_of(target, answer);
  if (answer.end == End::Reported) {
    kept.items = items_of(document, "run of " + entry + " on " + target, answer);
    kept.costs = costs_of(document, entry + " on " + target, answer);
  }
  {
    std::lock_guard lock(mutex_);
    Document& d = documents_[document];
    if (d.source && d.source->text() != source->text()) d.runs.clear();
    d.source = std::move(source);
    d.runs[{entry, target}] = std::move(kept);
  }
  made_(document);
}

void RunFindings::forget(const std::string& document) {
  std::lock_guard lock(mutex_);
  documents_.erase(document);
}

const RunFindings::Document* RunFindings::of(const session::Snapshot& script) const {
  const auto found = documents_.find(script.path());
  const bool same = found != documents_.end() && found->second.source->text() == script.source().text();
  return same ? &found->second : nullptr;
}

std::vector<RunFindings::Item> RunFindings::find(const session::Snapshot& script) const {
  std::lock_guard lock(mutex_);
  std::vector<Item> out;
  if (const Document* d = of(script))
    for (const auto& [key, kept] : d->runs) std::ranges::copy(kept.items, std::back_inserter(out));
  return out;
}

std::vector<std::string> RunFindings::costs(const session::Snapshot& script, std::uint32_t line) const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  if (const Document* d = of(script))
    for (const auto& [key, kept] : d->runs)
      if (const auto found = kept.costs.find(line); found != kept.costs.end()) out.push_back(found->second);
  return out;
}

std::vector<RunFindings::Result> RunFindings::results(const session::Snapshot& script, const std::string& entry) const {
  std::lock_guard lock(mutex_);
  std::vector<Result> out;
  if (const Document* d = of(script))
    for (const auto& [key, kept] : d->runs)
      if (key.first == entry) out.push_back({key.second, kept.words});
  return out;
}

}  // namespace tilewright::ide
