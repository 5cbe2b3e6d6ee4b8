// tilewright remotes: the health of the machines elsewhere, and tilewright copied to one that has none.
#include "server/render/remotes.h"

#include <algorithm>
#include <filesystem>

#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/project/console.h"
#include "server/remote/consent.h"
#include "server/remote/health.h"
#include "server/remote/install.h"
#include "server/remote/ssh.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
using remote::Health;
using remote::Place;
namespace {

struct Asked {
  std::vector<std::string> names;  // none: all of the settings
  std::string install;
  int wait = 30;
  bool json = false;
};

// The places asked for, each once, and the pools that they are of.
struct Selection {
  std::vector<Place> places;
  struct Pool {
    std::string name;
    std::vector<std::string> members;
  };
  std::vector<Pool> pools;
};

std::expected<Selection, run::Failure> select(const Asked& asked, const project::Config& config) {
  std::vector<std::string> names = asked.names;
  if (names.empty()) {
    for (const auto& [name, what] : config.remotes) names.push_back(name);
    for (const auto& [name, what] : config.pools) names.push_back(name);
  }
  Selection out;
  for (const std::string& name : names) {
    auto places = remote::allowed_places(name, config);
    if (!places) return std::unexpected(places.error());
    if (config.pools.contains(name)) out.pools.push_back({name, {}});
    for (Place& place : *places) {
      if (config.pools.contains(name)) out.pools.back().members.push_back(place.name);
      const bool known = std::ranges::any_of(
          out.places, [&](const Place& p) { return p.name == place.name && p.command == place.command; });
      if (!known) out.places.push_back(std::move(place));
    }
  }
  return out;
}

bool is_healthy(const Selection::Pool& pool, const std::vector<Health>& all) {
  return std::ranges::all_of(pool.members, [&](const std::string& name) {
    return std::ranges::any_of(all, [&](const Health& h) { return h.place.name == name && h.healthy(); });
  });
}

// "2 × NVIDIA H200 (9.0), driver for CUDA 13.0"; what runs without a GPU.
std::string what_runs(const Health& h) {
  std::string out;
  const auto devices = render::devices_of(h);
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t same = i;
    while (same < devices.size() && devices[same].name == devices[i].name) ++same;
    out += (out.empty() ? "" : ", ") + (same - i > 1 ? std::to_string(same - i) + " × " : std::string()) +
           devices[i].name + " (" + std::to_string(devices[i].major) + "." + std::to_string(devices[i].minor) + ")";
    i = same;
  }
  if (!devices.empty()) return out + ", driver for CUDA " + render::cuda_version(devices[0].driver_version);
  using protocol::worker::Executes;
  const auto executes = protocol::worker::kExecutesWords.find(h.worker.executes);
  if (executes == Executes::Simulator) return "the simulator";
  return executes == Executes::Gpu ? "a GPU" : "compiles only";
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 0.01 ? "%.2f ms" : "%.0f ms", seconds * 1e3);
  return text;
}

void print_health(const Health& h, std::size_t width, const render::Colours& c) {
  const std::string margin(width + 3, ' ');
  project::sayf(stdout, "%s%s%s %-*s ", std::string(h.healthy() ? c.green : c.red).c_str(), h.healthy() ? "✓" : "✗",
                std::string(c.plain).c_str(), static_cast<int>(width), h.place.name.c_str());
  if (!h.healthy()) {
    project::sayf(stdout, "%s\n", h.problem.message.c_str());
    if (!h.problem.hint.empty()) project::sayf(stdout, "%s%s\n", margin.c_str(), h.problem.hint.c_str());
    return;
  }
  project::sayf(stdout, "%s, %d slot%s", what_runs(h).c_str(), h.slots, h.slots == 1 ? "" : "s");
  if (h.status.running + h.status.queued > 0)
    project::sayf(stdout, ", %d running, %d queued", h.status.running, h.status.queued);
  project::sayf(stdout, "\n%s%s, tilewright %s%s, %s; %s there and back, %s to connect\n", margin.c_str(),
                h.worker.host.c_str(), h.worker.version.c_str(),
                h.worker.version == TILEWRIGHT_VERSION ? "" : " (here is " TILEWRIGHT_VERSION ")",
                h.worker.compiles ? ("compiles with " + h.worker.compiler).c_str() : "no compiler there",
                milliseconds(h.latency_seconds).c_str(), milliseconds(h.connect_seconds).c_str());
}

void print_all(const Selection& selection, const std::vector<Health>& all) {
  const render::Colours& c = render::colours(stdout);
  std::size_t width = 8;
  for (const Health& h : all) width = std::max(width, std::min<std::size_t>(h.place.name.size(), 40));
  for (const Health& h : all) print_health(h, width, c);
  for (const Selection::Pool& pool : selection.pools) {
    std::string members;
    int slots = 0;
    for (const std::string& name : pool.members) {
      members += (members.empty() ? "" : ", ") + name;
      for (const Health& h : all) slots += h.place.name == name && h.healthy() ? h.slots : 0;
    }
    const bool well = is_healthy(pool, all);
    project::sayf(stdout, "%s%s%s %-*s the pool of %s: %d slot%s\n", std::string(well ? c.green : c.red).c_str(),
                  well ? "✓" : "✗", std::string(c.plain).c_str(), static_cast<int>(width), pool.name.c_str(),
                  members.c_str(), slots, slots == 1 ? "" : "s");
  }
}

