#include "server/worker/worker.h"

#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "compiler/run/job_json.h"
#include "server/endpoint/descriptors.h"
#include "server/project/console.h"

namespace tilewright::worker {

bool Attempts::enter(const std::shared_ptr<Job>& job) {
  constexpr std::size_t kMost = 4096;
  std::shared_ptr<Job> earlier;
  {
    std::lock_guard lock(mutex_);
    auto [at, fresh] = known_.try_emplace(job->key);
    Known& known = at->second;
    if (!fresh) {
      if (known.attempt >= job->attempt) return false;
      earlier = known.job.lock();
      ages_.erase(known.age);
    }
    known.attempt = job->attempt;
    known.job = job;
    known.age = ages_.insert(ages_.end(), job->key);
    if (ages_.size() > kMost) {
      known_.erase(ages_.front());
      ages_.pop_front();
    }
  }
  if (earlier) earlier->stop.request_stop();
  return true;
}

bool Attempts::is_latest(const Job& job) const {
  std::lock_guard lock(mutex_);
  auto at = known_.find(job.key);
  return at == known_.end() || at->second.attempt <= job.attempt;
}

Worker::Worker(Options given)
    : options(std::move(given)),
      budget(std::make_shared<Budget>(options.held_bytes)),
      files(std::make_shared<Budget>(static_cast<std::int64_t>(endpoint::most_files_of_clients()))),
      tools(options.tools),
      compilations(tools, options.compilations, static_cast<std::size_t>(options.limits.queued_jobs)),
      jobs(options) {}

std::expected<void, std::string> Worker::prepare() {
  auto devices = jobs.prepare();
  if (!devices) return std::unexpected(devices.error());
  self_.protocol = protocol::worker::kVersion;
  self_.version = TILEWRIGHT_VERSION;
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0) self_.host = name;
  self_.executes = protocol::worker::kExecutesWords[options.executes];
  const auto& cuda = tools.cuda();
  self_.compiles = options.compiles && cuda.has_value();
  self_.compiler = !options.compiles ? "it was started without" : cuda ? cuda->root.string() : cuda.error();
  self_.slots = static_cast<int>(devices->size());
  if (options.executes == Executes::Gpu)
    for (const run::DeviceInfo& d : *devices) self_.devices.push_back(run::device_json(d));
  self_.limits = options.limits;
  // The first compilation and the first launch find everything loaded.
  if (self_.compiles) compilations.warm();
  return {};
}

protocol::worker::StatusResult Worker::status() const {
  const Jobs::Counts counts = jobs.counts();
  return {.running = counts.running,
          .queued = counts.queued,
          .done = counts.done,
          .failed = counts.failed,
          .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(),
          .held_bytes = budget->held()};
}

void Worker::log(const std::string& line) {
  char time[32] = {};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(time, sizeof time, "%FT%TZ", &utc);
  project::sayf(stderr, "%s tilewright worker: %s\n", time, line.c_str());
}

}  // namespace tilewright::worker
