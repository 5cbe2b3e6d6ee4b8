#include "compiler/toolchain/toolchain.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>

#include "compiler/toolchain/crash_site.h"
#include "compiler/toolchain/digest.h"
#include "compiler/toolchain/helper.h"
#include "compiler/toolchain/newer.h"

namespace tilewright::toolchain {
namespace {

// A helper is replaced after this many answers, or when it has grown fat: NVRTC gives little memory back.
constexpr int kAnswersOfAHelper = 1000;
constexpr std::uint64_t kFatHelperBytes = 1ull << 30;

constexpr int kNvrtcOutOfMemory = 1;

std::string number(std::uint64_t value) { return std::to_string(value); }

Error error_of(HelperProcess::Failure failure) {
  using Kind = HelperProcess::Failure::Kind;
  switch (failure.kind) {
    case Kind::Time: return {Error::Kind::Time, std::move(failure.message), {}, {}};
    case Kind::Memory: return {Error::Kind::Memory, std::move(failure.message), {}, {}};
    case Kind::Stopped: return {Error::Kind::Stopped, std::move(failure.message), {}, {}};
    case Kind::Gone: break;
  }
  return {Error::Kind::Crash, std::move(failure.message), {}, {}};
}

}  // namespace

std::vector<std::string> reference_options() {
  return {"--use_fast_math",
          "-U__CUDA_NO_HALF_OPERATORS__",
          "-U__CUDA_NO_HALF_CONVERSIONS__",
          "-U__CUDA_NO_HALF2_OPERATORS__",
          "-U__CUDA_NO_BFLOAT16_OPERATORS__",
          "-U__CUDA_NO_BFLOAT16_CONVERSIONS__",
          "-U__CUDA_NO_BFLOAT162_OPERATORS__",
          "-U__CUDA_NO_FP8_CONVERSIONS__",
          "-U__CUDA_NO_FP8_CONVERSION_OPERATORS__",
          "--ptxas-options=--register-usage-level=10"};
}

struct Toolchain::State {
  explicit State(Options given)
      : options(std::move(given)), cuda(find_cuda(options.cuda_candidates)), cache(options.cache) {
    // Not its resolved name: the file may have been replaced by a newer build while this process runs.
    if (options.helper.empty()) options.helper = "/proc/self/exe";
    options.helpers = std::max(options.helpers, 1);
    if (cuda) {
      compiler_identity = identity_of_compiler(*cuda);
      disassembler_identity = identity_of_disassembler(*cuda);
    }
  }

  // An idle helper, a new one when there may be one more, or the next to become free.
  std::expected<std::unique_ptr<HelperProcess>, Error> borrow(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    // In order of arrival, so that among many clients none waits for ever.
    const std::uint64_t ticket = next_ticket++;
    waiting.insert(ticket);
    const bool served = freed.wait(
        lock, stop, [&] { return *waiting.begin() == ticket && (!idle.empty() || borrowed < options.helpers); });
    waiting.erase(ticket);
    freed.notify_all();  // the next one may be first now
    if (!served) return std::unexpected(Error{Error::Kind::Stopped, "the request was cancelled", {}, {}});
    ++borrowed;
    if (!idle.empty()) {
      auto helper = std::move(idle.back());
      idle.pop_back();
      busy.push_back(helper->pid());
      return helper;
    }
    lock.unlock();
    auto started = HelperProcess::start({options.helper, options.helper_arguments});
    lock.lock();
    if (!started) {
      --borrowed;
      freed.notify_all();
      return std::unexpected(Error{Error::Kind::Helper, started.error(), {}, {}});
    }
    ++helpers_started;
    busy.push_back((*started)->pid());
    return std::move(*started);
  }

  // `keep`: it may serve again.
  void give_back(std::unique_ptr<HelperProcess> helper, bool keep) {
    pid_t pid = helper->pid();
    if (!keep || helper->served() >= kAnswersOfAHelper || helper->resident_bytes() > kFatHelperBytes) helper.reset();
    std::lock_guard lock(mutex);
    std::erase(busy, pid);
    --borrowed;
    if (helper) idle.push_back(std::move(helper));
    freed.notify_all();
  }