int run_install(const Asked& asked, const project::Config& config, const std::stop_token& stop) {
  auto places = remote::allowed_places(asked.install, config);
  if (!places) return fail_usage(places.error().message, places.error().hint);
  bool failed = false;
  for (const Place& place : *places) {
    auto path = remote::install(
        place, remote::stands_at_terminal(), [](const std::string& line) { complain(line + "\n"); }, stop);
    if (stop.stop_requested()) return interrupted();
    if (path) {
      project::sayf(stdout, "%s: %s\n", place.name.c_str(), path->c_str());
    } else {
      failed = true;
      fail_usage(path.error().message, path.error().hint);
    }
  }
  return failed ? kErrors : kFine;
}

int run_remotes(const Asked& asked) {
  std::error_code ec;
  auto config = project::find_config(std::filesystem::current_path(ec) / "any.py");
  if (!config) return fail_usage(config.error());
  Interrupts interrupts;
  if (!asked.install.empty()) return run_install(asked, *config, interrupts.token());
  auto selection = select(asked, *config);
  if (!selection) return fail_usage(selection.error().message, selection.error().hint);
  const auto all = remote::check_health(selection->places, std::chrono::seconds(asked.wait),
                                        remote::stands_at_terminal(), interrupts.token());
  if (interrupts.token().stop_requested()) return interrupted();
  const bool well = std::ranges::all_of(all, &Health::healthy);
  if (asked.json) {
    std::vector<render::PoolHealth> pools;
    for (const auto& pool : selection->pools) pools.push_back({pool.name, pool.members, is_healthy(pool, all)});
    project::emit(stdout, render::dump(render::remotes_json(config->file.string(), all, pools)) + "\n");
  } else if (all.empty()) {
    project::sayf(stdout, "%s\n",
                  config->file.empty() ? "no tilewright.toml here or above, and no address was given"
                                       : (config->file.string() + " names no remotes").c_str());
    project::sayf(
        stdout, "  [remotes.lab] with at = \"ssh://gpu1\" names one; tilewright remotes ssh://gpu1 asks an address\n");
  } else {
    print_all(*selection, all);
  }
  return well ? kFine : kErrors;
}

}  // namespace

void add_remotes(CLI::App* c, Run& run) {
  auto asked = std::make_shared<Asked>();
  c->add_option(
      "names", asked->names,
      "Remotes and pools of tilewright.toml, or addresses: ssh://[USER@]HOST[:PORT], exec:COMMAND, "
      "tls://HOST:PORT, tcp://127.0.0.1:PORT, unix:PATH, slurm:partition=NAME,… (default: all of tilewright.toml)");
  auto* install = c->add_option("--install", asked->install, "Copy this tilewright to the machine, over ssh");
  install->type_name("NAME");
  c->add_option("--wait", asked->wait, "Seconds that an answer may take, a cluster's queue included")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  c->add_flag("--json", asked->json, "As JSON");
  install->excludes("names", "--json");
  c->footer(
      "Asking a remote runs what its address says: ssh, a command, a job of the cluster. Those of a project's "
      "tilewright.toml need your consent first (tilewright trust), those of your own config.toml below "
      "~/.config/tilewright do not.\n\nIn either file:\n  [remotes.lab]\n  at = \"tls://lab.example:7600\"     # with "
      "ca, cert, key, token_file, "
      "name: files beside the toml\n  token_file = \"lab.token\"\n  [remotes.box]\n  at = "
      "\"ssh://ada@gpu1\"             # with command: the tilewright there, if not found by itself\n  "
      "[remotes.image]\n  at = \"exec:docker run -i --rm --gpus all tilewright tilewright worker --stdio\"\n  "
      "[remotes.cluster]\n  at = \"slurm:partition=gpu,gres=gpu:h100:1,time=30,slots=4,keep=120\"\n  [pools]\n  hopper "
      "= [\"lab\", \"ssh://gpu2\"]\n\nOf slurm: partition, account, qos, time, constraint, nodelist, exclude, "
      "reservation, licenses, wckey, comment and nice go to the cluster; gres, mem and cpus are of one slot; nodes "
      "spreads the slots; keep leaves the nodes to the next command for so many seconds; wait bounds the time in the "
      "queue.\n\nOf all: slots, patience (seconds after which a silent worker is given up; default 120 for "
      "its greeting, then 30) and give_up (seconds after which a run is; default 3600).\n\nExit status: 0 all are "
      "well, 1 one is not, 2 usage.\n\nExamples:\n  tilewright remotes\n  tilewright remotes lab ssh://gpu2\n  "
      "tilewright remotes --install box\n  tilewright remotes --json cluster --wait 600");
  c->callback([asked, &run] { run = [asked] { return run_remotes(*asked); }; });
}

}  // namespace tilewright::cli
