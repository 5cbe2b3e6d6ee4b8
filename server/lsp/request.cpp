#include "server/lsp/request.h"

#include "server/ide/scripts.h"

namespace tilewright::lsp {

protocol::Position to_position(const text::Source& source, std::uint32_t offset, text::Encoding encoding) {
  text::LineColumn at = source.position(offset, encoding);
  return {at.line, at.column};
}

std::uint32_t to_offset(const text::Source& source, protocol::Position position, text::Encoding encoding) {
  return source.offset({position.line, position.character}, encoding);
}

protocol::Range Client::range(const text::Source& source, ide::Stretch at) const {
  return {to_position(source, at.begin, encoding), to_position(source, at.end, encoding)};
}

protocol::Location Client::location(const text::Anchors::Place& place) const {
  return {uris->of(place.source->path()), range(*place.source, {place.begin, place.end})};
}

std::string Client::uri(const session::Snapshot& script) const {
  return ide::is_prelude(script) ? "tilewright:/" + script.path() : uris->of(script.path());
}

std::uint32_t Request::offset(protocol::Position p) const { return to_offset(snapshot->source(), p, client->encoding); }

protocol::Position Request::position(std::uint32_t offset) const {
  return to_position(snapshot->source(), offset, client->encoding);
}

std::unexpected<protocol::Error> failed(ide::Failure failure) {
  switch (failure.kind) {
    case ide::Failure::Kind::Cancelled: return cancelled();
    case ide::Failure::Kind::Invalid: return invalid(std::move(failure.reason));
    case ide::Failure::Kind::Refused: break;
  }
  return refused(std::move(failure.reason));
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
