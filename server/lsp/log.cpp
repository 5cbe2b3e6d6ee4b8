// What the server tells about itself: log, messages, trace, health.
#include "compiler/text/escape.h"
#include "server/lsp/server.h"

namespace tilewright::lsp {

void Server::log(Level level, const std::string& message) {
  notify("window/logMessage", {{"type", static_cast<int>(level)}, {"message", text::visible_message(message)}});
}

void Server::show(Level level, const std::string& message) {
  notify("window/showMessage", {{"type", static_cast<int>(level)}, {"message", text::visible_message(message)}});
}

void Server::trace(const std::string& message, const std::string& verbose) {
  Json params{{"message", message}};
  if (trace_ == 2) params["verbose"] = verbose;
  notify("$/logTrace", params);
}

void Server::set_health(std::string_view health, const std::string& message) {
  std::string now = std::string(health) + message;
  if (!status_wanted_ || now == health_) return;
  health_ = now;
  notify("$/tilewright/status", {{"health", health}, {"message", message}});
}

void Server::tools_health(const std::string& problem) {
  if (!problem.empty()) log(Level::Warning, problem);
  if (problem.empty() && !tools_broken_) return;
  tools_broken_ = !problem.empty();
  set_health(problem.empty() ? "ok" : "warning", problem);
}

}  // namespace tilewright::lsp
