// Lowered statements to register code. Vector expressions are written out lane by lane here, so that the interpreter
// knows scalars only.
#include <bit>
#include <cstring>
#include <unordered_set>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/signature.h"
#include "compiler/lower/flatten.h"
#include "compiler/simulate/calls.h"
#include "compiler/simulate/memory.h"
#include "compiler/simulate/program.h"
#include "compiler/simulate/tensor_map.h"
#include "compiler/simulate/watch.h"

namespace tilewright::simulate {
namespace {

using namespace ir;
using intrinsics::Meaning;
using Register = std::uint32_t;
using Registers = std::vector<Register>;

// Temporaries are numbered apart while compiling and placed behind the variables at the end.
constexpr Register kTemporary = 0x80000000;

bool is_double(DataType d) { return d.is_float() && d.bits == 64; }
bool is_narrow_float(DataType d) { return d.is_floating() && d.bits < 32; }

class Compiler {
 public:
  explicit Compiler(const lower::LoweredKernel& kernel) : kernel_(kernel) {}

  Program compile() {
    storage();
    survey();
    if (kernel_.device) statement(kernel_.device);
    emit({Op::Exit, kVoid});
    place_temporaries();
    return std::move(program_);
  }

 private:
  // ---- registers ----
  Register fresh() { return variables_++; }
  Register temporary() {
    Register r = kTemporary | live_temporaries_++;
    most_temporaries_ = std::max(most_temporaries_, live_temporaries_);
    return r;
  }
  Register constant_register(std::uint64_t value) {
    auto [at, added] = constants_.try_emplace(value, variables_);
    if (added) program_.constants.emplace_back(fresh(), value);
    return at->second;
  }
  Register variable(const Var* var) {
    auto [at, added] = program_.variables.try_emplace(var, variables_);
    if (added) fresh();
    return at->second;
  }
  void place_temporaries() {
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
    }
    for (Access& access : program_.accesses) {
      if (access.where == Where::Pointer) fix(access.index);
      fix(access.offset);
    }
    program_.registers = variables_ + most_temporaries_;
  }

  std::size_t emit(Instruction i) {
    i.type.lanes = 1;
    program_.code.push_back(i);
    if (program_.origins.empty() || !(program_.origins.back().span == origin_.span) ||
        program_.origins.back().chain != origin_.chain)
      program_.origins.push_back(origin_);
    program_.origin_of.push_back(static_cast<std::uint32_t>(program_.origins.size() - 1));
    return program_.code.size() - 1;
  }
  Register make(Op op, DataType type, Register a, Register b = 0, Register c = 0) {
    Register to = temporary();
    emit({op, type, to, a, b, c});
    return to;
  }
  void land(std::size_t jump) { program_.code[jump].dst = static_cast<Register>(program_.code.size()); }

