// All tools, a line each, in the order in which clients list them.
#pragma once
#include <span>
#include <string_view>

#include "server/mcp/tool.h"

namespace tilewright::mcp {

// clang-format off
#define TILEWRIGHT_MCP_TOOLS(X) \
  X(check)                     \
  X(fix)                       \
  X(explain)                   \
  X(why_not)                   \
  X(simulate)                  \
  X(run)                       \
  X(watch)                     \
  X(layout)                    \
  X(find_layout)               \
  X(lower)                     \
  X(pipeline)                  \
  X(profile)                   \
  X(compare)                   \
  X(entries)                   \
  X(scripts)                   \
  X(lookup)                    \
  X(docs)
// clang-format on

#define TILEWRIGHT_MCP_TOOL(NAME) Tool NAME##_tool();
TILEWRIGHT_MCP_TOOLS(TILEWRIGHT_MCP_TOOL)
#undef TILEWRIGHT_MCP_TOOL

std::span<const Tool> tools();
const Tool* find_tool(std::string_view name);  // null: there is none

}  // namespace tilewright::mcp
