#include "server/remote/client.h"

#include <algorithm>
#include <array>

#include "compiler/text/bounds.h"

namespace tilewright::remote {
namespace {

namespace wire = protocol::worker;
using namespace std::chrono_literals;
using protocol::ErrorCode;
using Clock = std::chrono::steady_clock;

// How often a worker is asked whether it is there.
constexpr std::chrono::milliseconds kAskAgain = 5s;
// Ready messages beyond which a sender waits.
constexpr std::size_t kAhead = 8u << 20;
// Jobs with so few bytes are sent in one go, without asking first.
constexpr std::size_t kSmall = 1u << 20;

endpoint::Limits limits() {
  endpoint::Limits out;
  out.queued_bytes = 16u << 20;
  out.asked = 10'000;
  out.frames.payload_bytes = 256u << 20;  // of a compilation; pieces of arrays are smaller
  return out;
}

CallError error_of(const protocol::Error& e) {
  using Kind = CallError::Kind;
  return {e.code == wire::kBusy         ? Kind::Busy
          : e.code == wire::kSuperseded ? Kind::Superseded
                                        : Kind::Refused,
          e.message};
}

// Which of the contents of a buffer a piece belongs to, as run/job.h has them.
std::size_t part_of(std::string_view what) {
  static constexpr std::array<std::string_view, run::kResultsPerBuffer> kParts{"contents", "later", "timed", "alone"};
  const auto at = std::ranges::find(kParts, what);
  return at == kParts.end() ? 0 : static_cast<std::size_t>(at - kParts.begin());
}

std::unexpected<CallError> broken(const std::string& why) {
  return std::unexpected(CallError{CallError::Kind::Refused, "its answer is broken: " + why});
}

}  // namespace

Client::Client(std::unique_ptr<transport::Connection> connection, const Patience& patience)
    : connection_(std::move(connection)),
      patience_(patience),
      endpoint_(*connection_, limits()),
      heard_(Clock::now().time_since_epoch().count()),
      thread_([this] { endpoint_.run(*this); }) {}

Client::~Client() {
  endpoint_.post([this] { endpoint_.end(0); });
  thread_.join();
}

Called<std::shared_ptr<Client>> Client::open(std::unique_ptr<transport::Connection> connection,
                                             const std::string& token, const Patience& patience,
                                             const std::stop_token& stop) {
  std::shared_ptr<Client> out(new Client(std::move(connection), patience));
  const wire::InitializeParams hello{
      .protocol = wire::kVersion, .client = "tilewright", .version = TILEWRIGHT_VERSION, .token = token};
  auto answer = out->call("initialize", hello, {Clock::now() + patience.greeting, false}, stop);
  if (!answer) return std::unexpected(answer.error());
  try {
    out->worker_ = answer->result.get<wire::InitializeResult>();
  } catch (const text::OutOfBounds& e) {
    return std::unexpected(
        CallError{CallError::Kind::Refused, std::string("the worker's greeting is broken: ") + e.what()});
  } catch (const Json::exception&) {
    return std::unexpected(CallError{CallError::Kind::Refused, "what answers is no tilewright worker"});
  }
  if (out->worker_.protocol != wire::kVersion)
    return std::unexpected(CallError{CallError::Kind::Refused,
                                     "the worker's tilewright " + out->worker_.version + " speaks version " +
                                         std::to_string(out->worker_.protocol) + " of the protocol, this one version " +
                                         std::to_string(wire::kVersion)});
  return out;
}

// ---- what comes, on the endpoint's thread ----

void Client::request(protocol::Message& m) {
  endpoint_.answer(m.id, std::unexpected(protocol::Error{ErrorCode::MethodNotFound, "a client answers nothing", {}}));
}

void Client::notification(protocol::Message& m) {
  heard_ = Clock::now().time_since_epoch().count();
  std::lock_guard lock(mutex_);
  if (m.method == "job/progress") {
    const auto progress = m.params.get<wire::JobProgress>();
    auto sink = sinks_.find(progress.key);
    if (sink != sinks_.end() && *sink->second.progress) (*sink->second.progress)(progress);
    return;
  }
  if (m.method != "job/result") return;
  const auto where = m.params.get<wire::JobDataParams>();
  auto sink = sinks_.find(where.key);
  if (sink != sinks_.end() && sink->second.attempt == where.attempt) take(sink->second, where, m.payload);
}

// Pieces of a result come in order, without gaps, and end where it ends.
void Client::take(Sink& sink, const wire::JobDataParams& where, std::string_view piece) {
  if (!sink.spoilt.empty()) return;
  if (where.what == "marks") return take_marks(sink, where, piece);
  const std::size_t buffers = sink.results.size() / run::kResultsPerBuffer;
  const auto index = static_cast<std::size_t>(where.index), offset = static_cast<std::size_t>(where.offset);
  if (index >= buffers) {
    sink.spoilt = "a result of buffer " + std::to_string(index) + ", where there are " + std::to_string(buffers);
    return;
  }
  const std::size_t i = index + part_of(where.what) * buffers;
  const run::Contents& to = sink.results[i];
  std::size_t& received = sink.received[i];
  if (offset != received || piece.size() > to.size() - received) {
    sink.spoilt = "a result has " + std::to_string(piece.size()) + " bytes at " + std::to_string(offset) + ", where " +
                  std::to_string(received) + " of " + std::to_string(to.size()) + " are there";
    return;
  }
  to.put(offset, piece);
  received += piece.size();
}

void Client::take_marks(Sink& sink, const wire::JobDataParams& where, std::string_view piece) {
  const auto index = static_cast<std::size_t>(where.index), offset = static_cast<std::size_t>(where.offset);
  if (index >= sink.marks.size()) {
    sink.spoilt = "marks of launch " + std::to_string(index) + ", where there are " + std::to_string(sink.marks.size());
    return;
  }
  std::string& to = sink.marks[index];
  if (offset != to.size() || piece.size() > static_cast<std::size_t>(run::kMostMarkBytes) - to.size()) {
    sink.spoilt = "marks have " + std::to_string(piece.size()) + " bytes at " + std::to_string(offset) + ", where " +
                  std::to_string(to.size()) + " are there, of at most " + std::to_string(run::kMostMarkBytes);
    return;
  }
  to.append(piece);
}

// A message that the protocol does not have, or a number out of its range.
void Client::dropped(const std::string& why) {
  lose("the worker sent what cannot be understood: " + why);
  endpoint_.end(0);
}

// A worker never says such a thing: a shell that greets, a command that is another one.
void Client::malformed(const std::string& why) {
  lose("what answers does not speak as a worker does (" + why + ")");
  endpoint_.end(0);
}

void Client::closed() {
  lose(connection_->why_closed());
  endpoint_.end(0);
}

void Client::lose(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    if (why_lost_.empty()) why_lost_ = why.empty() ? "the worker closed the connection" : why;
    lost_ = true;
  }
  changed_.notify_all();
}

