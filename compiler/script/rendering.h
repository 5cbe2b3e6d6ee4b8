// The old formatting of Python: `text % values`.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/script/interpreter.h"

namespace tilewright::script {

// Nothing with a pending error where the values do not fit the text.
std::optional<std::string> percent_format(Interpreter& in, std::string_view text, Value values, text::Span span);

}  // namespace tilewright::script
