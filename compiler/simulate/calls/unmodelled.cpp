#include "compiler/simulate/calls/unmodelled.h"

#include <algorithm>
#include <iterator>

namespace tilewright::simulate {
namespace {

constexpr std::string_view kForeign = "its CUDA source is the author's own, and the simulator executes no CUDA",
                           kExtern = "its source comes from elsewhere",
                           kOpaque = "which lane holds which element of a wmma fragment is the compiler's secret",
                           kNever = "it never worked on any GPU",
                           kNumbered = "its form with the number of a barrier never worked on any GPU";

constexpr Unmodelled kRows[] = {
    {"C60", kForeign},      {"L11", kExtern},     {"L11.pure", kExtern}, {"L12", kOpaque},   {"L12.load", kOpaque},
    {"L12.store", kOpaque}, {"L12.mma", kOpaque}, {"L12.bmma", kOpaque}, {"P35", kNumbered}, {"P43", kNever},
};

}  // namespace

std::span<const Unmodelled> unmodelled_rows() { return kRows; }

std::string_view why_unmodelled(std::string_view id) {
  const auto* row = std::ranges::find(kRows, id, &Unmodelled::id);
  return row == std::end(kRows) ? std::string_view() : row->why;
}

}  // namespace tilewright::simulate
