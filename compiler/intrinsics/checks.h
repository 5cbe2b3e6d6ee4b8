// Checks that several families share. Each returns what is wrong, or nothing.
#pragma once
#include <optional>
#include <string>

#include "compiler/intrinsics/arguments.h"

namespace tilewright::intrinsics {

using Failure = std::optional<std::string>;

// A constant argument outside [lo, hi] or no multiple of `step`; run-time values pass.
Failure check_range(const Arguments& a, std::string_view name, std::int64_t lo, std::int64_t hi, std::int64_t step = 1);
Failure check_power_of_two(const Arguments& a, std::string_view name, std::int64_t lo, std::int64_t hi);
// Two optional attributes of which neither or both are given.
Failure check_both_or_neither(const Arguments& a, std::string_view one, std::string_view other);
// An attribute value that only some targets know.
Failure check_value_target(const Arguments& a, std::string_view name, std::string_view value, Availability needs,
                           ir::Target target);
bool is_one_of(std::string_view text, std::string_view choices);  // "a|b|c"

// The first failure of several.
template <class... F>
Failure first_of(F&&... failures) {
  Failure out;
  ((out = out ? out : std::forward<F>(failures)), ...);
  return out;
}

}  // namespace tilewright::intrinsics
