// From a launch plan with symbols to a job in numbers: the host part of a kernel, evaluated.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/lower/lowered.h"
#include "compiler/run/host_value.h"
#include "compiler/run/job.h"

namespace tilewright::run {

struct Bindings {
  // Scalars and symbolic extents by name.
  std::map<std::string, Number, std::less<>> values;
  // Shapes of tensors that are given: they bind the symbolic extents among them.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> shapes;
  // Bytes of raw pointers (no tensor behind them), by name.
  std::map<std::string, std::int64_t, std::less<>> raw_bytes;
};

// A tensor of the signature, with its numbers.
struct BoundTensor {
  std::string name;
  ir::DataType dtype;
  std::vector<std::int64_t> shape;  // of the script; a raw pointer: its bytes
  std::int64_t bytes = 0;           // that its storage takes
  bool compact = true;              // row-major without gaps: storage and elements are in the same order
  Role role = Role::InOut;
};

struct BoundKernel {
  Job job;                                                   // without contents and cubin
  std::vector<BoundTensor> tensors;                          // one a buffer of the job
  std::map<std::string, std::int64_t, std::less<>> extents;  // symbolic ones and their values
};

// What the kernel does with each tensor, by data variable: read off the script's statements. A pointer that leaves for
// an instruction counts as both read and written unless the instruction says which.
std::map<const ir::Var*, Role> tensor_roles(const ir::Kernel& kernel);

// Works in the ambient arena. The error says which value is missing or wrong, and how to give it.
std::expected<BoundKernel, std::string> bind(const lower::LoweredKernel& kernel, const Bindings& bindings);

// The name under which people and files know a parameter.
std::string param_name(const lower::KernelParam& param);

}  // namespace tilewright::run
