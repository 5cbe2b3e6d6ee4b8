#include "compiler/session/findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tilewright::session {

std::vector<Finding> findings(std::span<const Compiled> compiled, std::string_view own) {
  using Place = std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::string_view>;
  using Key = std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::string_view, std::string_view>;
  std::vector<std::pair<Key, Finding>> all;
  std::set<Key> seen;
  std::map<Place, std::size_t>
      found_for;  // the target that first had this code there: the others say it in their words
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const text::Anchors& anchors = compiled[i].evaluation->anchors;
    for (const text::Diagnostic& d : compiled[i].diagnostics) {
      text::Anchors::Place at = anchors.resolve(d.span);
      std::string_view path = !at.source || at.source->path() == own ? std::string_view() : at.source->path();
      Key key{path, at.begin, at.end, d.code, d.message};
      if (found_for.try_emplace({path, at.begin, at.end, d.code}, i).first->second != i) continue;
      if (seen.insert(key).second) all.push_back({key, {&d, &anchors, i}});
    }
  }
  auto place = [](const Key& k) { return std::tuple(std::get<0>(k), std::get<1>(k), std::get<2>(k)); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& x, const auto& y) { return place(x.first) < place(y.first); });
  std::vector<Finding> out;
  for (const auto& [key, finding] : all) out.push_back(finding);
  return out;
}

}  // namespace tilewright::session
