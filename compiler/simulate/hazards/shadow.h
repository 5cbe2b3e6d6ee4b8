// Who touched each byte of shared and global memory last: what the search for races compares an access with.
//
// Bytes that were always touched together share a cell. A page of memory begins with cells as wide as its first access
// and splits them when a narrower one comes, so the answer is exact for every byte and copies of 16 bytes stay cheap.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilewright::simulate {

// One access: by which agent, when on its clock, where in the program.
struct Touch {
  static constexpr std::uint32_t kOperation = 1u << 31, kAtomic = 1u << 31;

  std::uint32_t who = 0;   // 0: none; the number of a thread in the grid plus one; kOperation and an operation's
  std::uint32_t time = 0;  // of the thread
  std::uint32_t site = 0;  // and kAtomic

  bool is_operation() const { return (who & kOperation) != 0; }
  bool is_atomic() const { return (site & kAtomic) != 0; }
};

// Lanes of one warp that read at the same time of theirs; or an operation, which has no lanes.
struct Readers {
  std::uint32_t who = 0;  // 0: none; the number of a warp in the grid plus one; kOperation and an operation's
  std::uint32_t time = 0;
  std::uint32_t lanes = 0;
  std::uint32_t site = 0;  // and kAtomic
};

struct Cell {
  Touch write;
  Readers read;            // since that write
  std::uint32_t more = 0;  // 1 + the place of more readers in Shadow::more
};

class Shadow {
 public:
  static constexpr std::int64_t kPage = 4096;
  // Memory that cells may take.
  static constexpr std::size_t kMost = std::size_t{1} << 30;

  // Forgets the blocks from this number on.
  void forget_from(std::uint64_t block);

  // Calls f(cell, offset, bytes) for each cell of a range of a block. False: there is no memory for more cells.
  template <class F>
  bool each(std::uint64_t block, std::int64_t offset, std::int64_t bytes, F&& f) {
    while (bytes > 0) {
      const std::int64_t start = offset % kPage, here = std::min(bytes, kPage - start);
      Page* page = page_of(block, offset / kPage, start, here);
      if (!page) return false;
      const std::int64_t width = std::int64_t{1} << page->shift, end = (start + here) >> page->shift;
      for (std::int64_t c = start >> page->shift; c < end; ++c)
        f(page->cells[static_cast<std::size_t>(c)], offset - start + c * width, width);
      offset += here;
      bytes -= here;
    }
    return true;
  }

  // Calls f(cell, offset) for each cell of a block that was touched.
  template <class F>
  void each_touched(std::uint64_t block, F&& f) {
    for (auto& [key, page] : pages_) {
      if (key >> 32 != block) continue;
      const auto start = static_cast<std::int64_t>(key & 0xffffffff) * kPage;
      for (std::size_t c = 0; c < page->cells.size(); ++c)
        f(page->cells[c], start + (static_cast<std::int64_t>(c) << page->shift));
    }
  }

  // Calls f(block, offset, bytes, cell) for each cell that was touched.
  template <class F>
  void each_cell(F&& f) const {
    for (const auto& [key, page] : pages_) {
      const auto start = static_cast<std::int64_t>(key & 0xffffffff) * kPage;
      for (std::size_t c = 0; c < page->cells.size(); ++c) {
        const Cell& cell = page->cells[c];
        if (cell.write.who || cell.read.who)
          f(key >> 32, start + (static_cast<std::int64_t>(c) << page->shift), std::int64_t{1} << page->shift, cell);
      }
    }
  }

  std::vector<Readers>& more(Cell& cell);
  void no_readers(Cell& cell);

  // Ordinary writes that atomic ones came after, by the pointer to the cell.
  std::unordered_map<std::uint64_t, Touch> replaced;

 private:
  struct Page {
    int shift;  // a cell has 1 << shift bytes
    std::vector<Cell> cells;
  };
  Page* page_of(std::uint64_t block, std::int64_t number, std::int64_t start, std::int64_t bytes);
  bool split(Page& page, int shift);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // block << 32 | number
  std::uint64_t last_key_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
  std::vector<std::vector<Readers>> more_;
  std::vector<std::uint32_t> free_;
  std::size_t taken_ = 0;
};

}  // namespace tilewright::simulate
