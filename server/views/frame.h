// HTML pages that need nothing else: no network, no server, no files. A page is files of server/views/page/ (the frame
// of all, its body, its style, its script) and one JSON object, in which no byte can end the element that holds it. The
// page's policy names the digests of its own style and script: whatever a script under review holds, nothing of it is
// executed.
#pragma once
#include <string>
#include <string_view>

#include "server/render/json.h"

namespace tilewright::views {

std::string_view page_source(std::string_view file);  // the files of server/views/page/

// `body` is HTML of ours, from <body> on, and may have @TITLE@; `path` is the script's, whose name is the title.
std::string framed_page(std::string_view body, const std::string& path, const std::string& style,
                        const std::string& script, const render::Json& data);

}  // namespace tilewright::views
