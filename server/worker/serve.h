// A worker at work: one client on standard input and output, or those who come to a port.
#pragma once
#include <string>

#include "server/transport/transport.h"
#include "server/worker/options.h"

namespace tilewright::worker {

// The exit status. Ends when the client has gone.
int serve_stdio(Options options);
// Until SIGINT or SIGTERM. Whoever shows a certificate that TLS accepted has shown who he is, unless there is a token
// besides.
int serve_port(Options options, const std::string& address, const transport::ListenOptions& how);

}  // namespace tilewright::worker
