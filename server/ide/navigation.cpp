#include "server/ide/navigation.h"

#include <algorithm>

namespace tilewright::ide {
namespace {

using namespace syntax;
using session::Occurrence;
using session::SymbolIndex;
using session::SymbolKind;

std::optional<Definition> definition_of(const Query& q, const std::optional<Meaning>& meaning, std::uint32_t offset) {
  if (!meaning) return std::nullopt;
  const SymbolIndex& index = meaning->script->symbols();
  Definition out{meaning->script, {}, {}, {}};
  if (meaning->symbol) {
    const Occurrence* o = defining(index, *meaning->symbol);
    if (!o) return std::nullopt;
    out.name = out.whole = {o->begin, o->end};
    Path path = path_at(*index.tree, o->begin);
    for (std::size_t i = path.nodes.size(); i-- > 0;) {
      const Node* n = path.nodes[i];
      if (n->kind < NodeKind::ExprStmt) continue;
      out.whole = {path.begin(n), path.end(n)};
      break;
    }
  }
  if (const Occurrence* o = q.snapshot->symbols().at(offset)) out.origin = Stretch{o->begin, o->end};
  return out;
}

}  // namespace

std::optional<Definition> definition(const Query& q, std::uint32_t offset) {
  auto found = Names(q, Names::Aliases::SameThing, Names::Depth::Values).at(q.snapshot, offset);
  return definition_of(q, found, offset);
}

std::optional<Definition> declaration(const Query& q, std::uint32_t offset) {
  const SymbolIndex& index = q.snapshot->symbols();
  const Occurrence* o = index.at(offset);
  auto found = o ? std::optional(Meaning{q.snapshot, &index.symbols[o->symbol]})
                 : Names(q, Names::Aliases::SameThing).at(q.snapshot, offset);
  return definition_of(q, found, offset);
}

std::optional<Definition> type_definition(const Query& q, std::uint32_t offset) {
  return definition_of(q, Names(q, Names::Aliases::SameThing, Names::Depth::Values).type_at(q.snapshot, offset),
                       offset);
}

Answer<bool> references(const Query& q, std::uint32_t offset,
                        const std::function<void(const Script&, const std::vector<Use>&)>& visit) {
  Names names(q, Names::Aliases::SameThing, Names::Depth::Values);
  auto meaning = names.at(q.snapshot, offset);
  if (!meaning) return false;
  bool whole = names.everywhere(*meaning, [&](const Script& script) {
    visit(script, names.uses(script, *meaning));
    return true;
  });
  if (!whole) return cancelled();
  return true;
}

std::optional<std::vector<Use>> highlights(const Query& q, std::uint32_t offset) {
  const SymbolIndex& index = q.snapshot->symbols();
  const Occurrence* at = index.at(offset);
  // Members are written behind dots, where only their class says what they are.
  if (!at || class_around(index, index.symbols[at->symbol])) {
    Names names(q, Names::Aliases::SameThing);
    auto meaning = names.at(q.snapshot, offset);
    if (!meaning || !meaning->symbol) return std::nullopt;
    return names.uses(q.snapshot, *meaning);
  }
  std::vector<Use> out;
  for (std::uint32_t i : index.symbols[at->symbol].occurrences) {
    const Occurrence& o = index.occurrences[i];
    out.push_back({o.begin, o.end, o.role, true});
  }
  return out;
}

Answer<std::vector<Stretch>> linked_names(const Query& q, std::uint32_t offset) {
  std::vector<Stretch> none;
  Names names(q, Names::Aliases::SameThing);
  auto meaning = names.at(q.snapshot, offset);
  if (!meaning || !meaning->symbol || meaning->script != q.snapshot) return none;
  SymbolKind kind = meaning->symbol->kind;
  if (kind != SymbolKind::Function && kind != SymbolKind::Kernel && kind != SymbolKind::Parameter) return none;
  std::vector<Use> uses = names.uses(q.snapshot, *meaning);
  auto in_comment = [&](const Use& u) {
    return std::ranges::any_of(q.snapshot->symbols().comments, [&](const Tree::Statement& s) {
      return u.begin >= s.offset && u.end <= s.offset + s.node->text.size();
    });
  };
  auto at_cursor = [&](const Use& u) { return u.begin <= offset && offset <= u.end; };
  if (std::ranges::none_of(uses, in_comment) || std::ranges::none_of(uses, at_cursor)) return none;
  bool alone = true;
  bool whole = names.everywhere(*meaning, [&](const Script& script) {
    alone = script == q.snapshot || names.uses(script, *meaning).empty();
    return alone;
  });
  if (!whole) return cancelled();
  if (!alone) return none;
  std::vector<Stretch> out;
  for (const Use& u : uses) {
    if (q.snapshot->source().text().substr(u.begin, u.end - u.begin) != meaning->symbol->name) return none;
    out.push_back({u.begin, u.end});
  }
  return out;
}

}  // namespace tilewright::ide
