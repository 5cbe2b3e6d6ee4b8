// Joining the families once, and finding rows by name.
#include <algorithm>
#include <array>
#include <cassert>
#include <deque>

#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

// All rows side by side, and an index by name: built at the first question, some twenty microseconds.
struct Table {
  std::vector<Intrinsic> rows;
  std::vector<Named> by_name;  // sorted; forms of one name in table order
  std::deque<std::string> words;

  Table() {
    const std::span<const Intrinsic> families[] = {
        mbarrier_rows(),  fence_rows(),       cp_async_rows(),     bulk_rows(),    tensor_rows(),     tensormap_rows(),
        memory_rows(),    matrix_rows(),      wgmma_rows(),        tcgen05_rows(), descriptor_rows(), arithmetic_rows(),
        cuda_sync_rows(), cuda_memory_rows(), cuda_convert_rows(), debug_rows(),   nvshmem_rows(),    builtin_rows(),
    };
    const std::span<const Intrinsic> internal[] = {internal_matrix_rows(), internal_wgmma_rows()};
    std::size_t total = 0;
    for (auto family : families) total += family.size();
    for (auto family : internal) total += family.size();
    rows.reserve(total);
    for (auto family : families) rows.insert(rows.end(), family.begin(), family.end());
    const std::size_t spelled = rows.size();
    for (auto family : internal) rows.insert(rows.end(), family.begin(), family.end());

    by_name.reserve(spelled);
    for (std::size_t i = 0; i < spelled; ++i) by_name.push_back({rows[i].name, &rows[i]});
    std::ranges::stable_sort(by_name, {}, &Named::name);
    for (std::size_t i = 1; i < by_name.size(); ++i) {
      const Intrinsic& form = *by_name[i].row;
      if (by_name[i - 1].name != by_name[i].name) continue;
      rows[&form - rows.data()].form = difference(forms(form.name).front().row->operands, form.operands);
    }
  }

  std::string_view difference(std::span<const Operand> first, std::span<const Operand> form) {
    std::string out;
    for (const Operand& o : form) {
      bool known = std::ranges::find(first, o.name, &Operand::name) != first.end();
      if (!known && o.kind != OperandKind::Attribute) out.append("_").append(o.name);
    }
    return out.empty() ? std::string_view() : words.emplace_back(std::move(out));
  }

  std::span<const Named> forms(std::string_view name) const {
    auto [first, last] = std::ranges::equal_range(by_name, name, {}, &Named::name);
    return {first, last};
  }
};

const Table& the_table() {
  static const Table table;
  return table;
}

}  // namespace

std::span<const Intrinsic> table() { return the_table().rows; }

std::span<const Named> names() { return the_table().by_name; }

const Intrinsic* row_of_id(std::string_view id) {
  auto row = std::ranges::find(the_table().rows, id, &Intrinsic::id);
  return row == the_table().rows.end() ? nullptr : &*row;
}

const Intrinsic* of(const ir::Callee* callee) {
  const std::vector<Intrinsic>& rows = the_table().rows;
  std::less<const ir::Callee*> before;
  if (before(callee, rows.data()) || !before(callee, rows.data() + rows.size())) return nullptr;
  return static_cast<const Intrinsic*>(callee);
}

const Intrinsic* find(std::string_view name, std::size_t positional, std::span<const std::string_view> keywords) {
  std::span<const Named> forms = the_table().forms(name);
  for (const Named& form : forms) {
    if (bind(*form.row, positional, keywords)) return form.row;
  }
  return forms.empty() ? nullptr : forms.front().row;
}

bool is_intrinsic(std::string_view path) { return !the_table().forms(path).empty(); }

bool is_namespace(std::string_view path) {
  std::string prefix(path);
  prefix += '.';
  auto at = std::ranges::lower_bound(the_table().by_name, std::string_view(prefix), {}, &Named::name);
  return at != the_table().by_name.end() && at->name.starts_with(prefix);
}

const Intrinsic& copy_bytes_row(int bits) {
  static const std::array<const Intrinsic*, 5> rows = {row_of_id("C31"), row_of_id("C30"), row_of_id("C29"),
                                                       row_of_id("C28"), row_of_id("C27")};
  int at = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : 4;
  assert(bits == 8 << at);
  return *rows[at];
}

const Intrinsic& ldmatrix_row() {
  static const Intrinsic* row = row_of_id("P61.dispatch");
  return *row;
}

const Intrinsic& stmatrix_row() {
  static const Intrinsic* row = row_of_id("P63.dispatch");
  return *row;
}

}  // namespace tilewright::intrinsics
