#include "compiler/run/bind.h"

#include <algorithm>
#include <set>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/ir/primitive.h"
#include "compiler/lower/tensor_maps.h"

namespace tilewright::run {
namespace {

using namespace ir;

// ---- roles ---------------------------------------------------------------------------------------------------------

struct Uses {
  bool read = false, written = false;
};

class RoleFinder {
 public:
  std::map<const Var*, Uses> uses;

  void statement(const Stmt* s) {
    walk_stmts(s, [&](const Stmt* x) {
      one(x);
      return true;
    });
    // A tensor behind a map that the script encodes: what instructions do through the map.
    for (const auto& [map, tensor] : encoded_) {
      uses[tensor].read |= maps_[map].read;
      uses[tensor].written |= maps_[map].written;
    }
  }

 private:
  void one(const Stmt* s) {
    if (const auto* store = as<Store>(s)) {
      uses[store->buffer->data].written = true;
      for (Expr e : store->indices) value(e);
      value(store->value);
    } else if (const auto* call = as<TileCall>(s)) {
      tile(*call);
    } else if (const auto* bind = as<Bind>(s)) {
      if (bind->var->dtype.is_handle()) escape(bind->value);
      value(bind->value);
    } else if (const auto* loop = as<For>(s)) {
      value(loop->min);
      value(loop->extent);
      value(loop->step);
    } else if (const auto* loop = as<While>(s)) {
      value(loop->condition);
    } else if (const auto* branch = as<If>(s)) {
      value(branch->condition);
    } else if (const auto* evaluate = as<Evaluate>(s)) {
      evaluated(evaluate->value);
    } else if (const auto* check = as<Assert>(s)) {
      value(check->condition);
    }
  }

  void tile(const TileCall& call) {
    for (const ConfigItem& item : call.config) operand(item.value, keyword_role(call, item.key));
    for (std::size_t i = 0; i < call.args.size(); ++i) operand(call.args[i], operand_role(call, i));
  }

  void operand(const Operand& operand, OperandRole role) {
    if (operand.value) value(operand.value);
    if (!operand.region.buffer) return;
    Uses& u = uses[operand.region.buffer->data];
    u.read |= role != OperandRole::Written;
    u.written |= role != OperandRole::Read;
    for (const Range& r : operand.region.ranges) {
      value(r.min);
      value(r.extent);
    }
  }

  void evaluated(Expr e) {
    const auto* call = e.as<Call>();
    if (call && lower::is_tensor_map_encode(*call)) {
      encode(*call);
    } else {
      value(e);
    }
  }

  // The host's call takes the tensor's address into a map, and neither reads nor writes the tensor: (name, map, type,
  // rank, pointer, ...).
  void encode(const Call& call) {
    const Var* map = call.args.size() > 4 ? call.args[1].as<Var>() : nullptr;
    const Var* tensor = map ? addressed(call.args[4]) : nullptr;
    if (tensor) encoded_.emplace_back(map, tensor);
    for (std::size_t i = 1; i < call.args.size(); ++i) {
      if (!tensor || (i != 1 && i != 4)) argument(call, i);
    }
  }

  void value(Expr e) {
    if (!e) return;
    if (const auto* var = e.as<Var>(); var && var->dtype == kTensorMap) maps_[var] = {true, true};
    if (const auto* load = e.as<Load>()) {
      uses[load->buffer->data].read = true;
      for (Expr i : load->indices) value(i);
    } else if (const auto* call = e.as<Call>()) {
      for (std::size_t i = 0; i < call->args.size(); ++i) argument(*call, i);
    } else {
      Expr buffer[3];
      for (Expr child : children(*e.get(), buffer)) value(child);
    }
  }

  // An address that gets another name: what is done through that name is not followed.
  void escape(Expr e) {
    walk(e, [&](Expr x) {
      if (const auto* var = x.as<Var>(); var && var->dtype.is_handle()) uses[var] = {true, true};
      if (const auto* load = x.as<Load>()) uses[load->buffer->data] = {true, true};
      return true;
    });
  }

  // Whose address this is; null: unknown. Indices are values of their own.
  const Var* addressed(Expr e) {
    const auto* inner = e.as<Call>();
    if (inner && inner->callee == &builtin::address_of) {
      const auto* load = inner->args[0].as<Load>();
      if (!load) return nullptr;
      for (Expr i : load->indices) value(i);
      return load->buffer->data;
    }
    const auto* var = e.as<Var>();
    return var && var->dtype.is_handle() ? var : nullptr;
  }

