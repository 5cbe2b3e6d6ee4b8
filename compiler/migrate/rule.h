// What one release of the dialect writes for what the release before it wrote: a table, one line a rule.
//
// Both sides are text of a script. `was` is a call, or an assignment of one; `is` stands for it.
//
//   T, Tx, layout      the namespaces, whatever the script calls them; `Tx.copy` is it in every scope
//   name               any expression, the same wherever it stands again; in a call of an instruction it is the operand
//                      at that place, given by position or by keyword, or its default
//   *names             the operands between those before and those after it
//   ...                all other arguments; then only what differs between `was` and `is` is edited
//   1, "x", True       that value and no other, be it written or the default
//   {name}             in a text of `is`: the value of `name`, which must be a constant, or a name that is one while
//                      the script is evaluated; `{.name}` with a dot before it, or nothing where the value is empty
//   {bits:name}        in a text of `is`: the bits of an element or a scalar whose dtype the function says
//   {space:name}       in a text of `is`: `.shared` of a pointer into shared memory, nothing of one into global memory
//   [32, name]         in `is`: the element of 32 bits that a pointer, `b.ptr_to([i])` or `T.address_of(b[i])`,
//                      points at; `*[32, names]` those of several
//   \n                 ends a statement: `is` can be several where the call is a statement
//
// An `is` that begins with `!` says why a person must decide; the script stays as it is there. With `?` it is a note:
// the text stays right, and may mean something else. With `&` it holds where `o` is a buffer to which the function
// gives a layout.
#pragma once
#include <span>
#include <string_view>

#include "compiler/text/dialect.h"

namespace tilewright::migrate {

struct Rule {
  std::string_view was, is;
  std::string_view by_hand = {};  // what to write where `is` needs something that the script does not say
};
// Those that lead to this release from the one before; of several that fit a place the first.
std::span<const Rule> rules_to(text::Dialect release);

// What to write by hand for a name that the release has no longer, where one release later has a rule for it. Empty: no
// more than what the surface says of it.
std::string_view words_by_hand(std::string_view path, text::Dialect release);

// Modules whose path is another: `was` and all below it.
struct ModuleRule {
  std::string_view was, is;
};
std::span<const ModuleRule> modules_to(text::Dialect release);

}  // namespace tilewright::migrate
