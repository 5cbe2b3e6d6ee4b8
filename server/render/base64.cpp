#include "server/render/base64.h"

namespace tilewright::render {

std::string base64(std::string_view bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned n = 0;
    for (std::size_t j = 0; j < 3; ++j)
      n = n << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j) out += i + j > bytes.size() ? '=' : kLetters[n >> (18 - 6 * j) & 63];
  }
  return out;
}

}  // namespace tilewright::render
