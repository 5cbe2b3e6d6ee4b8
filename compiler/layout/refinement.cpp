#include "compiler/layout/refinement.h"

#include <algorithm>
#include <ranges>

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

// Where the dimensions of a shape begin, from the last one on: products of the extents behind them.
std::vector<Dim> boundaries(ShapeView shape) {
  std::vector<Dim> out;
  Dim product = 1;
  for (std::size_t d = shape.size(); d-- > 0;) out.push_back(product = product * shape[d]);
  return out;
}

// One cut of all shapes together: which of them have a dimension that ends there.
struct Cut {
  Dim at;
  std::vector<bool> of;
};

bool take_cut(const std::vector<std::vector<Dim>>& all, std::vector<std::size_t>& next, std::vector<Cut>& cuts) {
  const Dim* least = nullptr;
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (next[s] == all[s].size()) continue;
    const Dim& candidate = all[s][next[s]];
    const bool divides_others = std::ranges::all_of(std::views::iota(std::size_t{0}, all.size()), [&](std::size_t o) {
      return next[o] == all[o].size() || provably_divisible(all[o][next[o]], candidate);
    });
    if (divides_others) least = &candidate;
    if (least) break;
  }
  if (!least) return false;
  Cut cut{*least, std::vector<bool>(all.size())};
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (next[s] == all[s].size() || !provably_equal(all[s][next[s]], cut.at)) continue;
    cut.of[s] = true;
    ++next[s];
  }
  cuts.push_back(std::move(cut));
  return true;
}

}  // namespace

Result<Refined> group_many(const TileLayout& l, std::span<const Shape> shapes) {
  if (shapes.empty()) return detail::fail("group_many: at least one shape is needed", l);
  std::vector<std::vector<Dim>> all;
  for (const Shape& shape : shapes) all.push_back(boundaries(shape));
  for (std::size_t s = 1; s < all.size(); ++s) {
    const Dim first = all[0].empty() ? Dim(1) : all[0].back(), other = all[s].empty() ? Dim(1) : all[s].back();
    if (!provably_equal(first, other)) {
      return detail::fail("group_many: the shapes hold " + to_string(first) + " and " + to_string(other) + " elements",
                          l, shapes[s]);
    }
  }
  std::vector<std::size_t> next(all.size());
  std::vector<Cut> cuts;
  while (std::ranges::any_of(std::views::iota(std::size_t{0}, all.size()),
                             [&](std::size_t s) { return next[s] < all[s].size(); })) {
    if (!take_cut(all, next, cuts)) {
      return detail::fail("group_many: the dimensions of the shapes do not end at common places", l, shapes[0]);
    }
  }
  Shape refined;
  Dim before = 1;
  for (const Cut& cut : cuts) {
    refined.insert(refined.begin(), floordiv(cut.at, before));
    before = cut.at;
  }
  Result<Grouped> grouped = detail::group_for("group_many", l, refined);
  if (!grouped) return std::unexpected(grouped.error());
  Refined out{std::move(grouped->layout), {}};
  for (std::size_t s = 0; s < all.size(); ++s) {
    std::vector<std::size_t>& mine = out.separators.emplace_back();
    for (std::size_t c = cuts.size(); c-- > 0;) {
      if (cuts[c].of[s]) mine.push_back(grouped->separators[cuts.size() - 1 - c]);
    }
    mine.push_back(grouped->separators.back());
  }
  return out;
}

}  // namespace tilewright::layout
