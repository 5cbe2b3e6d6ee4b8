// What can execute bound kernels: the GPU of this machine (gpu_executor.h), the simulator (simulated_executor.h), or
// another machine. What is expected, compared and judged is the same for all (experiment.h).
#pragma once
#include <stop_token>

#include "compiler/run/bind.h"
#include "compiler/toolchain/toolchain.h"

namespace tilewright::run {

class Executor {
 public:
  virtual ~Executor() = default;

  // Where it is, for people; empty: here.
  virtual std::string place() const { return {}; }
  // Does it run compiled code? Else launches need no cubins, and there is nothing to time.
  virtual bool runs_cubins() const { return true; }
  // Makes sure that there is somewhere to execute. The error says why there is not.
  virtual std::expected<DeviceInfo, std::string> device(const std::stop_token& stop = {}) = 0;
  // Compiles where it executes, for callers that have no compiler of their own.
  virtual std::expected<toolchain::Artifacts, toolchain::Error> compile(const toolchain::Request& /*request*/) {
    return std::unexpected(toolchain::Error{toolchain::Error::Kind::NoCuda, "there is no compiler", {}, {}});
  }
  // All launches, as the job says. What goes wrong is told by the outcome's status; of an executor that does not model
  // a kernel, too.
  virtual Outcome execute(const Bound& bound, const std::stop_token& stop = {}) = 0;
};

}  // namespace tilewright::run
