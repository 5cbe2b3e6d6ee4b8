// The tensor maps that a launch gets: encoded from the plan, as the host would by cuTensorMapEncodeTiled.
#include <algorithm>

#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"
#include "compiler/simulate/tensor/tensor_map.h"

namespace tilewright::simulate {

bool Machine::encode_tensor_maps() {
  const ir::Origin whole{kernel_.kernel->span, nullptr};
  auto number_of = [&](const ir::Var* var) {
    auto found = std::ranges::find(program_.globals, var, &Storage::var);
    return static_cast<std::size_t>(found - program_.globals.begin());
  };
  // A tensor that only the map leads to is known by its name.
  auto block_of = [&](const ir::Buffer& tensor) -> std::uint64_t {
    const std::size_t at = number_of(tensor.data);
    if (at < memory_.global_numbers.size()) return memory_.global_numbers[at];
    auto named = std::ranges::find(memory_.blocks, tensor.name, &Block::name);
    return named == memory_.blocks.end() ? 0 : static_cast<std::uint64_t>(named - memory_.blocks.begin());
  };
  // Empty, or why there is no such map.
  auto encode = [&](const dispatch::TensorMap& plan, OwnedBlock& object) -> std::string {
    if (plan.dims.empty() || plan.dims.size() > 5) return "rank " + std::to_string(plan.dims.size()) + " is not 1 to 5";
    bool known = true;
    auto number = [&](ir::Expr e) {
      auto value = launch_.evaluate(e);
      known &= value.has_value();
      return value.value_or(1);
    };
    TensorMap map;
    map.rank = static_cast<int>(plan.dims.size());
    map.address = pointer_to(block_of(*plan.tensor), plan.byte_offset ? number(plan.byte_offset) : 0);
    map.element = TensorMap::element_named(plan.dtype);
    for (std::size_t d = 0; d < plan.dims.size(); ++d) {
      map.dims[d] = number(plan.dims[d]);
      if (d) map.strides[d - 1] = number(plan.strides[d - 1]);
      map.box[d] = plan.host_box.empty() ? plan.box[d] : number(plan.host_box[d]);
      map.element_strides[d] = plan.element_strides[d];
    }
    map.interleave = plan.interleave;
    map.set_swizzle(plan.swizzle);
    map.fill = plan.oob_fill;
    if (!known) return "its extents depend on values that were not given";
    if (std::string why = map.refused(); !why.empty()) return why;
    map.encode(std::span<std::byte, TensorMap::kBytes>(object.bytes, TensorMap::kBytes));
    std::ranges::fill(object.shadow, 1);
    return {};
  };
  bool good = true;
  for (const dispatch::TensorMap& plan : kernel_.plan.tensor_maps) {
    const std::size_t object = number_of(plan.var);
    if (object == program_.globals.size()) continue;  // the body does not use it
    if (TensorMap::element_named(plan.dtype) < 0) {
      good = false;
      finding(code::kNotModelled, Severity::Incomplete,
              "the tensor map `" + std::string(plan.var->name) + "` of " + std::string(plan.dtype) +
                  " elements is not modelled by the simulator",
              nullptr, whole);
      continue;
    }
    std::string why = encode(plan, *memory_.globals[object]);
    if (why.empty()) continue;
    good = false;
    finding(code::kRefused, Severity::Error,
            "the driver refuses the tensor map `" + std::string(plan.var->name) + "`: " + why, nullptr, whole);
  }
  return good;
}

bool Machine::is_encoded_map(std::uint64_t pointer) const {
  auto found = std::ranges::find(memory_.global_numbers, generic(pointer) >> kOffsetBits);
  return found != memory_.global_numbers.end() &&
         program_.globals[static_cast<std::size_t>(found - memory_.global_numbers.begin())].is_map;
}

}  // namespace tilewright::simulate
