#include "compiler/lower/host_map.h"

#include <algorithm>

namespace tilewright::lower {
namespace {

using namespace ir;

HostMap of_plan(const dispatch::TensorMap& map) {
  HostMap out;
  out.var = map.var;
  out.pointer = Expr(map.tensor->data);
  out.byte_offset = map.byte_offset;
  out.dtype = map.dtype;
  out.dims = map.dims;
  out.strides = map.strides;
  for (std::int64_t n : map.box) out.box.emplace_back(n);
  for (std::int64_t n : map.element_strides) out.element_strides.emplace_back(n);
  out.interleave = map.interleave;
  out.swizzle = map.swizzle;
  out.l2_promotion = map.l2_promotion;
  out.oob_fill = map.oob_fill;
  return out;
}

// "name", map, dtype, rank, pointer, dims, strides, box, element strides, four enumerations.
std::expected<HostMap, std::string> of_call(const Call& call) {
  const auto* name = call.args.empty() ? nullptr : call.args[0].as<StringImm>();
  if (!name || name->value != "runtime.cuTensorMapEncodeTiled")
    return std::unexpected("the host part calls " + (name ? std::string(name->value) : "something without a name") +
                           ", which only the script's own runtime can do");
  auto bad = [](const char* what) {
    return std::unexpected("a call of runtime.cuTensorMapEncodeTiled before the launch " + std::string(what));
  };
  if (call.args.size() < 5) return bad("has too few arguments");
  const auto* dtype = call.args[2].as<StringImm>();
  const std::int64_t* rank = constant(call.args[3]);
  HostMap out;
  out.var = call.args[1].as<Var>();
  if (!out.var) return bad("does not name the map that it makes");
  if (!dtype) return bad("does not name an element type");
  if (!rank || *rank < 1 || *rank > 5) return bad("has a rank that is not 1 to 5");
  auto r = static_cast<std::size_t>(*rank);
  if (call.args.size() != 5 + 4 * r - 1 + 4) return bad("has the wrong number of arguments");
  out.dtype = dtype->value;
  out.pointer = call.args[4];
  std::size_t next = 5;
  auto take = [&](std::vector<Expr>& to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to.push_back(call.args[next++]);
  };
  take(out.dims, r);
  take(out.strides, r - 1);
  take(out.box, r);
  take(out.element_strides, r);
  for (Expr* to : {&out.interleave, &out.swizzle, &out.l2_promotion, &out.oob_fill}) *to = call.args[next++];
  return out;
}

}  // namespace

std::expected<std::vector<HostMap>, std::string> host_maps(const LoweredKernel& kernel) {
  std::vector<HostMap> out;
  std::string problem;
  walk_stmts(kernel.host, [&](const Stmt* s) {
    const auto* evaluate = as<Evaluate>(s);
    const auto* call = evaluate ? evaluate->value.as<Call>() : nullptr;
    if (!call || call->callee->name != "call_packed" || !problem.empty()) return true;
    auto map = of_call(*call);
    if (map)
      out.push_back(std::move(*map));
    else
      problem = map.error();
    return true;
  });
  if (!problem.empty()) return std::unexpected(problem);
  for (const dispatch::TensorMap& map : kernel.plan.tensor_maps) out.push_back(of_plan(map));
  return out;
}

std::optional<MapType> map_type(std::string_view dtype) {
  // In the order of the driver's enumeration. What it lacks travels as unsigned integers of the same width: a copy
  // moves bits.
  static constexpr std::pair<std::string_view, MapType> kTypes[] = {
      {"uint8", {"UINT8", 0}},      {"int8", {"UINT8", 0}},      {"bool", {"UINT8", 0}},
      {"uint16", {"UINT16", 1}},    {"int16", {"UINT16", 1}},    {"uint32", {"UINT32", 2}},
      {"int32", {"INT32", 3}},      {"uint64", {"UINT64", 4}},   {"int64", {"INT64", 5}},
      {"float16", {"FLOAT16", 6}},  {"float32", {"FLOAT32", 7}}, {"float64", {"FLOAT64", 8}},
      {"bfloat16", {"BFLOAT16", 9}}};
  for (const auto& [name, type] : kTypes)
    if (name == dtype) return type;
  if (dtype.starts_with("float8_")) return MapType{"UINT8", 0};
  return std::nullopt;
}

}  // namespace tilewright::lower
