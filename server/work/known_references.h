// What references left, kept for further kernels on the same inputs: many variants of a kernel are held against one
// computation and not against as many.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "compiler/run/experiment.h"

namespace tilewright::work {

// All of one seed, and of the same settings of a run. Safe from any thread: who comes while a reference is computed
// waits for it.
struct KnownReferences {
  // By what is computed and of which tensors.
  std::map<std::string, run::Expected> of_kernels;
  std::map<std::string, std::map<std::string, run::GivenArray>> in_python;
  std::mutex mutex;
};

}  // namespace tilewright::work
