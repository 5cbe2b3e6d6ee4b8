// How clients reach a server of ours on a port, and what they have to show: the same rules for each of them.
#pragma once
#include <expected>
#include <string>

#include "compiler/run/experiment.h"
#include "server/transport/transport.h"

namespace tilewright::remote {

// As options of the command line say it; files of PEM.
struct ListenWords {
  std::string address;  // HOST:PORT or unix:PATH; empty: nobody comes to a port
  std::string cert, key, ca, token_file;
};
struct Listening {
  transport::ListenOptions how;
  std::string token;  // empty: none is asked for
};
// Beyond the loopback interface only with TLS and a way to know who comes. The error says what is missing.
std::expected<Listening, run::Failure> listening(const ListenWords& words);

}  // namespace tilewright::remote
