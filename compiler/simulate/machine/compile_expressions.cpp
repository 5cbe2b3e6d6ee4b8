// Values: arithmetic, conversions, loads, addresses; a register for each lane.
#include <bit>

#include "compiler/simulate/machine/compile.h"
#include "compiler/simulate/machine/memory.h"

namespace tilewright::simulate {

using namespace ir;

Registers Compiler::values(Expr e) {
  if (e.dtype().bits > 64) return wide_values(e);
  const Binary* compared = e.as<Binary>();
  const bool equality = e.kind() == ExprKind::EQ || e.kind() == ExprKind::NE;
  if (equality && compared->a.dtype().bits > 64) return {wide_equal(compared)};
  return narrow_values(e);
}

Registers Compiler::narrow_values(Expr e) {
  int lanes = e.dtype().lanes;
  switch (e.kind()) {
    case ExprKind::IntImm: return {constant_register(static_cast<std::uint64_t>(e.as<IntImm>()->value))};
    case ExprKind::FloatImm: return {constant_register(float_bits(e.dtype(), e.as<FloatImm>()->value))};
    case ExprKind::StringImm: return {constant_register(0)};
    case ExprKind::Var: return variable_value(e.as<Var>());
    case ExprKind::Cast: return cast(e.as<Cast>());
    case ExprKind::Not: {
      return each(values(e.as<Unary>()->a), [&](Register a) { return make(Op::Not, kBool, a); });
    }
    case ExprKind::BitNot: {
      Op op = e.dtype().is_bool() ? Op::Not : Op::BitNot;
      return each(values(e.as<Unary>()->a), [&](Register a) { return make(op, e.dtype(), a); });
    }
    case ExprKind::Select: {
      const Select* s = e.as<Select>();
      Registers c = values(s->condition), t = values(s->when_true), f = values(s->when_false);
      Registers out;
      for (int i = 0; i < lanes; ++i) out.push_back(make(Op::Select, e.dtype(), c[c.size() == 1 ? 0 : i], t[i], f[i]));
      return out;
    }
    case ExprKind::IfThenElse: return lazily(e.as<Select>());
    case ExprKind::Ramp: {
      Register base = scalar(e.as<Ramp>()->base), stride = scalar(e.as<Ramp>()->stride);
      Registers out{base};
      for (int i = 1; i < lanes; ++i) out.push_back(make(Op::Add, e.dtype(), out.back(), stride));
      return out;
    }
    case ExprKind::Broadcast: return Registers(static_cast<std::size_t>(lanes), scalar(e.as<Broadcast>()->value));
    case ExprKind::Load: return load(e.as<Load>());
    case ExprKind::Call: return call(e.as<Call>());
    case ExprKind::And:
    case ExprKind::Or: return shortcut(e.as<Binary>());
    default: break;
  }
  const Binary* node = e.as<Binary>();
  if (node->a.dtype().bits > 64) return too_wide(node->a.dtype());
  Registers a = values(node->a), b = values(node->b), out;
  for (int i = 0; i < lanes; ++i) out.push_back(binary(e.kind(), node->a.dtype().element(), a[i], b[i]));
  return out;
}

std::uint64_t Compiler::float_bits(DataType d, double value) {
  if (is_double(d)) return std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

Registers Compiler::variable_value(const Var* var) {
  if (auto place = places_.find(var); place != places_.end()) {
    // The bare data pointer: the address of element 0 of its storage.
    Access a;
    a.where = place->second.first;
    a.index = place->second.second;
    a.type = kUInt8;
    a.name = var->name;
    program_.accesses.push_back(a);
    return {make(Op::Address, kHandle, constant_register(0), static_cast<Register>(program_.accesses.size() - 1))};
  }
  if (words(var->dtype) > 1) {
    if (auto found = vectors_.find(var); found != vectors_.end()) return found->second;
  }
  return {variable(var)};
}

Register Compiler::binary(ExprKind kind, DataType d, Register a, Register b) {
  bool f = d.is_floating(), wide = is_double(d), u = d.is_uint() || d.is_bool() || d.is_handle();
  auto arithmetic = [&](Op i, Op single, Op dbl) {
    Register r = make(!f ? i : wide ? dbl : single, d, a, b);
    return is_narrow_float(d) ? make(Op::Round, d, r) : r;
  };
  auto compare = [&](Op s, Op un, Op single, Op dbl, bool swapped) {
    Op op = f ? (wide ? dbl : single) : u ? un : s;
    return swapped ? make(op, kBool, b, a) : make(op, kBool, a, b);
  };
  switch (kind) {
    case ExprKind::Add: return arithmetic(Op::Add, Op::AddF, Op::AddD);
    case ExprKind::Sub: return arithmetic(Op::Sub, Op::SubF, Op::SubD);
    case ExprKind::Mul: return arithmetic(Op::Mul, Op::MulF, Op::MulD);
    case ExprKind::Div: return arithmetic(u ? Op::DivU : Op::TruncDiv, Op::DivF, Op::DivD);
    case ExprKind::FloorDiv: return make(u ? Op::DivU : Op::FloorDiv, d, a, b);
    case ExprKind::FloorMod: return make(u ? Op::ModU : Op::FloorMod, d, a, b);
    case ExprKind::TruncDiv: return make(u ? Op::DivU : Op::TruncDiv, d, a, b);
    case ExprKind::TruncMod: return make(u ? Op::ModU : Op::TruncMod, d, a, b);
    case ExprKind::Min: return make(f ? (wide ? Op::MinD : Op::MinF) : u ? Op::MinU : Op::Min, d, a, b);
    case ExprKind::Max: return make(f ? (wide ? Op::MaxD : Op::MaxF) : u ? Op::MaxU : Op::Max, d, a, b);
    case ExprKind::EQ: return compare(Op::Equal, Op::Equal, Op::EqualF, Op::EqualD, false);
    case ExprKind::NE: return compare(Op::NotEqual, Op::NotEqual, Op::NotEqualF, Op::NotEqualD, false);
    case ExprKind::LT: return compare(Op::Less, Op::LessU, Op::LessF, Op::LessD, false);
    case ExprKind::LE: return compare(Op::LessEqual, Op::LessEqualU, Op::LessEqualF, Op::LessEqualD, false);
    case ExprKind::GT: return compare(Op::Less, Op::LessU, Op::LessF, Op::LessD, true);
    case ExprKind::GE: return compare(Op::LessEqual, Op::LessEqualU, Op::LessEqualF, Op::LessEqualD, true);
    case ExprKind::And:
    case ExprKind::BitAnd: return make(Op::BitAnd, d, a, b);
    case ExprKind::Or:
    case ExprKind::BitOr: return make(Op::BitOr, d, a, b);
    case ExprKind::BitXor: return make(Op::BitXor, d, a, b);
    case ExprKind::Shl: return make(Op::Shl, d, a, b);
    case ExprKind::Shr: return make(u ? Op::ShrU : Op::Shr, d, a, b);
    default: return a;
  }
}

bool Compiler::has_effects_or_reads(Expr e) {
  bool found = false;
  walk(e, [&](Expr x) {
    found |= x.kind() == ExprKind::Load || x.kind() == ExprKind::Call;
    return !found;
  });
  return found;
}

Registers Compiler::shortcut(const Binary* e) {
  bool conjunction = e->kind == ExprKind::And;
  if (!has_effects_or_reads(e->b)) {
    Registers a = values(e->a), b = values(e->b);
    return {make(conjunction ? Op::BitAnd : Op::BitOr, kBool, a[0], b[0])};
  }
  Register out = temporary();
  emit({Op::Move, kBool, out, scalar(e->a)});
  Register test = conjunction ? out : make(Op::Not, kBool, out);
  std::size_t skip = emit({Op::JumpUnless, kBool, 0, test});
  emit({Op::Move, kBool, out, scalar(e->b)});
  land(skip);
  return {out};
}

Registers Compiler::lazily(const Select* e) {
  Registers out;
  for (int i = 0; i < words(e->dtype); ++i) out.push_back(temporary());
  std::size_t no = emit({Op::JumpUnless, kBool, 0, scalar(e->condition)});
  Registers t = values(e->when_true);
  for (std::size_t i = 0; i < out.size(); ++i) emit({Op::Move, e->dtype, out[i], t[i]});
  std::size_t done = emit({Op::Jump, kVoid});
  land(no);
  Registers f = values(e->when_false);
  for (std::size_t i = 0; i < out.size(); ++i) emit({Op::Move, e->dtype, out[i], f[i]});
  land(done);
  return out;
}

Registers Compiler::cast(const Cast* e) {
  DataType to = e->dtype.element(), from = e->value.dtype().element();
  if (from.bits > 64) return wide_cast(e);
  return each(values(e->value), [&](Register r) { return convert(to, from, r); });
}

Register Compiler::convert(DataType to, DataType from, Register r) {
  if (to == from) return r;
  if (to.is_bool()) {
    if (from.is_floating()) return make(is_double(from) ? Op::NonZeroD : Op::NonZeroF, kBool, r);
    return make(Op::NotEqual, kBool, r, constant_register(0));
  }
  if (to.is_floating()) {
    bool u = from.is_uint() || from.is_bool();
    if (is_double(to)) {
      if (is_double(from)) return r;
      return make(from.is_floating() ? Op::FToD : u ? Op::UIntToD : Op::IntToD, to, r);
    }
    Register single = is_double(from)      ? make(Op::DToF, kFloat32, r)
                      : from.is_floating() ? r
                                           : make(u ? Op::UIntToF : Op::IntToF, kFloat32, r);
    return is_narrow_float(to) ? make(Op::Round, to, single) : single;
  }
  if (from.is_floating()) {
    bool wide = is_double(from);
    return make(to.is_uint() ? (wide ? Op::DToUInt : Op::FToUInt) : (wide ? Op::DToInt : Op::FToInt), to, r);
  }
  return make(Op::Normalise, to, r);
}

Registers Compiler::load(const Load* e) {
  if (is_register(e->buffer)) {
    Register r = scalars_.at(e->buffer->data)[0];
    if (!assigned_.contains(e->buffer->data)) {
      program_.sites.emplace_back().text = e->buffer->name;  // for what is said of it
      emit({Op::CheckDefined, e->dtype, r, 0, static_cast<Register>(program_.sites.size() - 1)});
    }
    return scalars_.at(e->buffer->data);
  }
  std::uint32_t at = access(e->buffer);
  Expr index = e->indices[0];
  int lanes = words(e->dtype), unit = words(e->buffer->dtype);
  Registers out;
  for (int i = 0; i < lanes; ++i) out.push_back(temporary());
  const Ramp* ramp = index.as<Ramp>();
  bool dense = !index.dtype().is_vector() || (ramp && is_constant(ramp->stride, 1));
  if (dense) {
    Register first = element_index(ramp ? ramp->base : index, unit);
    emit({Op::Load, e->buffer->dtype, out[0], first, at, static_cast<Register>(lanes)});
  } else {
    Registers indices = values(index);
    for (std::size_t i = 0; i < indices.size(); ++i)
      emit({Op::Load, e->buffer->dtype, out[i * unit], scaled(indices[i], unit), at, static_cast<Register>(unit)});
  }
  return out;
}

Register Compiler::scaled(Register index, int unit) {
  return unit == 1 ? index : make(Op::Mul, kInt64, index, constant_register(static_cast<std::uint64_t>(unit)));
}

Register Compiler::address(const Load* e) {
  Expr index = e->indices[0];
  if (const Ramp* ramp = index.as<Ramp>()) index = ramp->base;
  std::uint32_t at = access(e->buffer);
  const Access& to = program_.accesses[at];
  const std::int64_t* element = constant(index);
  // A thread's own memory has the same pointers in every thread.
  if (element && to.where == Where::Local && to.offset == Access::kNoRegister) {
    const int bits = to.type.storage_bits();
    const std::int64_t first = *element * words(e->buffer->dtype);
    return constant_register(pointer_to(kLocalBlocks + to.index, bits < 8 ? first * bits / 8 : first * to.bytes));
  }
  const Register index_register = element_index(index, words(e->buffer->dtype));
  last_address_ = at;
  return make(Op::Address, kHandle, index_register, at);
}

Registers Compiler::reinterpret(const Call* e) {
  DataType from = e->args[0].dtype(), to = e->dtype;
  if (from.bits > 64 || to.bits > 64) return too_wide(from.bits > 64 ? from : to);
  Registers in = values(e->args[0]);
  if (from.lanes == 1 && to.lanes == 1) {
    return {make(Op::FromBits, to, make(Op::ToBits, from.element(), in[0]))};
  }
  // Through one 64-bit word; wider ones are copied word by word where the widths agree.
  int from_bits = from.storage_bits(), to_bits = to.storage_bits();
  if (from_bits == to_bits) {
    return each(in, [&](Register r) { return make(Op::FromBits, to.element(), make(Op::ToBits, from.element(), r)); });
  }
  if (from_bits * from.lanes > 64) return unmodelled(e, "reinterpret of a wide vector");
  Register word = constant_register(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    Register bits = make(Op::ToBits, from.element(), in[i]);
    if (i) bits = make(Op::Shl, kUInt64, bits, constant_register(i * static_cast<std::size_t>(from_bits)));
    word = i ? make(Op::BitOr, kUInt64, word, bits) : bits;
  }
  Registers out;
  for (int i = 0; i < to.lanes; ++i) {
    Register bits =
        i ? make(Op::ShrU, kUInt64, word, constant_register(static_cast<std::uint64_t>(i * to_bits))) : word;
    out.push_back(make(Op::FromBits, to.element(), bits));
  }
  return out;
}

}  // namespace tilewright::simulate
