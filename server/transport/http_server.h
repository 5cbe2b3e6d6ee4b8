// Requests over HTTP/1.1 at a port of the loopback interface, one after another on kept connections. Each connection is
// served on a thread of its own; all that a client sends, and how long it may take, is bounded.
#pragma once
#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::transport {

struct HttpAsked {
  std::string method, target, body;
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters
  // Of the first header with this name, in small letters; empty: there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};

// Where the answer of one request goes: whole, or as a stream of events (text/event-stream) that ends with finish().
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  virtual void answer(const HttpAnswer& answer) = 0;
  // False: the client is gone.
  virtual bool event(std::string_view data) = 0;
  virtual void finish() = 0;
};

struct HttpServerOptions {
  std::size_t connections = 64;          // at once; more are turned away
  std::size_t header_bytes = 16u << 10;  // of one request
  std::size_t body_bytes = 4u << 20;
  std::chrono::seconds patience{30};  // for a whole request once it has begun, and for the client to read
  std::chrono::seconds idle{300};     // between requests
};

class HttpServer {
 public:
  // Called on the connection's thread: answers before it returns.
  using Handler = std::function<void(const HttpAsked& asked, HttpReply& reply)>;
  // `address`: HOST:PORT of the loopback interface; port 0 is any that is free. The error says why not.
  static std::expected<std::unique_ptr<HttpServer>, std::string> at(const std::string& address,
                                                                    HttpServerOptions options, Handler handler);
  virtual ~HttpServer() = default;                 // waits for its connections to end
  virtual const std::string& address() const = 0;  // with the true port
  virtual void serve() = 0;                        // until stop()
  virtual void stop() = 0;                         // from any thread
};

}  // namespace tilewright::transport
