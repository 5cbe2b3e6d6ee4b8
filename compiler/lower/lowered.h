// The one lowered form that CUDA text, hazards and the simulator read (docs/house.md).
//
// Statements are those of ir/stmt.h without ScopeIds, DeviceEntry, TileCall and Attr. Every buffer is *flat*: one
// dimension, no layout, one element index. Element `i` of a flat buffer lies at
//     data + (elem_offset + i) * bits(dtype) / 8
// so views of one allocation share its `data` variable and differ in dtype and elem_offset. A Decl introduces such a
// view; an Alloc introduces storage. Scope ids are Binds of launch variables at the top of the device body; only those
// in use exist, and the ones that can have a single value are gone. Local one-element buffers with `is_scalar` are the
// script's mutable scalars.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/dispatch/dispatched.h"
#include "compiler/lower/map_place.h"

namespace tilewright::lower {

enum class ParamKind : std::uint8_t { Pointer, Scalar, TensorMap };
struct KernelParam {
  ParamKind kind;
  const ir::Var* var = nullptr;        // as the device body names it
  const ir::Buffer* tensor = nullptr;  // the tensor that a pointer belongs to, with its script shape; null: raw
  ir::DataType dtype;                  // of a tensor's element, of the scalar
  ir::Expr value;  // host expression of a scalar that the host part computes; null: passed by the caller
};

// A check or binding that the host does before the launch: symbolic extent `var` is dimension `dim` of `tensor`.
struct ExtentBinding {
  const ir::Var* var;
  const ir::Buffer* tensor;
  int dimension;
};

// A block of shared memory.
struct SharedBlock {
  const ir::Buffer* buffer;  // flat
  std::int64_t bytes = 0;
  int align = 16;
  bool dynamic = false;
};

struct LaunchPlan {
  scope::Launch launch;
  std::vector<KernelParam> params;  // signature order: handles by name, then scalars by name
  // Tensor maps that the body uses from constant memory; they are no parameters.
  std::vector<const ir::Var*> constant_maps;
  std::vector<ExtentBinding> extents;
  std::vector<dispatch::TensorMap> tensor_maps;  // of dispatch, then those that the script's host part encodes
  MapPlace map_place = MapPlace::Parameter;      // of all of them
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  int min_blocks_per_sm = 0;  // 0: not given
  bool persistent = false;
  bool cooperative = false;                    // all CTAs resident at once: a grid sync, or asked for
  bool programmatic_dependent_launch = false;  // may start before the kernel ahead of it in the stream has ended
};

// Complete and immutable: emitting, simulating and launching a kernel read this alone. It owns
// all that it points to and outlives the stages before it.
struct LoweredKernel {
  std::shared_ptr<const ir::Kernel> kernel;  // as it was evaluated
  std::string symbol;                        // "<name>_kernel"
  LaunchPlan plan;
  const ir::Stmt* host = nullptr;  // statements before device_entry that compute something; null: none
  const ir::Stmt* device = nullptr;
  std::vector<SharedBlock> shared;
  // Launch variables as the body uses them: null where unused.
  const ir::Var* thread_idx[3] = {};             // threadIdx
  const ir::Var* block_idx[3] = {};              // blockIdx
  const ir::Var* cluster_idx[3] = {};            // %clusterid
  const ir::Var* cta_in_cluster[3] = {};         // %cluster_ctaid
  const ir::Var* cta_rank_in_cluster = nullptr;  // %cluster_ctarank
  std::shared_ptr<Arena> arena;                  // owns the nodes made by lowering
  std::shared_ptr<Arena> dispatched_arena;       // and those that dispatch made; `kernel` owns the rest
};

// Is the parameter a pointer to a tensor map that the host writes to global memory?
bool in_global_memory(const LaunchPlan& plan, const KernelParam& param);
// The variable of the module that holds a tensor map in constant memory.
std::string constant_map_symbol(const LoweredKernel& kernel, const ir::Var* map);

}  // namespace tilewright::lower
