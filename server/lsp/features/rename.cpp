// textDocument/prepareRename and rename: a name and all its places, in every script that means it.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "server/lsp/features.h"
#include "server/lsp/names.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {
namespace {

using session::Occurrence;
using session::Symbol;
using session::SymbolIndex;
using session::SymbolKind;

struct RenameParams : protocol::PositionParams {
  std::string name;
};
void from_json(const Json& json, RenameParams& p) {
  protocol::from_json(json, p);
  p.name = json.at("newName").get<std::string>();
}

// Names of the language, of its library and of whole scripts are not changed by editing scripts.
bool can_rename(const Meaning& m) {
  if (!m.symbol || is_prelude(*m.script) || m.symbol->kind == SymbolKind::Builtin) return false;
  return m.symbol->kind != SymbolKind::Import || is_alias(*m.symbol);
}

Answer<Json> prepare_rename(const Request& r, const protocol::PositionParams& p) {
  Names names(r, Names::Aliases::OwnNames);
  std::uint32_t offset = r.offset(p.position);
  auto meaning = names.at(r.snapshot, offset);
  if (!meaning || !can_rename(*meaning)) return Json(nullptr);
  for (const Use& u : names.uses(r.snapshot, *meaning)) {
    if (u.begin > offset || offset > u.end) continue;
    std::string_view text = r.snapshot->source().text().substr(u.begin, u.end - u.begin);
    if (text == meaning->symbol->name) return Json{{"range", r.range(u.begin, u.end)}, {"placeholder", text}};
  }
  return Json(nullptr);
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

// Why `name` cannot take the place of the symbol in this script; empty: it can.
std::string taken(const Request& r, const Scripts::Script& script, const Meaning& meaning, const std::vector<Use>& uses,
                  const std::string& name) {
  const SymbolIndex& index = script->symbols();
  std::string where = script == r.snapshot ? "" : " of " + std::filesystem::path(script->path()).filename().string();
  auto at_line = [&](std::uint32_t offset) {
    return " on line " + std::to_string(to_position(script->source(), offset, r.client->encoding).line + 1) + where;
  };
  // Taking a name that is in use where the renamed one is seen would change what the script means.
  for (const Use& u : uses) {
    if (!u.bare) continue;
    const Symbol* other = index.lookup(name, index.scope_at(u.begin));
    if (other && other != meaning.symbol) return "'" + name + "' is taken" + at_line(defining(index, *other)->begin);
  }
  bool bare = std::ranges::any_of(uses, &Use::bare);
  for (const Symbol& other : index.symbols) {
    if (bare && other.kind == SymbolKind::Builtin && other.name == name && meaning.symbol->scope == 0) {
      return "'" + name + "' means something else in this script already" + where;
    }
  }
  return {};
}

// A member of another class by the same name, which may override it or be overridden by it. Null: none.
const Symbol* namesake(const SymbolIndex& index, const Meaning& member) {
  const syntax::ClassDef* type = class_around(member.script->symbols(), *member.symbol);
  for (const Symbol& s : index.symbols) {
    const syntax::ClassDef* other = s.name == member.symbol->name ? class_around(index, s) : nullptr;
    if (other && other != type && (!other->bases.empty() || !type->bases.empty())) return &s;
  }
  return nullptr;
}

Answer<Json> rename(const Request& r, const RenameParams& p) {
  Names names(r, Names::Aliases::OwnNames);
  auto meaning = names.at(r.snapshot, r.offset(p.position));
  if (!meaning || !can_rename(*meaning)) return refused("there is no name here that can be changed");
  if (!is_identifier(p.name)) return refused("'" + p.name + "' is not a name");
  const Symbol& s = *meaning->symbol;
  bool member = class_around(meaning->script->symbols(), s);
  std::string why;
  Json changes = Json::object(), document_changes = Json::array();
  bool whole = names.everywhere(*meaning, [&](const Scripts::Script& script) {
    std::optional<std::uint32_t> unknown;
    std::vector<Use> uses = names.uses(script, *meaning, member ? &unknown : nullptr);
    std::string_view text = script->source().text();
    std::erase_if(uses, [&](const Use& u) { return text.substr(u.begin, u.end - u.begin) != s.name; });
    if (member && !unknown) {
      const Symbol* other = namesake(script->symbols(), *meaning);
      const Occurrence* o = other ? defining(script->symbols(), *other) : nullptr;
      if (o) unknown = o->begin;
    }
    if (unknown) {
      why = "'" + std::string(s.name) + "' on line " +
            std::to_string(to_position(script->source(), *unknown, r.client->encoding).line + 1) + " of " +
            std::filesystem::path(script->path()).filename().string() + " may or may not be the same";
      return false;
    }
    why = taken(r, script, *meaning, uses, p.name);
    if (!why.empty()) return false;
    if (uses.empty()) return true;
    Json edits = Json::array();
    for (const Use& u : uses) {
      edits.push_back(protocol::TextEdit{to_range(script->source(), u.begin, u.end, r.client->encoding), p.name});
    }
    std::string uri = script_uri(r, *script);
    Json version = names.scripts().is_open(*script) ? Json(script->version()) : Json(nullptr);
    document_changes.push_back({{"textDocument", {{"uri", uri}, {"version", version}}}, {"edits", edits}});
    changes[uri] = std::move(edits);
    return true;
  });
  if (!why.empty()) return refused(why);
  if (!whole) return cancelled();
  if (r.client->offers("workspace.workspaceEdit.documentChanges")) return Json{{"documentChanges", document_changes}};
  return Json{{"changes", changes}};
}

}  // namespace

void add_rename(Registry& registry) {
  registry.offer_if("renameProvider", [](const Client& c) -> Json {
    if (!c.offers("textDocument.rename.prepareSupport")) return true;
    return {{"prepareProvider", true}, {"workDoneProgress", true}};
  });
  registry.on_document<protocol::PositionParams>("textDocument/prepareRename", prepare_rename);
  registry.on_document<RenameParams>("textDocument/rename", rename);
}

}  // namespace tilewright::lsp
