#include "server/transport/http_server.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <chrono>
#include <list>
#include <mutex>
#include <thread>

#include "compiler/threads/memory_wait.h"

namespace tilewright::transport {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kRest{10};

// One client. All of it is done on its thread but stop().
class Client final : public HttpReply {
 public:
  Client(tcp::socket::native_handle_type socket, tcp protocol, const HttpServerOptions& options)
      : stream_(tcp::socket(io_, protocol, socket)), options_(options) {}

  void run(const HttpServer::Handler& handler) {
    while (open_) {
      // Beast counts both limits by itself, and gives up in the middle of what exceeds them.
      http::request_parser<http::string_body> parser;
      parser.header_limit(static_cast<std::uint32_t>(options_.header_bytes));
      parser.body_limit(options_.body_bytes);
      if (const error_code ec = read(parser)) return refuse(ec);
      const auto& request = parser.get();
      HttpAsked asked{std::string(request.method_string()), std::string(request.target()), request.body(), {}};
      for (const auto& field : request) {
        std::string name(field.name_string());
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        asked.headers.emplace_back(std::move(name), std::string(field.value()));
      }
      keep_ = request.keep_alive();
      replied_ = false;
      handler(asked, *this);
      if (!replied_) answer({.status = 500});
      open_ = open_ && keep_;
    }
  }

  void answer(const HttpAnswer& answer) override {
    if (replied_) return;
    replied_ = true;
    http::response<http::string_body> response(static_cast<http::status>(answer.status), 11);
    for (const auto& [name, value] : answer.headers) response.set(name, value);
    response.keep_alive(keep_);
    response.body() = answer.body;
    response.prepare_payload();
    step([&](auto done) { http::async_write(stream_, response, done); }, options_.patience);
  }

  bool event(std::string_view data) override {
    std::string text;
    if (!replied_) {
      replied_ = streams_ = true;
      keep_ = false;  // the end of the connection is the end of the stream
      text =
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    }
    text.append("event: message\ndata: ").append(data).append("\n\n");
    return !step([&](auto done) { asio::async_write(stream_, asio::buffer(text), done); }, options_.patience);
  }
  void finish() override {
    if (streams_) finish_sending();
  }

  void close() { stream_.close(); }
  void stop() {
    stopped_ = true;
    // Without memory for it, the step that is under way ends with its own patience.
    threads::when_there_is_memory(std::chrono::seconds(1), [&] { asio::post(io_, [this] { stream_.close(); }); });
  }

 private:
  template <class Begin>
  error_code step(const Begin& begin, std::chrono::seconds patience) {
    if (stopped_) return asio::error::operation_aborted;
    error_code result = asio::error::operation_aborted;
    stream_.expires_after(patience);
    begin([&](error_code ec, std::size_t) { result = ec; });
    io_.restart();
    io_.run();
    open_ = open_ && !result;
    return result;
  }
  error_code read(http::request_parser<http::string_body>& parser) {
    // The first byte may take its time, the rest not.
    if (buffer_.size() == 0) {
      const error_code ec = step(
          [&](auto done) {
            stream_.async_read_some(buffer_.prepare(4096), [&, done](error_code e, std::size_t n) {
              buffer_.commit(n);
              done(e, n);
            });
          },
          options_.idle);
      if (ec) return ec;
    }
    return step([&](auto done) { http::async_read(stream_, buffer_, parser, done); }, options_.patience);
  }
  // A client that still sends would not hear the answer: some of it is read and dropped.
  void read_on() {
    constexpr std::size_t kMost = 32u << 20, kPiece = 256u << 10;
    constexpr std::chrono::seconds kWhile{5};
    finish_sending();
    buffer_.clear();
    std::size_t dropped = 0;
    while (dropped < kMost) {
      std::size_t came = 0;
      const error_code ec = step(
          [&](auto done) {
            stream_.async_read_some(buffer_.prepare(kPiece), [&came, done](error_code e, std::size_t n) {
              came = n;
              done(e, n);
            });
          },
          kWhile);
      if (ec) return;
      dropped += came;
    }
  }
  void finish_sending() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }
  // What is no request, or too large, is told before the connection ends.
  void refuse(error_code ec) {
    keep_ = replied_ = false;
    if (ec == http::error::body_limit) {
      answer({.status = 413});
      return read_on();
    }
    if (ec == http::error::header_limit || ec == http::error::buffer_overflow) return answer({.status = 431});
    if (ec.category() == http::make_error_code(http::error::bad_method).category() &&
        ec != http::error::end_of_stream && ec != http::error::partial_message)
      answer({.status = 400});
  }

