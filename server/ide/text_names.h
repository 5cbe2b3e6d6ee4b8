// Places that name something by a text: `__all__`, `getattr(x, "size")`, `grid="rows"` of a traced kernel, the keys of
// what `**` hands over, and our comments. Names (names.h) follow none of them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "server/ide/names.h"

namespace tilewright::ide {

struct TextNames {
  std::vector<Use> uses;                // that mean it for certain
  std::optional<std::uint32_t> unsure;  // a place that may mean it; none: no such place
};

// What `script` says of the symbol by texts.
TextNames text_names(Names& names, const Script& script, const Meaning& meaning);

}  // namespace tilewright::ide