CallError Client::lost_error() {
  std::lock_guard lock(mutex_);
  return {CallError::Kind::Lost, why_lost_};
}

// ---- calls ----

void Client::ask(const std::shared_ptr<Waiting>& waiting, const char* method, const Json& params) {
  std::string id = endpoint_.call(method, params, [this, waiting](endpoint::Answer<Json> answer, std::string payload) {
    heard_ = Clock::now().time_since_epoch().count();
    {
      std::lock_guard lock(mutex_);
      waiting->done = true;
      if (answer) {
        waiting->reply = Reply{std::move(*answer), std::move(payload)};
      } else {
        waiting->reply = std::unexpected(error_of(answer.error()));
      }
    }
    changed_.notify_all();
  });
  std::lock_guard lock(mutex_);
  waiting->id = std::move(id);
}

Called<Client::Reply> Client::wait(const std::shared_ptr<Waiting>& waiting, const Until& until,
                                   const std::stop_token& stop) {
  const auto pause = std::min(kAskAgain, std::chrono::milliseconds(patience_.silence) / 3);
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto next = std::min(until.time, Clock::now() + pause);
    changed_.wait_until(lock, stop, next, [&] { return waiting->done || lost_; });
    if (waiting->done) return std::move(waiting->reply);
    if (lost_) return std::unexpected(CallError{CallError::Kind::Lost, why_lost_});
    if (stop.stop_requested()) break;
    const Clock::time_point heard{Clock::duration(heard_.load())};
    // Before its greeting nothing is heard: a container, or a place in a cluster, may take a while.
    const bool greeted = worker_.protocol != 0, silent = greeted && Clock::now() - heard > patience_.silence;
    const bool late = Clock::now() >= until.time;
    if (late && until.cancels) break;
    if (late || silent) {
      lock.unlock();
      lose(greeted
               ? "the worker does not answer: it has said nothing for " + seconds_text(patience_.silence)
               : "the worker does not answer: it has not said who it is within " + seconds_text(patience_.greeting));
      return std::unexpected(lost_error());
    }
    endpoint_.post([this] {
      endpoint_.call("ping", Json::object(),
                     [this](const auto&, const auto&) { heard_ = Clock::now().time_since_epoch().count(); });
    });
  }
  const std::string id = waiting->id;
  lock.unlock();
  if (!id.empty()) endpoint_.notify("$/cancelRequest", {{"id", id}});
  if (!stop.stop_requested())
    return std::unexpected(
        CallError{CallError::Kind::GivenUp, "given up: there was no answer within " + seconds_text(patience_.answer)});
  return std::unexpected(CallError{CallError::Kind::Stopped, "the request was cancelled"});
}

