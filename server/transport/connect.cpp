// A connection to a listener by TCP, with TLS where asked for.
#include <sys/un.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <thread>

#include "server/transport/peer.h"
#include "server/transport/tls.h"

namespace tilewright::transport {

std::expected<std::unique_ptr<Connection>, std::string> connect(const std::string& host, const std::string& port,
                                                                const std::optional<Tls>& tls,
                                                                std::chrono::milliseconds patience,
                                                                const std::stop_token& stop) {
  using asio::ip::tcp;
  const std::string at = host + ":" + port;
  std::shared_ptr<TlsContext> context;
  if (tls) {
    auto made = client_context(*tls);
    if (!made) return std::unexpected(made.error());
    context = std::move(*made);
  }
  auto io = std::make_unique<asio::io_context>(1);
  tcp::socket socket(*io);
  tcp::resolver resolver(*io);
  std::optional<boost::system::error_code> done;
  bool found = false;
  resolver.async_resolve(host, port, [&](boost::system::error_code ec, const tcp::resolver::results_type& results) {
    if (ec) {
      done = ec;
      return;
    }
    found = true;
    asio::async_connect(socket, results, [&](boost::system::error_code e, const tcp::endpoint&) { done = e; });
  });
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!done && !stop.stop_requested() && std::chrono::steady_clock::now() < end)
    io->run_for(std::chrono::milliseconds(20));
  if (!done) {
    boost::system::error_code ignored;
    resolver.cancel();
    socket.close(ignored);
    io->run_for(std::chrono::milliseconds(100));
    if (stop.stop_requested()) return std::unexpected("the request was cancelled");
    return std::unexpected(at + " does not answer");
  }
  if (*done) return std::unexpected((found ? "cannot connect to " : "cannot find ") + at + ": " + done->message());
  io->restart();
  tune(socket.native_handle());
  if (context)
    return tls_client(std::move(io), std::move(socket), std::move(context),
                      tls->server_name.empty() ? host : tls->server_name);
  using End = Shared<tcp::socket>;
  auto shared = std::make_shared<tcp::socket>(std::move(socket));
  return std::make_unique<AsioConnection<End, End>>(std::move(io), End{shared}, End{shared});
}

std::expected<std::unique_ptr<Connection>, std::string> connect_unix(const std::string& path,
                                                                     std::chrono::milliseconds patience,
                                                                     const std::stop_token& stop) {
  using Local = asio::local::stream_protocol;
  if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path))
    return std::unexpected("a socket needs a path of 1 to " + std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                           " bytes");
  auto io = std::make_unique<asio::io_context>(1);
  auto socket = std::make_shared<Local::socket>(*io);
  socket->open();
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    const std::error_code ec = connect_now(socket->native_handle(), path);
    if (!ec) break;
    if (ec != std::errc::resource_unavailable_try_again && ec != std::errc::interrupted)
      return std::unexpected("cannot connect to " + path + ": " + ec.message());
    if (stop.stop_requested()) return std::unexpected("the request was cancelled");
    if (std::chrono::steady_clock::now() >= end) return std::unexpected(path + " does not answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (auto known = check_peer(socket->native_handle()); !known)
    return std::unexpected("the socket " + path + " is not used: " + known.error());
  using End = Shared<Local::socket>;
  return std::make_unique<AsioConnection<End, End>>(std::move(io), End{socket}, End{socket});
}

}  // namespace tilewright::transport
