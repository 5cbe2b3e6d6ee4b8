// What one can write behind a dot.
//
// Names of the language are read off its tables. Of anything else it is the value that says what it has: the line that
// is being typed is no Python yet, so a copy of the script is evaluated in which what stands before the dot is a
// statement by itself. Where nothing evaluates it, names are followed as far as they lead (names.h). Where neither
// knows, nothing is offered.
#pragma once
#include <string_view>

#include "compiler/ir/target.h"
#include "server/ide/completion.h"
#include "server/ide/names.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {

// What stands before the dot at byte `dot`: names, attributes, subscripts and calls. Empty: nothing that could be.
Stretch owner_before(std::string_view text, std::uint32_t dot);
// Adds what can follow. `offset`: the cursor, behind the dot.
void add_members(Completions& out, const Query& q, Names& names, Stretch owner, std::uint32_t offset);
// The names of a space of the surface. `only`: of primitives alone.
void add_words(Completions& out, const script::Surface& surface, std::string_view space, bool primitives_only = false);
// What another script defines: names of a module, members of a class or of its instance.
void add_defined(Completions& out, Names& names, const Meaning& owner, bool call);
Completion::Kind completion_kind(const session::Symbol& symbol);
Completion::Kind completion_kind(script::NameKind kind);

// What an expression that ends at `owner.end` is, in a copy of the script where its line ends there. Null: nothing
// evaluates it. The values live as long as the answer.
struct EvaluatedOwner {
  std::shared_ptr<const session::Snapshot> script;
  std::unique_ptr<session::Probed> probed;
};
std::optional<EvaluatedOwner> evaluate_owner(const Query& q, Stretch owner, std::uint32_t offset);
// What the call at a cursor calls: as names say, else as the value that stands there.
std::vector<Callable> callables_at(Names& names, const Query& q, const OpenCall& call, std::uint32_t offset);
// The same for what is asked at each letter: values are looked at only of names that are made by the dialect's own
// calls, as `pool = txl.smem_pool()`.
std::vector<Callable> callables_of_made(Names& names, const Query& q, const OpenCall& call, std::uint32_t offset);

}  // namespace tilewright::ide
