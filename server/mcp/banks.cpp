#include "server/mcp/banks.h"

#include <algorithm>

#include "compiler/expr/dtype.h"
#include "compiler/script/interpreter.h"
#include "server/ide/layout_expression.h"

namespace tilewright::mcp {
namespace {

// The first error of an evaluation; empty: there is none.
std::string error_of(const script::Evaluation& evaluation) {
  for (const text::Diagnostic& d : evaluation.diagnostics)
    if (d.severity == text::Severity::Error) return d.message + (d.hint.empty() ? "" : " (" + d.hint + ")");
  return {};
}

}  // namespace

std::expected<EvaluatedLayout, std::string> evaluated_layout(const std::string& expression, const std::string& shape) {
  script::ExpressionResult result = script::evaluate_expression(expression, {});
  if (std::string wrong = error_of(*result.evaluation); !wrong.empty()) return std::unexpected(std::move(wrong));
  ArenaScope arena(result.evaluation->arena());
  auto layout = result.evaluation->interpreter().as_layout(result.value, {});
  if (!layout) {
    result.evaluation->interpreter().take_pending();
    return std::unexpected("the expression is no layout; for example TileLayout(S[(8, 64) : (64, 1)])");
  }
  EvaluatedLayout out;
  out.layout = *layout;
  out.shape = ide::default_layout_shape(*layout);
  if (const auto* made = result.value.as<script::LayoutValue>(); made && !made->shape.empty())
    out.shape.assign(made->shape.begin(), made->shape.end());
  if (!shape.empty()) {
    auto parsed = ide::parse_shape(shape);
    if (!parsed) return std::unexpected("a shape is written 64,64");
    out.shape = std::move(*parsed);
  }
  if (auto fits = layout::check_shape(out.layout, out.shape); !fits) return std::unexpected(fits.error().message);
  out.evaluation = std::move(result.evaluation);
  return out;
}

std::expected<std::vector<layout::Access>, std::string> read_accesses(const std::vector<std::string>& words,
                                                                      int dtype_bits, int access_bits) {
  constexpr int kWidths[] = {8, 16, 32, 64, 128};
  const int bits = access_bits ? access_bits : dtype_bits;
  if (std::ranges::find(kWidths, bits) == std::end(kWidths))
    return std::unexpected("a lane moves 8, 16, 32, 64 or 128 bits");
  std::vector<layout::Access> out;
  for (const std::string& one : words) {
    const auto expression = ide::access_expression(one);
    if (!expression) return std::unexpected("an access is written 'lane -> (lane//4, lane%4*2)'");
    const script::ExpressionResult lanes = script::evaluate_expression(*expression, {});
    if (std::string wrong = error_of(*lanes.evaluation); !wrong.empty()) return std::unexpected(std::move(wrong));
    auto at = ide::access_coordinates(lanes.value);
    if (!at) return std::unexpected(at.error());
    out.push_back({.coordinates = std::move(*at), .access_bits = bits, .dtype_bits = dtype_bits});
  }
  return out;
}

std::expected<layout::BankReport, std::string> banks_of(const EvaluatedLayout& l, const layout::Access& access) {
  ArenaScope arena(l.evaluation->arena());
  const layout::Shape of = ide::shape_of_access(l.shape, access);
  if (std::string wrong = ide::why_outside(access, of); !wrong.empty()) return std::unexpected(std::move(wrong));
  auto report = layout::bank_conflicts(l.layout, of, access);
  if (!report) return std::unexpected(report.error().message);
  return std::move(*report);
}

std::string banks_words(const layout::BankReport& report) {
  std::string out = std::to_string(report.wavefronts) + (report.wavefronts == 1 ? " wavefront" : " wavefronts") + ", " +
                    std::to_string(report.ideal) + " without conflicts";
  if (report.degree > 1) out += ": " + std::to_string(report.degree) + "-way bank conflict";
  return out;
}

std::expected<int, std::string> element_bits(const std::string& dtype) {
  const auto known = dtype.empty() ? ir::kFloat16 : ir::parse_dtype(dtype);
  if (!known || known->storage_bits() <= 0)
    return std::unexpected("unknown element type '" + dtype.substr(0, 40) + "'; for example float16, float32, uint8");
  return known->storage_bits() * known->lanes;
}

}  // namespace tilewright::mcp
