// SHA-256, by which cache entries are named and checked.
#pragma once
#include <array>
#include <string>
#include <string_view>

namespace tilewright::toolchain {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes);
std::string hex(std::string_view bytes);
std::string hex(const Digest& digest);

}  // namespace tilewright::toolchain
