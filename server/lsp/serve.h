// The door to the language server.
#pragma once
#include <string>

namespace tilewright::lsp {

// On standard input and output, or on `address` (server/transport/transport.h) if it is not empty, until the client
// ends it; at an address, until two seconds after the last of its clients has gone. The exit status: 0 after an orderly
// shutdown of that one, 1 without it, 2 when it cannot listen.
int serve(const std::string& address);

}  // namespace tilewright::lsp
