// A tool of the Model Context Protocol: what it takes, what it answers, and who makes the answer.
//
// To add a tool, write server/mcp/tools/NAME.cpp with a function that gives its Tool, and its line in tools.h. The
// answer is made on a worker thread, on the snapshot that was current when the call came. It is cut into pages of 4 KB
// (pages.h), so that a tool lists all that it has, in the order in which a reader wants it.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/json.h"
#include "protocol/rpc.h"
#include "server/ide/query.h"
#include "server/mcp/roots.h"

namespace tilewright::mcp {

using text::Json;  // what goes out keeps the order of its members

struct Parameter {
  enum class Kind : std::uint8_t { Text, Number, Flag, Texts };
  std::string_view name;
  Kind kind = Kind::Text;
  std::string_view words;
  bool required = false;
  std::vector<std::string_view> choices{};  // of a text; empty: any
};

// Arguments that fit their parameters.
class Arguments {
 public:
  // The error names the argument and what it may be.
  static std::expected<Arguments, std::string> read(const protocol::Json& json,
                                                    const std::vector<Parameter>& parameters);
  std::string text(std::string_view name) const;  // empty: not given
  std::optional<std::int64_t> number(std::string_view name) const;
  bool flag(std::string_view name) const;  // false: not given
  std::vector<std::string> texts(std::string_view name) const;
  bool has(std::string_view name) const;

 private:
  protocol::Json given_ = protocol::Json::object();
};

// The call that a reader of the answer makes next.
struct Next {
  std::string tool;  // empty: none, `why` says what to do
  Json arguments = Json::object();
  std::string why;
};

struct Item {
  Json json;
  std::string text;
};

struct Answer {
  Json head = Json::object();  // members that each page has
  std::string summary;         // the same in words of ours, a line or two
  std::string list;            // the member that holds the items; empty: there are none
  bool joined = false;         // the items are lines of one text, which is that member
  std::vector<Item> items;
  std::vector<std::string> quotes;  // members that repeat text of scripts, of tools or of documents
  Next next;
};

// A script that a call is about.
struct Subject {
  std::string path;   // as documents are named: absolute, or "example:NAME"
  std::string shown;  // as answers name it
  ide::Query query;
};

struct Question {
  Arguments arguments;
  Subject script;                // its query has no snapshot where the tool takes no script, or none was named
  std::optional<Subject> other;  // the second one of a comparison
  Roots roots;
  const std::stop_token& stop() const { return script.query.stop; }
};

// The error says what is wrong with the question, and the way out.
using Result = std::expected<Answer, std::string>;

struct Tool {
  std::string_view name, title;
  std::string_view words;
  std::vector<Parameter> parameters;
  // Members of its answers beside those of all: {"properties": {...}, "required": [...]} of JSON Schema.
  std::string_view output;
  std::string_view example;  // arguments
  bool waits = false;        // it may take seconds: it has threads of its own
  bool writes = false;       // into files of the workspace
  Result (*answer)(const Question& question);
};

// "path": nearly every tool has one.
Parameter path_parameter();
Parameter entry_parameter();
Parameter arch_parameter();

}  // namespace tilewright::mcp
