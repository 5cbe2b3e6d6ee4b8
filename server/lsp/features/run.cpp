// tilewright/run: the document's kernel on one of the targets of `tilewright run`, in a process of its own.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "server/lsp/features.h"
#include "server/lsp/uri.h"
#include "server/project/files.h"
#include "server/project/run_targets.h"

namespace tilewright::lsp {
namespace {

constexpr std::size_t kMaxOutput = 4u << 20;

struct RunParams : protocol::DocumentParams {
  std::string entry, on;
};
void from_json(const Json& json, RunParams& p) {
  protocol::from_json(json, static_cast<protocol::DocumentParams&>(p));
  p.entry = json.at("entry").get<std::string>();
  p.on = json.at("on").get<std::string>();
}

struct Ended {
  int status = 0;
  std::string output, errors;
};

// Runs this very binary with these arguments; ended when `stop` says so.
std::expected<Ended, std::string> run_self(const std::vector<std::string>& arguments, const std::stop_token& stop) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return std::unexpected("no pipe");
  if (::pipe2(err, O_CLOEXEC) != 0) {
    ::close(out[0]), ::close(out[1]);
    return std::unexpected("no pipe");
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  std::vector<char*> argv;
  std::string self = "/proc/self/exe";
  argv.push_back(self.data());
  std::vector<std::string> copies = arguments;
  for (std::string& a : copies) argv.push_back(a.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  int failed = ::posix_spawn(&pid, self.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]), ::close(err[1]);
  if (failed) {
    ::close(out[0]), ::close(err[0]);
    return std::unexpected("the program could not be started");
  }
  Ended ended;
  pollfd ends[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  std::string* into[2] = {&ended.output, &ended.errors};
  bool told = false;
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (stop.stop_requested() && !told) {
      told = true;
      ::kill(pid, SIGTERM);
    }
    if (::poll(ends, 2, 50) <= 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || !ends[i].revents) continue;
      char buffer[1 << 14];
      ssize_t n = ::read(ends[i].fd, buffer, sizeof buffer);
      if (n <= 0) {
        ::close(ends[i].fd);
        ends[i].fd = -1;
      } else if (into[i]->size() < kMaxOutput) {
        into[i]->append(buffer, static_cast<std::size_t>(n));
      }
    }
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
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
  if (r.progress) r.progress("running " + params.entry + " on " + params.on, -1);
  auto ended = run_self({"run", path, "--entry", params.entry, "--on", params.on, "--json"}, r.stop);
  if (!ended) return refused(ended.error());
  if (r.stop.stop_requested()) return cancelled();
  Json report = Json::parse(ended->output, nullptr, false);
  return Json{{"status", ended->status},
              {"report", report.is_discarded() ? Json(nullptr) : std::move(report)},
              {"messages", ended->errors}};
}

}  // namespace

void add_run(Registry& registry) { registry.on_workspace<RunParams>("tilewright/run", run_kernel); }

}  // namespace tilewright::lsp
