// Where something stands in a script.
//
// Results of a kernel outlive the edit that moved it, so a position is kept relative to an *anchor*: the top-level
// statement that holds it. A comment typed above moves the anchor and leaves every span inside untouched.
#pragma once
#include <cstdint>

namespace tilewright::text {

// Half-open range of UTF-8 bytes, counted from the start of `anchor`. Anchor 0 is "nowhere".
struct Span {
  std::uint32_t anchor = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  explicit operator bool() const { return anchor != 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace tilewright::text
