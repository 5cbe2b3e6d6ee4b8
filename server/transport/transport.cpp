#include "server/transport/transport.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>

namespace tilewright::transport {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostQueued = 256u << 20;

// A file is always ready and cannot be waited for: reading it blocks, which for a file is short.
bool is_waitable(int fd) {
  struct stat s{};
  return ::fstat(fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode) && ::lseek(fd, 0, SEEK_CUR) < 0;
}

// `In` and `Out` are the two ends of the connection, one stream or two.
template <class In, class Out>
class AsioConnection final : public Connection {
 public:
  // `copier` ends when `out` is closed; what went through `out` has then arrived.
  AsioConnection(std::unique_ptr<asio::io_context> io, In in, Out out, int file = -1, std::thread copier = {})
      : io_(std::move(io)),
        work_(io_->get_executor()),
        in_(std::move(in)),
        out_(std::move(out)),
        file_(file),
        copier_(std::move(copier)) {}

  ~AsioConnection() override { stop(); }

  void stop() override {
    io_->stop();
    if (thread_.joinable()) thread_.join();
    boost::system::error_code ignored;
    out_.close(ignored);
    if (copier_.joinable()) copier_.join();
  }

  void start(Handler handler) override {
    handler_ = std::move(handler);
    thread_ = std::thread([this] {
      if (file_ >= 0) {
        asio::post(*io_, [this] { read_file(); });
      } else {
        read();
      }
      io_->run();
    });
  }

  void send(std::string bytes) override {
    bool first;
    {
      std::lock_guard lock(mutex_);
      if (lost_) return;
      queued_ += bytes.size();
      if (queued_ > kMostQueued) {
        lost_ = true;
        asio::post(*io_, [this] { close(); });
        return;
      }
      first = queue_.empty();
      queue_.push_back(std::move(bytes));
    }
    if (first) asio::post(*io_, [this] { write(); });
  }

  void drain(int milliseconds) override {
    std::unique_lock lock(mutex_);
    empty_.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return queue_.empty() || lost_; });
  }

  bool watch_process(int pid, std::function<void()> gone) override {
    if (pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) return false;
    int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    asio::post(*io_, [this, pid, fd, gone = std::move(gone)]() mutable {
      if (fd >= 0) {
        watched_ = std::make_unique<asio::posix::stream_descriptor>(*io_, fd);
        watched_->async_wait(asio::posix::stream_descriptor::wait_read, [gone](boost::system::error_code ec) {
          if (!ec) gone();
        });
      } else {
        poll(pid, std::move(gone));  // an old kernel
      }
    });
    return true;
  }

 private:
  void poll(int pid, std::function<void()> gone) {
    timer_ = std::make_unique<asio::steady_timer>(*io_, std::chrono::seconds(1));
    timer_->async_wait([this, pid, gone = std::move(gone)](boost::system::error_code ec) mutable {
      if (ec) return;
      if (::kill(pid, 0) != 0 && errno == ESRCH) return gone();
      poll(pid, std::move(gone));
    });
  }

  void read() {
    in_.async_read_some(asio::buffer(buffer_), [this](boost::system::error_code ec, std::size_t n) {
      if (ec == asio::error::interrupted) return read();
      if (ec) return close();
      if (closed_) return;
      handler_.received({buffer_, n});
      read();
    });
  }

  void read_file() {
    ssize_t n = ::read(file_, buffer_, sizeof buffer_);
    if (n < 0 && errno == EINTR) n = 0;
    if (n <= 0) return close();
    if (closed_) return;
    handler_.received({buffer_, static_cast<std::size_t>(n)});
    asio::post(*io_, [this] { read_file(); });
  }

  // Writes what is queued, several messages at once.
  void write() {
    writing_.clear();
    {
      std::lock_guard lock(mutex_);
      for (std::string& s : queue_) writing_ += s;
      in_flight_ = queue_.size();
    }
    asio::async_write(out_, asio::buffer(writing_), [this](boost::system::error_code ec, std::size_t) {
      bool more;
      {
        std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < in_flight_; ++i) {
          queued_ -= queue_.front().size();
          queue_.pop_front();
        }
        more = !queue_.empty();
      }
      empty_.notify_all();
      if (ec) {
        std::lock_guard lock(mutex_);
        lost_ = true;
      }
      if (ec) return close();
      if (more) write();
    });
  }

  // Nothing more will come. What is queued may still leave: a client that closes its end may well read on.
  void close() {
    empty_.notify_all();
    if (std::exchange(closed_, true)) return;
    boost::system::error_code ignored;
    if constexpr (std::is_same_v<In, asio::posix::stream_descriptor>) in_.close(ignored);
    handler_.closed();
  }

  std::unique_ptr<asio::io_context> io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  In in_;
  Out out_;
  int file_;
  std::thread copier_;
  Handler handler_;
  std::thread thread_;
  char buffer_[1 << 16];
  std::unique_ptr<asio::posix::stream_descriptor> watched_;
  std::unique_ptr<asio::steady_timer> timer_;
  std::string writing_;
  std::size_t in_flight_ = 0;
  std::mutex mutex_;
  std::condition_variable empty_;
  std::deque<std::string> queue_;
  std::size_t queued_ = 0;
  bool lost_ = false;    // nobody reads what is written
  bool closed_ = false;  // of the I/O thread
};

