// What the names before a cursor mean: `T.ptx.mbarrier.`, `Tx.warp.copy(`, `helper(`.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/surface.h"
#include "compiler/session/snapshot.h"
#include "server/ide/names.h"

namespace tilewright::ide {

// A dotted name as the script writes it, with what its first name is imported as: "T.ptx.mbarrier", "Tx.warp.copy",
// "layout.mma_shared_layout"; a name of the script stays as it is. Empty: no dotted name.
std::string canonical(const session::Snapshot& snapshot, std::string_view dotted, std::uint32_t offset);

// Everything that one can call, in one form.
struct Callable {
  std::string name;  // as people would write it
  std::string_view documentation;
  std::vector<std::string> parameters;  // with their defaults
  std::string returns;
  bool variadic = false;
};
// Parameters as a signature shows them: "*args", "n=4", and "*" before those that a keyword must name. `text_of`: what
// the script writes of a node; `first`: those before it are left out; `typed`: with annotations.
std::vector<std::string> written_parameters(std::span<const syntax::Parameter> parameters, std::size_t first,
                                            bool typed, const std::function<std::string(const syntax::Node*)>& text_of);
// What `name` (canonical) is; several forms of one instruction are several. Functions of the script are found by their
// name as it is seen at `offset`.
std::vector<Callable> callables(const session::Snapshot& snapshot, std::string_view name, std::uint32_t offset);
// The same for functions and classes of other scripts and for methods, where names lead to them.
std::vector<Callable> callables(Names& names, const Query& q, std::string_view dotted, std::uint32_t offset);

// The brackets that are open at a place, read off the text.
struct Bracket {
  char kind;                            // '(', '[' or '{'
  std::size_t at;                       // its byte
  std::size_t commas = 0;               // behind it, at its level
  std::size_t argument_begin = 0;       // of the part that the place is in
  std::vector<std::string> keywords{};  // `name=` at its level
};
struct Brackets {
  std::vector<Bracket> open;  // outermost first
  char quote = 0;             // of the string that the place is in; 0: none
  bool in_comment = false;
};
Brackets open_brackets(std::string_view text, std::uint32_t offset);

// The call whose arguments the cursor stands in, read off the text, so that it works while the call is being typed.
struct OpenCall {
  std::string function;            // dotted, as written
  std::uint32_t begin = 0;         // of the function's name
  std::size_t argument = 0;        // index of the one at the cursor
  std::string keyword;             // that it is given by; empty: by position
  std::vector<std::string> given;  // keywords that stand there already
  bool in_string = false;          // the cursor is inside a string literal
};
std::optional<OpenCall> open_call(std::string_view text, std::uint32_t offset);
std::optional<OpenCall> open_call(std::string_view text, std::uint32_t offset, const Brackets& brackets);

}  // namespace tilewright::ide
