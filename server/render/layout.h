// The answer of `tilewright layout` as JSON (protocol/schema/layout.json).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/layout/layout.h"
#include "compiler/layout/picture.h"
#include "server/render/json.h"

namespace tilewright::render {

struct LayoutAnswer {
  const layout::Layout& layout;
  const layout::Shape& shape;
  std::int64_t most_elements = 0;  // that are listed
  // What a warp's access of it costs, with the access as it was written; null: none was asked for.
  const layout::BankReport* banks = nullptr;
  const layout::Access* access = nullptr;
  std::string_view access_words{}, dtype{};
};

Json layout_json(std::string_view expression, const LayoutAnswer& answer, Json diagnostics);
// Of an expression that has no value.
Json layout_failed_json(std::string_view expression, Json diagnostics);
// Of one that is no layout.
Json layout_value_json(std::string_view expression, std::string_view value, Json diagnostics);

}  // namespace tilewright::render
