#include "server/worker/session.h"

#include <algorithm>
#include <new>

#include "compiler/run/job_json.h"
#include "compiler/threads/pause.h"
#include "compiler/toolchain/nvrtc_options.h"

namespace tilewright::worker {
namespace {

namespace wire = protocol::worker;
using protocol::Error;
using protocol::ErrorCode;
using protocol::Json;

// Results that leave in one write with the answer that they belong to.
constexpr std::size_t kTogether = 64u << 10;
// Ready messages to a client who does not read them: beyond this a sender waits, and not for ever.
constexpr std::size_t kAhead = 8u << 20;
constexpr std::chrono::seconds kPatience{60};
// Time for the initialize request.
constexpr std::chrono::seconds kGreeting{15};

endpoint::Limits limits_of(const Options& options) {
  endpoint::Limits limits;
  limits.queued_bytes = 16u << 20;
  limits.open_requests = 1000;
  limits.unfinished_requests = 2000;
  limits.frames.body_bytes = static_cast<std::size_t>(options.limits.message_bytes);
  limits.frames.payload_bytes = wire::kPiece;
  return limits;
}

std::unexpected<Error> wrong(std::string why, ErrorCode code = ErrorCode::InvalidParams) {
  return std::unexpected(Error{code, std::move(why), nullptr});
}

}  // namespace

WorkerSession::WorkerSession(transport::Connection& connection, Worker& worker)
    : connection_(connection),
      worker_(worker),
      endpoint_(connection, limits_of(worker.options)),
      sender_([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (more_.wait(lock, stop, [&] { return !deliveries_.empty(); })) {
          auto work = std::move(deliveries_.front());
          deliveries_.pop_front();
          lock.unlock();
          try {
            work();
          } catch (const std::exception& e) {
            // Without memory for an answer the client would wait for ever.
            Worker::log(std::string("a client was cut off: ") + e.what());
            endpoint_.post([this] { endpoint_.end(1); });
          }
          work = {};
          lock.lock();
        }
      }) {
  impatient_ = std::jthread([this](const std::stop_token& stop) {
    if (!threads::pause(kGreeting, stop)) return;
    endpoint_.post([this] {
      if (!initialized_) endpoint_.end(1);
    });
  });
}

WorkerSession::~WorkerSession() = default;

int WorkerSession::run() { return endpoint_.run(*this); }

void WorkerSession::later(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    deliveries_.push_back(std::move(work));
  }
  more_.notify_one();
}

void WorkerSession::expect_call() {
  std::lock_guard lock(mutex_);
  ++unfinished_;
}

void WorkerSession::called() {
  std::lock_guard lock(mutex_);
  --unfinished_;
  quiet_.notify_all();
}

// Everything that would call back is told to stop, and waited for: it is killed within milliseconds.
void WorkerSession::ending() {
  impatient_.request_stop();
  for (auto& [key, job] : open_) worker_.jobs.withdraw(job);
  sender_.request_stop();
  std::unique_lock lock(mutex_);
  quiet_.wait(lock, [&] { return unfinished_ == 0; });
}

void WorkerSession::dropped(const std::string& why) {
  Worker::log("a message was dropped: " + why);
  // The memory that is missing is missing for all: what this client holds goes with it.
  if (why == std::bad_alloc().what()) endpoint_.end(1);
}

void WorkerSession::request(Message& m) {
  if (m.method == "initialize") return endpoint_.answer(m.id, initialize(m.params));
  if (!initialized_)
    return endpoint_.answer(m.id, wrong("the first message is initialize", ErrorCode::ServerNotInitialized));
  if (m.method == "ping") return endpoint_.answer(m.id, Json::object());
  if (m.method == "status") return endpoint_.answer(m.id, Json(worker_.status()));
  if (m.method == "job/open") return endpoint_.answer(m.id, open(m.params));
  if (m.method == "job/run") return run_job(m);
  if (m.method == "compile") return compile(m);
  endpoint_.answer(m.id, wrong("a worker has no method '" + m.method + "'", ErrorCode::MethodNotFound));
}

