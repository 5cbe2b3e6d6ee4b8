#include "server/remote/listening.h"

#include "server/remote/secret.h"

namespace tilewright::remote {
namespace {

bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  return address.find(':') == address.npos || host == "localhost" || host == "[::1]" || host.starts_with("127.") ||
         host.empty() || address.starts_with("unix:");
}

}  // namespace

std::expected<Listening, run::Failure> listening(const ListenWords& words) {
  Listening out;
  if (words.cert.empty() && (!words.key.empty() || !words.ca.empty()))
    return std::unexpected(run::Failure{"--tls-key and --tls-ca belong to a certificate", "add --tls-cert FILE"});
  if (!words.token_file.empty()) {
    auto token = read_token(words.token_file);
    if (!token) return std::unexpected(token.error());
    out.token = std::move(*token);
  }
  if (!words.cert.empty()) out.how.tls = transport::Tls{words.cert, words.key, words.ca, {}};
  out.how.everywhere = out.how.tls && (!words.ca.empty() || !out.token.empty());
  if (!words.address.empty() && !out.how.everywhere && !is_loopback(words.address))
    return std::unexpected(run::Failure{
        "a server that others can reach needs TLS and a way to know its clients",
        "give --tls-cert and --tls-key, and --tls-ca (certificates of clients) or --token-file; or listen on "
        "127.0.0.1 and let ssh forward the port"});
  return out;
}

}  // namespace tilewright::remote
