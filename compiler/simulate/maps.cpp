// The tensor maps that a launch gets: encoded as the host would by cuTensorMapEncodeTiled, from the plan and from what
// the script's host part encodes by hand.
#include <algorithm>

#include "compiler/expr/analyzer.h"
#include "compiler/lower/flatten.h"
#include "compiler/simulate/machine.h"
#include "compiler/simulate/tensor_map.h"

namespace tilewright::simulate {

std::vector<HostMap> host_maps(const lower::LoweredKernel& kernel) {
  std::vector<HostMap> out;
  ir::walk_stmts(kernel.host, [&](const ir::Stmt* s) {
    const auto* statement = ir::as<ir::Evaluate>(s);
    const ir::Call* call = statement ? statement->value.as<ir::Call>() : nullptr;
    if (!call || call->callee->name != "call_packed" || call->args.size() < 2) return true;
    const auto* function = call->args[0].as<ir::StringImm>();
    const ir::Var* object = call->args[1].as<ir::Var>();
    if (function && object && function->value == "runtime.cuTensorMapEncodeTiled")
      out.push_back({object, call->args.subspan(1), s->origin});
    return true;
  });
  return out;
}

HostPointer host_pointer(ir::Expr pointer) {
  if (!pointer) return {};
  if (const ir::Var* v = pointer.as<ir::Var>()) return {v, ir::Expr(0)};
  const ir::Call* call = pointer.as<ir::Call>();
  if (!call || call->args.empty()) return {};
  if (call->callee == &ir::builtin::handle_byte_offset) {
    HostPointer base = host_pointer(call->args[0]);
    return {base.data, base.data ? base.bytes + call->args[1] : ir::Expr()};
  }
  return {};
}

// What every map has to be, however it was described: written into its object. Empty, or why not.
static std::string write_object(const TensorMap& map, OwnedBlock& object) {
  if (map.rank < 1 || map.rank > 5) return "rank " + std::to_string(map.rank) + " is not 1 to 5";
  if (map.element < 0) return "there is no such element type";
  if (std::string why = map.refused(); !why.empty()) return why;
  map.encode(std::span<std::byte, TensorMap::kBytes>(object.bytes, TensorMap::kBytes));
  std::ranges::fill(object.shadow, 1);
  return {};
}

bool Machine::encode_tensor_maps() {
  bool good = true;
  auto refuse = [&](const ir::Var* map, const std::string& why, const ir::Origin& origin) {
    finding("TW5015", Severity::Error, "the driver refuses the tensor map `" + std::string(map->name) + "`: " + why,
            nullptr, origin);
    good = false;
  };
  auto number_of = [&](const ir::Var* var) {
    auto found = std::ranges::find(program_.globals, var, &Storage::var);
    return static_cast<std::size_t>(found - program_.globals.begin());
  };
  const std::size_t none = program_.globals.size();
  const ir::Origin whole{kernel_.kernel->span, nullptr};
  for (const dispatch::TensorMap& plan : kernel_.plan.tensor_maps) {
    const std::size_t object = number_of(plan.var);
    if (object == none) continue;  // the body does not use it
    if (plan.dims.empty() || plan.dims.size() > 5) {
      refuse(plan.var, "rank " + std::to_string(plan.dims.size()) + " is not 1 to 5", whole);
      continue;
    }
    TensorMap map;
    map.rank = static_cast<int>(plan.dims.size());
    bool known = true;
    auto number = [&](ir::Expr e) {
      auto value = evaluate(e);
      known &= value.has_value();
      return value.value_or(1);
    };
    map.address = pointer_to(1 + number_of(plan.tensor->data), plan.byte_offset ? number(plan.byte_offset) : 0);
    map.element = TensorMap::element_named(plan.dtype);
    for (std::size_t d = 0; d < plan.dims.size(); ++d) {
      map.dims[d] = number(plan.dims[d]);
      if (d) map.strides[d - 1] = number(plan.strides[d - 1]);
      map.box[d] = plan.box[d];
      map.element_strides[d] = plan.element_strides[d];
    }
    map.interleave = plan.interleave;
    map.set_swizzle(plan.swizzle);
    map.fill = plan.oob_fill;
    std::string why = known ? write_object(map, *globals_[object]) : "its extents depend on values that were not given";
    if (!why.empty()) refuse(plan.var, why, whole);
  }
  // map, dtype, rank, pointer, dims, strides of all but the innermost, box, element strides, and four modes.
  for (const HostMap& host : host_maps(kernel_)) {
    const std::size_t object = number_of(host.object);
    if (object == none) continue;
    std::vector<std::int64_t> numbers;
    for (ir::Expr e : host.args.subspan(std::min<std::size_t>(host.args.size(), 4)))
      numbers.push_back(evaluate(e).value_or(0));
    const auto rank = host.args.size() > 2 ? evaluate(host.args[2]).value_or(0) : 0;
    const ir::StringImm* dtype = host.args.size() > 1 ? host.args[1].as<ir::StringImm>() : nullptr;
    if (!dtype || rank < 1 || rank > 5 || numbers.size() != static_cast<std::size_t>(4 * rank + 3)) {
      refuse(host.object,
             "the encode call has " + std::to_string(host.args.size()) + " operands for rank " + std::to_string(rank),
             host.origin);
      continue;
    }
    HostPointer pointer = host_pointer(host.args[3]);
    const std::size_t tensor = pointer.data ? number_of(pointer.data) : none;
    if (tensor == none) {
      refuse(host.object, "it does not describe a tensor of the kernel", host.origin);
      continue;
    }
    TensorMap map;
    map.rank = static_cast<int>(rank);
    map.address = pointer_to(1 + tensor, evaluate(pointer.bytes).value_or(0));
    map.element = TensorMap::element_named(dtype->value);
    const auto r = static_cast<std::size_t>(rank);
    for (std::size_t d = 0; d < r; ++d) {
      map.dims[d] = numbers[d];
      if (d) map.strides[d - 1] = numbers[r + d - 1];
      map.box[d] = numbers[2 * r - 1 + d];
      map.element_strides[d] = numbers[3 * r - 1 + d];
    }
    const std::size_t modes = 4 * r - 1;
    map.interleave = static_cast<int>(numbers[modes]);
    map.set_swizzle(static_cast<int>(numbers[modes + 1]));
    map.fill = static_cast<int>(numbers[modes + 3]);
    if (std::string why = write_object(map, *globals_[object]); !why.empty()) refuse(host.object, why, host.origin);
  }
  return good;
}

}  // namespace tilewright::simulate
