// tilewright layout: what a layout expression maps where: a table, a picture, and the bank conflicts of an access.
#include "server/render/layout.h"

#include <algorithm>
#include <filesystem>

#include "compiler/layout/picture.h"
#include "compiler/text/amounts.h"
#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/cli/layout_lines.h"
#include "server/ide/layout_expression.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
using render::Json;
namespace {

constexpr std::int64_t kTableRows = 64, kTableColumns = 32;  // of the text table; a picture shows 128 × 128

struct LayoutCommand {
  std::string expression, access, shape, dtype, by;
  int bits = 0;  // 0: one element
  std::int64_t rows = 0, columns = 0;
  bool svg = false, given = false;  // a picture, an expression
  std::string svg_file;
  AnswerOptions answer;
  bool json = false;
};

// What `--summary` shows.
constexpr std::string_view kLayoutSummary =
    "expression value layout canonical shape size span access.degree access.wavefronts access.ideal diagnostics.code "
    "diagnostics.message";

std::string axes_text(const layout::Layout& l) {
  std::vector<std::string> names;
  auto add = [&](layout::Axis axis) {
    std::string name(layout::axis_name(axis));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (l.tile) {
    for (const layout::Iter& iter : l.tile->shard) add(iter.axis);
    for (const layout::Iter& iter : l.tile->replica) add(iter.axis);
    for (const auto& [axis, offset] : l.tile->offset) add(axis);
  } else {
    add(layout::Axis::m);
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// What an expression came to: the value, or the diagnostics that say why not.
struct Evaluated {
  script::ExpressionResult result;
  bool failed = false;
};

Evaluated evaluate(const std::string& expression, bool silent) {
  Evaluated out{script::evaluate_expression(expression, {})};
  for (const text::Diagnostic& d : out.result.evaluation->diagnostics) {
    if (d.severity != text::Severity::Error) continue;
    if (!silent)
      project::say(stderr, render::diagnostic_text(d, out.result.evaluation->anchors, render::colours(stderr)));
    out.failed = true;
  }
  return out;
}

std::string report_text(const layout::BankReport& report, const layout::Access& access) {
  std::string out = "  access     " + std::to_string(access.access_bits) +
                    " bits a lane: " + text::counted(report.wavefronts, "wavefront") + ", " +
                    std::to_string(report.ideal) + " without conflicts\n";
  if (report.degree <= 1) return out + "             no bank conflict\n";
  for (const layout::BankReport::Phase& p : report.phases) {
    std::string lanes = "lanes " + std::to_string(p.first_lane) + ".." + std::to_string(p.first_lane + p.lanes - 1);
    out += "             " + lanes + ": ";
    if (p.degree <= 1) {
      out += "no conflict\n";
      continue;
    }
    auto banks = std::count(p.words.begin(), p.words.end(), p.degree);
    out += std::to_string(p.degree) + "-way conflict, " + std::to_string(p.degree) + " words each in " +
           text::counted(static_cast<int>(banks), "bank") + " (first: bank " + std::to_string(p.bank) + ")\n";
  }
  return out;
}

int print(const std::string& text) {
  project::say(stdout, text);
  return kFine;
}

// The parts of the command, each an exit status where it ends there.
using Ended = std::optional<int>;

// The shape that is asked for, else that which the value was made for, else the layout's own.
Ended choose_shape(const LayoutCommand& command, const layout::Layout& layout, script::Value value,
                   layout::Shape& shape) {
  shape = ide::default_layout_shape(layout);
  if (const auto* made = value.as<script::LayoutValue>(); made && !made->shape.empty())
    shape.assign(made->shape.begin(), made->shape.end());
  if (!command.shape.empty()) {
    auto parsed = ide::parse_shape(command.shape);
    if (!parsed) return fail_usage("'" + command.shape + "' is no shape", "for example --shape 64,64");
    shape = *parsed;
  }
  if (auto fits = layout::check_shape(layout, shape); !fits) return fail_usage(fits.error().message);
  return std::nullopt;
}

layout::PictureOptions picture_options(const LayoutCommand& command, ir::DataType dtype) {
  layout::PictureOptions picture;
  picture.dtype_bits = dtype.storage_bits() * dtype.lanes;
  picture.shared_columns = !command.dtype.empty();
  if (command.rows > 0) picture.rows = command.rows;
  if (command.columns > 0) picture.columns = command.columns;
  if (command.by == "thread") picture.by = layout::PictureOptions::By::Thread;
  if (command.by == "bank") picture.by = layout::PictureOptions::By::Bank;
  return picture;
}

// The banks that --access asks for.
Ended find_banks(const LayoutCommand& command, const layout::Layout& layout, const layout::Shape& shape, int dtype_bits,
                 layout::Access& access, std::optional<layout::BankReport>& banks) {
  if (command.access.empty()) return std::nullopt;
  auto expression = ide::access_expression(command.access);
  if (!expression)
    return fail_usage("'" + command.access + "' is no access", "for example --access 'lane -> (lane//4, lane%4*2)'");
  Evaluated lanes = evaluate(*expression, false);
  if (lanes.failed) return kErrors;
  auto at = ide::access_coordinates(lanes.result.value);
  if (!at) return fail_usage(at.error());
  access.coordinates = *at;
  access.dtype_bits = dtype_bits;
  access.access_bits = command.bits ? command.bits : dtype_bits;
  const layout::Shape of = ide::shape_of_access(shape, access);
  if (std::string wrong = ide::why_outside(access, of); !wrong.empty()) return fail_usage(wrong);
  auto report = layout::bank_conflicts(layout, of, access);
  if (!report) return fail_usage(report.error().message);
  banks = std::move(*report);
  return std::nullopt;
}

// The picture that --svg asks for, into its file or as the answer.
Ended draw(const LayoutCommand& command, const layout::Layout& layout, const layout::Shape& shape,
           const layout::PictureOptions& picture) {
  if (!command.svg) return std::nullopt;
  auto svg = layout::svg_picture(layout, shape, picture);
  if (!svg) return fail_usage(svg.error().message);
  if (command.svg_file.empty() && !command.json) return print(*svg);
  if (!command.svg_file.empty()) {
    if (auto ok = project::write_file(command.svg_file, *svg); !ok) return fail_usage(ok.error());
  }
  return std::nullopt;
}

int answer_text(const LayoutCommand& command, const layout::Layout& layout, const layout::Shape& shape,
                const layout::Access& access, const std::optional<layout::BankReport>& banks,
                layout::PictureOptions picture) {
  auto canonical = layout::canonicalize(layout);
  std::string out = layout::to_short_string(layout) + "\n";
  out += "  shape      " + ide::shape_words(shape) +
         (command.shape.empty() ? "  (the layout's own; --shape M,N for another)" : "") + "\n";
  out += "  size       " + layout::to_string(layout::size(layout)) + " elements, span " +
         layout::to_string(layout::span(layout)) + ", axes " + axes_text(layout) + "\n";
  if (canonical && !layout::same(*canonical, layout))
    out += "  canonical  " + layout::to_short_string(*canonical) + "\n";
  if (banks) out += report_text(*banks, access);
  if (!command.svg_file.empty()) {
    out += "  picture    " + command.svg_file + "\n";
    return print(out);
  }
  if (command.rows == 0) picture.rows = kTableRows;
  if (command.columns == 0) picture.columns = kTableColumns;
  auto table = layout::text_table(layout, shape, picture);
  if (!table) {
    print(out);
    return fail_usage(table.error().message);
  }
  return print(out + "\n" + *table);
}

// Of the lines of a script that are asked for, as they are touched there.
Ended layouts_of_lines(const LayoutCommand& command) {
  auto lines = lines_of(command.answer);
  if (!lines) return fail_usage(lines.error());
  const bool of_script = lines->has_value();
  if (!of_script && !command.given)
    return fail_usage("say a layout expression, --call FILE:LINE, or a script with --lines A:B");
  if (!of_script) return std::nullopt;
  if (command.svg || !command.access.empty() || !command.shape.empty())
    return fail_usage("--svg, --access and --shape are for a layout expression",
                      "the accesses of a script are found in it");
  if (command.expression.empty() && (*lines)->file.empty())
    return fail_usage("--lines are those of a script", "for example: tilewright layout gemm.py --lines 10:20");
  if (!command.expression.empty() && !command.answer.call.empty() && !std::filesystem::exists(command.expression))
    return fail_usage("--call FILE:LINE takes the place of the expression");
  layout::PictureOptions picture = picture_options(command, ir::kFloat16);
  if (command.rows == 0) picture.rows = kTableRows;
  if (command.columns == 0) picture.columns = kTableColumns;
  const std::string& file = command.expression.empty() ? (*lines)->file : command.expression;
  return print_line_layouts(file, **lines, picture, command.answer, command.json);
}

int run_layout(const LayoutCommand& command) {
  if (Ended ended = layouts_of_lines(command)) return *ended;
  auto dtype = command.dtype.empty() ? ir::kFloat16 : ir::parse_dtype(command.dtype);
  if (!dtype || dtype->storage_bits() <= 0)
    return fail_usage("unknown element type '" + command.dtype + "'", "for example float16, float32, uint8");
  Evaluated evaluated = evaluate(command.expression, command.json);
  script::Evaluation& e = *evaluated.result.evaluation;
  ArenaScope arena(e.arena());
  Json diagnostics = Json::array();
  for (const text::Diagnostic& d : e.diagnostics) diagnostics.push_back(render::diagnostic_json(d, e.anchors));
  if (evaluated.failed) {
    if (command.json) print_json(render::layout_failed_json(command.expression, std::move(diagnostics)));
    return kErrors;
  }
  auto layout = e.interpreter().as_layout(evaluated.result.value, {});
  if (!layout) {
    e.interpreter().take_pending();  // that it is no layout
    std::string text = e.interpreter().repr(evaluated.result.value);
    if (!command.json) return print(text + "\n");
    print_json(render::layout_value_json(command.expression, text, std::move(diagnostics)));
    return kFine;
  }

  layout::Shape shape;
  if (Ended ended = choose_shape(command, *layout, evaluated.result.value, shape)) return *ended;
  const layout::PictureOptions picture = picture_options(command, *dtype);
  std::optional<layout::BankReport> banks;
  layout::Access access;
  if (Ended ended = find_banks(command, *layout, shape, picture.dtype_bits, access, banks)) return *ended;
  if (Ended ended = draw(command, *layout, shape, picture)) return *ended;
  if (!command.json) return answer_text(command, *layout, shape, access, banks, picture);
  const render::LayoutAnswer answer{
      .layout = *layout,
      .shape = shape,
      .most_elements = (command.rows > 0 ? command.rows : 128) * (command.columns > 0 ? command.columns : 128),
      .banks = banks ? &*banks : nullptr,
      .access = &access,
      .access_words = command.access,
      .dtype = command.dtype};
  const Json json = render::layout_json(command.expression, answer, std::move(diagnostics));
  if (command.answer.is_part()) return print_answer(json, command.answer, kLayoutSummary) ? kFine : kUsage;
  return print(render::dump(json, -1) + "\n");
}

}  // namespace

void add_layout(CLI::App* c, Run& run) {
  auto command = std::make_shared<LayoutCommand>();
  CLI::Option* expression =
      c->add_option("expression", command->expression,
                    "For example 'TileLayout(S[(8, 4) : (4 @ laneid, 1)])'; with --lines a script");
  c->add_option("--shape", command->shape, "Logical shape, e.g. 64,64 (default: one dimension an iter of the layout)");
  CLI::Option* svg = c->add_option("--svg", command->svg_file, "A picture, into FILE or to standard output")
                         ->expected(0, 1)
                         ->type_name("[FILE]");
  c->add_option("--by", command->by,
                "Colour the picture by owner thread or by shared-memory bank; a table names the bank")
      ->check(CLI::IsMember({"thread", "bank"}));
  c->add_option("--access", command->access, "Bank conflicts of a warp's access, e.g. 'lane -> (lane//4, lane%4*2)'");
  c->add_option("--bits", command->bits, "Bits that each lane moves (default: one element)")
      ->check(CLI::IsMember({8, 16, 32, 64, 128}));
  c->add_option("--dtype", command->dtype,
                "Element type: decides banks (default: float16), and which elements share a column of tensor memory "
                "(default: none)");
  c->add_option("--rows", command->rows, "Rows shown at most (default 64; 128 in a picture)")
      ->check(CLI::Range(1, 4096));
  c->add_option("--columns", command->columns, "Columns shown at most (default 32; 128 in a picture)")
      ->check(CLI::Range(1, 4096));
  c->add_flag("--json", command->json, "As JSON");
  add_answer(*c, command->answer);
  CLI::Option* touched =
      c->add_option("--lines", command->answer.lines,
                    "Of the buffers that these lines of a script touch, instead of an expression: A:B");
  c->add_option("--call", command->answer.call,
                "Of the buffers that the call at FILE:LINE touches, without an expression")
      ->excludes(touched);
  c->footer(
      "Examples:\n  tilewright layout 'TileLayout(S[(8, 4, 2) : (4 @ laneid, 1 @ laneid, 1)])' --shape 8,8\n"
      "  tilewright layout 'mma_shared_layout(\"float16\", 3, (64, 64))' --shape 64,64 --by bank --svg tile.svg\n"
      "  tilewright layout 'TileLayout(S[32, 64])' --access 'lane -> (lane, 0)' --bits 32\n"
      "  tilewright layout --call gemm.py:24           of the operands of this call, with what its accesses cost");
  c->callback([command, svg, expression, &run] {
    command->svg = svg->count() > 0;
    command->given = expression->count() > 0;
    command->json = command->json || command->answer.is_part();
    run = [command] { return run_layout(*command); };
  });
}

}  // namespace tilewright::cli
