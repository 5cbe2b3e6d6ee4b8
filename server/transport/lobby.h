// Where clients of a listener wait until they are judged (transport.h: Door). Only the files of this folder include it.
//
// All of it is done on the listener's thread, without a thread or a buffer worth naming for each client, so that those
// who come in thousands cost little. Only TLS has a thread for each client from the beginning: its handshake is part of
// the connection that the client keeps.
#pragma once
#include <boost/asio/generic/stream_protocol.hpp>
#include <deque>
#include <list>
#include <memory>
#include <string>

#include "server/transport/asio_connection.h"
#include "server/transport/tls.h"

namespace tilewright::transport {

class Lobby {
 public:
  using Socket = asio::generic::stream_protocol::socket;
  Lobby(asio::io_context& io, Door door, std::shared_ptr<TlsContext> tls)
      : io_(io), door_(std::move(door)), tls_(std::move(tls)) {}

  // `from`: clients with the same one share their luck.
  void enter(Socket socket, const std::string& from);
  // The client that gives its place up next goes: there are too few descriptors. False: no client waits.
  bool make_room();
  // The next one who was admitted; null: none.
  std::unique_ptr<Connection> next();
  void log(const std::string& line);

 private:
  class Admitting;
  struct Guest;
  using Here = std::shared_ptr<Guest>;

  void read(const Here& guest);
  void heard(const Here& guest, std::string_view bytes);
  void greet_by_tls(const Here& guest);
  void drop(const Here& guest, const std::string& why);
  bool is_here(const Here& guest) const;
  // Takes part in the number of bytes, too.
  Judge::Verdict judge(Guest& guest, std::string_view bytes) const;

  asio::io_context& io_;
  const Door door_;
  const std::shared_ptr<TlsContext> tls_;
  std::list<Here> guests_;  // who came first stands first
  std::deque<std::unique_ptr<Connection>> admitted_;
  std::chrono::steady_clock::time_point logged_{};
  std::size_t unlogged_ = 0;
};

}  // namespace tilewright::transport
