// Unique names by scope, for everything that writes a program: CUDA source, printed scripts.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilewright::text {

// In alphabetical order, as Names wants them.
template <std::size_t Count>
consteval std::array<std::string_view, Count> in_order(std::array<std::string_view, Count> words) {
  std::ranges::sort(words);
  return words;
}

// A name is taken while the block that declared it is open, so sibling loops may both use `i`, and nothing is ever
// shadowed.
class Names {
 public:
  // `reserved`: words that are never handed out, in alphabetical order; they outlive this.
  explicit Names(std::span<const std::string_view> reserved) : reserved_(reserved) {}

  void open() { marks_.push_back(taken_.size()); }
  void close();
  void reserve(std::string_view name) { ++count_[std::string(name)]; }
  // The wanted name made an identifier and unique: `x`, then `x_1`, ...
  std::string take(std::string_view wanted);

 private:
  std::span<const std::string_view> reserved_;
  std::unordered_map<std::string, int> count_;
  std::vector<std::string> taken_;
  std::vector<std::size_t> marks_;
};

// The first 255 characters of the text with everything outside [A-Za-z0-9_] made `_`; never empty, never starting with
// a digit.
std::string identifier(std::string_view text);

}  // namespace tilewright::text
