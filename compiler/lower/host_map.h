// The tensor maps that the host has to encode before the launch, whoever asked for them: dispatch variants (the launch
// plan), or the script itself in its host part (surface.md 13).
#pragma once
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lower/lowered.h"

namespace tilewright::lower {

// Arguments of cuTensorMapEncodeTiled as host expressions: innermost first, strides in bytes and one fewer than dims.
struct HostMap {
  const ir::Var* var = nullptr;  // the kernel parameter
  ir::Expr pointer;              // the tensor's data variable, or an expression over one
  ir::Expr byte_offset;          // null: 0
  std::string_view dtype;        // "float16"
  std::vector<ir::Expr> dims, strides, box, element_strides;
  ir::Expr interleave, swizzle, l2_promotion, oob_fill;
};

// In the order in which they have to be encoded. Works in the ambient arena. The error names what the host part does
// that no launcher of ours can do.
std::expected<std::vector<HostMap>, std::string> host_maps(const LoweredKernel& kernel);

// The driver's CUtensorMapDataType for an element type of a map, as its enumerator says it ("FLOAT16"), and its number.
struct MapType {
  std::string_view name;
  int value;
};
// Nothing: the driver has no such type.
std::optional<MapType> map_type(std::string_view dtype);

}  // namespace tilewright::lower
