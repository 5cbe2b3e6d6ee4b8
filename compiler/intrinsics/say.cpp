#include "compiler/intrinsics/say.h"

namespace tilewright::intrinsics {

std::string say(const ir::Callee& row, text::Dialect release) {
  std::string_view path = row.name_in(release);
  for (auto r = row.respelled.rbegin(); path.empty() && r != row.respelled.rend(); ++r) path = r->name;
  return "T." + std::string(path.empty() ? row.name : path);
}

std::string say(std::string_view text, text::Dialect release) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const std::size_t end = detail::end_of_name(text, at);
    if (end == text.npos) continue;
    const std::string_view name = text.substr(at + 1, end - at - 2);
    const std::size_t row = KnownRow::index_of(name);
    if (row == std::size(kRowNames)) continue;
    out.append(text.substr(from, at - from)).append(say(*row_of_id(kRowNames[row].id), release));
    from = end;
  }
  return out.append(text.substr(from));
}

}  // namespace tilewright::intrinsics
