#include "compiler/text/search.h"

#include <cstring>
#include <string>

namespace tilewright::text {

std::size_t find_first(std::string_view in, std::string_view what, std::size_t from) {
  if (from > in.size()) return std::string_view::npos;
  if (what.empty()) return from;
  const void* at = ::memmem(in.data() + from, in.size() - from, what.data(), what.size());
  return at ? static_cast<std::size_t>(static_cast<const char*>(at) - in.data()) : std::string_view::npos;
}

std::size_t find_last(std::string_view in, std::string_view what) {
  // There is no search from the end with that promise: search both from their ends, turned round.
  std::size_t at = find_first(std::string(in.rbegin(), in.rend()), std::string(what.rbegin(), what.rend()));
  return at == std::string_view::npos ? at : in.size() - at - what.size();
}

}  // namespace tilewright::text
