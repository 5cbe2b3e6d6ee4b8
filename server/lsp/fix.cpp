#include "server/lsp/fix.h"

#include <algorithm>
#include <iterator>

#include "compiler/text/words.h"

namespace tilewright::lsp {
namespace {

constexpr auto kKinds = text::words_of<text::Fix::Kind>({"none", "replace", "oneLane", "lineAbove"});

}  // namespace

protocol::Json fix_json(const text::Fix& fix) {
  if (fix.kind == text::Fix::Kind::None) return nullptr;
  return {{"fix", {{"kind", kKinds[fix.kind]}, {"title", fix.title}, {"text", fix.text}}}};
}

text::Fix fix_of(const protocol::Json& data) {
  const protocol::Json &kind = protocol::at(data, "fix.kind"), &title = protocol::at(data, "fix.title"),
                       &text = protocol::at(data, "fix.text");
  if (!kind.is_string() || !title.is_string() || !text.is_string()) return {};
  const auto found = kKinds.find(kind.get<std::string>());
  if (!found) return {};
  return {*found, title.get<std::string>(), text.get<std::string>()};
}

}  // namespace tilewright::lsp
