// The names of a script that some releases of the dialect have and others lack.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/syntax/tree.h"
#include "compiler/text/dialect.h"

namespace tilewright::script {

// A name, or a keyword of a call, that a release lacks and another has.
struct NameOfOthers {
  std::uint32_t begin = 0, end = 0;  // bytes in the file
  std::string name;                  // "T.ptx.elect_sync", "dispatch=\"tma\""
  std::string releases;              // that have it: "0.25 and 0.26"
};
// The first of a file. None: the release has all names of the file that any release has. Names that no release has, as
// those that are half typed, say nothing. Methods and keywords are told apart by their names alone, so that an object
// of the script could have them, too: `certain` leaves them out. What stands in a `try` that expects ImportError or
// AttributeError, or below an `if` on `tvm.__version__` or `hasattr`, is there for several releases and says nothing.
std::optional<NameOfOthers> first_of_others(const syntax::Tree& tree, text::Dialect release, bool certain);
// The same for each release, in the order of text::kDialects.
using FirstsOfOthers = std::array<std::optional<NameOfOthers>, text::kDialects.size()>;
FirstsOfOthers firsts_of_others(const syntax::Tree& tree, bool certain);
// All of them, methods and keywords too, in the order of the text.
std::vector<NameOfOthers> names_of_others(const syntax::Tree& tree, text::Dialect release);

}  // namespace tilewright::script
