// Diagnostics as clients get them, pushed or pulled.
#pragma once
#include <vector>

#include "server/ide/diagnostics.h"
#include "server/lsp/request.h"

namespace tilewright::lsp {

// With what the client can show of them. `script` is the one that they are about.
std::vector<protocol::Diagnostic> published(const ide::Diagnostics& diagnostics, const session::Snapshot& script,
                                            const Client& client);

}  // namespace tilewright::lsp
