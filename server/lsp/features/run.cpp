// tilewright/run: kernels of a saved document on one of the targets of `tilewright run`. The kernel runs in a process
// of its own, which a fault or a cancelled request ends.
#include "server/ide/run.h"

#include <algorithm>
#include <string>

#include "server/lsp/features.h"
#include "server/lsp/uri.h"
#include "server/project/environment.h"
#include "server/project/files.h"
#include "server/project/run_targets.h"
#include "server/render/run_report.h"

namespace tilewright::lsp {
namespace {

struct RunParams : protocol::DocumentParams {
  std::string entry, on;
};
void from_json(const Json& json, RunParams& p) {
  protocol::from_json(json, static_cast<protocol::DocumentParams&>(p));
  p.entry = json.at("entry").get<std::string>();
  p.on = json.at("on").get<std::string>();
}

Answer<Json> run_kernel(const Request& r, const RunParams& params) {
  if (std::ranges::find(project::kRunTargets, params.on) == project::kRunTargets.end()) {
    return std::unexpected(
        protocol::Error{protocol::ErrorCode::InvalidParams, "there is no target '" + params.on + "'", nullptr});
  }
  std::string path = path_of(params.uri);
  if (!is_file(path)) return refused("only a script that is saved can be run");
  for (const auto& s : r.open) {
    auto saved = s->path() == path ? project::read_file(path) : std::unexpected(std::string());
    if (s->path() == path && (!saved || *saved != s->source().text())) return refused("save the script, then run it");
  }
  auto file = project::load(path);
  if (!file) return refused(file.error());
  ide::RunRequest request;
  request.entry = params.entry;
  request.digests = true;
  constexpr int kSchedules = 3;
  auto executor = ide::executor_on(params.on, project::gpu_options(), kSchedules, {}, r.stop);
  auto progress = [&](const std::string& what) {
    if (r.progress) r.progress(what + " on " + params.on, -1);
  };
  progress("running " + params.entry);
  ide::RunAnswer answer = ide::run_script(*file, request, *executor, r.stop, progress);
  if (r.stop.stop_requested()) return cancelled();
  bool reported = answer.end == ide::RunAnswer::End::Reported;
  return Json{{"status", render::run_status(answer)},
              {"report", reported ? Json(render::run_json(answer)) : Json(nullptr)},
              {"messages", render::run_messages(answer, {})}};
}

}  // namespace

void add_run(Registry& registry) { registry.on_workspace<RunParams>("tilewright/run", run_kernel); }

}  // namespace tilewright::lsp
