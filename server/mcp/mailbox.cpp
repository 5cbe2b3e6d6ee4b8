#include "server/mcp/mailbox.h"

#include "protocol/rpc.h"

namespace tilewright::mcp {

void Mailbox::send(std::string line) {
  const protocol::Json message = protocol::Json::parse(line, nullptr, false);
  if (!message.is_object()) return;
  while (line.ends_with('\n')) line.pop_back();
  const auto method = message.find("method");
  const bool answers = method == message.end();
  if (!answers && *method != "notifications/progress") return;
  std::string key;
  if (answers) key = message.contains("id") ? message.at("id").dump() : "null";
  if (!answers && message.contains("params") && message.at("params").contains("progressToken"))
    key = message.at("params").at("progressToken").dump();
  std::lock_guard lock(waiting_mutex_);
  for (const auto& waiting : waiting_) {
    if ((answers ? waiting->id : waiting->token) != key || key.empty()) continue;
    return waiting->put(std::move(line), answers);
  }
}

}  // namespace tilewright::mcp
