// Tensor maps that a script encodes itself, in its host part (surface.md 13, intrinsics.md 6.3):
//
//   m: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
//   T.call_packed("runtime.cuTensorMapEncodeTiled", m, dtype, rank, pointer, *dims, *strides, *box, *element_strides,
//                 interleave, swizzle, l2_promotion, oob_fill)
#pragma once
#include <expected>
#include <optional>
#include <string>

#include "compiler/dispatch/dispatched.h"

namespace tilewright::lower {

// Is it such a call?
bool is_tensor_map_encode(const ir::Call& call);
// The map that the call describes; `tensors` are the kernel's buffer parameters. Error: the rule of
// cuTensorMapEncodeTiled that it breaks, as far as its arguments are constants.
std::expected<dispatch::TensorMap, std::string> encoded_tensor_map(const ir::Call& call,
                                                                   std::span<const ir::Buffer* const> tensors);

// A call of the host part that no launcher of ours can do, in words; nothing: it calls nothing, or only encodes maps
// (which the launch plan lists).
std::optional<std::string> foreign_host_call(const ir::Stmt* host);

// The driver's CUtensorMapDataType for an element type of a map, as its enumerator says it ("FLOAT16"), and its number.
struct MapType {
  std::string_view name;
  int value;
};
// Nothing: the driver has no such type.
std::optional<MapType> map_type(std::string_view dtype);

}  // namespace tilewright::lower