  static const Var* tensor_map(Expr e) {
    const auto* inner = e.as<Call>();
    const auto* var = inner && inner->callee == &builtin::address_of ? inner->args[0].as<Var>() : nullptr;
    return var && var->dtype == kTensorMap ? var : nullptr;
  }

  // An address that leaves for an instruction. The row says what it does there; code that is not ours may do
  // anything.
  void argument(const Call& call, std::size_t at) {
    Expr e = call.args[at];
    const bool forwards = call.callee == &builtin::pointer_offset || call.callee == &builtin::handle_byte_offset;
    const intrinsics::Intrinsic* row = forwards ? nullptr : intrinsics::of(call.callee);
    const intrinsics::Operand* operand = row ? intrinsics::Arguments(*row, call.args).operand_at(at) : nullptr;
    if (const Var* map = tensor_map(e)) {
      return add(maps_[map], operand ? intrinsics::tensor_use_of(*row, *operand) : intrinsics::OperandUse{true, true});
    }
    if (operand && operand->access != intrinsics::Access::In && e.as<Load>())
      return destination(call, *row, *operand, at);
    const Var* data = addressed(e);
    if (!data || call.callee == &builtin::is_null) return data ? void() : value(e);
    add(uses[data], operand ? intrinsics::use_of(*row, *operand) : intrinsics::OperandUse{true, true});
  }

  // An element that an instruction of 0.27 writes. One with a predicate may leave it as it was.
  void destination(const Call& call, const intrinsics::Intrinsic& row, const intrinsics::Operand& operand,
                   std::size_t at) {
    const auto* load = call.args[at].as<Load>();
    const intrinsics::Form* form = intrinsics::form_of(row);
    const bool guarded = form && intrinsics::written_form(*form, call.args).pred;
    add(uses[load->buffer->data], {.reads = operand.access == intrinsics::Access::InOut || guarded, .writes = true});
    for (Expr i : load->indices) value(i);
  }

  static void add(Uses& to, const intrinsics::OperandUse& use) {
    to.read |= use.reads;
    to.written |= use.writes;
  }

  std::vector<std::pair<const Var*, const Var*>> encoded_;  // map, tensor
  std::map<const Var*, Uses> maps_;                         // of the tensor behind each map
};

// ---- numbers -------------------------------------------------------------------------------------------------------

class Binder {
 public:
  Binder(const lower::LoweredKernel& kernel, const Bindings& given) : kernel_(kernel), given_(given) {
    walk_stmts(kernel.host, [&](const Stmt* s) {
      if (const auto* b = as<Bind>(s)) host_[b->var] = b->value;
      return true;
    });
    for (const lower::KernelParam& p : kernel.plan.params)
      if (p.value) host_.try_emplace(p.var, p.value);
    for (const ir::Param& p : kernel.kernel->params)
      if (p.buffer) datas_[p.buffer->data] = p.buffer;
  }

  std::expected<Bound, std::string> run() {
    Arena memory;
    ArenaScope arena(memory);
    out_.job.launches.emplace_back();
    try {
      extents();
      tensors();
      launch();
      host_checks();
      params();
    } catch (const Refusal& r) {
      return std::unexpected(r.why);
    }
    out_.launches.push_back({&kernel_, out_.tensors, out_.extents});
    out_.values = given_.values;
    return std::move(out_);
  }

 private:
  JobLaunch& job() { return out_.job.launches.front(); }

  struct Refusal {
    std::string why;
  };
  [[noreturn]] static void refuse(std::string why) { throw Refusal{std::move(why)}; }

  std::expected<Number, std::string> symbol(const Var* var) {
    if (auto it = extents_.find(var); it != extents_.end()) return Number::of(it->second);
    if (auto it = given_.values.find(var->name); it != given_.values.end()) return it->second;
    if (auto it = host_.find(var); it != host_.end()) {
      if (!open_.insert(var).second) return std::unexpected("`" + std::string(var->name) + "` depends on itself");
      auto v = evaluate(it->second, symbols());
      open_.erase(var);
      return v;
    }
    return std::unexpected("`" + std::string(var->name) + "` has no value");
  }
  Symbols symbols() {
    return [this](const Var* var) { return symbol(var); };
  }

