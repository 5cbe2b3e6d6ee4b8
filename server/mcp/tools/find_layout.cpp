// find_layout: layouts of a tile in shared memory, by the bank conflicts of the accesses that it is for.
#include <algorithm>

#include "server/ide/layout_expression.h"
#include "server/mcp/banks.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"

namespace tilewright::mcp {
namespace {

struct Candidate {
  std::string expression, words;
  int wavefronts = 0, ideal = 0, degree = 0;
  std::int64_t elements = 0;  // from the first to the last, padding included
};

// Rows one after the other, with padding, and the swizzles of the matrix units.
std::vector<Candidate> candidates(const layout::Shape& shape, const std::string& dtype, int bits) {
  const std::int64_t rows = shape[0].value(), columns = shape[1].value();
  const std::string size = std::to_string(rows) + ", " + std::to_string(columns);
  std::vector<Candidate> out{{"TileLayout(S[" + size + "])", "rows one after the other"}};
  for (const std::int64_t bytes : {4, 8, 16}) {
    const std::int64_t padding = bytes * 8 / bits;
    if (padding * bits != bytes * 8) continue;
    out.push_back({"TileLayout(S[(" + size + ") : (" + std::to_string(columns + padding) + ", 1)])",
                   "rows " + std::to_string(bytes) + " bytes further apart; accesses of more than " +
                       std::to_string(bytes) + " bytes stay unaligned"});
  }
  constexpr const char* kBytes[] = {"", "32", "64", "128"};
  for (int mode = 1; mode <= 3; ++mode)
    out.push_back({"mma_shared_layout(\"" + dtype + "\", " + std::to_string(mode) + ", (" + size + "))",
                   std::string("swizzle of ") + kBytes[mode] + " bytes, as TMA and the matrix units read it"});
  return out;
}

// Measures the candidate. Gives why it is none; empty: it is one.
std::string measure(Candidate& c, const std::string& shape, const std::vector<layout::Access>& accesses) {
  auto layout = evaluated_layout(c.expression, shape);
  if (!layout) return layout.error();
  for (const layout::Access& access : accesses) {
    auto report = banks_of(*layout, access);
    if (!report) return report.error();
    c.wavefronts += report->wavefronts;
    c.ideal += report->ideal;
    c.degree = std::max(c.degree, report->degree);
  }
  ArenaScope arena(layout->evaluation->arena());
  const layout::Dim span = layout::span(layout->layout);
  if (span.is_constant()) c.elements = span.value();
  return {};
}

Result find_layout(const Question& question) {
  const Arguments& asked = question.arguments;
  const std::string dtype = asked.has("dtype") ? asked.text("dtype") : "float16";
  const auto bits = element_bits(dtype);
  if (!bits) return std::unexpected(bits.error());
  const auto shape = ide::parse_shape(asked.text("shape"));
  if (!shape || shape->size() != 2) return std::unexpected("the shape has two dimensions, such as 64,64");
  constexpr std::int64_t kMost = 1 << 20;
  if ((*shape)[0].value() > kMost || (*shape)[1].value() > kMost)
    return std::unexpected("a tile has at most " + std::to_string(kMost) + " rows and columns");
  if (asked.texts("access").empty()) return std::unexpected("give the accesses that the tile is for");
  auto accesses = read_accesses(asked.texts("access"), *bits, static_cast<int>(asked.number("bits").value_or(0)));
  if (!accesses) return std::unexpected(accesses.error());
  const std::string words = ide::shape_words(*shape);
  std::vector<Candidate> good;
  Json refused = Json::array();
  for (Candidate& c : candidates(*shape, dtype, *bits)) {
    if (question.stop().stop_requested()) return std::unexpected(kStopped);
    const std::string why = measure(c, words, *accesses);
    if (why.empty())
      good.push_back(std::move(c));
    else
      refused.push_back({{"layout", c.expression}, {"why", clipped(why, 160)}});
  }
  if (good.empty())
    return std::unexpected("no layout fits: " + (refused.empty() ? "" : refused[0]["why"].get<std::string>()));
  std::ranges::stable_sort(good, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.wavefronts, a.elements) < std::pair(b.wavefronts, b.elements);
  });
  Answer out;
  for (const Candidate& c : good) {
    const std::int64_t bytes = c.elements * *bits / 8;
    out.items.push_back({{{"layout", c.expression},
                          {"words", c.words},
                          {"wavefronts", c.wavefronts},
                          {"ideal", c.ideal},
                          {"degree", c.degree},
                          {"bytes", bytes}},
                         c.expression + ": " + std::to_string(c.wavefronts) + " wavefronts, " +
                             std::to_string(c.ideal) + " without conflicts, " + std::to_string(bytes) + " bytes; " +
                             c.words});
  }
  const bool free = good.front().degree <= 1;
  out.head = {{"shape", words}, {"dtype", dtype}, {"free_of_conflicts", free}};
  if (!refused.empty()) out.head["not_possible"] = std::move(refused);
  out.summary = words + " " + dtype + ": " +
                (free ? "the first of these layouts is free of bank conflicts"
                      : "no layout that was tried is free of bank conflicts");
  out.list = "layouts";
  out.next = {"layout",
              {{"expression", good.front().expression}, {"access", asked.texts("access")}},
              "shows the best one as a table"};
  if (asked.has("bits")) out.next.arguments["bits"] = *asked.number("bits");
  if (asked.has("dtype")) out.next.arguments["dtype"] = dtype;
  return out;
}

}  // namespace

Tool find_layout_tool() {
  return {
      .name = "find_layout",
      .title = "Find a layout without bank conflicts",
      .words =
          "Layouts of a tile in shared memory (plain, padded, swizzled) by the wavefronts of the accesses that it is "
          "for: give those that write it and those that read it.",
      .parameters = {{.name = "shape", .words = "Rows and columns: 64,64", .required = true},
                     {.name = "dtype", .words = "Default: float16"},
                     {.name = "access",
                      .kind = Parameter::Kind::Texts,
                      .words = "Each of a warp: lane -> (lane//4, lane%4*2)",
                      .required = true},
                     {.name = "bits",
                      .kind = Parameter::Kind::Number,
                      .words = "That each lane moves; default: one element"}},
      .output = R"({"properties": {"shape": {"type": "string"}, "dtype": {"type": "string"},
    "free_of_conflicts": {"type": "boolean"},
    "not_possible": {"type": "array", "items": {"type": "object", "properties": {"layout": {"type": "string"},
      "why": {"type": "string"}}}},
    "layouts": {"type": "array", "description": "The best first", "items": {"type": "object", "properties": {
      "layout": {"type": "string"}, "words": {"type": "string"}, "wavefronts": {"type": "integer"},
      "ideal": {"type": "integer"}, "degree": {"type": "integer"}, "bytes": {"type": "integer"}},
      "required": ["layout", "wavefronts", "ideal", "degree"]}}},
    "required": ["shape", "dtype", "free_of_conflicts", "layouts"]})",
      .example =
          R"json({"shape": "32,32", "dtype": "float32", "access": ["lane -> (lane, 0)", "lane -> (0, lane)"]})json",
      .answer = find_layout};
}

}  // namespace tilewright::mcp
