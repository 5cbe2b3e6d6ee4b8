#include "compiler/run/helper.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/run/driver_reach.h"
#include "compiler/run/execute.h"

namespace tilewright::run {
namespace {

using toolchain::field;
using toolchain::Record;

// What a kernel may print in one job; more is cut.
constexpr std::size_t kPrintedLimit = 1 << 20;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class Helper {
 public:
  // The driver writes what kernels print to standard output: a memory file takes it.
  Helper() : printed_(::memfd_create("printed", MFD_CLOEXEC)) {
    if (printed_) ::dup2(printed_.get(), STDOUT_FILENO);
  }

  Record serve(const Record& request, std::span<const process::Fd> files) {
    std::string_view op = field(request, "op");
    if (op == "open") return open(request);
    if (op != "run") return failed("unknown request");
    if (!gpu_) return failed("no device is open");
    auto received = decode_job(request, files);
    if (!received) return failed(received.error());
    // A memory file is empty again by cutting it and going back to its start.
    if (::ftruncate(STDOUT_FILENO, 0) == 0) ::lseek(STDOUT_FILENO, 0, SEEK_SET);
    Outcome outcome = gpu_->execute(received->job, received->results);
    std::fflush(nullptr);
    if (printed_ && !process::read_all(printed_.get(), outcome.printed, kPrintedLimit))
      outcome.printed = "(the kernel printed more than 1 MB)\n";
    return encode(outcome);
  }

 private:
  static Record failed(std::string message) { return {{"status", "failed"}, {"message", std::move(message)}}; }

  Record open(const Record& request) {
    auto gpu =
        Gpu::open(std::string(field(request, "library")), std::atoi(std::string(field(request, "device")).c_str()),
                  std::string(field(request, "management")), lines_of(field(request, "profilers")));
    if (!gpu) return failed(gpu.error());
    gpu_ = std::move(*gpu);
    return encode(gpu_->device());
  }

  process::Fd printed_;
  std::optional<Gpu> gpu_;
};

}  // namespace

int helper_main(bool unconfined, int fd_in, int fd_out) {
  Helper helper;
  // Before the driver starts: its own threads are then as confined as this one.
  auto prepare = [&](const Record& request) {
    if (!unconfined)
      toolchain::confine(driver_reach(std::string(field(request, "library")), std::string(field(request, "management")),
                                      lines_of(field(request, "profilers"))));
  };
  return toolchain::serve_records(
      fd_in, fd_out, prepare,
      [&](const Record& request, std::span<const process::Fd> files) { return helper.serve(request, files); });
}

}  // namespace tilewright::run
