// 128-bit digests of what a result was made from. Fast, not cryptographic: who can choose the input can at worst
// confuse their own editor.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tilewright::text {

struct Digest {
  std::uint64_t a = 0x9E3779B97F4A7C15ull, b = 0xC2B2AE3D27D4EB4Full;
  friend bool operator==(const Digest&, const Digest&) = default;

  // Order matters: add(1), add(2) differs from add(2), add(1).
  void add(std::uint64_t word) {
    a = (a ^ word) * 0xFF51AFD7ED558CCDull;
    a ^= a >> 32;
    b = (b + word) * 0xC4CEB9FE1A85EC53ull;
    b ^= b >> 29;
  }
  void add(const Digest& other) {
    add(other.a);
    add(other.b);
  }
  void add(std::string_view text) {
    add(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) {
      std::uint64_t word;
      std::memcpy(&word, text.data(), 8);
      add(word);
    }
    std::uint64_t rest = 0;
    if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
    add(rest);
  }
};

struct DigestHash {
  std::size_t operator()(const Digest& d) const { return d.a ^ (d.b << 1); }
};

}  // namespace tilewright::text
