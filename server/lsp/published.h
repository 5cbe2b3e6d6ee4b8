// Diagnostics as clients get them, pushed or pulled.
#pragma once
#include <vector>

#include "server/lsp/request.h"

namespace tilewright::lsp {

// All findings of a snapshot. What lies in a file that it imports is shown where the script leads there, with the true
// place beside it.
std::vector<protocol::Diagnostic> published(const session::Snapshot& snapshot, const session::Analysis& analysis,
                                            const Client& client);

}  // namespace tilewright::lsp
