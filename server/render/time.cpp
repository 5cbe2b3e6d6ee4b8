#include "server/render/time.h"

#include <algorithm>
#include <array>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"

namespace tilewright::render {
namespace {

using work::From;
using work::TimedLine;
using work::TimedWait;

constexpr std::size_t kMostLines = 12, kMostWaits = 8, kMostText = 56;
constexpr double kLeastShare = 0.005;

constexpr std::array<std::string_view, simulate::kInstructionClasses> kClasses = {
    "integer", "float", "double", "special", "conversion", "memory", "control", "call"};

struct Part {
  std::string_view name, words;
  double us;
};

std::vector<Part> parts_of(const run::TimeModel& m) {
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

std::string_view what_name(simulate::WaitFor what) {
  switch (what) {
    case simulate::WaitFor::Result: return "result";
    case simulate::WaitFor::Copy: return "copy";
    case simulate::WaitFor::Arrival: return "arrival";
    case simulate::WaitFor::Product: return "product";
    case simulate::WaitFor::Meeting: break;
  }
  return "meeting";
}

std::string cut(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  std::string out = text::visible(text.substr(first));
  std::size_t at = 0;
  for (std::size_t seen = 0; at < out.size(); ++at)
    if ((out[at] & 0xC0) != 0x80 && ++seen == kMostText) return out.substr(0, at) + "…";
  return out;
}

std::string us_text(double us) { return text::formatted(us < 10 ? "%.2f us" : "%.1f us", us); }

std::string cycles_text(double cycles) { return text::formatted("%.0f", cycles); }

// Numbers right, the last column left.
std::string table(const std::vector<std::array<std::string, 4>>& rows) {
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text::columns_of(row[i]));
  std::string out;
  for (const auto& row : rows) {
    std::string line = "   ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) line += text::padded(row[i], widths[i], true) + "  ";
    line += row.back();
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string head_text(const TimedKernel& kernel) {
  const run::TimeModel& m = kernel.answer.model;
  std::string out = "  time     modelled " + us_text(m.us) + ", 90 % of kernels between " + us_text(m.low) + " and " +
                    us_text(m.high) + "; constants measured on " + std::string(m.rates->device) + " at " +
                    text::formatted("%.2f", m.rates->clock_ghz) + " GHz, " + std::string(m.rates->date) + "\n";
  out += "  grid     " + text::counted(m.ctas, "CTA") + ", " + text::counted(m.simulated, "CTA") + " simulated; " +
         text::counted(m.waves, "wave") + " on " + std::to_string(m.rates->sms) + " SMs\n";
  out += "  occupancy  " + (kernel.occupancy.empty() ? "not available" : kernel.occupancy) + "\n";
  if (m.multiplied)
    out += "  roofline " + text::formatted("%.1f", kernel.answer.intensity()) +
           " operations of tensor cores a byte of sectors, counted; " + text::formatted("%.0f", kernel.answer.ridge()) +
           " a byte of its memory is what the device can feed: " +
           text::formatted("%.1f", kernel.answer.model.operations_per_second() * 1e-12) + " Tops/s, modelled\n";
  out += "  bounds   each part alone, modelled: launch " + us_text(m.launch);
  for (const Part& part : parts_of(m))
    if (part.us >= 0.005)
      out += ", " + std::string(part.words) + " " + us_text(part.us) + (part.name == m.bound ? " (the largest)" : "");
  return out + "\n";
}

std::string lines_text(const work::TimeAnswer& answer) {
  std::vector<std::array<std::string, 4>> rows{{"line", "of the path", "instructions", ""}};
  std::size_t left = 0;
  for (const TimedLine& line : answer.lines) {
    if (line.share < kLeastShare || rows.size() > kMostLines) {
      ++left;
      continue;
    }
    std::uint64_t instructions = 0;
    for (std::uint64_t n : line.sum.instructions) instructions += n;
    rows.push_back({std::to_string(line.at.line + 1), text::formatted("%.0f %%", 100 * line.share),
                    std::to_string(instructions), cut(line.at.text)});
  }
  std::string out = table(rows);
  if (left) out += "    and " + text::counted(left, "line") + " more (--json has all)\n";
  return out;
}

std::string waits_text(const work::TimeAnswer& answer) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostWaits, answer.waits.size()); ++i) {
    const TimedWait& wait = answer.waits[i];
    out += "    line " + std::to_string(wait.waits.line + 1) + " waits for " + work::blamed_words(wait) + ": " +
           text::counted(wait.times, "time") + ", " + cycles_text(wait.cycles / static_cast<double>(wait.times)) +
           " cycles each, " + cycles_text(wait.most) + " at most";
    if (wait.steps.size() > 1) out += "; in steps " + work::starved_words(wait);
    out += "\n";
  }
  if (!out.empty()) out = "  waits    of warps for what, counted; cycles are modelled\n" + out;
  return out;
}

Json line_json(const work::ScriptLine& at) { return {{"file", at.path}, {"line", at.line + 1}, {"text", at.text}}; }

}  // namespace

