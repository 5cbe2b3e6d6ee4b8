// What our build server says in `data` of its results, as plain structs: data kinds "tilewright-compile" and
// "tilewright-test". Other servers say other things there.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/bsp.h"

namespace tilewright::protocol::bsp {

// What the compiler says of one kernel. Bytes of spills and stack are those of a thread, of shared memory those of a
// CTA, of code all of it.
struct KernelResources {
  std::int64_t registers = 0, spill_stores = 0, spill_loads = 0, static_shared = 0, dynamic_shared = 0, stack = 0,
               barriers = 0, code = 0;
  std::optional<std::int64_t> instructions;  // of the machine; only where they were asked for
};
struct CompiledKernel {
  std::string name, entry, arch;
  bool failed = false;  // it has errors
  std::optional<KernelResources> resources;
  std::string unknown;    // why there are none; empty where the kernel has errors
  bool may_pass = false;  // that reason is none of the kernel's: the tools were killed, say
};
void to_json(Json& json, const CompiledKernel& kernel);
void from_json(const Json& json, CompiledKernel& kernel);

struct CompiledScript {
  std::string uri;
  std::int64_t errors = 0, warnings = 0;
  bool no_op = false;  // nothing was rebuilt
  std::vector<CompiledKernel> kernels;
  std::string unreadable;  // why it cannot be read; then there is nothing else
};
void to_json(Json& json, const CompiledScript& script);
void from_json(const Json& json, CompiledScript& script);
inline constexpr const char* kCompileKind = "tilewright-compile";  // {"scripts": [CompiledScript]}

// One entry that was run.
struct TestRun {
  std::string uri, entry;  // no entry: the script itself could not be run
  TestStatus status = TestStatus::Passed;
  std::string message;
  std::string where;  // the slot; empty: nothing was executed
  std::int64_t attempts = 0;
  double seconds = 0;
  Json run;  // as `tilewright run --json` says it; null: there is nothing to say
};
void to_json(Json& json, const TestRun& run);
void from_json(const Json& json, TestRun& run);
inline constexpr const char* kTestKind = "tilewright-test";  // {"runs": [TestRun]}

}  // namespace tilewright::protocol::bsp
