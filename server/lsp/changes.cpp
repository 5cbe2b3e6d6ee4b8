#include "server/lsp/changes.h"

#include <algorithm>
#include <optional>

#include "protocol/lsp.h"

namespace tilewright::lsp {

using protocol::Json;

std::string changed_text(std::shared_ptr<const text::Source> source, const Json& changes, text::Encoding encoding) {
  std::optional<std::string> text;  // after the changes so far; nothing: as it was
  for (const Json& change : changes) {
    std::string by = change.at("text").get<std::string>();
    auto range = change.find("range");
    if (range == change.end()) {
      text = std::move(by);
      continue;
    }
    // Lines and columns of the text as it is now; for the usual single change they are known already.
    if (text) source = std::make_shared<text::Source>(source->path(), std::move(*text));
    const auto places = range->get<protocol::Range>();
    auto offset = [&](protocol::Position p) { return source->offset({p.line, p.character}, encoding); };
    const std::uint32_t begin = offset(places.start), end = std::max(begin, offset(places.end));
    text = std::string(source->text());
    text->replace(begin, end - begin, by);
  }
  return text ? std::move(*text) : std::string(source->text());
}

}  // namespace tilewright::lsp