Client::Until Client::soon() const { return {Clock::now() + patience_.silence, false}; }

Called<Client::Reply> Client::call(const char* method, Json params, const Until& until, const std::stop_token& stop) {
  auto waiting = std::make_shared<Waiting>();
  endpoint_.post([this, waiting, method, params = std::move(params)] { ask(waiting, method, params); });
  return wait(waiting, until, stop);
}

Called<double> Client::ping(const std::stop_token& stop) {
  const auto start = Clock::now();
  auto answer = call("ping", Json::object(), soon(), stop);
  if (!answer) return std::unexpected(answer.error());
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Called<wire::StatusResult> Client::status(const std::stop_token& stop) {
  auto answer = call("status", Json::object(), soon(), stop);
  if (!answer) return std::unexpected(answer.error());
  try {
    return answer->result.get<wire::StatusResult>();
  } catch (const Json::exception& e) {
    return broken(e.what());
  }
}

Called<Client::Compiled> Client::compile(const wire::CompileParams& params, const std::stop_token& stop) {
  auto answer = call("compile", params, {Clock::now() + patience_.answer}, stop);
  if (!answer) return std::unexpected(answer.error());
  try {
    return Compiled{answer->result.get<wire::CompileResult>(), std::move(answer->payload)};
  } catch (const Json::exception& e) {
    return broken(e.what());
  }
}

// ---- jobs ----

namespace {

// Bytes that live as long as they are being sent, also after the end of the job. Tensors are shared, code is
// copied.
template <class T>
transport::Kept kept(const T& bytes) {
  auto owner = std::make_shared<const T>(bytes);
  const std::string_view view = *owner;
  return {view, std::move(owner)};
}

// Everything of a job that is bytes, in the order in which it is sent.
struct Part {
  const char* what;
  int index;
  transport::Kept contents;
  transport::Kept piece(std::size_t at) const { return {contents.bytes.substr(at, wire::kPiece), contents.owner}; }
};
std::vector<Part> parts_of(const run::Job& job, bool cubins) {
  std::vector<Part> out;
  int at = 0;
  if (cubins)
    for (const auto* launches : {&job.launches, &job.rivals, &job.marked})
      for (const run::JobLaunch& launch : *launches) out.push_back({"cubin", at++, kept(launch.cubin)});
  at = 0;
  for (const run::JobBuffer& b : job.buffers) out.push_back({"buffer", at++, kept(b.contents)});
  return out;
}

}  // namespace

Called<Client::Reply> Client::send_and_run(const wire::JobOpenParams& open, const run::Job& job, const Until& until,
                                           const std::stop_token& stop) {
  const std::vector<Part> parts = parts_of(job, !open.script);
  std::size_t bytes = 0;
  for (const Part& p : parts) bytes += p.contents.bytes.size();
  auto place = [&open](const Part& p, std::size_t at) {
    return wire::JobDataParams{.key = open.key,
                               .attempt = open.attempt,
                               .what = p.what,
                               .index = p.index,
                               .offset = static_cast<std::int64_t>(at)};
  };
  const wire::JobParams which{open.key, open.attempt};
  if (bytes <= kSmall) {
    // In one go: what was sent although the job is refused is dropped. The task owns all that it sends.
    auto opened = std::make_shared<Waiting>(), ran = std::make_shared<Waiting>();
    std::vector<std::pair<Json, transport::Kept>> pieces;
    for (const Part& p : parts)
      if (!p.contents.bytes.empty()) pieces.emplace_back(place(p, 0), p.contents);
    const bool turns = in_turns_;
    if (turns)
      if (auto first = call("job/open", open, until, stop); !first) return first;
    endpoint_.post([this, turns, opened, ran, pieces = std::move(pieces), first = Json(open), last = Json(which)] {
      const transport::Together together(connection_.get());
      if (!turns) ask(opened, "job/open", first);
      for (const auto& [where, piece] : pieces) endpoint_.notify("job/data", where, piece);
      ask(ran, "job/run", last);
    });
    if (!turns)
      if (auto first = wait(opened, until, stop); !first) return first;
    return wait(ran, until, stop);
  }
  if (auto opened = call("job/open", open, until, stop); !opened) return opened;
  for (const Part& p : parts)
    for (std::size_t at = 0; at < p.contents.bytes.size(); at += wire::kPiece) {
      if (!connection_->wait_for_room(kAhead, 2 * patience_.silence, stop)) {
        if (stop.stop_requested()) return std::unexpected(CallError{CallError::Kind::Stopped, {}});
        lose("the worker has not taken what is sent for " + seconds_text(2 * patience_.silence));
        return std::unexpected(lost_error());
      }
      endpoint_.notify("job/data", place(p, at), p.piece(at));
    }
  return call("job/run", which, until, stop);
}

Called<Client::Ran> Client::run(const wire::JobOpenParams& open, const run::Job& job,
                                std::span<const run::Contents> results, const Progress& progress, Time end,
                                const std::stop_token& stop) {
  {
    std::lock_guard lock(mutex_);
    sinks_[open.key] = {open.attempt, results, &progress, std::vector<std::size_t>(results.size()),
                        std::vector<std::string>(job.marked.size())};
  }
  auto answer = send_and_run(open, job, {end}, stop);
  Sink sink;
  {
    std::lock_guard lock(mutex_);
    sink = std::move(sinks_[open.key]);
    sinks_.erase(open.key);
  }
  if (!answer) {
    if (answer.error().kind != CallError::Kind::Lost) endpoint_.notify("job/close", {{"key", open.key}});
    return std::unexpected(answer.error());
  }
  if (!sink.spoilt.empty()) return broken(sink.spoilt);
  try {
    return Ran{answer->result.get<wire::JobResult>(), std::move(sink.received), std::move(sink.marks)};
  } catch (const Json::exception& e) {
    return broken(e.what());
  }
}

}  // namespace tilewright::remote
