// Hover on a kernel and on the lines of one: the model of its time, where it was made in a pause of typing.
#include "server/ide/background_trials.h"
#include "server/ide/hover_parts.h"
#include "server/work/time_words.h"

namespace tilewright::ide {
namespace {

constexpr std::size_t kMostWaits = 3;

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
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
  if (!words.empty()) out.section("Speed", "text", joined(words));
}

}  // namespace tilewright::ide