void WorkerSession::notification(Message& m) {
  if (!initialized_) return;
  if (m.method == "job/data") return data(m.params, m.payload);
  if (m.method == "job/close") return close_job(m.params.at("key").get<std::string>());
  if (m.method != "$/cancelRequest") return;
  endpoint_.cancel(protocol::id_to_cancel(m.params), {ErrorCode::RequestCancelled, "cancelled", nullptr});
}

std::expected<Json, Error> WorkerSession::initialize(const Json& params) {
  const auto client = params.get<wire::InitializeParams>();
  if (client.protocol != wire::kVersion)
    return wrong("this worker speaks version " + std::to_string(wire::kVersion) + " of its protocol (tilewright " +
                     TILEWRIGHT_VERSION + "), the client version " + std::to_string(client.protocol) +
                     ": install the same tilewright on both sides",
                 ErrorCode::InvalidRequest);
  initialized_ = true;
  shares_ = {std::make_shared<Budget::Share>(worker_.budget), std::make_shared<Budget::Share>(worker_.files)};
  impatient_ = std::jthread([this](const std::stop_token& stop) {
    while (threads::pause(worker_.options.stalled / 4, stop)) endpoint_.post([this] { give_up_stalled(); });
  });
  return Json(worker_.self());
}

// ---- jobs ----

std::expected<Json, Error> WorkerSession::open(const Json& params) {
  if (worker_.options.executes == Executes::Nothing)
    return wrong("this worker only compiles", ErrorCode::RequestFailed);
  if (open_.size() >= static_cast<std::size_t>(worker_.options.limits.queued_jobs))
    return wrong("this client has too many jobs", wire::kBusy);
  auto job = Job::open(params.get<wire::JobOpenParams>(), worker_.options.limits,
                       worker_.options.executes == Executes::Gpu, shares_);
  if (!job) return std::unexpected(job.error());
  if (!worker_.attempts.enter(*job)) return wrong("a later attempt of this job is known", wire::kSuperseded);
  close_job((*job)->key);
  open_[(*job)->key] = *job;
  return Json::object();
}

std::shared_ptr<Job> WorkerSession::job_of(const Json& params) const {
  const auto which = params.get<wire::JobParams>();
  auto at = open_.find(which.key);
  return at == open_.end() || at->second->attempt != which.attempt ? nullptr : at->second;
}

// Data of a job that was refused comes all the same, when its client has not waited: it is dropped.
void WorkerSession::data(const Json& params, std::string_view payload) {
  auto job = job_of(params);
  if (!job || job->ended) return;
  job->touched = std::chrono::steady_clock::now();
  try {
    job->add(params.get<wire::JobDataParams>(), payload);
  } catch (const Json::exception& e) {
    job->spoil(e.what());
  }
}

// A client that opens jobs and leaves it at that would keep others out.
void WorkerSession::give_up_stalled() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::string> stalled;
  for (const auto& [key, job] : open_)
    if (!job->ended && now - job->touched > worker_.options.stalled) stalled.push_back(key);
  for (const std::string& key : stalled) {
    close_job(key);
    if (given_up_.size() < static_cast<std::size_t>(worker_.options.limits.queued_jobs)) given_up_.insert(key);
    Worker::log("a job was given up: nothing of it came any more");
  }
}

void WorkerSession::close_job(const std::string& key) {
  auto at = open_.find(key);
  if (at == open_.end()) return;
  const std::shared_ptr<Job> job = std::move(at->second);
  open_.erase(at);
  if (job->ended) worker_.jobs.withdraw(job);
}