  std::int64_t number(Expr e, const std::string& what) {
    auto v = evaluate_integer(e, symbols());
    if (!v) refuse(what + ": " + v.error());
    return *v;
  }
  std::int64_t number(const layout::Dim& d, const std::string& what) {
    return d.is_constant() ? d.value() : number(d.expr(), what);
  }
  std::int64_t number_in(Expr e, const std::string& what, std::int64_t low, std::int64_t high) {
    std::int64_t v = e ? number(e, what) : low;
    if (v < low || v > high)
      refuse(what + " is " + std::to_string(v) + "; it has to lie between " + std::to_string(low) + " and " +
             std::to_string(high));
    return v;
  }

  // Symbolic extents, from --set and from the shapes of given tensors; two sources must agree.
  void extents() {
    auto bind = [&](const Var* var, std::int64_t value, const std::string& source) {
      auto [it, fresh] = extents_.try_emplace(var, value);
      if (!fresh && it->second != value)
        refuse("`" + std::string(var->name) + "` is " + std::to_string(it->second) + ", but " + source + " has " +
               std::to_string(value));
    };
    std::vector<const Var*> open;
    for (const lower::ExtentBinding& e : kernel_.plan.extents) {
      auto named = given_.values.find(e.var->name);
      if (named != given_.values.end()) {
        if (named->second.real || named->second.integer < 0)
          refuse("`" + std::string(e.var->name) + "` is an extent: a whole number of at least 0");
        bind(e.var, named->second.integer, "--set");
      }
    }
    for (const lower::ExtentBinding& e : kernel_.plan.extents) {
      auto shape = given_.shapes.find(e.tensor->name);
      if (shape == given_.shapes.end()) continue;
      if (static_cast<std::size_t>(e.dimension) >= shape->second.size()) continue;  // told with the shape
      if (shape->second.size() == 1 && e.tensor->rank() > 1) continue;              // storage as it lies in memory
      bind(e.var, shape->second[static_cast<std::size_t>(e.dimension)], "tensor " + std::string(e.tensor->name));
    }
    std::string missing, example;
    std::set<const Var*> told;
    for (const lower::ExtentBinding& e : kernel_.plan.extents) {
      if (extents_.contains(e.var) || !told.insert(e.var).second) continue;
      missing += (missing.empty() ? "`" : ", `") + std::string(e.var->name) + "`";
      example += " --set " + std::string(e.var->name) + "=128";
    }
    if (!missing.empty())
      refuse("the symbolic extent " + missing + " has no value: give it with" + example +
             ", or give a tensor of that shape with --input");
    for (const auto& [var, value] : extents_) out_.extents.emplace(var->name, value);
  }

  void tensors() {
    std::map<const Var*, Role> roles = tensor_roles(*kernel_.kernel);
    for (const ir::Param& p : kernel_.kernel->params) {
      if (!p.buffer || buffers_.contains(p.buffer->data)) continue;
      BoundTensor t = tensor(*p.buffer);
      auto role = roles.find(p.buffer->data);
      t.role = role == roles.end() ? Role::Input : role->second;
      if (p.var != p.buffer->data && roles.contains(p.var)) t.role = Role::InOut;
      add(p.buffer->data, std::move(t));
    }
  }

  void add(const Var* data, BoundTensor t) {
    buffers_[data] = static_cast<int>(out_.job.buffers.size());
    out_.job.buffers.push_back({t.name, t.bytes, t.role, {}});
    out_.tensors.push_back(std::move(t));
  }

