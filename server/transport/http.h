// Requests over HTTP/1.1, plain or in TLS, one after another on kept connections.
#pragma once
#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/transport/url.h"

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
  // Asks the host and port of `url` and nothing else: an answer that points elsewhere (a redirect) is an answer like
  // any other, and is not followed. Its path is the caller's to use.
  static std::unique_ptr<HttpClient> at(const Url& url);
  virtual ~HttpClient() = default;
  // Whatever happens, it returns within `patience`. A body of more than `most` bytes is an error. Any thread; several
  // at once have a connection each.
  virtual std::expected<HttpResponse, std::string> ask(const HttpRequest& request, std::chrono::milliseconds patience,
                                                       std::size_t most) = 0;
};

}  // namespace tilewright::transport
