// The keywords of a call.
#pragma once
#include <string_view>

#include "compiler/ir/stmt.h"

namespace tilewright::dispatch {

// The value given for a keyword; a null Expr when there is none.
inline ir::Expr option(const ir::TileCall& call, std::string_view key) {
  for (const ir::ConfigItem& item : call.config) {
    if (item.key == key) return item.value.value;
  }
  return {};
}

}  // namespace tilewright::dispatch
