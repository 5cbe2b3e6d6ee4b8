// The health of remotes: reachable, version, latency.
#pragma once
#include <chrono>
#include <vector>

#include "protocol/worker.h"
#include "server/remote/place.h"

namespace tilewright::remote {

struct Health {
  Place place;
  run::Failure problem;  // an empty message: it is well
  // Of a place that answered:
  protocol::worker::InitializeResult worker;
  protocol::worker::StatusResult status;
  double connect_seconds = 0;  // from the first word to the worker's greeting: ssh, a container, a cluster's queue
  double latency_seconds = 0;  // of a message there and back: the middle one of several
  int slots = 0;               // runs at a time

  bool healthy() const { return problem.message.empty(); }
};

// Asks all at once; one that has not answered after `patience` is not well. Of a cluster one slot is asked for, and
// given back. In the order of `places`. `terminal`: see worker_command().
std::vector<Health> check_health(const std::vector<Place>& places, std::chrono::seconds patience, bool terminal,
                                 const std::stop_token& stop);

}  // namespace tilewright::remote