// Sockets read and write through one object.
template <class Socket>
struct Shared {
  std::shared_ptr<Socket> socket;
  using executor_type = typename Socket::executor_type;
  executor_type get_executor() { return socket->get_executor(); }
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return socket->async_read_some(buffers, std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return socket->async_write_some(buffers, std::forward<Token>(token));
  }
  void close(boost::system::error_code& ec) { socket->close(ec); }
};

template <class Protocol>
class AsioListener final : public Listener {
 public:
  using Socket = typename Protocol::socket;
  // `path`: a socket file that goes with the listener; empty: none.
  AsioListener(std::unique_ptr<asio::io_context> io, typename Protocol::acceptor acceptor, std::string address,
               std::string path)
      : io_(std::move(io)),
        work_(io_->get_executor()),
        acceptor_(std::move(acceptor)),
        address_(std::move(address)),
        path_(std::move(path)) {}
  ~AsioListener() override {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  const std::string& address() const override { return address_; }

  std::unique_ptr<Connection> accept() override {
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
    if constexpr (std::is_same_v<Protocol, asio::ip::tcp>) socket->set_option(asio::ip::tcp::no_delay(true), ec);
    using End = Shared<Socket>;
    return std::make_unique<AsioConnection<End, End>>(std::move(io), End{socket}, End{socket});
  }

  void stop() override { io_->stop(); }

 private:
  std::unique_ptr<asio::io_context> io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  typename Protocol::acceptor acceptor_;
  std::string address_, path_;
};

}  // namespace

std::unique_ptr<Connection> stdio() {
  auto io = std::make_unique<asio::io_context>(1);
  using End = asio::posix::stream_descriptor;
  int file = is_waitable(0) ? -1 : ::dup(0);
  End in(*io), out(*io);
  std::thread copier;
  boost::system::error_code ec;
  if (file < 0) in.assign(::dup(0), ec);
  if (!ec && is_waitable(1)) {
    out.assign(::dup(1), ec);
  } else {
    // A file takes everything at once: a pipe of our own is copied into it.
    int ends[2];
    if (::pipe(ends) == 0) {
      out.assign(ends[1], ec);
      copier = std::thread([from = ends[0]] {
        char buffer[1 << 16];
        bool whole = true;
        for (ssize_t n; (n = ::read(from, buffer, sizeof buffer)) > 0;) {
          for (ssize_t done = 0, w; whole && done < n; done += w) {
            w = ::write(1, buffer + done, static_cast<std::size_t>(n - done));
            whole = w > 0;
          }
        }
        ::close(from);
      });
    }
  }
  return std::make_unique<AsioConnection<End, End>>(std::move(io), std::move(in), std::move(out), file,
                                                    std::move(copier));
}

std::expected<std::unique_ptr<Listener>, std::string> listen(const std::string& address) {
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
    if (!at.is_loopback()) {
      return std::unexpected("'" + host + "' is not this machine's loopback: the protocol has no authentication");
    }
    asio::ip::tcp::acceptor acceptor(*io, asio::ip::tcp::endpoint(at, static_cast<unsigned short>(number)));
    std::string name = (at.is_v6() ? "[" + at.to_string() + "]" : at.to_string()) + ":" +
                       std::to_string(acceptor.local_endpoint().port());
    return std::make_unique<AsioListener<asio::ip::tcp>>(std::move(io), std::move(acceptor), std::move(name), "");
  } catch (const boost::system::system_error& e) {
    return std::unexpected("cannot listen on " + address + ": " + e.code().message());
  }
}

}  // namespace tilewright::transport
