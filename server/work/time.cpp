#include "server/work/time.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/dispatch/dispatched.h"
#include "compiler/ir/origin.h"
#include "compiler/session/run_comments.h"
#include "compiler/text/amounts.h"
#include "server/project/time_codes.h"
#include "server/work/tile_call.h"
#include "server/work/time_advice.h"

namespace tilewright::work {
namespace {

using simulate::PacedWait;
using simulate::WaitFor;

// A ring that waits this share of the path for copies is too shallow, where more steps of it are to come.
constexpr double kShallow = 0.15;
constexpr std::uint64_t kFewVisits = 4;
constexpr double kCopying = 0.7;                  // of the path: what is left is less than a third
constexpr std::uint64_t kRunSteps = 100'000'000;  // of the model beside a run

class Lines {
 public:
  Lines(const text::Anchors& anchors, const text::Source* script) : anchors_(anchors), script_(script) {}

  // The script's own line: where the call stands that leads to the place. Nothing: it is of no text.
  std::optional<ScriptLine> of(const ir::Origin& origin) const {
    text::Span span = origin.span;
    text::Anchors::Place at = anchors_.resolve(span);
    for (const ir::CallSite* site = origin.chain; site && at.source != script_; site = site->outer) {
      span = site->span;
      at = anchors_.resolve(span);
    }
    if (!at.source) return std::nullopt;
    const std::uint32_t line = at.source->position(at.begin).line;
    return ScriptLine{at.source->path(), std::string(at.source->line(line)), line, span};
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

std::vector<TimedLine> lines_of(const run::TimeModel& model, const Lines& lines,
                                const session::CompiledKernel& kernel) {
  std::map<std::pair<std::string, std::uint32_t>, std::pair<TimedLine, double>> by;  // and cycles of the tile call
  double all = 0;
  for (const auto& [number, place] : model.pace.places) {
    const auto at = lines.of(place.origin);
    if (!at) continue;
    auto& [line, of_call] = by[{at->path, at->line}];
    if (line.at.path.empty()) line.at = *at;
    const dispatch::CallReport* call = tile_call_at(kernel, place.origin);
    if (call && (line.primitive.empty() || place.critical > of_call)) {
      line.primitive = call->call->primitive;
      line.variant = call->variant;
      of_call = place.critical;
    }
    add(line.sum, place);
    all += place.critical;
  }
  std::vector<TimedLine> out;
  for (auto& [key, found] : by) {
    found.first.share = all > 0 ? found.first.sum.critical / all : 0;
    out.push_back(std::move(found.first));
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

// `accesses`: how they were counted. Operations of lanes are those of the simulator's program.
std::optional<Roofline> roofline_of(const run::TimeModel& m, From accesses) {
  using Class = simulate::InstructionClass;
  const simulate::Rates& r = *m.rates;
  const double each = static_cast<double>(m.ctas) / static_cast<double>(m.simulated), hertz = 1e9 * r.clock_ghz;
  double floats = 0;
  for (const auto& [number, place] : m.pace.places)
    for (const Class c : {Class::Float, Class::Double})
      floats += static_cast<double>(place.instructions[static_cast<std::size_t>(c)]) * each;
  Roofline out;
  out.tensor = m.multiplied > 0;
  out.beyond_cache = m.parts.device_dram > 0;
  out.device = r.device;
  const double operations = out.tensor ? static_cast<double>(m.multiplied) : floats;
  const double bytes =
      out.beyond_cache ? 1e-6 * m.parts.device_dram * r.device_dram_bytes * hertz : 32 * static_cast<double>(m.sectors);
  if (operations <= 0 || bytes <= 0) return std::nullopt;
  const double bandwidth =
      (out.beyond_cache ? r.device_dram_bytes : std::max(r.device_l2_bytes, r.device_box_bytes)) * hertz;
  // A lane's product and sum count as two, and are one instruction of NVIDIA's compiler.
  const double peak = (out.tensor ? r.tensor_operations : 2 * 32 * r.issue) * r.sms * hertz;
  if (out.beyond_cache) accesses = From::CountedAsWritten;  // as the model has them
  out.operations = {operations, out.tensor ? From::Counted : From::CountedAsWritten};
  out.bytes = {bytes, accesses};
  out.intensity = {operations / bytes, std::max(out.operations.from, accesses)};
  out.ridge = {peak / bandwidth, From::Measured};
  out.memory_bounds = out.intensity.value < out.ridge.value;
  out.roof = {std::min(peak, operations / bytes * bandwidth), From::Measured};
  out.reached = {operations / (m.us * 1e-6), From::Modelled};
  return out;
}

// Cycles of the engine that copies, in the CTAs that were simulated.
double copying(const run::TimeModel& m) {
  double out = 0;
  for (const auto& [number, place] : m.counted.places)
    if (place.copied_global > 0)
      out += std::max(static_cast<double>(place.operations) * m.rates->box_each,
                      static_cast<double>(place.copied_global) / m.rates->box_bytes);
  return out;
}

// Copies that are waited for in most steps, and not in the first ones alone: more of them could be under way. Where the
// copies themselves take most of the path, that would be no help.
void look_for_shallow_rings(TimeAnswer& answer, const text::Anchors& anchors) {
  const double path = answer.model.pace.cycles;
  if (copying(answer.model) > kCopying * path) return;
  for (const auto& [key, wait] : answer.model.pace.waits) {
    if (wait.what != WaitFor::Copy || wait.steps.size() <= kFewVisits) continue;
    // What one CTA passes on to another may have to wait for what it got itself: no stage more would help.
    const auto copied = answer.model.counted.places.find(std::get<1>(key));
    if (copied == answer.model.counted.places.end() ||
        (copied->second.copied_global == 0 && copied->second.global_read.requests == 0))
      continue;
    const auto starved = static_cast<std::size_t>(std::ranges::count_if(wait.steps, [&](double c) { return c >= 1; }));
    double on_path = 0;
    for (const auto& [number, place] : answer.model.pace.places)
      if (ir::same_origin(place.origin, wait.blamed)) on_path = place.critical;
    if (starved * 2 <= wait.steps.size() || on_path < kShallow * path) continue;
    text::Diagnostic d = hint_at(wait.waits, project::kShallowCode,
                                 "warps wait here for copies in " + std::to_string(starved) + " of " +
                                     (wait.steps.size() >= PacedWait::kMostSteps ? "the first " : "") +
                                     std::to_string(wait.steps.size()) + " steps, modelled " +
                                     text::formatted("%.0f", wait.cycles / static_cast<double>(wait.times)) +
                                     " cycles each time: the ring is too shallow to hide how long a copy takes",
                                 "let more copies be under way: more stages, or start the copies earlier", anchors);
    const auto is_there = [&](const text::Diagnostic& had) { return had.span.begin == d.span.begin; };
    if (std::ranges::none_of(answer.advice, is_there)) answer.advice.push_back(std::move(d));
  }
}

}  // namespace

double TimeAnswer::intensity() const {
  return model.sectors ? static_cast<double>(model.multiplied) / (32 * static_cast<double>(model.sectors)) : 0;
}

const TimedWait* TimeAnswer::bounding_wait() const {
  if (lines.empty()) return nullptr;
  const auto found = std::ranges::find_if(waits, [&](const TimedWait& wait) {
    return wait.blamed.line == lines.front().at.line && wait.blamed.path == lines.front().at.path &&
           (wait.what == WaitFor::Copy || wait.what == WaitFor::Product);
  });
  return found == waits.end() ? nullptr : &*found;
}

std::expected<std::map<std::string, run::Number, std::less<>>, std::string> values_of(
    const std::vector<std::string>& settings) {
  std::map<std::string, run::Number, std::less<>> out;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const auto number =
        equals == std::string::npos ? std::nullopt : inputs::parse_number(std::string_view(setting).substr(equals + 1));
    if (!number) return std::unexpected("NAME=VALUE is wanted, a number: '" + setting + "' is none");
    out[setting.substr(0, equals)] = *number;
  }
  return out;
}

KernelTime time_of(const session::CompiledKernel& kernel, const session::Compiled& compiled, const syntax::Tree& tree,
                   const TimeAsked& asked, const std::stop_token& stop) {
  KernelTime out;
  out.name = kernel.value->kernel.name;
  out.entry = kernel.entry->expression;
  if (!kernel.lowered) {
    out.answer.model.why = "it was not compiled";
    return out;
  }
  run::TimeRequest request;
  request.values = session::numbers_said(kernel, compiled, tree);
  for (const auto& [name, value] : asked.values) request.values[name] = value;
  request.steps = asked.steps;
  request.ctas = asked.ctas;
  request.accesses = asked.code.accesses ? &*asked.code.accesses : nullptr;
  out.occupancy = occupancy(kernel.lowered->plan, kernel.target, asked.code.registers);
  if (out.occupancy) request.resident = out.occupancy->ctas;
  TimeAnswer& answer = out.answer;
  answer.model = run::model_time(*kernel.lowered, kernel.target, request, stop);
  if (!answer.model.why.empty()) return out;
  const script::Evaluation& evaluation = *compiled.evaluation;
  const Lines lines(evaluation.anchors, evaluation.tree->source().get());
  answer.lines = lines_of(answer.model, lines, kernel);
  answer.waits = waits_of(answer.model, lines);
  answer.roofline = roofline_of(answer.model, request.accesses ? From::Counted : From::CountedAsWritten);
  look_for_shallow_rings(answer, evaluation.anchors);
  for (text::Diagnostic& d : instruction_advice(answer.model, kernel, evaluation.anchors))
    answer.advice.push_back(std::move(d));
  CountedRun counted;
  for (const auto& [number, place] : answer.model.counted.places) counted.places.push_back(place);
  counted.rows = answer.model.counted.rows;
  const bool complete = answer.model.simulated == answer.model.ctas;
  out.profile = profile_of(counted, compiled, {{kernel.lowered.get(), std::move(answer.model.details)}}, complete);
  out.profile.why = asked.code.why;
  answer.model.details = {};
  answer.model.pace.places.clear();
  answer.model.pace.waits.clear();
  answer.model.pace.branches.clear();
  answer.model.counted = {};
  return out;
}

void follow(KernelTime& time, const text::Anchors& anchors) {
  const auto move = [&](ScriptLine& at) {
    const text::Anchors::Place place = anchors.resolve(at.span);
    if (place.source) at.line = place.source->position(place.begin).line;
  };
  for (TimedLine& line : time.answer.lines) move(line.at);
  for (ProfiledLine& line : time.profile.lines) {
    const text::Anchors::Place place = anchors.resolve(line.span);
    if (place.source) line.line = place.source->position(place.begin).line;
  }
  for (TimedWait& wait : time.answer.waits) {
    move(wait.waits);
    move(wait.blamed);
  }
}

std::vector<KernelTime> times_of(const RunAnswer& answer, const syntax::Tree& tree,
                                 const std::map<std::string, run::Number, std::less<>>& values,
                                 const std::stop_token& stop) {
  std::vector<KernelTime> out;
  std::vector<const session::CompiledKernel*> seen;
  for (const run::BoundLaunch& launch : answer.report.bound.launches) {
    const auto found = std::ranges::find_if(
        answer.compiled.kernels, [&](const session::CompiledKernel& k) { return k.lowered.get() == launch.kernel; });
    if (found == answer.compiled.kernels.end() || std::ranges::find(seen, &*found) != seen.end()) continue;
    seen.push_back(&*found);
    TimeAsked asked;
    asked.values = values;
    for (const auto& [name, extent] : launch.extents) asked.values[name] = run::Number::of(extent);
    asked.steps = kRunSteps;
    const std::size_t number = static_cast<std::size_t>(&launch - answer.report.bound.launches.data());
    if (number < answer.resources.size()) asked.code.registers = answer.resources[number].registers;
    asked.code.why = answer.accesses_missing;
    if (answer.details)
      if (const auto known = answer.details->find(launch.kernel); known != answer.details->end())
        asked.code.accesses = uncounted(known->second.accesses);
    out.push_back(time_of(*found, answer.compiled, tree, asked, stop));
  }
  return out;
}

}  // namespace tilewright::work
