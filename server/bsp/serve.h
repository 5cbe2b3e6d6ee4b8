// A build server at work: one client on standard input and output, or those who come to an address.
#pragma once
#include <string>

#include "server/bsp/options.h"
#include "server/remote/listening.h"

namespace tilewright::bsp {

// The exit status. Ends when the client has gone.
int serve_stdio(Options options);
// Until SIGINT or SIGTERM.
int serve_address(Options options, const remote::Listening& listening);

}  // namespace tilewright::bsp
