// Lists of configurations that no requested entry leads to. Some libraries compute them by long searches, for which an
// entry such as get_kernel(128, 64) need not wait.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "compiler/syntax/tree.h"

namespace tilewright::script {

class Interpreter;

// Where Modules::run() finds the names of lists that it passes over; no name that a script could write.
inline constexpr std::string_view kUnneeded = "entries.unneeded";

// The name of such a list, which ends with CONFIGS, that the statement binds; empty: it binds none.
std::string_view bound_configs(const syntax::Node* statement);
// Notes those that nothing else of the script and none of the entries names.
void pass_over_configs(Interpreter& in, const syntax::Tree& tree, std::span<const std::string> entries);

}  // namespace tilewright::script