  BoundTensor tensor(const Buffer& b) {
    BoundTensor t;
    t.name = b.name;
    t.dtype = b.dtype;
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < b.rank(); ++i) {
      std::string what = "extent " + std::to_string(i) + " of " + t.name;
      t.shape.push_back(number_in(b.shape[i], what, 0, kMost));
      if (t.shape.back() && elements > kMost / t.shape.back()) refuse(t.name + " is too large");
      elements *= t.shape.back();
    }
    std::int64_t storage = elements;
    if (!b.strides.empty()) {
      std::int64_t expected = 1, last = 0;
      for (std::size_t i = b.rank(); i-- > 0; expected *= t.shape[i]) {
        std::int64_t stride = number_in(b.strides[i], "a stride of " + t.name, 0, kMost);
        t.compact = t.compact && (stride == expected || t.shape[i] == 1);
        last += (t.shape[i] - 1) * stride;
      }
      storage = elements ? last + 1 : 0;
    } else if (b.layout) {
      auto allocated = layout::allocation_elements(*b.layout, layout::Dim(elements));
      if (!allocated) refuse(t.name + ": " + allocated.error().message);
      storage = std::max(number(*allocated, "the storage of " + t.name), elements);
      t.compact = layout::is_trivial(*b.layout);
    }
    if (b.elem_offset) {
      std::int64_t offset = number_in(b.elem_offset, "the offset of " + t.name, 0, kMost);
      storage += offset;
      t.first = offset;
      t.compact = t.compact && offset == 0;
    }
    if (auto strides = t.compact ? std::nullopt : element_strides(b))
      for (Expr stride : *strides) t.strides.push_back(number_in(stride, "a stride of " + t.name, 0, kMost));
    if (storage < 0 || storage > kMost) refuse(t.name + " is too large");
    t.bytes = packed_bytes_of(b.dtype, storage);
    const std::vector<std::int64_t> held = t.compact ? t.shape : std::vector{storage};
    if (auto given = given_.shapes.find(t.name); given != given_.shapes.end() && given->second != held)
      refuse(t.name + (t.compact ? " has shape " : " takes its storage as it lies in memory, of shape ") +
             shape_text(held) + ", not " + shape_text(given->second));
    return t;
  }

  static std::int64_t packed_bytes_of(DataType dtype, std::int64_t elements) {
    return (elements * dtype.storage_bits() * dtype.lanes + 7) / 8;
  }
  static std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string out = "(";
    for (std::int64_t n : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(n);
    return out + ")";
  }

  void launch() {
    const scope::Launch& l = kernel_.plan.launch;
    constexpr std::int64_t kGrid[3] = {(std::int64_t{1} << 31) - 1, 65535, 65535};
    static constexpr const char* kAxes[] = {"x", "y", "z"};
    JobLaunch& job = this->job();
    job.symbol = kernel_.symbol;
    job.dynamic_shared_bytes = kernel_.plan.dynamic_shared_bytes;
    job.cooperative = kernel_.plan.cooperative;
    job.programmatic_dependent_launch = kernel_.plan.programmatic_dependent_launch;
    if (l.has_preferred) job.preferred_cluster.emplace();
    for (std::size_t i = 0; i < 3; ++i) {
      std::string axis = std::string(" ") + kAxes[i];
      job.grid[i] = number_in(l.grid[i], "the grid's" + axis, 1, kGrid[i]);
      job.block[i] = number_in(l.block[i], "the block's" + axis, 1, 1024);
      job.cluster[i] = number_in(l.cluster[i], "the cluster's" + axis, 1, 16);
      if (job.grid[i] % job.cluster[i] != 0)
        refuse("the grid's" + axis + " is " + std::to_string(job.grid[i]) + ", no multiple of the cluster's " +
               std::to_string(job.cluster[i]));
      if (l.has_preferred)
        (*job.preferred_cluster)[i] = number_in(l.preferred[i], "the preferred cluster's" + axis, 1, 16);
    }
  }

  // Assertions of the host part.
  void host_checks() {
    walk_stmts(kernel_.host, [&](const Stmt* s) {
      if (const auto* check = as<Assert>(s)) {
        if (number(check->condition, "an assertion before the launch") == 0)
          refuse("an assertion before the launch fails: " +
                 (check->message.empty() ? to_string(check->condition) : std::string(check->message)));
      }
      return true;
    });
  }

  // The buffer and byte offset that a host pointer means.
  std::pair<int, std::int64_t> pointer(Expr e) {
    if (const auto* var = e.as<Var>()) {
      if (auto it = buffers_.find(var); it != buffers_.end()) return {it->second, 0};
      if (auto it = host_.find(var); it != host_.end()) return pointer(it->second);
    }
    if (const auto* call = e.as<Call>(); call && call->args.size() == 2) {
      bool bytes = call->callee == &builtin::handle_byte_offset;
      if (bytes || call->callee == &builtin::pointer_offset) {
        auto [buffer, offset] = pointer(call->args[0]);
        std::int64_t step = number(call->args[1], "the offset of a pointer");
        if (!bytes) step *= out_.tensors[static_cast<std::size_t>(buffer)].dtype.storage_bits() / 8;
        return {buffer, offset + step};
      }
    }
    refuse("the pointer `" + to_string(e) + "` belongs to no tensor of the signature");
  }

