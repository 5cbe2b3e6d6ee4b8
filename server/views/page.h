// A script beside what its kernels become, as one HTML page (frame.h) with all texts and links.
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
