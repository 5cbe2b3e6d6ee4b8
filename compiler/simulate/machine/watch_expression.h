// The expressions of watches: a name with indices and slices, or a number made of names.
#pragma once
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"

namespace tilewright::simulate {

// What a name means in an index; null: nothing.
using Names = std::function<ir::Expr(std::string_view)>;

struct WatchIndex {
  ir::Expr first;               // null: from the start
  std::optional<ir::Expr> end;  // of a slice; null: to the end. Nothing: a single index
};
struct WatchTarget {
  std::string_view name;                             // "st.stage"; empty: `number`
  std::optional<std::vector<WatchIndex>> indices{};  // nothing: none are written
  ir::Expr number;
};

// The name that the expression begins with, where it is a name with or without indices; empty: it is a number.
std::string_view watched_name(std::string_view text);
// Reads it all. `is_buffer` tells whether the name is a buffer's.
std::expected<WatchTarget, std::string> parse_watch(std::string_view text, bool is_buffer, const Names& names);

}  // namespace tilewright::simulate
