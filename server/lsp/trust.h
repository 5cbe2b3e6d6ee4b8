// Consent to a project's remotes, asked of the user through the editor (server/remote/consent.h).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "server/lsp/request.h"
#include "server/project/config.h"

namespace tilewright::lsp {

// Why `word` (a remote, a pool) may not be used; nothing: it may, if need be because the user has just agreed, who is
// asked once for the same content, unless `again`; a client that is not this process's parent is not asked at all.
std::optional<std::string> untrusted(const Request& r, std::string_view word, const project::Config& config,
                                     bool again = false);

}  // namespace tilewright::lsp
