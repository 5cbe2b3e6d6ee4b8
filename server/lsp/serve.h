// The door to the language server.
#pragma once
#include "server/remote/listening.h"

namespace tilewright::lsp {

// On standard input and output, or at the address of `listening` if it has one, until the client ends it; at an
// address, until two seconds after the last of its clients has gone. The exit status: 0 after an orderly shutdown of
// that one, 1 without it, 2 when it cannot listen.
int serve(const remote::Listening& listening);

}  // namespace tilewright::lsp
