// Bytes as text, padded (RFC 4648, section 4).
#pragma once
#include <string>
#include <string_view>

namespace tilewright::render {

std::string base64(std::string_view bytes);

}  // namespace tilewright::render
