// What the instructions of 0.27 do that no row of the table means: to memory, to other threads, and who executes them.
#include <algorithm>

#include "compiler/intrinsics/form_parts.h"

namespace tilewright::intrinsics {
namespace {

struct FormEffects {
  std::string_view row;  // its name, or how it begins with a star
  std::string_view effects;
};

constexpr FormEffects kEffects[] = {
    {"shfl_sync*", "exchanges lanes; by lanes membermask"},
    {"vote_sync*", "exchanges lanes; by lanes membermask"},
    {"match_*", "exchanges lanes; by lanes membermask"},
    {"redux_sync*", "exchanges lanes; by lanes membermask"},
    {"elect_sync", "elects lanes; by lanes membermask"},
    {"activemask", "reads machine"},
    {"movmatrix", "exchanges lanes; by warp"},
};

bool names(std::string_view pattern, std::string_view id) {
  return pattern.ends_with('*') ? id.starts_with(pattern.substr(0, pattern.size() - 1)) : id == pattern;
}

// Does it work on registers alone?
bool only_registers(const ptx::Row& row) {
  return !row.orders_memory && row.writes() &&
         std::ranges::none_of(row.operands, [](const ptx::Operand& o) { return o.kind == ptx::OperandKind::Address; });
}

}  // namespace

std::string_view form_effects(const ptx::Row& row) {
  for (const FormEffects& e : kEffects) {
    if (names(e.row, row.id)) return e.effects;
  }
  return only_registers(row) ? "" : "unknown";
}

Meaning form_meaning(const ptx::Row& row) { return only_registers(row) ? Meaning::None : Meaning::Unmodelled; }

}  // namespace tilewright::intrinsics
