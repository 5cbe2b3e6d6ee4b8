// What can stand at a place: members of T, Tx, T.ptx and the layout algebra, names in sight, keyword arguments, dtypes,
// memory scopes, architectures and variants inside of strings.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

struct Completion {
  enum class Kind { Method, Function, Field, Variable, Class, Module, Value, Keyword, Constant };
  std::string label;
  Kind kind = Kind::Variable;
  int rank = 0;  // 0 to 9: what is more likely comes first
  std::string detail;
  std::string_view documentation;  // of the language; lives as long as the program
  bool call = false;               // a call, with its parentheses
};
// Each label once, at most 2,000 of them.
std::vector<Completion> completions(const Query& q, std::uint32_t offset);

}  // namespace tilewright::ide
