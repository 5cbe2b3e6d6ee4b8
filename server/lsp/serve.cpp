#include "server/lsp/serve.h"

#include <malloc.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/lsp/server.h"

namespace tilewright::lsp {
namespace {

// How long the process stays after its last client. At an address, an editor that restarts its session, or a script
// that first tries whether the port is open, comes again at once.
constexpr std::chrono::seconds kLinger{2};
// What was started for a remote is told to end, and then made to.
constexpr std::chrono::seconds kFarewell{6};

// A session a client, each on a thread of its own, until the last client has gone. The exit status of that one.
int serve_all(transport::Listener& listener) {
  std::mutex mutex;
  std::condition_variable another;
  std::vector<std::thread> threads;
  std::size_t open = 0, come = 0;
  int status = 1;
  while (auto accepted = listener.accept()) {
    std::lock_guard lock(mutex);
    ++open;
    ++come;
    another.notify_all();
    threads.emplace_back([&, connection = std::shared_ptr<transport::Connection>(std::move(accepted))] {
      int ended = Server(*connection).run();
      std::unique_lock lock(mutex);
      status = ended;
      if (--open > 0) return;
      if (!another.wait_for(lock, kLinger, [&, last = come] { return come != last; })) listener.stop();
    });
  }
  for (std::thread& t : threads) t.join();
  return status;
}

}  // namespace

int serve(const std::string& address) {
  // As many heaps as threads that allocate while somebody types: with fewer they wait for each other, with more each
  // keeps what the others could use.
  ::mallopt(M_ARENA_MAX, 8);
  if (address.empty()) {
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
  auto listener = transport::listen(address);
  if (!listener) {
    std::fprintf(stderr, "tilewright: %s\n", listener.error().c_str());
    return 2;
  }
  std::fprintf(stderr, "tilewright: listening on %s\n", (*listener)->address().c_str());
  return serve_all(**listener);
}

}  // namespace tilewright::lsp
