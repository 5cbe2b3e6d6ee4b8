#include "server/mcp/tools.h"

#include <algorithm>

namespace tilewright::mcp {

std::span<const Tool> tools() {
#define TILEWRIGHT_MCP_TOOL(NAME) NAME##_tool(),
  static const std::vector<Tool> all{TILEWRIGHT_MCP_TOOLS(TILEWRIGHT_MCP_TOOL)};
#undef TILEWRIGHT_MCP_TOOL
  return all;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : &*found;
}

}  // namespace tilewright::mcp
