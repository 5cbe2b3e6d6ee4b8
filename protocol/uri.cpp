#include "protocol/uri.h"

#include <cctype>

#include "compiler/text/escape.h"

namespace tilewright::protocol {
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

std::string uri_of(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  std::string out = "file://";
  text::append_uri_path(out, path);
  return out;
}

}  // namespace tilewright::protocol
