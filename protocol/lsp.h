// The messages of the Language Server Protocol that the server speaks, as plain structs; JSON is read and written here
// and nowhere behind the door. Names and meaning follow the specification 3.17.
//
// Reading throws Json::exception for what does not fit; the door turns that into InvalidParams. Optional members are
// std::optional and left out when empty.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/rpc.h"

namespace tilewright::protocol {

struct Position {
  std::uint32_t line = 0, character = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};
struct Range {
  Position start, end;
  friend auto operator<=>(const Range&, const Range&) = default;
};
struct Location {
  std::string uri;
  Range range;
};
struct LocationLink {
  std::optional<Range> origin;
  std::string uri;
  Range range, selection;
};
struct TextEdit {
  Range range;
  std::string text;
};

enum class DiagnosticSeverity { Error = 1, Warning = 2, Information = 3, Hint = 4 };
struct RelatedInformation {
  Location location;
  std::string message;
};
enum class DiagnosticTag { Unnecessary = 1, Deprecated = 2 };
struct Diagnostic {
  Range range;
  DiagnosticSeverity severity = DiagnosticSeverity::Error;
  std::string code;
  std::string documentation;  // a link; empty: none
  std::string message;
  std::vector<DiagnosticTag> tags;
  std::vector<RelatedInformation> related;
  Json data;  // comes back with a code action's request; null: none
};

struct MarkupContent {
  bool markdown = true;
  std::string value;
};

// ---- parameters -----------------------------------------------------------------------------------------------------
struct DocumentParams {  // every request about one document has at least this
  std::string uri;
};
struct PositionParams : DocumentParams {
  Position position;
};
struct RangeParams : DocumentParams {
  Range range;
};

// Numbers as LSP limits them: what is larger is clamped, negative and fractional ones are refused.
void from_json(const Json& json, Position& position);
void from_json(const Json& json, Range& range);
void from_json(const Json& json, DocumentParams& params);
void from_json(const Json& json, PositionParams& params);
void from_json(const Json& json, RangeParams& params);
void to_json(Json& json, const Position& position);
void to_json(Json& json, const Range& range);
void to_json(Json& json, const Location& location);
void to_json(Json& json, const LocationLink& link);
void to_json(Json& json, const TextEdit& edit);
void to_json(Json& json, const Diagnostic& diagnostic);
void to_json(Json& json, const MarkupContent& markup);

// `json` has the member and it is true. For capabilities: "workspace.configuration".
bool has(const Json& json, std::string_view dotted);
// `json` has the member, and it is a list with this number in it.
bool lists(const Json& json, std::string_view dotted, int number);
// The member, or null.
const Json& at(const Json& json, std::string_view dotted);

}  // namespace tilewright::protocol
