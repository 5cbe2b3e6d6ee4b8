// Documents that clients read: the manual, the rules of the language, and what each diagnostic means.
#pragma once
#include <optional>
#include <string_view>

#include "compiler/text/json.h"

namespace tilewright::mcp {

// Of resources/list, resources/templates/list and resources/read. None: there is no such resource.
text::Json resources_json();
text::Json resource_templates_json();
std::optional<text::Json> resource_json(std::string_view uri);

}  // namespace tilewright::mcp
