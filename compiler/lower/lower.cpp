// One walk over the dispatched body.
//
// The body is split at the device marker. The device part is rewritten statement by statement: accesses become flat,
// scope ids are replaced by constants or by variables bound at the top, and what is known now disappears: unit loops,
// constant conditions, attributes. While walking, everything that comes from outside the device part is noted; that is
// the kernel's signature. Errors give poison (index 0) and the walk goes on, so that one run reports all of them.
#include "compiler/lower/lower.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/shared_limit.h"
#include "compiler/lower/codes.h"
#include "compiler/lower/flatten.h"
#include "compiler/lower/scope_ids.h"
#include "compiler/lower/tensor_maps.h"
#include "compiler/lower/vectorize.h"

namespace tilewright::lower {
namespace {

using namespace ir;

constexpr std::int64_t kStaticSharedLimit = 48 * 1024;

bool contains_device_entry(const Stmt* s) {
  bool found = false;
  walk_stmts(s, [&](const Stmt* child) {
    found |= child->kind == StmtKind::DeviceEntry;
    return !found && (child->kind == StmtKind::Seq || child->kind == StmtKind::Attr);
  });
  return found;
}

// Does the body leave or restart the loop that directly encloses it?
bool jumps(const Stmt* s) {
  bool found = false;
  walk_stmts(s, [&](const Stmt* child) {
    found |= child->kind == StmtKind::Break || child->kind == StmtKind::Continue;
    return !found && child->kind != StmtKind::For && child->kind != StmtKind::While;
  });
  return found;
}

bool encodes(const std::vector<dispatch::TensorMap>& maps, const Var* var) {
  return std::ranges::find(maps, var, &dispatch::TensorMap::var) != maps.end();
}

// Calls f(argument position, operand) for the attributes given in a call of an intrinsic.
template <class F>
void for_each_attribute(const intrinsics::Intrinsic& row, std::span<const Expr> args, F&& f) {
  std::size_t at = 0;
  for (const intrinsics::Operand& operand : row.operands) {
    if (at >= args.size()) return;
    if (operand.kind == intrinsics::OperandKind::List) {
      const std::int64_t* n = constant(args[at]);
      at += 1 + (n ? static_cast<std::size_t>(*n) : 0);
      continue;
    }
    if (operand.kind == intrinsics::OperandKind::Attribute && !intrinsics::is_absent(args[at])) f(at, operand);
    ++at;
  }
}

class Lowering {
 public:
  Lowering(const dispatch::Dispatched& in, const text::Context& context, LoweredKernel& out)
      : in_(in), context_(context), out_(out), flattener_([this](Expr e) { return rewrite(e); }), ids_(out, in) {}

  bool run();

 private:
  // The host part's values and the kernel's parameters: whatever a device body may use without having made it.
  struct Outer {
    ParamKind kind = ParamKind::Scalar;
    const Buffer* tensor = nullptr;
    Expr value;  // host expression
    DataType dtype;
    bool used = false;
  };

  void split(const Stmt* s, std::vector<const Stmt*>& host, std::vector<const Stmt*>& device, bool& found);
  void declare_outer(std::span<const Stmt* const> host);
  void collect_tensor_maps(std::span<const Stmt* const> host);
  void survey(std::span<const Stmt* const> device);
  void note_launch_attribute(std::string_view key, const std::int64_t* value);
  void place_tensor_maps(Expr value);
  void acquire_tensor_maps();
  void size_pools();
  void build_plan();

  Expr rewrite(Expr e);
  Expr rewrite_call(const Call* node);
  Expr access(const Buffer* buffer, std::span<const Expr> indices);  // flat index, rewritten; poison on error
  void note_use(const Var* var);

  void statement(const Stmt* s, std::vector<const Stmt*>& out);
  const Stmt* block(const Stmt* s);
  void loop(const For* s, std::vector<const Stmt*>& out);
  void allocate(const Alloc* s, std::vector<const Stmt*>& out);
  const Var* ranged(const Var* var, Interval range);
  bool needs_expansion(const For* s);

