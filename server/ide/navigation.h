// Definition, declaration, references and highlights: what a name stands for (names.h).
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "server/ide/names.h"

namespace tilewright::ide {

// Where a name is made.
struct Definition {
  Script script;
  Stretch name;                   // of a module its beginning
  Stretch whole;                  // what it names: a function or class as a whole, anything else with its statement
  std::optional<Stretch> origin;  // the name that was asked about
};
// Nothing: no name, or not known.
std::optional<Definition> definition(const Query& q, std::uint32_t offset);
// The same, but an imported name is declared by its import.
std::optional<Definition> declaration(const Query& q, std::uint32_t offset);

// Where the class is made that a name is an instance of; of a class itself. Nothing: it is of no class that a script
// or the prelude defines.
std::optional<Definition> type_definition(const Query& q, std::uint32_t offset);

// All places of a name, script by script; an alias of an import is the same thing by another name. False: there is no
// name, or its meaning is not known.
Answer<bool> references(const Query& q, std::uint32_t offset,
                        const std::function<void(const Script&, const std::vector<Use>&)>& visit);

// The places in the script itself, as they are written there. Nothing: no name.
std::optional<std::vector<Use>> highlights(const Query& q, std::uint32_t offset);

// The places of a factory, a kernel or a parameter that may be edited as one while typing, without asking any
// further: they are all there is, and some of them stand in comments, which an editor would not find. Else empty.
Answer<std::vector<Stretch>> linked_names(const Query& q, std::uint32_t offset);

}  // namespace tilewright::ide
