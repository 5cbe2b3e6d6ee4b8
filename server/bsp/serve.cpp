#include "server/bsp/serve.h"

#include <malloc.h>

#include <cstdio>
#include <memory>

#include "server/bsp/session.h"
#include "server/endpoint/descriptors.h"
#include "server/project/console.h"

namespace tilewright::bsp {

int serve_stdio(Options options) {
  ::mallopt(M_ARENA_MAX, 2);
  endpoint::raise_descriptor_limit();
  Server server(std::move(options));
  auto connection = transport::stdio();
  return BuildSession(*connection, server).run();
}

int serve_address(Options options, const remote::Listening& listening) {
  ::mallopt(M_ARENA_MAX, 2);
  endpoint::raise_descriptor_limit();
  endpoint::block_ending_signals();
  Server server(std::move(options));
  auto log = [](const std::string& line) { project::sayf(stderr, "tilewright serve: %s\n", line.c_str()); };
  transport::ListenOptions how = listening.how;
  how.door.log = log;
  auto listener = transport::listen(listening.address, how);
  if (!listener) {
    project::sayf(stderr, "tilewright: %s\n", listener.error().c_str());
    return 2;
  }
  if (!listening.made.empty()) log(remote::words_of_token(listening.made));
  log("listening on " + (*listener)->address());
  endpoint::serve_clients(**listener, {.most = server.options.clients,
                                       .serve =
                                           [&server](transport::Connection& connection) {
                                             return std::make_unique<BuildSession>(connection, server);
                                           },
                                       .log = log});
  return 0;
}

}  // namespace tilewright::bsp
