// Hover on a kernel and on the lines of one: the model of its time, where it was made in a pause of typing.
#include <algorithm>
#include <iterator>

#include "server/ide/background_trials.h"
#include "server/ide/hover_parts.h"
#include "server/work/time_words.h"

namespace tilewright::ide {
namespace {

constexpr std::size_t kMostWaits = 3, kMostAdvice = 3;

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// What is advised at a line of the script, or at any: "line 16: ..., TW7001; let ...".
std::vector<std::string> advice_words(const work::KernelTime& time, const Query& q, const text::Anchors& anchors,
                                      std::optional<std::uint32_t> line) {
  std::vector<std::string> out;
  for (const auto* some : {&time.answer.advice, &time.profile.advice}) {
    for (const text::Diagnostic& d : *some) {
      const text::Anchors::Place at = anchors.resolve(d.span);
      if (!at.source || at.source->path() != q.snapshot->path() || out.size() == kMostAdvice) continue;
      const std::uint32_t there = at.source->position(at.begin).line;
      if (line && there != *line) continue;
      out.push_back((line ? "" : "line " + std::to_string(there + 1) + ": ") + d.message + " (" + std::string(d.code) +
                    ")" + (d.hint.empty() ? "" : "; " + d.hint));
    }
  }
  return out;
}

}  // namespace

void hover_time(HoverBlocks& out, const Query& q, const session::CompiledKernel& kernel, const text::Anchors& anchors,
                std::optional<std::uint32_t> line) {
  const auto made = q.trials ? q.trials->time_of(q.snapshot->path(), kernel) : nullptr;
  if (!made || (line && !made->answer.model.why.empty())) return;
  work::KernelTime time = *made;
  work::follow(time, anchors);
  std::vector<std::string> words = line ? work::line_words(time, *line) : work::head_words(time);
  if (!line)
    for (std::size_t i = 0; i < std::min(kMostWaits, time.answer.waits.size()); ++i)
      words.push_back(work::wait_words(time.answer.waits[i]));
  std::ranges::move(advice_words(time, q, anchors, line), std::back_inserter(words));
  if (!words.empty()) out.section("Speed", "text", joined(words));
}

}  // namespace tilewright::ide
