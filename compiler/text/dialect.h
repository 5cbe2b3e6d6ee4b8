// The releases of the dialect. One is chosen where a script's surface is chosen (script/surface.h); from there it is
// part of the kernel and of every key (design idea 3).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::text {

enum class Dialect : std::uint8_t { V0_25, V0_26, V0_27 };

struct DialectName {
  Dialect dialect;
  std::string_view name;  // as people write it: "0.25"
};
inline constexpr std::array<DialectName, 3> kDialects = {
    {{Dialect::V0_25, "0.25"}, {Dialect::V0_26, "0.26"}, {Dialect::V0_27, "0.27"}}};

// That of a script for which nothing decides.
inline constexpr Dialect kDefaultDialect = Dialect::V0_25;

constexpr std::string_view dialect_name(Dialect dialect) { return kDialects[static_cast<std::size_t>(dialect)].name; }
// Nothing: no such release.
constexpr std::optional<Dialect> parse_dialect(std::string_view name) {
  for (const DialectName& d : kDialects) {
    if (d.name == name) return d.dialect;
  }
  return {};
}

}  // namespace tilewright::text
