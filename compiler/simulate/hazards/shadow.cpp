#include "compiler/simulate/hazards/shadow.h"

#include "compiler/simulate/machine/memory.h"

namespace tilewright::simulate {

void Shadow::forget_from(std::uint64_t block) {
  std::erase_if(pages_, [&](const auto& entry) {
    if (entry.first >> 32 < block) return false;
    taken_ -= entry.second->cells.size() * sizeof(Cell);
    for (Cell& cell : entry.second->cells) no_readers(cell);
    return true;
  });
  std::erase_if(replaced, [&](const auto& entry) { return entry.first >> kOffsetBits >= block; });
  last_key_ = ~std::uint64_t{0};
}

Shadow::Page* Shadow::page_of(std::uint64_t block, std::int64_t number, std::int64_t start, std::int64_t bytes) {
  // The widest cells that this access begins and ends with.
  const int shift = std::countr_zero(static_cast<std::uint64_t>(start | bytes | 16));
  const std::uint64_t key = block << 32 | static_cast<std::uint64_t>(number);
  if (key != last_key_) {
    std::unique_ptr<Page>& page = pages_[key];
    if (!page) page = std::make_unique<Page>(Page{shift, {}});
    last_ = page.get();
    last_key_ = key;
  }
  if ((last_->cells.empty() || shift < last_->shift) && !split(*last_, shift)) return nullptr;
  return last_;
}

bool Shadow::split(Page& page, int shift) {
  const std::size_t count = static_cast<std::size_t>(kPage) >> shift;
  const std::size_t grown = (count - page.cells.size()) * sizeof(Cell);
  if (taken_ + grown > kMost) return false;
  taken_ += grown;
  std::vector<Cell> cells(count);
  for (std::size_t i = 0; i < count && !page.cells.empty(); ++i) {
    const std::size_t from = i >> (page.shift - shift);
    Cell& old = page.cells[from];
    cells[i] = old;
    cells[i].more = 0;
    if (old.more) more(cells[i]) = std::vector<Readers>(more_[old.more - 1]);
  }
  for (Cell& old : page.cells) no_readers(old);
  page.cells = std::move(cells);
  page.shift = shift;
  return true;
}

std::vector<Readers>& Shadow::more(Cell& cell) {
  if (!cell.more) {
    if (free_.empty()) {
      more_.emplace_back();
      cell.more = static_cast<std::uint32_t>(more_.size());
    } else {
      cell.more = free_.back();
      free_.pop_back();
    }
  }
  return more_[cell.more - 1];
}

void Shadow::no_readers(Cell& cell) {
  cell.read = {};
  if (!cell.more) return;
  more_[cell.more - 1].clear();
  free_.push_back(cell.more);
  cell.more = 0;
}

}  // namespace tilewright::simulate
