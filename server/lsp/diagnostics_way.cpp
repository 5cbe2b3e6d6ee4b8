#include "server/lsp/diagnostics_way.h"

namespace tilewright::lsp {

DiagnosticsWay diagnostics_way(const Client& client) {
  const bool asks = protocol::at(client.capabilities, "textDocument.diagnostic").is_object();
  const Json& wanted = protocol::at(client.options, "diagnostics");
  if (wanted.is_string()) return {asks && wanted != "push", wanted != "pull"};
  const bool takes = protocol::at(client.capabilities, "textDocument.publishDiagnostics").is_object();
  const bool pulled = asks && (client.offers("workspace.diagnostics.refreshSupport") || !takes);
  return {pulled, !pulled};
}

}  // namespace tilewright::lsp
