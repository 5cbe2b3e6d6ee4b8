#include "protocol/rpc.h"

#include <charconv>
#include <limits>

#include "protocol/long_texts.h"

namespace tilewright::protocol {
namespace {

Message invalid(ErrorCode code, std::string why, Id id = nullptr) {
  Message m;
  m.id = std::move(id);
  m.error = {code, std::move(why), nullptr};
  return m;
}

// Copying and printing a JSON value take a stack frame a level; no message of the protocol is near this.
constexpr int kMostNested = 512;

// Depth and number of the values of a text that may be no JSON at all: then the parser finds out.
struct Extent {
  bool too_deep = false;
  std::size_t values = 1;
};
Extent extent_of(std::string_view body) {
  Extent out;
  int depth = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    char c = body[i];
    if (c == '"') {
      i = end_of_text(body, i);
    } else if (c == '[' || c == '{') {
      ++out.values;
      if (++depth > kMostNested) out.too_deep = true;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',') {
      ++out.values;
    }
  }
  return out;
}

bool read_id(const Json& json, Id* id) {
  if (json.is_string()) {
    *id = json.get<std::string>();
    return true;
  }
  // One that does not fit would come back as another number.
  const auto number = json.is_number_integer() ? text::integer<std::int64_t>(json) : std::nullopt;
  if (number) *id = *number;
  return number.has_value();
}

}  // namespace

namespace {

std::string library_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The same text as the library's.
void append(std::string& out, const Json& json) {
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (!append_quoted(out, text)) out += library_text(json);
  } else if (json.is_object()) {
    char before = '{';
    for (auto it = json.begin(); it != json.end(); ++it) {
      out += before;
      if (!append_quoted(out, it.key())) out += library_text(it.key());
      out += ':';
      append(out, *it);
      before = ',';
    }
    out += before == '{' ? "{}" : "}";
  } else if (json.is_array()) {
    char before = '[';
    for (const Json& value : json) {
      out += before;
      append(out, value);
      before = ',';
    }
    out += before == '[' ? "[]" : "]";
  } else if (json.is_number_integer()) {
    char digits[24];
    const auto end = json.is_number_unsigned()
                         ? std::to_chars(digits, digits + sizeof digits, json.get_ref<const std::uint64_t&>())
                         : std::to_chars(digits, digits + sizeof digits, json.get_ref<const std::int64_t&>());
    out.append(digits, end.ptr);
  } else {
    out += library_text(json);
  }
}

}  // namespace

std::string json_text(const Json& json) {
  std::string out;
  append(out, json);
  return out;
}

Id id_to_cancel(const Json& params) {
  Id id;
  const Json& named = params.at("id");
  if (!read_id(named, &id))
    throw Json::type_error::create(302, "id must be a string or an integer: " + named.dump(), &named);
  return id;
}

Json id_json(const Id& id) {
  if (const auto* n = std::get_if<std::int64_t>(&id)) return *n;
  if (const auto* s = std::get_if<std::string>(&id)) return *s;
  return nullptr;
}

std::string id_key(const Id& id) {
  if (const auto* s = std::get_if<std::string>(&id)) return "\"" + *s;
  if (const auto* n = std::get_if<std::int64_t>(&id)) return std::to_string(*n);
  return "";
}

Message parse_message(std::string_view body, std::size_t most_values) {
  const Extent extent = extent_of(body);
  if (extent.values > most_values) {
    return invalid(ErrorCode::InvalidRequest, "the message holds more than " + std::to_string(most_values) + " values");
  }
  if (extent.too_deep) {
    return invalid(ErrorCode::InvalidRequest,
                   "the message is nested more than " + std::to_string(kMostNested) + " levels deep");
  }
  std::vector<std::string> texts;
  const std::string shorter = without_long_texts(body, texts);
  Json json = Json::parse(texts.empty() ? body : std::string_view(shorter), nullptr, false);
  if (!texts.empty() && !json.is_discarded()) put_back(json, texts);
  if (json.is_discarded()) return invalid(ErrorCode::ParseError, "the message is not JSON in UTF-8");
  if (!json.is_object()) {
    return invalid(ErrorCode::InvalidRequest,
                   json.is_array() ? "batches are not part of the protocol" : "a message is a JSON object");
  }
  Message m;
  auto id = json.find("id");
  bool has_id = id != json.end() && read_id(*id, &m.id);
  if (id != json.end() && !has_id && !id->is_null()) {
    return invalid(ErrorCode::InvalidRequest, "an id is an integer or a string");
  }
  auto version = json.find("jsonrpc");
  if (version == json.end() || *version != "2.0") {
    return invalid(ErrorCode::InvalidRequest, "jsonrpc must be \"2.0\"", m.id);
  }
  if (auto method = json.find("method"); method != json.end()) {
    if (!method->is_string()) return invalid(ErrorCode::InvalidRequest, "a method is a string", m.id);
    m.method = method->get<std::string>();
    if (auto params = json.find("params"); params != json.end()) {
      if (!params->is_structured() && !params->is_null()) {
        return invalid(ErrorCode::InvalidRequest, "params are an object or an array", m.id);
      }
      m.params = std::move(*params);
    }
    if (id != json.end() && !has_id) return invalid(ErrorCode::InvalidRequest, "the id of a request is not null");
    m.kind = has_id ? Message::Kind::Request : Message::Kind::Notification;
    return m;
  }
  auto result = json.find("result"), error = json.find("error");
  if (result == json.end() && error == json.end()) {
    return invalid(ErrorCode::InvalidRequest, "a message has a method, a result or an error", m.id);
  }
  m.kind = Message::Kind::Response;
  if (result != json.end()) m.result = std::move(*result);
  if (error != json.end() && error->is_object()) {
    m.failed = true;
    if (auto message = error->find("message"); message != error->end() && message->is_string()) {
      m.error.message = message->get<std::string>();
    }
    if (auto code = error->find("code"); code != error->end())
      if (auto number = text::integer<int>(*code)) m.error.code = static_cast<ErrorCode>(*number);
  }
  return m;
}

// Members in the order of their names, as JSON objects print them. What a message carries may be large: it is printed
// where it is, not copied into an object first.
std::string request_text(const Id& id, std::string_view method, const Json& params) {
  return "{\"id\":" + json_text(id_json(id)) + ",\"jsonrpc\":\"2.0\",\"method\":" + json_text(method) +
         ",\"params\":" + json_text(params) + "}";
}

std::string notification_text(std::string_view method, const Json& params) {
  std::string out = "{\"jsonrpc\":\"2.0\",\"method\":" + json_text(method);
  if (!params.is_null()) out += ",\"params\":" + json_text(params);
  return out + "}";
}

std::string result_text(const Id& id, const Json& result) {
  return "{\"id\":" + json_text(id_json(id)) + ",\"jsonrpc\":\"2.0\",\"result\":" + json_text(result) + "}";
}

std::string error_text(const Id& id, const Error& error) {
  Json e{{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) e["data"] = error.data;
  return json_text({{"jsonrpc", "2.0"}, {"id", id_json(id)}, {"error", e}});
}

}  // namespace tilewright::protocol