  // One request to some helper. A helper that had served before and dies without a reason of ours may have been broken
  // or killed by others: the request is tried once more, in a fresh one. If that dies too, it is the request's doing.
  std::expected<Record, Error> ask(Record request, const std::stop_token& stop) {
    auto milliseconds = static_cast<std::uint64_t>(options.time_limit.count());
    request.emplace_back("memory", number(options.memory_limit));
    // What the tools read; the helper sees nothing else (confine.h).
    for (const std::filesystem::path& file : {cuda->nvrtc, cuda->builtins}) {
      std::error_code error;
      request.emplace_back("reads", file.parent_path().string());
      const std::filesystem::path real = std::filesystem::canonical(file, error);  // a toolkit may be made of links
      if (!error) request.emplace_back("reads", real.parent_path().string());
    }
    if (!cuda->nvdisasm.empty()) request.emplace_back("reads", cuda->nvdisasm.string());
    for (const std::filesystem::path& folder : cuda->includes) request.emplace_back("reads", folder.string());
    request.emplace_back("cpu", number((milliseconds + 999) / 1000));
    for (bool again : {true, false}) {
      auto helper = borrow(stop);
      if (!helper) return std::unexpected(std::move(helper.error()));
      bool warm = (*helper)->served() > 0;
      auto answer = (*helper)->call(request, options.time_limit, options.memory_limit, stop);
      give_back(std::move(*helper), answer.has_value());
      if (answer) {
        if (field(*answer, "status") == "done") return std::move(*answer);
        return std::unexpected(Error{Error::Kind::Helper, take(*answer, "message"), {}, {}});
      }
      ++helpers_lost;
      if (!(again && warm && answer.error().kind == HelperProcess::Failure::Kind::Gone)) {
        return std::unexpected(error_of(std::move(answer.error())));
      }
      drop_idle();  // the others may be as dead
    }
    return std::unexpected(Error{});
  }

  void drop_idle() {
    std::vector<std::unique_ptr<HelperProcess>> dropped;
    std::lock_guard lock(mutex);
    dropped.swap(idle);
  }

  Record compile_request(const Request& request) const {
    Record record{{"op", "compile"},
                  {"nvrtc", cuda->nvrtc.string()},
                  {"builtins", cuda->builtins.string()},
                  {"name", std::string(kSourceName)},
                  {"source", request.cuda_source}};
    auto option = [&](std::string text) { record.emplace_back("option", std::move(text)); };
    option("--gpu-architecture=" + request.arch);
    option("--std=c++17");
    option("-lineinfo");
    option("--ptxas-options=-v");
    if (request.cuda_source.contains("int128_t")) option("--device-int128");
    for (const std::string& text : request.options) option(text);
    for (const std::filesystem::path& folder : cuda->includes) option("--include-path=" + folder.string());
    return record;
  }

  // PTX, cubin and raw log, from the cache or from NVRTC.
  std::expected<Record, Error> compiled(const Request& request, bool& from_cache) {
    Record key{{"artifact", "compiled 1"}, {"tool", compiler_identity}, {"arch", request.arch}};
    for (const std::string& option : request.options) key.emplace_back("option", option);
    key.emplace_back("source", request.cuda_source);
    if (auto value = request.fresh ? std::nullopt : cache.load(key)) return std::move(*value);
    from_cache = false;
    auto answer = ask(compile_request(request), request.stop);
    if (!answer && answer.error().kind == Error::Kind::Crash) return std::unexpected(crash_of(request, answer.error()));
    if (!answer) return answer;
    ++compilations;
    int code = std::atoi(std::string(field(*answer, "code")).c_str());
    if (code != 0) {
      CompileLog log = read_log(field(*answer, "log"), request.cuda_source, field(*answer, "ptx"), {});
      Error error{code == kNvrtcOutOfMemory ? Error::Kind::Memory : Error::Kind::Compilation, take(*answer, "message"),
                  std::move(log.text), std::move(log.entries)};
      std::string newer = newer_for_architecture(request.arch, cuda->version);
      if (!newer.empty() && error.log.find("--gpu-architecture") != error.log.npos) error.message = std::move(newer);
      for (LogEntry& entry : error.entries) entry.message += newer_for_message(entry.message, cuda->version);
      return std::unexpected(std::move(error));
    }
    Record value{{"log", take(*answer, "log")}, {"ptx", take(*answer, "ptx")}, {"cubin", take(*answer, "cubin")}};
    cache.store(key, value);
    return value;
  }

  // NVRTC has ended its process over a program: an error of the program at the instruction that it does so at, where
  // that can be found.
  Error crash_of(const Request& request, const Error& crash) {
    auto crashes = [&](const std::string& source) -> std::optional<bool> {
      Request part = request;
      part.cuda_source = source;
      auto answer = ask(compile_request(part), request.stop);
      if (answer) return false;
      return answer.error().kind == Error::Kind::Crash ? std::optional(true) : std::nullopt;
    };
    auto site = crash_site(request.cuda_source, crashes);
    if (!site) return crash;
    const std::string older = newer_for_crash(cuda->version);
    site->message = "its process ends over " + site->message + ", which it should assemble or refuse" + older;
    Error out{Error::Kind::Compilation, crash.message + " at an instruction", crash.log, {}};
    out.entries.push_back(std::move(*site));
    return out;
  }

