// What an edit does to a text.
#pragma once
#include <cstdint>
#include <string_view>

namespace tilewright::text {

// The bytes [begin, old_end) of the text before became the bytes [begin, new_end) of the text after it.
struct Edit {
  std::uint32_t begin = 0;
  std::uint32_t old_end = 0;
  std::uint32_t new_end = 0;
  friend bool operator==(const Edit&, const Edit&) = default;
};

// The one edit that does what `first` does and then `second`, which speaks of the text that `first` left. It may take
// in what stands between the two.
Edit together(const Edit& first, const Edit& second);

// The one edit that makes `after` of `before`, and as small as one can be.
Edit difference(std::string_view before, std::string_view after);

}  // namespace tilewright::text
