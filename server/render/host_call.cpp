#include "server/render/host_call.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/call_effects.h"
#include "compiler/lower/tensor_maps.h"
#include "compiler/run/bind.h"

namespace tilewright::render {
namespace {

using namespace ir;

// A number, or the text of an expression of the script's scalars and extents.
Json number_json(Expr e) {
  if (!e) return 0;
  Expr s = simplify(e);
  if (const std::int64_t* c = constant(s)) return *c;
  return to_string(s);
}

// The data variable that an address starts from; null: none that is known.
const Var* base_of(Expr e) {
  if (const auto* var = e.as<Var>()) return var->dtype.is_handle() ? var : nullptr;
  if (const auto* load = e.as<Load>()) return load->buffer->data;
  const auto* call = e.as<Call>();
  const bool leads = call && !call->args.empty() &&
                     (call->callee == &builtin::address_of || call->callee == &builtin::pointer_offset ||
                      call->callee == &builtin::handle_byte_offset);
  return leads ? base_of(call->args[0]) : nullptr;
}

// The widest access through each data variable, in bytes: what a tensor's address has to be a multiple of.
class Alignments {
 public:
  explicit Alignments(const Stmt* device) {
    walk_stmts(device, [&](const Stmt* s) {
      statement(s);
      return true;
    });
  }
  std::int64_t of(const Var* data, DataType dtype) const {
    const auto found = widest_.find(data);
    const std::int64_t element = std::max<std::int64_t>(1, dtype.storage_bits() * dtype.lanes / 8);
    const auto own = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(element)));
    return std::max(found == widest_.end() ? 1 : found->second, own);
  }

 private:
  static constexpr std::int64_t kUnknown = 16;  // the widest that an instruction of unknown width asks for

  void statement(const Stmt* s) {
    if (const auto* store = as<Store>(s)) {
      access(store->buffer->data, store->value.dtype());
      for (Expr e : store->indices) expression(e);
      expression(store->value);
    } else if (const auto* bind = as<Bind>(s)) {
      if (bind->var->dtype.is_handle())
        if (const Var* base = base_of(bind->value)) named_[bind->var] = base;
      expression(bind->value);
    } else if (const auto* evaluate = as<Evaluate>(s)) {
      expression(evaluate->value);
    } else if (const auto* branch = as<If>(s)) {
      expression(branch->condition);
    } else if (const auto* loop = as<While>(s)) {
      expression(loop->condition);
    }
  }

  void expression(Expr e) {
    walk(e, [&](Expr x) {
      if (const auto* load = x.as<Load>()) access(load->buffer->data, x.dtype());
      if (const auto* call = x.as<Call>()) instruction(*call);
      return true;
    });
  }

  void access(const Var* data, DataType dtype) { need(data, dtype.storage_bits() * dtype.lanes / 8); }

  void instruction(const Call& call) {
    const intrinsics::Intrinsic* row = intrinsics::of(call.callee);
    if (!row) return;
    for (const intrinsics::CallEffect& e : intrinsics::effects_of(*row, call.args)) {
      const bool global = e.space == intrinsics::Space::Global || e.space == intrinsics::Space::Generic;
      const Var* data = global && !e.arguments.empty() ? base_of(e.arguments[0]) : nullptr;
      if (!data) continue;
      const bool known = e.amount.kind == intrinsics::Amount::Kind::Known && e.proxy == intrinsics::Proxy::Generic;
      need(data, known ? e.amount.number : kUnknown);
    }
  }

  void need(const Var* data, std::int64_t bytes) {
    if (!data || bytes < 1) return;
    for (auto at = named_.find(data); at != named_.end(); at = named_.find(data)) data = at->second;
    std::int64_t& widest = widest_.try_emplace(data, 1).first->second;
    widest = std::max(widest, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes))));
  }

  std::map<const Var*, const Var*> named_;
  std::map<const Var*, std::int64_t> widest_;
};

class Writer {
 public:
  Writer(const lower::LoweredKernel& kernel, const text::Anchors& anchors)
      : kernel_(kernel), anchors_(anchors), alignments_(kernel.device), roles_(run::tensor_roles(*kernel.kernel)) {
    for (const Param& p : kernel.kernel->params)
      if (p.buffer) tensors_.emplace(p.buffer->data, p.buffer);
    walk_stmts(kernel.host, [&](const Stmt* s) {
      if (const auto* b = as<Bind>(s)) host_.emplace(b->var, b->value);
      return true;
    });
    for (const lower::KernelParam& p : kernel.plan.params)
      if (p.value) host_.try_emplace(p.var, p.value);
  }

  Json write() {
    Json signature = Json::array(), arguments = Json::array();
    for (const Param& p : kernel_.kernel->params) signature.push_back(given(p));
    for (const lower::KernelParam& p : kernel_.plan.params) arguments.push_back(argument(p));
    Json out{{"signature", signature}, {"arguments", arguments}, {"values", values()}, {"checks", checks()}};
    if (auto foreign = lower::foreign_host_call(kernel_.host)) refused_ = *foreign;
    if (!refused_.empty()) out["refused"] = refused_;
    return out;
  }

 private:
  // One of the script's parameters, as its caller gives it.
  Json given(const Param& p) {
    const bool pointer = p.var && p.var->dtype.is_handle();
    Json out{{"name", p.buffer ? p.buffer->name : p.var->name},
             {"kind", p.buffer                     ? "tensor"
                      : p.var->dtype == kTensorMap ? "tensor_map"
                      : pointer                    ? "pointer"
                                                   : "scalar"},
             {"dtype", dtype_name(p.buffer ? p.buffer->dtype : p.var->dtype)}};
    if (p.buffer) {
      tensor(*p.buffer, out);
    } else if (pointer) {
      out["align"] = alignments_.of(p.var, kUInt8);
      out["access"] = access(p.var);
    }
    const text::Span span = p.buffer ? p.buffer->span : kernel_.kernel->span;
    out["range"] = range_json(span, anchors_);
    return out;
  }

