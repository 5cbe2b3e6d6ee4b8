#include "server/remote/listening.h"

#include <cstdlib>

#include "server/remote/secret.h"
#include "server/transport/secret.h"

namespace tilewright::remote {
namespace {

bool is_socket_file(const std::string& address) { return address.starts_with("unix:"); }

bool leads_to_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  return address.find(':') == address.npos || host == "localhost" || host == "[::1]" || host.starts_with("127.") ||
         host.empty() || is_socket_file(address);
}

}  // namespace

std::expected<std::string, run::Failure> socket_address(const std::string& address, const std::string& name) {
  if (address != "unix:") return address;
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  if (!folder || folder[0] != '/')
    return std::unexpected(run::Failure{"unix: without a path means a socket in $XDG_RUNTIME_DIR, which is not set",
                                        "name the socket in a folder of yours: unix:PATH"});
  return address + folder + "/tilewright-" + name + ".sock";
}

std::expected<Listening, run::Failure> listening(const ListenWords& words, const std::string& name,
                                                 endpoint::Login login) {
  Listening out;
  auto address = socket_address(words.address, name);
  if (!address) return std::unexpected(address.error());
  out.address = std::move(*address);
  if (words.cert.empty() && (!words.key.empty() || !words.ca.empty()))
    return std::unexpected(run::Failure{"--tls-key and --tls-ca belong to a certificate", "add --tls-cert FILE"});
  if (!words.token_file.empty()) {
    auto token = read_token(words.token_file);
    if (!token) return std::unexpected(token.error());
    login.token = std::move(*token);
  }
  if (!words.cert.empty()) out.how.tls = transport::Tls{words.cert, words.key, words.ca, {}};
  out.how.everywhere = out.how.tls && (!words.ca.empty() || !login.token.empty());
  if (out.address.empty()) return out;
  if (!out.how.everywhere && !leads_to_loopback(out.address))
    return std::unexpected(
        run::Failure{"beyond the loopback interface a server needs TLS and a way to know its clients",
                     std::string(words.knows_tls ? "give --tls-cert and --tls-key, and --tls-ca (certificates of "
                                                   "clients) or --token-file; or "
                                                 : "") +
                         "listen on 127.0.0.1 and let ssh forward the port"});
  if (!is_socket_file(out.address) && !out.how.everywhere && login.token.empty())
    login.token = out.made = transport::make_token();
  // A socket file admits by the process at its other end.
  if (!is_socket_file(out.address) || !login.token.empty()) out.how.door = endpoint::door(std::move(login));
  return out;
}

std::string words_of_token(const std::string& token) {
  return "the token that clients have to show: " + token + " (--token-file FILE takes it from a file instead)";
}

}  // namespace tilewright::remote
