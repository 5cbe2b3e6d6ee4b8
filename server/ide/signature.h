// The operands of the call that is being typed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

struct Signature {
  std::string label;                    // "T.copy(dst, src) -> None"
  std::vector<std::string> parameters;  // with their defaults, as they stand in the label
  std::optional<std::size_t> active;    // that the cursor is at
  std::string documentation;
};
struct Signatures {
  std::vector<Signature> forms;  // several of one instruction; never empty
  std::size_t best = 0;          // the first that has room for what was typed
};
// Nothing: no call, or it is not known what it calls.
std::optional<Signatures> signatures(const Query& q, std::uint32_t offset);

}  // namespace tilewright::ide