std::string time_text(const TimedKernel& kernel, const text::Anchors& anchors, const Colours& c) {
  const run::TimeModel& m = kernel.answer.model;
  std::string out =
      "kernel " + kernel.name + (kernel.entry == kernel.name ? "" : "  (entry " + kernel.entry + ")") + "\n";
  if (!m.why.empty()) return out + "  time     " + m.why + "\n";
  out += head_text(kernel) + lines_text(kernel.answer) + waits_text(kernel.answer);
  for (const text::Diagnostic& d : kernel.answer.advice) out += diagnostic_text(d, anchors, c);
  return out;
}

Json time_json(const TimedKernel& kernel, const text::Anchors& anchors) {
  const run::TimeModel& m = kernel.answer.model;
  Json out = {{"name", kernel.name}, {"entry", kernel.entry}};
  if (!m.why.empty()) {
    out.update({{"time_is", work::from_words(From::NotAvailable)}, {"why", m.why}});
    return out;
  }
  Json parts = Json::object(), lines = Json::array(), waits = Json::array(), advice = Json::array();
  for (const Part& part : parts_of(m)) parts[std::string(part.name)] = part.us;
  for (const TimedLine& line : kernel.answer.lines) {
    Json one = line_json(line.at), instructions = Json::object();
    for (std::size_t i = 0; i < kClasses.size(); ++i) instructions[std::string(kClasses[i])] = line.sum.instructions[i];
    one.update({{"share", line.share},
                {"instructions", std::move(instructions)},
                {"fused", line.sum.fused},
                {"busy_cycles", line.sum.busy},
                {"stalled_cycles", line.sum.stalled},
                {"waited_cycles", line.sum.waited},
                {"path_cycles", line.sum.critical}});
    lines.push_back(std::move(one));
  }
  for (const TimedWait& wait : kernel.answer.waits)
    waits.push_back({{"at", line_json(wait.waits)},
                     {"for", line_json(wait.blamed)},
                     {"what", what_name(wait.what)},
                     {"times", wait.times},
                     {"cycles", wait.cycles},
                     {"most", wait.most},
                     {"steps", wait.steps}});
  for (const text::Diagnostic& d : kernel.answer.advice) advice.push_back(diagnostic_json(d, anchors));
  out.update({{"time_is", work::from_words(From::Modelled)},
              {"us", m.us},
              {"low_us", m.low},
              {"high_us", m.high},
              {"launch_us", m.launch},
              {"parts_us", std::move(parts)},
              {"bound", m.bound},
              {"device", m.rates->device},
              {"clock_ghz", m.rates->clock_ghz},
              {"measured_on", m.rates->date},
              {"ctas", m.ctas},
              {"ctas_simulated", m.simulated},
              {"ctas_per_sm", m.resident},
              {"occupancy", kernel.occupancy},
              {"waves", m.waves},
              {"path_cycles", m.pace.ctas ? m.pace.cycles / static_cast<double>(m.pace.ctas) : 0},
              {"sectors", m.sectors},
              {"tensor_operations", m.multiplied},
              {"tensor_bytes", m.tensor_bytes},
              {"operations_per_byte", kernel.answer.intensity()},
              {"lines", std::move(lines)},
              {"waits", std::move(waits)},
              {"advice", std::move(advice)}});
  return out;
}

}  // namespace tilewright::render
