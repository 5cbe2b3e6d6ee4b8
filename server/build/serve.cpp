#include "server/build/serve.h"

#include <malloc.h>

#include <cstdio>
#include <memory>

#include "server/build/session.h"
#include "server/project/console.h"

namespace tilewright::build {

int serve_stdio(Options options) {
  ::mallopt(M_ARENA_MAX, 2);
  Server server(std::move(options));
  auto connection = transport::stdio();
  return Session(*connection, server, true).run();
}

int serve_address(Options options, const std::string& address, const transport::ListenOptions& how) {
  ::mallopt(M_ARENA_MAX, 2);
  endpoint::block_ending_signals();
  Server server(std::move(options));
  auto listener = transport::listen(address, how);
  if (!listener) {
    project::sayf(stderr, "tilewright: %s\n", listener.error().c_str());
    return 2;
  }
  auto log = [](const std::string& line) { project::sayf(stderr, "tilewright serve: %s\n", line.c_str()); };
  log("listening on " + (*listener)->address());
  endpoint::serve_clients(**listener, {.most = server.options.clients,
                                       .serve =
                                           [&server](transport::Connection& connection) {
                                             return std::make_unique<Session>(connection, server,
                                                                              server.options.token.empty());
                                           },
                                       .log = log});
  return 0;
}

}  // namespace tilewright::build
