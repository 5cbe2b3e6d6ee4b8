#include "server/ide/store_fixes.h"

#include "server/ide/look.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

// The name by which the script calls the tile primitives.
std::string tile_space(const Query& q, std::uint32_t offset) {
  const session::SymbolIndex& index = q.snapshot->symbols();
  for (const session::Symbol& s : index.symbols) {
    const bool seen = index.lookup(s.name, index.scope_at(offset)) == &s;
    if (seen && canonical(*q.snapshot, s.name, offset) == "Tx") return std::string(s.name);
  }
  return "T.tile";
}

}  // namespace

std::vector<QuickFix> store_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                  const session::Analysis& analysis) {
  const Found found = look(*q.snapshot->tree(), at.begin);
  const Assign* assign = nullptr;
  for (std::size_t up = 0; const Node* node = found.above(up); ++up)
    if (!assign) assign = as<Assign>(node);
  if (!assign || assign->targets.size() != 1 || !as<Subscript>(assign->targets[0])) return {};
  const std::string_view text = q.snapshot->source().text();
  auto written = [&](const Node* n) { return std::string(text.substr(found.begin(n), found.end(n) - found.begin(n))); };
  const Stretch whole{found.begin(assign), found.end(assign)};
  const std::string operands = "(" + written(assign->targets[0]) + ", " + written(assign->value) + ")";
  const std::string_view primitive = as<Subscript>(assign->value) ? "copy" : "fill";
  const std::string space = tile_space(q, at.begin);
  for (std::string_view scope : {"cta.", "wg.", "warp.", ""}) {
    const std::string call = space + "." + std::string(scope) + std::string(primitive);
    QuickFix fix{"Write " + call, whole, call + operands, true};
    if (holds(q, d, at, analysis, fix)) return {std::move(fix)};
  }
  return {};
}

}  // namespace tilewright::ide
