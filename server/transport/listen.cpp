// Listeners: clients of a TCP port or a socket file, each accepted within the bounds of a Door.
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstring>
#include <thread>

#include "server/transport/lobby.h"
#include "server/transport/peer.h"

namespace tilewright::transport {
namespace {

// How long accept() rests where the system has no descriptor or no memory for another client.
constexpr std::chrono::milliseconds kRest{10};
// How long the system keeps a connection to itself over which nothing has come. A client that says at once who it is
// has said it by the time it is accepted, however many are there that say nothing.
constexpr std::chrono::seconds kSilent{1};

void defer_silent(int socket, Door& door) {
  const int seconds = static_cast<int>(kSilent.count());
  if (::setsockopt(socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds) != 0) return;
  if (door.patience > 2 * kSilent) door.patience -= kSilent;
}

template <class Protocol>
class AsioListener final : public Listener {
 public:
  // `path`: a socket file that goes with the listener; empty: none.
  AsioListener(std::unique_ptr<asio::io_context> io, typename Protocol::acceptor acceptor, std::string address,
               std::string path, Door door, std::shared_ptr<TlsContext> tls = {})
      : io_(std::move(io)),
        work_(io_->get_executor()),
        acceptor_(std::move(acceptor)),
        rest_(*io_),
        address_(std::move(address)),
        path_(std::move(path)),
        lobby_(*io_, std::move(door), std::move(tls)) {}
  ~AsioListener() override {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  const std::string& address() const override { return address_; }

  std::unique_ptr<Connection> accept() override {
    while (!io_->stopped()) {
      try {
        if (!waiting_) wait();
        if (auto admitted = lobby_.next()) return admitted;
        io_->run_one();
      } catch (const std::exception&) {
        // No files or no memory for the connection: this client is dropped, the next one may have more luck.
        std::this_thread::sleep_for(kRest);
      }
    }
    return nullptr;
  }

  void stop() override { io_->stop(); }

 private:
  void wait() {
    auto socket = std::make_shared<Lobby::Socket>(*io_);
    acceptor_.async_accept(*socket, [this, socket](boost::system::error_code ec) {
      waiting_ = false;
      if (!ec) {
        came(*socket);
        return wait();
      }
      // A client that was gone again, or too many open files for now: the next one may have more luck.
      if (ec != asio::error::connection_aborted) lobby_.make_room();
      rest_.expires_after(kRest);
      rest_.async_wait([this](boost::system::error_code) { waiting_ = false; });
      waiting_ = true;
    });
    waiting_ = true;
  }

  // What goes wrong with one client costs no other client anything.
  void came(Lobby::Socket& socket) {
    try {
      std::string from;
      if constexpr (std::is_same_v<Protocol, asio::ip::tcp>) {
        tune(socket.native_handle());
        asio::ip::tcp::endpoint at;
        const auto raw = socket.remote_endpoint();
        at.resize(raw.size());
        std::memcpy(at.data(), raw.data(), raw.size());
        from = at.address().to_string();
      } else if (auto known = check_peer(socket.native_handle()); !known) {
        return lobby_.log(known.error());
      }
      lobby_.enter(std::move(socket), from);
    } catch (const std::exception& e) {
      lobby_.log(e.what());
    }
  }

  std::unique_ptr<asio::io_context> io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  typename Protocol::acceptor acceptor_;
  asio::steady_timer rest_;
  std::string address_, path_;
  Lobby lobby_;
  bool waiting_ = false;  // for a client, or for the end of a rest
};

}  // namespace

std::expected<std::unique_ptr<Listener>, std::string> listen(const std::string& address, const ListenOptions& options) {
  auto io = std::make_unique<asio::io_context>(1);
  try {
    if (address.starts_with("unix:")) {
      using Local = asio::local::stream_protocol;
      std::string path = address.substr(5);
      struct stat s{};
      if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) {
        return std::unexpected("a socket needs a path of 1 to " + std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                               " bytes");
      }
      // Only a socket without a listener is taken over.
      if (::lstat(path.c_str(), &s) == 0) {
        if (!S_ISSOCK(s.st_mode)) return std::unexpected(path + " exists and is not a socket");
        Local::socket probe(*io);
        probe.open();
        const std::error_code ec = connect_now(probe.native_handle(), path);
        if (!ec || ec == std::errc::resource_unavailable_try_again)
          return std::unexpected("another process listens on " + path + " already");
        ::unlink(path.c_str());
      }
      mode_t mask = ::umask(0077);  // for this user alone
      Local::acceptor acceptor(*io, Local::endpoint(path));
      ::umask(mask);
      if (::chmod(path.c_str(), 0600) != 0) return std::unexpected("cannot keep others from " + path);
      return std::make_unique<AsioListener<Local>>(std::move(io), std::move(acceptor), address, path, options.door);
    }
    std::size_t colon = address.rfind(':');
    std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
    std::string port = colon == std::string::npos ? address : address.substr(colon + 1);
    if (host == "localhost" || host.empty()) host = "127.0.0.1";
    if (host == "[::1]") host = "::1";
    boost::system::error_code ec;
    asio::ip::address at = asio::ip::make_address(host, ec);
    char* end = nullptr;
    long number = std::strtol(port.c_str(), &end, 10);
    if (ec || port.empty() || *end || number < 0 || number > 65535) {
      return std::unexpected("'" + address + "' is neither HOST:PORT nor unix:PATH");
    }
    if (!at.is_loopback() && !options.everywhere)
      return std::unexpected(
          "'" + host + "' is not this machine's loopback interface, and clients would not have to prove who they are");
    std::shared_ptr<TlsContext> tls;
    if (options.tls) {
      auto made = server_context(*options.tls);
      if (!made) return std::unexpected(made.error());
      tls = std::move(*made);
    }
    asio::ip::tcp::acceptor acceptor(*io, asio::ip::tcp::endpoint(at, static_cast<unsigned short>(number)));
    std::string name = (at.is_v6() ? "[" + at.to_string() + "]" : at.to_string()) + ":" +
                       std::to_string(acceptor.local_endpoint().port());
    Door door = options.door;
    defer_silent(acceptor.native_handle(), door);
    return std::make_unique<AsioListener<asio::ip::tcp>>(std::move(io), std::move(acceptor), std::move(name), "",
                                                         std::move(door), std::move(tls));
  } catch (const boost::system::system_error& e) {
    return std::unexpected("cannot listen on " + address + ": " + e.code().message());
  }
}

}  // namespace tilewright::transport
