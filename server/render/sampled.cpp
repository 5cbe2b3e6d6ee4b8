#include "server/render/sampled.h"

#include <algorithm>
#include <array>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/render/profile.h"
#include "server/work/profile.h"
#include "server/work/stalls.h"

namespace tilewright::render {
namespace {

constexpr std::size_t kMostSampledLines = 20, kMostWaits = 3, kMostAdvised = 3;
constexpr double kLeast = 0.05;   // a wait below this share of its line is not shown
constexpr double kAdvised = 0.1;  // one above this share of all samples gets its advice

std::string percent(std::uint64_t part, std::uint64_t all) {
  return all ? text::formatted("%.1f", 100 * static_cast<double>(part) / static_cast<double>(all)) + " %" : "-";
}

// "long_scoreboard 61 %, wait 12 %".
std::string waits_text(const std::vector<work::Waited>& waits, std::uint64_t all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostWaits, waits.size()); ++i) {
    const double share = all ? static_cast<double>(waits[i].count) / static_cast<double>(all) : 0;
    if (share < kLeast && i > 0) break;
    out +=
        (out.empty() ? "" : ", ") + text::visible(waits[i].reason) + " " + text::formatted("%.0f", 100 * share) + " %";
  }
  return out;
}

std::string lines_table(const work::SampledAnswer& sampled) {
  using Row = std::array<std::string, 5>;
  std::vector<Row> rows{{"line", "share", "by", "waits for", ""}};
  for (std::size_t i = 0; i < std::min(kMostSampledLines, sampled.lines.size()); ++i) {
    const work::SampledLine& line = sampled.lines[i];
    const std::string by = line.primitive.empty() ? "-" : line.primitive + " " + line.variant;
    rows.push_back({std::to_string(line.line + 1), percent(line.count, sampled.samples), by,
                    waits_text(line.waits, line.count), shortened_line(line.text)});
  }
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text::columns_of(row[i]));
  std::string out;
  for (const Row& row : rows) {
    std::string line = "   ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) line += text::padded(row[i], widths[i], i < 2) + "  ";
    line += row.back();
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// What the waits are that matter, and what to do about them.
std::string words_of_waits(const work::SampledAnswer& sampled) {
  std::string out;
  std::size_t advised = 0;
  for (const work::Waited& wait : sampled.waits) {
    const work::StallReason reason = work::stall_reason(wait.reason);
    if (reason.advice.empty()) continue;
    if (static_cast<double>(wait.count) < kAdvised * static_cast<double>(sampled.samples)) break;
    if (++advised > kMostAdvised) break;
    out += "    " + text::visible(reason.name) + " (" + percent(wait.count, sampled.samples) + " of all): waits for " +
           text::visible(reason.words) + "; " + std::string(reason.advice) + "\n";
  }
  return out;
}

Json waits_json(const std::vector<work::Waited>& waits) {
  Json out = Json::array();
  for (const work::Waited& wait : waits) {
    const work::StallReason reason = work::stall_reason(wait.reason);
    out.push_back({{"reason", wait.reason},
                   {"words", reason.words},
                   {"advice", reason.advice.empty() ? Json(nullptr) : Json(reason.advice)},
                   {"samples", wait.count}});
  }
  return out;
}

}  // namespace

std::string sampled_text(const work::RunAnswer& answer) {
  const run::Samples& samples = *answer.report.outcome.samples;
  if (!samples.absent.empty()) return "  samples  not available: " + text::visible(samples.absent) + "\n";
  const work::SampledAnswer sampled = work::sampled_of(answer);
  std::string out = "  samples  counted by the GPU: " + work::grouped(sampled.samples) + " of its warps in " +
                    text::counted(static_cast<std::uint64_t>(samples.rounds), "round");
  if (samples.dropped) out += ", " + work::grouped(samples.dropped) + " more were dropped";
  out += "\n";
  if (sampled.samples == 0) return out + "    the kernel ended before any was taken: give it more work\n";
  if (!sampled.missing.empty()) {
    out += "    lines not available: " + text::visible(sampled.missing) + "\n";
  } else {
    out += lines_table(sampled);
    if (sampled.lines.size() > kMostSampledLines)
      out += "    and " + text::counted(sampled.lines.size() - kMostSampledLines, "line") + " more (--json has all)\n";
    out += "    " + percent(sampled.attributed, sampled.samples) +
           " of the samples are at a line of the script; the rest is code that the compiler relates to none\n";
  }
  return out + words_of_waits(sampled);
}

Json sampled_json(const work::RunAnswer& answer) {
  const run::Samples& samples = *answer.report.outcome.samples;
  if (!samples.absent.empty()) return {{"counted_by", nullptr}, {"absent", samples.absent}};
  const work::SampledAnswer sampled = work::sampled_of(answer);
  const text::Anchors& anchors = answer.compiled.evaluation->anchors;
  Json lines = Json::array();
  for (const work::SampledLine& line : sampled.lines) {
    Json callers = Json::array(), chain = Json::array(), instructions = Json::array();
    for (text::Span s : line.callers) callers.push_back(range_json(s, anchors));
    for (text::Span s : line.chain) chain.push_back(range_json(s, anchors));
    for (const work::SampledInstruction& one : line.instructions)
      instructions.push_back(
          {{"launch", one.launch}, {"offset", one.offset}, {"sass", one.text}, {"samples", one.count}});
    lines.push_back({{"file", line.path},
                     {"line", line.line + 1},
                     {"text", line.text},
                     {"callers", std::move(callers)},
                     {"chain", std::move(chain)},
                     {"primitive", line.primitive.empty() ? Json(nullptr) : Json(line.primitive)},
                     {"variant", line.variant.empty() ? Json(nullptr) : Json(line.variant)},
                     {"samples", line.count},
                     {"waits", waits_json(line.waits)},
                     {"instructions", std::move(instructions)}});
  }
  return {{"counted_by", "gpu"},
          {"missing", sampled.missing.empty() ? Json(nullptr) : Json(sampled.missing)},
          {"samples", sampled.samples},
          {"attributed", sampled.attributed},
          {"taken", samples.taken},
          {"dropped", samples.dropped},
          {"elsewhere", samples.elsewhere},
          {"rounds", samples.rounds},
          {"seconds", samples.seconds},
          {"period", samples.period ? Json(std::int64_t{1} << samples.period) : Json(nullptr)},
          {"waits", waits_json(sampled.waits)},
          {"lines", std::move(lines)}};
}

}  // namespace tilewright::render
