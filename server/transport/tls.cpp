#include "server/transport/tls.h"

#include <netinet/tcp.h>

#include <boost/asio/ssl.hpp>

namespace tilewright::transport {

namespace ssl = asio::ssl;

struct TlsContext {
  explicit TlsContext(ssl::context::method method) : context(method) {}
  ssl::context context;
};

namespace {

using Stream = ssl::stream<asio::ip::tcp::socket>;

// Calls `use`, which throws: the error names what it used.
template <class Use>
std::expected<void, std::string> used(const char* what, const std::filesystem::path& file, Use&& use) {
  try {
    use(file.string());
    return {};
  } catch (const boost::system::system_error& e) {
    return std::unexpected("cannot use the " + std::string(what) + " " + file.string() + ": " + e.code().message());
  }
}

std::expected<std::shared_ptr<TlsContext>, std::string> context_of(const Tls& files, ssl::context::method method) {
  auto made = std::make_shared<TlsContext>(method);
  ssl::context& c = made->context;
  ::SSL_CTX_set_min_proto_version(c.native_handle(), TLS1_2_VERSION);
  // A session that is taken up again would come past a certificate that is not accepted any more.
  ::SSL_CTX_set_session_cache_mode(c.native_handle(), SSL_SESS_CACHE_OFF);
  if (!files.certificate.empty()) {
    auto read = used("certificate", files.certificate, [&](const std::string& f) { c.use_certificate_chain_file(f); });
    if (!read) return std::unexpected(read.error());
    const auto& key = files.key.empty() ? files.certificate : files.key;
    read = used("key", key, [&](const std::string& f) { c.use_private_key_file(f, ssl::context::pem); });
    if (!read) return std::unexpected(read.error());
  }
  if (!files.authority.empty()) {
    auto read = used("authority", files.authority, [&](const std::string& f) { c.load_verify_file(f); });
    if (!read) return std::unexpected(read.error());
  }
  return made;
}

std::unique_ptr<Connection> over(std::unique_ptr<asio::io_context> io, const std::shared_ptr<Stream>& stream,
                                 std::shared_ptr<TlsContext> context, Stream::handshake_type side) {
  using End = Shared<Stream>;
  auto out = std::make_unique<AsioConnection<End, End>>(std::move(io), End{stream}, End{stream});
  out->prepare_with(
      [stream, side, context = std::move(context)](auto done) { stream->async_handshake(side, std::move(done)); },
      "the TLS handshake failed");
  return out;
}

}  // namespace

std::expected<std::shared_ptr<TlsContext>, std::string> server_context(const Tls& files) {
  auto made = context_of(files, ssl::context::tls_server);
  if (made && !files.authority.empty())
    (*made)->context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return made;
}

std::expected<std::shared_ptr<TlsContext>, std::string> client_context(const Tls& files) {
  auto made = context_of(files, ssl::context::tls_client);
  if (!made) return made;
  boost::system::error_code ec;
  if (files.authority.empty()) (*made)->context.set_default_verify_paths(ec);
  (*made)->context.set_verify_mode(ssl::verify_peer);
  return made;
}

std::unique_ptr<Connection> tls_server(std::unique_ptr<asio::io_context> io, asio::ip::tcp::socket socket,
                                       std::shared_ptr<TlsContext> context) {
  auto stream = std::make_shared<Stream>(std::move(socket), context->context);
  return over(std::move(io), stream, std::move(context), Stream::server);
}

std::unique_ptr<Connection> tls_client(std::unique_ptr<asio::io_context> io, asio::ip::tcp::socket socket,
                                       std::shared_ptr<TlsContext> context, const std::string& server_name) {
  auto stream = std::make_shared<Stream>(std::move(socket), context->context);
  stream->set_verify_callback(ssl::host_name_verification(server_name));
  boost::system::error_code not_a_name;
  asio::ip::make_address(server_name, not_a_name);
  if (not_a_name) ::SSL_set_tlsext_host_name(stream->native_handle(), server_name.c_str());
  return over(std::move(io), stream, std::move(context), Stream::client);
}

void tune(int socket) {
  const int yes = 1, idle = 20, between = 10, times = 4;  // yes, seconds, seconds, probes
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

}  // namespace tilewright::transport
