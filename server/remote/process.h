// Short commands of other programs (squeue, ssh … uname): started without a shell, bounded in time and output, given up
// when a stop is requested.
#pragma once
#include <chrono>
#include <expected>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/process/child.h"
#include "compiler/process/fd.h"

namespace tilewright::remote {

struct Ended {
  int status = 0;      // of its exit; 128 + N after signal N
  std::string output;  // at most a megabyte of each
  std::string errors;
};

struct CommandLimits {
  std::chrono::milliseconds time{20'000};
  std::string_view input = "";  // what it reads from its standard input
};

// The error says why it did not run to its end: it is not there, took too long (then it is killed with all that it
// started), or was stopped.
std::expected<Ended, std::string> run_command(const std::vector<std::string>& words, const CommandLimits& limits,
                                              const std::stop_token& stop);
// Where the program of this name is on the PATH; empty: nowhere.
std::filesystem::path find_program(const std::string& name);

// A process in a session of its own, so that Ctrl-C on a terminal ends only us, which winds it down.
struct Started {
  process::Child child;
  process::Fd input, output, errors;  // our ends of its streams
};
// `errors`: with a pipe for its standard error; else that goes nowhere.
std::expected<Started, std::string> start_process(const std::vector<std::string>& words, bool errors);

}  // namespace tilewright::remote
