#include "server/lsp/published.h"

#include "compiler/session/codes.h"
#include "server/lsp/code_page.h"
#include "server/lsp/fix.h"

namespace tilewright::lsp {
namespace {

// Clients say what they take of a diagnostic where they say how they get them: pushed or pulled.
bool offers(const Client& client, const std::string& what) {
  return client.offers("textDocument.publishDiagnostics." + what) || client.offers("textDocument.diagnostic." + what);
}
bool tags(const Client& client, protocol::DiagnosticTag tag) {
  return protocol::lists(client.capabilities, "textDocument.publishDiagnostics.tagSupport.valueSet",
                         static_cast<int>(tag)) ||
         protocol::lists(client.capabilities, "textDocument.diagnostic.tagSupport.valueSet", static_cast<int>(tag));
}

}  // namespace

std::vector<protocol::Diagnostic> published(const ide::Diagnostics& diagnostics, const session::Snapshot& script,
                                            const Client& client) {
  bool related = offers(client, "relatedInformation"), links = offers(client, "codeDescriptionSupport"),
       data = offers(client, "dataSupport");
  bool fades = tags(client, protocol::DiagnosticTag::Unnecessary);
  std::vector<protocol::Diagnostic> out;
  out.reserve(diagnostics.list.size());
  for (const ide::Diagnostic& found : diagnostics.list) {
    const text::Diagnostic& d = *found.said;
    protocol::Diagnostic& made = out.emplace_back();
    made.severity = static_cast<protocol::DiagnosticSeverity>(static_cast<int>(d.severity) + 1);
    made.code = d.code;
    made.message = d.message;
    if (!d.hint.empty()) made.message += "\nhint: " + d.hint;
    made.range = client.range(script.source(), found.at);
    if (links) made.documentation = code_page_uri(d.code);
    if (fades && d.code == session::code::kUnused) made.tags.push_back(protocol::DiagnosticTag::Unnecessary);
    if (data) made.data = fix_json(d.fix);
    if (!related) continue;
    for (const ide::Diagnostic::Related& r : found.related) {
      made.related.push_back({client.location(r.at), std::string(r.message)});
    }
  }
  return out;
}

}  // namespace tilewright::lsp
