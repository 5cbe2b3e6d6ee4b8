// Secrets that both sides of a connection know.
#pragma once
#include <string>
#include <string_view>

namespace tilewright::transport {

// 32 random bytes, in hexadecimal digits.
std::string make_token();
// Constant-time comparison, whatever the lengths.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace tilewright::transport
