// What NVRTC and ptxas say, taken apart: messages with their CUDA lines, and the resources of each kernel.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::toolchain {

// The name under which every program is compiled; it appears in messages and line tables.
inline constexpr std::string_view kSourceName = "kernel.cu";

struct LogEntry {
  enum class Severity { Error, Warning, Remark };
  Severity severity = Severity::Error;
  int cuda_line = 0;  // from 1; 0: the message names none
  int column = 0;     // from 1, in bytes; 0: not known
  int ptx_line = 0;   // from 1, for a message of ptxas; `cuda_line` is then where that PTX came from
  // For a message of ptxas: the lines of the kernel's source that led there, innermost first (`cuda_line` is the
  // first). A helper function's line names no script line; its call sites do.
  std::vector<std::uint32_t> chain;
  std::string message;
  std::string file;  // the header it is in; empty for the kernel's own source
};

// One kernel, as ptxas reports it. Bytes are per thread for spills and stack, per CTA for shared memory.
struct KernelResources {
  std::string name;
  int registers = 0;
  int spill_stores = 0;
  int spill_loads = 0;
  int stack = 0;
  int static_shared = 0;
  int barriers = 0;
  int constant = 0;  // bytes of the bank with the parameters, the driver's part included
  int code = 0;      // bytes of instructions
};

struct CompileLog {
  std::string text;  // without the resource lines, which carry times and would differ from run to run
  std::vector<LogEntry> entries;
  std::vector<KernelResources> kernels;
};

// `source` places the columns, `ptx` leads ptxas's messages back to CUDA lines, `cubin` gives code and constant sizes;
// each may be empty.
CompileLog read_log(std::string_view log, std::string_view source, std::string_view ptx, std::string_view cubin);

}  // namespace tilewright::toolchain
