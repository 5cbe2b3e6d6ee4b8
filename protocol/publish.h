// `textDocument/publishDiagnostics`, written down without a tree of JSON values: after a keystroke it may hold hundreds
// of findings, and making a tree of them took longer than finding them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/lsp.h"

namespace tilewright::protocol {

// The notification, byte for byte what notification_text() makes of the same values.
std::string publish_text(std::string_view uri, std::int64_t version, std::span<const Diagnostic> diagnostics);

}  // namespace tilewright::protocol
