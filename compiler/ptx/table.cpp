#include <algorithm>
#include <map>

#include "compiler/ptx/row.h"
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

// The table, read once.
struct Table {
  std::vector<Row> rows;
  std::map<std::string_view, std::vector<const Row*>> families;
  std::map<std::string_view, const Row*> by_id;

  Table() {
    std::span<const RowText> all[] = {
        integer_rows(), floating_rows(), compare_rows(), convert_rows(),     move_rows(),     memory_rows(),
        atomic_rows(),  bulk_rows(),     tensor_rows(),  override_rows(),    mbarrier_rows(), sync_rows(),
        matrix_rows(),  wgmma_rows(),    tcgen05_rows(), tcgen05_mma_rows(), fabric_rows()};
    for (std::span<const RowText> texts : all)
      for (const RowText& text : texts) rows.push_back(read_row(text));
    for (const Row& row : rows) {
      families[row.family].push_back(&row);
      by_id[row.id] = &row;
    }
  }
};

const Table& table() {
  static const Table made;
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

std::span<const Row> rows() { return table().rows; }

std::span<const Row* const> family(std::string_view name) {
  auto found = table().families.find(name);
  if (found == table().families.end()) return {};
  return found->second;
}

std::vector<std::string_view> families() {
  std::vector<std::string_view> out;
  for (const auto& [name, rows] : table().families) out.push_back(name);
  return out;
}

const Row* find_row(std::string_view id) {
  auto found = table().by_id.find(id);
  return found == table().by_id.end() ? nullptr : found->second;
}

}  // namespace tilewright::ptx
