#include "server/ide/layout_expression.h"

#include <charconv>

#include "compiler/script/interpreter.h"

namespace tilewright::ide {
namespace {

constexpr int kLanes = 32;

std::optional<std::int64_t> integer(script::Value v) {
  if (v.is_int()) return v.i;
  if (v.is_bool()) return v.b ? 1 : 0;
  return std::nullopt;
}

}  // namespace

std::optional<layout::Shape> parse_shape(std::string_view text) {
  layout::Shape shape;
  std::string digits;
  for (char c : std::string(text) + ",") {
    if (c == ' ' || c == '(' || c == ')' || c == '[' || c == ']') continue;
    if (c != ',' && c != 'x') {
      digits += c;
      continue;
    }
    if (digits.empty()) continue;
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value <= 0) return std::nullopt;
    shape.push_back(value);
    digits.clear();
  }
  if (shape.empty()) return std::nullopt;
  return shape;
}

std::string shape_words(layout::ShapeView shape) {
  std::string out;
  for (layout::Dim d : shape) out += (out.empty() ? "" : ", ") + layout::to_string(d);
  return "(" + out + ")";
}

layout::Shape default_layout_shape(const layout::Layout& l) {
  layout::Shape shape;
  if (l.tile) {
    for (const layout::Iter& iter : l.tile->shard) shape.push_back(iter.extent);
  } else if (l.swizzle) {
    const std::int64_t row = std::int64_t{1} << (l.swizzle->per_element + l.swizzle->atom_len);
    shape = {l.swizzle->period() / row, row};
  }
  if (shape.empty()) shape.push_back(1);
  return shape;
}

std::optional<std::string> access_expression(const std::string& text) {
  std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  return "[(lambda " + text.substr(0, arrow) + ": (" + text.substr(arrow + 2) + "))(lane) for lane in range(" +
         std::to_string(kLanes) + ")]";
}

std::expected<std::vector<std::vector<std::int64_t>>, std::string> access_coordinates(script::Value value) {
  std::vector<std::vector<std::int64_t>> out;
  auto* lanes = value.as<script::List>();
  if (!lanes) return std::unexpected("the access is no function of a lane");
  for (script::Value item : lanes->items) {
    std::vector<std::int64_t>& at = out.emplace_back();
    if (auto n = integer(item)) {
      at.push_back(*n);
    } else if (auto* t = item.as<script::Tuple>()) {
      for (script::Value e : t->items) {
        auto n = integer(e);
        if (!n)
          return std::unexpected("lane " + std::to_string(out.size() - 1) + " gives a coordinate that is no integer");
        at.push_back(*n);
      }
    } else {
      return std::unexpected("lane " + std::to_string(out.size() - 1) +
                             " gives no coordinates, as in 'lane -> (lane//4, lane%4)'");
    }
    if (at.size() != out.front().size()) return std::unexpected("the lanes give different numbers of coordinates");
  }
  return out;
}

layout::Shape shape_of_access(const layout::Shape& shape, const layout::Access& access) {
  if (access.coordinates.empty() || access.coordinates.front().size() != 1 || shape.size() == 1) return shape;
  layout::Dim all = 1;
  for (layout::Dim d : shape) all = all * d;
  return {all};
}

std::string why_outside(const layout::Access& access, const layout::Shape& of) {
  for (std::size_t lane = 0; lane < access.coordinates.size(); ++lane) {
    const auto& at = access.coordinates[lane];
    for (std::size_t d = 0; d < at.size() && d < of.size(); ++d) {
      if (!of[d].is_constant() || (at[d] >= 0 && at[d] < of[d].value())) continue;
      return "lane " + std::to_string(lane) + " is at " + std::to_string(at[d]) + " of dimension " + std::to_string(d) +
             ", outside of the shape " + shape_words(of);
    }
  }
  return {};
}

}  // namespace tilewright::ide
