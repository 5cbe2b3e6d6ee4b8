#include "server/lsp/changes.h"

#include <algorithm>
#include <optional>
#include <string>

#include "protocol/lsp.h"

namespace tilewright::lsp {

Changed changed(std::shared_ptr<const text::Source> source, const protocol::Json& changes, text::Encoding encoding) {
  std::optional<text::Edit> all;  // nothing: no change so far
  for (const protocol::Json& change : changes) {
    const auto& by = change.at("text").get_ref<const std::string&>();
    auto range = change.find("range");
    text::Edit edit;
    std::shared_ptr<const text::Source> next;
    if (range == change.end()) {
      edit = text::difference(source->text(), by);
      next = std::make_shared<text::Source>(source->path(), by);
    } else {
      // Lines and columns of the text as it is now.
      const auto places = range->get<protocol::Range>();
      auto offset = [&](protocol::Position p) { return source->offset({p.line, p.character}, encoding); };
      edit.begin = offset(places.start);
      edit.old_end = std::max(edit.begin, offset(places.end));
      edit.new_end = edit.begin + static_cast<std::uint32_t>(by.size());
      next = std::make_shared<text::Source>(*source, edit.begin, edit.old_end, by);
    }
    all = all ? text::together(*all, edit) : edit;
    source = std::move(next);
  }
  return {std::move(source), all.value_or(text::Edit())};
}

}  // namespace tilewright::lsp
