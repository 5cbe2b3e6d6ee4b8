// The walk: expressions and statements of the device part, as they are after it.
#include <algorithm>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/intrinsics/say.h"
#include "compiler/lower/codes.h"
#include "compiler/lower/lowering.h"
#include "compiler/lower/vectorize.h"

namespace tilewright::lower {

using namespace ir;

namespace {

// Does the body leave or restart the loop that directly encloses it?
bool jumps(const Stmt* s) {
  bool found = false;
  walk_stmts(s, [&](const Stmt* child) {
    found |= child->kind == StmtKind::Break || child->kind == StmtKind::Continue;
    return !found && child->kind != StmtKind::For && child->kind != StmtKind::While;
  });
  return found;
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

}  // namespace

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
        error(code::kAttribute, "`" + std::string(operand.name) + "` of " + intrinsics::say(*row, in_.kernel->dialect) +
                                    " must be a constant, it is " + to_string(args[i]));
      }
    });
    // Where it was written, the call was checked as it is in the first round of its loops.
    if (expanded) {
      if (auto problem = intrinsics::verify(*row, args, in_.kernel->target)) {
        error(code::kAttribute, intrinsics::say(*row, in_.kernel->dialect) + ": " + *problem);
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

void Lowering::bind(const Bind* s, std::vector<const Stmt*>& out) {
  Expr value = rewrite(s->value);
  if (constant(value) && !s->var->dtype.is_handle()) {
    replaced_[s->var] = value;
    return;
  }
  const bool open = s->var->range == Interval{} && value.dtype().is_integral() && !value.dtype().is_vector();
  const Var* var = ranged(s->var, open ? bounds(value) : Interval{});
  out.push_back(make_stmt<Bind>(s->origin, var, value));
}

void Lowering::branch(const If* s, std::vector<const Stmt*>& out) {
  Expr condition = rewrite(s->condition);
  if (!constant(condition)) {
    Expr simple = simplify(condition);
    if (constant(simple)) condition = simple;
  }
  if (const std::int64_t* known = constant(condition)) {
    if (const Stmt* taken = *known ? s->then_body : s->else_body) statement(taken, out);
    return;
  }
  const Stmt* then_body = block(s->then_body);
  const Stmt* else_body = s->else_body ? block(s->else_body) : nullptr;
  out.push_back(make_stmt<If>(s->origin, condition, then_body, else_body));
}

void Lowering::statement(const Stmt* s, std::vector<const Stmt*>& out) {
  if (s->kind != StmtKind::Seq) origin_ = s->origin;
  switch (s->kind) {
    case StmtKind::Seq:
      for (const Stmt* child : static_cast<const Seq*>(s)->body) statement(child, out);
      break;
    case StmtKind::Bind: bind(static_cast<const Bind*>(s), out); break;
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
    case StmtKind::If: branch(static_cast<const If*>(s), out); break;
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

}  // namespace tilewright::lower
