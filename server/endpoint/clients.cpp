#include "server/endpoint/clients.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>

namespace tilewright::endpoint {
namespace {

constexpr std::chrono::seconds kFarewell{10};

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

// A client on a thread of its own. What it held goes with it, and not only when the next one comes.
struct Client {
  std::mutex mutex;
  std::unique_ptr<transport::Connection> connection;
  std::unique_ptr<Served> served;  // null: it has gone
  std::atomic<bool> done{false};
  std::jthread thread;
};

}  // namespace

void block_ending_signals() {
  const sigset_t ending = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
}

void serve_clients(transport::Listener& listener, const ClientsOptions& options) {
  std::thread([&listener, log = options.log] {
    const sigset_t ending = ending_signals();
    int signal = 0;
    ::sigwait(&ending, &signal);
    log("ending");
    listener.stop();
    std::this_thread::sleep_for(kFarewell);
    std::_Exit(1);
  }).detach();
  std::list<Client> clients;
  while (auto accepted = listener.accept()) {
    std::erase_if(clients, [](const Client& c) { return c.done.load(); });
    if (clients.size() >= options.most) {
      options.log("a client was refused: " + std::to_string(clients.size()) + " are here");
      continue;
    }
    Client& client = clients.emplace_back();
    try {
      client.connection = std::move(accepted);
      client.served = options.serve(*client.connection);
      client.thread = std::jthread([&client] {
        try {
          client.served->run();
        } catch (const std::exception&) {  // no thread or no memory for it
        }
        std::lock_guard lock(client.mutex);
        client.served.reset();
        client.connection.reset();
        client.done = true;
      });
    } catch (const std::exception& e) {  // no thread or no memory for it
      clients.pop_back();
      options.log(std::string("a client was refused: ") + e.what());
    }
  }
  for (Client& client : clients) {
    std::lock_guard lock(client.mutex);
    if (client.served) client.served->end();
  }
  for (Client& client : clients) client.thread.join();
}

}  // namespace tilewright::endpoint
