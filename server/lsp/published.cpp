#include "server/lsp/published.h"

#include <deque>
#include <set>

#include "compiler/session/codes.h"
#include "server/ide/words.h"
#include "server/lsp/artifacts.h"
#include "server/lsp/code_page.h"
#include "server/lsp/fix.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {

std::vector<text::Diagnostic> toolchain_findings(const session::Compiled& compiled, const Artifacts& artifacts) {
  std::vector<text::Diagnostic> out;
  std::set<std::string> seen;  // several entries of one text hear the same
  for (const session::CompiledKernel& k : compiled.kernels) {
    if (!k.cuda) continue;
    auto made = artifacts.find(*k.cuda, compiled.target.name());
    if (!made) continue;
    for (const toolchain::LogEntry& entry : made->entries) {
      if (entry.severity == toolchain::LogEntry::Severity::Remark) continue;
      text::Diagnostic d = ide::toolchain_diagnostic(entry, *k.cuda);
      if (!d.span) d.span = k.value->kernel.span;
      if (seen.insert(std::to_string(d.span.anchor) + ":" + std::to_string(d.span.begin) + entry.message).second) {
        out.push_back(std::move(d));
      }
    }
  }
  return out;
}

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

std::vector<protocol::Diagnostic> published(const session::Snapshot& snapshot, const session::Analysis& analysis,
                                            const Client& client, const Artifacts& artifacts) {
  bool related = offers(client, "relatedInformation"), links = offers(client, "codeDescriptionSupport"),
       data = offers(client, "dataSupport");
  bool fades = tags(client, protocol::DiagnosticTag::Unnecessary);
  const text::Source& own = snapshot.source();
  std::vector<protocol::Diagnostic> out;
  std::vector<session::Finding> findings = analysis.findings;
  std::deque<text::Diagnostic> of_tools;
  for (std::size_t i = 0; i < analysis.compiled.size(); ++i) {
    for (text::Diagnostic& d : toolchain_findings(analysis.compiled[i], artifacts)) {
      findings.push_back({&of_tools.emplace_back(std::move(d)), &analysis.compiled[i].evaluation->anchors, i});
    }
  }
  out.reserve(findings.size());
  for (const session::Finding& f : findings) {
    const text::Diagnostic& d = *f.diagnostic;
    protocol::Diagnostic& made = out.emplace_back();
    made.severity = static_cast<protocol::DiagnosticSeverity>(static_cast<int>(d.severity) + 1);
    made.code = d.code;
    made.message = d.message;
    if (links) made.documentation = code_page_uri(d.code);
    if (fades && d.code == session::code::kUnused) made.tags.push_back(protocol::DiagnosticTag::Unnecessary);
    if (data) made.data = fix_json(d.fix);
    if (!d.hint.empty()) made.message += "\nhint: " + d.hint;

    auto beside = [&](const text::Anchors::Place& p, std::string message) {
      if (!p.source || !related) return;
      if (p.source != &own && !is_file(p.source->path())) return;  // the prelude is no file that a client could open
      made.related.push_back({{client.uris->of(p.source->path()), to_range(*p.source, p.begin, p.end, client.encoding)},
                              std::move(message)});
    };
    text::Anchors::Place place = f.anchors->resolve(d.span);
    if (place.source != &own) {
      text::Anchors::Place elsewhere = place;
      place = {};
      for (std::size_t i = d.chain.size(); i-- > 0 && !place.source;) {
        text::Anchors::Place call = f.anchors->resolve(d.chain[i]);
        if (call.source == &own) place = call;
      }
      beside(elsewhere, "here");
    }
    if (place.source) made.range = to_range(own, place.begin, place.end, client.encoding);
    for (const text::Related& r : d.related) beside(f.anchors->resolve(r.span), r.message);
    for (std::size_t i = d.chain.size(); i-- > 0;) beside(f.anchors->resolve(d.chain[i]), "called from here");
  }
  return out;
}

}  // namespace tilewright::lsp
