// The releases of the dialect in which something exists: a column of the tables of primitives, variants and spellings.
#pragma once
#include <optional>

#include "compiler/text/dialect.h"

namespace tilewright::text {

struct Releases {
  Dialect since = Dialect::V0_25;
  std::optional<Dialect> until{};  // the first release without it; nothing: it is in the newest

  constexpr bool has(Dialect release) const { return since <= release && (!until || release < *until); }
  constexpr bool operator==(const Releases&) const = default;
};

inline constexpr Releases kAllReleases{};
constexpr Releases since(Dialect release) { return {release}; }
constexpr Releases until(Dialect release) { return {Dialect::V0_25, release}; }

}  // namespace tilewright::text
