// Joining the families once, and finding rows by name.
#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <mutex>

#include "compiler/intrinsics/forms.h"
#include "compiler/intrinsics/rows/rows.h"
#include "compiler/intrinsics/rows/tile_rows.h"
#include "compiler/intrinsics/spellings.h"

namespace tilewright::intrinsics {
namespace {

// The names that a release has: sorted; forms of one name in table order.
struct Names {
  std::vector<Named> by_name;

  std::span<const Named> forms(std::string_view name) const {
    auto [first, last] = std::ranges::equal_range(by_name, name, {}, &Named::name);
    return {first, last};
  }
};

// All rows side by side, and an index by name for each release: built at the first question, some twenty microseconds.
struct Table {
  std::vector<Intrinsic> rows;
  std::vector<Intrinsic*> by_id;
  std::size_t spelled = 0;  // that many come first; lowering alone makes the others
  std::array<const Intrinsic*, std::size(kRowNames)> known{};
  std::deque<std::string> words;
  std::deque<std::vector<ir::Respelling>> respelled;
  struct Index {
    std::once_flag once;
    Names names;
  };
  mutable std::array<Index, text::kDialects.size()> indices;

  Table() {
    const std::span<const Intrinsic> families[] = {
        mbarrier_rows(),      fence_rows(),      cp_async_rows(),  bulk_rows(),        tensor_rows(),
        tensormap_rows(),     memory_rows(),     matrix_rows(),    wgmma_rows(),       tcgen05_rows(),
        descriptor_rows(),    arithmetic_rows(), cuda_sync_rows(), cuda_memory_rows(), cuda_convert_rows(),
        debug_rows(),         nvshmem_rows(),    builtin_rows(),   arrival_rows(),     packed_rows(),
        vector_memory_rows(), conversion_rows(), mark_rows(),
    };
    const std::span<const Intrinsic> internal[] = {internal_matrix_rows(), internal_wgmma_rows(), internal_copy_rows(),
                                                   internal_tensor_rows()};
    std::size_t total = 0;
    for (auto family : families) total += family.size();
    for (auto family : internal) total += family.size();
    rows.reserve(total);
    for (auto family : families) rows.insert(rows.end(), family.begin(), family.end());
    spelled = rows.size();
    for (auto family : internal) rows.insert(rows.end(), family.begin(), family.end());
    by_id.reserve(rows.size());
    for (Intrinsic& row : rows) by_id.push_back(&row);
    std::ranges::stable_sort(by_id, {}, &Intrinsic::id);

    respell();
    // Forms are told apart by what the first release's first form of the same name lacks.
    const Names& first = names(text::Dialect::V0_25);
    const std::vector<Named>& by_name = first.by_name;
    for (std::size_t i = 1; i < by_name.size(); ++i) {
      const Intrinsic& form = *by_name[i].row;
      if (by_name[i - 1].name != by_name[i].name) continue;
      rows[&form - rows.data()].form = difference(first.forms(form.name).front().row->operands, form.operands);
    }
  }

  const Names& names(text::Dialect release) const {
    Index& index = indices[static_cast<std::size_t>(release)];
    std::call_once(index.once, [&] {
      // Most names are those of the first release, and stand in its order.
      std::vector<Named>& by_name = index.names.by_name;
      std::vector<Named> others;
      by_name.reserve(spelled);
      const auto add = [&](const Intrinsic& row, std::string_view first) {
        const std::string_view name = row.name_in(release);
        // Since 0.27 instructions are called by their words (forms.h).
        if (name.empty() || (release >= text::Dialect::V0_27 && name.starts_with("ptx."))) return;
        (name == first ? by_name : others).push_back({name, &row});
      };
      if (release != text::Dialect::V0_25) {
        for (const Named& n : names(text::Dialect::V0_25).by_name) add(*n.row, n.name);
      }
      for (std::size_t i = 0; i < spelled; ++i) {
        if (release == text::Dialect::V0_25 || rows[i].name_in(text::Dialect::V0_25).empty()) add(rows[i], {});
      }
      const auto key = [](const Named& n) { return std::pair(n.name, n.row); };
      std::ranges::sort(others, {}, key);
      const auto middle = static_cast<std::ptrdiff_t>(by_name.size());
      by_name.insert(by_name.end(), others.begin(), others.end());
      std::ranges::inplace_merge(by_name, by_name.begin() + middle, {}, key);
    });
    return index.names;
  }

  Intrinsic* find(std::string_view id) const {
    auto row = std::ranges::lower_bound(by_id, id, {}, &Intrinsic::id);
    return row == by_id.end() || (*row)->id != id ? nullptr : *row;
  }

  void respell() {
    auto spell = [&](Intrinsic& row, const ir::Respelling& spelling) {
      if (row.respelled.empty()) respelled.emplace_back();
      respelled.back().push_back(spelling);
      row.respelled = respelled.back();
    };
    for (Intrinsic& row : rows) {
      const text::Dialect since = first_release(row.id);
      if (since == text::Dialect::V0_25) continue;
      spell(row, {text::Dialect::V0_25, {}});
      spell(row, {since, row.name});
    }
    for (const Spelling& s : spellings()) {
      Intrinsic* row = find(s.id);
      assert(row);
      spell(*row, s.spelling);
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      known[i] = find(kRowNames[i].id);
      assert(known[i]);
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
};

const Table& the_table() {
  static const Table& table = *new Table;  // never destroyed: that would take time
  return table;
}

const Names& names_in(text::Dialect release) { return the_table().names(release); }

}  // namespace

std::span<const Intrinsic> table() { return the_table().rows; }

std::span<const Named> names(text::Dialect release) { return names_in(release).by_name; }

std::span<const Named> forms(text::Dialect release, std::string_view name) { return names_in(release).forms(name); }

const Intrinsic* row_of_id(std::string_view id) { return the_table().find(id); }

const Intrinsic& row_of(KnownRow name) {
  assert(name);
  return *the_table().known[name.index()];
}

const Intrinsic* of(const ir::Callee* callee) {
  const std::vector<Intrinsic>& rows = the_table().rows;
  std::less<const ir::Callee*> before;
  if (before(callee, rows.data()) || !before(callee, rows.data() + rows.size())) return form_callee(callee);
  return static_cast<const Intrinsic*>(callee);
}

const Intrinsic* find(text::Dialect release, std::string_view name, std::size_t positional,
                      std::span<const std::string_view> keywords) {
  std::span<const Named> forms = names_in(release).forms(name);
  for (const Named& form : forms) {
    if (bind(*form.row, positional, keywords)) return form.row;
  }
  return forms.empty() ? nullptr : forms.front().row;
}

bool is_intrinsic(text::Dialect release, std::string_view path) { return !forms(release, path).empty(); }

bool is_namespace(text::Dialect release, std::string_view path) {
  std::string prefix(path);
  prefix += '.';
  const std::vector<Named>& by_name = names_in(release).by_name;
  auto at = std::ranges::lower_bound(by_name, std::string_view(prefix), {}, &Named::name);
  return at != by_name.end() && at->name.starts_with(prefix);
}

const Intrinsic& copy_bytes_row(int bits) {
  switch (bits) {
    case 8: return row_of("copy_8b");
    case 16: return row_of("copy_16b");
    case 32: return row_of("copy_32b");
    case 64: return row_of("copy_64b");
    default: assert(bits == 128); return row_of("copy_128b");
  }
}

const Intrinsic& ldmatrix_row() { return row_of("ldmatrix"); }

const Intrinsic& stmatrix_row() { return row_of("stmatrix"); }

}  // namespace tilewright::intrinsics
