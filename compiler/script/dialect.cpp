#include "compiler/script/dialect.h"

#include <algorithm>

namespace tilewright::script {

std::optional<DialectComment> dialect_comment(const syntax::Tree& tree) {
  for (const syntax::Directive& d : tree.directives()) {
    std::string_view name = d.text;
    if (name.starts_with("dialect ")) {
      name.remove_prefix(8);
    } else if (name.starts_with("tvm=")) {
      name.remove_prefix(4);
    } else {
      continue;
    }
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    std::string_view line = tree.source()->text().substr(d.offset);
    line = line.substr(0, line.find_first_of("\r\n"));
    return DialectComment{d.offset, static_cast<std::uint32_t>(line.size()), known_dialect(name)};
  }
  return std::nullopt;
}

}  // namespace tilewright::script
