// textDocument/documentLink: imports lead to their scripts, entry comments to the CUDA of what they make.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "compiler/syntax/walk.h"
#include "server/lsp/features.h"
#include "server/lsp/scripts.h"
#include "server/lsp/view.h"

namespace tilewright::lsp {
namespace {

using namespace syntax;

class Links {
 public:
  explicit Links(const Request& r) : r_(r), scripts_(r) {}

  void imports(const Tree::Statement& statement) {
    for_all(statement.node->statement, [&](const Node* n) {
      if (auto* i = as<Import>(n)) {
        for (const ImportedName& name : i->names) module(statement, name.at.begin, name.name, name.name, 0);
      }
      if (auto* from = as<ImportFrom>(n)) import_from(statement, *from);
    });
  }

  void entry(const Directive& d, const session::Analysis& analysis) {
    std::string_view expression = directive_expression(d);
    if (expression.empty() || !d.text.starts_with("entry ")) return;
    auto begin = static_cast<std::uint32_t>(expression.data() - r_.snapshot->source().text().data());
    for (const session::CompiledKernel& k : analysis.first().kernels) {
      if (k.entry->expression != expression) continue;
      std::string target = view_of("cuda", analysis.first(), k, r_.snapshot->path()).uri();
      return add(
          begin, begin + static_cast<std::uint32_t>(expression.size()), target,
          "CUDA of " + std::string(k.value->kernel.name) + " for " + std::string(analysis.first().target.name()));
    }
  }

  Json take() { return std::move(out_); }

 private:
  void add(std::uint32_t begin, std::uint32_t end, const std::string& target, const std::string& tooltip) {
    Json one{{"range", r_.range(begin, end)}, {"target", target}};
    if (r_.client->offers("textDocument.documentLink.tooltipSupport")) one["tooltip"] = tooltip;
    out_.push_back(std::move(one));
  }

  // `written` stands at `begin` of the statement, if it is written in one piece.
  void module(const Tree::Statement& s, std::uint32_t begin, std::string_view written, std::string_view module,
              int level) {
    if (std::string_view(s.node->text).substr(begin, written.size()) != written) return;
    auto script = scripts_.imported(*r_.snapshot, module, level);
    if (!script || script == r_.snapshot) return;
    std::filesystem::path file(script->path()), here(r_.snapshot->path());
    add(s.offset + begin, s.offset + begin + static_cast<std::uint32_t>(written.size()), script_uri(r_, *script),
        file.lexically_proximate(here.parent_path()).string());
  }

  void import_from(const Tree::Statement& s, const ImportFrom& from) {
    std::string written = std::string(static_cast<std::size_t>(from.level), '.') + std::string(from.module);
    std::string_view text = s.node->text;
    std::size_t begin = from.at.begin + std::string_view("from").size();
    while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin]))) ++begin;
    module(s, static_cast<std::uint32_t>(begin), written, from.module, from.level);
    // Scripts of a package: `from package import helpers`.
    for (const ImportedName& n : from.names) {
      auto package = scripts_.imported(*r_.snapshot, from.module, from.level);
      if (n.name == "*" || (package && package->symbols().lookup(n.name, 0))) continue;
      std::string dotted = (from.module.empty() ? "" : std::string(from.module) + ".") + std::string(n.name);
      module(s, n.at.begin, n.name, dotted, from.level);
    }
  }

  const Request& r_;
  Scripts scripts_;
  Json out_ = Json::array();
};

Answer<Json> document_link(const Request& r, const protocol::DocumentParams&) {
  Links links(r);
  const Tree& tree = *r.snapshot->tree();
  for (const Tree::Statement& s : tree.statements()) links.imports(s);
  if (std::ranges::any_of(tree.directives(), [](const Directive& d) { return d.text.starts_with("entry "); })) {
    auto analysis = r.analysis();
    if (!analysis) return cancelled();
    for (const Directive& d : tree.directives()) links.entry(d, *analysis);
  }
  return links.take();
}

}  // namespace

void add_document_link(Registry& registry) {
  registry.offer("documentLinkProvider", {{"resolveProvider", false}});
  registry.on_document<protocol::DocumentParams>("textDocument/documentLink", document_link);
}

}  // namespace tilewright::lsp
