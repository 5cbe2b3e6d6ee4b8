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
