#include "server/mcp/http.h"

#include <algorithm>
#include <deque>
#include <thread>

#include "protocol/rpc.h"
#include "server/mcp/mailbox.h"
#include "server/mcp/server.h"
#include "server/transport/secret.h"

namespace tilewright::mcp {
namespace {

using transport::HttpAnswer;
using transport::HttpAsked;
using transport::HttpReply;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kPath = "/mcp";
constexpr std::size_t kMostValues = 100'000;  // as a session has it
// More than a call may take.
constexpr std::chrono::seconds kPatience{660};

HttpAnswer refused(int status, std::string_view why) {
  const protocol::Json body{{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", {{"code", -32600}, {"message", why}}}};
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = body.dump()};
}

bool wants_events(const HttpAsked& asked, const std::string& token) {
  return !token.empty() && asked.header("accept").find("text/event-stream") != std::string_view::npos;
}

}  // namespace

bool names_loopback(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end != host.npos && host.substr(0, end + 1) == "[::1]" && (end + 1 == host.size() || host[end + 1] == ':');
  }
  const std::string_view name = host.substr(0, host.find(':'));
  return name == "localhost" || name == "127.0.0.1";
}

// One client, and the thread that serves it.
class HttpService::Session {
 public:
  Session(std::string id, ServerOptions options) : id(std::move(id)) {
    thread_ = std::thread([this, options = std::move(options)]() mutable {
      try {
        Server(box, std::move(options)).run();
      } catch (const std::exception&) {
        // No memory or no threads for it.
      }
      over = true;
      box.give_up();
    });
  }
  ~Session() {
    box.close();
    thread_.join();
  }

  const std::string id;
  Mailbox box;
  std::atomic<bool> over{false};
  std::atomic<int> busy{0};
  std::atomic<Clock::rep> used{Clock::now().time_since_epoch().count()};
  void touch() { used = Clock::now().time_since_epoch().count(); }
  Clock::duration idle() const { return Clock::now() - Clock::time_point(Clock::duration(used.load())); }

 private:
  std::thread thread_;
};

HttpService::HttpService(HttpOptions options) : options_(std::move(options)) {}
HttpService::~HttpService() = default;

void HttpService::handle(const HttpAsked& asked, HttpReply& reply) {
  const std::string_view origin = asked.header("origin");
  if (!names_loopback(asked.header("host"))) return reply.answer(refused(403, "the Host is not this machine's"));
  if (!origin.empty()) {
    const std::size_t scheme = origin.find("://");
    if (scheme == origin.npos || !names_loopback(origin.substr(scheme + 3)))
      return reply.answer(refused(403, "requests of this Origin are not served"));
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view shown = asked.header("authorization");
  if (!shown.starts_with(kBearer) || !transport::same_secret(shown.substr(kBearer.size()), options_.token)) {
    HttpAnswer answer = refused(401, "show the token of this server: Authorization: Bearer TOKEN");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply.answer(answer);
  }
  if (asked.target.substr(0, asked.target.find('?')) != kPath) return reply.answer(refused(404, "the path is /mcp"));
  if (asked.method == "POST") return post(asked, reply);
  if (asked.method == "DELETE") {
    auto session = session_of(asked, false);
    if (!session) return reply.answer(session.error());
    {
      std::lock_guard lock(mutex_);
      sessions_.erase((*session)->id);
    }
    (*session)->box.close();
    return reply.answer({.status = 204});
  }
  HttpAnswer answer = refused(405, "messages are sent by POST; this server begins no stream of its own");
  answer.headers.emplace_back("Allow", "POST, DELETE");
  reply.answer(answer);
}

std::expected<HttpService::Found, HttpAnswer> HttpService::session_of(const HttpAsked& asked, bool begins) {
  const std::string_view id = asked.header("mcp-session-id");
  if (begins && id.empty()) return begin();
  if (id.empty()) return std::unexpected(refused(400, "the header Mcp-Session-Id is missing"));
  std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second->over)
    return std::unexpected(refused(404, "there is no such session; begin another one with initialize"));
  return found->second;
}

std::expected<HttpService::Found, HttpAnswer> HttpService::begin() {
  drop_idle();
  std::lock_guard lock(mutex_);
  if (sessions_.size() >= options_.sessions)
    return std::unexpected(refused(503, "too many sessions are open; end one with DELETE"));
  auto made = std::make_shared<Session>(transport::make_token(), ServerOptions{.roots = options_.roots});
  sessions_.emplace(made->id, made);
  return made;
}

void HttpService::drop_idle() {
  std::vector<Found> dropped;  // outside of the lock: the end of a session may take its time
  std::lock_guard lock(mutex_);
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    const bool old = it->second->over || (it->second->busy == 0 && it->second->idle() > options_.idle);
    if (old) dropped.push_back(std::move(it->second));
    it = old ? sessions_.erase(it) : std::next(it);
  }
}

void HttpService::post(const HttpAsked& asked, HttpReply& reply) {
  if (!asked.header("content-type").starts_with("application/json"))
    return reply.answer(refused(415, "a message is application/json"));
  protocol::Message message = protocol::parse_message(asked.body, kMostValues);
  using Kind = protocol::Message::Kind;
  if (message.kind == Kind::Invalid) return reply.answer(refused(400, message.error.message));
  const bool begins = message.kind == Kind::Request && message.method == "initialize";
  const std::string_view revision = asked.header("mcp-protocol-version");
  if (!begins && !revision.empty() && !is_revision(revision))
    return reply.answer(refused(400, "this revision of the protocol is not spoken"));
  auto session = session_of(asked, begins);
  if (!session) return reply.answer(session.error());
  Session& with = **session;
  with.touch();
  if (message.kind != Kind::Request) {
    with.box.receive(asked.body);
    return reply.answer({.status = 202});
  }
  auto waiting = std::make_shared<Waiting>();
  waiting->id = protocol::id_json(message.id).dump();
  if (message.params.is_object() && message.params.contains("_meta") && message.params["_meta"].is_object() &&
      message.params["_meta"].contains("progressToken"))
    waiting->token = message.params["_meta"]["progressToken"].dump();
  if (!with.box.await(waiting)) return reply.answer(refused(400, "a request with this id is still open"));
  const bool events = wants_events(asked, waiting->token);
  ++with.busy;
  with.box.receive(asked.body);
  const auto end = Clock::now() + kPatience;
  bool there = true;
  std::unique_lock lock(waiting->mutex);
  while (there && !waiting->over && Clock::now() < end) {
    waiting->changed.wait_for(lock, std::chrono::seconds(1), [&] { return waiting->over || !waiting->events.empty(); });
    std::deque<std::string> now = std::exchange(waiting->events, {});
    lock.unlock();
    for (const std::string& event : now) there = there && (!events || reply.event(event));
    lock.lock();
  }
  const std::string answer = waiting->answer;
  lock.unlock();
  with.box.forget(waiting);
  --with.busy;
  with.touch();
  // A client that went away, or waited in vain, cancels what it asked for.
  if (answer.empty()) {
    const protocol::Json cancel{{"requestId", protocol::id_json(message.id)}};
    with.box.receive(protocol::notification_text("notifications/cancelled", cancel));
    return events ? reply.finish() : reply.answer(refused(504, "no answer came"));
  }
  if (events) {
    reply.event(answer);
    return reply.finish();
  }
  HttpAnswer whole{.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, .body = answer};
  if (begins) whole.headers.emplace_back("Mcp-Session-Id", with.id);
  reply.answer(whole);
}

}  // namespace tilewright::mcp
