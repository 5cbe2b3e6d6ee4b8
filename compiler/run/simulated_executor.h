// Bound kernels on the simulator: what a GPU would leave, on any machine, with the line of what goes wrong.
#pragma once
#include "compiler/run/executor.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::run {

// As an executor says it. Fault: a finding that a GPU would suffer from. NotLaunched: not modelled, or over a limit.
struct Simulated {
  Outcome outcome;
  text::Span place;  // of the first error; empty: there is none
};
// All launches in turn, once. Outputs hold the first poison of a GPU run where nobody writes them.
Simulated simulate_bound(const Bound& bound, const simulate::Options& options);

class SimulatedExecutor : public Executor {
 public:
  explicit SimulatedExecutor(simulate::Options options = {}) : options_(std::move(options)) {}

  // There is always one.
  std::expected<DeviceInfo, std::string> device(const std::stop_token& stop = {}) override;
  Outcome execute(const Bound& bound, const std::stop_token& stop = {}) override;

 private:
  simulate::Options options_;
};

}  // namespace tilewright::run
