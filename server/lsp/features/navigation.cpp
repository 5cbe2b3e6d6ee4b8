// Definition, declaration, references, highlights and rename: what a name stands for (compiler/session/symbols.h).
#include <algorithm>

#include "compiler/script/prelude.h"
#include "compiler/syntax/path.h"
#include "server/lsp/features.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {
namespace {

using namespace syntax;
using session::Occurrence;
using session::Role;
using session::Symbol;
using session::SymbolIndex;
using session::SymbolKind;

// A place in some file, with the source that tells its lines.
struct Target {
  std::shared_ptr<const text::Source> source;
  std::uint32_t begin = 0, end = 0;          // of the name
  std::uint32_t whole_begin = 0, whole_end;  // of what it names
};

const Occurrence* defining(const SymbolIndex& index, const Symbol& s) {
  for (std::uint32_t o : s.occurrences) {
    if (index.occurrences[o].role == Role::Define) return &index.occurrences[o];
  }
  return s.occurrences.empty() || s.kind == SymbolKind::Builtin ? nullptr : &index.occurrences[s.occurrences.front()];
}

Target target_of(const SymbolIndex& index, const Occurrence& o) {
  Target t{index.tree->source(), o.begin, o.end, o.begin, o.end};
  Path path = path_at(*index.tree, o.begin);
  // A function or class is shown as a whole, anything else with its statement.
  for (std::size_t i = path.nodes.size(); i-- > 0;) {
    const Node* n = path.nodes[i];
    if (n->kind < NodeKind::ExprStmt) continue;
    t.whole_begin = path.begin(n);
    t.whole_end = path.end(n);
    break;
  }
  return t;
}

// `name` of the module level of a script. `depth`: names may be handed on from script to script.
std::optional<Target> in_module(const Request& r, const std::shared_ptr<const Tree>& tree, std::string_view name,
                                int depth = 0);

std::shared_ptr<const Tree> prelude_tree(std::string_view name) {
  std::string_view file = script::prelude_file_of(name);
  if (file.empty()) return nullptr;
  return Tree::parse(
      std::make_shared<text::Source>("prelude/" + std::string(file), std::string(script::prelude_source(file))));
}

std::optional<Target> import_target(const Request& r, const Node* node, std::string_view bound, int depth) {
  if (depth > 8) return std::nullopt;
  auto start = [](const std::shared_ptr<const Tree>& tree) { return Target{tree->source(), 0, 0, 0, 0}; };
  if (auto* i = as<Import>(node)) {
    for (const ImportedName& n : i->names) {
      if (n.bound.text != bound) continue;
      if (auto tree = r.snapshot->import(n.name, 0)) return start(tree);
    }
  }
  auto* from = as<ImportFrom>(node);
  if (!from) return std::nullopt;
  for (const ImportedName& n : from->names) {
    if (n.bound.text != bound) continue;
    if (auto tree = r.snapshot->import(from->module, from->level)) {
      if (auto found = in_module(r, tree, n.name, depth + 1)) return found;
    }
    std::string dotted = (from->module.empty() ? "" : std::string(from->module) + ".") + std::string(n.name);
    if (auto tree = r.snapshot->import(dotted, from->level)) return start(tree);
    if (auto tree = prelude_tree(n.name)) return in_module(r, tree, n.name, depth + 1);
  }
  return std::nullopt;
}

std::optional<Target> in_module(const Request& r, const std::shared_ptr<const Tree>& tree, std::string_view name,
                                int depth) {
  SymbolIndex index = session::index_symbols(tree);
  const Symbol* s = index.lookup(name, 0);
  if (!s) return std::nullopt;
  if (s->kind == SymbolKind::Import) {
    if (auto further = import_target(r, s->node, name, depth)) return further;
  }
  const Occurrence* o = defining(index, *s);
  return o ? std::optional(target_of(index, *o)) : std::nullopt;
}

// Where what stands at `offset` is defined. `through`: an imported name leads to the other script, not to the import.
std::optional<Target> definition_at(const Request& r, std::uint32_t offset, bool through) {
  const SymbolIndex& index = r.snapshot->symbols();
  Path path = path_at(*r.snapshot->tree(), offset);
  if (auto* a = path.nodes.empty() ? nullptr : as<Attribute>(path.nodes.back());
      a && offset >= path.statement->offset + a->name.at.begin) {
    // module.name: of another script, or of the prelude.
    auto* root = as<NameRef>(a->object);
    const Occurrence* o = root ? index.at(path.statement->offset + root->name.at.begin) : nullptr;
    if (!o) return std::nullopt;
    const Symbol& s = index.symbols[o->symbol];
    if (s.kind == SymbolKind::Import) {
      auto module = import_target(r, s.node, s.name, 0);
      if (module && module->begin == 0 && module->end == 0) {
        if (auto found = in_module(r, Tree::parse(module->source), a->name.text)) return found;
      }
    }
    if (auto tree = prelude_tree(a->name.text)) return in_module(r, tree, a->name.text);
    return std::nullopt;
  }
  const Occurrence* o = index.at(offset);
  if (!o) return std::nullopt;
  const Symbol& s = index.symbols[o->symbol];
  if (through && s.kind == SymbolKind::Import) {
    if (auto found = import_target(r, s.node, s.name, 0)) return found;
  }
  const Occurrence* d = defining(index, s);
  return d ? std::optional(target_of(index, *d)) : std::nullopt;
}

Json location_json(const Request& r, const std::optional<Target>& t, std::uint32_t offset,
                   std::string_view capability) {
  if (!t) return nullptr;
  const text::Source& source = *t->source;
  std::string uri = source.path().starts_with("prelude/") ? "tilewright:/" + source.path() : uri_of(source.path());
  auto name = to_range(source, t->begin, t->end, r.client->encoding);
  if (!r.client->offers("textDocument." + std::string(capability) + ".linkSupport")) {
    return protocol::Location{uri, name};
  }
  auto whole = to_range(source, t->whole_begin, std::max(t->whole_end, t->end), r.client->encoding);
  protocol::LocationLink link{std::nullopt, uri, whole, name};
  if (const Occurrence* o = r.snapshot->symbols().at(offset)) link.origin = r.range(o->begin, o->end);
  return Json::array({link});
}

Answer<Json> definition(const Request& r, const protocol::PositionParams& p) {
  std::uint32_t offset = r.offset(p.position);
  return location_json(r, definition_at(r, offset, true), offset, "definition");
}

Answer<Json> declaration(const Request& r, const protocol::PositionParams& p) {
  std::uint32_t offset = r.offset(p.position);
  return location_json(r, definition_at(r, offset, false), offset, "declaration");
}

struct ReferenceParams : protocol::PositionParams {
  bool declaration = true;
};
void from_json(const Json& json, ReferenceParams& p) {
  protocol::from_json(json, p);
  p.declaration = json.at("context").at("includeDeclaration").get<bool>();
}

const Symbol* symbol_at(const Request& r, protocol::Position position) {
  const Occurrence* o = r.snapshot->symbols().at(r.offset(position));
  return o ? &r.snapshot->symbols().symbols[o->symbol] : nullptr;
}

Answer<Json> references(const Request& r, const ReferenceParams& p) {
  const Symbol* s = symbol_at(r, p.position);
  if (!s) return Json(nullptr);
  Json out = Json::array();
  for (std::uint32_t i : s->occurrences) {
    const Occurrence& o = r.snapshot->symbols().occurrences[i];
    if (o.role == Role::Define && !p.declaration) continue;
    out.push_back(protocol::Location{uri_of(r.snapshot->path()), r.range(o.begin, o.end)});
  }
  return out;
}

Answer<Json> highlight(const Request& r, const protocol::PositionParams& p) {
  const Symbol* s = symbol_at(r, p.position);
  if (!s) return Json(nullptr);
  Json out = Json::array();
  for (std::uint32_t i : s->occurrences) {
    const Occurrence& o = r.snapshot->symbols().occurrences[i];
    out.push_back({{"range", r.range(o.begin, o.end)}, {"kind", o.role == Role::Read ? 2 : 3}});
  }
  return out;
}

bool can_rename(const Symbol& s) { return s.kind != SymbolKind::Builtin && s.kind != SymbolKind::Import; }

Answer<Json> prepare_rename(const Request& r, const protocol::PositionParams& p) {
  const Occurrence* o = r.snapshot->symbols().at(r.offset(p.position));
  if (!o || !can_rename(r.snapshot->symbols().symbols[o->symbol])) return Json(nullptr);
  return Json{{"range", r.range(o->begin, o->end)}, {"placeholder", r.snapshot->symbols().symbols[o->symbol].name}};
}

struct RenameParams : protocol::PositionParams {
  std::string name;
};
void from_json(const Json& json, RenameParams& p) {
  protocol::from_json(json, p);
  p.name = json.at("newName").get<std::string>();
}

bool is_identifier(std::string_view name) {
  static constexpr std::string_view kKeywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  auto letter = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)); }) &&
         std::ranges::find(kKeywords, name) == std::end(kKeywords);
}

