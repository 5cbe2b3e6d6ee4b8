// A script of a call as the answers of server/work take it, and lines of text as items.
#pragma once
#include <string>
#include <string_view>

#include "server/mcp/tool.h"
#include "server/project/load.h"

namespace tilewright::mcp {

// With its settings and a loader of its own: it is compiled by one thread at a time. The error: its settings are wrong.
std::expected<project::LoadedFile, std::string> loaded(const Subject& subject);

// The lines of a text as the answer's items, joined in the member `list`.
void add_lines(Answer& answer, std::string_view list, std::string_view text);

// "12", "12:20": lines of a script from 1, both included. The error says what it should be.
struct LineRange {
  std::uint32_t first = 0, last = 0;
};
std::expected<LineRange, std::string> read_lines(const std::string& words);
// The bytes of these lines.
ide::Stretch bytes_of(const text::Source& source, LineRange lines);

}  // namespace tilewright::mcp
