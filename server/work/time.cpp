#include "server/work/time.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/ir/origin.h"
#include "compiler/run/report.h"
#include "compiler/text/amounts.h"
#include "server/project/time_codes.h"

namespace tilewright::work {
namespace {

using simulate::PacedWait;
using simulate::WaitFor;

// A ring that waits this share of the path for copies is too shallow, where more steps of it are to come.
constexpr double kShallow = 0.15;
constexpr std::uint64_t kFewVisits = 4;

class Lines {
 public:
  Lines(const text::Anchors& anchors, const text::Source* script) : anchors_(anchors), script_(script) {}

  // The script's own line: where the call stands that leads to the place. Nothing: it is of no text.
  std::optional<ScriptLine> of(const ir::Origin& origin) const {
    text::Anchors::Place at = anchors_.resolve(origin.span);
    for (const ir::CallSite* site = origin.chain; site && at.source != script_; site = site->outer)
      at = anchors_.resolve(site->span);
    if (!at.source) return std::nullopt;
    const std::uint32_t line = at.source->position(at.begin).line;
    return ScriptLine{at.source->path(), std::string(at.source->line(line)), line};
  }

 private:
  const text::Anchors& anchors_;
  const text::Source* script_;
};

void add(simulate::PacedPlace& to, const simulate::PacedPlace& more) {
  for (std::size_t i = 0; i < to.instructions.size(); ++i) to.instructions[i] += more.instructions[i];
  to.fused += more.fused;
  to.busy += more.busy;
  to.stalled += more.stalled;
  to.waited += more.waited;
  to.critical += more.critical;
}

std::vector<TimedLine> lines_of(const run::TimeModel& model, const Lines& lines) {
  std::map<std::pair<std::string, std::uint32_t>, TimedLine> by;
  double all = 0;
  for (const auto& [number, place] : model.pace.places) {
    const auto at = lines.of(place.origin);
    if (!at) continue;
    TimedLine& line = by[{at->path, at->line}];
    if (line.at.path.empty()) {
      line.at = *at;
      line.sum.origin = place.origin;
    }
    add(line.sum, place);
    all += place.critical;
  }
  std::vector<TimedLine> out;
  for (auto& [key, line] : by) {
    line.share = all > 0 ? line.sum.critical / all : 0;
    out.push_back(std::move(line));
  }
  std::ranges::stable_sort(out, std::greater{}, &TimedLine::share);
  return out;
}

std::vector<TimedWait> waits_of(const run::TimeModel& model, const Lines& lines) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, WaitFor>, TimedWait> by;
  for (const auto& [key, wait] : model.pace.waits) {
    const auto waits = lines.of(wait.waits), blamed = lines.of(wait.blamed);
    if (!waits || !blamed) continue;
    TimedWait& sum = by[{waits->line, blamed->line, wait.what}];
    sum.waits = *waits;
    sum.blamed = *blamed;
    sum.what = wait.what;
    sum.times += wait.times;
    sum.cycles += wait.cycles;
    sum.most = std::max(sum.most, wait.most);
    if (sum.steps.size() < wait.steps.size()) sum.steps.resize(wait.steps.size());
    for (std::size_t i = 0; i < wait.steps.size(); ++i) sum.steps[i] += wait.steps[i];
  }
  std::vector<TimedWait> out;
  for (auto& [key, wait] : by) out.push_back(std::move(wait));
  std::ranges::stable_sort(out, std::greater{}, &TimedWait::cycles);
  return out;
}

// Copies that are waited for in most steps, and not in the first ones alone: more of them could be under way.
void look_for_shallow_rings(TimeAnswer& answer, const text::Anchors& anchors) {
  const double path = answer.model.pace.cycles;
  for (const auto& [key, wait] : answer.model.pace.waits) {
    if (wait.what != WaitFor::Copy || wait.steps.size() <= kFewVisits) continue;
    const auto starved = static_cast<std::size_t>(std::ranges::count_if(wait.steps, [&](double c) { return c >= 1; }));
    double on_path = 0;
    for (const auto& [number, place] : answer.model.pace.places)
      if (ir::same_origin(place.origin, wait.blamed)) on_path = place.critical;
    if (starved * 2 <= wait.steps.size() || on_path < kShallow * path) continue;
    simulate::Finding found;
    found.code = project::kShallowCode;
    found.origin = wait.waits;
    found.message = "warps wait here for copies in " + std::to_string(starved) + " of " +
                    (wait.steps.size() >= PacedWait::kMostSteps ? "the first " : "") +
                    std::to_string(wait.steps.size()) + " steps, modelled " +
                    text::formatted("%.0f", wait.cycles / static_cast<double>(wait.times)) +
                    " cycles each time: the ring is too shallow to hide how long a copy takes";
    found.hint = "let more copies be under way: more stages, or start the copies earlier";
    text::Diagnostic d = run::diagnostic_of(found, anchors);
    d.message = found.message;
    d.severity = text::Severity::Hint;
    const auto is_there = [&](const text::Diagnostic& had) { return had.span.begin == d.span.begin; };
    if (std::ranges::none_of(answer.advice, is_there)) answer.advice.push_back(std::move(d));
  }
}

}  // namespace

std::string_view from_words(From from) {
  switch (from) {
    case From::Counted: return "counted";
    case From::Modelled: return "modelled";
    case From::Measured: return "measured";
    case From::NotAvailable: break;
  }
  return "not available";
}

std::string blamed_words(const TimedWait& wait) {
  const std::string line = std::to_string(wait.blamed.line + 1);
  switch (wait.what) {
    case WaitFor::Result: return "results of line " + line;
    case WaitFor::Copy: return "the copy of line " + line;
    case WaitFor::Arrival: return "the arrival in line " + line;
    case WaitFor::Product: return "the product of line " + line;
    case WaitFor::Meeting: break;
  }
  return "the last warp at line " + line;
}

std::string starved_words(const TimedWait& wait) {
  const double least = std::max(1.0, wait.steps.empty() ? 0 : *std::ranges::max_element(wait.steps) / 10);
  std::string out;
  for (std::size_t i = 0; i < wait.steps.size(); ++i) {
    if (wait.steps[i] < least) continue;
    std::size_t last = i;
    while (last + 1 < wait.steps.size() && wait.steps[last + 1] >= least) ++last;
    out += (out.empty() ? "" : ", ") + std::to_string(i) + (last > i ? " to " + std::to_string(last) : "");
    i = last;
  }
  return out;
}

double TimeAnswer::intensity() const {
  return model.sectors ? static_cast<double>(model.multiplied) / (32 * static_cast<double>(model.sectors)) : 0;
}

double TimeAnswer::ridge() const {
  if (!model.rates || model.rates->device_dram_bytes <= 0) return 0;
  return model.rates->tensor_operations * model.rates->sms / model.rates->device_dram_bytes;
}

TimeAnswer time_of(const session::CompiledKernel& kernel, const session::Compiled& compiled,
                   const run::TimeRequest& request, const std::stop_token& stop) {
  TimeAnswer out;
  out.model = run::model_time(*kernel.lowered, kernel.target, request, stop);
  if (!out.model.why.empty()) return out;
  const script::Evaluation& evaluation = *compiled.evaluation;
  const Lines lines(evaluation.anchors, evaluation.tree->source().get());
  out.lines = lines_of(out.model, lines);
  out.waits = waits_of(out.model, lines);
  look_for_shallow_rings(out, evaluation.anchors);
  return out;
}

}  // namespace tilewright::work