void WorkerSession::run_job(const Message& m) {
  auto job = job_of(m.params);
  if (!job && given_up_.erase(m.params.get<wire::JobParams>().key) > 0)
    return endpoint_.answer(m.id, wrong("the job was given up: nothing of it came for too long", wire::kBusy));
  if (!job) return endpoint_.answer(m.id, wrong("there is no such job"));
  if (job->ended) return endpoint_.answer(m.id, wrong("the job runs already", ErrorCode::InvalidRequest));
  if (std::string why = job->lacks(); !why.empty()) {
    close_job(job->key);
    return endpoint_.answer(m.id, wrong(why));
  }
  auto open = endpoint_.open(m.id, m.method, job->key);
  if (!open) return endpoint_.answer(m.id, std::unexpected(open.error()));
  expect_call();
  job->client = this;
  job->progress = [this](const wire::JobProgress& progress) { endpoint_.notify("job/progress", progress); };
  job->ended = [this, request = *open, weak = std::weak_ptr(job)](Ending ending) {
    if (auto done = weak.lock()) {
      later([this, request, done, ending = std::move(ending)]() mutable {
        deliver(request, done, std::move(ending));
        const std::string key = done->key;
        const int attempt = done->attempt;
        endpoint_.post([this, key, attempt] {
          auto at = open_.find(key);
          if (at != open_.end() && at->second->attempt == attempt) open_.erase(at);
        });
      });
    }
    called();
  };
  // Cancelled, it ends wherever it is.
  auto on_cancel = std::make_shared<std::stop_callback<std::function<void()>>>(
      (*open)->stop.get_token(), std::function<void()>([this, weak = std::weak_ptr(job)] {
        if (auto cancelled = weak.lock()) worker_.jobs.withdraw(cancelled);
      }));
  job->ended = [inner = std::move(job->ended), on_cancel](Ending ending) mutable {
    on_cancel.reset();
    inner(std::move(ending));
  };
  if (worker_.jobs.submit(job)) return;
  called();
  job->ended = {};
  close_job(job->key);
  endpoint_.answer(
      *open,
      wrong("the queue is full: " + std::to_string(worker_.options.limits.queued_jobs) + " jobs wait", wire::kBusy));
}

// On the session's own thread.
void WorkerSession::deliver(const std::shared_ptr<endpoint::Open>& open, const std::shared_ptr<Job>& job,
                            Ending ending) {
  if (open->answered()) return;
  const auto nobody_waits = [&] {
    return worker_.attempts.is_latest(*job) ? wrong("the job was withdrawn", ErrorCode::RequestCancelled)
                                            : wrong("a later attempt of this job is known", wire::kSuperseded);
  };
  if (!worker_.attempts.is_latest(*job)) return endpoint_.answer(open, nobody_waits());
  // An input that stayed as it was is the client's own: nothing comes back of it.
  for (std::size_t i = 0; i < ending.outcome.buffers.size(); ++i) {
    run::Contents& left = ending.outcome.buffers[i].contents;
    if (left.data() == job->order.buffers[i].contents.data()) left = {};
  }
  std::size_t bytes = 0;
  for (const run::BufferOutcome& b : ending.outcome.buffers)
    bytes += b.contents.size() + b.later.size() + 2 * b.alone.size();
  for (const std::string& marks : ending.outcome.marks.bytes) bytes += marks.size();
  if (bytes > wire::kPiece) job->progress({.key = job->key, .state = "sending"});
  const transport::Together together(bytes <= kTogether ? &connection_ : nullptr);
  if (!send_contents(*job, ending.outcome)) {
    if (job->stop.stop_requested()) return endpoint_.answer(open, nobody_waits());  // unless it was answered
    if (!open->answered()) {
      Worker::log("a client that did not read its results was cut off");
      endpoint_.post([this] { endpoint_.end(1); });
    }
    return;
  }
  wire::JobResult result{Json(run::outcome_json(ending.outcome)), std::move(ending.findings)};
  endpoint_.answer(open, Json(result));
}

