// Text inside other text.
#pragma once
#include <string>
#include <string_view>

namespace tilewright::text {

// In double quotes, as Python and C both read it: quotes, backslashes, tabs and line ends are escaped.
void append_quoted(std::string& out, std::string_view text);

// As the path of a URI (RFC 3986): all bytes but letters, digits and -._~/ as %XX.
void append_uri_path(std::string& out, std::string_view path);

}  // namespace tilewright::text
