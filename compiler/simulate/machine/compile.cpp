#include "compiler/simulate/machine/compile.h"

#include <algorithm>

#include "compiler/lower/flatten.h"
#include "compiler/simulate/tensor/tensor_map.h"

namespace tilewright::simulate {

using namespace ir;

Program Compiler::compile() {
  storage();
  survey();
  if (kernel_.device) statement(kernel_.device);
  emit({Op::Exit, kVoid});
  place_temporaries();
  return std::move(program_);
}

Register Compiler::temporary() {
  Register r = kTemporary | live_temporaries_++;
  most_temporaries_ = std::max(most_temporaries_, live_temporaries_);
  return r;
}

Register Compiler::constant_register(std::uint64_t value) {
  auto [at, added] = constants_.try_emplace(value, variables_);
  if (added) program_.constants.emplace_back(fresh(), value);
  return at->second;
}

Register Compiler::variable(const Var* var) {
  auto [at, added] = program_.variables.try_emplace(var, variables_);
  if (added) fresh();
  return at->second;
}

void Compiler::place_temporaries() {
  auto fix = [&](Register& r) {
    if (r != Access::kNoRegister && (r & kTemporary)) r = variables_ + (r & ~kTemporary);
  };
  for (Instruction& i : program_.code) {
    bool jump = i.op == Op::Jump || i.op == Op::JumpUnless || i.op == Op::LoopNext;
    if (!jump) fix(i.dst);
    fix(i.a);
    fix(i.b);
    fix(i.c);
  }
  for (Site& site : program_.sites) {
    for (Register& r : site.args) fix(r);
    for (Register& r : site.items) fix(r);
    fix(site.dst);
    fix(site.high);
  }
  for (Access& access : program_.accesses) {
    if (access.where == Where::Pointer) fix(access.index);
    fix(access.offset);
    access.is_plain = is_plain(access.type, access.bytes);
  }
  program_.registers = variables_ + most_temporaries_;
}

std::size_t Compiler::emit(Instruction i) {
  program_.code.push_back(i);
  if (program_.origins.empty() || !(program_.origins.back().span == origin_.span) ||
      program_.origins.back().chain != origin_.chain)
    program_.origins.push_back(origin_);
  program_.origin_of.push_back(static_cast<std::uint32_t>(program_.origins.size() - 1));
  return program_.code.size() - 1;
}

Register Compiler::make(Op op, DataType type, Register a, Register b, Register c) {
  Register to = temporary();
  emit({op, type, to, a, b, c});
  return to;
}

void Compiler::storage() {
  auto global = [&](const Var* var, const Buffer* tensor, bool is_map) {
    std::int64_t bytes = is_map ? TensorMap::kBytes : 0;
    places_[var] = {Where::Global, static_cast<std::uint32_t>(program_.globals.size())};
    program_.globals.push_back({tensor ? tensor->name : var->name, bytes, 16, 0, var, tensor, is_map});
  };
  for (const lower::KernelParam& param : kernel_.plan.params) {
    if (param.kind == lower::ParamKind::Pointer) global(param.var, param.tensor, false);
    if (param.kind == lower::ParamKind::TensorMap) global(param.var, nullptr, true);
  }
  for (const Var* map : kernel_.plan.constant_maps) global(map, nullptr, true);
  // A tensor that only its maps lead to is no parameter of the kernel.
  for (const dispatch::TensorMap& map : kernel_.plan.tensor_maps)
    if (!places_.contains(map.tensor->data)) global(map.tensor->data, map.tensor, false);
  for (const lower::SharedBlock& block : kernel_.shared) {
    places_[block.buffer->data] = {Where::Shared, static_cast<std::uint32_t>(program_.shared.size())};
    program_.shared.push_back({block.buffer->name, block.bytes, block.align, 0, nullptr, nullptr, false});
  }
}

namespace {

// Does the instruction of 0.27 write registers only by values that are stored afterwards?
bool stores_by_value(const intrinsics::Intrinsic& row) {
  const intrinsics::Form* form = intrinsics::form_of(row);
  return form && (!form->same || std::ranges::none_of(form->same->operands, [](const intrinsics::Operand& o) {
           return o.kind == intrinsics::OperandKind::Reference || o.item == intrinsics::OperandKind::Reference;
         }));
}

}  // namespace

void Compiler::survey() {
  auto look = [&](Expr e) {
    walk(e, [&](Expr x) {
      if (const Var* v = x.as<Var>(); v && v->role == VarRole::Data) in_memory_.insert(v);
      const Call* c = x.as<Call>();
      if (c && c->callee == &builtin::address_of)
        if (const Load* element = c->args[0].as<Load>()) in_memory_.insert(element->buffer->data);
      if (c)
        if (const intrinsics::Intrinsic* row = intrinsics::of(c->callee); row && !stores_by_value(*row))
          for (const intrinsics::Operand& o : row->operands)
            if (o.kind == intrinsics::OperandKind::Reference || o.item == intrinsics::OperandKind::Reference)
              for (Expr arg : c->args)
                if (const Load* element = arg.as<Load>()) in_memory_.insert(element->buffer->data);
      return true;
    });
  };
  walk_stmts(kernel_.device, [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::Bind: look(static_cast<const Bind*>(s)->value); break;
      case StmtKind::Store:
        look(static_cast<const Store*>(s)->value);
        look(static_cast<const Store*>(s)->indices[0]);
        if (!static_cast<const Store*>(s)->buffer->is_scalar)
          in_memory_.insert(static_cast<const Store*>(s)->buffer->data);
        break;
      case StmtKind::Evaluate: look(static_cast<const Evaluate*>(s)->value); break;
      case StmtKind::If: look(static_cast<const If*>(s)->condition); break;
      case StmtKind::While: look(static_cast<const While*>(s)->condition); break;
      case StmtKind::Decl: in_memory_.insert(static_cast<const Decl*>(s)->buffer->data); break;
      default: break;
    }
    return true;
  });
}

