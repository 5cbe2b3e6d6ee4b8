#include "compiler/toolchain/helper.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/process/child.h"
#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/toolchain/confine.h"
#include "compiler/toolchain/nvrtc.h"
#include "compiler/toolchain/wire.h"

namespace tilewright::toolchain {
namespace {

// The sanitizers reserve terabytes of address space; there only the parent's watch over resident memory holds.
#if defined(TILEWRIGHT_SANITIZED)
constexpr bool kLimitAddressSpace = false;
#else
constexpr bool kLimitAddressSpace = true;
#endif

std::uint64_t number(const Record& record, std::string_view name) {
  std::string_view text = field(record, name);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Soft limits only, so that the next request can have others. CPU time is counted since the process began.
void set_limits(std::uint64_t memory_bytes, std::uint64_t cpu_seconds) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto limit = [](auto which, std::uint64_t value) {
    rlimit now{};
    ::getrlimit(which, &now);
    now.rlim_cur = now.rlim_max == RLIM_INFINITY ? value : std::min<rlim_t>(value, now.rlim_max);
    ::setrlimit(which, &now);
  };
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + cpu_seconds + 1);
  // NVRTC and its libraries take 135 MB of address space before the first program; they are not the program's fault.
  constexpr std::uint64_t kOwnBytes = 256ull << 20;
  if (kLimitAddressSpace) limit(RLIMIT_AS, memory_bytes + kOwnBytes);
}

class Helper {
 public:
  Record serve(const Record& request) {
    set_limits(number(request, "memory"), number(request, "cpu"));
    std::string_view op = field(request, "op");
    if (op == "compile") return compile(request);
    if (op == "disassemble") return disassemble(request);
    return failed("unknown request");
  }

 private:
  static Record failed(std::string message) { return {{"status", "failed"}, {"message", std::move(message)}}; }

  Record compile(const Record& request) {
    if (!nvrtc_) {
      auto loaded = Nvrtc::load(std::string(field(request, "nvrtc")), std::string(field(request, "builtins")));
      if (!loaded) return failed(loaded.error());
      nvrtc_ = *loaded;
    }
    std::vector<std::string> options;
    for (const auto& [name, value] : request) {
      if (name == "option") options.push_back(value);
    }
    Nvrtc::Result result =
        nvrtc_->compile(std::string(field(request, "source")), std::string(field(request, "name")), options);
    return {{"status", "done"},
            {"code", std::to_string(result.code)},
            {"message", nvrtc_->describe(result.code)},
            {"log", std::move(result.log)},
            {"ptx", std::move(result.ptx)},
            {"cubin", std::move(result.cubin)}};
  }

  // Memory files instead of pipes and temporary files: nothing to clean up after a kill, and no deadlock.
  static Record disassemble(const Record& request) {
    process::Fd input(::memfd_create("cubin", MFD_CLOEXEC)), output(::memfd_create("sass", MFD_CLOEXEC)),
        errors(::memfd_create("errors", MFD_CLOEXEC));
    if (!input || !output || !errors || !process::write_all(input.get(), field(request, "cubin"))) {
      return failed("no memory for the cubin");
    }
    std::string tool(field(request, "tool"));
    std::string path = "/proc/self/fd/" + std::to_string(STDIN_FILENO);
    // -gi: every frame of an inlining chain with its call site, where -g names only the innermost; -c: code only.
    auto child = process::spawn({.words = {tool, "-gi", "-c", path},
                                 .program = tool,
                                 .input = input.get(),
                                 .output = output.get(),
                                 .errors = errors.get()});
    if (!child) return failed(tool + ": " + std::strerror(child.error()));
    const process::Exit exit = child->wait();
    std::string sass, message;
    if (!process::read_all(output.get(), sass, kMessageLimit / 2)) return failed("the disassembly is too large");
    process::read_all(errors.get(), message, 1 << 16);
    return {{"status", "done"},
            {"code", std::to_string(exit.code())},
            {"message", std::move(message)},
            {"sass", std::move(sass)}};
  }

  std::optional<Nvrtc> nvrtc_;
};

// What a kernel cannot do is left out: whether compiling goes on then is for the parent to decide (confinement_here).
void confine_to_tools(const Record& request) {
  Reach reach;
  reach.needs.programs = true;  // the disassembler
  for (const auto& [name, value] : request)
    if (name == "reads") reach.readable.emplace_back(value);
  confine(reach);
}

}  // namespace

int helper_main(int fd_in, int fd_out) {
  Helper helper;
  return serve_records(fd_in, fd_out, confine_to_tools,
                       [&](const Record& request, std::span<const process::Fd>) { return helper.serve(request); });
}

}  // namespace tilewright::toolchain
