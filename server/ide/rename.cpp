#include "server/ide/rename.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "compiler/syntax/keywords.h"
#include "server/ide/names.h"
#include "server/ide/text_names.h"

namespace tilewright::ide {
namespace {

using session::Occurrence;
using session::Symbol;
using session::SymbolIndex;
using session::SymbolKind;

bool can_rename(const Meaning& m) {
  if (!m.symbol || is_prelude(*m.script) || m.symbol->kind == SymbolKind::Builtin) return false;
  return m.symbol->kind != SymbolKind::Import || is_alias(*m.symbol);
}

bool is_identifier(std::string_view name) {
  auto letter = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)); }) &&
         !syntax::is_keyword(name);
}

constexpr const char* kTakenElsewhere = "means something else in this script already";

// Why `name` cannot take the place of the symbol in this script; empty: it can.
std::string taken(const Query& q, const Script& script, const Meaning& meaning, const std::vector<Use>& uses,
                  const std::string& name) {
  const SymbolIndex& index = script->symbols();
  std::string where = script == q.snapshot ? "" : " of " + std::filesystem::path(script->path()).filename().string();
  auto at_line = [&](std::uint32_t offset) {
    return " on line " + std::to_string(script->source().position(offset).line + 1) + where;
  };
  const std::string taken_elsewhere = "'" + name + "' " + kTakenElsewhere + where;
  // Taking a name that is in use where the renamed one is seen would change what the script means.
  for (const Use& u : uses) {
    if (!u.bare) continue;
    const Symbol* other = index.lookup(name, index.scope_at(u.begin));
    if (!other || other == meaning.symbol) continue;
    // No line of a half-typed script may say what it is.
    const Occurrence* defined = defining(index, *other);
    return defined ? "'" + name + "' is taken" + at_line(defined->begin) : taken_elsewhere;
  }
  auto of_python = [&](const Symbol& s) { return s.kind == SymbolKind::Builtin && s.name == name; };
  bool meets = std::ranges::any_of(uses, &Use::bare) && std::ranges::any_of(index.symbols, of_python);
  return meets ? taken_elsewhere : "";
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

}  // namespace

std::optional<Stretch> renamable(const Query& q, std::uint32_t offset) {
  Names names(q, Names::Aliases::OwnNames, Names::Depth::Values);
  auto meaning = names.at(q.snapshot, offset);
  if (!meaning || !can_rename(*meaning)) return std::nullopt;
  for (const Use& u : names.uses(q.snapshot, *meaning)) {
    if (u.begin > offset || offset > u.end) continue;
    std::string_view text = q.snapshot->source().text().substr(u.begin, u.end - u.begin);
    if (text == meaning->symbol->name) return Stretch{u.begin, u.end};
  }
  return std::nullopt;
}

Answer<std::vector<RenamedScript>> rename(const Query& q, std::uint32_t offset, const std::string& new_name) {
  Names names(q, Names::Aliases::OwnNames, Names::Depth::Values);
  auto meaning = names.at(q.snapshot, offset);
  if (!meaning || !can_rename(*meaning)) return refused("there is no name here that can be changed");
  if (!is_identifier(new_name)) return refused("'" + new_name + "' is not a name");
  const Symbol& s = *meaning->symbol;
  bool member = class_around(meaning->script->symbols(), s);
  if (member) {
    const SymbolIndex& index = meaning->script->symbols();
    auto same = [&](const Symbol& other) { return other.scope == s.scope && other.name == new_name; };
    if (auto it = std::ranges::find_if(index.symbols, same); it != index.symbols.end() && defining(index, *it)) {
      std::uint32_t line = meaning->script->source().position(defining(index, *it)->begin).line + 1;
      return refused("'" + new_name + "' is taken on line " + std::to_string(line));
    }
  }
  std::string why;
  std::vector<RenamedScript> out;
  bool whole = names.everywhere(*meaning, [&](const Script& script) {
    std::optional<std::uint32_t> unknown;
    std::vector<Use> uses = names.uses(script, *meaning, member ? &unknown : nullptr);
    std::string_view text = script->source().text();
    std::erase_if(uses, [&](const Use& u) { return text.substr(u.begin, u.end - u.begin) != s.name; });
    TextNames by_text = text_names(names, script, *meaning);
    for (const Use& u : by_text.uses) {
      auto at = std::ranges::lower_bound(uses, u.begin, {}, &Use::begin);
      if (at == uses.end() || at->begin != u.begin) uses.insert(at, u);
    }
    if (!unknown) unknown = by_text.unsure;
    if (member && !unknown) {
      const Symbol* other = namesake(script->symbols(), *meaning);
      const Occurrence* o = other ? defining(script->symbols(), *other) : nullptr;
      if (o) unknown = o->begin;
    }
    if (unknown) {
      why = "'" + std::string(s.name) + "' on line " + std::to_string(script->source().position(*unknown).line + 1) +
            " of " + std::filesystem::path(script->path()).filename().string() + " may or may not be the same";
      return false;
    }
    why = taken(q, script, *meaning, uses, new_name);
    if (!why.empty()) return false;
    if (uses.empty()) return true;
    RenamedScript& changed = out.emplace_back(RenamedScript{script, names.scripts().is_open(*script), {}});
    for (const Use& u : uses) changed.places.push_back({u.begin, u.end});
    return true;
  });
  if (!why.empty()) return refused(why);
  if (!whole) return cancelled();
  return out;
}

}  // namespace tilewright::ide