  void params() {
    tensor_maps();
    for (const lower::KernelParam& p : kernel_.plan.params) {
      JobParam param;
      std::string name = param_name(p);
      switch (p.kind) {
        case lower::ParamKind::Pointer:
          if (!p.tensor && !buffers_.contains(p.var) && !p.value) raw(p, name);
          std::tie(param.index, param.byte_offset) = pointer(Expr(p.var));
          break;
        case lower::ParamKind::Scalar: {
          param.kind = JobParam::Kind::Scalar;
          auto value = symbol(p.var);
          if (!value) refuse("the scalar " + value.error() + ": give it with --set " + name + "=VALUE");
          auto bytes = scalar_bytes(p.dtype, *value);
          if (!bytes) refuse("the scalar `" + name + "`: " + bytes.error());
          param.scalar = std::move(*bytes);
          break;
        }
        case lower::ParamKind::TensorMap: {
          param.kind = JobParam::Kind::TensorMap;
          auto it = maps_.find(p.var);
          if (it == maps_.end())
            refuse("the tensor map `" + name + "` is made by the caller; only maps that the plan or the host part " +
                   "encodes can be run");
          param.index = it->second;
          break;
        }
      }
      job().params.push_back(std::move(param));
    }
  }

  void raw(const lower::KernelParam& p, const std::string& name) {
    auto given = given_.raw_bytes.find(name);
    if (given == given_.raw_bytes.end())
      refuse("`" + name + "` is a pointer without a shape: give its contents with --input " + name + "=FILE.npy");
    add(p.var, {name, kUInt8, {given->second}, given->second, true, Role::InOut});
  }

  void tensor_maps() {
    if (auto foreign = lower::foreign_host_call(kernel_.host)) refuse(*foreign);
    for (const dispatch::TensorMap& map : kernel_.plan.tensor_maps) tensor_map(map);
  }

  void tensor_map(const dispatch::TensorMap& map) {
    std::string what = "the tensor map " + std::string(map.var->name);
    auto type = lower::map_type(map.dtype);
    if (!type) refuse(what + " has no element type " + std::string(map.dtype));
    JobTensorMap m;
    m.dtype = type->value;
    std::tie(m.buffer, m.byte_offset) = pointer(ir::Expr(map.tensor->data));
    if (map.byte_offset) m.byte_offset += number(map.byte_offset, what);
    constexpr std::int64_t kExtent = std::int64_t{1} << 32, kStride = std::int64_t{1} << 40;
    auto list = [&]<class T>(const std::vector<Expr>& from, std::vector<T>& to, std::int64_t low, std::int64_t high) {
      for (Expr e : from) to.push_back(static_cast<T>(number_in(e, what, low, high)));
    };
    list(map.dims, m.dims, 1, kExtent);
    list(map.strides, m.strides, 0, kStride);
    if (map.host_box.empty()) {
      m.box.assign(map.box.begin(), map.box.end());
    } else {
      list(map.host_box, m.box, 1, 256);
    }
    m.element_strides.assign(map.element_strides.begin(), map.element_strides.end());
    m.interleave = map.interleave;
    m.swizzle = map.swizzle;
    m.l2_promotion = map.l2_promotion;
    m.oob_fill = map.oob_fill;
    m.place = kernel_.plan.map_place;
    if (m.place == lower::MapPlace::Constant) m.symbol = lower::constant_map_symbol(kernel_, map.var);
    maps_[map.var] = static_cast<int>(job().tensor_maps.size());
    job().tensor_maps.push_back(std::move(m));
  }

