// What a cursor means: a name or an expression, and where its value can be asked for.
#pragma once
#include <optional>
#include <string>

#include "server/ide/look.h"

namespace tilewright::ide {

struct Subject {
  std::string name;                          // as written; empty: it is no name
  std::uint32_t begin = 0, end = 0;          // of the file
  const syntax::Node* value = nullptr;       // to be probed; null: nothing can be
  const syntax::Node* otherwise = nullptr;   // probed where `value` is never evaluated
  const syntax::FunctionDef* def = nullptr;  // the cursor is on its name
  bool of_module = false;                    // bound at module level
};
// Nothing: what stands at byte `offset` has no value.
std::optional<Subject> subject_of(const Found& found, std::uint32_t offset);

}  // namespace tilewright::ide
