// textDocument/selectionRange: from the word to its expression, its statement, its block, its function, the file.
#include "compiler/syntax/path.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

// The answer nests as deep as the code does, and readers of JSON have limits: the innermost ones and the whole file.
constexpr std::size_t kDeepest = 256;

struct SelectionParams : protocol::DocumentParams {
  std::vector<protocol::Position> positions;
};
void from_json(const Json& json, SelectionParams& p) {
  protocol::from_json(json, p);
  p.positions = json.at("positions").get<std::vector<protocol::Position>>();
}

Answer<Json> selection_range(const Request& r, const SelectionParams& params) {
  Json out = Json::array();
  const text::Source& source = r.snapshot->source();
  for (protocol::Position position : params.positions) {
    std::uint32_t at = r.offset(position);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges{{0, source.size()}};
    auto narrow = [&](std::uint32_t begin, std::uint32_t end) {
      auto [b, e] = ranges.back();
      if (begin >= b && end <= e && (begin > b || end < e)) ranges.emplace_back(begin, end);
    };
    syntax::Path path = syntax::path_at(*r.snapshot->tree(), at);
    for (const syntax::Node* n : path.nodes) narrow(path.begin(n), path.end(n));
    // The word itself, where it is a part of a node: the name of a function, of an attribute.
    auto letter = [&](std::uint32_t i) {
      auto c = static_cast<unsigned char>(source.text()[i]);
      return c >= 0x80 || std::isalnum(c) || c == '_';
    };
    std::uint32_t begin = at, end = at;
    while (begin > 0 && letter(begin - 1)) --begin;
    while (end < source.size() && letter(end)) ++end;
    if (begin < end) narrow(begin, end);
    if (ranges.size() > kDeepest) {
      ranges.erase(ranges.begin() + 1, ranges.end() - static_cast<std::ptrdiff_t>(kDeepest - 1));
    }
    Json chain;
    for (auto [b, e] : ranges) {
      Json one{{"range", r.range(b, e)}};
      if (!chain.is_null()) one["parent"] = std::move(chain);
      chain = std::move(one);
    }
    out.push_back(std::move(chain));
  }
  return out;
}

}  // namespace

void add_selection_range(Registry& registry) {
  registry.offer("selectionRangeProvider", true);
  registry.on_document<SelectionParams>("textDocument/selectionRange", selection_range);
}

}  // namespace tilewright::lsp
