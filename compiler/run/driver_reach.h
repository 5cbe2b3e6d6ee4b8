// What a process that runs strangers' kernels may open: the driver's libraries and devices, and what the driver reads
// of the machine. Its job's own data comes in memory files, so that it needs no folder.
#pragma once
#include <string>
#include <vector>

#include "compiler/toolchain/confine.h"

namespace tilewright::run {

// Loads the driver's libraries, which stay loaded, to find out where they lie; calls nothing of them. A library that
// cannot be loaded adds nothing: the code that opens the driver says so. Of `profilers` the first that can be loaded
// counts.
toolchain::Reach driver_reach(const std::string& library, const std::string& management,
                              const std::vector<std::string>& profilers = {});

}  // namespace tilewright::run
