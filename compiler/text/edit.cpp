#include "compiler/text/edit.h"

#include <algorithm>
#include <cstring>

namespace tilewright::text {
namespace {

// Bytes compared at once where the texts are the same, which is most of them.
constexpr std::size_t kBlock = 4096;

std::size_t same_at_beginning(std::string_view a, std::string_view b) {
  const std::size_t limit = std::min(a.size(), b.size());
  std::size_t same = 0;
  while (same + kBlock <= limit && std::memcmp(a.data() + same, b.data() + same, kBlock) == 0) same += kBlock;
  while (same < limit && a[same] == b[same]) ++same;
  return same;
}

std::size_t same_at_end(std::string_view a, std::string_view b) {
  const std::size_t limit = std::min(a.size(), b.size());
  const char *a_end = a.data() + a.size(), *b_end = b.data() + b.size();
  std::size_t same = 0;
  while (same + kBlock <= limit && std::memcmp(a_end - same - kBlock, b_end - same - kBlock, kBlock) == 0)
    same += kBlock;
  while (same < limit && a_end[-1 - static_cast<std::ptrdiff_t>(same)] == b_end[-1 - static_cast<std::ptrdiff_t>(same)])
    ++same;
  return same;
}

}  // namespace

Edit together(const Edit& first, const Edit& second) {
  // Of the text between the two.
  const std::uint32_t end = std::max(first.new_end, second.old_end);
  return {std::min(first.begin, second.begin), end - first.new_end + first.old_end,
          end - second.old_end + second.new_end};
}

Edit difference(std::string_view before, std::string_view after) {
  const std::size_t head = same_at_beginning(before, after);
  const std::size_t tail = same_at_end(before.substr(head), after.substr(head));
  return {static_cast<std::uint32_t>(head), static_cast<std::uint32_t>(before.size() - tail),
          static_cast<std::uint32_t>(after.size() - tail)};
}

}  // namespace tilewright::text
