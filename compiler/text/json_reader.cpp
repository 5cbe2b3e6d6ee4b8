#include "compiler/text/json_reader.h"

namespace tilewright::text {
namespace {

const Json kNone;

// The library's words for a number of its errors. It makes an exception for them, which is not thrown.
template <class Error>
std::string words(int id, const std::string& what) {
  return Error::create(id, what, nullptr).what();
}

// Builds the value as the library does, and keeps its words for what is wrong instead of throwing them.
class Parser : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  explicit Parser(Json& to) : json_sax_dom_parser(to, false) {}
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    why = error.what();
    return false;
  }
  std::string why;
};

}  // namespace

Json JsonReader::parse(std::string_view text) {
  Json out;
  Parser parser(out);
  if (ok() && !Json::sax_parse(text, &parser)) refuse(parser.why);
  return ok() ? out : Json();
}

const Json& JsonReader::at(const Json& json, std::string_view key) {
  if (!ok()) return kNone;
  if (!json.is_object()) {
    refuse(words<Json::type_error>(304, std::string("cannot use at() with ") + json.type_name()));
    return kNone;
  }
  const auto found = json.find(key);
  if (found != json.end()) return *found;
  refuse(words<Json::out_of_range>(403, "key '" + std::string(key) + "' not found"));
  return kNone;
}

const Json& JsonReader::at(const Json& json, std::size_t index) {
  if (!ok()) return kNone;
  if (!json.is_array()) {
    refuse(words<Json::type_error>(304, std::string("cannot use at() with ") + json.type_name()));
    return kNone;
  }
  if (index < json.size()) return json[index];
  refuse(words<Json::out_of_range>(401, "array index " + std::to_string(index) + " is out of range"));
  return kNone;
}

void JsonReader::count(std::string_view name, const Json& list, std::size_t most) {
  if (list.size() > most)
    refuse("there are " + std::to_string(list.size()) + " " + std::string(name) + "; at most " + std::to_string(most) +
           " are allowed");
}

void JsonReader::read(const Json& json, bool& to) {
  if (json.is_boolean())
    to = json.get_ref<const bool&>();
  else
    refuse_type(json, "boolean");
}

void JsonReader::read(const Json& json, double& to) {
  if (json.is_number_float())
    to = json.get_ref<const double&>();
  else if (json.is_number_unsigned())
    to = static_cast<double>(json.get_ref<const std::uint64_t&>());
  else if (json.is_number_integer())
    to = static_cast<double>(json.get_ref<const std::int64_t&>());
  else
    refuse_type(json, "number");
}

void JsonReader::read(const Json& json, std::string& to) {
  if (json.is_string())
    to = json.get_ref<const std::string&>();
  else
    refuse_type(json, "string");
}

const Json* JsonReader::member_or(const Json& json, std::string_view key) {
  if (!ok()) return &kNone;
  if (!json.is_object()) {
    refuse(words<Json::type_error>(306, std::string("cannot use value() with ") + json.type_name()));
    return &kNone;
  }
  const auto found = json.find(key);
  return found != json.end() ? &*found : nullptr;
}

void JsonReader::refuse_type(const Json& json, std::string_view wanted) {
  refuse(words<Json::type_error>(302, "type must be " + std::string(wanted) + ", but is " + json.type_name()));
}

void JsonReader::refuse_integer(const Json& json) {
  refuse(words<Json::out_of_range>(406, json.dump() + " is not an integer that fits here"));
}

void JsonReader::refuse_bounds(std::string_view name, const Json& value, const Json& least, const Json& most) {
  refuse(std::string(name) + " is " + value.dump() + "; it lies between " + least.dump() + " and " + most.dump());
}

}  // namespace tilewright::text
