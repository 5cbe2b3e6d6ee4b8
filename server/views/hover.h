// Hovers as texts.
#pragma once
#include <functional>
#include <string>

#include "server/ide/hover.h"

namespace tilewright::views {

// `uri_of` says what a link leads to.
std::string hover_markdown(const ide::Hover& hover, const std::function<std::string(const ide::ViewName&)>& uri_of);
// With rules drawn by hand, and without links, which could not be followed.
std::string hover_plain(const ide::Hover& hover);

}  // namespace tilewright::views