  asio::io_context io_{1};
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  const HttpServerOptions& options_;
  std::atomic<bool> stopped_{false};
  bool open_ = true, keep_ = true, replied_ = false, streams_ = false;
};

class Server final : public HttpServer {
 public:
  Server(HttpServerOptions options, Handler handler) : options_(options), handler_(std::move(handler)) {}
  ~Server() override {
    stop();
    {
      std::lock_guard lock(mutex_);
      for (Place& place : places_) place.client->stop();
    }
    for (Place& place : places_) place.thread.join();
  }

  std::string listen(const tcp::endpoint& at) {
    error_code ec;
    acceptor_.open(at.protocol(), ec);
    if (!ec) acceptor_.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec) acceptor_.bind(at, ec);
    if (!ec) acceptor_.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) return ec.message();
    const tcp::endpoint local = acceptor_.local_endpoint(ec);
    const std::string host = local.address().to_string();
    address_ = (local.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(local.port());
    return {};
  }
  const std::string& address() const override { return address_; }

  void serve() override {
    accept();
    io_.run();
  }
  void stop() override { io_.stop(); }

 private:
  struct Place {
    std::unique_ptr<Client> client;
    std::thread thread;
    std::atomic<bool> over{false};
  };

  void accept() {
    acceptor_.async_accept([this](error_code ec, tcp::socket socket) {
      if (!ec) {
        try {
          came(std::move(socket));
        } catch (const std::exception&) {
          // No thread or no memory for it: this client is dropped.
        }
        return accept();
      }
      // Too many open files for now.
      rest_.expires_after(kRest);
      rest_.async_wait([this](error_code) { accept(); });
    });
  }
  void came(tcp::socket socket) {
    std::lock_guard lock(mutex_);
    std::erase_if(places_, [](Place& place) {
      if (!place.over) return false;
      place.thread.join();
      return true;
    });
    if (places_.size() >= options_.connections) return;
    const tcp protocol = socket.local_endpoint().protocol();
    Place& place = places_.emplace_back();
    try {
      place.client = std::make_unique<Client>(socket.release(), protocol, options_);
      place.thread = std::thread([this, &place] {
        try {
          place.client->run(handler_);
        } catch (const std::exception&) {
          // It costs this client its connection.
        }
        place.client->close();
        place.over = true;
      });
    } catch (...) {
      places_.pop_back();
      throw;
    }
  }

  const HttpServerOptions options_;
  const Handler handler_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer rest_{io_};
  std::string address_;
  std::mutex mutex_;
  std::list<Place> places_;
};

}  // namespace

std::string_view HttpAsked::header(std::string_view name) const {
  for (const auto& [its, value] : headers)
    if (its == name) return value;
  return {};
}

std::expected<std::unique_ptr<HttpServer>, std::string> HttpServer::at(const std::string& address,
                                                                       HttpServerOptions options, Handler handler) {
  const std::size_t colon = address.rfind(':');
  if (colon == address.npos) return std::unexpected("an address is written HOST:PORT, such as 127.0.0.1:7878");
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  error_code ec;
  const asio::ip::address ip = asio::ip::make_address(host, ec);
  if (ec || !ip.is_loopback())
    return std::unexpected(address + " is not of the loopback interface: 127.0.0.1 or [::1]");
  const std::string digits = address.substr(colon + 1);
  if (digits.empty() || digits.size() > 5 ||
      !std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); }) || std::stoi(digits) > 65535)
    return std::unexpected("'" + digits + "' is no port");
  auto server = std::make_unique<Server>(options, std::move(handler));
  if (std::string why = server->listen({ip, static_cast<unsigned short>(std::stoi(digits))}); !why.empty())
    return std::unexpected(address + ": " + why);
  return server;
}

}  // namespace tilewright::transport