bool Compiler::is_register(const Buffer* buffer) const {
  return buffer->is_scalar && buffer->scope == StorageScope::Local && !in_memory_.contains(buffer->data);
}

std::uint32_t Compiler::access(const Buffer* buffer) {
  if (auto known = accesses_.find(buffer); known != accesses_.end()) return known->second;
  Access a;
  a.type = buffer->dtype.bits > 64 ? kUInt64 : buffer->dtype.element();
  a.bytes = static_cast<int>(a.type.storage_bits() + 7) / 8;
  a.name = buffer->name;
  const std::int64_t* elements = constant(buffer->shape[0]);
  const int unit = words(buffer->dtype);
  if (elements) a.elements = *elements * unit;
  if (auto place = places_.find(buffer->data); place != places_.end()) {
    a.where = place->second.first;
    a.index = place->second.second;
    if (a.where == Where::Global) {
      std::int64_t& bytes = program_.globals[a.index].bytes;
      if (elements && !program_.globals[a.index].tensor) bytes = std::max(bytes, a.elements * a.bytes);
    }
  } else {
    a.where = Where::Pointer;
    a.index = variable(buffer->data);
  }
  if (buffer->elem_offset) {
    // Written where it is used: it may read what changes.
    a.offset = scalar(buffer->elem_offset);
    a.offset = scaled(a.offset, unit);
  }
  program_.accesses.push_back(a);
  auto number = static_cast<std::uint32_t>(program_.accesses.size() - 1);
  // Only an access that does not lean on a temporary can be used again.
  if (a.offset == Access::kNoRegister || !(a.offset & kTemporary)) accesses_[buffer] = number;
  return number;
}

void Compiler::allocate(const Buffer* buffer) {
  if (is_shared(buffer->scope)) return;
  if (is_register(buffer)) {
    auto& registers = scalars_[buffer->data];
    if (registers.empty())
      for (int i = 0; i < words(buffer->dtype); ++i) registers.push_back(fresh());
    assigned_.erase(buffer->data);
    emit({Op::Undefine, buffer->dtype, registers[0]});
    return;
  }
  const std::int64_t* elements = constant(buffer->shape[0]);
  std::int64_t bytes = ((elements ? *elements : 0) * lower::element_bits(buffer->dtype) + 7) / 8;
  if (!places_.contains(buffer->data)) {
    std::int64_t at = (program_.frame_bytes + 15) / 16 * 16;
    places_[buffer->data] = {Where::Local, static_cast<std::uint32_t>(program_.locals.size())};
    program_.locals.push_back({buffer->name, bytes, 16, at, nullptr, nullptr, false});
    program_.frame_bytes = at + bytes;
  }
}

