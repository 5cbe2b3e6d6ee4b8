// Build servers, and how one is reached.
//
//   (nothing)                                  one of our own, started for this and ended with it
//   unix:PATH, unix:                           a socket of this machine, of a process of this user or of root
//   HOST:PORT, tcp://HOST:PORT                 on the loopback interface: the end of a tunnel, say
//   tls://HOST:PORT[?ca=FILE&cert=FILE&...]    as remotes have it (server/remote/place.h)
//   exec:COMMAND…                              any command whose standard streams speak to a build server
//
// A build server reads the workspace by its path, so wherever it runs that path has to lead to the same files.
#pragma once
#include <expected>
#include <string>

#include "server/remote/link.h"

namespace tilewright::ci {

struct ServerWords {
  std::string address;     // empty: one of our own
  std::string token_file;  // of a server that asks for a token; empty: none
  unsigned jobs = 0;       // of one of our own; 0: all cores
  std::string on;          // of one of our own: where tests run, a name or an address; empty: as it chooses
};
// The error says what is wrong with the address. Nothing is started yet.
std::expected<remote::Reach, run::Failure> way_to_server(const ServerWords& words);

}  // namespace tilewright::ci
