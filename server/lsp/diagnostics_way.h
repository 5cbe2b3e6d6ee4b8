// How a client comes by diagnostics: it asks for them, they are sent to it, or both.
//
// What the simulator and NVIDIA's tools find comes after the answer to any edit. A client that asks (LSP 3.17, pull
// diagnostics) hears of it only where it can be told to ask again (workspace.diagnostics.refreshSupport). One that
// cannot, as Neovim 0.11, is sent diagnostics and is not offered to ask: it would show both, each finding twice. The
// option `diagnostics` ("push", "pull" or "both") has the last word.
#pragma once
#include "server/lsp/request.h"

namespace tilewright::lsp {

struct DiagnosticsWay {
  bool pulled = false;  // the client is offered to ask
  bool pushed = false;
};

DiagnosticsWay diagnostics_way(const Client& client);

}  // namespace tilewright::lsp
