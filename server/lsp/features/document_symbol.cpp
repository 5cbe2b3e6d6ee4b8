// textDocument/documentSymbol and workspace/symbol: kernels, functions, classes and module-level names.
#include <algorithm>

#include "compiler/syntax/walk.h"
#include "server/lsp/features.h"
#include "server/lsp/scripts.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {
namespace {

using namespace syntax;

// SymbolKind of the protocol.
enum Kind { kClass = 5, kMethod = 6, kFunction = 12, kVariable = 13, kConstant = 14 };

struct Found {
  std::string name, detail;
  Kind kind;
  Extent all, selection;  // bytes of the statement
  std::vector<Found> children;
};

std::string decorated(const FunctionDef& f) {
  for (const Node* n : f.decorators) {
    if (auto* c = as<Call>(n)) n = c->function;
    if (auto* a = as<Attribute>(n)) return "@" + std::string(a->name.text);
  }
  return {};
}

bool is_constant_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

void add_target(const Node* target, Extent all, std::vector<Found>& out) {
  if (auto* ref = as<NameRef>(target)) {
    bool again = std::ranges::any_of(out, [&](const Found& f) { return f.name == ref->name.text; });
    if (!again) {
      out.push_back({std::string(ref->name.text),
                     "",
                     is_constant_name(ref->name.text) ? kConstant : kVariable,
                     all,
                     ref->name.at,
                     {}});
    }
  } else if (target && (target->kind == NodeKind::Tuple || target->kind == NodeKind::List)) {
    for_children(target, [&](const Node* part) { add_target(part, all, out); });
  }
}

// `variables`: assignments of a module or class; those of function bodies are no outline.
void collect(const Node* n, bool in_class, bool variables, std::vector<Found>& out) {
  if (auto* f = as<FunctionDef>(n)) {
    Found found{std::string(f->name.text), decorated(*f), in_class ? kMethod : kFunction, f->at, f->name.at, {}};
    for (const Node* inner : f->body) collect(inner, false, false, found.children);
    out.push_back(std::move(found));
  } else if (auto* c = as<ClassDef>(n)) {
    Found found{std::string(c->name.text), "", kClass, c->at, c->name.at, {}};
    for (const Node* inner : c->body) collect(inner, true, true, found.children);
    out.push_back(std::move(found));
  } else if (auto* a = as<Assign>(n)) {
    if (!variables) return;
    for (const Node* target : a->targets) add_target(target, n->at, out);
  } else if (auto* a = as<AnnAssign>(n)) {
    if (variables) add_target(a->target, n->at, out);
  } else if (n->kind == NodeKind::If || n->kind == NodeKind::Try || n->kind == NodeKind::With ||
             n->kind == NodeKind::For || n->kind == NodeKind::While || n->kind == NodeKind::Match) {
    for_children(n, [&](const Node* child) { collect(child, in_class, variables, out); });
  }
}

Json tree_of(const Request& r, std::uint32_t offset, const std::vector<Found>& found) {
  Json out = Json::array();
  for (const Found& f : found) {
    Json one{{"name", f.name},
             {"kind", f.kind},
             {"range", r.range(offset + f.all.begin, offset + f.all.end)},
             {"selectionRange", r.range(offset + f.selection.begin, offset + f.selection.end)}};
    if (!f.detail.empty()) one["detail"] = f.detail;
    if (!f.children.empty()) one["children"] = tree_of(r, offset, f.children);
    out.push_back(std::move(one));
  }
  return out;
}

void flat(const session::Snapshot& s, text::Encoding encoding, std::uint32_t offset, const std::vector<Found>& found,
          const std::string& container, const std::function<bool(std::string_view)>& wanted, Json& out) {
  for (const Found& f : found) {
    if (wanted(f.name)) {
      auto range = to_range(s.source(), offset + f.selection.begin, offset + f.selection.end, encoding);
      Json one{{"name", f.name}, {"kind", f.kind}, {"location", protocol::Location{uri_of(s.path()), range}}};
      if (!container.empty()) one["containerName"] = container;
      out.push_back(std::move(one));
    }
    flat(s, encoding, offset, f.children, f.name, wanted, out);
  }
}

Answer<Json> document_symbol(const Request& r, const protocol::DocumentParams&) {
  Json out = Json::array();
  bool nested = r.client->offers("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport");
  for (const Tree::Statement& s : r.snapshot->tree()->statements()) {
    std::vector<Found> found;
    if (s.node->statement) collect(s.node->statement, false, true, found);
    if (nested) {
      for (Json& one : tree_of(r, s.offset, found)) out.push_back(std::move(one));
    } else {
      flat(*r.snapshot, r.client->encoding, s.offset, found, "", [](std::string_view) { return true; }, out);
    }
  }
  return out;
}

struct QueryParams {
  std::string query;
};
void from_json(const Json& json, QueryParams& p) { p.query = json.at("query").get<std::string>(); }

// The letters of the query in order, in any case.
bool matches(std::string_view name, std::string_view query) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::size_t at = 0;
  for (char c : name) {
    if (at < query.size() && lower(c) == lower(query[at])) ++at;
  }
  return at == query.size();
}

// Of the open documents, then of the workspace's other tile scripts. Each script is a part of the answer.
Answer<Json> workspace_symbol(const Request& r, const QueryParams& params) {
  Json out = Json::array();
  Scripts scripts(r);
  const std::string tile_script[] = {"tvm"};
  for (const std::string& path : scripts.all()) {
    if (r.stop.stop_requested()) return cancelled();
    bool open = std::ranges::any_of(r.open, [&](const auto& s) { return s->path() == path; });
    if (!open && !scripts.mentions(path, tile_script)) continue;
    auto script = scripts.find(path);
    if (!script) continue;
    Json here = Json::array();
    for (const Tree::Statement& s : script->tree()->statements()) {
      std::vector<Found> found;
      if (s.node->statement) collect(s.node->statement, false, true, found);
      flat(
          *script, r.client->encoding, s.offset, found, "",
          [&](std::string_view name) { return matches(name, params.query); }, here);
    }
    if (r.partial && !here.empty()) {
      r.partial(here);
    } else {
      for (Json& one : here) out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace

void add_document_symbol(Registry& registry) {
  registry.offer("documentSymbolProvider", true);
  registry.offer("workspaceSymbolProvider", true);
  registry.on_document<protocol::DocumentParams>("textDocument/documentSymbol", document_symbol);
  registry.on_workspace<QueryParams>("workspace/symbol", workspace_symbol);
}

}  // namespace tilewright::lsp
