#include "compiler/run/data_use.h"

namespace tilewright::run {
namespace {

bool is_memory(const ir::Var* v) { return v->dtype.is_handle() || v->role == ir::VarRole::Data; }

}  // namespace

DataUse::DataUse(const lower::LoweredKernel& kernel, std::span<const ir::Var* const> tensors) : kernel_(kernel) {
  for (const ir::Var* tensor : tensors) from_data_.insert(tensor);
  // Loops carry values upwards: until nothing new is found.
  for (std::size_t known = 0; known != from_data_.size();) {
    known = from_data_.size();
    ir::walk_stmts(kernel.device, [&](const ir::Stmt* s) { return look(s); });
  }
}

bool DataUse::look(const ir::Stmt* s) {
  if (const auto* bind = ir::as<ir::Bind>(s)) {
    if (depends(bind->value)) from_data_.insert(bind->var);
  } else if (const auto* store = ir::as<ir::Store>(s)) {
    for (ir::Expr index : store->indices) addresses_ |= depends(index);
    if (depends(store->value)) from_data_.insert(store->buffer->data);
  } else if (const auto* evaluate = ir::as<ir::Evaluate>(s)) {
    depends(evaluate->value);
  } else if (const auto* branch = ir::as<ir::If>(s)) {
    conditions_ |= depends(branch->condition);
  } else if (const auto* again = ir::as<ir::While>(s)) {
    conditions_ |= depends(again->condition);
  } else if (const auto* loop = ir::as<ir::For>(s)) {
    conditions_ |= depends(loop->min);
    conditions_ |= depends(loop->extent);
  } else if (const auto* assertion = ir::as<ir::Assert>(s)) {
    conditions_ |= depends(assertion->condition);
  }
  return true;
}

// The tensor that a tensor map describes counts as its map.
const ir::Var* DataUse::memory_of(const ir::Var* v) const {
  for (const dispatch::TensorMap& map : kernel_.plan.tensor_maps)
    if (map.var == v) return map.tensor->data;
  return v;
}

// A call that is handed data and other memory: the data may be there afterwards.
bool DataUse::handed_on(const ir::Call* call) {
  bool data = false;
  std::vector<const ir::Var*> memory;
  for (ir::Expr arg : call->args) {
    ir::walk(arg, [&](ir::Expr x) {
      const auto* load = x.as<ir::Load>();
      const auto* v = load ? load->buffer->data : x.as<ir::Var>();
      if (!v) return true;
      v = memory_of(v);
      data |= from_data_.contains(v);
      if (is_memory(v)) memory.push_back(v);
      return true;
    });
  }
  if (data) from_data_.insert(memory.begin(), memory.end());
  return data;
}

// Is the value made of data? Looks at the addresses in it on the way.
bool DataUse::depends(ir::Expr e) {
  bool made_of_data = false;
  ir::walk(e, [&](ir::Expr x) {
    if (const auto* v = x.as<ir::Var>()) made_of_data |= from_data_.contains(memory_of(v));
    if (const auto* call = x.as<ir::Call>()) made_of_data |= handed_on(call);
    if (const auto* choice = x.as<ir::Select>()) conditions_ |= depends(choice->condition);
    const auto* load = x.as<ir::Load>();
    if (!load) return true;
    made_of_data |= from_data_.contains(load->buffer->data);
    for (ir::Expr index : load->indices) addresses_ |= depends(index);
    return false;
  });
  return made_of_data;
}

}  // namespace tilewright::run
