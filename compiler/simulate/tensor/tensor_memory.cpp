#include "compiler/simulate/tensor/tensor_memory.h"

#include <algorithm>

namespace tilewright::simulate {

std::optional<std::int64_t> TensorMemory::allocate(std::int64_t columns) {
  if (alone_) return std::nullopt;
  const std::size_t units = static_cast<std::size_t>(columns / kUnit);
  for (std::size_t first = 0; first + units <= kColumns / kUnit; first += units) {
    auto begin = owners_.begin() + static_cast<std::ptrdiff_t>(first);
    auto end = begin + static_cast<std::ptrdiff_t>(units);
    if (!std::all_of(begin, end, [](std::int16_t owner) { return owner == 0; })) continue;
    std::fill(begin, end, static_cast<std::int16_t>(first + 1));
    // What an earlier owner left there counts as never written.
    for (std::int64_t lane = 0; cells_ && lane < kLanes; ++lane)
      std::fill_n(cell(lane, static_cast<std::int64_t>(first) * kUnit).defined, columns * kCellBytes, std::uint8_t{0});
    return static_cast<std::int64_t>(first) * kUnit;
  }
  return std::nullopt;
}

std::optional<std::int64_t> TensorMemory::allocate_alone(std::int64_t columns) {
  if (any_allocated()) return std::nullopt;
  alone_ = true;
  columns_ = std::max(columns_, columns);
  cells_.reset();
  std::fill_n(owners_.begin(), columns / kUnit, std::int16_t{1});
  return 0;
}

bool TensorMemory::release(std::int64_t first, std::int64_t columns) {
  if (first < 0 || first % kUnit != 0 || first + columns > kMostColumns) return false;
  auto owner = static_cast<std::int16_t>(first / kUnit + 1);
  if (std::ranges::count(owners_, owner) != columns / kUnit) return false;
  std::ranges::replace(owners_, owner, std::int16_t{0});
  alone_ = false;
  return true;
}

bool TensorMemory::holds(std::int64_t column) const {
  return column >= 0 && column < kMostColumns && owners_[static_cast<std::size_t>(column / kUnit)] != 0;
}

bool TensorMemory::holds(std::int64_t first, std::int64_t columns) const {
  for (std::int64_t c = first; c < first + columns; ++c)
    if (!holds(c)) return false;
  return true;
}

bool TensorMemory::any_allocated() const {
  return std::ranges::any_of(owners_, [](std::int16_t owner) { return owner != 0; });
}

std::int64_t TensorMemory::columns_from(std::int64_t first) const {
  if (first < 0 || first % kUnit != 0 || first >= kMostColumns) return 0;
  return std::ranges::count(owners_, static_cast<std::int16_t>(first / kUnit + 1)) * kUnit;
}

TensorMemory::Left TensorMemory::left() const {
  const auto unit = std::ranges::find_if(owners_, [](std::int16_t owner) { return owner != 0; });
  if (unit == owners_.end()) return {};
  const std::int64_t first = (*unit - 1) * kUnit;
  return {first, columns_from(first), origin_of(first)};
}

View TensorMemory::cell(std::int64_t lane, std::int64_t column) {
  if (!cells_) cells_ = std::make_unique<OwnedBlock>("tensor memory", kLanes * columns_ * kCellBytes, trace_);
  return View{cells_->bytes, cells_->defined, cells_->tags}.at((lane * columns_ + column) * kCellBytes);
}

}  // namespace tilewright::simulate
