// What `tilewright run` is asked for, and what becomes of it in the terms of those who do it.
#pragma once
#include <CLI/CLI.hpp>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "compiler/threads/in_order.h"
#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/work/run.h"

namespace tilewright::cli {

struct RunOptions {
  std::vector<std::string> paths;
  std::string on, arch, reference, python, against, trace, folder, driver = "libcuda.so.1", nvml = "libnvidia-ml.so.1";
  std::string cupti;
  std::vector<std::string> entries, cubins, inputs, outputs, expected, settings, watches;
  std::vector<int> devices;
  std::string seed, format = "text";
  std::optional<int> repeat, warmup, schedules;
  std::optional<std::uint32_t> comment;  // the line of the one that is meant
  std::uint64_t steps = 4'000'000'000;
  unsigned jobs = threads::kAllCores;
  std::string clusters;
  std::optional<double> deadline;
  std::optional<int> patience, give_up;  // of workers elsewhere
  double memory = 0;
  std::optional<double> rtol, atol;
  DialectOption dialect;
  AnswerOptions answer;
  bool fail_fast = false, require_all = false, verbose = false, profile = false, as_written = false;

  bool all() const { return entries == std::vector<std::string>{"all"}; }
  bool json() const { return format == "json" || answer.is_part() || answer.of_lines(); }
};

// What `--summary` shows of a run.
inline constexpr std::string_view kRunSummary =
    "kernel entry status verdict error hint fault findings.code findings.message findings.range.start.line "
    "tensors.name tensors.comparison timing diagnostics.code diagnostics.message file where";

// Adds them to the command, with the help that goes with them.
void add_run_options(CLI::App& command, RunOptions& options);

// Those of them that a search over many kernels has: the place, the tensors, the reference.
void add_tune_run_options(CLI::App& command, RunOptions& options);

// What the options ask for, or why they make no sense.
std::expected<work::RunRequest, run::Failure> request_of(const RunOptions& options);
run::GpuOptions gpu_of(const RunOptions& options);
// Says why nothing is run, in the format asked for and to the person. `status`: refused or no_device.
int refuse(const RunOptions& options, const run::Failure& failure, std::string_view status = "refused");
// What a simulated run may take.
std::chrono::milliseconds simulator_deadline(const RunOptions& options);
// Without anything that changes while it runs: progress and cores are the caller's.
std::expected<simulate::Options, run::Failure> simulator_of(const RunOptions& options);

}  // namespace tilewright::cli
