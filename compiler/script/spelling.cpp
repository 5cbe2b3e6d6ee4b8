#include "compiler/script/spelling.h"

#include "compiler/text/word_list.h"

namespace tilewright::script {

void Nearby::consider(std::string_view name) {
  if (name.empty() || name.find_first_of(".<") != name.npos) return;
  if (name.starts_with("__") && !wrong_.starts_with('_')) return;
  if (text::lists_word("copyright credits exit help license quit", name)) return;  // for people at a prompt
  nearest_.consider(name);
}

std::string Nearby::hint() const {
  return nearest_.found().empty() ? "" : "did you mean " + std::string(nearest_.found()) + "?";
}

text::Fix fix_of_hint(std::string_view hint) {
  constexpr std::string_view kBegin = "did you mean ";
  if (!hint.starts_with(kBegin) || !hint.ends_with('?')) return {};
  hint = hint.substr(kBegin.size(), hint.size() - kBegin.size() - 1);
  std::string name(hint.substr(hint.rfind('.') + 1));
  for (char c : name) {
    bool letter = static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (!letter) return {};
  }
  return {text::Fix::Kind::Replace, "Replace by " + name, name};
}

}  // namespace tilewright::script
