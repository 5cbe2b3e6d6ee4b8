#include "compiler/dispatch/variants/copy_async/tma_map.h"

#include <algorithm>
#include <utility>

#include "compiler/dispatch/variants/copy_async/tma_issue.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::tma {
namespace {

using ir::Expr;

bool equal(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::ranges::equal(a, b, [](Expr x, Expr y) { return ir::provably_equal(x, y); });
}

bool same_description(const TensorMap& a, const TensorMap& b) {
  return a.tensor->data == b.tensor->data && a.dtype == b.dtype && a.box == b.box && equal(a.host_box, b.host_box) &&
         a.swizzle == b.swizzle && a.oob_fill == b.oob_fill && a.l2_promotion == b.l2_promotion &&
         ir::provably_equal(a.byte_offset, b.byte_offset) && equal(a.dims, b.dims) && equal(a.strides, b.strides);
}

// The host encodes the map before the launch: loops, scope ids and values of the device part do not exist yet.
const ir::Var* device_value(Expr e) {
  const ir::Var* found = nullptr;
  ir::walk(e, [&](Expr x) {
    if (const ir::Var* v = x.as<ir::Var>()) {
      if (v->role == ir::VarRole::Loop || v->role == ir::VarRole::ScopeId || v->role == ir::VarRole::Launch) found = v;
    }
    return !found;
  });
  return found;
}

// 0.25 calls a map after the pointer of its tensor, later releases after the tensor.
std::string_view fresh_name(const CallContext& context, const ir::Buffer& tensor) {
  const bool by_pointer = context.kernel.dialect() == text::Dialect::V0_25;
  std::string base =
      cat(by_pointer && tensor.data && !tensor.data->name.empty() ? tensor.data->name : tensor.name, "_tensormap");
  std::string name = base;
  auto taken = [&](const TensorMap& m) { return m.var->name == name; };
  auto anywhere = [&] {
    return std::ranges::any_of(context.kernel.tensor_maps(), taken) ||
           std::ranges::any_of(context.journal.tensor_maps, taken);
  };
  for (int n = 1; anywhere(); ++n) name = cat(base, "_", n);
  return Arena::current().copy(std::string_view(name));
}

}  // namespace

std::string_view map_dtype(ir::DataType dtype, int bits) {
  if (dtype.lanes > 1) return {};
  if (bits > dtype.storage_bits()) return bits == 16 ? "uint16" : bits == 32 ? "uint32" : "uint64";
  if (dtype.is_bool()) return "uint8";
  return Arena::current().copy(std::string_view(ir::dtype_name(dtype)));
}

std::expected<const TensorMap*, Reason> tensor_map(CallContext& context, const ir::Buffer& tensor,
                                                   const Candidate& plan, int swizzle, int oob_fill) {
  TensorMap map;
  map.tensor = &tensor;
  map.byte_offset = as_expr(plan.base * Dim(tensor.dtype.storage_bits() / 8));
  map.dtype = map_dtype(tensor.dtype, plan.bits);
  map.swizzle = swizzle;
  map.oob_fill = oob_fill;
  if (map.dtype.empty()) return std::unexpected(cat("a tensor map has no element type ", ir::dtype_name(tensor.dtype)));
  for (std::size_t i = plan.dims.size(); i-- > 0;) {
    const Dimension& d = plan.dims[i];
    map.dims.push_back(as_expr(d.shape));
    if (i + 1 < plan.dims.size()) map.strides.push_back(as_expr(d.stride * Dim(plan.bits / 8)));
    map.box.push_back(d.box);
    map.element_strides.push_back(1);
  }
  return shared_map(context, std::move(map));
}

std::expected<const TensorMap*, Reason> shared_map(CallContext& context, TensorMap map) {
  std::vector<Expr> host = map.dims;
  host.insert(host.end(), map.strides.begin(), map.strides.end());
  host.insert(host.end(), map.host_box.begin(), map.host_box.end());
  host.push_back(map.byte_offset);
  for (Expr e : host) {
    if (const ir::Var* v = device_value(e)) {
      return std::unexpected(
          cat("the host encodes the tensor map before the launch and cannot know ", v->name, " in ", ir::to_string(e)));
    }
  }
  for (const std::vector<TensorMap>* maps :
       {&context.kernel.tensor_maps(), &std::as_const(context.journal.tensor_maps)}) {
    for (const TensorMap& known : *maps) {
      if (same_description(known, map)) return &known;
    }
  }
  map.var = ir::make_var(fresh_name(context, *map.tensor), ir::kTensorMap, ir::VarRole::Parameter);
  context.journal.tensor_maps.push_back(std::move(map));
  return &context.journal.tensor_maps.back();
}

FactValue numbers(const std::vector<Expr>& values) {
  std::vector<std::int64_t> constants;
  std::string text;
  for (Expr e : values) {
    if (const std::int64_t* v = ir::constant(e)) constants.push_back(*v);
    text += cat(text.empty() ? "" : ", ", ir::to_string(e));
  }
  if (constants.size() == values.size()) return constants;
  return text;
}

}  // namespace tilewright::dispatch::tma
