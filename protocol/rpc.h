// JSON-RPC 2.0 as the Language Server Protocol uses it: one object a message, no batches.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "compiler/text/json.h"

namespace tilewright::protocol {

using Json = text::MessageJson;

enum class ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestFailed = -32803,
  ServerCancelled = -32802,
  ContentModified = -32801,
  RequestCancelled = -32800,
};

struct Error {
  ErrorCode code = ErrorCode::InternalError;
  std::string message;
  Json data;  // null: none
};

// Null where a message could not be read far enough to know.
using Id = std::variant<std::nullptr_t, std::int64_t, std::string>;
Json id_json(const Id& id);
Id id_to_cancel(const Json& params);  // that `$/cancelRequest` names; throws Json::exception where it names none
std::string id_key(const Id& id);     // different for 1 and "1"

struct Message {
  enum class Kind { Request, Notification, Response, Invalid };
  Kind kind = Kind::Invalid;
  Id id;
  std::string method;
  Json params;  // object, array or null
  Json result;  // of a response
  Error error;  // of a response that has one (then `failed`), or what is wrong with an invalid message
  bool failed = false;
  std::string payload;  // raw bytes that came behind it
};

// As it goes over the wire. Text of a script may hold any bytes; what goes out is UTF-8.
std::string json_text(const Json& json);

// Never throws: what cannot be read is Invalid, with the error that the sender gets. `most_values`: that the message
// may hold, each member and each element counted. A value takes up to a hundred times the bytes of its text.
Message parse_message(std::string_view body, std::size_t most_values = SIZE_MAX);

std::string request_text(const Id& id, std::string_view method, const Json& params);
std::string notification_text(std::string_view method, const Json& params);
std::string result_text(const Id& id, const Json& result);
std::string error_text(const Id& id, const Error& error);

}  // namespace tilewright::protocol
