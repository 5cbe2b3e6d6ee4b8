#include "server/lsp/fix.h"

#include <algorithm>
#include <iterator>

namespace tilewright::lsp {
namespace {

constexpr std::string_view kKinds[] = {"none", "replace", "oneLane", "lineAbove"};  // as Fix::Kind

}  // namespace

protocol::Json fix_json(const text::Fix& fix) {
  if (fix.kind == text::Fix::Kind::None) return nullptr;
  return {{"fix", {{"kind", kKinds[static_cast<int>(fix.kind)]}, {"title", fix.title}, {"text", fix.text}}}};
}

text::Fix fix_of(const protocol::Json& data) {
  const protocol::Json &kind = protocol::at(data, "fix.kind"), &title = protocol::at(data, "fix.title"),
                       &text = protocol::at(data, "fix.text");
  if (!kind.is_string() || !title.is_string() || !text.is_string()) return {};
  const auto* found = std::ranges::find(kKinds, kind.get<std::string>());
  if (found == std::end(kKinds)) return {};
  return {static_cast<text::Fix::Kind>(found - kKinds), title.get<std::string>(), text.get<std::string>()};
}

}  // namespace tilewright::lsp