  void error(std::string_view code, std::string message, std::string hint = {});
  void report(std::string_view code, text::Severity severity, std::string message, std::string hint);
  void check_shared_limit(const Buffer& buffer, const SharedBlock& block);

  const dispatch::Dispatched& in_;
  const text::Context& context_;
  LoweredKernel& out_;
  Flattener flattener_;
  ScopeIdValues ids_;
  Origin origin_;  // of the statement being lowered
  bool failed_ = false;
  bool on_device_ = false;
  std::unordered_map<const Var*, Expr> replaced_;
  std::unordered_map<const Var*, Outer> outer_;
  std::unordered_set<const Var*> host_storage_;  // data of host allocations
  std::unordered_set<const Buffer*> allocated_;
  std::vector<const Alloc*> allocs_;
  std::vector<const Buffer*> views_;
  std::unordered_map<const Var*, std::int64_t> pool_bytes_;
  std::vector<std::pair<text::Span, std::string>> reported_;
};

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

// ---- what must be known before the walk: pools and their views -----------------------------------------------------

void Lowering::survey(std::span<const Stmt* const> device) {
  for (const Stmt* root : device) {
    walk_stmts(root, [&](const Stmt* s) {
      switch (s->kind) {
        case StmtKind::Alloc: allocs_.push_back(static_cast<const Alloc*>(s)); break;
        case StmtKind::Decl: views_.push_back(static_cast<const Decl*>(s)->buffer); break;
        case StmtKind::ScopeIds: {
          auto ids = static_cast<const ScopeIds*>(s);
          for (const Var* var : ids->vars) ids_.declared(var, s->origin);
          break;
        }
        case StmtKind::Attr: {
          auto attr = static_cast<const Attr*>(s);
          const std::int64_t* value = constant(attr->value);
          if (attr->key == "tirx.pool_max_bytes" && attr->node && value) pool_bytes_[attr->node] = *value;
          note_launch_attribute(attr->key, value);
          break;
        }
        default: break;
      }
      return true;
    });
  }
  for (const Attribute& attribute : in_.kernel->attributes) {
    const std::int64_t* value = constant(attribute.value);
    if (value && attribute.key == "persistent") out_.plan.persistent = *value != 0;
    if (attribute.key == "tilewright.tensor_maps") place_tensor_maps(attribute.value);
    note_launch_attribute(attribute.key, value);
  }
}

// Where the kernel finds the maps that its host part encodes; a spelling of ours, which other compilers pass over.
void Lowering::place_tensor_maps(Expr value) {
  const auto* word = value.as<StringImm>();
  auto place = word ? map_place(word->value) : std::nullopt;
  if (place) {
    out_.plan.map_place = *place;
    return;
  }
  origin_ = {in_.kernel->span, nullptr};
  error(code::kMapPlace, "the attribute tilewright.tensor_maps is " + to_string(value),
        "write \"parameter\", \"constant\" or \"global\"");
}

// Maps that the host writes to global memory are acquired by every thread before anything else (CUDA guide, 4.11.2.2):
// the copy engine reads them through a proxy of its own, which knows nothing of what the host wrote.
void Lowering::acquire_tensor_maps() {
  if (out_.plan.map_place != MapPlace::Global) return;
  const intrinsics::Intrinsic* row = intrinsics::row_of_id("E22");
  std::vector<const Stmt*> all;
  for (const KernelParam& param : out_.plan.params) {
    if (!in_global_memory(out_.plan, param)) continue;
    Expr variable = param.var;
    Expr args[] = {call(kUInt64, builtin::address_of, {&variable, 1}), string_imm("sys")};
    all.push_back(make_stmt<Evaluate>(Origin{in_.kernel->span, nullptr}, call(kVoid, *row, args)));
  }
  const auto* body = as<Seq>(out_.device);
  all.insert(all.end(), body->body.begin(), body->body.end());
  out_.device = make_stmt<Seq>(Origin{in_.kernel->span, nullptr}, Arena::current().copy(all));
}

// Attributes of the launch, from T.attr or T.func_attr.
void Lowering::note_launch_attribute(std::string_view key, const std::int64_t* value) {
  if (!value || !key.starts_with("tirx.")) return;
  key.remove_prefix(5);
  LaunchPlan& plan = out_.plan;
  if (key == "launch_bounds_min_blocks_per_sm") plan.min_blocks_per_sm = static_cast<int>(*value);
  if (key == "persistent_kernel") plan.persistent = *value != 0;
  if (key == "use_cooperative_launch") plan.cooperative = *value != 0;
  // The second spelling is that of the reference's runtime.
  if (key == "use_programmatic_dependent_launch" || key == "use_programtic_dependent_launch") {
    plan.programmatic_dependent_launch = *value != 0;
  }
}

// Bytes from the start of its storage up to the end of a view; nothing when that is not bounded by a constant.
std::optional<std::int64_t> view_end(const Buffer& view) {
  std::optional<std::int64_t> elements = storage_elements(view);
  if (!elements) return std::nullopt;
  std::int64_t offset = 0;
  if (view.elem_offset) {
    Interval b = bounds(view.elem_offset);
    if (b.hi == Interval::kMax) return std::nullopt;
    offset = b.hi;
  }
  return ((offset + *elements) * element_bits(view.dtype) + 7) / 8;
}

std::int64_t swizzle_bytes(const Buffer& view) {
  if (!view.layout || !view.layout->swizzle) return 0;
  return std::clamp<std::int64_t>(view.layout->swizzle->period() * element_bits(view.dtype) / 8, 16, 1024);
}

void Lowering::size_pools() {
  const Alloc* dynamic = nullptr;
  for (const Alloc* alloc : allocs_) {
    const Buffer* buffer = alloc->buffer;
    if (!is_shared(buffer->scope)) continue;
    origin_ = alloc->origin;
    if (buffer->scope == StorageScope::SharedDyn) {
      if (dynamic && dynamic->buffer != buffer) {
        error(code::kSecondDynamic,
              "`" + std::string(ir::spoken_name(*buffer)) + "` is a second dynamic shared allocation besides `" +
                  std::string(ir::spoken_name(*dynamic->buffer)) + "`",
              "carve both from one T.SMEMPool");
        continue;
      }
      dynamic = alloc;
    }
    std::optional<std::int64_t> elements = storage_elements(*buffer);
    std::int64_t align = std::max({16, buffer->align, static_cast<int>(swizzle_bytes(*buffer))});
    for (const Buffer* view : views_)
      if (view->data == buffer->data) align = std::max(align, swizzle_bytes(*view));
    // Boxes of tensor copies start on multiples of 128 bytes; dispatch saw to the offsets within the storage.
    if (!out_.plan.tensor_maps.empty()) align = std::max(align, std::int64_t{128});
    if (auto fixed = pool_bytes_.find(buffer->data); fixed != pool_bytes_.end()) {
      elements = fixed->second * 8 / element_bits(buffer->dtype);
    } else if (elements && *elements == 0) {
      std::int64_t bytes = 0;
      for (const Buffer* view : views_) {
        if (view->data != buffer->data) continue;
        std::optional<std::int64_t> end = view_end(*view);
        if (!end) {
          error(code::kSize, "the pool `" + std::string(buffer->name) + "` has no size: the end of `" +
                                 std::string(view->name) + "` in it is not a constant");
          end = 0;
        }
        bytes = std::max(bytes, *end);
      }
      elements = (bytes * 8 + element_bits(buffer->dtype) - 1) / element_bits(buffer->dtype);
    }
    if (!elements) {
      error(code::kSize, "`" + std::string(ir::spoken_name(*buffer)) + "` needs constant extents to be allocated");
      continue;
    }
    flattener_.set_elements(buffer, *elements);
    SharedBlock block{flattener_.flat(buffer), (*elements * element_bits(buffer->dtype) + 7) / 8,
                      static_cast<int>(align), buffer->scope == StorageScope::SharedDyn};
    bool known = std::ranges::any_of(out_.shared, [&](const SharedBlock& b) { return b.buffer == block.buffer; });
    if (known) continue;
    if (block.dynamic) {
      out_.plan.dynamic_shared_bytes = block.bytes;
    } else {
      std::int64_t& at = out_.plan.static_shared_bytes;
      at = (at + block.align - 1) / block.align * block.align + block.bytes;
      if (at > kStaticSharedLimit && at - block.bytes <= kStaticSharedLimit) {
        error(code::kStaticLimit,
              "static shared memory reaches " + std::to_string(at) + " bytes with `" +
                  std::string(ir::spoken_name(*buffer)) + "`; the limit is 49152",
              "allocate it with scope=\"shared.dyn\", for instance from a T.SMEMPool");
      }
    }
    out_.shared.push_back(block);
    check_shared_limit(*buffer, block);
  }
}

// What goes beyond the limit is told where it does; the code is right, and no launch of it is.
void Lowering::check_shared_limit(const Buffer& buffer, const SharedBlock& block) {
  const std::int64_t limit = ir::shared_memory_limit(in_.kernel->target);
  const std::int64_t all = out_.plan.static_shared_bytes + out_.plan.dynamic_shared_bytes;
  if (failed_ || all <= limit || all - block.bytes > limit) return;
  report(code::kSharedLimit, text::Severity::Warning,
         "shared memory of a CTA reaches " + std::to_string(all) + " bytes with `" +
             std::string(ir::spoken_name(buffer)) + "`; " + in_.kernel->target.name() + " has " +
             std::to_string(limit) + ", and no launch can have more",
         "make the tiles or the number of stages smaller");
}

// ---- expressions ---------------------------------------------------------------------------------------------------

Expr Lowering::access(const Buffer* buffer, std::span<const Expr> indices) {
  Expr small[8];
  std::vector<Expr> large;
  Expr* now = small;
  if (indices.size() > 8) {
    large.resize(indices.size());
    now = large.data();
  }
  for (std::size_t i = 0; i < indices.size(); ++i) now[i] = rewrite(indices[i]);
  if (on_device_ && buffer->data) note_use(buffer->data);
  auto index = flattener_.index(buffer, {now, indices.size()});
  if (index) return *index;
  std::string hint;
  if (index.error().code == code::kDistributed)
    hint = "take `" + std::string(buffer->name) + ".local(...)`, or use a tile primitive";
  error(index.error().code, std::move(index.error().message), std::move(hint));
  int lanes = indices.empty() ? 1 : indices.back().dtype().lanes;
  return lanes > 1 ? ramp(Expr(0), Expr(1), lanes) : Expr(0);
}

Expr Lowering::rewrite(Expr e) {
  if (!e) return e;
  switch (e.kind()) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::StringImm: return e;
    case ExprKind::Var: {
      const Var* var = e.as<Var>();
      if (!replaced_.empty()) {
        if (auto found = replaced_.find(var); found != replaced_.end()) {
          const Var* to = found->second.as<Var>();
          if (to && on_device_) note_use(to);
          return found->second;
        }
      }
      if (!on_device_) return e;
      if (var->role == VarRole::ScopeId) {
        Expr value = ids_.value_of(var);
        return value ? value : e;
      }
      note_use(var);
      return e;
    }
    case ExprKind::Load: {
      const Load* node = e.as<Load>();
      Expr index = access(node->buffer, node->indices);
      return load(flattener_.flat(node->buffer), std::span<const Expr>(&index, 1));
    }
    case ExprKind::Call: return rewrite_call(e.as<Call>());
    default: break;
  }
  Expr buffer[3], now[3];
  std::span<const Expr> old = children(*e.get(), buffer);
  bool changed = false;
  for (std::size_t i = 0; i < old.size(); ++i) {
    now[i] = rewrite(old[i]);
    changed |= !same_node(now[i], old[i]);
  }
  return changed ? rebuild(e, {now, old.size()}) : e;
}

Expr Lowering::rewrite_call(const Call* node) {
  std::vector<Expr> args;
  args.reserve(node->args.size());
  bool changed = false;
  for (Expr arg : node->args) {
    args.push_back(rewrite(arg));
    changed |= !same_node(args.back(), arg);
  }
  // A pointer to an element plus a distance is a pointer to another element: that is how one would write it by hand.
  if (node->callee == &builtin::pointer_offset && args.size() == 2) {
    const Call* inner = args[0].as<Call>();
    const Load* element = inner && inner->callee == &builtin::address_of ? inner->args[0].as<Load>() : nullptr;
    if (element && !element->dtype.is_vector()) {
      Expr index = simplify(element->indices[0] + args[1]);
      Expr moved = load(element->buffer, std::span<const Expr>(&index, 1));
      return call(node->dtype, builtin::address_of, std::span<const Expr>(&moved, 1));
    }
  }
  if (const intrinsics::Intrinsic* row = intrinsics::of(node->callee)) {
    if (row->meaning == intrinsics::Meaning::GridSync) out_.plan.cooperative = true;
    bool expanded = false;
    for_each_attribute(*row, args, [&](std::size_t i, const intrinsics::Operand& operand) {
      if (constant(args[i]) || args[i].kind() == ExprKind::StringImm || args[i].kind() == ExprKind::FloatImm) return;
      Expr value = simplify(args[i]);
      if (constant(value)) {
        args[i] = value;
        changed = expanded = true;
      } else {
        error(code::kAttribute, "`" + std::string(operand.name) + "` of T." + std::string(row->name) +
                                    " must be a constant, it is " + to_string(args[i]));
      }
    });
    // Where it was written, the call was checked as it is in the first round of its loops.
    if (expanded) {
      if (auto problem = intrinsics::verify(*row, args, in_.kernel->target)) {
        error(code::kAttribute, "T." + std::string(row->name) + ": " + *problem);
      }
    }
  }
  return changed ? call(node->dtype, *node->callee, args) : Expr(node);
}

// ---- statements ----------------------------------------------------------------------------------------------------

const Stmt* Lowering::block(const Stmt* s) {
  std::vector<const Stmt*> out;
  if (s) statement(s, out);
  return make_seq(s ? s->origin : origin_, out);
}

void Lowering::statement(const Stmt* s, std::vector<const Stmt*>& out) {
  if (s->kind != StmtKind::Seq) origin_ = s->origin;
  switch (s->kind) {
    case StmtKind::Seq:
      for (const Stmt* child : static_cast<const Seq*>(s)->body) statement(child, out);
      break;
    case StmtKind::Bind: {
      auto bind = static_cast<const Bind*>(s);
      Expr value = rewrite(bind->value);
      if (constant(value) && !bind->var->dtype.is_handle()) {
        replaced_[bind->var] = value;
        break;
      }
      const bool open = bind->var->range == Interval{} && value.dtype().is_integral() && !value.dtype().is_vector();
      const Var* var = ranged(bind->var, open ? bounds(value) : Interval{});
      out.push_back(make_stmt<Bind>(s->origin, var, value));
      break;
    }
    case StmtKind::Alloc: allocate(static_cast<const Alloc*>(s), out); break;
    case StmtKind::Decl: {
      const Buffer* buffer = static_cast<const Decl*>(s)->buffer;
      if (buffer->scope == StorageScope::Tmem) break;
      if (buffer->data && on_device_) note_use(buffer->data);
      out.push_back(make_stmt<Decl>(s->origin, flattener_.flat(buffer)));
      break;
    }
    case StmtKind::Store: {
      auto store = static_cast<const Store*>(s);
      Expr index = access(store->buffer, store->indices);
      Expr value = rewrite(store->value);
      out.push_back(make_stmt<Store>(s->origin, flattener_.flat(store->buffer),
                                     Arena::current().copy(std::span<const Expr>(&index, 1)), value));
      break;
    }
    case StmtKind::For: loop(static_cast<const For*>(s), out); break;
    case StmtKind::While: {
      auto loop = static_cast<const While*>(s);
      Expr condition = rewrite(loop->condition);
      if (is_constant(condition, 0)) break;
      out.push_back(make_stmt<While>(s->origin, condition, block(loop->body)));
      break;
    }
    case StmtKind::If: {
      auto branch = static_cast<const If*>(s);
      Expr condition = rewrite(branch->condition);
      if (!constant(condition)) {
        Expr simple = simplify(condition);
        if (constant(simple)) condition = simple;
      }
      if (const std::int64_t* known = constant(condition)) {
        if (const Stmt* taken = *known ? branch->then_body : branch->else_body) statement(taken, out);
        break;
      }
      const Stmt* then_body = block(branch->then_body);
      const Stmt* else_body = branch->else_body ? block(branch->else_body) : nullptr;
      out.push_back(make_stmt<If>(s->origin, condition, then_body, else_body));
      break;
    }
    case StmtKind::Evaluate: {
      Expr value = rewrite(static_cast<const Evaluate*>(s)->value);
      if (value.kind() != ExprKind::Call) break;  // nothing happens
      out.push_back(make_stmt<Evaluate>(s->origin, value));
      break;
    }
    case StmtKind::Assert: {
      auto check = static_cast<const Assert*>(s);
      out.push_back(make_stmt<Assert>(s->origin, rewrite(check->condition), check->message));
      break;
    }
    case StmtKind::Attr:
      if (const Stmt* body = static_cast<const Attr*>(s)->body) statement(body, out);
      break;
    case StmtKind::Return: {
      Expr value = rewrite(static_cast<const Return*>(s)->value);
      out.push_back(make_stmt<Return>(s->origin, value));
      break;
    }
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Comment: out.push_back(s); break;
    case StmtKind::ScopeIds:
    case StmtKind::DeviceEntry: break;
    case StmtKind::TileCall:
      error(code::kTileCall, "the tile primitive `" + std::string(static_cast<const TileCall*>(s)->primitive) +
                                 "` was left in the body");
      break;
  }
}

// The variable that the lowered body defines for `var`, which names it from here on: the same one, or, where its range
// was open and is known now, one with that range.
const Var* Lowering::ranged(const Var* var, Interval range) {
  if (var->range != Interval{} || range == Interval{}) {
    replaced_.erase(var);
    return var;
  }
  // A statement that is written out several times defines one variable as long as its range holds.
  Expr& now = replaced_[var];
  const Var* known = now.as<Var>();
  const bool holds = known && known->id == var->id && range.lo >= known->range.lo && range.hi <= known->range.hi;
  if (!holds) now = known = with_range(var, range);
  return known;
}

void Lowering::allocate(const Alloc* s, std::vector<const Stmt*>& out) {
  const Buffer* buffer = s->buffer;
  switch (buffer->scope) {
    case StorageScope::Tmem: return;  // named by its column, nothing to allocate here
    case StorageScope::Shared:
    case StorageScope::SharedDyn: break;
    case StorageScope::Local:
      if (!storage_elements(*buffer)) {
        error(code::kSize, "`" + std::string(ir::spoken_name(*buffer)) + "` needs constant extents to be allocated");
        return;
      }
      break;
    default:
      error(code::kStorage, "`" + std::string(ir::spoken_name(*buffer)) + "` cannot be allocated in scope \"" +
                                std::string(buffer->scope == StorageScope::Other ? buffer->scope_text
                                                                                 : storage_scope_name(buffer->scope)) +
                                "\" on the device");
      return;
  }
  out.push_back(make_stmt<Alloc>(s->origin, flattener_.flat(buffer)));
}

// An attribute of an instruction is part of its text: a loop variable in one means that the loop has to be written out.
bool Lowering::needs_expansion(const For* s) {
  bool found = false;
  auto look = [&](Expr e) {
    walk(e, [&](Expr x) {
      const Call* node = x.as<Call>();
      const intrinsics::Intrinsic* row = node ? intrinsics::of(node->callee) : nullptr;
      if (!row) return !found;
      for_each_attribute(*row, node->args, [&](std::size_t i, const intrinsics::Operand&) {
        walk(node->args[i], [&](Expr inner) {
          found |= inner.kind() == ExprKind::Var;
          return !found;
        });
      });
      return !found;
    });
  };
  walk_stmts(s->body, [&](const Stmt* child) {
    switch (child->kind) {
      case StmtKind::Evaluate: look(static_cast<const Evaluate*>(child)->value); break;
      case StmtKind::Bind: look(static_cast<const Bind*>(child)->value); break;
      case StmtKind::Store: look(static_cast<const Store*>(child)->value); break;
      case StmtKind::If: look(static_cast<const If*>(child)->condition); break;
      default: break;
    }
    return !found;
  });
  return found;
}

void Lowering::loop(const For* s, std::vector<const Stmt*>& out) {
  Expr min = rewrite(s->min);
  Expr extent = rewrite(s->extent);
  Expr step = s->step ? rewrite(s->step) : Expr();
  if (!constant(extent)) {
    Expr simple = simplify(extent);
    if (constant(simple)) extent = simple;
  }
  const std::int64_t* count = constant(extent);
  if (count && *count <= 0) return;

  if (s->loop == LoopKind::ThreadBinding) {
    Expr bound = ids_.launch_value(s->thread_tag);
    replaced_[s->var] = bound ? simplify(min + bound) : min;
    statement(s->body, out);
    return;
  }
  if (count && *count == 1 && !jumps(s->body)) {
    replaced_[s->var] = min;
    statement(s->body, out);
    replaced_.erase(s->var);
    return;
  }
  const std::int64_t* first = constant(min);
  const std::int64_t* stride = step ? constant(step) : nullptr;
  if (s->loop == LoopKind::Unrolled && needs_expansion(s)) {
    if (!count || !first || (step && !stride) || jumps(s->body)) {
      error(code::kExpansion,
            "the loop over `" + std::string(s->var->name) + "` sets an instruction's attribute and cannot be expanded");
      return;
    }
    for (std::int64_t i = 0; i < *count; ++i) {
      replaced_[s->var] = int_imm(s->var->dtype, *first + i * (stride ? *stride : 1));
      statement(s->body, out);
    }
    replaced_.erase(s->var);
    return;
  }

  Interval range;
  if (count && first && (!step || stride)) range = {*first, *first + (*count - 1) * (stride ? *stride : 1)};
  const Var* var = ranged(s->var, range);
  const Stmt* body = block(s->body);
  origin_ = s->origin;
  if (as<Seq>(body) && static_cast<const Seq*>(body)->body.empty()) return;
  UnrollHint unroll = s->unroll;
  if (s->loop == LoopKind::Vectorized && count && first) {
    if (const Stmt* wide = vectorized(var, *first, *count, body)) {
      out.push_back(wide);
      return;
    }
    unroll = UnrollHint::Full;  // one element at a time, as the reference falls back
  }
  if (s->loop == LoopKind::Unrolled) unroll = UnrollHint::Full;
  out.push_back(make_stmt<For>(s->origin, var, min, extent, step, LoopKind::Serial, unroll, std::string_view(), body));
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

}  // namespace

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
