#include "server/views/run_page.h"

#include <algorithm>

#include "compiler/text/amounts.h"
#include "server/render/run_report.h"
#include "server/render/timeline.h"
#include "server/views/frame.h"
#include "server/work/profile.h"
#include "server/work/sampled.h"
#include "server/work/stalls.h"

namespace tilewright::views {
namespace {

using render::Json;

// Spans of a timeline that a page draws at once.
constexpr std::size_t kMostEvents = 60'000, kMostLines = 40, kMostWaits = 3;

// {source, last, lines: [{line, text, share, by, words}]}: by samples of a GPU.
Json sampled_lines(const work::SampledAnswer& sampled) {
  Json lines = Json::array();
  for (std::size_t i = 0; i < std::min(kMostLines, sampled.lines.size()); ++i) {
    const work::SampledLine& line = sampled.lines[i];
    std::string words;
    for (std::size_t k = 0; k < std::min(kMostWaits, line.waits.size()); ++k)
      words +=
          (k ? "; " : "") + std::string(work::stall_reason(line.waits[k].reason).words) + " " +
          text::formatted("%.0f", 100 * static_cast<double>(line.waits[k].count) / static_cast<double>(line.count)) +
          " %";
    lines.push_back({{"line", line.line},
                     {"text", line.text},
                     {"share", static_cast<double>(line.count) / static_cast<double>(sampled.samples)},
                     {"by", line.primitive.empty() ? line.primitive : line.primitive + " " + line.variant},
                     {"words", std::move(words)}});
  }
  return {{"source", "Counted by the GPU: " + work::grouped(sampled.samples) + " samples of its warps."},
          {"last", "its warps wait for"},
          {"lines", std::move(lines)}};
}

// The same by what the simulator counted.
Json counted_lines(const work::ProfileAnswer& profile) {
  double all = 0;
  for (const work::ProfiledLine& line : profile.lines) all += work::cost_of(line.counted);
  Json lines = Json::array();
  for (std::size_t i = 0; i < std::min(kMostLines, profile.lines.size()); ++i) {
    const work::ProfiledLine& line = profile.lines[i];
    lines.push_back({{"line", line.line},
                     {"text", line.text},
                     {"share", all > 0 ? work::cost_of(line.counted) / all : 0},
                     {"by", ""},
                     {"words", work::grouped(work::global_bytes(line.counted)) + " bytes of global memory"}});
  }
  return {
      {"source", "Counted by the simulator; the shares are modelled."}, {"last", "moves"}, {"lines", std::move(lines)}};
}

Json costs_of(const work::RunAnswer& answer) {
  const run::Outcome& outcome = answer.report.outcome;
  if (outcome.samples && outcome.samples->absent.empty())
    if (const work::SampledAnswer sampled = work::sampled_of(answer); sampled.samples > 0 && sampled.missing.empty())
      return sampled_lines(sampled);
  return outcome.profile.empty() ? Json(nullptr) : counted_lines(work::profile_of(answer));
}

}  // namespace

std::string html_run(const work::RunAnswer& answer) {
  const text::Source& source = *answer.compiled.evaluation->tree->source();
  const run::Report& report = answer.report;
  const Json data{{"facts", report.entry + " on " + report.device.name + " (" + report.arch +
                                "): " + std::string(report.verdict())},
                  {"report", render::run_text(answer, {})},
                  {"source", source.text()},
                  {"costs", costs_of(answer)},
                  {"timeline", render::timeline_tracks(answer, kMostEvents)}};
  return framed_page(page_source("run.html"), source.path(),
                     std::string(page_source("page.css")) + std::string(page_source("run.css")),
                     std::string(page_source("run.js")), data);
}

}  // namespace tilewright::views
