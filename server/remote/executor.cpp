#include "server/remote/executor.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>
#include <thread>

#include "compiler/run/job_json.h"
#include "compiler/simulate/codes.h"
#include "compiler/threads/pause.h"
#include "server/project/environment.h"
#include "server/project/run_targets.h"
#include "server/remote/consent.h"
#include "server/remote/install.h"
#include "server/remote/ssh.h"

namespace tilewright::remote {
namespace {

namespace wire = protocol::worker;
using namespace std::chrono_literals;
using protocol::Json;

constexpr int kAttempts = 3;
// How long a worker may have no room before a run is given up.
constexpr auto kRoom = std::chrono::minutes(30);

// 128 bits that are drawn once.
std::string fresh_key() {
  std::string out;
  for (int half = 0; half < 2; ++half) {
    std::uint64_t bits = project::random_bits();
    for (int i = 0; i < 16; ++i, bits >>= 4) out += "0123456789abcdef"[bits & 15];
  }
  return out;
}

run::Outcome outcome_of(run::Status status, std::string message) {
  run::Outcome out;
  out.status = status;
  out.message = std::move(message);
  return out;
}

Json number_json(const run::Number& n) { return n.real ? Json(n.floating) : Json(n.integer); }

wire::Script script_of(const run::Bound& bound, const RemoteOptions& options) {
  const run::ScriptText text = bound.script->text();
  wire::Script out;
  for (const auto& f : text.files) out.files.push_back({f.path, f.text});
  for (const auto& i : text.imports) out.imports.push_back({i.module, i.level, i.importer, i.path});
  out.entries = text.entries;
  out.target = text.target;
  out.dialect = text::dialect_name(text.dialect);
  out.steps = text.limits.steps;
  out.memory_bytes = text.limits.memory_bytes;
  out.depth = text.limits.depth;
  for (const auto& [name, value] : bound.extents) out.values[name] = value;
  for (const auto& [name, value] : bound.values) out.values[name] = number_json(value);
  out.simulator_steps = options.simulator_steps;
  out.jobs = options.simulator_jobs;
  return out;
}

wire::JobOpenParams open_of(const run::Bound& bound, const RemoteOptions& options, bool cubins) {
  wire::JobOpenParams open;
  open.key = fresh_key();
  open.order = Json(run::order_json(bound.job));
  if (cubins) {
    for (const auto* launches : {&bound.job.launches, &bound.job.rivals, &bound.job.marked})
      for (const run::JobLaunch& launch : *launches)
        open.cubins.push_back(static_cast<std::int64_t>(launch.cubin.size()));
    open.deadline_seconds = options.deadline_seconds;
  } else {
    open.script = script_of(bound, options);
    open.deadline_seconds = options.simulator_seconds;
  }
  return open;
}

// Codes live for ever in a finding; a worker of another release may know one more.
std::string_view code_of(const std::string& code) {
  for (const text::CodeInfo& known : simulate::kCodes)
    if (known.code == code) return known.code;
  static std::mutex mutex;
  static std::set<std::string, std::less<>> others;
  constexpr std::size_t kMost = 100;
  std::lock_guard lock(mutex);
  if (others.size() >= kMost) return simulate::code::kNotModelled;
  return *others.insert(code).first;
}

ir::Origin origin_of(const std::vector<wire::Place>& places, run::Script& script) {
  std::vector<run::ScriptPlace> out;
  for (const wire::Place& p : places) out.push_back({p.path, p.begin, p.end});
  return out.empty() ? ir::Origin{} : script.origin(out);
}

simulate::Finding finding_of(const wire::Finding& f, run::Script& script) {
  simulate::Finding out;
  out.code = code_of(f.code);
  out.severity = simulate::kSeverityWords.find(f.severity).value_or(simulate::Severity::Error);
  out.message = f.message;
  out.hint = f.hint;
  out.origin = origin_of(f.places, script);
  for (std::size_t i = 0; i < std::min(out.cta.size(), f.cta.size()); ++i) out.cta[i] = f.cta[i];
  out.thread = f.thread;
  out.times = f.times;
  out.from_input = f.from_input;
  out.weight = f.weight;
  for (const wire::Related& r : f.related) out.related.push_back({origin_of(r.places, script), r.message});
  return out;
}

// What the worker says of results is there.
std::string lacking(const run::Outcome& outcome, std::span<const run::Contents> results,
                    const std::vector<std::size_t>& received) {
  for (std::size_t i = 0; i < outcome.buffers.size(); ++i) {
    const run::BufferOutcome& b = outcome.buffers[i];
    const std::size_t all = results.size() / run::kResultsPerBuffer;
    for (const auto& [contents, at] :
         {std::pair(&b.contents, i), {&b.later, all + i}, {&b.timed, 2 * all + i}, {&b.alone, 3 * all + i}})
      if (!contents->empty() && contents->data() == results[at].data() && received[at] != contents->size())
        return std::to_string(received[at]) + " of the " + std::to_string(contents->size()) + " bytes of result " +
               std::to_string(i) + " came";
  }
  return {};
}

std::string words_of(const wire::JobProgress& p, const std::string& name) {
  if (p.state == "queued" && p.ahead > 0)
    return std::to_string(p.ahead) + (p.ahead == 1 ? " run comes" : " runs come") + " first on " + name;
  if (p.state == "queued") return "next on " + name;
  if (p.state == "sending") return "receiving what it left on " + name;
  if (p.all > 1) return "simulated " + std::to_string(p.done) + " of " + std::to_string(p.all) + " clusters on " + name;
  return "running on " + name;
}

}  // namespace

RemoteExecutor::RemoteExecutor(std::shared_ptr<Link> link, wire::InitializeResult worker, RemoteOptions options)
    : link_(std::move(link)), worker_(std::move(worker)), options_(std::move(options)) {}

std::expected<run::DeviceInfo, std::string> RemoteExecutor::device(const std::stop_token& stop) {
  if (auto there = link_->client(stop); !there) return std::unexpected(there.error().message);
  if (worker_.executes == "none") return std::unexpected("its worker only compiles");
  if (!runs_cubins() || worker_.devices.empty()) {
    run::DeviceInfo simulator;
    simulator.name = "simulator";
    return simulator;
  }
  return run::device_of(text::Json(worker_.devices.front()));
}

std::expected<toolchain::Artifacts, toolchain::Error> RemoteExecutor::compile(const toolchain::Request& request) {
  using toolchain::Error;
  auto failed = [this](Error::Kind kind, const std::string& why) {
    return std::unexpected(Error{kind, link_->name() + ": " + why, {}, {}});
  };
  const wire::CompileParams params{.source = request.cuda_source,
                                   .arch = request.arch,
                                   .options = request.options,
                                   .ptx = request.want_ptx,
                                   .cubin = request.want_cubin,
                                   .sass = request.want_sass};
  std::string why;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    auto client = link_->client(request.stop);
    if (!client) return failed(Error::Kind::Helper, client.error().message);
    auto made = (*client)->compile(params, request.stop);
    if (!made) {
      if (made.error().kind == CallError::Kind::Stopped) return failed(Error::Kind::Stopped, "stopped");
      why = made.error().message;
      if (made.error().kind == CallError::Kind::Lost) continue;
      if (made.error().kind == CallError::Kind::GivenUp) return failed(Error::Kind::Time, why);
      return failed(Error::Kind::NoCuda, why);
    }
    const wire::CompileResult& r = made->result;
    if (!r.failed.empty()) {
      const Error::Kind kind = toolchain::kErrorWords.find(r.failed).value_or(Error::Kind::Helper);
      return std::unexpected(Error{kind, link_->name() + ": " + r.message, r.log, {}});
    }
    toolchain::Artifacts out;
    std::size_t from = 0, i = 0;
    for (std::string* part : {&out.ptx, &out.cubin, &out.sass}) {
      const std::int64_t size = i < r.sizes.size() ? r.sizes[i++] : 0;
      if (size < 0 || static_cast<std::size_t>(size) > made->bytes.size() - from)
        return failed(Error::Kind::Helper, "its answer is broken");
      *part = made->bytes.substr(from, static_cast<std::size_t>(size));
      from += static_cast<std::size_t>(size);
    }
    out.log = r.log;
    out.sass_missing = r.sass_missing;
    return out;
  }
  return failed(Error::Kind::Helper, "the connection was lost " + std::to_string(kAttempts) + " times: " + why);
}

