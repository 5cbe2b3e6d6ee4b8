// TLS over TCP, and what else sockets of this folder need. Only the files of this folder include it.
#pragma once
#include <boost/asio/ip/tcp.hpp>

#include "server/transport/asio_connection.h"

namespace tilewright::transport {

struct TlsContext;  // the files of one side, read

// The errors name the file.
std::expected<std::shared_ptr<TlsContext>, std::string> server_context(const Tls& files);
std::expected<std::shared_ptr<TlsContext>, std::string> client_context(const Tls& files);

// The handshake is the first thing that happens on the connection's thread.
std::unique_ptr<Connection> tls_server(std::unique_ptr<asio::io_context> io, asio::ip::tcp::socket socket,
                                       std::shared_ptr<TlsContext> context);
std::unique_ptr<Connection> tls_client(std::unique_ptr<asio::io_context> io, asio::ip::tcp::socket socket,
                                       std::shared_ptr<TlsContext> context, const std::string& server_name);

// Small messages leave at once, and a peer whose machine is gone is noticed within a minute.
void tune(int socket);

}  // namespace tilewright::transport
