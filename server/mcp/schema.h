// Tools as tools/list describes them: JSON Schema of what they take and answer.
#pragma once
#include <vector>

#include "server/mcp/tool.h"

namespace tilewright::mcp {

// Those of the tool, and `cursor`.
std::vector<Parameter> parameters_of(const Tool& tool);
// `structured`: with the schemas of answers.
Json tools_json(bool structured);

}  // namespace tilewright::mcp
