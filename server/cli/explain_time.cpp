#include "server/cli/explain_time.h"

#include "server/cli/commands.h"
#include "server/cli/options.h"
#include "server/project/console.h"
#include "server/project/environment.h"
#include "server/render/time.h"

namespace tilewright::cli {

int explain_time(const ExplainTime& asked, const session::Compiled& compiled, const project::LoadedFile& file,
                 render::Json& answer) {
  const auto values = work::values_of(asked.settings);
  if (!values) return fail_usage("--set: " + values.error());
  const text::Anchors& anchors = compiled.evaluation->anchors;
  toolchain::Toolchain tools(project::toolchain_options());
  answer["time"] = render::Json::array();
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    work::TimeAsked wanted{.values = *values};
    if (!asked.as_written && kernel.cuda && run::rates_of(kernel.target))
      wanted.code = work::machine_code_of(kernel, tools, {});
    const work::KernelTime one = work::time_of(kernel, compiled, *file.tree, wanted);
    if (asked.json) {
      answer["time"].push_back(render::time_json(one, anchors));
    } else {
      project::say(stdout, render::time_text(one, anchors, render::colours(stdout)));
    }
  }
  return compiled.has_errors() ? kErrors : kFine;
}

}  // namespace tilewright::cli