// One attempt; Busy is waited for, as nothing was begun.
Called<run::Outcome> RemoteExecutor::attempt(Client& client, wire::JobOpenParams& open, const run::Bound& bound,
                                             Client::Time end, const std::stop_token& stop) {
  const std::vector<run::Contents> results = run::results_for(bound.job);
  const Client::Progress progress = [this](const wire::JobProgress& p) { tell(words_of(p, link_->name())); };
  const auto room = std::min(end, std::chrono::steady_clock::now() + kRoom);
  for (auto pause = 20ms;; pause = std::min<std::chrono::milliseconds>(pause * 2, 1000ms)) {
    auto answer = client.run(open, bound.job, results, progress, end, stop);
    if (answer) {
      auto outcome = run::outcome_of(text::Json(answer->result.outcome), bound.job, results);
      std::string why = outcome ? lacking(*outcome, results, answer->received) : outcome.error();
      if (!why.empty()) return std::unexpected(CallError{CallError::Kind::Refused, "its answer is broken: " + why});
      if (!outcome->marks.plain.empty()) outcome->marks.bytes = std::move(answer->marks);
      if (bound.script)
        for (const wire::Finding& f : answer->result.findings)
          outcome->findings.push_back(finding_of(f, *bound.script));
      return std::move(*outcome);
    }
    if (answer.error().kind != CallError::Kind::Busy || std::chrono::steady_clock::now() > room)
      return std::unexpected(answer.error());
    tell("waiting for room on " + link_->name() + ": " + answer.error().message);
    if (!threads::pause(pause, stop)) return std::unexpected(CallError{CallError::Kind::Stopped, {}});
    ++open.attempt;
  }
}

