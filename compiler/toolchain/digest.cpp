#include "compiler/toolchain/digest.h"

// The plain functions of SHA-256: what lies above them in OpenSSL 3 brings providers, configuration files and other
// libraries.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace tilewright::toolchain {

Digest sha256(std::string_view bytes) {
  Digest digest{};
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &state);
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  constexpr std::size_t kBlock = 64;
  std::array<unsigned char, kBlock> inner{}, outer{};
  const Digest shortened = key.size() > kBlock ? sha256(key) : Digest{};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const unsigned char byte = key.size() > kBlock ? (i < shortened.size() ? shortened[i] : 0)
                                                   : (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  Digest digest{};
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, inner.data(), inner.size());
  SHA256_Update(&state, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &state);
  SHA256_Init(&state);
  SHA256_Update(&state, outer.data(), outer.size());
  SHA256_Update(&state, digest.data(), digest.size());
  SHA256_Final(digest.data(), &state);
  return digest;
}

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string hex(const Digest& digest) {
  return hex(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace tilewright::toolchain
