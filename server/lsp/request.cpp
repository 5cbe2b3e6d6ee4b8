#include "server/lsp/request.h"

#include "server/lsp/uri.h"

namespace tilewright::lsp {

protocol::Position to_position(const text::Source& source, std::uint32_t offset, text::Encoding encoding) {
  text::LineColumn at = source.position(offset, encoding);
  return {at.line, at.column};
}

protocol::Range to_range(const text::Source& source, std::uint32_t begin, std::uint32_t end, text::Encoding encoding) {
  return {to_position(source, begin, encoding), to_position(source, end, encoding)};
}

std::uint32_t to_offset(const text::Source& source, protocol::Position position, text::Encoding encoding) {
  return source.offset({position.line, position.character}, encoding);
}

std::uint32_t Request::offset(protocol::Position p) const { return to_offset(snapshot->source(), p, client->encoding); }

protocol::Position Request::position(std::uint32_t offset) const {
  return to_position(snapshot->source(), offset, client->encoding);
}

protocol::Range Request::range(std::uint32_t begin, std::uint32_t end) const {
  return to_range(snapshot->source(), begin, end, client->encoding);
}

std::optional<protocol::Location> Request::location(text::Span span, const text::Anchors& anchors) const {
  text::Anchors::Place place = anchors.resolve(span);
  if (!place.source || !is_file(place.source->path())) {
    if (!place.source || !snapshot || place.source != &snapshot->source()) return std::nullopt;
  }
  return protocol::Location{client->uris->of(place.source->path()),
                            to_range(*place.source, place.begin, place.end, client->encoding)};
}

std::vector<std::string> Registry::commands() const {
  std::vector<std::string> out;
  for (const auto& [method, handler] : handlers_) {
    if (method.starts_with("tilewright/")) out.push_back("tilewright." + method.substr(11));
  }
  return out;
}

Json Registry::capabilities(const Client& client) const {
  Json out = Json::object();
  for (auto& [name, value] : offers_) {
    Json v = value(client);
    if (v.is_null()) continue;
    // Several features may add to one object, such as `workspace`.
    if (out.contains(name) && out[name].is_object() && v.is_object()) {
      out[name].update(v, true);
    } else {
      out[name] = std::move(v);
    }
  }
  return out;
}

}  // namespace tilewright::lsp
