#include "server/render/layout.h"

#include <algorithm>
#include <expected>
#include <utility>
#include <vector>

namespace tilewright::render {
namespace {

Json banks_json(const LayoutAnswer& answer) {
  const layout::BankReport& report = *answer.banks;
  Json phases = Json::array();
  for (const layout::BankReport::Phase& p : report.phases) {
    phases.push_back(
        {{"first_lane", p.first_lane}, {"lanes", p.lanes}, {"degree", p.degree}, {"bank", p.bank}, {"words", p.words}});
  }
  return {{"expression", answer.access_words},
          {"bits", answer.access->access_bits},
          {"dtype", answer.dtype.empty() ? "float16" : answer.dtype},
          {"degree", report.degree},
          {"wavefronts", report.wavefronts},
          {"ideal", report.ideal},
          {"phases", std::move(phases)}};
}

Json shape_json(layout::ShapeView shape) {
  Json out = Json::array();
  for (layout::Dim d : shape) out.push_back(d.is_constant() ? Json(d.value()) : Json(layout::to_string(d)));
  return out;
}

Json dim_json(layout::Dim d) { return d.is_constant() ? Json(d.value()) : Json(layout::to_string(d)); }

// One object an element, row by row: {"coordinate": [0, 1], "laneid": 0, "m": 1}.
std::expected<Json, std::string> elements_json(const layout::Layout& l, const layout::Shape& shape, std::int64_t most) {
  std::int64_t count = 1;
  for (layout::Dim d : shape) {
    if (!d.is_constant()) return std::unexpected("a table needs a shape of numbers");
    count = d.value() > 0 && count > most / d.value() ? most + 1 : count * d.value();
  }
  Json out = Json::array();
  std::vector<std::int64_t> at(shape.size());
  for (std::int64_t i = 0; i < std::min(count, most); ++i) {
    std::int64_t left = i;
    for (std::size_t d = shape.size(); d-- > 0;) {
      at[d] = left % shape[d].value();
      left /= shape[d].value();
    }
    auto where = layout::apply(l, at, shape);
    if (!where) return std::unexpected(where.error().message);
    Json element{{"coordinate", at}};
    for (const auto& [axis, value] : *where) element[std::string(layout::axis_name(axis))] = value;
    out.push_back(std::move(element));
  }
  return out;
}

}  // namespace

Json layout_json(std::string_view expression, const LayoutAnswer& answer, Json diagnostics) {
  const layout::Layout& layout = answer.layout;
  auto canonical = layout::canonicalize(layout);
  Json out{{"expression", expression},
           {"layout", layout::to_short_string(layout)},
           {"printed", layout::to_string(layout)},
           {"canonical", canonical ? Json(layout::to_short_string(*canonical)) : Json(nullptr)},
           {"shape", shape_json(answer.shape)},
           {"size", dim_json(layout::size(layout))},
           {"span", dim_json(layout::span(layout))}};
  auto elements = elements_json(layout, answer.shape, answer.most_elements);
  out["elements"] = elements ? *elements : Json::array();
  if (answer.banks) out["access"] = banks_json(answer);
  out["diagnostics"] = std::move(diagnostics);
  return out;
}

Json layout_failed_json(std::string_view expression, Json diagnostics) {
  return {{"expression", expression}, {"diagnostics", std::move(diagnostics)}};
}

Json layout_value_json(std::string_view expression, std::string_view value, Json diagnostics) {
  return {{"expression", expression}, {"value", value}, {"diagnostics", std::move(diagnostics)}};
}

}  // namespace tilewright::render
