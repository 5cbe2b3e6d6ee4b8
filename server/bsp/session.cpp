#include "server/bsp/session.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>

#include "compiler/threads/in_order.h"
#include "compiler/threads/pause.h"
#include "protocol/uri.h"
#include "server/bsp/languages.h"
#include "server/project/environment.h"

namespace tilewright::bsp {
namespace {

namespace wire = protocol::bsp;
using protocol::Error;
using protocol::ErrorCode;

endpoint::Limits limits() {
  endpoint::Limits out;
  out.queued_bytes = 16u << 20;
  out.open_requests = 1000;
  out.unfinished_requests = 2000;
  out.frames.body_bytes = 16u << 20;
  return out;
}

std::unexpected<Error> wrong(std::string why, ErrorCode code = ErrorCode::InvalidParams) {
  return std::unexpected(Error{code, std::move(why), nullptr});
}

toolchain::Options tools_of(const Options& options) {
  toolchain::Options out = project::toolchain_options();
  out.helpers = static_cast<int>(threads::threads_of(options.jobs));
  return out;
}

// Clients give up a server that says nothing; a kernel may take longer than that to be compiled or simulated.
constexpr std::chrono::seconds kSignOfLife{60};

bool is_work(std::string_view method) {
  return method == "buildTarget/compile" || method == "buildTarget/test" || method == "buildTarget/run";
}

}  // namespace

Server::Server(Options given) : options(std::move(given)), builder(tools_of(options)) {}

BuildSession::BuildSession(transport::Connection& connection, Server& server)
    : server_(server), endpoint_(connection, limits()) {}

BuildSession::~BuildSession() = default;

void BuildSession::dropped(const std::string& why) {
  // The memory that is missing belongs to all clients: what this client holds goes with it.
  if (why == std::bad_alloc().what()) return endpoint_.end(1);
  log(wire::MessageType::Error, "a message was dropped: " + why);
}

void BuildSession::log(wire::MessageType type, const std::string& message, const std::string& origin) {
  endpoint_.notify("build/logMessage", wire::LogMessage{type, message, origin, {}});
}

void BuildSession::request(Message& m) {
  if (m.method == "build/initialize") return endpoint_.answer(m.id, initialize(m.params));
  if (state_ == State::New)
    return endpoint_.answer(m.id, wrong("the first message is build/initialize", ErrorCode::ServerNotInitialized));
  if (state_ == State::Shut)
    return endpoint_.answer(m.id, wrong("nothing but build/exit follows on build/shutdown", ErrorCode::InvalidRequest));
  if (is_work(m.method)) return begin(m);
  if (m.method == "buildTarget/dependencySources") return dependency_sources(m);
  endpoint_.answer(m.id, answer_to(m));
}

BuildSession::Answer BuildSession::answer_to(const Message& m) {
  if (m.method == "build/shutdown") return shutdown();
  if (m.method == "workspace/buildTargets") return build_targets();
  if (m.method == "workspace/reload") {
    server_.builder.reload();
    targets();
    return Json(nullptr);
  }
  if (m.method == "buildTarget/sources") return sources(m.params);
  if (m.method == "buildTarget/inverseSources") return inverse_sources(m.params);
  if (m.method == "buildTarget/resources") return resources(m.params);
  if (m.method == "buildTarget/cleanCache") return clean(m.params);
  // Scripts import scripts, never packages of a registry; and a build leaves no files in the workspace.
  if (m.method == "buildTarget/dependencyModules")
    return items(m.params, "modules", [](const auto&) { return Json::array(); });
  if (m.method == "buildTarget/outputPaths")
    return items(m.params, "outputPaths", [](const auto&) { return Json::array(); });
  return wrong("there is no method '" + m.method + "' here", ErrorCode::MethodNotFound);
}

void BuildSession::notification(Message& m) {
  if (m.method == "build/exit") return endpoint_.end(state_ == State::Shut ? 0 : 1);
  if (m.method != "$/cancelRequest") return;
  const protocol::Id id = protocol::id_to_cancel(m.params);
  // What is under way says so itself, when it has ended.
  if (const auto cancelled = work_.cancel(id); cancelled.unbegun)
    endpoint_.answer(cancelled.unbegun, Json(Result{wire::Status::Cancelled, {}, {}, nullptr}));
  if (const auto cancelled = questions_.cancel(id); cancelled.unbegun)
    endpoint_.answer(cancelled.unbegun, wrong("cancelled", ErrorCode::RequestCancelled));
}

BuildSession::Answer BuildSession::initialize(const Json& params) {
  if (state_ != State::New) return wrong("build/initialize comes once", ErrorCode::InvalidRequest);
  const auto client = params.get<wire::InitializeParams>();
  root_ = protocol::path_of(client.root_uri);
  if (!root_.starts_with('/')) return wrong("rootUri is no file: URI: " + client.root_uri);
  speaks_ours_ = client.language_ids.empty() || std::ranges::any_of(client.language_ids, is_ours);
  state_ = State::Initialized;
  wire::InitializeResult self{"tilewright", TILEWRIGHT_VERSION, {}};
  for (std::string_view language : kLanguages) self.language_ids.emplace_back(language);
  return Json(self);
}

BuildSession::Answer BuildSession::shutdown() {
  state_ = State::Shut;
  work_.cancel_all();
  questions_.cancel_all();
  return Json(nullptr);
}

// ---- work ----

void BuildSession::begin(const Message& m) {
  Work work;
  std::vector<std::string> uris, words;
  if (m.method == "buildTarget/run") {
    const auto params = m.params.get<wire::RunParams>();
    if (params.has_environment)
      return endpoint_.answer(m.id, wrong("kernels have no environment and no working directory"));
    uris = {params.target};
    work.origin = params.origin;
    words = params.arguments;
  } else {
    const auto params = m.params.get<wire::BuildParams>();
    uris = params.targets;
    work.origin = params.origin;
    words = params.arguments;
  }
  auto arguments = read_arguments(words);
  if (!arguments) return endpoint_.answer(m.id, wrong(arguments.error()));
  work.arguments = std::move(*arguments);
  work.all = targets();
  auto found = find(*work.all, uris);
  if (!found) return endpoint_.answer(m.id, std::unexpected(found.error()));
  work.targets = std::move(*found);
  auto open = endpoint_.open(m.id, m.method, {});
  if (!open) return endpoint_.answer(m.id, std::unexpected(open.error()));
  work.open = *open;
  work_.add(*open, [this, work = std::move(work)]() -> Answer {
    Result result = do_work(work);
    result.origin = work.origin;
    return Json(result);
  });
}

BuildSession::Result BuildSession::do_work(const Work& work) {
  if (work.open->stop.stop_requested()) return {wire::Status::Cancelled, {}, {}, nullptr};
  const std::jthread alive([&](const std::stop_token& over) {
    while (threads::pause(kSignOfLife, over)) {
      try {
        log(wire::MessageType::Log, "still at work", work.origin);
      } catch (const std::exception&) {
        continue;  // no memory for it now; the next one is in time as well
      }
    }
  });
  if (work.open->method == "buildTarget/compile") return compile(work);
  return work.open->method == "buildTarget/test" ? test(work) : run_target(work);
}

void BuildSession::ending() {
  work_.end();
  questions_.end();
}

}  // namespace tilewright::bsp
