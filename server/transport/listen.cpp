#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "server/transport/asio_connection.h"
#include "server/transport/tls.h"

namespace tilewright::transport {
namespace {

template <class Protocol>
class AsioListener final : public Listener {
 public:
  using Socket = typename Protocol::socket;
  // `path`: a socket file that goes with the listener; empty: none.
  AsioListener(std::unique_ptr<asio::io_context> io, typename Protocol::acceptor acceptor, std::string address,
               std::string path, std::shared_ptr<TlsContext> tls = {})
      : io_(std::move(io)),
        work_(io_->get_executor()),
        acceptor_(std::move(acceptor)),
        address_(std::move(address)),
        path_(std::move(path)),
        tls_(std::move(tls)) {}
  ~AsioListener() override {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  const std::string& address() const override { return address_; }

  std::unique_ptr<Connection> accept() override {
    for (;;) {
      try {
        return accept_one();
      } catch (const std::exception&) {
        // No files or no memory for the connection: this client is dropped, the next one may have more luck.
        if (io_->stopped()) return nullptr;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
  }

  void stop() override { io_->stop(); }

 private:
  std::unique_ptr<Connection> accept_one() {
    Socket accepted(*io_);
    bool done = false;
    boost::system::error_code ec;
    while (!done || ec) {
      // A client that was gone again, or too many open files for now: the next one may have more luck.
      if (done) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      done = false;
      acceptor_.async_accept(accepted, [&](boost::system::error_code e) {
        done = true;
        ec = e;
      });
      while (!done && !io_->stopped()) io_->run_one();
      if (io_->stopped()) return nullptr;
    }
    // Each connection has a thread and a context of its own.
    auto io = std::make_unique<asio::io_context>(1);
    Protocol protocol = acceptor_.local_endpoint(ec).protocol();
    auto socket = std::make_shared<Socket>(*io, protocol, accepted.release());
    if constexpr (std::is_same_v<Protocol, asio::ip::tcp>) {
      tune(*socket);
      if (tls_) return tls_server(std::move(io), std::move(*socket), tls_);
    }
    using End = Shared<Socket>;
    return std::make_unique<AsioConnection<End, End>>(std::move(io), End{socket}, End{socket});
  }

  std::unique_ptr<asio::io_context> io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  typename Protocol::acceptor acceptor_;
  std::string address_, path_;
  std::shared_ptr<TlsContext> tls_;
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
      // Only a socket that nobody listens to any more is taken over.
      if (::lstat(path.c_str(), &s) == 0) {
        if (!S_ISSOCK(s.st_mode)) return std::unexpected(path + " exists and is not a socket");
        boost::system::error_code ec;
        Local::socket probe(*io);
        probe.connect(Local::endpoint(path), ec);
        if (!ec) return std::unexpected("somebody listens on " + path + " already");
        ::unlink(path.c_str());
      }
      mode_t mask = ::umask(0077);  // for this user alone
      Local::acceptor acceptor(*io, Local::endpoint(path));
      ::umask(mask);
      return std::make_unique<AsioListener<Local>>(std::move(io), std::move(acceptor), address, path);
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
      return std::unexpected("'" + host + "' is not this machine's loopback, and nobody would have to prove who he is");
    std::shared_ptr<TlsContext> tls;
    if (options.tls) {
      auto made = server_context(*options.tls);
      if (!made) return std::unexpected(made.error());
      tls = std::move(*made);
    }
    asio::ip::tcp::acceptor acceptor(*io, asio::ip::tcp::endpoint(at, static_cast<unsigned short>(number)));
    std::string name = (at.is_v6() ? "[" + at.to_string() + "]" : at.to_string()) + ":" +
                       std::to_string(acceptor.local_endpoint().port());
    return std::make_unique<AsioListener<asio::ip::tcp>>(std::move(io), std::move(acceptor), std::move(name), "",
                                                         std::move(tls));
  } catch (const boost::system::system_error& e) {
    return std::unexpected("cannot listen on " + address + ": " + e.code().message());
  }
}

}  // namespace tilewright::transport
