#include "server/render/selection.h"

#include <algorithm>
#include <map>

#include "server/render/json.h"

namespace tilewright::render {
namespace {

// The paths as a tree; a name without others below it is wanted as a whole.
struct Wanted {
  std::map<std::string, Wanted, std::less<>> below;
  bool met = false;
};

Wanted tree_of(const std::vector<std::string>& paths) {
  Wanted out;
  for (const std::string& path : paths) {
    Wanted* at = &out;
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t end = std::min(path.find('.', from), path.size());
      at = &at->below[path.substr(from, end - from)];
      from = end + 1;
    }
  }
  return out;
}

Json taken(const Json& from, Wanted& wanted) {
  if (wanted.below.empty()) return from;
  if (from.is_array()) {
    Json out = Json::array();
    for (const Json& item : from) out.push_back(taken(item, wanted));
    return out;
  }
  if (!from.is_object()) return from;
  Json out = Json::object();
  for (auto& [name, below] : wanted.below) {
    auto member = from.find(name);
    if (member == from.end()) continue;
    below.met = true;
    out[name] = taken(*member, below);
  }
  return out;
}

// The first path that led nowhere; empty: each led somewhere.
std::string unmet(const Wanted& wanted, const Json* from, std::string& there) {
  for (const auto& [name, below] : wanted.below) {
    while (from && from->is_array()) from = from->empty() ? nullptr : &from->front();
    if (!below.met) {
      if (!from || !from->is_object()) continue;  // an empty list: nothing can be said
      for (const auto& item : from->items()) there += (there.empty() ? "" : ", ") + item.key();
      return name;
    }
    const Json* next = from && from->is_object() && from->contains(name) ? &(*from)[name] : nullptr;
    if (std::string rest = unmet(below, next, there); !rest.empty()) return name + "." + rest;
  }
  return {};
}

std::uint32_t line_of(const Json& range, const char* end) {
  const auto at = range.find(end);
  return at != range.end() && at->is_object() ? at->value("line", 0u) : 0;
}

bool is_range_within(const Json& range, const ScriptLines& lines) {
  return range.is_object() && range.contains("file") &&
         lines.covers(range["file"].get_ref<const std::string&>(), line_of(range, "start"), line_of(range, "end"));
}

}  // namespace

std::expected<Json, std::string> selected(const Json& answer, const std::vector<std::string>& paths, bool strict) {
  Wanted wanted = tree_of(paths);
  Json out = taken(answer, wanted);
  std::string there;
  if (std::string path = strict ? unmet(wanted, &answer, there) : std::string(); !path.empty())
    return std::unexpected("the answer has no '" + path + "'; there is " + there);
  return out;
}

bool ScriptLines::covers(std::string_view path, std::uint32_t first, std::uint32_t last) const {
  const bool same = file.empty() || path == file || path.ends_with("/" + file);
  return same && first <= to && last >= from;
}

bool is_within(const Json& item, const ScriptLines& lines) {
  if (!item.is_object()) return true;
  if (item.contains("range") && is_range_within(item["range"], lines)) return true;
  if (item.contains("line") && item["line"].is_number_unsigned()) {
    const auto line = item["line"].get<std::uint32_t>();
    if (lines.covers(item.contains("file") ? item["file"].get<std::string>() : lines.file, line, line)) return true;
  }
  const auto chain = item.find("chain");
  return chain != item.end() &&
         std::ranges::any_of(*chain, [&](const Json& range) { return is_range_within(range, lines); });
}

void keep_lines(Json& answer, const ScriptLines& lines) {
  if (answer.is_array()) {
    for (Json& item : answer) keep_lines(item, lines);
  }
  if (!answer.is_object()) return;
  for (auto& [name, member] : answer.items()) {
    constexpr std::string_view kPlaced[] = {"calls",    "diagnostics", "source_map", "findings",
                                            "silenced", "watches",     "lines",      "advice"};
    if (member.is_array() && std::ranges::find(kPlaced, name) != std::end(kPlaced)) {
      Json kept = Json::array();
      for (Json& item : member)
        if (is_within(item, lines)) kept.push_back(std::move(item));
      member = std::move(kept);
    } else {
      keep_lines(member, lines);
    }
  }
}

std::string numbered_lines(std::string_view text, const std::vector<std::uint32_t>& numbers) {
  std::string out;
  std::uint32_t number = 1;
  for (std::size_t from = 0; from < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (std::ranges::binary_search(numbers, number))
      out.append(std::to_string(number)).append(": ").append(text.substr(from, end - from)).append("\n");
    from = end + 1;
  }
  return out;
}

}  // namespace tilewright::render
