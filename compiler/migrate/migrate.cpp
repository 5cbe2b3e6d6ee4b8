#include "compiler/migrate/migrate.h"

#include <algorithm>

#include "compiler/migrate/branches.h"
#include "compiler/migrate/comments.h"
#include "compiler/migrate/pools.h"
#include "compiler/migrate/rewriter.h"
#include "compiler/migrate/rules.h"
#include "compiler/script/dialect.h"
#include "compiler/script/dialect_names.h"
#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

namespace {

// Where a byte of the text as it was stands after the edits.
std::uint32_t moved(std::uint32_t at, const std::vector<Edit>& edits) {
  std::int64_t by = 0;
  for (const Edit& e : edits) {
    if (e.begin > at) break;
    if (e.end > at) return static_cast<std::uint32_t>(e.begin + by);
    by += static_cast<std::int64_t>(e.text.size()) - (e.end - e.begin);
  }
  return static_cast<std::uint32_t>(at + by);
}

std::shared_ptr<const Tree> parsed(const Tree& tree, std::string text) {
  return Tree::parse(std::make_shared<text::Source>(tree.source()->path(), std::move(text)));
}

bool is_used(const Tree& tree, std::string_view name) {
  return std::ranges::any_of(tree.statements(), [&](const Tree::Statement& s) {
    return std::ranges::any_of(s.node->names, [&](const Name& n) { return n.text == name; });
  });
}

// An import without the names that the release lacks and the script does not use any more.
std::vector<Edit> tidied_imports(const Tree& tree, text::Dialect release) {
  std::vector<Edit> out;
  for (const Tree::Statement& s : tree.statements()) {
    auto* from = as<ImportFrom>(s.node->statement);
    if (!from || from->level != 0 || !from->module.starts_with("tvm.")) continue;
    const bool layout = from->module == "tvm.tirx.layout" || from->module.ends_with(".tma_utils");
    std::vector<std::string> left;
    for (const ImportedName& n : from->names) {
      const bool known = !layout || script::surface_of(release).find("layout", n.name) || n.name == "*";
      if (known || is_used(tree, n.bound.text)) left.push_back(s.node->text.substr(n.at.begin, n.at.end - n.at.begin));
    }
    if (left.size() == from->names.size()) continue;
    std::string names;
    for (const std::string& n : left) names += (names.empty() ? "" : ", ") + n;
    const std::uint32_t begin = s.offset + from->names.front().at.begin, end = s.offset + from->names.back().at.end;
    if (!left.empty()) {
      out.push_back({begin, end, names});
      continue;
    }
    const std::string_view text = tree.source()->text();
    const std::size_t line = text.find('\n', s.offset + from->at.end);
    out.push_back({s.offset, static_cast<std::uint32_t>(line == text.npos ? text.size() : line + 1), ""});
  }
  return out;
}

// The comment that names the release, in place of an earlier one or on top.
Edit comment(const Tree& tree, text::Dialect release) {
  std::string words = "# tilewright: dialect " + std::string(text::dialect_name(release));
  if (auto said = script::dialect_comment(tree)) return {said->offset, said->offset + said->length, words};
  const std::string_view text = tree.source()->text();
  std::size_t at = 0;
  while (text.substr(at).starts_with("#!") || (at < 200 && text.substr(at).starts_with("# -*-"))) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;
    at = end + 1;
  }
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at), words + "\n"};
}

void move(std::vector<Decision>& decisions, const std::vector<Edit>& edits) {
  for (Decision& d : decisions) d.at = moved(d.at, edits);
}

// Names that no rule made names of the release.
void add_names_left(const Tree& tree, text::Dialect to, std::vector<Decision>& decisions) {
  for (const script::NameOfOthers& n : script::names_of_others(tree, to)) {
    const bool told = std::ranges::any_of(
        decisions, [&](const Decision& d) { return !d.note && d.at <= n.begin && n.begin <= d.at + d.what.size(); });
    if (told) continue;
    const std::size_t dot = n.name.rfind('.');
    std::string why = dot == n.name.npos || dot == 0
                          ? std::string()
                          : script::surface_of(to).advice(n.name.substr(0, dot), n.name.substr(dot + 1));
    if (const std::string_view by_hand = words_by_hand(n.name, to); !by_hand.empty()) why = by_hand;
    if (why.empty())
      why = n.name + " is a name of " + n.releases + "; " + std::string(text::dialect_name(to)) +
            " writes this call by its operands and dtypes, by hand";
    const std::string_view text = tree.source()->text();
    std::string what(text.substr(n.begin, n.end - n.begin));
    decisions.push_back({n.begin, what.substr(0, what.find('\n')), std::move(why), false});
  }
  std::ranges::stable_sort(decisions, {}, &Decision::at);
}

}  // namespace

std::string applied(std::string_view text, const std::vector<Edit>& edits) {
  std::string out;
  std::size_t at = 0;
  for (const Edit& e : edits) {
    if (e.begin < at) continue;  // within the one before
    out.append(text.substr(at, e.begin - at)).append(e.text);
    at = e.end;
  }
  return out.append(text.substr(at));
}

bool Migrated::complete() const { return std::ranges::all_of(decisions, &Decision::note); }

Migrated migrated(const Tree& original, text::Dialect from, text::Dialect to) {
  Migrated out;
  out.text = original.source()->text();
  auto tree = parsed(original, out.text);
  auto take = [&](const std::vector<Edit>& edits) {
    if (edits.empty()) return;
    move(out.decisions, edits);
    out.text = applied(out.text, edits);
    out.edits += edits.size();
    tree = parsed(original, out.text);
  };
  for (const text::DialectName& d : text::kDialects) {
    if (d.dialect <= from || d.dialect > to) continue;
    const auto before = static_cast<text::Dialect>(static_cast<int>(d.dialect) - 1);
    if (d.dialect == text::Dialect::V0_26) take(renamed_in_branches(*tree, Names(*tree, before)));
    if (d.dialect == text::Dialect::V0_26) {
      Step pools = committed_pools(*tree, Names(*tree, before));
      std::ranges::move(pools.decisions, std::back_inserter(out.decisions));
      take(pools.edits);
    }
    const Names names(*tree, before);
    Step step = Rewriter(*tree, names, d.dialect).step();
    std::ranges::move(step.decisions, std::back_inserter(out.decisions));
    take(with_comments(tree->source()->text(), std::move(step.edits)));
    take(tidied_imports(*tree, d.dialect));
  }
  take({comment(*tree, to)});
  add_names_left(*tree, to, out.decisions);
  return out;
}

std::optional<Edit> edit_at(const Tree& tree, text::Dialect from, text::Dialect to, std::uint32_t begin,
                            std::uint32_t end) {
  if (static_cast<int>(to) != static_cast<int>(from) + 1) return std::nullopt;
  const Names names(tree, from);
  return Rewriter(tree, names, to).at(begin, end);
}

std::span<const Rule> rules_to(text::Dialect release) {
  switch (release) {
    case text::Dialect::V0_25: break;
    case text::Dialect::V0_26: return rules_to_0_26();
    case text::Dialect::V0_27: return rules_to_0_27();
  }
  return {};
}

std::span<const ModuleRule> modules_to(text::Dialect release) {
  switch (release) {
    case text::Dialect::V0_25: break;
    case text::Dialect::V0_26: return modules_to_0_26();
    case text::Dialect::V0_27: return modules_to_0_27();
  }
  return {};
}

}  // namespace tilewright::migrate
