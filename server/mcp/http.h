// The Model Context Protocol over HTTP at a port of the loopback interface (its "Streamable HTTP"): each client has a
// session, which is a Server behind a connection of its own; a request is answered as JSON, or as a stream of events
// where it asks to hear how far it is.
//
// A request is looked at before a session hears of it: whose page it comes from (Origin, Host: a web page that a
// browser shows must not reach this server), the token, its kind and its size.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/transport/http_server.h"

namespace tilewright::mcp {

struct HttpOptions {
  std::vector<std::string> roots;
  std::string token;              // that clients show
  std::size_t sessions = 16;      // at once
  std::chrono::minutes idle{30};  // before a session ends by itself
};

class HttpService {
 public:
  explicit HttpService(HttpOptions options);
  ~HttpService();  // ends all sessions
  void handle(const transport::HttpAsked& asked, transport::HttpReply& reply);

 private:
  class Session;
  using Found = std::shared_ptr<Session>;

  void post(const transport::HttpAsked& asked, transport::HttpReply& reply);
  std::expected<Found, transport::HttpAnswer> session_of(const transport::HttpAsked& asked, bool begins);
  std::expected<Found, transport::HttpAnswer> begin();
  void drop_idle();

  const HttpOptions options_;
  std::mutex mutex_;
  std::map<std::string, Found, std::less<>> sessions_;  // by id
};

// Is this the name of this machine's loopback interface, with or without a port?
bool names_loopback(std::string_view host);

}  // namespace tilewright::mcp
