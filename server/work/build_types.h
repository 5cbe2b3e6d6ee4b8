// What a build of a script is asked, and what it gives.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/toolchain/compile_log.h"
#include "server/work/build_finding.h"

namespace tilewright::work {

struct BuiltKernel {
  std::string name, symbol, entry, architecture;
  std::int64_t dynamic_shared_bytes = 0;
  bool failed = false;  // it has errors
  std::optional<toolchain::KernelResources> resources;
  std::optional<std::int64_t> instructions;  // of the machine; where they were asked for
  std::string unknown;                       // why there are no resources, or no instructions
  bool may_pass = false;                     // that reason: the tools were killed, say
};

// What a build of a script is told.
struct BuildOptions {
  std::vector<std::string> architectures, entries;  // empty: found out
  bool deny_fallback = false;
  bool instructions = false;  // count those of the machine: the disassembler takes its time for each kernel
  bool operator==(const BuildOptions&) const = default;
};

struct BuiltScript {
  std::string path;
  std::string unreadable;  // why it cannot be read; then there is nothing else
  std::vector<BuildFinding> findings;
  std::vector<BuiltKernel> kernels;
  std::size_t errors = 0, warnings = 0;
  bool failed() const { return errors > 0 || !unreadable.empty(); }
};

}  // namespace tilewright::work
