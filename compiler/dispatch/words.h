// Putting reasons together: cat("region of ", 100, " elements").
#pragma once
#include <concepts>
#include <string>
#include <string_view>

namespace tilewright::dispatch {

inline void append(std::string& to, std::string_view text) { to += text; }
inline void append(std::string& to, std::integral auto value) { to += std::to_string(value); }

template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

}  // namespace tilewright::dispatch
