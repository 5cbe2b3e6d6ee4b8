#include "compiler/ir/replace.h"

#include <algorithm>

namespace tilewright::ir {
namespace {

// A copy of the node in the ambient arena, to be completed.
template <class T>
T* copy_of(const T* node) {
  return Arena::current().make<T>(*node);
}

}  // namespace

const Var* Replacer::variable(const Var* var) const {
  auto found = by_.find(var);
  return found == by_.end() ? var : found->second;
}

Expr Replacer::expression(Expr e) {
  if (!e) return e;
  if (const Var* var = e.as<Var>()) return variable(var);
  if (const Load* access = e.as<Load>()) {
    const Buffer* from = buffer(access->buffer);
    std::span<const Expr> indices = expressions(access->indices);
    return from == access->buffer && indices.data() == access->indices.data() ? e : load(from, indices);
  }
  Expr held[3];
  std::span<const Expr> old = children(*e.get(), held);
  if (old.empty()) return e;
  std::vector<Expr> now;
  bool changed = false;
  for (std::size_t i = 0; i < old.size(); ++i) {
    Expr child = expression(old[i]);
    if (!changed && same_node(child, old[i])) continue;
    if (!changed) now.assign(old.begin(), old.end());
    changed = true;
    now[i] = child;
  }
  return changed ? rebuild(e, now) : e;
}

// The same span where no element changes.
std::span<const Expr> Replacer::expressions(std::span<const Expr> list) {
  std::vector<Expr> now;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Expr e = expression(list[i]);
    if (now.empty() && same_node(e, list[i])) continue;
    if (now.empty()) now.assign(list.begin(), list.end());
    now[i] = e;
  }
  return now.empty() ? list : Arena::current().copy(now);
}

const layout::Layout* Replacer::layout(const layout::Layout* l) {
  if (!l || !l->tile) return l;
  if (auto found = kept_.find(l); found != kept_.end()) return found->second;
  layout::Layout now = *l;
  bool changed = false;
  layout::for_each_dim(*now.tile, [&](layout::Dim& d) {
    if (d.is_constant()) return;
    Expr e = expression(d.expr());
    if (same_node(e, d.expr())) return;
    d = layout::Dim(e);
    changed = true;
  });
  return kept_[l] = changed ? &layouts_.emplace_back(std::move(now)) : l;
}

const Buffer* Replacer::buffer(const Buffer* b) {
  if (!b) return b;
  if (auto found = buffers_.find(b); found != buffers_.end()) return found->second;
  Buffer now = *b;
  now.data = b->data ? variable(b->data) : nullptr;
  now.shape = expressions(b->shape);
  now.strides = expressions(b->strides);
  now.elem_offset = expression(b->elem_offset);
  now.layout = layout(b->layout);
  now.allocated_addr = expression(b->allocated_addr);
  bool same = now.data == b->data && now.shape.data() == b->shape.data() && now.strides.data() == b->strides.data() &&
              same_node(now.elem_offset, b->elem_offset) && now.layout == b->layout &&
              same_node(now.allocated_addr, b->allocated_addr);
  return buffers_[b] = same ? b : copy_of(&now);
}

Operand Replacer::operand(const Operand& o, bool& changed) {
  Operand now = o;
  now.value = expression(o.value);
  changed |= !same_node(now.value, o.value);
  if (!o.region.buffer) return now;
  now.region.buffer = buffer(o.region.buffer);
  changed |= now.region.buffer != o.region.buffer;
  std::vector<Range> ranges(o.region.ranges.begin(), o.region.ranges.end());
  bool moved = false;
  for (Range& r : ranges) {
    Range old = r;
    r = {expression(r.min), expression(r.extent)};
    moved |= !same_node(r.min, old.min) || !same_node(r.extent, old.extent);
  }
  if (moved) now.region.ranges = Arena::current().copy(ranges);
  changed |= moved;
  return now;
}

const Stmt* Replacer::body(const Stmt* s) {
  if (!s) return s;
  if (auto found = statements_.find(s); found != statements_.end()) return found->second;
  const Stmt* now = changed(s);
  return statements_[s] = now;
}

namespace {

// The copy of a node where something in it changed, else the node.
template <class T>
const Stmt* unless_same(bool same, const T* old, T& now) {
  return same ? old : copy_of(&now);
}

}  // namespace

template <class T>
const Stmt* Replacer::with_expression(const T* old, Expr T::* field) {
  T now = *old;
  now.*field = expression(old->*field);
  return unless_same(same_node(now.*field, old->*field), old, now);
}

template <class T>
const Stmt* Replacer::with_buffer(const T* old) {
  T now = *old;
  now.buffer = buffer(old->buffer);
  return unless_same(now.buffer == old->buffer, old, now);
}

