// layout: where the elements of a tile lie, of an expression or of a buffer of a script, and what accesses cost.
#include "server/views/layout.h"

#include <algorithm>

#include "compiler/text/letters.h"
#include "server/ide/layout_at.h"
#include "server/ide/layout_expression.h"
#include "server/mcp/banks.h"
#include "server/mcp/loaded.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"

namespace tilewright::mcp {
namespace {

Result of_expression(const Arguments& asked) {
  const std::string expression = asked.text("expression");
  auto layout = evaluated_layout(expression, asked.text("shape"));
  if (!layout) return std::unexpected(layout.error());
  const auto bits = element_bits(asked.text("dtype"));
  if (!bits) return std::unexpected(bits.error());
  auto accesses = read_accesses(asked.texts("access"), *bits, static_cast<int>(asked.number("bits").value_or(0)));
  if (!accesses) return std::unexpected(accesses.error());
  ArenaScope arena(layout->evaluation->arena());
  Answer out;
  const std::string words = layout::to_short_string(layout->layout), shape = ide::shape_words(layout->shape);
  out.head = {{"layout", clipped(words, 400)},
              {"shape", shape},
              {"size", layout::to_string(layout::size(layout->layout))},
              {"span", layout::to_string(layout::span(layout->layout))}};
  out.summary = clipped(words, 400) + ", shape " + shape;
  bool conflict = false;
  for (const layout::Access& access : *accesses) {
    auto report = banks_of(*layout, access);
    if (!report) return std::unexpected(report.error());
    conflict = conflict || report->degree > 1;
    out.head["accesses"].push_back(
        {{"wavefronts", report->wavefronts}, {"ideal", report->ideal}, {"degree", report->degree}});
    out.summary += "\naccess: " + banks_words(*report);
  }
  layout::PictureOptions picture;
  picture.dtype_bits = *bits;
  picture.rows = 64;
  picture.columns = 16;
  auto table = layout::text_table(layout->layout, layout->shape, picture);
  if (table) add_lines(out, "table", *table);
  if (!table) out.summary += "\nno table: " + table.error().message;
  out.quotes.clear();
  if (conflict) {
    Json arguments{{"shape", shape}, {"access", asked.texts("access")}};
    for (const char* name : {"dtype", "bits"})
      if (asked.has(name))
        arguments[name] = name == std::string_view("bits") ? Json(*asked.number("bits")) : Json(asked.text(name));
    out.next = {"find_layout", std::move(arguments), "looks for a layout without bank conflicts"};
  } else {
    out.next = {"docs", {{"topic", "layouts"}}, "what the parts of a layout mean"};
  }
  return out;
}

// The byte of a name in a line; of no name the line's first.
std::optional<std::uint32_t> offset_of(const text::Source& source, std::uint32_t line, const std::string& name) {
  const std::string_view text = source.line(line - 1);
  const std::uint32_t begin = source.offset({line - 1, 0});
  if (name.empty()) {
    const std::size_t first = text.find_first_not_of(' ');
    return begin + static_cast<std::uint32_t>(first == text.npos ? 0 : first);
  }
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !text::is_ascii_name_byte(text[at - 1])) &&
        (end == text.size() || !text::is_ascii_name_byte(text[end])))
      return begin + static_cast<std::uint32_t>(at);
  }
  return std::nullopt;
}

Result of_script(const Question& question) {
  const Arguments& asked = question.arguments;
  const text::Source& source = question.script.query.snapshot->source();
  const std::int64_t line = asked.number("line").value_or(0);
  if (line < 1 || line > source.line_count())
    return std::unexpected("give line, from 1 to " + std::to_string(source.line_count()) + ", and name");
  const auto offset = offset_of(source, static_cast<std::uint32_t>(line), asked.text("name"));
  if (!offset)
    return std::unexpected("line " + std::to_string(line) + " has no name '" + clipped(asked.text("name"), 60) + "'");
  ide::LayoutAsked wanted;
  wanted.picture.rows = 64;
  wanted.picture.columns = 16;
  auto found = ide::layout_at(question.script.query, *offset, wanted);
  if (!found) return std::unexpected(found.error().reason.empty() ? kStopped : found.error().reason);
  if (!*found) return std::unexpected("nothing with a layout stands there: name a buffer or a layout of that line");
  const ide::LayoutAt& l = **found;
  Answer out;
  out.head = {{"path", question.script.shown}, {"layout", clipped(l.short_form, 400)}};
  if (!l.dtype.empty()) out.head["dtype"] = l.dtype;
  if (!l.scope.empty()) out.head["scope"] = l.scope;
  int worst = 0;
  for (const ide::LayoutAt::Access& a : l.accesses)
    if (a.worst) worst = std::max(worst, a.worst->report.degree);
  if (worst > 0) out.head["worst_degree"] = worst;
  out.summary = l.name + (l.dtype.empty() ? "" : ", " + l.dtype + " " + l.scope) +
                (worst > 1 ? ": accesses with a " + std::to_string(worst) + "-way bank conflict" : "");
  add_lines(out, "table", views::layout_text(l));
  if (worst > 1)
    out.next = {"docs",
                {{"topic", "layouts"}, {"section", "Bank"}},
                "conflicts, and layouts without them; find_layout searches one"};
  else
    out.next = {"pipeline", {{"path", question.script.shown}}, "who fills and drains the buffers"};
  return out;
}

Result layout(const Question& question) {
  if (question.arguments.has("expression")) return of_expression(question.arguments);
  if (question.arguments.has("path")) return of_script(question);
  return std::unexpected("give an expression, or path, line and name");
}

}  // namespace

Tool layout_tool() {
  return {
      .name = "layout",
      .title = "Show a layout",
      .words =
          "Where the elements of a tile lie (threads, registers, addresses, columns of tensor memory), as a table: of "
          "a layout expression with the bank conflicts of accesses, or of a buffer in a script with its real accesses.",
      .parameters =
          {{.name = "expression", .words = "Such as mma_shared_layout(\"float16\", 3, (64, 64))"},
           {.name = "shape", .words = "Of the expression, such as 64,64"},
           {.name = "dtype", .words = "Of its elements; default: float16"},
           {.name = "access", .kind = Parameter::Kind::Texts, .words = "Of a warp: lane -> (lane//4, lane%4*2)"},
           {.name = "bits", .kind = Parameter::Kind::Number, .words = "That each lane moves; default: one element"},
           {.name = "path", .words = "A script, instead of an expression"},
           {.name = "line", .kind = Parameter::Kind::Number, .words = "Line of the script"},
           {.name = "name", .words = "A buffer or layout on that line"}},
      .output =
          R"({"properties": {"path": {"type": "string"}, "layout": {"type": "string"}, "shape": {"type": "string"},
    "size": {"type": "string"}, "span": {"type": "string"}, "dtype": {"type": "string"}, "scope": {"type": "string"},
    "worst_degree": {"type": "integer", "description": "Of its accesses: 1 is no conflict"},
    "accesses": {"type": "array", "items": {"type": "object", "properties": {"wavefronts": {"type": "integer"},
      "ideal": {"type": "integer"}, "degree": {"type": "integer"}}}},
    "table": {"type": "string"}}, "required": ["layout"]})",
      .example = R"json({"expression": "TileLayout(S[32, 64])", "access": ["lane -> (lane, 0)"], "bits": 32})json",
      .answer = layout};
}

}  // namespace tilewright::mcp
