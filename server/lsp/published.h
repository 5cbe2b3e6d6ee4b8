// Diagnostics as clients get them, pushed or pulled.
#pragma once
#include <vector>

#include "server/lsp/request.h"

namespace tilewright::lsp {

// What NVRTC and ptxas said about the kernels, as far as they have looked at them, led back to the script.
std::vector<text::Diagnostic> toolchain_findings(const session::Compiled& compiled, const Artifacts& artifacts);

// All findings of a snapshot. What lies in a file that it imports is shown where the script leads there, with the true
// place beside it.
std::vector<protocol::Diagnostic> published(const session::Snapshot& snapshot, const session::Analysis& analysis,
                                            const Client& client, const Artifacts& artifacts);

}  // namespace tilewright::lsp
