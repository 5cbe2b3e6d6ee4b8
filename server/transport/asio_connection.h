// A connection over any of Asio's streams. Only the files of this folder include it.
#pragma once
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "compiler/threads/memory_wait.h"
#include "server/transport/transport.h"

namespace tilewright::transport {
namespace asio = boost::asio;

inline constexpr std::size_t kMostQueued = 256u << 20;
inline constexpr std::size_t kAtOnce = 64;           // messages that one call of the system takes
inline constexpr std::chrono::seconds kPatience{1};  // for memory

// `In` and `Out` are the two ends of the connection, one stream or two. `Base` is what it is a connection to.
template <class In, class Out, class Base = Connection>
class AsioConnection : public Base {
 public:
  // `copier` ends when `out` is closed; what went through `out` has then arrived.
  AsioConnection(std::unique_ptr<asio::io_context> io, In in, Out out, int file = -1, std::thread copier = {})
      : io_(std::move(io)),
        work_(io_->get_executor()),
        in_(std::move(in)),
        out_(std::move(out)),
        file_(file),
        copier_(std::move(copier)) {}

  ~AsioConnection() override { AsioConnection::stop(); }

  // Has to be done before anything is read or written; calls back with how it went. Before start().
  using Done = std::function<void(boost::system::error_code)>;
  void prepare_with(std::function<void(Done)> prepare, std::string what) {
    prepare_ = std::move(prepare);
    preparing_ = std::move(what);
  }

  // Received before anything else. Before start().
  void begin_with(std::string bytes) { first_ = std::move(bytes); }

  bool is_socket() const override {
    return std::is_same_v<Base, Connection> && !std::is_same_v<In, asio::posix::stream_descriptor>;
  }

  void stop() override {
    io_->stop();
    if (thread_.joinable()) thread_.join();
    {
      std::lock_guard lock(mutex_);
      lost_ = true;
    }
    empty_.notify_all();
    boost::system::error_code ignored;
    out_.close(ignored);
    if (copier_.joinable()) copier_.join();
  }

  void start(Handler handler) override {
    handler_ = std::move(handler);
    thread_ = std::thread([this] { serve(); });
  }

  void send(std::string bytes) override { AsioConnection::send(std::move(bytes), {}); }
  void send(std::string bytes, Kept&& rest) override {
    bool begin;
    {
      std::lock_guard lock(mutex_);
      if (lost_) return;
      queued_ += bytes.size() + rest.bytes.size();
      if (queued_ > kMostQueued) {
        lost_ = true;
        asio::post(*io_, [this] { close(); });
        return;
      }
      queue_.push_back({std::move(bytes), std::move(rest)});
      begin = begins_to_write();
    }
    if (begin) post_write();
  }

  void hold() override {
    std::lock_guard lock(mutex_);
    ++holds_;
  }
  void release() override {
    bool begin;
    {
      std::lock_guard lock(mutex_);
      --holds_;
      begin = begins_to_write();
    }
    if (begin) post_write();
  }

