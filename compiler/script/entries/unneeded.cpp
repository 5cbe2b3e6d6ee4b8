#include "compiler/script/entries/unneeded.h"

#include <algorithm>
#include <string_view>

#include "compiler/script/interpreter.h"
#include "compiler/text/letters.h"

namespace tilewright::script {
namespace {

bool is_quote(char c) { return c == '"' || c == '\''; }

// Does the line of this place hold nothing but a comment?
bool is_comment(std::string_view text, std::size_t at) {
  const std::size_t begin = text.rfind('\n', at) + 1;  // 0: the first line
  const std::size_t first = text.find_first_not_of(" \t", begin);
  return first < at && text[first] == '#';
}

// How often the text names it, but for comments and for texts that are the name alone, as in __all__.
std::size_t uses(std::string_view text, std::string_view name) {
  std::size_t count = 0;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const std::size_t end = at + name.size();
    const char after = end < text.size() ? text[end] : ' ';
    if (text::is_ascii_name_byte(before) || text::is_ascii_name_byte(after) || (is_quote(before) && after == before))
      continue;
    if (is_comment(text, at)) continue;
    ++count;
  }
  return count;
}

}  // namespace

std::string_view bound_configs(const syntax::Node* statement) {
  auto* a = syntax::as<syntax::Assign>(statement);
  auto* name = a && a->targets.size() == 1 ? syntax::as<syntax::NameRef>(a->targets[0]) : nullptr;
  return name && name->name.text.ends_with("CONFIGS") ? name->name.text : std::string_view();
}

void pass_over_configs(Interpreter& in, const syntax::Tree& tree, std::span<const std::string> entries) {
  const std::string_view script = tree.source()->text();
  if (entries.empty() || script.find("globals(") != std::string_view::npos) return;
  std::vector<Value> names;
  for (const syntax::Tree::Statement& s : tree.statements()) {
    const std::string_view name = bound_configs(s.node->statement);
    if (name.empty() || uses(script, name) != uses(s.node->text, name)) continue;
    if (std::ranges::all_of(entries, [&](const std::string& e) { return uses(e, name) == 0; })) {
      names.push_back(in.string(name));
    }
  }
  if (!names.empty()) in.builtins().set(kUnneeded, in.tuple(std::move(names)));
}

}  // namespace tilewright::script
