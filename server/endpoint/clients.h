// Clients who come to a listener: each is served on a thread of its own, until SIGINT or SIGTERM.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "server/transport/transport.h"

namespace tilewright::endpoint {

// What serves one client.
class Served {
 public:
  virtual ~Served() = default;
  virtual int run() = 0;   // until the client has gone, or end()
  virtual void end() = 0;  // from any thread
};

struct ClientsOptions {
  std::size_t most = 64;  // at once; more are turned away
  std::function<std::unique_ptr<Served>(transport::Connection& connection)> serve;
  std::function<void(const std::string& line)> log;
};

// Blocks both signals for this thread and those that it starts: before any other is there.
void block_ending_signals();
// Serves until one of them comes. What a client held goes with it. Ends the process where a client still holds on ten
// seconds later.
void serve_clients(transport::Listener& listener, const ClientsOptions& options);

}  // namespace tilewright::endpoint