  void drain(int milliseconds) override {
    std::unique_lock lock(mutex_);
    empty_.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return queue_.empty() || lost_; });
  }

  bool wait_for_room(std::size_t most, std::chrono::milliseconds patience, const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    empty_.wait_for(lock, stop, patience, [&] { return queued_ <= most || lost_; });
    return queued_ <= most && !lost_;
  }

  std::string why_closed() override {
    std::lock_guard lock(mutex_);
    return why_;
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

 protected:
  asio::io_context& io() { return *io_; }

 private:
  struct Message {
    std::string bytes;
    Kept rest;
  };

  // Under the lock: is there something to write, and no write under way?
  bool begins_to_write() {
    if (is_writing_ || holds_ > 0 || queue_.empty() || lost_) return false;
    return is_writing_ = true;
  }
  // After begins_to_write(). What is queued stays queued where there is no memory for this: the next message begins.
  void post_write() {
    if (threads::when_there_is_memory(kPatience, [&] { asio::post(*io_, [this] { write(); }); })) return;
    std::lock_guard lock(mutex_);
    is_writing_ = false;
  }

  void poll(int pid, std::function<void()> gone) {
    timer_ = std::make_unique<asio::steady_timer>(*io_, std::chrono::seconds(1));
    timer_->async_wait([this, pid, gone = std::move(gone)](boost::system::error_code ec) mutable {
      if (ec) return;
      if (::kill(pid, 0) != 0 && errno == ESRCH) return gone();
      poll(pid, std::move(gone));
    });
  }

  // A peer that never finishes would hold a place for ever.
  void prepare() {
    timer_ = std::make_unique<asio::steady_timer>(*io_, std::chrono::seconds(10));
    timer_->async_wait([this](boost::system::error_code ec) {
      if (ec || !prepare_) return;
      say(preparing_ + ": no end of it within 10 seconds");
      lose();
      close();
    });
    prepare_([this](boost::system::error_code ec) {
      if (closed_) return;
      timer_->cancel();
      prepare_ = {};
      if (ec) {
        say(preparing_ + ": " + ec.message());
        lose();
        return close();
      }
      bool waiting;
      {
        std::lock_guard lock(mutex_);
        waiting = is_writing_;  // as far as it came
      }
      if (waiting) write();
      read();
    });
  }

  // Reads and writes until stop(). What fails for want of memory or files ends this connection alone.
  void serve() {
    for (bool begun = false;;) {
      try {
        if (!std::exchange(begun, true)) start_reading();
        io_->run();
        return;
      } catch (const std::exception& e) {
        fail(e.what());
      }
    }
  }
  void start_reading() {
    if (file_ >= 0) {
      asio::post(*io_, [this] { read_file(); });
    } else if (prepare_) {
      prepare();
    } else {
      if (!first_.empty()) handler_.received(std::exchange(first_, {}));
      read();
    }
  }
  // The handler of what comes has to hear of the end: there will be memory again to say so.
  void fail(const char* why) {
    lose();
    if (told_) return;
    threads::when_there_is_memory(10 * kPatience, [&] {
      say(std::string(why));
      try {
        close();
      } catch (const std::bad_alloc&) {
        closed_ = false;
        throw;
      }
      told_ = true;
    });
  }
  void lose() {
    std::lock_guard lock(mutex_);
    lost_ = true;
  }
  void say(std::string why) {
    std::lock_guard lock(mutex_);
    if (why_.empty()) why_ = std::move(why);
  }
  void say(boost::system::error_code ec) {
    const bool ordinary = ec == asio::error::eof || ec == asio::error::operation_aborted ||
                          ec == asio::error::connection_reset || ec == asio::error::broken_pipe ||
                          ec.message() == "stream truncated";
    if (!ordinary) say(ec.message());
  }

  void read() {
    in_.async_read_some(asio::buffer(buffer_), [this](boost::system::error_code ec, std::size_t n) {
      if (ec == asio::error::interrupted) return read();
      if (ec) {
        say(ec);
        return close();
      }
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

  // Writes what is queued, several messages at once, from where they lie: a queue's elements stay when others come.
  void write() {
    if (prepare_) return;
    writing_.clear();
    {
      std::lock_guard lock(mutex_);
      leaving_ = std::min<std::size_t>(queue_.size(), kAtOnce);
      for (std::size_t i = 0; i < leaving_; ++i) {
        writing_.emplace_back(queue_[i].bytes.data(), queue_[i].bytes.size());
        if (const auto& rest = queue_[i].rest.bytes; !rest.empty()) writing_.emplace_back(rest.data(), rest.size());
      }
    }
    asio::async_write(out_, writing_, [this](boost::system::error_code ec, std::size_t) {
      bool more;
      {
        std::lock_guard lock(mutex_);
        for (; leaving_ > 0; --leaving_) {
          queued_ -= queue_.front().bytes.size() + queue_.front().rest.bytes.size();
          queue_.pop_front();
        }
        // Held or not: a caller that waits for room would wait for ever.
        more = is_writing_ = !queue_.empty();
      }
      empty_.notify_all();
      if (ec) {
        lose();
        say(ec);
        empty_.notify_all();
        return close();
      }
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

  std::function<void(Done)> prepare_;  // until it is done
  std::string preparing_, first_;
  std::string why_;
  std::unique_ptr<asio::io_context> io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  In in_;
  Out out_;
  int file_;
  std::thread copier_;
  Handler handler_;
  std::thread thread_;
  char buffer_[1 << 18];
  std::unique_ptr<asio::posix::stream_descriptor> watched_;
  std::unique_ptr<asio::steady_timer> timer_;
  std::vector<asio::const_buffer> writing_;
  std::size_t leaving_ = 0;  // messages of the queue that writing_ names
  std::mutex mutex_;
  std::condition_variable_any empty_;
  std::deque<Message> queue_;
  std::size_t queued_ = 0;
  bool is_writing_ = false;  // or is about to
  int holds_ = 0;
  bool lost_ = false;    // the other side does not read any more
  bool closed_ = false;  // of the I/O thread
  bool told_ = false;    // a failure has ended it
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
  void close(boost::system::error_code& ec) { socket->lowest_layer().close(ec); }
};

}  // namespace tilewright::transport