void Compiler::statement(const Stmt* s) {
  if (s->kind == StmtKind::Seq) {
    for (const Stmt* child : static_cast<const Seq*>(s)->body) statement(child);
    return;
  }
  origin_ = s->origin;
  std::uint32_t mark = live_temporaries_;
  switch (s->kind) {
    case StmtKind::Bind: {
      auto bind = static_cast<const Bind*>(s);
      Registers in = values(bind->value);
      if (words(bind->var->dtype) > 1) {
        Registers own;
        for (Register r : in) {
          own.push_back(fresh());
          emit({Op::Move, bind->var->dtype, own.back(), r});
        }
        vectors_[bind->var] = own;
      } else {
        emit({Op::Move, bind->var->dtype, variable(bind->var), in[0]});
      }
      break;
    }
    case StmtKind::Alloc: allocate(static_cast<const Alloc*>(s)->buffer); break;
    case StmtKind::Decl: break;
    case StmtKind::Store: store(static_cast<const Store*>(s)); break;
    case StmtKind::For: loop(static_cast<const For*>(s)); break;
    case StmtKind::While: {
      auto loop = static_cast<const While*>(s);
      std::size_t top = program_.code.size();
      Register c = scalar(loop->condition);
      std::size_t out = emit({Op::JumpUnless, kBool, 0, c});
      enter_loop();
      statement(loop->body);
      for (std::size_t jump : loops_.back().continues) program_.code[jump].dst = static_cast<Register>(top);
      emit({Op::Jump, kVoid, static_cast<Register>(top)});
      land(out);
      leave_loop();
      break;
    }
    case StmtKind::If: {
      auto branch = static_cast<const If*>(s);
      std::size_t no = emit({Op::JumpUnless, kBool, 0, scalar(branch->condition)});
      std::unordered_set<const Var*> before = assigned_;
      statement(branch->then_body);
      std::unordered_set<const Var*> after = std::exchange(assigned_, before);
      if (branch->else_body) {
        std::size_t done = emit({Op::Jump, kVoid});
        land(no);
        statement(branch->else_body);
        // Certainly assigned only where both arms assign.
        std::erase_if(after, [&](const Var* v) { return !assigned_.contains(v); });
        assigned_ = std::move(after);
        land(done);
      } else {
        land(no);
      }
      break;
    }
    case StmtKind::Evaluate: values(static_cast<const Evaluate*>(s)->value); break;
    case StmtKind::Assert: emit({Op::Trap, kVoid, 0, scalar(static_cast<const Assert*>(s)->condition)}); break;
    case StmtKind::Break:
      if (!loops_.empty()) loops_.back().breaks.push_back(emit({Op::Jump, kVoid}));
      break;
    case StmtKind::Continue:
      if (!loops_.empty()) loops_.back().continues.push_back(emit({Op::Jump, kVoid}));
      break;
    case StmtKind::Return: emit({Op::Exit, kVoid}); break;
    default: break;
  }
  live_temporaries_ = mark;
}

void Compiler::enter_loop() {
  loops_.emplace_back();
  loops_.back().assigned = assigned_;
}

void Compiler::leave_loop() {
  for (std::size_t jump : loops_.back().breaks) land(jump);
  assigned_ = std::move(loops_.back().assigned);  // the body may not have run
  loops_.pop_back();
}

void Compiler::loop(const For* s) {
  Register var = variable(s->var), end = fresh(), step = fresh();
  Register first = scalar(s->min), extent = scalar(s->extent);
  emit({Op::Move, s->var->dtype, step, s->step ? scalar(s->step) : constant_register(1)});
  Register span = s->step ? make(Op::Mul, kInt64, extent, step) : extent;
  emit({Op::Add, kInt64, end, first, span});
  emit({Op::Move, s->var->dtype, var, first});
  std::size_t out = emit({Op::JumpUnless, kBool, 0, make(Op::Less, kBool, var, end)});
  auto top = static_cast<Register>(program_.code.size());
  enter_loop();
  statement(s->body);
  origin_ = s->origin;
  for (std::size_t jump : loops_.back().continues) land(jump);
  emit({Op::LoopNext, s->var->dtype, top, var, step, end});
  land(out);
  leave_loop();
}

void Compiler::store(const Store* s) {
  Registers in = values(s->value);
  if (is_register(s->buffer)) {
    const Registers& to = scalars_.at(s->buffer->data);
    for (std::size_t i = 0; i < to.size(); ++i) emit({Op::Move, s->buffer->dtype, to[i], in[in.size() == 1 ? 0 : i]});
    if (!assigned_.contains(s->buffer->data)) emit({Op::Define, s->buffer->dtype, to[0]});
    assigned_.insert(s->buffer->data);
    return;
  }
  Expr index = s->indices[0];
  int unit = words(s->buffer->dtype);
  std::uint32_t at = access(s->buffer);
  const Ramp* ramp = index.as<Ramp>();
  bool dense = !index.dtype().is_vector() || (ramp && is_constant(ramp->stride, 1));
  // Values of a dense store stand in consecutive registers.
  auto gathered = [&](std::size_t from, std::size_t count) {
    bool together = true;
    for (std::size_t i = 1; i < count; ++i) together &= in[from + i] == in[from] + i;
    if (together) return in[from];
    Registers copies;
    for (std::size_t i = 0; i < count; ++i) copies.push_back(temporary());
    for (std::size_t i = 0; i < count; ++i) emit({Op::Move, s->buffer->dtype, copies[i], in[from + i]});
    return copies[0];
  };
  std::size_t lanes = static_cast<std::size_t>(unit) * index.dtype().lanes;
  if (in.size() == 1 && lanes > 1) in.assign(lanes, in[0]);
  if (dense) {
    Register first = element_index(ramp ? ramp->base : index, unit);
    Register value = gathered(0, lanes);
    emit({Op::Store, s->buffer->dtype, value, first, at, static_cast<Register>(lanes)});
  } else {
    Registers indices = values(index);
    for (std::size_t i = 0; i < indices.size(); ++i)
      emit({Op::Store, s->buffer->dtype, gathered(i * unit, unit), scaled(indices[i], unit), at,
            static_cast<Register>(unit)});
  }
}

Program compile(const lower::LoweredKernel& kernel) { return Compiler(kernel).compile(); }

}  // namespace tilewright::simulate
