// The parent's side of a helper: starts it, asks it, and kills it when it takes too long, too much, or is cancelled.
//
// Each helper leads its own process group, so that one signal ends it together with a disassembler it started.
// A call blocks its thread in poll(2) on the socket and on the caller's stop token; every few milliseconds it looks at
// the helper's resident memory. That watch, unlike RLIMIT_AS, names the reason, and holds where rlimits cannot be used.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/process/child.h"
#include "compiler/process/fd.h"
#include "compiler/toolchain/record.h"

namespace tilewright::toolchain {

struct HelperCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  // An empty environment but for the language of messages: what NVRTC makes depends on the request alone.
  std::vector<std::string> environment{"LC_ALL=C"};
  std::string what = "compiler";  // whose process it is, in messages: "the compiler was ended after ..."
};

class HelperProcess {
 public:
  struct Failure {
    enum class Kind { Gone, Time, Memory, Stopped };
    Kind kind = Kind::Gone;
    std::string message;  // how the process ended, in words, with the last it said on standard error
  };

  static std::expected<std::unique_ptr<HelperProcess>, std::string> start(const HelperCommand& command);

  // One request, with files that the helper gets at hand, and its answer. After a failure the process is dead and the
  // object only good for destruction.
  std::expected<Record, Failure> call(const Record& request, std::chrono::milliseconds time_limit,
                                      std::uint64_t memory_limit, const std::stop_token& stop,
                                      std::span<const int> descriptors = {});

  pid_t pid() const { return child_.pid(); }
  // Answers given so far.
  int served() const { return served_; }
  std::uint64_t resident_bytes() const;

 private:
  HelperProcess(process::Child child, process::Fd socket, process::Fd errors, std::string what)
      : socket_(std::move(socket)), errors_(std::move(errors)), what_(std::move(what)), child_(std::move(child)) {}
  // Kills, reaps and says how it ended; at once when it is already dead.
  Failure finish(Failure::Kind kind, std::string message);
  Failure explain_death(std::uint64_t memory_limit);

  process::Fd socket_;
  process::Fd errors_;  // the helper's standard error, a memory file
  std::string what_;    // "the compiler"
  int served_ = 0;
  process::Child child_;  // ended before its socket is closed
};

}  // namespace tilewright::toolchain
