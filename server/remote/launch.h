// How workers are started at a place, one after the other or several at a time.
#pragma once
#include <memory>
#include <stop_token>

#include "server/remote/allocation.h"

namespace tilewright::remote {

class Launcher {
 public:
  virtual ~Launcher() = default;  // gives back what the workers had: they are to be ended first
  // How many workers at a time are of use: of Slurm one a slot, else one, which says itself how many runs it takes.
  virtual int slots() const = 0;
  // The command of one worker. Of Slurm it first waits for an allocation, or makes a new one when that has ended (a few
  // times; then it is an error). From any thread. An empty message: it was stopped.
  virtual std::expected<std::vector<std::string>, run::Failure> command(const std::stop_token& stop) = 0;
};

// Null for places that are connected to: tls, tcp, unix. `terminal`: ssh may ask for a password.
std::unique_ptr<Launcher> make_launcher(const Place& place, bool terminal, Told told);

}  // namespace tilewright::remote
