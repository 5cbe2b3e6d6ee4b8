// SHA-256, by which cache entries are named and checked.
#pragma once
#include <array>
#include <string>
#include <string_view>

namespace tilewright::toolchain {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes);
// HMAC (RFC 2104) with SHA-256: only who knows the key can make it.
Digest hmac_sha256(std::string_view key, std::string_view bytes);
std::string hex(std::string_view bytes);
std::string hex(const Digest& digest);

}  // namespace tilewright::toolchain
