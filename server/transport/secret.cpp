#include "server/transport/secret.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>
#include <stdexcept>

namespace tilewright::transport {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::string_view text) {
  Digest out;
  ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data());
  return out;
}

}  // namespace

std::string make_token() {
  unsigned char bytes[32];
  if (::RAND_bytes(bytes, sizeof bytes) != 1) throw std::runtime_error("this system has no random numbers for a token");
  std::string out;
  for (const unsigned char byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// Of digests: the time would else tell the length.
bool same_secret(std::string_view a, std::string_view b) {
  const Digest of_a = digest_of(a), of_b = digest_of(b);
  return ::CRYPTO_memcmp(of_a.data(), of_b.data(), of_a.size()) == 0;
}

}  // namespace tilewright::transport