  // The disassembly of a cubin, kept by the cubin's own digest: many sources may lead to the same code.
  std::expected<std::string, Error> disassembled(const std::string& cubin, const Request& asked, bool& from_cache) {
    if (disassembler_identity.empty()) {
      return std::unexpected(Error{Error::Kind::NoCuda, "there is no bin/nvdisasm in " + cuda->root.string(), {}, {}});
    }
    Record key{{"artifact", "sass 1"}, {"tool", disassembler_identity}, {"cubin", hex(sha256(cubin))}};
    if (auto value = asked.fresh ? std::nullopt : cache.load(key)) return take(*value, "sass");
    from_cache = false;
    Record request{{"op", "disassemble"}, {"tool", cuda->nvdisasm.string()}, {"cubin", cubin}};
    auto answer = ask(std::move(request), asked.stop);
    if (!answer) return std::unexpected(std::move(answer.error()));
    if (field(*answer, "code") != "0") {
      return std::unexpected(
          Error{Error::Kind::Crash,
                "nvdisasm ended with status " + take(*answer, "code") + ": " + take(*answer, "message"),
                {},
                {}});
    }
    Record value{{"sass", take(*answer, "sass")}};
    cache.store(key, value);
    return take(value, "sass");
  }

  Options options;
  std::expected<CudaHome, std::string> cuda;
  std::string compiler_identity, disassembler_identity;
  Cache cache;

  mutable std::mutex mutex;  // guards what follows, up to the counters
  std::condition_variable_any freed;
  std::vector<std::unique_ptr<HelperProcess>> idle;
  std::vector<pid_t> busy;
  int borrowed = 0;
  std::uint64_t next_ticket = 0;
  std::set<std::uint64_t> waiting;  // tickets of those who wait for a helper

  std::atomic<std::uint64_t> compilations{0}, helpers_started{0}, helpers_lost{0};
};

Toolchain::Toolchain(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Toolchain::~Toolchain() = default;

std::expected<Artifacts, Error> Toolchain::compile(const Request& request) {
  State& state = *state_;
  if (!state.cuda) return std::unexpected(Error{Error::Kind::NoCuda, state.cuda.error(), {}, {}});
  Artifacts artifacts;
  artifacts.from_cache = true;
  auto compiled = state.compiled(request, artifacts.from_cache);
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  CompileLog log =
      read_log(field(*compiled, "log"), request.cuda_source, field(*compiled, "ptx"), field(*compiled, "cubin"));
  artifacts.log = std::move(log.text);
  artifacts.entries = std::move(log.entries);
  artifacts.kernels = std::move(log.kernels);
  if (request.want_ptx) artifacts.ptx = take(*compiled, "ptx");
  std::string cubin = take(*compiled, "cubin");
  if (request.want_sass) {
    auto sass = state.disassembled(cubin, request, artifacts.from_cache);
    if (sass)
      artifacts.sass = std::move(*sass);
    else if (sass.error().kind == Error::Kind::Stopped)
      return std::unexpected(std::move(sass.error()));
    else
      artifacts.sass_missing = std::move(sass.error().message);
  }
  if (request.want_cubin) artifacts.cubin = std::move(cubin);
  return artifacts;
}

void Toolchain::warm() {
  State& state = *state_;
  if (!state.cuda) return;
  Request request;
  request.cuda_source = "#include <cuda_fp16.h>\nextern \"C\" __global__ void warm_kernel() {}\n";
  auto ignored = state.ask(state.compile_request(request), request.stop);
}

const std::expected<CudaHome, std::string>& Toolchain::cuda() const { return state_->cuda; }

std::string Toolchain::identity() const {
  return state_->cuda ? state_->compiler_identity + " " + state_->disassembler_identity : std::string();
}

Counts Toolchain::counts() const {
  return {state_->cache.counts(), state_->compilations.load(), state_->helpers_started.load(),
          state_->helpers_lost.load()};
}

std::vector<pid_t> Toolchain::helper_pids() const {
  std::lock_guard lock(state_->mutex);
  std::vector<pid_t> pids = state_->busy;
  for (const auto& helper : state_->idle) pids.push_back(helper->pid());
  return pids;
}

}  // namespace tilewright::toolchain
