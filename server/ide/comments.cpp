#include "server/ide/comments.h"

#include <algorithm>
#include <set>

#include "compiler/inputs/fill.h"
#include "compiler/ir/target.h"
#include "compiler/script/surface.h"
#include "compiler/session/comments.h"
#include "compiler/session/run_comments.h"
#include "server/ide/members.h"
#include "server/project/codes.h"

namespace tilewright::ide {
namespace {

using Kind = Completion::Kind;

// As CUDA names them; those that this build compiles for are offered.
constexpr std::string_view kArchitectures[] = {
    "sm_80",   "sm_86",   "sm_87",  "sm_89",   "sm_90",   "sm_90a", "sm_100",  "sm_100a", "sm_100f",
    "sm_101",  "sm_101a", "sm_103", "sm_103a", "sm_103f", "sm_107", "sm_107a", "sm_107f", "sm_110",
    "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a"};

void add_architectures(Completions& out, std::string_view given) {
  for (std::string_view name : kArchitectures) {
    if (!ir::parse_target(name)) continue;
    const bool usual = name == "sm_80" || name == "sm_90a" || name == "sm_100a";
    const bool there = given.find(std::string(name) + " ") != given.npos;
    if (!there) out.add(std::string(name), Kind::Value, usual ? 1 : 2);
  }
}

void add_dialects(Completions& out) {
  for (const text::DialectName& d : text::kDialects) {
    if (script::known_dialect(d.name)) out.add(std::string(d.name), Kind::Value, 1);
  }
}

// Codes of what is found on the line.
void add_codes(Completions& out, const Query& q, std::uint32_t offset) {
  auto analysis = q.analysis();
  if (!analysis) return;
  const text::Source& source = q.snapshot->source();
  const std::uint32_t line = source.position(offset).line;
  for (const session::Finding& f : analysis->findings) {
    text::Anchors::Place at = f.anchors->resolve(f.diagnostic->span);
    if (f.diagnostic->fails || at.source != &source || source.position(at.begin).line != line) continue;
    const text::CodeInfo* info = project::code_info(f.diagnostic->code);
    out.add(std::string(f.diagnostic->code), Kind::Value, 0, info ? std::string(info->title) : std::string());
  }
}

// Functions and kernels of the module, which an expression of it can name.
void add_functions(Completions& out, const Query& q, bool kernels_only) {
  using enum session::SymbolKind;
  for (const session::Symbol& s : q.snapshot->symbols().symbols) {
    if (s.scope != 0 || s.name.empty()) continue;
    const bool kernel = s.kind == Kernel;
    if (!kernel && (kernels_only || (s.kind != Function && s.kind != Variable && s.kind != Class))) continue;
    const int rank = s.kind == Variable ? 3 : s.kind == Class ? 4 : kernel ? 1 : 2;
    out.add(Completion{
        std::string(s.name), completion_kind(s), rank, "", {}, s.kind == Function, 0, {}, {}, nullptr, 0, {}});
  }
}

// `value` is what stands behind "run" so far.
void add_run_words(Completions& out, const Query& q, std::string_view value) {
  const std::size_t blank = value.find_last_of(" \t");
  std::string_view last = value.substr(blank == value.npos ? 0 : blank + 1);
  if (const std::size_t sign = last.find('='); sign != last.npos) {
    if (last.starts_with("reference=")) return add_functions(out, q, false);
    if (last.find('(') != last.npos) {
      for (std::string_view argument : {"seed=", "low=", "high="}) out.add(std::string(argument), Kind::Keyword, 1);
      return;
    }
    for (const inputs::FillWord& w : inputs::fill_words())
      out.add(std::string(w.word), Kind::Value, 1, std::string(w.form), w.documentation);
    return;
  }
  const bool first = value.find_first_not_of(" \t") == value.npos || value.find_first_of(" \t", 1) == value.npos;
  if (first) add_functions(out, q, false);
  std::set<std::string> names;
  if (auto analysis = q.analysis()) {
    for (const session::CompiledKernel& k : analysis->first().kernels) {
      const bool meant =
          value.find(k.value->kernel.name) != value.npos || value.find(k.entry->expression) != value.npos;
      if (!meant) continue;
      for (const ir::Param& p : k.value->kernel.params)
        names.emplace(p.buffer ? p.buffer->name : p.var ? p.var->name : std::string_view());
    }
  }
  for (const std::string& name : names)
    if (!name.empty()) out.add(name + "=", Kind::Variable, 2);
  for (const session::RunOption& o : session::run_options())
    out.add(std::string(o.name) + (o.name.ends_with('.') ? "" : "="), Kind::Keyword, 3, std::string(o.example),
            o.documentation);
}

}  // namespace

void add_comment_words(Completions& out, const Query& q, std::string_view line, std::uint32_t offset) {
  constexpr std::string_view kOurs = "tilewright:";
  std::size_t hash = line.rfind('#');
  if (hash == line.npos) return;
  std::string_view rest = line.substr(hash + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (!rest.starts_with(kOurs)) {
    // Ours begins like this; no other one is touched.
    if (!rest.empty() && kOurs.starts_with(rest))
      out.add("tilewright:", Kind::Keyword, 1, "", "A comment that Tilewright reads.");
    return;
  }
  rest.remove_prefix(kOurs.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::size_t end = rest.find_first_of(" [");
  if (end == rest.npos) {
    for (const session::CommentWord& w : session::comment_words()) {
      if (!w.form.empty()) out.add(std::string(w.word), Kind::Keyword, 1, std::string(w.form), w.documentation);
    }
    return;
  }
  std::string_view word = rest.substr(0, end), value = rest.substr(end);
  if (word == "arch") return add_architectures(out, std::string(value.substr(0, value.rfind(' ') + 1)));
  if (word == "dialect") return add_dialects(out);
  if (word == "ignore") return add_codes(out, q, offset);
  if (word == "entry" || word == "reference") return add_functions(out, q, false);
  if (word == "run") return add_run_words(out, q, value);
  if (word == "sequence") {
    add_functions(out, q, true);
    out.add("then", Kind::Keyword, 5);
  }
}

}  // namespace tilewright::ide
