#include "server/work/build_finding.h"

namespace tilewright::work {
namespace {

BuildPlace place_of(text::Span span, const text::Anchors& anchors, const std::string& otherwise) {
  const text::Anchors::Place place = anchors.resolve(span);
  if (!place.source) return {otherwise, {}, {}};
  return {place.source->path(), place.source->position(place.begin, text::Encoding::Utf16),
          place.source->position(place.end, text::Encoding::Utf16)};
}

}  // namespace

BuildFinding build_finding(const session::Finding& found, const std::string& path) {
  const text::Diagnostic& d = *found.diagnostic;
  BuildFinding out{place_of(d.span, *found.anchors, path), d.severity, std::string(d.code), d.message, d.hint, {}};
  for (const text::Related& r : d.related) out.related.push_back({place_of(r.span, *found.anchors, path), r.message});
  for (text::Span site : d.chain) out.related.push_back({place_of(site, *found.anchors, path), "called from here"});
  return out;
}

}  // namespace tilewright::work
