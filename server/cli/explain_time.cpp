#include "server/cli/explain_time.h"

#include "compiler/session/run_comments.h"
#include "compiler/text/amounts.h"
#include "server/cli/commands.h"
#include "server/cli/options.h"
#include "server/ide/occupancy.h"
#include "server/project/console.h"
#include "server/render/time.h"

namespace tilewright::cli {
namespace {

using Values = std::map<std::string, inputs::Number, std::less<>>;

std::expected<Values, std::string> values_of(const std::vector<std::string>& settings) {
  Values out;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const auto number =
        equals == std::string::npos ? std::nullopt : inputs::parse_number(std::string_view(setting).substr(equals + 1));
    if (!number) return std::unexpected("--set wants NAME=VALUE, a number: '" + setting + "' is none");
    out[setting.substr(0, equals)] = *number;
  }
  return out;
}

render::TimedKernel timed(const session::CompiledKernel& kernel, const session::Compiled& compiled,
                          const project::LoadedFile& file, const Values& values) {
  render::TimedKernel out{std::string(kernel.value->kernel.name), kernel.entry->expression, {}, {}};
  if (!kernel.lowered) {
    out.answer.model.why = "it was not compiled";
    return out;
  }
  run::TimeRequest request;
  request.values = session::numbers_said(kernel, compiled, *file.tree);
  for (const auto& [name, value] : values) request.values[name] = value;
  const lower::LaunchPlan& plan = kernel.lowered->plan;
  const std::optional<std::int64_t> threads = plan.launch.threads();
  const std::int64_t shared = plan.static_shared_bytes + plan.dynamic_shared_bytes;
  if (const auto fits = threads ? ide::occupancy(kernel.target, *threads, 0, shared) : std::nullopt) {
    request.resident = fits->ctas;
    out.occupancy = text::counted(static_cast<std::uint64_t>(fits->ctas), "CTA") + " per SM, " +
                    std::to_string(fits->warps * 100 / fits->warp_limit) + " % of its warps, bound by " + fits->bound +
                    "; registers are not available before NVIDIA's compiler has run";
  }
  out.answer = work::time_of(kernel, compiled, request);
  return out;
}

}  // namespace

int explain_time(const ExplainTime& asked, const session::Compiled& compiled, const project::LoadedFile& file,
                 render::Json& answer) {
  const auto values = values_of(asked.settings);
  if (!values) return fail_usage(values.error());
  const text::Anchors& anchors = compiled.evaluation->anchors;
  answer["time"] = render::Json::array();
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    const render::TimedKernel one = timed(kernel, compiled, file, *values);
    if (asked.json) {
      answer["time"].push_back(render::time_json(one, anchors));
    } else {
      project::say(stdout, render::time_text(one, anchors, render::colours(stdout)));
    }
  }
  return compiled.has_errors() ? kErrors : kFine;
}

}  // namespace tilewright::cli
