#include "protocol/lsp.h"

#include <algorithm>
#include <limits>

namespace tilewright::protocol {
namespace {

std::uint32_t number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0)) {
    throw Json::type_error::create(302, std::string(key) + " must be a number that is not negative", &value);
  }
  auto n = value.get<std::uint64_t>();
  return n > std::numeric_limits<std::int32_t>::max() ? std::numeric_limits<std::int32_t>::max()
                                                      : static_cast<std::uint32_t>(n);
}

}  // namespace

void from_json(const Json& json, Position& position) { position = {number(json, "line"), number(json, "character")}; }

void from_json(const Json& json, Range& range) {
  range = {json.at("start").get<Position>(), json.at("end").get<Position>()};
}

void from_json(const Json& json, DocumentParams& params) {
  params.uri = json.at("textDocument").at("uri").get<std::string>();
}

void from_json(const Json& json, PositionParams& params) {
  from_json(json, static_cast<DocumentParams&>(params));
  params.position = json.at("position").get<Position>();
}

void from_json(const Json& json, RangeParams& params) {
  from_json(json, static_cast<DocumentParams&>(params));
  params.range = json.at("range").get<Range>();
}

void to_json(Json& json, const Position& p) { json = {{"line", p.line}, {"character", p.character}}; }
void to_json(Json& json, const Range& r) { json = {{"start", r.start}, {"end", r.end}}; }
void to_json(Json& json, const Location& l) { json = {{"uri", l.uri}, {"range", l.range}}; }

void to_json(Json& json, const LocationLink& l) {
  json = {{"targetUri", l.uri}, {"targetRange", l.range}, {"targetSelectionRange", l.selection}};
  if (l.origin) json["originSelectionRange"] = *l.origin;
}

void to_json(Json& json, const TextEdit& e) { json = {{"range", e.range}, {"newText", e.text}}; }

void to_json(Json& json, const Diagnostic& d) {
  json = {
      {"range", d.range}, {"severity", static_cast<int>(d.severity)}, {"source", "tilewright"}, {"message", d.message}};
  if (!d.code.empty()) json["code"] = d.code;
  if (!d.documentation.empty()) json["codeDescription"] = {{"href", d.documentation}};
  if (!d.tags.empty()) {
    Json& tags = json["tags"] = Json::array();
    for (DiagnosticTag tag : d.tags) tags.push_back(static_cast<int>(tag));
  }
  if (!d.related.empty()) {
    Json& related = json["relatedInformation"] = Json::array();
    for (const RelatedInformation& r : d.related) related.push_back({{"location", r.location}, {"message", r.message}});
  }
  if (!d.data.is_null()) json["data"] = d.data;
}

void to_json(Json& json, const MarkupContent& m) {
  json = {{"kind", m.markdown ? "markdown" : "plaintext"}, {"value", m.value}};
}

const Json& at(const Json& json, std::string_view dotted) {
  static const Json kNull;
  const Json* here = &json;
  while (!dotted.empty()) {
    std::size_t dot = dotted.find('.');
    if (!here->is_object()) return kNull;
    auto it = here->find(std::string(dotted.substr(0, dot)));
    if (it == here->end()) return kNull;
    here = &*it;
    dotted = dot == std::string_view::npos ? "" : dotted.substr(dot + 1);
  }
  return *here;
}

bool has(const Json& json, std::string_view dotted) {
  const Json& value = at(json, dotted);
  return value.is_boolean() && value.get<bool>();
}

bool lists(const Json& json, std::string_view dotted, int number) {
  const Json& value = at(json, dotted);
  return value.is_array() && std::ranges::find(value, Json(number)) != value.end();
}

}  // namespace tilewright::protocol
