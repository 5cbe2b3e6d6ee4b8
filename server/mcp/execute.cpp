#include "server/mcp/execute.h"

#include <algorithm>
#include <chrono>

#include "server/mcp/loaded.h"
#include "server/mcp/words.h"
#include "server/project/environment.h"
#include "server/render/run_report.h"
#include "server/work/executors.h"

namespace tilewright::mcp {
namespace {

constexpr std::int64_t kSeconds = 60, kMostSeconds = 600;
constexpr int kSchedules = 3;

// The first one.
std::string compile_error(const session::Compiled& compiled) {
  for (const text::Diagnostic& d : compiled.diagnostics)
    if (d.severity == text::Severity::Error) return d.message + (d.hint.empty() ? "" : " (" + d.hint + ")");
  return "the script has errors";
}

}  // namespace

std::expected<work::RunAnswer, std::string> executed(const Question& question, work::RunRequest request) {
  const Arguments& asked = question.arguments;
  auto file = loaded(question.script);
  if (!file) return std::unexpected(file.error());
  request.entry = asked.text("entry");
  const std::string on = asked.has("on") ? asked.text("on") : "sim";
  const std::int64_t seconds = std::clamp<std::int64_t>(asked.number("seconds").value_or(kSeconds), 1, kMostSeconds);
  const auto& progress = question.script.query.progress;
  simulate::Options simulator;
  simulator.profile = asked.flag("profile");
  auto executor = work::executor_on(on, project::gpu_options(), kSchedules, simulator, question.stop(),
                                    std::chrono::seconds(seconds));
  request.wanted.samples = asked.flag("profile") && executor->runs_cubins();
  work::RunAnswer answer = work::run_script(*file, request, *executor, question.stop(), [&](const std::string& what) {
    if (progress) progress(what + " on " + on, -1);
  });
  using End = work::RunAnswer::End;
  switch (answer.end) {
    case End::Reported: return answer;
    case End::Stopped: return std::unexpected(kStopped);
    case End::Errors:
      return std::unexpected(compile_error(answer.compiled) + "; call check on " + question.script.shown);
    case End::NoDevice:
    case End::Unusable:
    case End::Skipped:
      return std::unexpected(answer.failure.message + (answer.failure.hint.empty() ? "" : "; " + answer.failure.hint));
  }
  return std::unexpected(kStopped);
}

Parameter seconds_parameter() {
  return {.name = "seconds", .kind = Parameter::Kind::Number, .words = "That it may take; default 60, at most 600"};
}

}  // namespace tilewright::mcp