run::Outcome RemoteExecutor::execute(const run::Bound& bound, const std::stop_token& stop) {
  using run::Status;
  if (!runs_cubins() && !bound.script)
    return outcome_of(Status::Incomplete, "the simulator of " + link_->name() + " needs the script");
  wire::JobOpenParams open = open_of(bound, options_, runs_cubins());
  std::string why;
  std::optional<Client::Time> end;
  for (int times = 1; times <= kAttempts; ++times, ++open.attempt) {
    auto client = link_->client(stop);
    if (stop.stop_requested()) return outcome_of(Status::Stopped, {});
    if (!client) return outcome_of(Status::Lost, link_->name() + ": " + client.error().message);
    if (!end) end = std::chrono::steady_clock::now() + (*client)->patience().answer;
    auto outcome = attempt(**client, open, bound, *end, stop);
    if (outcome) return std::move(*outcome);
    const CallError& error = outcome.error();
    switch (error.kind) {
      case CallError::Kind::Stopped: return outcome_of(Status::Stopped, {});
      case CallError::Kind::Lost: break;
      case CallError::Kind::GivenUp: return outcome_of(Status::Timeout, link_->name() + ": " + error.message);
      default: return outcome_of(Status::NotLaunched, link_->name() + ": " + error.message);
    }
    why = error.message;
    tell("the connection to " + link_->name() + " was lost: trying again");
  }
  return outcome_of(Status::Lost, link_->name() + ": the connection was lost " + std::to_string(kAttempts) +
                                      " times in this run: " + why);
}

