#include "server/ide/selection.h"

#include <cctype>

#include "compiler/syntax/path.h"

namespace tilewright::ide {
namespace {

// Answers nest as deep as the code does, and their readers have limits.
constexpr std::size_t kDeepest = 256;

}  // namespace

std::vector<Stretch> selections(const session::Snapshot& script, std::uint32_t offset) {
  const text::Source& source = script.source();
  std::vector<Stretch> out{{0, source.size()}};
  auto narrow = [&](std::uint32_t begin, std::uint32_t end) {
    Stretch last = out.back();
    if (begin >= last.begin && end <= last.end && (begin > last.begin || end < last.end)) out.push_back({begin, end});
  };
  syntax::Path path = syntax::path_at(*script.tree(), offset);
  for (const syntax::Node* n : path.nodes) narrow(path.begin(n), path.end(n));
  // The word itself, where it is a part of a node: the name of a function, of an attribute.
  auto letter = [&](std::uint32_t i) {
    auto c = static_cast<unsigned char>(source.text()[i]);
    return c >= 0x80 || std::isalnum(c) || c == '_';
  };
  std::uint32_t begin = offset, end = offset;
  while (begin > 0 && letter(begin - 1)) --begin;
  while (end < source.size() && letter(end)) ++end;
  if (begin < end) narrow(begin, end);
  if (out.size() > kDeepest) out.erase(out.begin() + 1, out.end() - static_cast<std::ptrdiff_t>(kDeepest - 1));
  return out;
}

}  // namespace tilewright::ide
