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

constexpr Unmodelled kUnmodelledRows[] = {
    {"C60", kForeign},      {"L11", kExtern},     {"L11.pure", kExtern}, {"L12", kOpaque},   {"L12.load", kOpaque},
    {"L12.store", kOpaque}, {"L12.mma", kOpaque}, {"L12.bmma", kOpaque}, {"P35", kNumbered}, {"P43", kNever},
};

// Instructions of 0.27, by a part of their row's name.
constexpr std::string_view kImage = "it reads a map of cuTensorMapEncodeIm2col, and no script can make one",
                           kShifted = "PTX says that it shifts the rows of A, and not which row comes first then",
                           kReported = "it reports, and what it would report depends on the hardware";

constexpr Unmodelled kParts[] = {
    {"im2col", kImage},
    {"ashift", kShifted},
    {"_collector_ab_ts", kShifted},
    {"_report", kReported},
};

}  // namespace

std::span<const Unmodelled> unmodelled_rows() { return kUnmodelledRows; }

std::string_view why_unmodelled(std::string_view id) {
  const auto* row = std::ranges::find(kUnmodelledRows, id, &Unmodelled::id);
  if (row != std::end(kUnmodelledRows)) return row->why;
  const auto* part = std::ranges::find_if(kParts, [&](const Unmodelled& u) { return id.contains(u.id); });
  return part == std::end(kParts) ? std::string_view() : part->why;
}

}  // namespace tilewright::simulate
