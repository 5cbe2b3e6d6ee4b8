// The first request of a client at a listener, and the token in it: the same rules for every server of ours.
//
// A client shows the token in the first request that its protocol has. Until then it is no client: no session is made
// for it, and what it may cost is bounded (transport::Door). Other requests are answered with an error that names the
// first; what is no message, and a token that is not the right one, ends the connection.
#pragma once
#include <string>
#include <vector>

#include "server/transport/transport.h"

namespace tilewright::endpoint {

struct Login {
  std::string server = "server";   // what clients know it as, for people: "worker"
  std::string method;              // of the first request
  std::vector<std::string> where;  // members of its params, each in the one before, that lead to the token
  std::string token;               // empty: none is asked for, because TLS or the system has shown who comes
};
transport::Door door(Login login);

}  // namespace tilewright::endpoint
