// lookup: a name of the dialect, or of CUDA, Triton, CUTLASS or TileLang, and its documentation.
#include <algorithm>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/foreign.h"
#include "compiler/script/surface.h"
#include "compiler/text/letters.h"
#include "compiler/text/nearest.h"
#include "compiler/text/words.h"
#include "server/handbook/handbook.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/project/codes.h"

namespace tilewright::mcp {
namespace {

constexpr std::size_t kMostNames = 12, kMostWords = 400;
// The page with tables of what other languages call things.
constexpr std::string_view kElsewhere = "from_elsewhere";

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.find_last_of(".:");
  return dot == name.npos ? name : name.substr(dot + 1);
}

void add(Answer& out, std::string name, const std::string& signature, std::string_view words, std::string_view kind) {
  std::string text = name + (signature.empty() ? "" : "(" + signature + ")") + ": " + clipped(words, kMostWords);
  Json one{{"name", std::move(name)}, {"kind", kind}};
  if (!signature.empty()) one["signature"] = signature;
  one["words"] = clipped(words, kMostWords);
  out.items.push_back({std::move(one), std::move(text)});
}

std::string_view kind_of(script::NameKind kind) {
  static constexpr auto kNames =
      text::words_of<script::NameKind>({"function", "decorator", "type", "class", "namespace", "constant",
                                        "tile primitive", "instruction", "attribute", "elsewhere"});
  return kNames[kind];
}

// Records with this last part; of a dotted name those first whose space fits, too.
void add_records(Answer& out, const std::string& name, text::Dialect dialect) {
  const script::Surface& surface = script::surface_of(dialect);
  const std::string_view last = last_part(name);
  std::vector<const script::Record*> exact, others;
  for (const script::Record* r : surface.records()) {
    if (r->name != last || r->kind == script::NameKind::Elsewhere) continue;
    const std::string whole = std::string(r->space) + "." + std::string(r->name);
    (whole == name || whole.ends_with("." + name) ? exact : others).push_back(r);
  }
  if (!exact.empty() && last != name) others.clear();
  exact.insert(exact.end(), others.begin(), others.end());
  for (const script::Record* r : exact) {
    if (out.items.size() >= kMostNames) return;
    const std::string whole = std::string(r->space) + "." + std::string(r->name);
    if (r->kind != script::NameKind::Instruction) {
      add(out, whole, std::string(r->signature), r->documentation, kind_of(r->kind));
      continue;
    }
    const std::string_view path = std::string_view(whole).substr(whole.starts_with("T.") ? 2 : 0);
    for (const intrinsics::Named& form : intrinsics::forms(dialect, path)) {
      if (out.items.size() >= kMostNames) return;
      add(out, whole, std::string(form.row->signature), form.row->documentation, "instruction");
    }
  }
}

// Does the line hold the name, and not only as a part of another one?
bool holds(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const bool left = at == 0 || !text::is_ascii_name_byte(line[at - 1]);
    const std::size_t end = at + name.size();
    if (left && (end == line.size() || !text::is_ascii_name_byte(line[end]))) return true;
  }
  return false;
}

// Rows of the tables that say what others call things: "| `tl.dot(a, b)` | `Tx.gemm` ... |".
void add_foreign(Answer& out, const std::string& name) {
  const handbook::Page* page = handbook::find_page(kElsewhere);
  if (!page) return;
  for (const handbook::Section& s : handbook::sections(page->text)) {
    std::string_view text = s.text;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      const std::size_t second = line.starts_with("| ") ? line.find(" | ", 1) : line.npos;
      if (second == line.npos || out.items.size() >= kMostNames) continue;
      if (!holds(line.substr(0, second), name)) continue;
      std::string_view here = line.substr(second + 3);
      if (const std::size_t end = here.rfind(" |"); end != here.npos) here = here.substr(0, end);
      add(out, std::string(line.substr(2, second - 2)), "", here, s.heading);
    }
  }
}

Result lookup(const Question& question) {
  const std::string name = question.arguments.text("name");
  if (name.empty()) return std::unexpected("the name is empty");
  text::Dialect dialect = text::kDialects[0].dialect;
  if (question.arguments.has("dialect")) {
    auto known = script::known_dialect(question.arguments.text("dialect"));
    if (!known) return std::unexpected(known.error());
    dialect = *known;
  }
  Answer out;
  if (const text::CodeInfo* code = project::code_info(name))
    add(out, name, "", std::string(code->title) + ". " + std::string(code->explanation), "diagnostic");
  add_records(out, name, dialect);
  std::string here;
  for (const auto space : {script::ForeignSpace::Any, script::ForeignSpace::Tile, script::ForeignSpace::Buffer,
                           script::ForeignSpace::Scalar}) {
    if (here.empty()) here = script::foreign_hint(space, name, dialect);
    if (here.empty()) here = script::foreign_hint(space, last_part(name), dialect);
  }
  if (!here.empty()) add(out, name, "", here, "other languages");
  if (const std::string_view dtype = script::dtype_known_as(last_part(name)); !dtype.empty())
    add(out, name, "", "write \"" + std::string(dtype) + "\"", "dtype");
  add_foreign(out, name);
  if (out.items.empty() && last_part(name) != name) add_foreign(out, std::string(last_part(name)));
  out.head = {{"name", clipped(name, 80)}, {"dialect", text::dialect_name(dialect)}};
  out.list = "meanings";
  if (!out.items.empty()) {
    out.summary = clipped(name, 80) + ": " + counted(out.items.size(), "meaning");
    out.next = {"docs", {{"search", clipped(last_part(name), 80)}}, "sections of the documents that speak of it"};
    return out;
  }
  const std::string advice = script::surface_of(dialect).advice("T", last_part(name));
  out.summary = clipped(name, 80) + ": no such name in release " + std::string(text::dialect_name(dialect)) +
                (advice.empty() ? "" : "; " + advice);
  out.next = {"docs", {{"search", clipped(name, 80)}}, "looks for the words in all documents"};
  return out;
}

}  // namespace

Tool lookup_tool() {
  return {
      .name = "lookup",
      .title = "Look a name up",
      .words =
          "What a name is: of the dialect (`copy_async`, `T.ptx.mbarrier.init`, `TileLayout`), a code (`TW3104`), or "
          "of CUDA, Triton, CUTLASS, TileLang or numpy (`__syncthreads`, `tl.dot`), with what is written here instead.",
      .parameters = {{.name = "name", .words = "With or without its module", .required = true},
                     {.name = "dialect", .words = "Release, such as 0.26; default: the first"}},
      .output = R"({"properties": {"name": {"type": "string"}, "dialect": {"type": "string"},
    "meanings": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"},
      "kind": {"type": "string"}, "signature": {"type": "string"}, "words": {"type": "string"}},
      "required": ["name", "kind", "words"]}}}, "required": ["name", "dialect", "meanings"]})",
      .example = R"({"name": "copy_async"})",
      .answer = lookup};
}

}  // namespace tilewright::mcp
