#include "server/transport/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace tilewright::transport {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_address(int family, const std::string& host) {
  unsigned char bytes[16];
  return ::inet_pton(family, host.c_str(), bytes) == 1;
}

// A name's letters, or four numbers. What begins with a digit in its last label is a number to some readers (0x7f.1,
// 2130706433), so that it has to be a whole IPv4 address.
std::string wrong_with_host(const std::string& host) {
  if (host.empty()) return "it names no host";
  if (host.size() > 253 ||
      !std::ranges::all_of(host, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-'; }))
    return "'" + host + "' is no host name";
  if (host.front() == '.' || host.front() == '-' || host.contains("..")) return "'" + host + "' is no host name";
  const std::string last = host.substr(host.rfind('.') + 1);
  const bool number = last.empty() || (last[0] >= '0' && last[0] <= '9');
  if (number && !is_address(AF_INET, host)) return "'" + host + "' is neither a name nor an address";
  return {};
}

std::string wrong_with_path(std::string_view path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (c == '%') {
      const int high = i + 2 < path.size() ? hex_digit(path[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(path[i + 2]);
      if (low < 0) return "'%' is not followed by two hexadecimal digits";
      const int code = high * 16 + low;
      if (code <= ' ' || code == 0x7F || code == '/' || code == '\\' || code == '.' || code == '%')
        return "its path encodes '" + std::string(path.substr(i, 3)) + "'; write the path plainly";
      i += 2;
    } else if (!is_letter_or_digit(c) && !std::string_view("-._~!$&'()*+,;=:@/").contains(c)) {
      return "its path has a character that no path has";
    }
  }
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string_view segment = path.substr(at + 1, end - at - 1);
    if (segment.empty() || segment == "." || segment == "..") return "its path has an empty segment, '.' or '..'";
    at = end;
  }
  return {};
}

}  // namespace

std::string Url::authority() const {
  const std::string name = host.contains(':') ? "[" + host + "]" : host;
  return port == (tls ? 443 : 80) ? name : name + ":" + std::to_string(port);
}

bool Url::is_loopback() const {
  if (host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") && is_address(AF_INET, host);
}

std::expected<Url, std::string> read_url(std::string_view text) {
  auto wrong = [&](const std::string& why) {
    std::string shown(text.substr(0, 200));
    std::ranges::replace_if(shown, [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
    return std::unexpected("'" + shown + "' is no address of the form https://HOST[:PORT]/PATH: " + why);
  };
  Url out;
  const auto lower = [](std::string_view from) {
    std::string made(from);
    for (char& c : made) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return made;
  };
  const std::string scheme = lower(text.substr(0, std::min(text.find("://"), text.size())));
  if (scheme != "http" && scheme != "https") return wrong("it begins with neither http:// nor https://");
  out.tls = scheme == "https";
  std::string_view rest = text.substr(scheme.size() + 3);
  const std::size_t slash = std::min(rest.find_first_of("/?#\\"), rest.size());
  std::string_view place = rest.substr(0, slash), path = rest.substr(slash);
  if (place.contains('@')) return wrong("it names a user; a token comes from a file");
  if (path.find_first_of("?#\\") != std::string_view::npos) return wrong("it has a query, a fragment or a backslash");
  std::string_view port;
  bool has_port = false;
  if (place.starts_with('[')) {
    const std::size_t end = place.find(']');
    if (end == std::string_view::npos) return wrong("'[' has no ']'");
    out.host = lower(place.substr(1, end - 1));
    if (!is_address(AF_INET6, out.host)) return wrong("'" + out.host + "' is no IPv6 address");
    place.remove_prefix(end + 1);
    if (!place.empty() && place[0] != ':') return wrong("only a port may follow ']'");
    has_port = !place.empty();
    if (has_port) port = place.substr(1);
  } else {
    const std::size_t colon = place.find(':');
    has_port = colon != std::string_view::npos;
    out.host = lower(place.substr(0, colon));
    if (has_port) port = place.substr(colon + 1);
    if (std::string why = wrong_with_host(out.host); !why.empty()) return wrong(why);
  }
  out.port = out.tls ? 443 : 80;
  if (has_port) {
    const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (port.empty() || ec != std::errc() || end != port.data() + port.size() || out.port == 0)
      return wrong("a port is a number from 1 to 65535");
  }
  while (path.ends_with('/') && !path.ends_with("//")) path.remove_suffix(1);
  if (std::string why = wrong_with_path(path); !why.empty()) return wrong(why);
  out.path = path;
  return out;
}

}  // namespace tilewright::transport