namespace {

// The first use of a machine behind ssh: where there is no answer, it may be for want of tilewright there.
std::expected<std::shared_ptr<Client>, run::Failure> first_client(Link& link, const Place& place,
                                                                  const RemoteOptions& options,
                                                                  const std::stop_token& stop) {
  auto client = link.client(stop);
  if (client || place.kind != Kind::Ssh || stop.stop_requested()) return client;
  auto offered =
      offer_install(place, stands_at_terminal(), options.confirm, options.told ? options.told : options.progress, stop);
  if (!offered) return std::unexpected(offered.error());
  return *offered ? link.client(stop) : client;
}

}  // namespace

std::expected<std::vector<work::Slot>, run::Failure> slots_at(const Place& place, const RemoteOptions& options,
                                                              const std::stop_token& stop) {
  const Told told = options.told ? options.told : options.progress;
  std::vector<work::Slot> out;
  const std::vector<Reach> ways = ways_to(place, told);
  Patience patience = place.patience;
  if (options.silence) patience.set_silence(*options.silence);
  if (options.answer) patience.answer = std::chrono::seconds(*options.answer);
  for (const Reach& way : ways) {
    auto link = std::make_shared<Link>(place.name, way, patience);
    auto client = out.empty() ? first_client(*link, place, options, stop) : link->client(stop);
    if (!client) {
      // Of several workers one that does not start leaves the others.
      if (!out.empty()) break;
      return std::unexpected(run::Failure{place.name + ": " + client.error().message, client.error().hint});
    }
    const wire::InitializeResult worker = (*client)->worker();
    const int slots = ways.size() > 1 ? 1 : std::max(1, place.slots > 0 ? place.slots : worker.slots);
    for (int i = 0; i < slots; ++i)
      out.push_back(
          {slots * static_cast<int>(ways.size()) == 1 ? place.name : place.name + " " + std::to_string(out.size()),
           std::make_unique<RemoteExecutor>(link, worker, options)});
  }
  return out;
}

std::expected<Reachable, run::Failure> slots_at(std::string_view word, const project::Config& config,
                                                const RemoteOptions& options, const std::stop_token& stop) {
  auto places = allowed_places(word, config);
  if (!places) return std::unexpected(places.error());
  // All at once: one that does not answer keeps only its own.
  std::vector<std::future<std::expected<std::vector<work::Slot>, run::Failure>>> asked;
  for (const Place& place : *places)
    asked.push_back(std::async(std::launch::async, [&] { return slots_at(place, options, stop); }));
  Reachable out;
  for (auto& answer : asked) {
    auto slots = answer.get();
    if (!slots) {
      out.left_out.push_back(slots.error());
    } else {
      std::ranges::move(*slots, std::back_inserter(out.slots));
    }
  }
  if (!out.slots.empty()) return out;
  run::Failure none = out.left_out.front();
  for (std::size_t i = 1; i < out.left_out.size(); ++i) none.message += "\n  " + out.left_out[i].message;
  return std::unexpected(none);
}

std::expected<std::vector<work::Slot>, run::Failure> slots_for(const std::string& on, const std::string& script,
                                                               const SlotOptions& options,
                                                               const std::stop_token& stop) {
  if (on.empty() || project::is_local_target(on)) return work::slots_on(on, options.here, stop);
  std::error_code ec;
  const std::filesystem::path place = std::filesystem::absolute(script, ec);
  auto config = project::find_config(std::filesystem::is_directory(place, ec) ? place / "script.py" : place);
  if (!config) return std::unexpected(run::Failure{config.error(), {}});
  auto found = slots_at(on, *config, options.elsewhere, stop);
  if (!found) return std::unexpected(found.error());
  for (const run::Failure& f : found->left_out) options.left_out(f.message);
  return std::move(found->slots);
}

}  // namespace tilewright::remote
