// What the author did not write and would have to look up, at the end of what it is about.
#pragma once
#include <string>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

struct Hint {
  enum class Kind {
    Type,     // of what a name is given
    Plan,     // the variant that a call became
    ScopeId,  // the values of a scope id
  };
  std::uint32_t at = 0;  // byte of the script
  Kind kind = Kind::Plan;
  std::string label;
  std::string tooltip;  // empty: none
};
// Within these bytes, ascending; as much as the preferences ask for.
Answer<std::vector<Hint>> hints(const Query& q, Stretch within);

}  // namespace tilewright::ide
