#include "server/worker/serve.h"

#include <malloc.h>

#include <cstdio>
#include <memory>

#include "server/endpoint/clients.h"
#include "server/endpoint/descriptors.h"
#include "server/project/console.h"
#include "server/worker/confinement.h"
#include "server/worker/session.h"

namespace tilewright::worker {
namespace {

constexpr int kUnusable = 2;

std::string self_text(const protocol::worker::InitializeResult& self) {
  std::string out;
  const auto executes = protocol::worker::kExecutesWords.find(self.executes);
  if (executes == Executes::Gpu)
    out = std::to_string(self.slots) + (self.slots == 1 ? " GPU" : " GPUs");
  else if (executes == Executes::Simulator)
    out = "the simulator, " + std::to_string(self.slots) + (self.slots == 1 ? " job" : " jobs") + " at once";
  else
    out = "compiles only";
  return out + (self.compiles ? ", NVRTC of " + self.compiler : ", no compiler: " + self.compiler);
}

int unusable(const std::string& why) {
  project::sayf(stderr, "tilewright: %s\n", why.c_str());
  return kUnusable;
}

}  // namespace

int serve_stdio(Options options) {
  ::mallopt(M_ARENA_MAX, 2);
  endpoint::raise_descriptor_limit();
  Worker worker(std::move(options));
  if (auto ready = worker.prepare(); !ready) return unusable(ready.error());
  auto connection = transport::stdio();
  return WorkerSession(*connection, worker).run();
}

int serve_port(Options options, const remote::Listening& listening) {
  ::mallopt(M_ARENA_MAX, 2);
  endpoint::raise_descriptor_limit();
  endpoint::block_ending_signals();
  const std::string confined = confinement_words();  // before there are threads
  Worker worker(std::move(options));
  if (auto ready = worker.prepare(); !ready) return unusable(ready.error());
  transport::ListenOptions how = listening.how;
  how.door.log = Worker::log;
  auto listener = transport::listen(listening.address, how);
  if (!listener) return unusable(listener.error());
  if (!listening.made.empty()) Worker::log(remote::words_of_token(listening.made));
  Worker::log("listening on " + (*listener)->address() + ": " + self_text(worker.self()) + "; " + confined);
  endpoint::serve_clients(**listener, {.most = worker.options.clients,
                                       .serve =
                                           [&worker](transport::Connection& connection) {
                                             return std::make_unique<WorkerSession>(connection, worker);
                                           },
                                       .log = Worker::log});
  return 0;
}

}  // namespace tilewright::worker
