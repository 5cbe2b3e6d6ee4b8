// An allocation of Slurm for the workers of one command.
//
// Three ways to have one: the job that we run in ourselves (SLURM_JOB_ID), which is used and left alone; one that an
// earlier command kept (record.h); a new one, which a holder keeps for as long as we live (holder.h).
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "server/remote/place.h"

namespace tilewright::remote {

// What there is to know while one waits: a line for people, each time that it changes.
using Told = std::function<void(const std::string& line)>;

class Allocation {
 public:
  // Waits until the cluster grants it. The error says why it does not, or that it was stopped (an empty message).
  static std::expected<std::unique_ptr<Allocation>, run::Failure> obtain(const Place& place, const Told& told,
                                                                         const std::stop_token& stop);
  virtual ~Allocation() = default;  // gives it back, or leaves it for the next command
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  const std::string& job() const { return job_; }
  // Has it ended: cancelled, preempted, its time over? Asks the cluster, in some 10 ms; what gives no answer has not.
  bool lost(const std::stop_token& stop) const;
  // Is it ours? Else another cannot take its place.
  virtual bool can_be_renewed() const { return true; }

 protected:
  explicit Allocation(std::string job) : job_(std::move(job)) {}
  std::string job_;
};

// The job around us; empty: there is none.
std::string surrounding_job();
// How many workers at a time: as wished, else as many as the surrounding job has tasks, else one.
int slurm_slots(const Place& place);

}  // namespace tilewright::remote
