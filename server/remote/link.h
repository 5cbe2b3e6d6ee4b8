// A way to a worker that stays when connections do not: callers of the worker get the client that lives, or a new
// one.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "server/remote/client.h"
#include "server/remote/launch.h"
#include "server/remote/place.h"

namespace tilewright::remote {

// Makes a connection, with the token that the worker may ask for.
struct Reached {
  std::unique_ptr<transport::Connection> connection;
  std::string token;
  bool in_turns = false;  // Client::take_turns()
};
using Reach = std::function<std::expected<Reached, run::Failure>(const std::stop_token& stop)>;
// The ways to a place: one, or for Slurm one for each of its slots, which share an allocation. `told` hears what is
// waited for.
std::vector<Reach> ways_to(const Place& place, const Told& told);

// A connection to a place that is connected to (tls, tcp, unix). `server`: its command, for people: "serve".
std::expected<Reached, run::Failure> over_network(const Place& place, const std::string& server,
                                                  const std::stop_token& stop);

class Link {
 public:
  Link(std::string name, Reach reach, const Patience& patience)
      : name_(std::move(name)), reach_(std::move(reach)), patience_(patience) {}

  const std::string& name() const { return name_; }
  // From any thread. The error says why none can be reached; one that was there before is waited for, some seconds.
  std::expected<std::shared_ptr<Client>, run::Failure> client(const std::stop_token& stop);
  // How often a connection was made.
  int connections() const { return connections_; }

 private:
  std::expected<std::shared_ptr<Client>, run::Failure> connect(const std::stop_token& stop);

  const std::string name_;
  const Reach reach_;
  const Patience patience_;
  std::mutex mutex_;
  std::shared_ptr<Client> client_;
  std::atomic<int> connections_{0};
};

}  // namespace tilewright::remote
