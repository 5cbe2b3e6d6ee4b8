// CUDA source in; PTX, cubin, SASS, messages and resources out. The one door to NVIDIA's tools.
//
// NVRTC and nvdisasm run in helper processes (helper.h), which this class keeps warm: the first program of a process
// costs it 60 to 120 ms, later small ones about 30. Results go through the cache (cache.h), so the same source for the
// same architecture is compiled once on a machine. Every function may be called from any thread; a call blocks until
// its answer is there, and returns early when its stop token says so, which ends the helper that works on it.
#pragma once
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/text/words.h"
#include "compiler/toolchain/cache.h"
#include "compiler/toolchain/compile_log.h"
#include "compiler/toolchain/cuda_home.h"
#include "compiler/toolchain/helper_process.h"

namespace tilewright::toolchain {

struct Options {
  // Folders that may hold CUDA, best first (find_cuda). None of them with NVRTC: every compilation is an Error::NoCuda.
  std::vector<std::filesystem::path> cuda_candidates;
  CacheOptions cache;
  // One request: wall-clock and CPU time, and memory beyond NVRTC's own. More ends the helper and costs that request.
  std::chrono::milliseconds time_limit{60'000};
  std::uint64_t memory_limit = 4ull << 30;
  // Helpers at once; further requests wait. Each idle one keeps about 80 MB resident.
  int helpers = 2;
  // The program that calls helper_main, and what to start it with. Empty: this very binary.
  std::filesystem::path helper;
  std::vector<std::string> helper_arguments{"toolchain-helper"};
};

// The options with which the reference compiles a kernel: fast math, half-precision operators, and the ptxas level that
// lets it use registers freely. Architecture, include paths, line information and resource reports come on their own.
std::vector<std::string> reference_options();

struct Request {
  std::string cuda_source;
  std::string arch = "sm_90a";
  std::vector<std::string> options = reference_options();
  bool want_ptx = true;
  bool want_cubin = true;
  bool want_sass = false;  // the slow one: nvdisasm takes a third of a second
  bool fresh = false;      // nothing that was kept is used; what is made is kept all the same
  std::stop_token stop;
};

struct Artifacts {
  std::string ptx, cubin, sass;  // those asked for
  std::string sass_missing;      // why `sass` is empty although asked for; the rest is good nonetheless
  std::string log;               // what the compiler said, without resource lines
  std::vector<LogEntry> entries;
  std::vector<KernelResources> kernels;
  bool from_cache = false;  // nothing was run for it
};

struct Error {
  enum class Kind {
    NoCuda,       // no NVRTC: the message says where it was looked for
    Compilation,  // the program has errors: see `entries`
    Time,         // over the time limit
    Memory,       // over the memory limit
    Crash,        // the tool broke
    Stopped,      // the stop token was set
    Helper,       // the helper process could not be started or used
  };
  Kind kind = Kind::Helper;
  std::string message;
  std::string log;
  std::vector<LogEntry> entries;
};
inline constexpr auto kErrorWords =
    text::words_of<Error::Kind>({"no_cuda", "compilation", "time", "memory", "crash", "stopped", "helper"});

struct Counts {
  CacheCounts cache;
  std::uint64_t compilations = 0;  // finished, well or not
  std::uint64_t helpers_started = 0;
  std::uint64_t helpers_lost = 0;  // crashed, killed for a limit, or stopped
};

class Toolchain {
 public:
  explicit Toolchain(Options options);
  ~Toolchain();
  Toolchain(const Toolchain&) = delete;
  Toolchain& operator=(const Toolchain&) = delete;

  std::expected<Artifacts, Error> compile(const Request& request);
  // Starts a helper and has it load NVRTC, so that the first real request finds it warm. Errors show there.
  void warm();

  // What was found, or why nothing was.
  const std::expected<CudaHome, std::string>& cuda() const;
  // Other answers are possible where this is another: the tools' own contents. Empty: there are none.
  std::string identity() const;
  Counts counts() const;
  // Process ids of the helpers alive now.
  std::vector<pid_t> helper_pids() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright::toolchain