bool WorkerSession::send_contents(const Job& job, const run::Outcome& outcome) {
  for (std::size_t i = 0; i < outcome.buffers.size(); ++i) {
    const run::BufferOutcome& b = outcome.buffers[i];
    for (const auto& [what, contents] :
         {std::pair("contents", &b.contents), {"later", &b.later}, {"timed", &b.timed}, {"alone", &b.alone}})
      if (!send_pieces(job, what, i, contents->view(), std::make_shared<const run::Contents>(*contents))) return false;
  }
  for (std::size_t i = 0; i < outcome.marks.bytes.size(); ++i) {
    const auto marks = std::make_shared<const std::string>(outcome.marks.bytes[i]);
    if (!send_pieces(job, "marks", i, *marks, marks)) return false;
  }
  return true;
}

// `owner` keeps the bytes: they may leave after the job is gone.
bool WorkerSession::send_pieces(const Job& job, const char* what, std::size_t index, std::string_view bytes,
                                const std::shared_ptr<const void>& owner) {
  for (std::size_t at = 0; at < bytes.size(); at += wire::kPiece) {
    if (!connection_.wait_for_room(kAhead, kPatience, sender_.get_stop_token())) return false;
    if (job.stop.stop_requested()) return false;
    const wire::JobDataParams where{.key = job.key,
                                    .attempt = job.attempt,
                                    .what = what,
                                    .index = static_cast<int>(index),
                                    .offset = static_cast<std::int64_t>(at)};
    endpoint_.notify("job/result", where, {bytes.substr(at, wire::kPiece), owner});
  }
  return true;
}

// ---- compilations ----

void WorkerSession::compile(const Message& m) {
  if (!worker_.self().compiles)
    return endpoint_.answer(
        m.id, wrong("this worker does not compile: " + worker_.self().compiler, ErrorCode::RequestFailed));
  const auto params = m.params.get<wire::CompileParams>();
  if (params.source.empty() || params.arch.empty())
    return endpoint_.answer(m.id, wrong("a compilation needs source and arch"));
  if (!toolchain::is_architecture(params.arch))
    return endpoint_.answer(m.id, wrong("an architecture is sm_ or compute_ with a number, as sm_90a"));
  if (std::string why = toolchain::wrong_options(params.options); !why.empty())
    return endpoint_.answer(m.id, wrong(why));
  auto open = endpoint_.open(m.id, m.method, {});
  if (!open) return endpoint_.answer(m.id, std::unexpected(open.error()));
  toolchain::Request request;
  request.cuda_source = params.source;
  request.arch = params.arch;
  request.options = params.options;
  request.want_ptx = params.ptx;
  request.want_cubin = params.cubin;
  request.want_sass = params.sass;
  request.stop = (*open)->stop.get_token();
  const auto bytes = static_cast<std::int64_t>(params.source.size());
  if (!shares_.bytes->take(bytes))
    return endpoint_.answer(*open, wrong("the worker has no room for it now", wire::kBusy));
  const std::shared_ptr<void> held(nullptr, [share = shares_.bytes, bytes](void*) { share->give(bytes); });
  expect_call();
  auto then = [this, open = *open, held](const Compilations::Made& made) {
    wire::CompileResult result;
    std::string payload;
    if (made) {
      result.log = made->log;
      result.sass_missing = made->sass_missing;
      for (const std::string* part : {&made->ptx, &made->cubin, &made->sass}) {
        result.sizes.push_back(static_cast<std::int64_t>(part->size()));
        payload += *part;
      }
    } else {
      result.failed = toolchain::kErrorWords[made.error().kind];
      result.message = made.error().message;
      result.log = made.error().log;
    }
    endpoint_.answer(open, Json(result), payload);
    called();
  };
  if (worker_.compilations.compile(this, std::move(request), then)) return;
  called();
  endpoint_.answer(*open, wrong("too many compilations wait", wire::kBusy));
}

}  // namespace tilewright::worker
