// The reference's package, `tvm`, as far as scripts import from it: which modules it has, and which names each gives.
// It is closed: what it lacks is no other package's, so a script that names it is wrong. Of several releases that are
// read the names are taken together; what a release gives in `T`, `Tx` and the layout algebra is told by its surface
// (surface.h).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/text/dialect.h"

namespace tilewright::script {

bool is_dialect_module(std::string_view dotted);  // `tvm` or a name below it, be there such a module or not
// The names of this module are listed nowhere: it may have any.
bool is_open_module(std::string_view path);
// May the module have this name? Private names are not asked about.
bool module_has(std::string_view path, std::string_view name);
// Is the name one of those that are listed for the module?
bool lists_name(std::string_view path, std::string_view name);
// Of a module that the release does not have, or not yet: what it is called there; empty: nothing like it. Nothing: it
// is there.
std::optional<std::string> moved_module(std::string_view dotted, text::Dialect release);
// The name of the module that was meant; empty: none is near, or the module is open.
std::string_view nearest_in_module(std::string_view path, std::string_view name);
// A module that scripts import this name from; empty: none has it.
std::string_view module_with(std::string_view name);

// The part of a dotted path that the module before it lacks.
struct UnknownPart {
  std::string_view module;   // "tvm.tirx"
  std::string_view part;     // "layot", a part of the path that was asked for
  std::string_view nearest;  // empty: none is near
};
// Nothing: there is such a module, or it cannot be told.
std::optional<UnknownPart> unknown_part(std::string_view dotted);

}  // namespace tilewright::script
