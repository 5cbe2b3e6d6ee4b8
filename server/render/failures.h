// What could not be looked at: the `failures` of the command line's answers.
#pragma once
#include <string>
#include <string_view>

#include "server/render/json.h"

namespace tilewright::render {

// {file, message}.
Json failure_json(std::string_view file, std::string_view message);

}  // namespace tilewright::render
