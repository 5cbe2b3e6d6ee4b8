// The URLs of HTTP servers, read strictly: what two readers could take for two things is refused.
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tilewright::transport {

struct Url {
  bool tls = false;         // https
  std::string host;         // lower case; of an IPv6 address without brackets
  std::uint16_t port = 80;  // 443 with TLS, if the text names none
  std::string path;         // "" or "/a/b": no slash at its end, no segment empty, "." or ".."

  // The host as "Host:" and a message say it: with brackets where it has colons, with the port where it is not usual.
  std::string authority() const;
  // An address of this machine by its number, or the name localhost.
  bool is_loopback() const;
};

// Reads http://HOST[:PORT][/PATH] or https://…. The error says what is wrong: another scheme, a user or a password, a
// host that is neither a name nor an address, a port outside 1..65535, a query or a fragment, a backslash, blanks, an
// encoded slash, backslash, dot or zero byte, an empty segment, "." or "..".
std::expected<Url, std::string> read_url(std::string_view text);

}  // namespace tilewright::transport
