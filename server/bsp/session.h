// One client of the build server, from build/initialize to build/exit.
//
// Messages are handled on the thread that calls run(); what compiles or runs kernels is done on a second one, a request
// after the other, and questions that need scripts to be evaluated on a third, so that questions and cancellations are
// answered meanwhile. A client that goes away ends what is under way for it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "protocol/bsp.h"
#include "server/bsp/arguments.h"
#include "server/bsp/line.h"
#include "server/bsp/options.h"
#include "server/bsp/tasks.h"
#include "server/endpoint/clients.h"
#include "server/endpoint/endpoint.h"
#include "server/project/build_targets.h"
#include "server/work/batch.h"
#include "server/work/build.h"

namespace tilewright::bsp {

using protocol::Json;

// What all clients of a process share.
struct Server {
  explicit Server(Options options);
  const Options options;
  work::Builder builder;
};

class BuildSession final : public endpoint::Handler, public endpoint::Served {
 public:
  // A client that the listener's door has admitted, or that started this process.
  BuildSession(transport::Connection& connection, Server& server);
  ~BuildSession() override;
  // Until the client has gone: its exit status.
  int run() override { return endpoint_.run(*this); }
  // From any thread.
  void end() override {
    endpoint_.post([this] { endpoint_.end(1); });
  }

 private:
  using Message = protocol::Message;
  using Answer = endpoint::Answer<Json>;
  using Targets = std::shared_ptr<const project::BuildTargets>;

  void request(Message& m) override;
  void notification(Message& m) override;
  void closed() override { endpoint_.end(state_ == State::Shut ? 0 : 1); }
  void ending() override;
  void dropped(const std::string& why) override;
  void refused(const std::string&) override {}

  Answer initialize(const Json& params);
  Answer answer_to(const Message& m);  // of what needs no second thread
  Answer shutdown();

  // ---- questions about targets (targets.cpp) ------------------------------------------------------------------------
  using Found = std::vector<const project::BuildTarget*>;
  Targets targets();  // as they are now; a client hears of changes
  std::expected<Found, protocol::Error> find(const project::BuildTargets& all,
                                             const std::vector<std::string>& uris) const;
  // Of those last told; the workspace is looked at again only where one of them is not known.
  std::expected<Found, protocol::Error> find_told(Targets& all, const std::vector<std::string>& uris);
  Answer build_targets();
  // {items: [{target, NAME: [...]}]}, for each of the targets asked about.
  using Items = std::function<Json(const project::BuildTarget&)>;
  Answer items(const Json& params, const char* name, const Items& of);
  static Answer items_of(const Found& targets, const char* name, const Items& of);
  Answer sources(const Json& params);
  Answer inverse_sources(const Json& params);
  void dependency_sources(const Message& m);
  Answer resources(const Json& params);
  Answer clean(const Json& params);
  std::vector<std::string> imports_of(const project::BuildTarget& target, const std::stop_token& stop);

  // ---- work, on the second thread -----------------------------------------------------------------------------------
  struct Work {
    std::shared_ptr<endpoint::Open> open;
    std::string origin;
    Arguments arguments;
    Targets all;
    std::vector<const project::BuildTarget*> targets;
  };
  void begin(const Message& m);
  using Result = protocol::bsp::BuildResult;
  Result do_work(const Work& work);
  // compile.cpp
  Result compile(const Work& work);
  struct TargetBuild;
  void begin_target(const Work& work, TargetBuild& build);
  void end_target(const Work& work, TargetBuild& build);
  void publish(const Work& work, const project::BuildTarget& target, const work::BuiltScript& script,
               std::set<std::string>& said);
  // test.cpp
  struct RunSink {
    work::Batch::Sink runs;
    // Tests that need not be run again: true if the script is done with. May be missing.
    std::function<bool(std::size_t file, const std::string& script)> kept{};
    // When all have ended: what becomes of the status so far.
    std::function<protocol::bsp::Status(protocol::bsp::Status)> end;
  };
  Result run_targets(const Work& work, const std::function<RunSink(const project::BuildTarget&)>& sink);
  Result test(const Work& work);
  Result run_target(const Work& work);
  void log(protocol::bsp::MessageType type, const std::string& message, const std::string& origin = {});

  Server& server_;
  endpoint::Endpoint endpoint_;
  enum class State { New, Initialized, Shut } state_ = State::New;
  std::string root_;
  bool speaks_ours_ = true;                                 // the client knows one of our languages, or does not say
  Targets targets_;                                         // as last told
  std::map<std::string, std::set<std::string>> published_;  // of a target: files with diagnostics; of the second thread

  Line work_{endpoint_}, questions_{endpoint_};  // last: end first
};

}  // namespace tilewright::bsp
