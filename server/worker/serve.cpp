#include "server/worker/serve.h"

#include <malloc.h>

#include <atomic>
#include <csignal>
#include <list>
#include <mutex>
#include <thread>

#include "server/worker/session.h"

namespace tilewright::worker {
namespace {

constexpr int kUnusable = 2;

// Blocked before there are threads, which inherit it; one thread waits for them.
sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

std::string self_text(const protocol::worker::InitializeResult& self) {
  std::string out;
  if (self.executes == "gpu")
    out = std::to_string(self.slots) + (self.slots == 1 ? " GPU" : " GPUs");
  else if (self.executes == "sim")
    out = "the simulator, " + std::to_string(self.slots) + (self.slots == 1 ? " job" : " jobs") + " at once";
  else
    out = "compiles only";
  return out + (self.compiles ? ", NVRTC of " + self.compiler : ", no compiler: " + self.compiler);
}

int unusable(const std::string& why) {
  std::fprintf(stderr, "tilewright: %s\n", why.c_str());
  return kUnusable;
}

// A client on a thread of its own. What it held goes with it, and not only when the next one comes.
struct Client {
  std::mutex mutex;
  std::unique_ptr<transport::Connection> connection;
  std::unique_ptr<Session> session;  // null: it has gone
  std::atomic<bool> done{false};
  std::jthread thread;
};

}  // namespace

int serve_stdio(Options options) {
  ::mallopt(M_ARENA_MAX, 2);
  Worker worker(std::move(options));
  if (auto ready = worker.prepare(); !ready) return unusable(ready.error());
  auto connection = transport::stdio();
  return Session(*connection, worker, true).run();
}

int serve_port(Options options, const std::string& address, const transport::ListenOptions& how) {
  ::mallopt(M_ARENA_MAX, 2);
  const sigset_t ending = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  Worker worker(std::move(options));
  if (auto ready = worker.prepare(); !ready) return unusable(ready.error());
  auto listener = transport::listen(address, how);
  if (!listener) return unusable(listener.error());
  std::thread([&ending, listener = listener->get()] {
    int signal = 0;
    ::sigwait(&ending, &signal);
    Worker::log("ending");
    listener->stop();
    // Whatever still holds on after this is not waited for.
    std::this_thread::sleep_for(std::chrono::seconds(10));
    std::_Exit(1);
  }).detach();
  Worker::log("listening on " + (*listener)->address() + ": " + self_text(worker.self()));
  std::list<Client> clients;
  while (auto accepted = (*listener)->accept()) {
    std::erase_if(clients, [](const Client& c) { return c.done.load(); });
    if (clients.size() >= worker.options.clients) {
      Worker::log("a client was refused: " + std::to_string(clients.size()) + " are here");
      continue;
    }
    Client& client = clients.emplace_back();
    client.connection = std::move(accepted);
    const bool trusted = worker.options.token.empty();
    client.session = std::make_unique<Session>(*client.connection, worker, trusted);
    client.thread = std::jthread([&client] {
      client.session->run();
      std::lock_guard lock(client.mutex);
      client.session.reset();
      client.connection.reset();
      client.done = true;
    });
  }
  for (Client& client : clients) {
    std::lock_guard lock(client.mutex);
    if (client.session) client.session->end();
  }
  for (Client& client : clients) client.thread.join();
  return 0;
}

}  // namespace tilewright::worker
