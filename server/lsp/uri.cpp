#include "server/lsp/uri.h"

#include <cctype>

namespace tilewright::lsp {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string path_of(std::string_view uri) {
  if (!uri.starts_with("file://")) return std::string(uri);
  std::string_view rest = uri.substr(7);
  std::size_t slash = rest.find('/');  // an authority, usually empty or localhost
  rest = slash == std::string_view::npos ? "" : rest.substr(slash);
  std::string out;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '%' && i + 2 < rest.size() && hex(rest[i + 1]) >= 0 && hex(rest[i + 2]) >= 0) {
      out += static_cast<char>(hex(rest[i + 1]) * 16 + hex(rest[i + 2]));
      i += 2;
    } else {
      out += rest[i];
    }
  }
  return out;
}

bool is_file(std::string_view path_or_uri) { return path_or_uri.starts_with('/'); }

std::string uri_of(std::string_view path) {
  if (!is_file(path)) return std::string(path);
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "file://";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte)) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

}  // namespace tilewright::lsp
