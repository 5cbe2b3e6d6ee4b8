#include "server/ide/query.h"

namespace tilewright::ide {

text::Anchors::Place place_of(text::Span span, const text::Anchors& anchors, const session::Snapshot& script) {
  text::Anchors::Place place = anchors.resolve(span);
  // The prelude is no file that could be opened.
  return place.source && (place.source == &script.source() || is_file(place.source->path())) ? place
                                                                                             : text::Anchors::Place();
}

std::optional<Stretch> place_in(text::Span span, const text::Anchors& anchors, const std::string& path) {
  const text::Anchors::Place place = anchors.resolve(span);
  if (!place.source || place.source->path() != path) return std::nullopt;
  return Stretch{place.begin, place.end};
}

}  // namespace tilewright::ide
