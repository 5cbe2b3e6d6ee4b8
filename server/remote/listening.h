// How clients reach a server of ours on a port, and what they have to show: the same rules for each of them.
#pragma once
#include <expected>
#include <string>

#include "compiler/run/experiment.h"
#include "server/endpoint/login.h"
#include "server/transport/transport.h"

namespace tilewright::remote {

// As options of the command line say it; files of PEM.
struct ListenWords {
  std::string address;  // HOST:PORT, unix:PATH, or unix: for one of this user's own; empty: it listens at no port
  std::string cert, key, ca, token_file;
  bool knows_tls = true;  // whether there are options for the files
};
struct Listening {
  std::string address;  // with the path of a socket
  transport::ListenOptions how;
  std::string made;  // the token that was made for this server, to be shown once; empty: clients know theirs already
};
// `name`: of the server's socket where the address names no path: "serve". `login`: how clients say the token; which
// one is found here. Every client at a port has to show something: a certificate, the token of a file, or one that is
// made here; at a Unix socket the system says whose process it is, and a token is asked for only where a file has one.
// Beyond the loopback interface only with TLS and a way to know who comes. The error says what is missing.
std::expected<Listening, run::Failure> listening(const ListenWords& words, const std::string& name,
                                                 endpoint::Login login);
// What is said of a token that was made, for people.
std::string words_of_token(const std::string& token);
// unix:PATH, and for unix: the path of the socket that `tilewright NAME --listen unix:` has. The error: there is no
// folder for it.
std::expected<std::string, run::Failure> socket_address(const std::string& address, const std::string& name);

}  // namespace tilewright::remote