  // ---- storage ----
  void storage() {
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

  // Scalars whose address is taken, or that a view looks at, need memory; all others are registers.
  void survey() {
    auto look = [&](Expr e) {
      walk(e, [&](Expr x) {
        if (const Var* v = x.as<Var>(); v && v->role == VarRole::Data) in_memory_.insert(v);
        const Call* c = x.as<Call>();
        if (c && c->callee == &builtin::address_of)
          if (const Load* element = c->args[0].as<Load>()) in_memory_.insert(element->buffer->data);
        if (c)
          if (const intrinsics::Intrinsic* row = intrinsics::of(c->callee))
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

  bool is_register(const Buffer* buffer) const {
    return buffer->is_scalar && buffer->scope == StorageScope::Local && !in_memory_.contains(buffer->data);
  }

  std::uint32_t access(const Buffer* buffer) {
    if (auto known = accesses_.find(buffer); known != accesses_.end()) return known->second;
    Access a;
    a.type = buffer->dtype.element();
    a.bytes = static_cast<int>(a.type.storage_bits() + 7) / 8;
    a.name = buffer->name;
    const std::int64_t* elements = constant(buffer->shape[0]);
    if (elements) a.elements = *elements * buffer->dtype.lanes;
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
      if (buffer->dtype.lanes > 1) a.offset = make(Op::Mul, kInt64, a.offset, constant_register(buffer->dtype.lanes));
    }
    program_.accesses.push_back(a);
    auto number = static_cast<std::uint32_t>(program_.accesses.size() - 1);
    // Only an access that does not lean on a temporary can be used again.
    if (a.offset == Access::kNoRegister || !(a.offset & kTemporary)) accesses_[buffer] = number;
    return number;
  }

  // ---- expressions ----
  Register scalar(Expr e) { return values(e)[0]; }

  Registers values(Expr e) {
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
        for (int i = 0; i < lanes; ++i)
          out.push_back(make(Op::Select, e.dtype(), c[c.size() == 1 ? 0 : i], t[i], f[i]));
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
    Registers a = values(node->a), b = values(node->b), out;
    for (int i = 0; i < lanes; ++i) out.push_back(binary(e.kind(), node->a.dtype().element(), a[i], b[i]));
    return out;
  }

  template <class F>
  static Registers each(const Registers& in, F&& f) {
    Registers out;
    for (Register r : in) out.push_back(f(r));
    return out;
  }

  static std::uint64_t float_bits(DataType d, double value) {
    if (is_double(d)) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }

  Registers variable_value(const Var* var) {
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
    if (var->dtype.lanes > 1) {
      if (auto found = vectors_.find(var); found != vectors_.end()) return found->second;
    }
    return {variable(var)};
  }

  Register binary(ExprKind kind, DataType d, Register a, Register b) {
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

  static bool has_effects_or_reads(Expr e) {
    bool found = false;
    walk(e, [&](Expr x) {
      found |= x.kind() == ExprKind::Load || x.kind() == ExprKind::Call;
      return !found;
    });
    return found;
  }

  Registers shortcut(const Binary* e) {
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

  Registers lazily(const Select* e) {
    Registers out;
    for (int i = 0; i < e->dtype.lanes; ++i) out.push_back(temporary());
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

  Registers cast(const Cast* e) {
    DataType to = e->dtype.element(), from = e->value.dtype().element();
    return each(values(e->value), [&](Register r) { return convert(to, from, r); });
  }

  Register convert(DataType to, DataType from, Register r) {
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

  Registers load(const Load* e) {
    if (is_register(e->buffer)) {
      Register r = scalars_.at(e->buffer->data)[0];
      if (!assigned_.contains(e->buffer->data)) emit({Op::CheckDefined, e->dtype, r});
      return scalars_.at(e->buffer->data);
    }
    std::uint32_t at = access(e->buffer);
    Expr index = e->indices[0];
    int lanes = e->dtype.lanes, unit = e->buffer->dtype.lanes;
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

  Register scaled(Register index, int unit) {
    return unit == 1 ? index : make(Op::Mul, kInt64, index, constant_register(static_cast<std::uint64_t>(unit)));
  }
  Register element_index(Expr index, int unit) { return scaled(scalar(index), unit); }

  Register address(const Load* e) {
    Expr index = e->indices[0];
    if (const Ramp* ramp = index.as<Ramp>()) index = ramp->base;
    std::uint32_t at = access(e->buffer);
    const Access& to = program_.accesses[at];
    const std::int64_t* element = constant(index);
    // A thread's own memory has the same pointers in every thread.
    if (element && to.where == Where::Local && to.offset == Access::kNoRegister) {
      const int bits = to.type.storage_bits();
      const std::int64_t first = *element * e->buffer->dtype.lanes;
      return constant_register(pointer_to(kLocalBlocks + to.index, bits < 8 ? first * bits / 8 : first * to.bytes));
    }
    const Register index_register = element_index(index, e->buffer->dtype.lanes);
    last_address_ = at;
    return make(Op::Address, kHandle, index_register, at);
  }

  // ---- calls ----
  Registers unmodelled(const Call* e, std::string_view what) {
    Site site;
    site.type = e->dtype;
    site.text = what;
    site.origin = origin_;
    program_.sites.push_back(std::move(site));
    emit({Op::Unmodelled, kVoid, 0, 0, static_cast<Register>(program_.sites.size() - 1)});
    return Registers(std::max<std::size_t>(1, e->dtype.lanes), constant_register(0));
  }

  Registers meet(Site site, DataType result) {
    site.origin = origin_;
    Registers out;
    if (!result.is_void()) {
      out.push_back(temporary());
      site.dst = out[0];
    }
    program_.sites.push_back(std::move(site));
    Site::Kind kind = program_.sites.back().kind;
    Op op = kind == Site::Kind::Call ? Op::Call : kind == Site::Kind::Print ? Op::Print : Op::Meet;
    emit({op, program_.sites.back().type, out.empty() ? 0 : out[0], 0,
          static_cast<Register>(program_.sites.size() - 1)});
    if (out.empty()) out.push_back(constant_register(0));
    return out;
  }

  // A call of a row of calls.h.
  Registers device_call(const CallRow& row, const intrinsics::Intrinsic& intrinsic, const Call* e) {
    intrinsics::Arguments a(intrinsic, e->args);
    Site s;
    s.kind = row.warpgroup ? Site::Kind::WarpgroupCall : row.warp ? Site::Kind::WarpCall : Site::Kind::Call;
    s.call = &row;
    s.type = e->dtype.element();
    s.text = intrinsic.name;
    if (e->dtype.lanes > 1) return unmodelled(e, intrinsic.name);
    if (row.set_up && !row.set_up(s, a)) return unmodelled(e, intrinsic.name);
    for (const intrinsics::CallEffect& effect : intrinsics::effects_of(intrinsic, e->args)) {
      if (effect.semantics == intrinsics::Semantics::Weak) continue;
      s.semantics = effect.semantics, s.scope = effect.scope;
      break;
    }
    for (std::string_view rest = row.slots; !rest.empty();) {
      std::string_view names = intrinsics::detail::next_item(rest);
      Register slot = Access::kNoRegister;
      while (!names.empty()) {
        std::size_t bar = std::min(names.find('|'), names.size());
        std::string_view name = names.substr(0, bar);
        names.remove_prefix(std::min(bar + 1, names.size()));
        if (!a.operand(name) || !a.given(name)) continue;
        const bool attribute = a.operand(name)->kind == intrinsics::OperandKind::Attribute;
        last_address_ = Access::kNoRegister;
        slot = attribute ? constant_register(static_cast<std::uint64_t>(a.integer(name)))
                         : element_or_value(a[name], *a.operand(name));
        if (name.find("bar") != name.npos) s.barrier_view = last_address_;
      }
      s.args.push_back(slot);
    }
    for (const intrinsics::Operand& o : intrinsic.operands) {
      if (o.kind != intrinsics::OperandKind::Variadic && o.kind != intrinsics::OperandKind::List) continue;
      for (Expr item : a.items(o)) {
        s.items.push_back(element_or_value(item, o));
        if (row.meaning == Meaning::WgmmaMma) mark_fragment(item);
      }
    }
    return meet(std::move(s), e->dtype);
  }

  void mark_fragment(Expr item) {
    const Load* element = item.as<Load>();
    auto place = element ? places_.find(element->buffer->data) : places_.end();
    if (place != places_.end() && place->second.first == Where::Local)
      program_.locals[place->second.second].is_fragment = true;
  }

  // A Reference stands for its element's address.
  Register element_or_value(Expr e, const intrinsics::Operand& o) {
    const bool reference = o.kind == intrinsics::OperandKind::Reference || o.item == intrinsics::OperandKind::Reference;
    const Load* element = reference ? e.as<Load>() : nullptr;
    return element ? address(element) : scalar(e);
  }

  Registers call(const Call* e) {
    const Callee* callee = e->callee;
    if (callee == &builtin::address_of) {
      const Load* element = e->args[0].as<Load>();
      return element ? Registers{address(element)} : Registers{scalar(e->args[0])};
    }
    if (callee == &builtin::pointer_offset)
      return {make(Op::PointerAdd, kHandle, scalar(e->args[0]), scalar(e->args[1]),
                   static_cast<Register>(bytes_of_pointee(e->args[0])))};
    if (callee == &builtin::handle_byte_offset)
      return {make(Op::PointerAdd, kHandle, scalar(e->args[0]), scalar(e->args[1]), 1)};
    if (callee == &builtin::likely) return values(e->args[0]);
    if (callee == &builtin::is_null) return {make(Op::Equal, kBool, scalar(e->args[0]), constant_register(0))};
    if (callee == &builtin::undef) return Registers(e->dtype.lanes, constant_register(0));
    if (callee == &builtin::reinterpret) return reinterpret(e);
    if (callee == &builtin::warp_shuffle) {
      Site site;
      site.kind = Site::Kind::ShuffleIndex;
      site.type = e->dtype.element();
      for (int i = 0; i < 4; ++i) site.args.push_back(scalar(e->args[i]));
      return meet(std::move(site), e->dtype);
    }
    if (callee == &watch_call()) return look(e);
    if (const intrinsics::Intrinsic* row = intrinsics::of(callee)) return intrinsic(*row, e);
    return math(callee->name, e);
  }

  // (point, loops, their values, addresses or a number)
  Registers look(const Call* e) {
    Site site;
    site.kind = Site::Kind::Look;
    site.number = *constant(e->args[0]);
    site.count = *constant(e->args[1]);
    for (std::size_t i = 2; i < e->args.size(); ++i) site.args.push_back(scalar(e->args[i]));
    const Expr first = e->args[static_cast<std::size_t>(2 + site.count)];
    const Call* address = first.as<Call>();
    const Load* element = address && address->callee == &builtin::address_of ? address->args[0].as<Load>() : nullptr;
    site.flag = element != nullptr;
    site.type = element ? element->buffer->dtype.element() : first.dtype();
    program_.sites.push_back(std::move(site));
    emit({Op::Look, kVoid, 0, 0, static_cast<Register>(program_.sites.size() - 1)});
    return {constant_register(0)};
  }

  Registers math(std::string_view name, const Call* e) {
    if (name.starts_with("tirx.")) name.remove_prefix(5);
    DataType d = e->args.empty() ? e->dtype : e->args[0].dtype();
    std::span<const MathRow> rows = math_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].name != name || !d.is_floating() || d.is_vector() || (is_double(d) && !rows[i].d)) continue;
      Register a = scalar(e->args[0]), b = e->args.size() > 1 ? scalar(e->args[1]) : a;
      Register r = make(is_double(d) ? Op::MathD : Op::MathF, d, a, b, static_cast<Register>(i));
      if (e->dtype.is_bool()) return {make(is_double(d) ? Op::NonZeroD : Op::NonZeroF, kBool, r)};
      return {is_narrow_float(d) ? make(Op::Round, d, r) : r};
    }
    if (name == "fma" && d.is_floating() && !is_double(d)) {
      Register r = make(Op::FmaF, d, scalar(e->args[0]), scalar(e->args[1]), scalar(e->args[2]));
      return {is_narrow_float(d) ? make(Op::Round, d, r) : r};
    }
    return unmodelled(e, e->callee->name);
  }

  Registers reinterpret(const Call* e) {
    DataType from = e->args[0].dtype(), to = e->dtype;
    Registers in = values(e->args[0]);
    if (from.lanes == 1 && to.lanes == 1) {
      return {make(Op::FromBits, to, make(Op::ToBits, from.element(), in[0]))};
    }
    // Through one 64-bit word; wider ones are copied word by word where the widths agree.
    int from_bits = from.storage_bits(), to_bits = to.storage_bits();
    if (from_bits == to_bits) {
      return each(in,
                  [&](Register r) { return make(Op::FromBits, to.element(), make(Op::ToBits, from.element(), r)); });
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

  Registers intrinsic(const intrinsics::Intrinsic& row, const Call* e) {
    intrinsics::Arguments a(row, e->args);
    auto value = [&](std::size_t i) { return scalar(e->args[i]); };
    std::size_t n = e->args.size();
    auto named = [&](std::string_view name) {
      return a.operand(name) && a.given(name) ? scalar(a[name]) : constant_register(0);
    };
    auto site = [&](Site::Kind kind, DataType type, std::vector<Register> args = {}) {
      Site s;
      s.kind = kind;
      s.type = type.element();
      s.args = std::move(args);
      return s;
    };
    if (const CallRow* call = call_of(row)) {
      // What a CTA does as one begins and ends with all of its threads.
      const bool as_one = row.meaning == Meaning::Nvshmem && row.by.together == intrinsics::Together::Cta;
      if (as_one) meet(site(Site::Kind::CtaSync, kVoid), kVoid);
      Registers out = device_call(*call, row, e);
      if (as_one) meet(site(Site::Kind::CtaSync, kVoid), kVoid);
      return out;
    }
    // All threads see memory in one order here, so that fences have nothing to do; their operands may.
    if (row.meaning == Meaning::None || row.meaning == Meaning::CachePolicy || intrinsics::is_silent(row)) {
      for (Expr arg : e->args)
        if (arg.dtype().lanes == 1 && has_effects_or_reads(arg) && arg.kind() == ExprKind::Call) scalar(arg);
      return {constant_register(0)};
    }
    switch (row.meaning) {
      case Meaning::CtaSync: return meet(site(Site::Kind::CtaSync, kVoid), kVoid);
      case Meaning::WarpSync: return meet(site(Site::Kind::WarpSync, kVoid), kVoid);
      case Meaning::GridSync: return meet(site(Site::Kind::GridSync, kVoid), kVoid);
      case Meaning::ClusterSync: return meet(site(Site::Kind::ClusterSync, kVoid), kVoid);
      case Meaning::ClusterArrive: {
        Site s = site(Site::Kind::ClusterArrive, kVoid);
        s.flag = a.text("sem") == "relaxed";
        return meet(std::move(s), kVoid);
      }
      case Meaning::ClusterWait: return meet(site(Site::Kind::ClusterWait, kVoid), kVoid);
      case Meaning::CtaReduceAnd: return meet(site(Site::Kind::CtaAnd, kInt32, {value(0)}), e->dtype);
      case Meaning::CtaReduceOr: return meet(site(Site::Kind::CtaOr, kInt32, {value(0)}), e->dtype);
      case Meaning::WarpgroupSync: {
        Site s = site(Site::Kind::NamedSync, kVoid, {value(0)});
        s.count = 128;
        return meet(std::move(s), kVoid);
      }
      case Meaning::NamedBarrierSync:
      case Meaning::NamedBarrierArrive: {
        bool arrive = row.meaning == Meaning::NamedBarrierArrive;
        if (n < 2) return unmodelled(e, row.name);
        return meet(site(arrive ? Site::Kind::NamedArrive : Site::Kind::NamedSync, kVoid, {value(0), value(1)}), kVoid);
      }
      case Meaning::ShuffleIndex:
      case Meaning::ShuffleUp:
      case Meaning::ShuffleDown:
      case Meaning::ShuffleXor: {
        auto kind = static_cast<Site::Kind>(static_cast<int>(Site::Kind::ShuffleIndex) + static_cast<int>(row.meaning) -
                                            static_cast<int>(Meaning::ShuffleIndex));
        if (n < 3) return unmodelled(e, row.name);
        return meet(site(kind, e->dtype, {value(0), value(1), value(2), n > 3 ? value(3) : constant_register(32)}),
                    e->dtype);
      }
      case Meaning::Ballot: return meet(site(Site::Kind::Ballot, kUInt32, {value(0), value(1)}), e->dtype);
      case Meaning::AnySync: return meet(site(Site::Kind::Any, kUInt32, {value(0), value(1)}), e->dtype);
      case Meaning::Elect:
        return meet(site(Site::Kind::Elect, kUInt32, {n ? value(0) : constant_register(0xffffffff)}), e->dtype);
      case Meaning::ReduceSync: {
        Site s = site(Site::Kind::ReduceSync, e->dtype, {value(0), value(1)});
        s.text = row.operation;
        return meet(std::move(s), e->dtype);
      }
      case Meaning::ActiveMask: return meet(site(Site::Kind::ActiveMask, kUInt32), e->dtype);
      case Meaning::WarpReduce:
      case Meaning::CtaReduce: {
        bool cta = row.meaning == Meaning::CtaReduce;
        Site s = site(cta ? Site::Kind::CtaReduce : Site::Kind::WarpReduce, e->args[0].dtype(), {value(0)});
        s.number = a.operand("width") ? a.integer("width") : 32;
        s.text = a.operation();
        if (cta) s.args.push_back(named("scratch"));
        return meet(std::move(s), e->dtype);
      }
      case Meaning::CopyBytes: {
        const std::int64_t bytes = intrinsics::effects_of(row, e->args).front().amount.number;
        Register to = value(0), from = value(1);
        emit({Op::Copy, kVoid, 0, to, from, static_cast<Register>(bytes)});
        return {constant_register(0)};
      }
      case Meaning::LdMatrix:
      case Meaning::StMatrix: {
        if (a.operand("local_ptr")) return load_matrix_by_offset(a);
        const bool bytes = a.operand("dtype") && a.text("dtype").ends_with("b8");
        bool load = row.meaning == Meaning::LdMatrix;
        Site s =
            site(load ? Site::Kind::LdMatrix : Site::Kind::StMatrix, bytes ? kUInt8 : kUInt32, {named("smem_ptr")});
        for (Expr handle : a.items(row.operands[row.operands.size() - 1].kind == intrinsics::OperandKind::Variadic
                                       ? row.operands.back()
                                       : *a.operand(load ? "dst_handles" : "src_handles")))
          s.args.push_back(scalar(handle));
        s.number = a.integer("num");
        s.flag = a.flag("trans");
        return meet(std::move(s), kVoid);
      }
      case Meaning::HalfToFloat:
      case Meaning::BFloatToFloat: return {value(0)};
      case Meaning::BitsToFloat: return {make(Op::FromBits, kFloat32, value(0))};
      case Meaning::FloatToBits: return {make(Op::ToBits, kFloat32, value(0))};
      case Meaning::Exp2Approx: return math("ex2.approx.ftz", e);
      case Meaning::RcpApprox: return math("rcp.approx.ftz", e);
      case Meaning::TrapUnless: emit({Op::Trap, kVoid, 0, value(0)}); return {constant_register(0)};
      case Meaning::Print: {
        Site s = site(Site::Kind::Print, kVoid);
        for (std::size_t i = 0; i < n; ++i) {
          if (const StringImm* text = e->args[i].as<StringImm>()) {
            if (s.text.empty()) s.text = text->value;
            continue;
          }
          if (e->args[i].dtype().is_vector()) continue;
          DataType d = e->args[i].dtype();
          Register r = value(i);
          s.args.push_back(d.is_floating() && !is_double(d) ? make(Op::FToD, kFloat64, r) : r);
        }
        return meet(std::move(s), kVoid);
      }
      default: return unmodelled(e, row.name);
    }
  }

  Register element_of(Expr pointer, Register index) {
    return make(Op::PointerAdd, kHandle, scalar(pointer), index, static_cast<Register>(bytes_of_pointee(pointer)));
  }
  Register number(std::int64_t value) { return constant_register(static_cast<std::uint64_t>(value)); }

  // The old ldmatrix: pointers with offsets in elements. Transposed elements of 8 bits are gathered one by one, and
  // the last argument is then the distance of rows.
  Registers load_matrix_by_offset(const intrinsics::Arguments& a) {
    const Register local = scalar(a["local_offset"]), offset = scalar(a["smem_offset"]);
    const auto element = a.operand("elem") ? parse_dtype(a.text("elem")) : std::nullopt;
    if (!(a.flag("trans") && element && element->bits == 8)) {
      Site s;
      s.kind = Site::Kind::LdMatrix;
      s.type = kUInt32;
      s.args.push_back(element_of(a["smem_ptr"], offset));
      const Register first = element_of(a["local_ptr"], local);
      for (std::int64_t i = 0; i < a.integer("num"); ++i)
        s.args.push_back(make(Op::PointerAdd, kHandle, first, number(i), 4));
      s.number = a.integer("num");
      s.flag = a.flag("trans");
      return meet(std::move(s), kVoid);
    }
    const Register lane = make(Op::BitAnd, kInt64, variable(kernel_.thread_idx[0]), number(31));
    const Register four = make(Op::BitAnd, kInt64, lane, number(3)), group = make(Op::Shr, kInt64, lane, number(2));
    for (std::int64_t i = 0; i < 16; ++i) {
      const Register row =
          make(Op::Add, kInt64, make(Op::Mul, kInt64, four, number(4)), number(i % 8 / 4 * 16 + i % 4));
      const Register at =
          make(Op::Add, kInt64, make(Op::Mul, kInt64, row, offset), make(Op::Add, kInt64, group, number(i / 8 * 8)));
      const Register to = element_of(a["local_ptr"], make(Op::Add, kInt64, local, number(i)));
      emit({Op::Copy, kVoid, 0, to, element_of(a["smem_ptr"], at), 1});
    }
    return {constant_register(0)};
  }

  // ---- statements ----
  void statement(const Stmt* s) {
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
        if (bind->var->dtype.lanes > 1) {
          Registers own;
          for (Register r : in) own.push_back(fresh()), emit({Op::Move, bind->var->dtype, own.back(), r});
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

  void enter_loop() {
    loops_.emplace_back();
    loops_.back().assigned = assigned_;
  }
  void leave_loop() {
    for (std::size_t jump : loops_.back().breaks) land(jump);
    assigned_ = std::move(loops_.back().assigned);  // the body may not have run
    loops_.pop_back();
  }

  void loop(const For* s) {
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

  void allocate(const Buffer* buffer) {
    if (is_shared(buffer->scope)) return;
    if (is_register(buffer)) {
      auto& registers = scalars_[buffer->data];
      if (registers.empty())
        for (int i = 0; i < buffer->dtype.lanes; ++i) registers.push_back(fresh());
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

  void store(const Store* s) {
    Registers in = values(s->value);
    if (is_register(s->buffer)) {
      const Registers& to = scalars_.at(s->buffer->data);
      for (std::size_t i = 0; i < to.size(); ++i) emit({Op::Move, s->buffer->dtype, to[i], in[in.size() == 1 ? 0 : i]});
      if (!assigned_.contains(s->buffer->data)) emit({Op::Define, s->buffer->dtype, to[0]});
      assigned_.insert(s->buffer->data);
      return;
    }
    Expr index = s->indices[0];
    int unit = s->buffer->dtype.lanes;
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

  struct Loop {
    std::vector<std::size_t> breaks, continues;
    std::unordered_set<const Var*> assigned;
  };

  const lower::LoweredKernel& kernel_;
  Program program_;
  Origin origin_;
  Register variables_ = 0;
  std::uint32_t live_temporaries_ = 0, most_temporaries_ = 0;
  std::uint32_t last_address_ = Access::kNoRegister;  // the access whose address was taken last
  std::unordered_map<std::uint64_t, Register> constants_;
  std::unordered_map<const Var*, std::pair<Where, std::uint32_t>> places_;
  std::unordered_map<const Var*, Registers> vectors_, scalars_;
  std::unordered_map<const Buffer*, std::uint32_t> accesses_;
  std::unordered_set<const Var*> in_memory_;
  std::unordered_set<const Var*> assigned_;  // scalars that certainly hold a value here
  std::vector<Loop> loops_;
};

}  // namespace

ir::DataType pointee_of(Expr pointer) {
  if (const Var* v = pointer.as<Var>()) return v->pointee;
  const Call* c = pointer.as<Call>();
  if (!c) return kVoid;
  if (c->callee == &builtin::pointer_offset) return pointee_of(c->args[0]);
  const Load* element = c->callee == &builtin::address_of ? c->args[0].as<Load>() : nullptr;
  return element ? element->buffer->dtype : kVoid;
}

int bytes_of_pointee(Expr pointer) {
  const DataType d = pointee_of(pointer);
  return d.is_void() ? 1 : std::max(1, static_cast<int>(lower::element_bits(d) / 8));
}

Program compile(const lower::LoweredKernel& kernel) { return Compiler(kernel).compile(); }

}  // namespace tilewright::simulate
