// The Model Context Protocol for one client: tools over scripts, and documents to read.
//
// The endpoint's thread owns the documents and handles messages in order; the answers of tools are made on the pool, on
// snapshots, and sent from there. So a cancellation is heard while a kernel runs, and a call never waits for another.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/endpoint/endpoint.h"
#include "server/ide/host.h"
#include "server/mcp/pages.h"
#include "server/mcp/scripts.h"

namespace tilewright::mcp {

// A revision of the protocol that is spoken, "2025-11-25".
bool is_revision(std::string_view name);

struct ServerOptions {
  std::vector<std::string> roots;  // folders that a client may ask about
  bool asks_for_roots = false;     // the client's own take their place, where it has some
};

class Server final : private endpoint::Handler, private ide::HostEvents {
 public:
  Server(transport::Connection& connection, ServerOptions options);
  ~Server() override;
  // Until the client goes away: the exit status of the process.
  int run() { return endpoint_.run(*this); }
  // From any thread.
  void end() {
    endpoint_.post([this] { endpoint_.end(0); });
  }

 private:
  using Message = protocol::Message;

  // A call whose answer is not there yet.
  struct Call {
    protocol::Id id;
    std::stop_source stop;
    std::atomic<bool> over{false};  // answered or cancelled
  };

  // ---- messages ---------------------------------------------------------------------------------------------------
  void request(Message& message) override;
  void notification(Message& message) override;
  void closed() override { endpoint_.end(0); }
  void ending() override;
  void dropped(const std::string& why) override;
  void refused(const std::string&) override {}

  void answer(const protocol::Id& id, const Json& result);
  void refuse(const protocol::Id& id, protocol::ErrorCode code, const std::string& why);
  Json initialize(const protocol::Json& params);
  void call(Message& message);
  std::string prepare(const Tool& tool, Question& question);
  void start(const Tool& tool, const std::shared_ptr<Question>& question, const std::shared_ptr<Call>& call);
  void finish(const std::shared_ptr<Call>& call, const Json& result);
  void report_progress(Question& question, const std::shared_ptr<Call>& call, const protocol::Json& params);
  void cancel(const protocol::Json& params);
  void ask_for_roots();

  // ---- what the host says: answers are asked for, nothing is published ----------------------------------------------
  void post(std::function<void()> task) override { endpoint_.post(std::move(task)); }
  void analysed(const session::Snapshot&, const session::Analysis&) override {}
  ide::Publisher publisher(const ide::Script&) override { return {}; }
  bool shows(const std::string&) override { return false; }
  void superseded(const std::string&) override {}
  void surroundings_changed(const std::string&) override {}
  void withdrawn(const std::string&) override {}
  void settings_problem(const std::string& problem) override;
  void tools_health(const std::string&) override {}
  void found(const std::string&) override {}
  void findings_changed() override {}
  void lenses_changed() override {}

  endpoint::Endpoint endpoint_;
  const ServerOptions options_;
  Roots roots_;
  bool initialized_ = false;
  bool structured_ = true;  // the client's revision knows structuredContent
  bool client_has_roots_ = false;
  Pages pages_;
  std::mutex calls_mutex_;
  std::map<std::string, std::shared_ptr<Call>> calls_;  // by id
  ide::Host host_;
  Scripts scripts_;
  ide::Pool waiting_;  // for runs and NVIDIA's tools
  ide::Pool pool_;     // last: its threads end first
};

}  // namespace tilewright::mcp
