#include "server/ide/imports.h"

#include <algorithm>
#include <filesystem>

#include "compiler/script/homes.h"
#include "server/ide/names.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using script::Home;

// Scripts of the same folder that define it.
void add_neighbours(const Query& q, std::string_view name, std::vector<Home>& out) {
  namespace fs = std::filesystem;
  if (!is_file(q.snapshot->path())) return;
  const fs::path folder = fs::path(q.snapshot->path()).parent_path();
  Scripts scripts(q);
  const std::string wanted[] = {std::string(name)};
  for (const std::string& path : scripts.all()) {
    if (q.stop.stop_requested() || out.size() > 3) return;
    const fs::path file(path);
    if (file.parent_path() != folder || path == q.snapshot->path() || !scripts.mentions(path, wanted)) continue;
    auto script = scripts.find(path);
    const session::Symbol* s = script ? script->symbols().lookup(name, 0) : nullptr;
    using enum session::SymbolKind;
    if (!s || s->kind == Import || s->kind == Builtin) continue;
    const std::string stem = file.stem().string();
    const bool importable =
        std::ranges::all_of(stem, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (importable) out.push_back({stem, std::string(name), ""});
  }
}

std::uint32_t line_behind(std::string_view text, std::size_t offset) {
  std::size_t newline = text.find('\n', offset);
  return static_cast<std::uint32_t>(newline == text.npos ? text.size() : newline + 1);
}

// The edit that brings `home` into the script: one more name of an import that is there, or a line of its own behind
// the imports at the head.
QuickFix import_of(const session::Snapshot& script, const Home& home, std::uint32_t offset) {
  std::string_view text = script.source().text();
  std::uint32_t place = 0;
  bool behind = false;
  for (const Tree::Statement& s : script.tree()->statements()) {
    if (s.offset > offset) break;
    const Node* n = s.node->statement;
    auto* from = as<ImportFrom>(n);
    auto* doc = as<ExprStmt>(n);
    const bool docstring = !behind && doc && doc->value->kind == NodeKind::StringLit;
    if (from && from->level == 0 && from->module == home.module && home.alias.empty() && !home.name.empty() &&
        !from->names.empty() && from->names.back().name != "*") {
      std::uint32_t end = s.offset + from->names.back().bound.at.end;
      return {"Import " + home.name + " from " + home.module, {end, end}, ", " + home.name, true};
    }
    if (!from && n->kind != NodeKind::Import && !docstring) {
      if (!behind && place == 0) {
        std::size_t newline = s.offset ? text.rfind('\n', s.offset - 1) : text.npos;
        place = newline == text.npos ? 0 : static_cast<std::uint32_t>(newline + 1);
      }
      continue;
    }
    if (docstring && place) continue;
    place = line_behind(text, s.offset + n->at.end);
    behind = true;
  }
  std::string line = home.line();
  if (place > 0 && text[place - 1] != '\n') {
    return {"Write " + line, {place, place}, "\n" + line, true};  // the last line has no end
  }
  return {"Write " + line, {place, place}, line + "\n", true};
}

}  // namespace

std::span<const std::string_view> known_modules() {
  static constexpr std::string_view kModules[] = {"tvm",
                                                  "tvm.script",
                                                  "tvm.script.tirx",
                                                  "tvm.tirx",
                                                  "tvm.tirx.layout",
                                                  "tvm.tirx.lang.alloc_pool",
                                                  "tvm.tirx.lang.pipeline",
                                                  "tvm.tirx.lang.smem_desc",
                                                  "tvm.tirx.lang.tile_scheduler",
                                                  "tvm.tirx.lang.warp_role",
                                                  "tvm.tirx.cuda.operator.tile_primitive.tma_utils",
                                                  "collections",
                                                  "copy",
                                                  "dataclasses",
                                                  "enum",
                                                  "functools",
                                                  "itertools",
                                                  "math",
                                                  "numpy",
                                                  "operator",
                                                  "os",
                                                  "sys",
                                                  "torch",
                                                  "typing"};
  return kModules;
}

std::vector<QuickFix> missing_imports(const Query& q, std::string_view name, std::uint32_t offset) {
  std::vector<Home> homes = script::homes_of(q.snapshot->surface(), name);
  if (homes.empty()) add_neighbours(q, name, homes);
  std::vector<QuickFix> out;
  for (const Home& home : homes) out.push_back(import_of(*q.snapshot, home, offset));
  for (QuickFix& m : out) m.preferred = out.size() == 1;
  return out;
}

}  // namespace tilewright::ide
