// A worker at work: one client on standard input and output, or those who come to a port.
#pragma once
#include <string>

#include "server/remote/listening.h"
#include "server/worker/options.h"

namespace tilewright::worker {

// The exit status. Ends when the client has gone.
int serve_stdio(Options options);
// Until SIGINT or SIGTERM.
int serve_port(Options options, const remote::Listening& listening);

}  // namespace tilewright::worker
