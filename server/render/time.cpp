#include "server/render/time.h"

#include <algorithm>
#include <array>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/render/profile.h"
#include "server/work/time_words.h"

namespace tilewright::render {
namespace {

using work::From;
using work::TimedLine;
using work::TimedWait;

constexpr std::size_t kMostLines = 12, kMostWaits = 8, kMostText = 56;
constexpr double kLeastShare = 0.005;

constexpr std::array<std::string_view, simulate::kInstructionClasses> kClasses = {
    "integer", "float", "double", "special", "conversion", "memory", "control", "call"};

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

std::string lines_text(const work::TimeAnswer& answer) {
  std::vector<std::array<std::string, 4>> rows{{"line", "of the path", "instructions as written", ""}};
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

// Where the answer's bytes and sectors are not of the accesses that NVIDIA's compiler makes.
std::string accesses_text(const work::ProfileAnswer& profile) {
  return profile.as_compiled ? std::string() : made_text(profile);
}

std::string waits_text(const work::TimeAnswer& answer) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostWaits, answer.waits.size()); ++i)
    out += "    " + work::wait_words(answer.waits[i]) + "\n";
  return out.empty() ? out : "  waits    of warps for what, counted; cycles are modelled\n" + out;
}

Json line_json(const work::ScriptLine& at) { return {{"file", at.path}, {"line", at.line + 1}, {"text", at.text}}; }

Json figure_json(const work::Figure& f) { return {{"value", f.value}, {"from", work::from_words(f.from)}}; }

Json occupied_json(const std::optional<work::Occupancy>& fits) {
  if (!fits) return nullptr;
  const bool known = fits->registers > 0;
  return {
      {"ctas_per_sm", fits->ctas},
      {"warps_per_sm", fits->warps},
      {"most_warps_per_sm", fits->warp_limit},
      {"bound", fits->bound},
      {"threads", fits->threads},
      {"shared_bytes", fits->shared},
      {"registers", figure_json({static_cast<double>(fits->registers), known ? From::Measured : From::NotAvailable})}};
}

Json roofline_json(const std::optional<work::Roofline>& r) {
  if (!r) return nullptr;
  return {{"device", r->device},
          {"operations_of", r->tensor ? "tensor cores" : "floating numbers"},
          {"bytes_of", r->beyond_cache ? "device memory" : "L2 cache"},
          {"operations", figure_json(r->operations)},
          {"bytes", figure_json(r->bytes)},
          {"operations_per_byte", figure_json(r->intensity)},
          {"ridge", figure_json(r->ridge)},
          {"roof_per_second", figure_json(r->roof)},
          {"reached_per_second", figure_json(r->reached)},
          {"bound", r->memory_bounds ? "bytes" : "operations"}};
}

Json path_json(const work::TimeAnswer& answer) {
  if (answer.lines.empty()) return nullptr;
  const TimedLine& line = answer.lines.front();
  const TimedWait* wait = answer.bounding_wait();
  return {{"words", work::path_words(answer)},
          {"bounded_by", line_json(line.at)},
          {"share", figure_json({line.share, From::Modelled})},
          {"what", wait ? Json(what_name(wait->what)) : Json("instructions")},
          {"waited_for_at", wait ? line_json(wait->waits) : Json(nullptr)},
          {"starved_steps", wait ? work::starved_words(*wait) : ""}};
}

}  // namespace

std::string time_text(const work::KernelTime& kernel, const text::Anchors& anchors, const Colours& c) {
  const run::TimeModel& m = kernel.answer.model;
  std::string out =
      "kernel " + kernel.name + (kernel.entry == kernel.name ? "" : "  (entry " + kernel.entry + ")") + "\n";
  for (const std::string& line : work::head_words(kernel)) out += "  " + line + "\n";
  if (!m.why.empty()) return out;
  out += lines_text(kernel.answer) + waits_text(kernel.answer) + accesses_text(kernel.profile);
  for (const text::Diagnostic& d : kernel.answer.advice) out += diagnostic_text(d, anchors, c);
  return out;
}

Json time_json(const work::KernelTime& kernel, const text::Anchors& anchors) {
  const run::TimeModel& m = kernel.answer.model;
  Json out = {{"name", kernel.name}, {"entry", kernel.entry}};
  if (!m.why.empty()) {
    out.update({{"time_is", work::from_words(From::NotAvailable)},
                {"why", m.why},
                {"occupied", occupied_json(kernel.occupancy)}});
    return out;
  }
  Json parts = Json::object(), lines = Json::array(), waits = Json::array(), advice = Json::array();
  for (const work::TimePart& part : work::time_parts(m)) parts[std::string(part.name)] = part.us;
  for (const TimedLine& line : kernel.answer.lines) {
    Json one = line_json(line.at), instructions = Json::object();
    for (std::size_t i = 0; i < kClasses.size(); ++i) instructions[std::string(kClasses[i])] = line.sum.instructions[i];
    one.update({{"primitive", line.primitive},
                {"variant", line.variant},
                {"share", line.share},
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
              {"occupancy", kernel.occupancy ? work::occupancy_words(*kernel.occupancy) : ""},
              {"occupied", occupied_json(kernel.occupancy)},
              {"roofline", roofline_json(kernel.answer.roofline)},
              {"path", path_json(kernel.answer)},
              {"waves", m.waves},
              {"path_cycles", m.pace.ctas ? m.pace.cycles / static_cast<double>(m.pace.ctas) : 0},
              {"sectors", m.sectors},
              {"accesses", made_json(kernel.profile)},
              {"instructions_are", work::from_words(From::CountedAsWritten)},
              {"tensor_operations", m.multiplied},
              {"tensor_bytes", m.tensor_bytes},
              {"operations_per_byte", kernel.answer.intensity()},
              {"lines", std::move(lines)},
              {"waits", std::move(waits)},
              {"advice", std::move(advice)}});
  return out;
}

}  // namespace tilewright::render
