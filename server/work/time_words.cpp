#include "server/work/time_words.h"

#include <algorithm>

#include "compiler/text/amounts.h"

namespace tilewright::work {
namespace {

using simulate::Traffic;
using simulate::WaitFor;

constexpr std::size_t kMostOfLine = 3;  // waits of a line that are told
constexpr double kLeastWait = 1;        // cycles

std::string us_text(double us) { return text::formatted(us < 10 ? "%.2f us" : "%.1f us", us); }

std::string cycles_text(double cycles) { return text::formatted("%.0f", cycles); }

void add_traffic(std::vector<std::string>& out, const char* what, const char* unit, const Traffic& t, From from) {
  if (t.units == 0) return;
  out.push_back(std::string(what) + ": " + grouped(t.units) + " " + unit +
                (t.units > t.ideal ? ", " + grouped(t.ideal) + " would do" : "") + ", " +
                std::string(from_words(from)));
}

// What of the device a grid leaves without work: ", 116 of them without a CTA". Empty: little.
std::string idle_words(const run::TimeModel& m) {
  const auto sms = static_cast<std::uint64_t>(m.rates->sms), fit = sms * static_cast<std::uint64_t>(m.resident);
  if (m.ctas < sms) return ", " + grouped(sms - m.ctas) + " of them without a CTA";
  const std::uint64_t last = m.waves > 1 ? m.ctas - (m.waves - 1) * fit : fit;
  if (2 * last > fit) return {};
  return "; the last one has " + text::counted(last, "CTA") + " where " + grouped(fit) + " fit";
}

}  // namespace

std::vector<TimePart> time_parts(const run::TimeModel& m) {
  return {{"ctas", "launches of CTAs", m.parts.ctas},
          {"path", "the longest path through each CTA", m.parts.path},
          {"issue", "instructions", m.parts.issue},
          {"special", "exponentials and quotients", m.parts.special},
          {"shared", "wavefronts of shared memory", m.parts.shared},
          {"l2", "bytes between an SM and the L2 cache", m.parts.l2},
          {"tensor", "tensor cores", m.parts.tensor},
          {"device_l2", "the L2 cache of all SMs", m.parts.device_l2},
          {"device_dram", "the device's memory", m.parts.device_dram}};
}

std::vector<std::string> head_words(const KernelTime& kernel) {
  const run::TimeModel& m = kernel.answer.model;
  const std::string occupied =
      "occupancy  " + (kernel.occupancy ? occupancy_words(*kernel.occupancy) : std::string("not available"));
  if (!m.why.empty()) return {"time     " + m.why, occupied};
  std::vector<std::string> out;
  out.push_back("time     modelled " + us_text(m.us) + ", 90 % of kernels between " + us_text(m.low) + " and " +
                us_text(m.high) + "; constants measured on " + std::string(m.rates->device) + " at " +
                text::formatted("%.2f", m.rates->clock_ghz) + " GHz, " + std::string(m.rates->date));
  out.push_back("grid     " + text::counted(m.ctas, "CTA") + ", " + text::counted(m.simulated, "CTA") + " simulated; " +
                text::counted(m.waves, "wave") + " on " + std::to_string(m.rates->sms) + " SMs" + idle_words(m));
  out.push_back(occupied);
  if (const std::string words = path_words(kernel.answer); !words.empty())
    out.push_back("path     " + words + ", modelled");
  if (kernel.answer.roofline) out.push_back("roofline " + roofline_words(*kernel.answer.roofline));
  std::string bounds = "bounds   each part alone, modelled: launch " + us_text(m.launch);
  for (const TimePart& one : time_parts(m))
    if (one.us >= 0.005)
      bounds += ", " + std::string(one.words) + " " + us_text(one.us) + (one.name == m.bound ? " (the largest)" : "");
  out.push_back(std::move(bounds));
  return out;
}

std::string path_words(const TimeAnswer& answer) {
  if (answer.lines.empty()) return {};
  const TimedLine& line = answer.lines.front();
  const TimedWait* wait = answer.bounding_wait();
  std::string out = wait ? blamed_words(*wait) : "line " + std::to_string(line.at.line + 1);
  if (!line.primitive.empty()) out += " (" + line.primitive + ", " + line.variant + ")";
  out += " is " + text::formatted("%.0f %%", 100 * line.share) + " of the path";
  if (wait) {
    out += "; line " + std::to_string(wait->waits.line + 1) + " waits for it";
    if (wait->steps.size() > 1) out += " in steps " + starved_words(*wait);
  }
  return out;
}

std::string roofline_words(const Roofline& roofline) {
  return text::formatted("%.1f", roofline.intensity.value) + " operations of " +
         (roofline.tensor ? "tensor cores" : "floating numbers") + " per byte of " +
         (roofline.beyond_cache ? "the device's memory" : "the L2 cache") + ", " +
         std::string(from_words(roofline.intensity.from)) + "; the ridge of " + std::string(roofline.device) +
         " is at " + text::formatted("%.0f", roofline.ridge.value) +
         ", measured: " + (roofline.memory_bounds ? "bytes" : "operations") + " bound it at " +
         text::formatted("%.1f", roofline.roof.value * 1e-12) + " Tops/s, of which it reaches " +
         text::formatted("%.0f %%", 100 * roofline.reached.value / roofline.roof.value) + ", modelled";
}

std::string wait_words(const TimedWait& wait) {
  std::string out = "line " + std::to_string(wait.waits.line + 1) + " waits for " + blamed_words(wait) + ": " +
                    text::counted(wait.times, "time") + ", " +
                    cycles_text(wait.cycles / static_cast<double>(std::max<std::uint64_t>(1, wait.times))) +
                    " cycles each, " + cycles_text(wait.most) + " at most";
  if (wait.steps.size() > 1) out += "; in steps " + starved_words(wait);
  return out;
}

std::vector<std::string> line_words(const KernelTime& kernel, std::uint32_t line) {
  std::vector<std::string> out;
  for (const TimedLine& one : kernel.answer.lines)
    if (one.at.line == line && one.share >= 0.005)
      out.push_back(text::formatted("%.0f %%", 100 * one.share) + " of the path, modelled");
  std::size_t told = 0;
  for (const TimedWait& wait : kernel.answer.waits)
    if ((wait.waits.line == line || wait.blamed.line == line) && wait.most >= kLeastWait && told++ < kMostOfLine)
      out.push_back(wait_words(wait) + ", modelled");
  simulate::ProfiledPlace counted;
  for (const ProfiledLine& one : kernel.profile.lines)
    if (one.line == line) counted.add(one.counted);
  add_traffic(out, "reads of global memory", "sectors", counted.global_read, kernel.profile.from());
  add_traffic(out, "writes to global memory", "sectors", counted.global_write, kernel.profile.from());
  add_traffic(out, "reads of shared memory", "wavefronts", counted.shared_read, kernel.profile.from());
  add_traffic(out, "writes to shared memory", "wavefronts", counted.shared_write, kernel.profile.from());
  if (counted.copied_global || counted.copied_shared)
    out.push_back("copies beside the threads: " + grouped(std::max(counted.copied_global, counted.copied_shared)) +
                  " bytes, counted");
  if (const EngineWavefronts engine = engine_wavefronts(counted); engine.needed.from != From::NotAvailable)
    out.push_back(
        "shared memory of copies and tensor cores: at least " + grouped(counted.engine.units) + " wavefronts" +
        (counted.engine.units > counted.engine.ideal ? ", " + grouped(counted.engine.ideal) + " would do" : "") + ", " +
        std::string(from_words(engine.needed.from)));
  if (counted.multiplied) out.push_back("tensor cores: " + grouped(counted.multiplied) + " operations, counted");
  return out;
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
  constexpr std::size_t kMostStretches = 6;
  std::string out;
  std::size_t stretches = 0, first = 0, count = 0, last = 0;
  for (std::size_t i = 0; i < wait.steps.size(); ++i) {
    if (wait.steps[i] < least) continue;
    last = i;
    while (last + 1 < wait.steps.size() && wait.steps[last + 1] >= least) ++last;
    if (stretches++ == 0) first = i;
    count += last + 1 - i;
    out += (out.empty() ? "" : ", ") + std::to_string(i) + (last > i ? " to " + std::to_string(last) : "");
    i = last;
  }
  if (stretches <= kMostStretches) return out;
  return std::to_string(first) + " to " + std::to_string(last) + ", " + std::to_string(count) + " of them";
}

}  // namespace tilewright::work
