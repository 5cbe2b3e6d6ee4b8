// tilewright/run: kernels of a saved document on one of the targets of `tilewright run`: this machine's, or a remote or
// pool that the settings name. The kernel runs in a process of its own, which a fault or a cancelled request ends.
//
// Nothing of the settings is used before the user chooses it: they come with a repository, and a remote is a command.
#include "server/work/run.h"

#include <algorithm>
#include <string>

#include "server/ide/run_findings.h"
#include "server/lsp/features.h"
#include "server/lsp/trust.h"
#include "server/lsp/uri.h"
#include "server/project/environment.h"
#include "server/project/files.h"
#include "server/project/run_targets.h"
#include "server/remote/executor.h"
#include "server/render/run_report.h"
#include "server/render/timeline.h"
#include "server/work/executors.h"
#include "server/work/slots.h"

namespace tilewright::lsp {
namespace {

constexpr std::size_t kMostEvents = 20'000;  // of a timeline; about 2 MB of JSON

struct RunParams : protocol::DocumentParams {
  std::string entry, on;
  std::size_t timeline = 0;  // events, at most; 0: none is made
  bool profile = false;      // where its time goes: counted by the simulator, or sampled on a GPU
};
void from_json(const Json& json, RunParams& p) {
  protocol::from_json(json, static_cast<protocol::DocumentParams&>(p));
  p.entry = json.at("entry").get<std::string>();
  p.on = json.at("on").get<std::string>();
  p.timeline = std::min(json.value("timeline", std::size_t{0}), kMostEvents);
  p.profile = json.value("profile", false);
}

// Nothing: there is such a target.
std::optional<std::string> no_target(const std::string& on, const project::Config& config) {
  const std::vector<std::string> targets = project::run_targets(config);
  if (std::ranges::find(targets, on) != targets.end()) return std::nullopt;
  std::string why = "there is no target '" + on + "'; there are ";
  for (const std::string& name : targets) why += (name == targets.front() ? "" : ", ") + name;
  return why;
}

Json result_of(const work::RunAnswer& answer, const std::string& before, std::size_t events) {
  const bool reported = answer.end == work::RunAnswer::End::Reported;
  return {{"status", render::run_status(answer)},
          {"report", reported ? Json(render::run_json(answer)) : Json(nullptr)},
          {"text", reported ? render::run_text(answer, {}) : std::string()},
          {"messages", before + render::run_messages(answer, {})},
          {"timeline", reported ? Json(render::timeline_tracks(answer, events)) : Json(nullptr)}};
}

// Runs it, wherever that is. `left_out`: members of a pool that cannot be reached, for people.
work::RunAnswer run_on(const Request& r, const RunParams& params, const project::LoadedFile& file,
                       const std::function<void(const std::string&)>& progress, std::string& left_out) {
  work::RunRequest request;
  request.entry = params.entry;
  request.digests = true;
  constexpr int kSchedules = 3;
  if (project::is_local_target(params.on)) {
    progress("running " + params.entry + " on " + params.on);
    simulate::Options simulator;
    simulator.timeline = params.timeline;
    simulator.profile = params.profile;
    auto executor = work::executor_on(params.on, project::gpu_options(), kSchedules, simulator, r.stop);
    request.wanted.marks = params.timeline > 0 && executor->runs_cubins();
    request.wanted.samples = params.profile && executor->runs_cubins();
    return work::run_script(file, request, *executor, r.stop,
                            [&](const std::string& what) { progress(what + " on " + params.on); });
  }
  progress("connecting to " + params.on);
  remote::RemoteOptions options;
  options.progress = progress;
  auto found = remote::slots_at(params.on, file.config, options, r.stop);
  if (!found) {
    work::RunAnswer answer;
    answer.end = r.stop.stop_requested() ? work::RunAnswer::End::Stopped : work::RunAnswer::End::NoDevice;
    answer.failure = found.error();
    return answer;
  }
  for (const run::Failure& f : found->left_out) left_out += "tilewright: left out: " + f.message + "\n";
  work::SlotPool pool(std::move(found->slots));
  work::Borrower borrower(pool);
  // Its kind is known once it was asked; what is wrong with it the run says.
  if ((params.timeline > 0 || params.profile) && borrower.device(r.stop)) {
    request.wanted.marks = params.timeline > 0 && borrower.runs_cubins();
    request.wanted.samples = params.profile && borrower.runs_cubins();
  }
  return work::run_script(file, request, borrower, r.stop,
                          [&](const std::string& what) { progress(what + " on " + params.on); });
}

Answer<Json> run_kernel(const Request& r, const RunParams& params) {
  const std::string path = path_of(params.uri);
  if (auto why = remote::not_from_a_client(params.on)) return invalid(*why);
  if (!project::is_local_target(params.on)) {
    auto config = is_file(path) ? project::find_config(path) : project::Config();
    if (!config) return refused(config.error());
    if (auto why = no_target(params.on, *config)) return invalid(*why);
    // Asked before the script is looked at: the answer may take its time.
    if (auto why = untrusted(r, params.on, *config)) return refused(*why);
  }
  if (!is_file(path)) return refused("only a script that is saved can be run");
  for (const auto& s : r.open) {
    auto saved = s->path() == path ? project::read_file(path) : std::unexpected(std::string());
    if (s->path() == path && (!saved || *saved != s->source().text())) return refused("save the script, then run it");
  }
  auto file = project::load(path);
  if (!file) return refused(file.error());
  const std::function<void(const std::string&)> progress = [&](const std::string& what) {
    if (r.progress) r.progress(what, -1);
  };
  std::string left_out;
  const work::RunAnswer answer = run_on(r, params, *file, progress, left_out);
  if (r.stop.stop_requested()) return cancelled();
  const bool open = std::ranges::any_of(r.open, [&](const auto& s) { return s->path() == path; });
  if (r.runs && open) r.runs->keep(path, file->source, params.entry, params.on, answer);
  return result_of(answer, left_out, params.timeline);
}

}  // namespace

void add_run(Registry& registry) { registry.on_device<RunParams>("tilewright/run", run_kernel); }

}  // namespace tilewright::lsp
