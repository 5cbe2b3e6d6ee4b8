#include "compiler/lower/lower.h"

#include <algorithm>

#include "compiler/ir/origin.h"
#include "compiler/lower/codes.h"
#include "compiler/lower/lowering.h"
#include "compiler/lower/tensor_maps.h"

namespace tilewright::lower {

using namespace ir;

namespace {

bool contains_device_entry(const Stmt* s) {
  bool found = false;
  walk_stmts(s, [&](const Stmt* child) {
    found |= child->kind == StmtKind::DeviceEntry;
    return !found && (child->kind == StmtKind::Seq || child->kind == StmtKind::Attr);
  });
  return found;
}

bool encodes(const std::vector<dispatch::TensorMap>& maps, const Var* var) {
  return std::ranges::find(maps, var, &dispatch::TensorMap::var) != maps.end();
}

}  // namespace

void Lowering::error(std::string_view code, std::string message, std::string hint) {
  failed_ = true;
  // One finding per cause: an expression that is visited twice says it once.
  for (const auto& [span, text] : reported_)
    if (span == origin_.span && text == message) return;
  reported_.emplace_back(origin_.span, message);
  report(code, text::Severity::Error, std::move(message), std::move(hint));
}

void Lowering::report(std::string_view code, text::Severity severity, std::string message, std::string hint) {
  text::Diagnostic d{code, severity, std::move(message), origin_.span, {}, std::move(hint), {}};
  d.chain = call_chain(origin_.chain);
  context_.report(std::move(d));
}

// ---- host and device ---------------------------------------------------------------------------------------------

void Lowering::split(const Stmt* s, std::vector<const Stmt*>& host, std::vector<const Stmt*>& device, bool& found) {
  if (s->kind == StmtKind::DeviceEntry) {
    found = true;
  } else if (found) {
    device.push_back(s);
  } else if (const Seq* seq = as<Seq>(s); seq && contains_device_entry(s)) {
    for (const Stmt* child : seq->body) split(child, host, device, found);
  } else if (const Attr* attr = as<Attr>(s); attr && attr->body && contains_device_entry(s)) {
    device.push_back(make_stmt<Attr>(attr->origin, attr->key, attr->value, attr->node, nullptr));
    split(attr->body, host, device, found);
  } else {
    host.push_back(s);
  }
}

void Lowering::declare_outer(std::span<const Stmt* const> host) {
  for (const Param& param : in_.kernel->params) {
    if (param.buffer) {
      outer_[param.buffer->data] = {ParamKind::Pointer, param.buffer, {}, param.buffer->dtype};
      if (param.var && param.var != param.buffer->data) replaced_[param.var] = param.buffer->data;
      for (std::size_t i = 0; i < param.buffer->rank(); ++i) {
        const Var* extent = param.buffer->shape[i].as<Var>();
        if (!extent) continue;
        out_.plan.extents.push_back({extent, param.buffer, static_cast<int>(i)});
        outer_.try_emplace(extent, Outer{ParamKind::Scalar, nullptr, {}, extent->dtype});
      }
      // Extents that only occur inside an expression, and symbolic strides and offsets, are scalars as well.
      auto scalars = [&](Expr e) {
        walk(e, [&](Expr x) {
          if (const Var* v = x.as<Var>()) outer_.try_emplace(v, Outer{ParamKind::Scalar, nullptr, {}, v->dtype});
          return true;
        });
      };
      for (Expr e : param.buffer->shape) scalars(e);
      for (Expr e : param.buffer->strides) scalars(e);
      scalars(param.buffer->elem_offset);
    } else if (param.var) {
      DataType type = param.var->dtype;
      ParamKind kind =
          type.code == TypeCode::TensorMap || (type.is_handle() && param.var->pointee.code == TypeCode::TensorMap)
              ? ParamKind::TensorMap
          : type.is_handle() ? ParamKind::Pointer
                             : ParamKind::Scalar;
      outer_[param.var] = {kind, nullptr, {}, type.is_handle() ? param.var->pointee : type};
    }
  }
  for (const dispatch::TensorMap& map : in_.tensor_maps)
    outer_[map.var] = {ParamKind::TensorMap, map.tensor, {}, kTensorMap};
  for (const Stmt* root : host) {
    walk_stmts(root, [&](const Stmt* s) {
      if (const Bind* bind = as<Bind>(s)) {
        outer_[bind->var] = {bind->var->dtype.is_handle() ? ParamKind::Pointer : ParamKind::Scalar, nullptr,
                             bind->value, bind->var->dtype};
        if (bind->var->pointee.code == TypeCode::TensorMap || bind->var->dtype.code == TypeCode::TensorMap)
          outer_[bind->var].kind = ParamKind::TensorMap;
      } else if (const Alloc* alloc = as<Alloc>(s)) {
        host_storage_.insert(alloc->buffer->data);
      }
      return true;
    });
  }
}

// Maps that dispatch made, the last one first as the reference encodes them (dispatch.md 5.2), and those that the
// script's host part encodes.
void Lowering::collect_tensor_maps(std::span<const Stmt* const> host) {
  std::vector<const Buffer*> tensors;
  for (const Param& param : in_.kernel->params) {
    if (param.buffer) tensors.push_back(param.buffer);
  }
  std::vector<dispatch::TensorMap>& maps = out_.plan.tensor_maps;
  maps.assign(in_.tensor_maps.rbegin(), in_.tensor_maps.rend());
  for (const Stmt* root : host) {
    bool conditional = false;
    walk_stmts(root, [&](const Stmt* s) {
      conditional |= s->kind == StmtKind::If || s->kind == StmtKind::For || s->kind == StmtKind::While;
      const Evaluate* evaluate = as<Evaluate>(s);
      const Call* encode = evaluate ? evaluate->value.as<Call>() : nullptr;
      if (!encode || !is_tensor_map_encode(*encode)) return true;
      origin_ = s->origin;
      auto map = encoded_tensor_map(*encode, tensors);
      if (!map) {
        error(code::kTensorMap, "cuTensorMapEncodeTiled " + map.error());
      } else if (conditional) {
        error(code::kTensorMap, "`" + std::string(map->var->name) + "` is encoded under a condition or in a loop",
              "encode each map once, unconditionally, before T.device_entry()");
      } else if (encodes(maps, map->var)) {
        error(code::kTensorMap, "`" + std::string(map->var->name) + "` is encoded twice", "make a second map for it");
      } else {
        maps.push_back(*std::move(map));
      }
      return true;
    });
  }
}

void Lowering::note_use(const Var* var) {
  if (auto found = outer_.find(var); found != outer_.end()) {
    found->second.used = true;
  } else if (host_storage_.contains(var)) {
    error(code::kHostValue,
          "`" + std::string(var->name) + "` is storage of the host part and does not exist on the device",
          "bind the value with `x: T.let = ...` before T.device_entry()");
  }
}

// ---- the plan ------------------------------------------------------------------------------------------------------

void Lowering::build_plan() {
  LaunchPlan& plan = out_.plan;
  for (const auto& [var, outer] : outer_) {
    if (!outer.used) continue;
    const Call* made = outer.value ? outer.value.as<Call>() : nullptr;
    if (outer.kind == ParamKind::TensorMap && made && !failed_ && !encodes(plan.tensor_maps, var)) {
      // The reference compiles it; a run refuses a map that nothing encodes.
      context_.report({code::kTensorMap,
                       text::Severity::Warning,
                       "the tensor map `" + std::string(var->name) + "` is used but never encoded",
                       in_.kernel->span,
                       {},
                       "call T.call_packed(\"runtime.cuTensorMapEncodeTiled\", " + std::string(var->name) +
                           ", ...) before T.device_entry()",
                       {}});
    }
    if (plan.map_place == MapPlace::Constant && encodes(plan.tensor_maps, var)) {
      plan.constant_maps.push_back(var);
      continue;
    }
    plan.params.push_back({outer.kind, var, outer.tensor, outer.dtype, outer.value});
  }
  std::ranges::sort(plan.constant_maps, {}, [](const Var* v) { return std::pair(v->name, v->id); });
  std::ranges::sort(plan.params, [](const KernelParam& a, const KernelParam& b) {
    bool scalar_a = a.kind == ParamKind::Scalar, scalar_b = b.kind == ParamKind::Scalar;
    if (scalar_a != scalar_b) return scalar_b;
    if (a.var->name != b.var->name) return a.var->name < b.var->name;
    return a.var->id < b.var->id;
  });
  acquire_tensor_maps();
}

// The steps in order. Each reports what is wrong and goes on, so that all findings come in one run; only without a
// device part there is nothing to go on with.
bool Lowering::run() {
  out_.kernel = in_.kernel;
  out_.symbol = std::string(in_.kernel->name) + "_kernel";
  const Origin whole{in_.kernel->span, nullptr};

  // 1. Dispatched body -> host part and device part. The marker is gone; an attribute around it stands before the
  //    device part.
  std::vector<const Stmt*> host, device;
  bool found = false;
  if (in_.body) split(in_.body, host, device, found);
  if (!found) {
    origin_ = whole;
    error(code::kNoDevice, "`" + std::string(in_.kernel->name) + "` has no T.device_entry(): nothing runs on the GPU");
    return false;
  }

  // 2. Host part -> what the device part may use without having made it, and the tensor maps that the host encodes.
  //    Every variable that is neither is the device part's own.
  declare_outer(host);
  collect_tensor_maps(host);

  // 3. Device part -> its allocations, views, scope ids and launch attributes; from these the size and alignment of
  //    each block of shared memory. Nothing is rewritten before the sizes stand: an index depends on them.
  survey(device);
  on_device_ = true;
  size_pools();

  // 4. Device part -> lowered statements: flat accesses, scope ids as constants or variables, known loops
  //    and conditions resolved. Which of step 2 is used, and which scope ids are, is known afterwards.
  std::vector<const Stmt*> body;
  for (const Stmt* s : device) statement(s, body);

  // 5. The scope ids in use, bound at the top, before everything that names them.
  std::vector<const Stmt*> lowered;
  ids_.bindings(lowered);
  lowered.insert(lowered.end(), body.begin(), body.end());
  out_.device = make_stmt<Seq>(whole, Arena::current().copy(lowered));
  on_device_ = false;

  // 6. The part of the host that computes something stays as it is.
  std::vector<const Stmt*> computing;
  for (const Stmt* s : host) {
    if (s->kind == StmtKind::Decl || s->kind == StmtKind::Attr || s->kind == StmtKind::Comment) continue;
    computing.push_back(s);
  }
  if (!computing.empty()) out_.host = make_stmt<Seq>(whole, Arena::current().copy(computing));

  // 7. What is used of step 2 becomes the signature, which completes the launch plan.
  build_plan();
  return !failed_;
}

std::expected<LoweredKernel, Failed> lower(const dispatch::Dispatched& dispatched, const text::Context& context) {
  if (dispatched.failed) return std::unexpected(Failed{});
  LoweredKernel out;
  out.arena = std::make_shared<Arena>();
  out.dispatched_arena = dispatched.arena;
  out.plan.launch = dispatched.launch;
  ArenaScope scope(*out.arena);
  if (!Lowering(dispatched, context, out).run()) return std::unexpected(Failed{});
  return out;
}

}  // namespace tilewright::lower
