// Conditions that hold, or do not, whatever a part of them is that is not known.
#pragma once
#include <optional>

#include "compiler/script/interpreter.h"

namespace tilewright::script {

// The truth of a condition whose value is not known, where a part of it decides: `unknown or True`. Nothing: it does
// not, or evaluating that part once more might change something.
std::optional<bool> sure_truth(Interpreter& in, const syntax::Node* node, Scope* scope);

}  // namespace tilewright::script
