#include "compiler/ptx/table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

#include "compiler/ptx/rows/rows.h"
#include "compiler/ptx/words.h"

namespace tilewright::ptx {
namespace {

constexpr std::size_t kRowCount = 506;

// The table. A row is read by the first who asks for it: a script uses few of them. Never destroyed: that would take as
// long as reading it.
class Table {
 public:
  Table() {  // NOLINT: rows_ stays as it is
    std::span<const RowText> all[] = {
        integer_rows(), floating_rows(), compare_rows(), convert_rows(),     move_rows(),     memory_rows(),
        atomic_rows(),  bulk_rows(),     tensor_rows(),  override_rows(),    mbarrier_rows(), sync_rows(),
        matrix_rows(),  wgmma_rows(),    tcgen05_rows(), tcgen05_mma_rows(), fabric_rows()};
    std::size_t count = 0;
    auto family = families_.end();  // of the row before: most rows of a family stand together
    for (std::span<const RowText> texts : all) {
      for (const RowText& text : texts) {
        if (count == kRowCount) throw std::logic_error("more rows than kRowCount");
        texts_[count] = &text;
        std::string name = family_name(text);
        if (family == families_.end() || family->first != name) family = families_.try_emplace(std::move(name)).first;
        family->second.rows.push_back(first() + count++);
      }
    }
    if (count != kRowCount) throw std::logic_error("fewer rows than kRowCount");
  }

  std::span<const Row> all() {
    for (std::size_t i = 0; i < kRowCount; ++i) ensure(i);
    return {first(), kRowCount};
  }
  // Row `index` of the table, read or not, is at `first() + index`.
  const Row* first() const { return reinterpret_cast<const Row*>(rows_); }

  struct Family {
    std::vector<const Row*> rows;
    std::atomic<bool> read = false;
  };
  using Families = std::map<std::string, Family, std::less<>>;
  const Families& families() const { return families_; }

  std::span<const Row* const> family(std::string_view name) {
    auto found = families_.find(name);
    if (found == families_.end()) return {};
    Family& family = found->second;
    if (!family.read.load(std::memory_order_acquire)) {
      for (const Row* row : family.rows) ensure(static_cast<std::size_t>(row - first()));
      family.read.store(true, std::memory_order_release);
    }
    return family.rows;
  }

  const Row* find(std::string_view id) {
    std::call_once(by_id_once_, [&] {
      for (std::size_t i = 0; i < kRowCount; ++i) by_id_[texts_[i]->id] = i;
    });
    auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &ensure(found->second);
  }

  const RowText& text_of(const Row& row) const { return *texts_[static_cast<std::size_t>(&row - first())]; }

  const Row& ensure(std::size_t index) {
    std::call_once(once_[index], [&] { ::new (rows_ + index * sizeof(Row)) Row(read_row(*texts_[index])); });
    return first()[index];
  }

 private:
  // Rows that are not read are no objects yet, and their memory is never touched.
  alignas(Row) std::byte rows_[kRowCount * sizeof(Row)];
  std::array<const RowText*, kRowCount> texts_{};
  std::array<std::once_flag, kRowCount> once_;
  Families families_;
  std::once_flag by_id_once_;
  std::map<std::string_view, std::size_t> by_id_;  // made at the first question
};

Table& table() {
  static Table& made = *new Table;
  return made;
}

}  // namespace

std::optional<std::size_t> Row::slot_named(std::string_view name) const {
  auto found = std::ranges::find(slots, name, &Slot::name);
  if (found == slots.end()) return std::nullopt;
  return static_cast<std::size_t>(found - slots.begin());
}

bool Row::writes() const {
  return std::ranges::any_of(
      operands, [](const Operand& o) { return o.kind == OperandKind::Register && o.access == Access::Write; });
}

std::string_view Row::same_row(const Filled& filled) const {
  for (const SameAs& same : same_as) {
    bool fits = std::ranges::all_of(same.when, [&](const Test& test) { return test.is.contains(filled[test.slot]); });
    if (fits) return same.id;
  }
  return {};
}

std::span<const Row> rows() { return table().all(); }
std::size_t row_count() { return kRowCount; }
std::size_t row_index(const Row& row) { return static_cast<std::size_t>(&row - table().first()); }

std::span<const Row* const> family(std::string_view name) { return table().family(name); }

std::vector<std::string_view> families() {
  std::vector<std::string_view> out;
  for (const auto& [name, family] : table().families()) out.push_back(name);
  return out;
}

std::string family_syntax(std::string_view name) {
  return syntax_of(read_shape(table().text_of(*table().families().find(name)->second.rows.front())));
}

const Row* find_row(std::string_view id) { return table().find(id); }

}  // namespace tilewright::ptx
