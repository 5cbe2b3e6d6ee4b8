#include "compiler/builder/kernel_builder.h"

#include <algorithm>
#include <string>

#include "compiler/builder/launch.h"
#include "compiler/expr/analyzer.h"
#include "compiler/expr/promote.h"

namespace tilewright::builder {
namespace {

std::string_view copied(std::string_view text) { return Arena::current().copy(text); }

std::span<const ir::Expr> first_element() {
  ir::Expr zero = ir::int_imm(ir::kInt32, 0);
  return Arena::current().copy(std::span<const ir::Expr>(&zero, 1));
}

// What a value is stored as: its type is made that of `lanes` elements of the buffer.
Made<ir::Expr> stored_value(const ir::Buffer& buffer, int lanes, ir::Expr value) {
  auto refuse = [](std::string why) { return std::unexpected(Refusal{code::kType, std::move(why)}); };
  ir::DataType want = buffer.dtype.with_lanes(buffer.dtype.lanes * lanes);
  if (value.dtype() == want) return value;
  if (value.dtype().lanes == 1 && want.lanes > 1) {
    auto element = ir::convert(want.element(), value);
    if (!element) return refuse(element.error());
    return ir::broadcast(*element, want.lanes);
  }
  if (value.dtype().lanes != want.lanes) {
    return refuse("cannot store " + ir::dtype_name(value.dtype()) + " into " + std::to_string(want.lanes) +
                  (want.lanes == 1 ? " element of " : " elements of ") + std::string(buffer.name));
  }
  if (value.dtype().is_handle() && want.is_handle()) return value;
  auto converted = ir::convert(want, value);
  if (!converted) return refuse(converted.error());
  return *converted;
}

ir::Expr with_known(ir::Expr e, const std::unordered_map<const ir::Var*, ir::Expr>& values) {
  return ir::substitute(e, [&](const ir::Var* var) {
    auto known = values.find(var);
    return known == values.end() ? ir::Expr() : known->second;
  });
}

// What a pointer leads to, read off the value that it is made of. Nothing: it does not tell.
std::optional<Pointee> pointee_of(ir::Expr value) {
  if (const auto* from = value.as<ir::Var>()) return Pointee{from->pointee, from->storage_scope};
  const auto* c = value.as<ir::Call>();
  if (!c || c->callee != &ir::builtin::address_of || c->args.empty()) return std::nullopt;
  const auto* l = c->args[0].as<ir::Load>();
  return l ? std::optional(Pointee{l->buffer->dtype, l->buffer->scope_text}) : std::nullopt;
}

}  // namespace

KernelBuilder::KernelBuilder(ir::Kernel& kernel, Drafts* outside) : kernel_(kernel), drafts_(outside) { open(); }

// ---- signature ------------------------------------------------------------------------------------------------

void KernelBuilder::set_name(std::string_view symbol) { kernel_.name = copied(symbol); }

void KernelBuilder::set_attribute(std::string_view key, ir::Expr value) {
  ++additions_;
  kernel_.attributes.push_back({copied(key), value});
}

const ir::Var* KernelBuilder::parameter(std::string_view name, ir::DataType dtype, Pointee pointee) {
  ir::Var* var = ir::make_var(copied(name), dtype, ir::VarRole::Parameter);
  var->pointee = pointee.dtype;
  if (!pointee.storage_scope.empty()) var->storage_scope = copied(pointee.storage_scope);
  kernel_.params.push_back({var, nullptr});
  return var;
}

void KernelBuilder::parameter(const ir::Var* named) {
  if (ir::Var* draft = drafts_.find(named)) draft->role = ir::VarRole::Parameter;
  kernel_.params.push_back({named, nullptr});
}

const ir::Buffer* KernelBuilder::tensor_parameter(std::string_view name, const ir::Buffer* annotated) {
  parameter(std::string(name) + "_handle", ir::kHandle);
  return kernel_.params.back().buffer = drafts_.tensor(annotated, name);
}

bool KernelBuilder::is_parameter(const ir::Var* var) const {
  return var && std::ranges::any_of(kernel_.params, [&](const ir::Param& p) { return p.var == var; });
}

Made<const ir::Buffer*> KernelBuilder::match(const ir::Var* parameter, const BufferOptions& options, text::Span span) {
  auto slot = std::ranges::find(kernel_.params, parameter, &ir::Param::var);
  if (slot == kernel_.params.end() || slot->buffer) {
    return std::unexpected(Refusal{code::kParameter, "this parameter is already matched to a buffer"});
  }
  ++additions_;
  return slot->buffer = drafts_.buffer(options, span);
}

// ---- blocks ---------------------------------------------------------------------------------------------------

void KernelBuilder::open() { blocks_.push_back({{}, loop_depth_, nullptr}); }

void KernelBuilder::open_loop(const LoopNest& loops, std::span<const ir::Var* const> variables) {
  open();
  loop_depth_ = loops.thread_tag.empty() ? loop_depth_ + 1 : 0;
  if (loops.kind != ir::LoopKind::Unrolled || variables.size() != 1) return;
  ir::Expr first = settled(loops.ranges[0].min);
  if (!ir::constant(first)) return;
  first_round_.emplace(variables[0], first);
  blocks_.back().written_out = variables[0];
}

Block KernelBuilder::close(ir::Origin at) {
  OpenBlock block = std::move(blocks_.back());
  blocks_.pop_back();
  loop_depth_ = block.outer_loop_depth;
  if (block.written_out) first_round_.erase(block.written_out);
  return ir::make_seq(at, block.statements);
}

// ---- variables and storage --------------------------------------------------------------------------------------

const ir::Var* KernelBuilder::loop_variable(const LoopNest& loops, std::size_t index, std::string_view name) {
  auto& [min, extent] = loops.ranges[index];
  if (!loops.thread_tag.empty()) {
    if (auto hardware = launch_dimension(loops.thread_tag)) {
      ir::Var* var = drafts_.launch_variable(*hardware);
      var->name = copied(name);
      return var;
    }
  }
  ir::DataType dtype = min.dtype().bits > extent.dtype().bits ? min.dtype() : extent.dtype();
  ir::Var* var = ir::make_var(copied(name), dtype, ir::VarRole::Loop);
  ir::Interval lo = ir::bounds(min), n = ir::bounds(extent);
  if (lo.bounded() && n.bounded() && !loops.step)
    var->range = {lo.lo, lo.hi + std::max<std::int64_t>(n.hi - 1, 0)};
  else if (lo.lo != ir::Interval::kMin)
    var->range.lo = lo.lo;
  return var;
}

Made<const ir::Buffer*> KernelBuilder::allocate(ir::Origin at, BufferOptions options) {
  if (auto settled = settle_storage(options, drafts_); !settled) return std::unexpected(std::move(settled.error()));
  const ir::Buffer* buffer = drafts_.buffer(options, at.span);
  if (options.data || options.scope == ir::StorageScope::Tmem)
    declare(at, buffer);
  else
    add<ir::Alloc>(at, buffer);
  allocated_.push_back(buffer);
  return buffer;
}

void KernelBuilder::declare(ir::Origin at, const ir::Buffer* view) { add<ir::Decl>(at, view); }

ir::Expr KernelBuilder::scalar(ir::Origin at, std::string_view name, ir::DataType dtype, ir::Expr initial) {
  BufferOptions options;
  options.dtype = dtype;
  options.shape = {ir::int_imm(ir::kInt32, 1)};
  options.scope = ir::StorageScope::Local;
  options.is_scalar = true;
  const ir::Buffer* buffer = drafts_.buffer(options, at.span);
  if (name.empty())
    allocated_.push_back(buffer);
  else
    drafts_.name(buffer, name);
  add<ir::Alloc>(at, buffer);
  if (initial) add<ir::Store>(at, buffer, first_element(), initial);
  ir::Expr zero = ir::int_imm(ir::kInt32, 0);
  return ir::load(buffer, {&zero, 1});
}

ir::Var* KernelBuilder::bind(ir::Origin at, std::string_view name, ir::Expr value, ir::DataType dtype,
                             Pointee pointee) {
  ir::Var* var = ir::make_var(copied(name), dtype);
  if (name.empty()) drafts_.add(var);
  var->range = ir::bounds(value);
  if (dtype.is_handle()) {
    if (pointee.dtype.is_void()) pointee = pointee_of(value).value_or(pointee);
    var->pointee = pointee.dtype;
    var->storage_scope = copied(pointee.storage_scope);
  }
  add<ir::Bind>(at, var, value);
  return var;
}

void KernelBuilder::know(const ir::Var* var, ir::Expr value) {
  if (ir::Expr known = settled(value); ir::constant(known)) known_.emplace(var, known);
}

std::vector<const ir::Var*> KernelBuilder::scope_ids(ir::Origin at, ir::ScopeBinding binding,
                                                     std::span<const ir::Expr> extents,
                                                     std::span<const ir::Expr> preferred) {
  std::vector<const ir::Var*> vars;
  const std::size_t dimensions = std::max<std::size_t>(extents.size(), 1);
  for (std::size_t d = 0; d < dimensions; ++d) {
    ir::Var* var = drafts_.launch_variable({binding, static_cast<std::uint8_t>(d)});
    if (const std::int64_t* n = d < extents.size() ? ir::constant(extents[d]) : nullptr) var->range.hi = *n - 1;
    vars.push_back(var);
  }
  Arena& arena = Arena::current();
  add<ir::ScopeIds>(at, binding, arena.copy(vars), arena.copy(extents), arena.copy(preferred));
  return vars;
}

// ---- statements -------------------------------------------------------------------------------------------------

void KernelBuilder::emit(const ir::Stmt* made) {
  ++additions_;
  if (const auto* s = ir::as<ir::Store>(made)) {
    nodes_ += weights_.of(s->value).nodes;
    for (ir::Expr i : s->indices) nodes_ += weights_.of(i).nodes;
  } else if (const auto* b = ir::as<ir::Bind>(made)) {
    nodes_ += weights_.of(b->value).nodes;
  } else if (const auto* e = ir::as<ir::Evaluate>(made)) {
    nodes_ += weights_.of(e->value).nodes;
  } else if (const auto* i = ir::as<ir::If>(made)) {
    nodes_ += weights_.of(i->condition).nodes;
  }
  blocks_.back().statements.push_back(made);
}

const ir::Stmt* KernelBuilder::store_of(ir::Origin at, const ir::Buffer* buffer, std::span<const ir::Expr> indices,
                                        ir::Expr value) {
  return ir::make_stmt<ir::Store>(at, buffer, Arena::current().copy(indices), value);
}

Made<> KernelBuilder::store(ir::Origin at, const ir::Buffer* buffer, std::span<const ir::Expr> indices,
                            ir::Expr value) {
  auto stored = stored_value(*buffer, indices.empty() ? 1 : indices.back().dtype().lanes, value);
  if (!stored) return std::unexpected(std::move(stored.error()));
  emit(store_of(at, buffer, indices, *stored));
  return {};
}

void KernelBuilder::evaluate(ir::Origin at, ir::Expr call) { add<ir::Evaluate>(at, call); }

void KernelBuilder::tile_call(ir::Origin at, const TileCall& call) {
  Arena& arena = Arena::current();
  add<ir::TileCall>(at, call.primitive, call.scope, arena.copy(call.operands), arena.copy(call.config),
                    arena.copy(call.workspace), call.dispatch, call.dispatch_span);
}

void KernelBuilder::assertion(ir::Origin at, ir::Expr condition, std::string_view message) {
  add<ir::Assert>(at, condition, copied(message));
}

void KernelBuilder::return_from(ir::Origin at, ir::Expr value) { add<ir::Return>(at, value); }

namespace {
Made<> outside_of_loops() { return std::unexpected(Refusal{code::kLoop, "this stands outside of every loop"}); }
}  // namespace

Made<> KernelBuilder::break_loop(ir::Origin at) {
  if (!in_loop()) return outside_of_loops();
  add<ir::Break>(at);
  return {};
}

Made<> KernelBuilder::continue_loop(ir::Origin at) {
  if (!in_loop()) return outside_of_loops();
  add<ir::Continue>(at);
  return {};
}

Made<> KernelBuilder::enter_device(ir::Origin at) {
  if (on_device_) {
    return std::unexpected(Refusal{code::kDeviceEntry, "T.device_entry() stands twice in this kernel"});
  }
  on_device_ = true;
  add<ir::DeviceEntry>(at);
  return {};
}

bool KernelBuilder::is_condition(ir::Expr e) {
  return e.dtype().lanes == 1 && (e.dtype().is_bool() || e.dtype().is_integral());
}

void KernelBuilder::branch(ir::Origin at, ir::Expr condition, Block then_body, Block else_body) {
  add<ir::If>(at, condition, then_body, else_body);
}

void KernelBuilder::while_loop(ir::Origin at, ir::Expr condition, Block body) { add<ir::While>(at, condition, body); }

void KernelBuilder::loop(ir::Origin at, const LoopNest& loops, std::span<const ir::Var* const> variables, Block body) {
  for (std::size_t i = loops.ranges.size(); i-- > 0;) {
    const ir::Range& range = loops.ranges[i];
    body = ir::make_stmt<ir::For>(at, variables[i], range.min, range.extent, loops.step, loops.kind, loops.unroll,
                                  loops.thread_tag, body);
  }
  emit(body);
}

void KernelBuilder::attributes(ir::Origin at, Attributes list, const ir::Var* node) {
  for (auto& [key, value] : list) add<ir::Attr>(at, key, value, node);
}

void KernelBuilder::attributes(ir::Origin at, Attributes list, const ir::Var* node, Block body) {
  for (std::size_t i = list.size(); i-- > 0;) {
    body = ir::make_stmt<ir::Attr>(at, list[i].first, list[i].second, node, body);
  }
  emit(body);
}

void KernelBuilder::launch(ir::Origin at, const ir::Var* var, ir::Expr extent) { emit(launch_marker(at, var, extent)); }

void KernelBuilder::launch_later(ir::Origin at, const ir::Var* var) { emit(environment_marker(at, var)); }

const ir::Attr* KernelBuilder::take_launch(const ir::Var* var) {
  std::vector<const ir::Stmt*>& statements = blocks_.back().statements;
  const ir::Attr* marker = statements.empty() ? nullptr : as_launch_marker(statements.back());
  if (!marker || marker->node != var) return nullptr;
  statements.pop_back();
  return marker;
}

void KernelBuilder::launch_for(const ir::Attr* taken, Block body) { emit(launch_region(taken, body)); }

// ---- what is known --------------------------------------------------------------------------------------------

ir::Expr KernelBuilder::settled(ir::Expr e) const {
  return known_.empty() || ir::constant(e) ? e : ir::simplify(with_known(e, known_));
}

ir::Expr KernelBuilder::in_first_round(ir::Expr e) const {
  if (!first_round_.empty()) e = with_known(e, first_round_);
  return ir::simplify(settled(e));
}

// ---- the end ----------------------------------------------------------------------------------------------------

void KernelBuilder::finish(ir::Origin at) {
  while (blocks_.size() > 1) close(at);  // what an error left open
  kernel_.body = close(at);
}

Made<> KernelBuilder::bind_launch(bool failed) { return builder::bind_launch(drafts_, kernel_, failed); }

}  // namespace tilewright::builder
