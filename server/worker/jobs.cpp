#include "server/worker/jobs.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "compiler/threads/pause.h"
#include "server/worker/simulated_job.h"

namespace tilewright::worker {
namespace {

using toolchain::HelperProcess;

// How often clients hear how far their simulated launches are.
constexpr std::chrono::milliseconds kTold{250};
// Before something is tried again for which there was no memory.
constexpr std::chrono::milliseconds kBreath{20};
// Of those that wait, so many are told where they stand.
constexpr std::size_t kToldQueue = 100;

Ending ended_as(run::Status status, std::string message) {
  Ending out;
  out.outcome.status = status;
  out.outcome.message = std::move(message);
  return out;
}

void tell_place(const Job& job, std::size_t ahead) {
  job.progress({.key = job.key, .state = "queued", .ahead = static_cast<int>(ahead)});
}

// A client waits for this: where there is no memory for it now, there is when others have ended.
void end(const Job& job, Ending ending) {
  for (int times = 0; times < 500; ++times) {
    try {
      return job.ended(std::move(ending));
    } catch (const std::bad_alloc&) {
      ending = ended_as(run::Status::Lost, {});
      std::this_thread::sleep_for(kBreath);
    }
  }
}

}  // namespace

class Jobs::Slot {
 public:
  Slot(const Options& options, int device, Budget& simulators) : options_(options), simulators_(simulators) {
    if (options.executes != Executes::Gpu) return;
    run::GpuOptions gpu = options.gpu;
    gpu.device = device;
    gpu.memory_limit = options.limits.host_bytes;
    gpu_ = std::make_unique<run::GpuExecutor>(std::move(gpu));
  }

  std::expected<run::DeviceInfo, std::string> prepare(const std::stop_token& stop) {
    if (gpu_) return gpu_->device(stop);
    if (!simulator_)
      if (auto started = start_simulated_job()) simulator_ = std::move(*started);
    return run::DeviceInfo();
  }

  Ending run(Job& job) {
    if (job.stop.stop_requested()) return ended_as(run::Status::Stopped, "no client waits for it any more");
    if (gpu_) {
      gpu_->set_deadline(job.deadline);
      run::Outcome outcome = gpu_->run(job.order, job.stop.get_token());
      // The GPU was there when the worker began: its process was ended while it started. Nothing of the job was done.
      if (outcome.status == run::Status::NoDriver) outcome = gpu_->run(job.order, job.stop.get_token());
      if (outcome.status == run::Status::NoDriver) outcome.status = run::Status::Lost;
      return {std::move(outcome), {}};
    }
    auto process = simulator_ ? std::expected<std::unique_ptr<HelperProcess>, std::string>(std::move(simulator_))
                              : start_simulated_job();
    if (!process) return ended_as(run::Status::Lost, process.error());
    return run_simulated(**process, job, options_.simulator_bytes, simulators_);
  }

 private:
  const Options& options_;
  Budget& simulators_;
  std::unique_ptr<run::GpuExecutor> gpu_;
  std::unique_ptr<HelperProcess> simulator_;  // ready for the next job
};

Jobs::Jobs(const Options& options) : options_(options), simulators_(options.simulators_bytes) {
  if (options.executes == Executes::Nothing) return;
  for (int device : options.devices) slots_.push_back(std::make_unique<Slot>(options, device, simulators_));
}

Jobs::~Jobs() {
  {
    std::lock_guard lock(mutex_);
    queue_.look(queue_.size(), [](const auto& job, std::size_t) { job->stop.request_stop(); });
    for (const auto& job : running_) job->stop.request_stop();
  }
  for (std::jthread& t : threads_) t.request_stop();
}

std::expected<std::vector<run::DeviceInfo>, std::string> Jobs::prepare() {
  std::vector<run::DeviceInfo> devices;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    auto device = slots_[i]->prepare({});
    if (!device)
      return std::unexpected("device " + std::to_string(options_.devices[i]) + " cannot be used: " + device.error());
    devices.push_back(std::move(*device));
  }
  for (const auto& slot : slots_)
    threads_.emplace_back([this, &slot = *slot](const std::stop_token& stop) { serve_all(slot, stop); });
  if (!slots_.empty())
    teller_ = std::jthread([this](const std::stop_token& stop) {
      while (threads::pause(kTold, stop)) {
        const std::lock_guard lock(mutex_);
        try {
          tell_running();
        } catch (const std::bad_alloc&) {
          continue;  // what is not told now is told the next time
        }
      }
    });
  return devices;
}

bool Jobs::submit(const std::shared_ptr<Job>& job) {
  {
    std::lock_guard lock(mutex_);
    if (queue_.of(job->client) >= static_cast<std::size_t>(options_.limits.queued_jobs)) return false;
    queue_.push(job->client, job);
    if (running_.size() == slots_.size())
      queue_.look(kToldQueue, [&](const auto& waiting, std::size_t ahead) {
        if (waiting == job) tell_place(*job, ahead);
      });
  }
  more_.notify_one();
  return true;
}

void Jobs::withdraw(const std::shared_ptr<Job>& job) {
  job->stop.request_stop();
  bool waited = false;
  {
    std::lock_guard lock(mutex_);
    waited = queue_.erase(job);
    counts_.failed += waited;
  }
  if (waited) end(*job, ended_as(run::Status::Stopped, "no client waits for it any more"));
}

Jobs::Counts Jobs::counts() const {
  std::lock_guard lock(mutex_);
  Counts out = counts_;
  out.running = static_cast<int>(running_.size());
  out.queued = static_cast<int>(queue_.size());
  return out;
}

void Jobs::tell_queue() {
  queue_.look(kToldQueue, [](const auto& job, std::size_t ahead) { tell_place(*job, ahead); });
}

void Jobs::tell_running() {
  for (const auto& job : running_) {
    auto* numbers = reinterpret_cast<std::uint64_t*>(job->clusters.data());
    const std::uint64_t all = std::atomic_ref(numbers[1]).load(), done = std::atomic_ref(numbers[0]).load();
    if (all > 1 || !job->told_running) job->progress({.key = job->key, .state = "running", .done = done, .all = all});
    job->told_running = true;
  }
}

void Jobs::serve_all(Slot& slot, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (more_.wait(lock, stop, [&] { return !queue_.empty(); })) {
    lock.unlock();
    try {
      serve(slot);
    } catch (const std::exception&) {
      // Without memory for a message to one client the others go on.
      std::this_thread::sleep_for(kBreath);
    }
    lock.lock();
  }
}

// Takes the next job, if it is still there, runs it and says so.
void Jobs::serve(Slot& slot) {
  std::shared_ptr<Job> job;
  {
    std::lock_guard lock(mutex_);
    if (queue_.empty()) return;
    running_.reserve(running_.size() + 1);
    job = queue_.pop();
    running_.push_back(job);
  }
  Ending ending;
  try {
    {
      std::lock_guard lock(mutex_);
      tell_queue();
    }
    ending = slot.run(*job);
  } catch (const std::exception& e) {
    ending = ended_as(run::Status::Lost, std::string("the worker could not run it: ") + e.what());
  }
  {
    std::lock_guard lock(mutex_);
    std::erase(running_, job);
    ++(ending.outcome.status == run::Status::Done ? counts_.done : counts_.failed);
  }
  end(*job, std::move(ending));
  job.reset();
  // For the next one, while no job waits. Of a GPU that was lost the next job hears.
  [[maybe_unused]] auto ready = slot.prepare({});
}

}  // namespace tilewright::worker
