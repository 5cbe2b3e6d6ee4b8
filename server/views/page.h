// A script beside what its kernels become, as one HTML page that needs nothing else: no network, no server, no files.
//
// The page is three files of server/views/page/ (its frame, its style, its script) and one JSON object with all texts
// and links, in which no byte can end the element that holds it. The page's policy names the digests of its own style
// and script: whatever a script under review holds, nothing of it is executed.
#pragma once
#include <string>

#include "server/ide/page.h"
#include "server/render/json.h"

namespace tilewright::views {

// What the page shows, as it stands in it.
render::Json page_json(const ide::Page& page);
std::string html_page(const ide::Page& page);
// What `tilewright view --json` says of a page that it wrote to `html` (protocol/schema/view.json).
render::Json page_contents_json(const ide::Page& page, const std::string& html, std::size_t bytes);

}  // namespace tilewright::views
