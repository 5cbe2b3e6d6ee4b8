#include "server/transport/http.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <functional>
#include <mutex>
#include <optional>

namespace tilewright::transport {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Encrypted = beast::ssl_stream<beast::tcp_stream>;

// One connection with a loop of its own, which only runs during a request.
struct Line {
  asio::io_context io{1};
  std::optional<beast::tcp_stream> plain;
  std::optional<Encrypted> encrypted;
  beast::flat_buffer buffer;
  beast::tcp_stream& socket() { return plain ? *plain : beast::get_lowest_layer(*encrypted); }
};

// Runs one asynchronous step to its end, or to the end of the time.
using Step = std::function<void(std::function<void(error_code)>)>;
error_code run_step(Line& line, const Step& step, Clock::time_point end) {
  error_code result = asio::error::timed_out;
  bool done = false;
  step([&](error_code ec) {
    result = ec;
    done = true;
  });
  line.io.restart();
  while (!done && Clock::now() < end && line.io.run_one_until(end) > 0) {
  }
  if (!done) {
    // What is left of it must not call back into a frame that is gone.
    line.socket().cancel();
    line.socket().close();
    line.io.run();
    return asio::error::timed_out;
  }
  return result;
}

class Client final : public HttpClient {
 public:
  explicit Client(Url origin) : origin_(std::move(origin)), tls_(asio::ssl::context::tls_client) {
    error_code ignored;
    tls_.set_default_verify_paths(ignored);
    tls_.set_verify_mode(asio::ssl::verify_peer, ignored);
  }

  std::expected<HttpResponse, std::string> ask(const HttpRequest& request, std::chrono::milliseconds patience,
                                               std::size_t most) override {
    const auto end = Clock::now() + patience;
    std::unique_ptr<Line> line = idle();
    const bool used = line != nullptr;
    for (bool again = used;; again = false) {
      if (!line) {
        auto opened = open(end);
        if (!opened) return std::unexpected(origin_.host + ": " + opened.error());
        line = std::move(*opened);
      }
      bool keep = false;
      HttpResponse response;
      const error_code ec = exchange(*line, request, most, end, response, keep);
      if (!ec && keep) give_back(std::move(line));
      if (!ec) return response;
      // A kept connection may have been closed since.
      if (!again || ec == asio::error::timed_out) return std::unexpected(origin_.host + ": " + ec.message());
      line.reset();
    }
  }

 private:
  std::unique_ptr<Line> idle() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<Line> line) {
    constexpr std::size_t kMost = 16;
    std::lock_guard lock(mutex_);
    if (idle_.size() < kMost) idle_.push_back(std::move(line));
  }

  std::expected<std::unique_ptr<Line>, std::string> open(Clock::time_point end) {
    auto line = std::make_unique<Line>();
    if (origin_.tls)
      line->encrypted.emplace(line->io, tls_);
    else
      line->plain.emplace(line->io);
    tcp::resolver resolver(line->io);
    tcp::resolver::results_type places;
    error_code ec = run_step(
        *line,
        [&](const auto& done) {
          resolver.async_resolve(origin_.host, std::to_string(origin_.port),
                                 [&places, done](error_code e, const auto& found) {
                                   if (!e) places = found;
                                   done(e);
                                 });
        },
        end);
    if (!ec)
      ec = run_step(
          *line,
          [&](const auto& done) {
            line->socket().async_connect(places, [done](error_code e, const auto&) { done(e); });
          },
          end);
    if (!ec && origin_.tls) {
      SSL_set_tlsext_host_name(line->encrypted->native_handle(), origin_.host.c_str());
      line->encrypted->set_verify_callback(asio::ssl::host_name_verification(origin_.host), ec);
      if (!ec)
        ec = run_step(
            *line, [&](auto done) { line->encrypted->async_handshake(asio::ssl::stream_base::client, done); }, end);
    }
    if (ec) return std::unexpected(ec.message());
    return line;
  }

  error_code exchange(Line& line, const HttpRequest& asked, std::size_t most, Clock::time_point end,
                      HttpResponse& response, bool& keep) {
    http::request<http::string_body> request;
    request.method_string(asked.method);
    request.target(asked.path);
    request.version(11);
    request.set(http::field::host, origin_.authority());
    request.set(http::field::user_agent, "tilewright");
    for (const auto& [name, value] : asked.headers) request.set(name, value);
    request.body() = asked.body;
    request.prepare_payload();
    http::response_parser<http::string_body> parser;
    parser.body_limit(most);
    auto on = [&](auto&& with) { line.plain ? with(*line.plain) : with(*line.encrypted); };
    error_code ec = run_step(
        line,
        [&](auto done) {
          on([&](auto& s) { http::async_write(s, request, [done](error_code e, std::size_t) { done(e); }); });
        },
        end);
    if (ec) return ec;
    ec = run_step(
        line,
        [&](auto done) {
          on([&](auto& s) {
            http::async_read(s, line.buffer, parser, [done](error_code e, std::size_t) { done(e); });
          });
        },
        end);
    if (ec) return ec;
    keep = parser.get().keep_alive();
    response.status = parser.get().result_int();
    response.body = std::move(parser.get().body());
    return {};
  }

  const Url origin_;
  asio::ssl::context tls_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Line>> idle_;
};

}  // namespace

std::unique_ptr<HttpClient> HttpClient::at(const Url& url) { return std::make_unique<Client>(url); }

}  // namespace tilewright::transport
