#include "server/remote/health.h"

#include <algorithm>
#include <future>
#include <mutex>

#include "server/remote/install.h"
#include "server/remote/link.h"

namespace tilewright::remote {
namespace {

using Clock = std::chrono::steady_clock;
using run::Failure;

constexpr int kPings = 9;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// One place, on a thread of its own.
class Check {
 public:
  Check(const Place& place, std::chrono::seconds patience, bool terminal)
      : place_(place), terminal_(terminal), patience_(place.patience) {
    patience_.set_silence(static_cast<int>(patience.count()));
    answer_ = std::async(std::launch::async, [this] { return ask(stop_.get_token()); });
  }
  ~Check() { stop_.request_stop(); }
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  bool wait_until(Clock::time_point end) { return answer_.wait_until(end) == std::future_status::ready; }
  void give_up() {
    late_ = !wait_until(Clock::now());
    if (late_) stop_.request_stop();
  }
  Health get(std::chrono::seconds patience) {
    Health out = answer_.get();
    if (!late_) return out;
    out.problem = {"no answer within " + std::to_string(patience.count()) + " s", "--wait SECONDS waits longer"};
    const std::scoped_lock lock(mutex_);
    if (!told_.empty()) out.problem.message += ": " + told_;
    return out;
  }

 private:
  Health ask(const std::stop_token& stop) {
    Health out;
    out.place = place_;
    // A cluster is asked for what is needed to see that it works.
    Place asked = place_;
    if (asked.kind == Kind::Slurm) {
      asked.slots = asked.slurm.nodes = 1;
      asked.slurm.keep = 0;
    }
    const auto begin = Clock::now();
    const auto ways = ways_to(asked, [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      told_ = line;
    });
    Link link(asked.name, ways.front(), patience_);
    auto client = link.client(stop);
    if (!client) {
      out.problem = explain(client.error(), stop);
      return out;
    }
    out.connect_seconds = seconds_since(begin);
    out.worker = (*client)->worker();
    out.slots = place_.kind == Kind::Slurm ? slurm_slots(place_) : out.worker.slots;
    if (place_.slots > 0 && place_.kind != Kind::Slurm) out.slots = std::min(out.slots, place_.slots);
    if (auto lost = measure(**client, out, stop)) out.problem = {*lost, {}};
    return out;
  }
  // What went wrong between the first and the last ping.
  static std::optional<std::string> measure(Client& client, Health& out, const std::stop_token& stop) {
    std::vector<double> pings;
    for (int i = 0; i < kPings; ++i) {
      auto seconds = client.ping(stop);
      if (!seconds) return seconds.error().message;
      pings.push_back(*seconds);
    }
    std::ranges::nth_element(pings, pings.begin() + kPings / 2);
    out.latency_seconds = pings[kPings / 2];
    auto status = client.status(stop);
    if (!status) return status.error().message;
    out.status = *status;
    return std::nullopt;
  }
  // Of a machine behind ssh: is it only that it has no tilewright?
  Failure explain(const Failure& failure, const std::stop_token& stop) const {
    Failure out = failure.message.empty() ? Failure{"it was stopped", {}} : failure;
    if (out.hint.starts_with("`tilewright remotes`")) out.hint.clear();  // that is what is asked
    if (place_.kind != Kind::Ssh || stop.stop_requested()) return out;
    auto offered = offer_install(place_, terminal_, {}, {}, stop);
    if (!offered && !offered.error().message.empty()) return offered.error();
    return out;
  }

  const Place place_;
  const bool terminal_;
  Patience patience_;
  std::stop_source stop_;
  bool late_ = false;
  std::mutex mutex_;
  std::string told_;
  std::future<Health> answer_;
};

}  // namespace

std::vector<Health> check_health(const std::vector<Place>& places, std::chrono::seconds patience, bool terminal,
                                 const std::stop_token& stop) {
  const auto end = Clock::now() + patience;
  std::vector<std::unique_ptr<Check>> checks;
  for (const Place& place : places) checks.push_back(std::make_unique<Check>(place, patience, terminal));
  for (const auto& check : checks) {
    while (!check->wait_until(std::min(end, Clock::now() + std::chrono::milliseconds(50)))) {
      if (Clock::now() < end && !stop.stop_requested()) continue;
      for (const auto& late : checks) late->give_up();
      break;
    }
  }
  std::vector<Health> out;
  for (const auto& check : checks) out.push_back(check->get(patience));
  return out;
}

}  // namespace tilewright::remote
