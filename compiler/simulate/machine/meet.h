// What the members of a warp or CTA give each other where they meet.
#pragma once
#include "compiler/simulate/machine/program.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {

// Two members' values, combined as the site says; a sum where it names no operation.
inline std::uint64_t combined(const Site& site, std::uint64_t x, std::uint64_t y) {
  return combined(combine_named(site.text).value_or(Combine::Add), site.type, x, y);
}

}  // namespace tilewright::simulate
