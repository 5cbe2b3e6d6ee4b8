// Requests over HTTP/1.1, plain or in TLS, one after another on kept connections.
#pragma once
#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::transport {

struct HttpRequest {
  std::string method = "GET", path = "/";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};
struct HttpResponse {
  int status = 0;
  std::string body;
};

class HttpClient {
 public:
  // `origin`: http://HOST[:PORT] or https://HOST[:PORT]; nothing that a URL has besides.
  static std::expected<std::unique_ptr<HttpClient>, std::string> at(const std::string& origin);
  virtual ~HttpClient() = default;
  // Whatever happens, it returns within `patience`. A body of more than `most` bytes is an error. Any thread; several
  // at once have a connection each.
  virtual std::expected<HttpResponse, std::string> ask(const HttpRequest& request, std::chrono::milliseconds patience,
                                                       std::size_t most) = 0;
};

}  // namespace tilewright::transport