  const lower::LoweredKernel& kernel_;
  const Bindings& given_;
  Bound out_;
  std::map<const Var*, std::int64_t> extents_;
  std::map<const Var*, Expr> host_;
  std::map<const Var*, const Buffer*> datas_;
  std::map<const Var*, int> buffers_, maps_;
  std::set<const Var*> open_;  // host values under evaluation
};

// Appends a kernel to those that run before it.
std::expected<void, std::string> join(Bound& all, Bound next) {
  std::vector<int> place;  // of each of its buffers among all
  for (std::size_t i = 0; i < next.tensors.size(); ++i) {
    const JobBuffer& b = next.job.buffers[i];
    auto known = std::ranges::find(all.job.buffers, b.name, &JobBuffer::name);
    auto at = static_cast<std::size_t>(known - all.job.buffers.begin());
    place.push_back(static_cast<int>(at));
    if (known == all.job.buffers.end()) {
      all.job.buffers.push_back(b);
      all.tensors.push_back(next.tensors[i]);
      continue;
    }
    if (known->bytes != b.bytes)
      return std::unexpected("the kernels share " + b.name + ", but one has " + std::to_string(known->bytes) +
                             " bytes of it and another " + std::to_string(b.bytes));
    // What an earlier kernel wrote is no input any more, and what it read stays one.
    if (known->role == Role::Input && b.role != Role::Input) known->role = all.tensors[at].role = Role::InOut;
  }
  for (JobLaunch& launch : next.job.launches) {
    for (JobParam& p : launch.params)
      if (p.kind == JobParam::Kind::Pointer) p.index = place[static_cast<std::size_t>(p.index)];
    for (JobTensorMap& m : launch.tensor_maps) m.buffer = place[static_cast<std::size_t>(m.buffer)];
    all.job.launches.push_back(std::move(launch));
  }
  for (const auto& [name, value] : next.extents) all.extents.emplace(name, value);
  for (const auto& [name, value] : next.values) all.values.emplace(name, value);
  for (BoundLaunch& launch : next.launches) all.launches.push_back(std::move(launch));
  return {};
}

}  // namespace

std::optional<std::vector<Expr>> element_strides(const Buffer& buffer) {
  std::vector<Expr> out(buffer.rank());
  if (!buffer.strides.empty()) {
    std::ranges::copy(buffer.strides, out.begin());
    return out;
  }
  if (!buffer.layout || layout::is_trivial(*buffer.layout)) {
    layout::Dim stride = 1;
    for (std::size_t i = buffer.rank(); i-- > 0; stride = stride * layout::Dim(buffer.shape[i])) out[i] = stride.expr();
    return out;
  }
  if (!buffer.layout->is_tile()) return std::nullopt;
  const layout::TileLayout& tile = *buffer.layout->tile;
  if (tile.shard.size() != buffer.rank() || !tile.replica.empty() || !tile.offset.empty()) return std::nullopt;
  for (std::size_t i = 0; i < buffer.rank(); ++i) {
    const layout::Iter& iter = tile.shard[i];
    if (iter.axis != layout::Axis::m || !provably_equal(iter.extent, layout::Dim(buffer.shape[i]))) return std::nullopt;
    out[i] = iter.stride.expr();
  }
  return out;
}

std::vector<std::int64_t> array_shape(const BoundTensor& tensor) {
  if (tensor.compact) return tensor.shape;
  return {tensor.bytes * 8 / std::max(1, tensor.dtype.storage_bits())};
}

std::string param_name(const lower::KernelParam& p) {
  bool tensor = p.kind == lower::ParamKind::Pointer && p.tensor && !p.tensor->name.empty();
  return std::string(tensor ? p.tensor->name : p.var ? p.var->name : std::string_view());
}

std::map<const Var*, Role> tensor_roles(const Kernel& kernel) {
  RoleFinder finder;
  finder.statement(kernel.body);
  std::map<const Var*, Role> out;
  for (const auto& [var, u] : finder.uses) out[var] = u.written ? (u.read ? Role::InOut : Role::Output) : Role::Input;
  return out;
}

std::expected<Bound, std::string> bind(const lower::LoweredKernel& kernel, const Bindings& bindings) {
  return Binder(kernel, bindings).run();
}

std::expected<Bound, std::string> bind(std::span<const lower::LoweredKernel* const> kernels, const Bindings& bindings) {
  Bound out;
  for (const lower::LoweredKernel* kernel : kernels) {
    auto next = bind(*kernel, bindings);
    if (!next)
      return std::unexpected(kernels.size() > 1 ? std::string(kernel->kernel->name) + ": " + next.error()
                                                : next.error());
    if (auto joined = join(out, std::move(*next)); !joined) return std::unexpected(joined.error());
  }
  return out;
}

}  // namespace tilewright::run