  void tensor(const Buffer& b, Json& out) {
    Json shape = Json::array(), strides = nullptr;
    for (Expr e : b.shape) shape.push_back(number_json(e));
    if (auto found = run::element_strides(b)) {
      strides = Json::array();
      for (Expr e : *found) strides.push_back(number_json(e));
    }
    std::int64_t align = alignments_.of(b.data, b.dtype);
    for (const dispatch::TensorMap& map : kernel_.plan.tensor_maps)
      if (map.tensor && map.tensor->data == b.data)
        align = std::max<std::int64_t>(align, map.interleave == 2 ? 32 : 16);
    out["shape"] = shape;
    out["strides"] = strides;
    out["first"] = number_json(b.elem_offset);
    out["align"] = align;
    out["access"] = access(b.data);
  }

  std::string access(const Var* data) const {
    const auto role = roles_.find(data);
    if (role == roles_.end()) return "read";
    return role->second == run::Role::Input ? "read" : role->second == run::Role::Output ? "write" : "read_write";
  }

  // What the launch passes for one of its parameters.
  Json argument(const lower::KernelParam& p) {
    switch (p.kind) {
      case lower::ParamKind::Pointer: return pointer(p.value ? p.value : Expr(p.var), run::param_name(p));
      case lower::ParamKind::Scalar:
        return {{"kind", "scalar"},
                {"name", p.var->name},
                {"dtype", dtype_name(p.dtype)},
                {"value", p.value ? number_json(p.value) : Json(p.var->name)}};
      case lower::ParamKind::TensorMap: break;
    }
    const auto& maps = kernel_.plan.tensor_maps;
    const auto map = std::ranges::find(maps, p.var, &dispatch::TensorMap::var);
    if (map == maps.end()) refused_ = "the tensor map `" + std::string(p.var->name) + "` is made by the caller";
    return {{"kind", lower::in_global_memory(kernel_.plan, p) ? "map_address" : "map"}, {"map", map - maps.begin()}};
  }

  Json pointer(Expr e, const std::string& name) {
    Json offset = Json::array();
    std::set<const Var*> seen;
    while (e) {
      if (const auto* var = e.as<Var>()) {
        if (tensors_.contains(var))
          return {{"kind", "pointer"}, {"of", tensors_.at(var)->name}, {"byte_offset", offset}};
        const auto host = host_.find(var);
        if (host == host_.end()) return {{"kind", "pointer"}, {"of", var->name}, {"byte_offset", offset}};
        if (!seen.insert(var).second) break;
        e = host->second;
        continue;
      }
      const auto* call = e.as<Call>();
      if (!call || call->args.size() != 2) break;
      const auto base = tensors_.find(base_of(call->args[0]));
      if (call->callee == &builtin::handle_byte_offset) {
        offset.push_back(number_json(call->args[1]));
      } else if (call->callee == &builtin::pointer_offset && base != tensors_.end()) {
        offset.push_back(number_json(call->args[1] * int_imm(kInt64, base->second->dtype.storage_bits() / 8)));
      } else {
        break;
      }
      e = call->args[0];
    }
    refused_ = "the pointer `" + name + "` belongs to no tensor of the signature";
    return {{"kind", "pointer"}, {"of", ""}, {"byte_offset", offset}};
  }

  // Scalars that the host part computes, each of those before it.
  Json values() {
    Json out = Json::array();
    walk_stmts(kernel_.host, [&](const Stmt* s) {
      const auto* bind = as<Bind>(s);
      if (bind && !bind->var->dtype.is_handle() && bind->var->dtype != kTensorMap)
        out.push_back({{"name", bind->var->name}, {"value", number_json(bind->value)}});
      return true;
    });
    return out;
  }

  Json checks() {
    Json out = Json::array();
    walk_stmts(kernel_.host, [&](const Stmt* s) {
      if (const auto* check = as<Assert>(s))
        out.push_back({{"condition", number_json(check->condition)}, {"message", check->message}});
      if (s->kind == StmtKind::If || s->kind == StmtKind::For || s->kind == StmtKind::While)
        refused_ = "the host part branches or loops before T.device_entry()";
      return true;
    });
    return out;
  }

  const lower::LoweredKernel& kernel_;
  const text::Anchors& anchors_;
  Alignments alignments_;
  std::map<const Var*, run::Role> roles_;
  std::map<const Var*, const Buffer*> tensors_;
  std::map<const Var*, Expr> host_;
  std::string refused_;
};

}  // namespace

Json host_call_json(const lower::LoweredKernel& kernel, const text::Anchors& anchors) {
  ScratchArena scratch;
  ArenaScope scope(scratch);
  Writer writer(kernel, anchors);
  Json out = writer.write();
  Json maps = Json::array();
  for (const dispatch::TensorMap& map : kernel.plan.tensor_maps) {
    const bool constant = kernel.plan.map_place == lower::MapPlace::Constant;
    const auto type = lower::map_type(map.dtype);
    maps.push_back({{"symbol", constant ? lower::constant_map_symbol(kernel, map.var) : std::string()},
                    {"type", type ? type->value : 0}});
  }
  out["maps"] = maps;
  return out;
}

}  // namespace tilewright::render
