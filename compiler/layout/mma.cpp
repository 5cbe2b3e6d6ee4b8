#include "compiler/layout/mma.h"

#include "compiler/layout/detail.h"

namespace tilewright::layout {
using detail::refuse;

Result<Layout> mma_fragment_layout(std::string_view operand, std::int64_t k) {
  if (k != 8 && k != 16) return refuse("mma.m16n8kX multiplies by 8 or 16 along K, not by " + std::to_string(k));
  const Iter row{8, 4, Axis::laneid}, pair{2, 1, Axis::m}, four{4, 1, Axis::laneid};
  if (operand == "C" || operand == "D") return detail::plain({{{2, 2, Axis::m}, row, four, pair}, {}, {}});
  if (operand == "A") {
    if (k == 8) return detail::plain({{{2, 2, Axis::m}, row, four, pair}, {}, {}});
    return detail::plain({{{2, 2, Axis::m}, row, {2, 4, Axis::m}, four, pair}, {}, {}});
  }
  if (operand != "B") return refuse("mma has the operands A, B, C and D, not \"" + std::string(operand) + "\"");
  if (k == 8) return detail::plain({{four, pair, row}, {}, {}});
  return detail::plain({{{2, 2, Axis::m}, four, pair, row}, {}, {}});
}

}  // namespace tilewright::layout
