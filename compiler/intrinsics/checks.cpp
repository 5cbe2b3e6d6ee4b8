#include "compiler/intrinsics/checks.h"

namespace tilewright::intrinsics {

Failure check_range(const Arguments& a, std::string_view name, std::int64_t lo, std::int64_t hi, std::int64_t step) {
  const std::int64_t* value = ir::constant(a[name]);
  if (!value || (*value >= lo && *value <= hi && *value % step == 0)) return std::nullopt;
  std::string text = "'" + std::string(name) + "' is " + std::to_string(*value) + "; it must be " + std::to_string(lo) +
                     " to " + std::to_string(hi);
  if (step != 1) text += " in steps of " + std::to_string(step);
  return text;
}

Failure check_power_of_two(const Arguments& a, std::string_view name, std::int64_t lo, std::int64_t hi) {
  const std::int64_t* value = ir::constant(a[name]);
  if (!value || (*value >= lo && *value <= hi && (*value & (*value - 1)) == 0)) return std::nullopt;
  return "'" + std::string(name) + "' is " + std::to_string(*value) + "; it must be a power of two from " +
         std::to_string(lo) + " to " + std::to_string(hi);
}

Failure check_both_or_neither(const Arguments& a, std::string_view one, std::string_view other) {
  if (a.given(one) == a.given(other)) return std::nullopt;
  return "'" + std::string(one) + "' and '" + std::string(other) + "' go together: give both or neither";
}

Failure check_value_target(const Arguments& a, std::string_view name, std::string_view value, Availability needs,
                           ir::Target target) {
  if (a.text(name) != value || available(needs, target)) return std::nullopt;
  return "'" + std::string(name) + "' = '" + std::string(value) + "' needs " + std::string(availability_name(needs)) +
         ", this is " + target.name();
}

bool is_one_of(std::string_view text, std::string_view choices) {
  for (std::size_t from = 0; from <= choices.size();) {
    std::size_t end = std::min(choices.find('|', from), choices.size());
    if (choices.substr(from, end - from) == text) return true;
    from = end + 1;
  }
  return false;
}

}  // namespace tilewright::intrinsics
