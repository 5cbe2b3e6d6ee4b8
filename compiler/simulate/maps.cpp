// The tensor maps that a launch gets: encoded from the plan, as the host would by cuTensorMapEncodeTiled.
#include <algorithm>

#include "compiler/expr/analyzer.h"
#include "compiler/simulate/machine.h"
#include "compiler/simulate/tensor_map.h"

namespace tilewright::simulate {

bool Machine::encode_tensor_maps() {
  const ir::Origin whole{kernel_.kernel->span, nullptr};
  bool good = true;
  auto refuse = [&](const dispatch::TensorMap& map, const std::string& why) {
    finding("TW5015", Severity::Error, "the driver refuses the tensor map `" + std::string(map.var->name) + "`: " + why,
            nullptr, whole);
    good = false;
  };
  auto number_of = [&](const ir::Var* var) {
    for (std::size_t i = 0; i < program_.globals.size(); ++i)
      if (program_.globals[i].var == var) return i;
    return program_.globals.size();
  };
  for (const dispatch::TensorMap& plan : kernel_.plan.tensor_maps) {
    const std::size_t object = number_of(plan.var), tensor = number_of(plan.tensor->data);
    if (object == program_.globals.size()) continue;  // the body does not use it
    TensorMap map;
    map.rank = static_cast<int>(plan.dims.size());
    if (map.rank < 1 || map.rank > 5) {
      refuse(plan, "rank " + std::to_string(map.rank) + " is not 1 to 5");
      continue;
    }
    auto offset = evaluate(plan.byte_offset);
    bool known = offset.has_value();
    map.address = pointer_to(1 + tensor, offset.value_or(0));
    map.element = TensorMap::element_named(plan.dtype);
    for (std::size_t d = 0; d < plan.dims.size(); ++d) {
      auto extent = evaluate(plan.dims[d]), stride = d ? evaluate(plan.strides[d - 1]) : std::optional<std::int64_t>(0);
      known &= extent && stride;
      map.dims[d] = extent.value_or(1);
      if (d) map.strides[d - 1] = stride.value_or(0);
      map.box[d] = plan.box[d];
      map.element_strides[d] = plan.element_strides[d];
    }
    map.interleave = plan.interleave;
    map.set_swizzle(plan.swizzle);
    map.fill = plan.oob_fill;
    if (!known) {
      refuse(plan, "its extents depend on values that were not given");
      continue;
    }
    if (map.element < 0) {
      refuse(plan, "there is no element type " + std::string(plan.dtype));
      continue;
    }
    if (std::string why = map.refused(); !why.empty()) {
      refuse(plan, why);
      continue;
    }
    map.encode(std::span<std::byte, TensorMap::kBytes>(globals_[object]->bytes, TensorMap::kBytes));
    std::ranges::fill(globals_[object]->shadow, 1);
  }
  return good;
}

}  // namespace tilewright::simulate