const Stmt* Replacer::sequence(const Seq* old) {
  std::vector<const Stmt*> now;
  now.reserve(old->body.size());
  for (const Stmt* child : old->body) now.push_back(body(child));
  if (std::ranges::equal(now, old->body)) return old;
  return make_stmt<Seq>(old->origin, Arena::current().copy(now));
}

const Stmt* Replacer::store(const Store* old) {
  Store now = *old;
  now.buffer = buffer(old->buffer);
  now.indices = expressions(old->indices);
  now.value = expression(old->value);
  return unless_same(
      now.buffer == old->buffer && now.indices.data() == old->indices.data() && same_node(now.value, old->value), old,
      now);
}

const Stmt* Replacer::loop(const For* old) {
  For now = *old;
  now.var = variable(old->var);
  now.min = expression(old->min);
  now.extent = expression(old->extent);
  now.step = expression(old->step);
  now.body = body(old->body);
  bool same = now.var == old->var && same_node(now.min, old->min) && same_node(now.extent, old->extent) &&
              same_node(now.step, old->step) && now.body == old->body;
  return unless_same(same, old, now);
}

const Stmt* Replacer::while_loop(const While* old) {
  While now = *old;
  now.condition = expression(old->condition);
  now.body = body(old->body);
  return unless_same(same_node(now.condition, old->condition) && now.body == old->body, old, now);
}

const Stmt* Replacer::branch(const If* old) {
  If now = *old;
  now.condition = expression(old->condition);
  now.then_body = body(old->then_body);
  now.else_body = body(old->else_body);
  bool same =
      same_node(now.condition, old->condition) && now.then_body == old->then_body && now.else_body == old->else_body;
  return unless_same(same, old, now);
}

const Stmt* Replacer::attribute(const Attr* old) {
  Attr now = *old;
  now.value = expression(old->value);
  now.node = old->node ? variable(old->node) : nullptr;
  now.body = body(old->body);
  return unless_same(same_node(now.value, old->value) && now.node == old->node && now.body == old->body, old, now);
}

const Stmt* Replacer::scope_ids(const ScopeIds* old) {
  ScopeIds now = *old;
  std::vector<const Var*> vars;
  for (const Var* var : old->vars) vars.push_back(variable(var));
  bool same = std::ranges::equal(vars, old->vars);
  if (!same) now.vars = Arena::current().copy(vars);
  now.extents = expressions(old->extents);
  now.preferred = expressions(old->preferred);
  same = same && now.extents.data() == old->extents.data() && now.preferred.data() == old->preferred.data();
  return unless_same(same, old, now);
}

const Stmt* Replacer::tile_call(const TileCall* old) {
  bool changed = false;
  std::vector<Operand> args;
  for (const Operand& o : old->args) args.push_back(operand(o, changed));
  std::vector<ConfigItem> config;
  for (const ConfigItem& item : old->config) config.push_back({item.key, operand(item.value, changed), item.key_span});
  std::vector<std::pair<std::string_view, const Buffer*>> workspace;
  for (auto& [name, space] : old->workspace) {
    workspace.emplace_back(name, buffer(space));
    changed |= workspace.back().second != space;
  }
  if (!changed) return old;
  TileCall now = *old;
  now.args = Arena::current().copy(args);
  now.config = Arena::current().copy(config);
  now.workspace = Arena::current().copy(workspace);
  return copy_of(&now);
}

// The same node where nothing in it changes.
const Stmt* Replacer::changed(const Stmt* s) {
  switch (s->kind) {
    case StmtKind::Seq: return sequence(static_cast<const Seq*>(s));
    case StmtKind::Bind: return with_expression(static_cast<const Bind*>(s), &Bind::value);
    case StmtKind::Alloc: return with_buffer(static_cast<const Alloc*>(s));
    case StmtKind::Decl: return with_buffer(static_cast<const Decl*>(s));
    case StmtKind::Store: return store(static_cast<const Store*>(s));
    case StmtKind::For: return loop(static_cast<const For*>(s));
    case StmtKind::While: return while_loop(static_cast<const While*>(s));
    case StmtKind::If: return branch(static_cast<const If*>(s));
    case StmtKind::Evaluate: return with_expression(static_cast<const Evaluate*>(s), &Evaluate::value);
    case StmtKind::Assert: return with_expression(static_cast<const Assert*>(s), &Assert::condition);
    case StmtKind::Attr: return attribute(static_cast<const Attr*>(s));
    case StmtKind::Return: return with_expression(static_cast<const Return*>(s), &Return::value);
    case StmtKind::ScopeIds: return scope_ids(static_cast<const ScopeIds*>(s));
    case StmtKind::TileCall: return tile_call(static_cast<const TileCall*>(s));
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::DeviceEntry:
    case StmtKind::Comment: return s;
  }
  return s;
}

}  // namespace tilewright::ir
