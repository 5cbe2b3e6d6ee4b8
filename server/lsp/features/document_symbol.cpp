// textDocument/documentSymbol and workspace/symbol: kernels, functions, classes and module-level names.
#include <algorithm>
#include <map>
#include <mutex>

#include "compiler/syntax/walk.h"
#include "compiler/text/digest.h"
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

// A symbol of a script that is not named yet.
struct Entry {
  std::string name, container;
  Kind kind;
  protocol::Range range;  // of the name
};

void flatten(const session::Snapshot& s, text::Encoding encoding, std::uint32_t offset, const std::vector<Found>& found,
             const std::string& container, std::vector<Entry>& out) {
  for (const Found& f : found) {
    auto range = to_range(s.source(), offset + f.selection.begin, offset + f.selection.end, encoding);
    out.push_back({f.name, container, f.kind, range});
    flatten(s, encoding, offset, f.children, f.name, out);
  }
}

std::vector<Entry> entries_of(const session::Snapshot& script, text::Encoding encoding) {
  std::vector<Entry> out;
  for (const Tree::Statement& s : script.tree()->statements()) {
    std::vector<Found> found;
    if (s.node->statement) collect(s.node->statement, false, true, found);
    flatten(script, encoding, s.offset, found, "", out);
  }
  return out;
}

Json symbol_json(const Entry& e, const std::string& uri) {
  Json one{{"name", e.name}, {"kind", e.kind}, {"location", protocol::Location{uri, e.range}}};
  if (!e.container.empty()) one["containerName"] = e.container;
  return one;
}

Answer<Json> document_symbol(const Request& r, const protocol::DocumentParams&) {
  Json out = Json::array();
  if (!r.client->offers("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")) {
    std::string uri = r.client->uris->of(r.snapshot->path());
    for (const Entry& e : entries_of(*r.snapshot, r.client->encoding)) out.push_back(symbol_json(e, uri));
    return out;
  }
  for (const Tree::Statement& s : r.snapshot->tree()->statements()) {
    std::vector<Found> found;
    if (s.node->statement) collect(s.node->statement, false, true, found);
    for (Json& one : tree_of(r, s.offset, found)) out.push_back(std::move(one));
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

// What scripts were seen to name, by their text: parsed scripts are too large to keep all of a workspace.
class Outlines {
 public:
  using Outline = std::shared_ptr<const std::vector<Entry>>;
  Outline find(const std::string& path, const text::Digest& text) {
    std::lock_guard lock(mutex_);
    auto it = known_.find(path);
    return it == known_.end() || it->second.first != text ? nullptr : it->second.second;
  }
  Outline keep(const std::string& path, const text::Digest& text, std::vector<Entry> entries) {
    std::lock_guard lock(mutex_);
    if (known_.size() > kMost) known_.clear();
    auto& known = known_[path];
    known = {text, std::make_shared<const std::vector<Entry>>(std::move(entries))};
    return known.second;
  }

 private:
  static constexpr std::size_t kMost = 4000;
  std::mutex mutex_;
  std::map<std::string, std::pair<text::Digest, Outline>> known_;
};

text::Digest digest_of(std::string_view text) {
  text::Digest digest;
  digest.add(text);
  return digest;
}

// Null: no script that could be read, or no tile script.
Outlines::Outline outline(const Request& r, Scripts& scripts, Outlines& outlines, const std::string& path, bool open) {
  auto text = scripts.text(path);
  if (!text || (!open && text->find("tvm") == text->npos)) return nullptr;
  if (auto known = outlines.find(path, digest_of(*text))) return known;
  auto script = scripts.find(path);
  if (!script) return nullptr;
  return outlines.keep(path, digest_of(script->source().text()), entries_of(*script, r.client->encoding));
}

// Of the open documents, then of the workspace's other tile scripts. Each script is a part of the answer.
Answer<Json> workspace_symbol(const Request& r, const QueryParams& params, Outlines& outlines) {
  Json out = Json::array();
  Scripts scripts(r);
  const std::vector<std::string>& all = scripts.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& path = all[i];
    if (r.stop.stop_requested()) return cancelled();
    report_search(r, path, i, all.size());
    bool open = std::ranges::any_of(r.open, [&](const auto& s) { return s->path() == path; });
    auto found = outline(r, scripts, outlines, path, open);
    if (!found) continue;
    std::string uri = r.client->uris->of(path);
    Json here = Json::array();
    for (const Entry& e : *found) {
      if (matches(e.name, params.query)) here.push_back(symbol_json(e, uri));
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
  registry.offer("workspaceSymbolProvider", {{"workDoneProgress", true}});
  registry.on_document<protocol::DocumentParams>("textDocument/documentSymbol", document_symbol);
  auto outlines = std::make_shared<Outlines>();
  registry.on_workspace<QueryParams>("workspace/symbol", [outlines](const Request& r, const QueryParams& params) {
    return workspace_symbol(r, params, *outlines);
  });
}

}  // namespace tilewright::lsp
