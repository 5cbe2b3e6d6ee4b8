// Dotted paths of modules: `tvm.script.tirx`.
#pragma once
#include <string_view>

namespace tilewright::text {

// Is it the path `whole`, or one below it?
inline bool is_or_below(std::string_view path, std::string_view whole) {
  return path.starts_with(whole) && (path.size() == whole.size() || path[whole.size()] == '.');
}

}  // namespace tilewright::text
