// From a launch plan with symbols to a job in numbers: the host part of a kernel, evaluated.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lower/lowered.h"
#include "compiler/run/host_value.h"
#include "compiler/run/job.h"
#include "compiler/run/script.h"

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
  std::vector<std::int64_t> strides{};  // of each dimension, in elements; empty: compact, or not that simple
  std::int64_t first = 0;               // where element 0 lies, in elements
};

// Elements from one index of each dimension of a buffer to the next, as its strides or its layout say; nullopt where
// the layout is not that simple (a dimension in several parts, a swizzle). Expressions are made in the current arena.
std::optional<std::vector<ir::Expr>> element_strides(const ir::Buffer& buffer);

// The shape of an array that holds the tensor: storage with gaps is given and taken as it lies in memory.
std::vector<std::int64_t> array_shape(const BoundTensor& tensor);

// One kernel of a job, as the script has it.
struct BoundLaunch {
  const lower::LoweredKernel* kernel = nullptr;
  std::vector<BoundTensor> tensors;                          // of its own signature
  std::map<std::string, std::int64_t, std::less<>> extents;  // symbolic ones and their values
};

// A kernel, or several that run in turn on the same tensors, in numbers.
struct Bound {
  Job job;                                                   // without contents and cubins
  std::vector<BoundTensor> tensors;                          // one a buffer of the job
  std::map<std::string, std::int64_t, std::less<>> extents;  // of all launches
  std::vector<BoundLaunch> launches;                         // one a launch of the job
  std::map<std::string, Number, std::less<>> values;         // as given
  std::shared_ptr<Script> script;                            // that the kernels came from; null: not known
};

// What the kernel does with each tensor, by data variable: read off the script's statements. A pointer that leaves for
// an instruction counts as both read and written unless the instruction says which.
std::map<const ir::Var*, Role> tensor_roles(const ir::Kernel& kernel);

// The error says which value is missing or wrong, and how to give it.
std::expected<Bound, std::string> bind(const lower::LoweredKernel& kernel, const Bindings& bindings);
// Kernels that run one after the other: tensors of one name are one tensor, and have to agree in size. One that the
// first kernel to touch it only writes is an output of them all.
std::expected<Bound, std::string> bind(std::span<const lower::LoweredKernel* const> kernels, const Bindings& bindings);

// The name under which people and files know a parameter.
std::string param_name(const lower::KernelParam& param);

}  // namespace tilewright::run
