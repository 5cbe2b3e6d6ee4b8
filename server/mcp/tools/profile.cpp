// profile: why a kernel is slow, without a GPU: what it asks of the hardware by line, and the model of its time.
#include "server/render/profile.h"

#include <algorithm>
#include <optional>

#include "server/mcp/loaded.h"
#include "server/mcp/machine.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/render/time.h"
#include "server/work/time_words.h"

namespace tilewright::mcp {
namespace {

constexpr std::uint64_t kSteps = 100'000'000;  // of the simulator

// The kernel as the script has it, or compiled for an architecture that was asked for.
struct Profiled {
  Chosen chosen;
  std::optional<project::LoadedFile> file;
  std::optional<session::Compiled> own;
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
  const syntax::Tree* tree = nullptr;
};

std::expected<Profiled, std::string> subject_of(const Question& question) {
  const Arguments& asked = question.arguments;
  Profiled out;
  if (!asked.has("arch")) {
    auto chosen = chosen_kernel(question.script, asked);
    if (!chosen) return std::unexpected(chosen.error());
    out.chosen = std::move(*chosen);
    out.compiled = out.chosen.compiled;
    out.kernel = out.chosen.kernel;
    out.tree = question.script.query.snapshot->tree().get();
    return out;
  }
  const std::string arch = asked.text("arch");
  const auto target = ir::parse_target(arch);
  if (!target) return std::unexpected(arch + " is no architecture: sm_90a is one");
  auto file = loaded(question.script);
  if (!file) return std::unexpected(file.error());
  out.file = std::move(*file);
  std::vector<std::string> entries;
  if (asked.has("entry")) entries = {asked.text("entry")};
  const session::NamedTargets named{{*target}, session::ArchitectureSource::Asked};
  out.own = project::compile(*out.file, project::options_for(named, entries), question.stop());
  if (out.own->stopped) return std::unexpected(kStopped);
  const auto found =
      std::ranges::find_if(out.own->kernels, [](const session::CompiledKernel& k) { return k.lowered != nullptr; });
  if (found == out.own->kernels.end())
    return std::unexpected("no kernel of the script compiles for " + arch + ": call check");
  out.kernel = &*found;
  out.tree = out.file->tree.get();
  return out;
}

Result profile(const Question& question) {
  auto subject = subject_of(question);
  if (!subject) return std::unexpected(subject.error());
  const session::Compiled& compiled = subject->own ? *subject->own : *subject->compiled;
  const session::CompiledKernel& kernel = *subject->kernel;
  work::TimeAsked asked;
  asked.steps = kSteps;
  auto values = work::values_of(question.arguments.texts("set"));
  if (!values) return std::unexpected(values.error());
  asked.values = std::move(*values);
  if (kernel.cuda && run::rates_of(kernel.target)) asked.code = machine_code(kernel, question.stop());
  const work::KernelTime time = work::time_of(kernel, compiled, *subject->tree, asked, question.stop());
  if (question.stop().stop_requested()) return std::unexpected(kStopped);
  const run::TimeModel& m = time.answer.model;
  const text::Anchors& anchors = compiled.evaluation->anchors;
  Answer out;
  const bool known = m.why.empty();
  out.head = {{"path", question.script.shown},
              {"entry", time.entry},
              {"arch", kernel.target.name()},
              {"time_is", work::from_words(known ? work::From::Modelled : work::From::NotAvailable)},
              {"accesses_are", work::from_words(known ? time.profile.from() : work::From::NotAvailable)}};
  if (known) {
    out.head.update({{"us", m.us}, {"low_us", m.low}, {"high_us", m.high}, {"bound", m.bound}});
    out.summary = time.entry + ": " + text::formatted("%.2f", m.us) + " us, modelled; " + work::path_words(time.answer);
  } else {
    out.summary = time.entry + ": no time: " + m.why;
  }
  std::string report = render::time_text(time, anchors, {});
  if (known) report += render::profile_text(time.profile, anchors, {});
  add_lines(out, "report", report);
  const Json path{{"path", question.script.shown}};
  const text::Diagnostic* first = !time.profile.advice.empty()  ? &time.profile.advice.front()
                                  : !time.answer.advice.empty() ? &time.answer.advice.front()
                                                                : nullptr;
  const text::Anchors::Place place = first ? anchors.resolve(first->span) : text::Anchors::Place{};
  if (!m.rates && time.occupancy) {
    out.next = {"profile",
                {{"path", question.script.shown}, {"entry", time.entry}, {"arch", "sm_90a"}},
                "models its time on an H100"};
  } else if (place.source && place.source == compiled.evaluation->tree->source().get()) {
    out.next = {"explain",
                {{"path", question.script.shown}, {"line", place.source->position(place.begin).line + 1}},
                "the line that the first advice is about"};
  } else {
    out.next = {"docs", {{"topic", "explaining"}}, "says what the numbers are"};
  }
  return out;
}

}  // namespace

Tool profile_tool() {
  return {
      .name = "profile",
      .title = "Why is it slow",
      .words =
          "Why a kernel is slow, without a GPU: modelled time on an H100, occupancy and roofline with what bounds "
          "them, the critical path, waits by who waits for whom, and by line sectors, wavefronts and copies against "
          "the ideal, with advice. Says of each number whether it is counted, modelled, measured or not available.",
      .parameters = {path_parameter(),
                     entry_parameter(),
                     arch_parameter(),
                     {.name = "set", .kind = Parameter::Kind::Texts, .words = "NAME=VALUE of scalars and extents"}},
      .output = R"({"properties": {"path": {"type": "string"}, "entry": {"type": "string"}, "arch": {"type": "string"},
    "time_is": {"type": "string", "enum": ["modelled", "not available"]},
    "accesses_are": {"type": "string", "enum": ["counted", "counted as written", "not available"],
    "description": "As NVIDIA's compiler makes them, or, where it is not there, as the script writes them."}, "us": {"type": "number"},
    "low_us": {"type": "number"}, "high_us": {"type": "number"}, "bound": {"type": "string"}, "report": {"type": "string"}},
    "required": ["path", "entry", "arch", "time_is", "accesses_are", "report"]})",
      .example = R"({"path": "example:tma_pipeline"})",
      .waits = true,
      .answer = profile};
}

}  // namespace tilewright::mcp