Answer<Json> rename(const Request& r, const RenameParams& p) {
  const SymbolIndex& index = r.snapshot->symbols();
  const Symbol* s = symbol_at(r, p.position);
  if (!s || !can_rename(*s)) return refused("there is no name here that can be changed");
  if (!is_identifier(p.name)) return refused("'" + p.name + "' is not a name");
  // Taking a name that is in use where the renamed one is seen would change what the script means.
  for (std::uint32_t i : s->occurrences) {
    const Symbol* other = index.lookup(p.name, index.scope_at(index.occurrences[i].begin));
    if (other && other != s) {
      return refused("'" + p.name + "' is taken on line " +
                     std::to_string(r.position(defining(index, *other)->begin).line + 1));
    }
  }
  for (const Symbol& other : index.symbols) {
    if (other.kind == SymbolKind::Builtin && other.name == p.name && s->scope == 0) {
      return refused("'" + p.name + "' means something else in this script already");
    }
  }
  Json edits = Json::array();
  for (std::uint32_t i : s->occurrences) {
    const Occurrence& o = index.occurrences[i];
    edits.push_back(protocol::TextEdit{r.range(o.begin, o.end), p.name});
  }
  std::string uri = uri_of(r.snapshot->path());
  if (r.client->offers("workspace.workspaceEdit.documentChanges")) {
    return Json{{"documentChanges", Json::array({{{"textDocument", {{"uri", uri}, {"version", r.snapshot->version()}}},
                                                  {"edits", edits}}})}};
  }
  return Json{{"changes", {{uri, edits}}}};
}

}  // namespace

void add_navigation(Registry& registry) {
  registry.offer("definitionProvider", true);
  registry.offer("declarationProvider", true);
  registry.offer("referencesProvider", true);
  registry.offer("documentHighlightProvider", true);
  registry.offer_if("renameProvider", [](const Client& c) -> Json {
    if (!c.offers("textDocument.rename.prepareSupport")) return true;
    return {{"prepareProvider", true}};
  });
  registry.on_document<protocol::PositionParams>("textDocument/definition", definition);
  registry.on_document<protocol::PositionParams>("textDocument/declaration", declaration);
  registry.on_document<ReferenceParams>("textDocument/references", references);
  registry.on_document<protocol::PositionParams>("textDocument/documentHighlight", highlight);
  registry.on_document<protocol::PositionParams>("textDocument/prepareRename", prepare_rename);
  registry.on_document<RenameParams>("textDocument/rename", rename);
}

}  // namespace tilewright::lsp
