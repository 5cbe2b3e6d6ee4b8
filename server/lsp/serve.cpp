#include "server/lsp/serve.h"

#include <malloc.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server/endpoint/descriptors.h"
#include "server/lsp/server.h"
#include "server/project/console.h"

namespace tilewright::lsp {
namespace {

// How long the process stays after its last client. At an address, an editor that restarts its session, or a script
// that first tries whether the port is open, comes again at once.
constexpr std::chrono::seconds kLinger{2};
// At once; more are turned away.
constexpr std::size_t kMostClients = 64;
// What was started for a remote is told to end, and then made to.
constexpr std::chrono::seconds kFarewell{6};

// A session a client, each on a thread of its own, until the last client has gone. The exit status of the last one that
// had begun a session: who only tries whether the port is open decides nothing.
int serve_all(transport::Listener& listener) {
  std::mutex mutex;
  std::condition_variable another;
  std::vector<std::thread> threads;
  std::size_t open = 0, come = 0;  // clients
  int status = 1;
  while (auto accepted = listener.accept()) {
    std::lock_guard lock(mutex);
    if (open >= kMostClients) continue;
    ++open;
    ++come;
    another.notify_all();
    threads.emplace_back([&, connection = std::shared_ptr<transport::Connection>(std::move(accepted))] {
      std::optional<int> ended;
      try {
        Server server(*connection);
        const int code = server.run();
        if (server.has_begun()) ended = code;
      } catch (const std::exception&) {
        ended = 1;  // no thread or no memory for it
      }
      std::unique_lock lock(mutex);
      status = ended.value_or(status);
      if (--open > 0) return;
      if (!another.wait_for(lock, kLinger, [&, last = come] { return come != last; })) listener.stop();
    });
  }
  for (std::thread& t : threads) t.join();
  return status;
}

}  // namespace

int serve(const remote::Listening& listening) {
  // As many heaps as threads that allocate while the user types: with fewer they wait for each other, with more each
  // keeps what the others could use.
  ::mallopt(M_ARENA_MAX, 8);
  endpoint::raise_descriptor_limit();
  if (listening.address.empty()) {
    auto connection = transport::stdio();
    auto server = std::make_unique<Server>(*connection);
    server->speaks_for_the_user();
    int status = server->run();
    // What cannot be stopped halfway, such as reading a very large script, is not worth waiting for.
    std::thread([status] {
      std::this_thread::sleep_for(kFarewell);
      std::_Exit(status);
    }).detach();
    server.reset();
    return status;
  }
  auto log = [](const std::string& line) { project::sayf(stderr, "tilewright: %s\n", line.c_str()); };
  transport::ListenOptions how = listening.how;
  how.door.log = log;
  auto listener = transport::listen(listening.address, how);
  if (!listener) {
    project::sayf(stderr, "tilewright: %s\n", listener.error().c_str());
    return 2;
  }
  if (!listening.made.empty()) log(remote::words_of_token(listening.made));
  log("listening on " + (*listener)->address());
  return serve_all(**listener);
}

}  // namespace tilewright::lsp
