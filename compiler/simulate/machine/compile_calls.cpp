// Calls: builtins, mathematical functions, the rows of intrinsics.
#include <optional>

#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/say.h"
#include "compiler/intrinsics/signature.h"
#include "compiler/lower/flatten.h"
#include "compiler/simulate/calls/unmodelled.h"
#include "compiler/simulate/machine/compile.h"
#include "compiler/simulate/machine/watch.h"

namespace tilewright::simulate {

using namespace ir;
using intrinsics::Meaning;

Register Compiler::named(const intrinsics::Arguments& a, std::string_view name) {
  return a.operand(name) && a.given(name) ? scalar(a[name]) : constant_register(0);
}

// "T.cuda.func_call is not modelled by the simulator: its CUDA source is the author's own".
std::string Compiler::unmodelled_text(const Call* e, std::string_view what) const {
  std::string text = what.empty() ? intrinsics::say(*e->callee, kernel_.kernel->dialect) : "T." + std::string(what);
  text += " is not modelled by the simulator";
  const intrinsics::Intrinsic* row = intrinsics::of(e->callee);
  std::string_view why = row ? why_unmodelled(row->id) : std::string_view();
  if (row && row->id.starts_with("multimem")) why = "its addresses are memory of several GPUs, and a run has one";
  return why.empty() ? text : text + ": " + std::string(why);
}

Registers Compiler::unmodelled(const Call* e, std::string_view what) {
  Site site;
  site.type = e->dtype;
  site.text = unmodelled_text(e, what);
  site.origin = origin_;
  program_.sites.push_back(std::move(site));
  emit({Op::Unmodelled, kVoid, 0, 0, static_cast<Register>(program_.sites.size() - 1)});
  return Registers(static_cast<std::size_t>(std::max(1, words(e->dtype))), constant_register(0));
}

Registers Compiler::too_wide(DataType d) {
  Site site;
  site.text = "the simulator moves values of " + dtype_name(d) +
              " and takes them apart; other operations on them are not modelled by the simulator";
  site.origin = origin_;
  program_.sites.push_back(std::move(site));
  emit({Op::Unmodelled, kVoid, 0, 0, static_cast<Register>(program_.sites.size() - 1)});
  return Registers(static_cast<std::size_t>(std::max(1, words(d))), constant_register(0));
}

Registers Compiler::meet(Site site, DataType result) {
  site.origin = origin_;
  Registers out;
  if (!result.is_void()) {
    out.push_back(temporary());
    site.dst = out[0];
  }
  program_.sites.push_back(std::move(site));
  Site::Kind kind = program_.sites.back().kind;
  Op op = kind == Site::Kind::Call ? Op::Call : kind == Site::Kind::Print ? Op::Print : Op::Meet;
  emit({op, program_.sites.back().type, out.empty() ? 0 : out[0], 0, static_cast<Register>(program_.sites.size() - 1)});
  if (out.empty()) out.push_back(constant_register(0));
  return out;
}

namespace {

// Does the call's first operand have to be an address in .shared::cta?
bool is_for_own_window(Meaning meaning, const intrinsics::Arguments& a) {
  using enum Meaning;
  const auto given = [&](std::string_view name) { return a.operand(name) && a.given(name); };
  if (a.operand("space") && a.given("space")) {
    const std::string space = a.text("space");
    return space == "shared" || space == "shared::cta";
  }
  const bool barrier = meaning == MbarrierInit || meaning == MbarrierInval || meaning == MbarrierArrive ||
                       meaning == MbarrierArriveExpectTx || meaning == MbarrierArriveState ||
                       meaning == MbarrierArriveDrop || meaning == MbarrierWait || meaning == MbarrierTestWait ||
                       meaning == MbarrierTestWaitState;
  // A mapped address comes as a number.
  return barrier && !given("cta_id") && !given("remote") && !(a.operand("bar") && a.operand("bar")->dtype == kUInt64);
}

}  // namespace

Registers Compiler::device_call(const CallRow& row, const intrinsics::Intrinsic& intrinsic, const Call* e) {
  intrinsics::Arguments a(intrinsic, e->args);
  Site s;
  s.kind = row.warpgroup ? Site::Kind::WarpgroupCall : row.warp ? Site::Kind::WarpCall : Site::Kind::Call;
  s.call = &row;
  s.type = e->dtype.element();
  s.text = intrinsics::say(intrinsic, kernel_.kernel->dialect).substr(2);  // without its "T."
  if (e->dtype.lanes > 1) return unmodelled(e);
  if (row.set_up && !row.set_up(s, a)) return unmodelled(e);
  for (const intrinsics::CallEffect& effect : intrinsics::effects_of(intrinsic, e->args)) {
    if (effect.semantics == intrinsics::Semantics::Weak) continue;
    s.semantics = effect.semantics;
    s.scope = effect.scope;
    break;
  }
  s.own_window = !row.slots.empty() && is_for_own_window(row.meaning, a);
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

void Compiler::mark_fragment(Expr item) {
  const Load* element = item.as<Load>();
  auto place = element ? places_.find(element->buffer->data) : places_.end();
  if (place != places_.end() && place->second.first == Where::Local)
    program_.locals[place->second.second].is_fragment = true;
}

Register Compiler::element_or_value(Expr e, const intrinsics::Operand& o) {
  const bool reference = o.kind == intrinsics::OperandKind::Reference || o.item == intrinsics::OperandKind::Reference;
  const Load* element = reference ? e.as<Load>() : nullptr;
  return element ? address(element) : scalar(e);
}

Registers Compiler::call(const Call* e) {
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

Registers Compiler::look(const Call* e) {
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

namespace {

// By its name in the expressions of scripts, or as CUDA's function.
std::optional<Op> bit_operation(std::string_view name) {
  if (name == "popcount" || name == "__popc" || name == "__popcll") return Op::CountBits;
  if (name == "clz" || name == "__clz" || name == "__clzll") return Op::LeadingZeros;
  if (name == "__brev" || name == "__brevll") return Op::ReverseBits;
  if (name == "__ffs" || name == "__ffsll") return Op::FirstBit;
  return std::nullopt;
}

}  // namespace

Registers Compiler::math(std::string_view name, const Call* e) {
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
  if (name == "ldexp" && d.is_floating()) {
    Register r = make(Op::Ldexp, d, scalar(e->args[0]), scalar(e->args[1]));
    return {is_narrow_float(d) ? make(Op::Round, d, r) : r};
  }
  if (const auto bits = bit_operation(name); bits && d.is_integral() && !d.is_vector())
    return {make(Op::Normalise, e->dtype, make(*bits, d, scalar(e->args[0])))};
  if (name == "fma" && d.is_floating() && !is_double(d)) {
    Register r = make(Op::FmaF, d, scalar(e->args[0]), scalar(e->args[1]), scalar(e->args[2]));
    return {is_narrow_float(d) ? make(Op::Round, d, r) : r};
  }
  return unmodelled(e);
}

namespace {

Site site_of(Site::Kind kind, DataType type, std::vector<Register> args = {}) {
  Site s;
  s.kind = kind;
  s.type = type.element();
  s.args = std::move(args);
  return s;
}

}  // namespace

bool Compiler::synchronise(const intrinsics::Intrinsic& row, const Call* e, Registers& out) {
  auto value = [&](std::size_t i) { return scalar(e->args[i]); };
  auto simple = [&](Site::Kind kind) { out = meet(site_of(kind, kVoid), kVoid); };
  switch (row.meaning) {
    case Meaning::CtaSync: simple(Site::Kind::CtaSync); break;
    case Meaning::WarpSync: simple(Site::Kind::WarpSync); break;
    case Meaning::GridSync: simple(Site::Kind::GridSync); break;
    case Meaning::ClusterSync: simple(Site::Kind::ClusterSync); break;
    case Meaning::ClusterWait: simple(Site::Kind::ClusterWait); break;
    case Meaning::ClusterArrive: {
      Site s = site_of(Site::Kind::ClusterArrive, kVoid);
      s.flag = intrinsics::Arguments(row, e->args).text("sem") == "relaxed";
      out = meet(std::move(s), kVoid);
      break;
    }
    case Meaning::WarpgroupSync: {
      Site s = site_of(Site::Kind::NamedSync, kVoid, {value(0)});
      s.count = 128;
      out = meet(std::move(s), kVoid);
      break;
    }
    case Meaning::NamedBarrierSync:
    case Meaning::NamedBarrierArrive: {
      bool arrive = row.meaning == Meaning::NamedBarrierArrive;
      out = e->args.size() < 2
                ? unmodelled(e)
                : meet(site_of(arrive ? Site::Kind::NamedArrive : Site::Kind::NamedSync, kVoid, {value(0), value(1)}),
                       kVoid);
      break;
    }
    default: return false;
  }
  return true;
}

bool Compiler::exchange(const intrinsics::Intrinsic& row, const Call* e, Registers& out) {
  auto value = [&](std::size_t i) { return scalar(e->args[i]); };
  const std::size_t n = e->args.size();
  switch (row.meaning) {
    case Meaning::CtaReduceAnd: out = meet(site_of(Site::Kind::CtaAnd, kInt32, {value(0)}), e->dtype); break;
    case Meaning::CtaReduceOr: out = meet(site_of(Site::Kind::CtaOr, kInt32, {value(0)}), e->dtype); break;
    case Meaning::ShuffleIndex:
    case Meaning::ShuffleUp:
    case Meaning::ShuffleDown:
    case Meaning::ShuffleXor: {
      auto kind = static_cast<Site::Kind>(static_cast<int>(Site::Kind::ShuffleIndex) + static_cast<int>(row.meaning) -
                                          static_cast<int>(Meaning::ShuffleIndex));
      out =
          n < 3
              ? unmodelled(e)
              : meet(site_of(kind, e->dtype, {value(0), value(1), value(2), n > 3 ? value(3) : constant_register(32)}),
                     e->dtype);
      break;
    }
    case Meaning::Ballot: out = meet(site_of(Site::Kind::Ballot, kUInt32, {value(0), value(1)}), e->dtype); break;
    case Meaning::AnySync: out = meet(site_of(Site::Kind::Any, kUInt32, {value(0), value(1)}), e->dtype); break;
    case Meaning::Elect:
      out = meet(site_of(Site::Kind::Elect, kUInt32, {n ? value(0) : constant_register(0xffffffff)}), e->dtype);
      break;
    case Meaning::ReduceSync: {
      Site s = site_of(Site::Kind::ReduceSync, e->dtype, {value(0), value(1)});
      s.text = row.operation;
      out = meet(std::move(s), e->dtype);
      break;
    }
    case Meaning::ActiveMask: out = meet(site_of(Site::Kind::ActiveMask, kUInt32), e->dtype); break;
    case Meaning::WarpReduce:
    case Meaning::CtaReduce: {
      intrinsics::Arguments a(row, e->args);
      bool cta = row.meaning == Meaning::CtaReduce;
      Site s = site_of(cta ? Site::Kind::CtaReduce : Site::Kind::WarpReduce, e->args[0].dtype(), {value(0)});
      s.number = a.operand("width") ? a.integer("width") : 32;
      s.text = a.operation();
      if (cta) s.args.push_back(named(a, "scratch"));
      out = meet(std::move(s), e->dtype);
      break;
    }
    default: return false;
  }
  return true;
}

Registers Compiler::move_matrix(const intrinsics::Intrinsic& row, const intrinsics::Arguments& a) {
  if (a.operand("local_ptr")) return load_matrix_by_offset(a);
  const bool bytes = a.operand("dtype") && a.text("dtype").ends_with("b8");
  const bool load = row.meaning == Meaning::LdMatrix;
  Site s =
      site_of(load ? Site::Kind::LdMatrix : Site::Kind::StMatrix, bytes ? kUInt8 : kUInt32, {named(a, "smem_ptr")});
  const intrinsics::Operand& handles = row.operands.back().kind == intrinsics::OperandKind::Variadic
                                           ? row.operands.back()
                                           : *a.operand(load ? "dst_handles" : "src_handles");
  for (Expr handle : a.items(handles)) s.args.push_back(scalar(handle));
  s.number = a.integer("num");
  s.flag = a.flag("trans");
  return meet(std::move(s), kVoid);
}

Registers Compiler::print(const Call* e) {
  Site s = site_of(Site::Kind::Print, kVoid);
  for (Expr arg : e->args) {
    if (const StringImm* text = arg.as<StringImm>()) {
      if (s.text.empty()) s.text = text->value;
      continue;
    }
    DataType d = arg.dtype();
    if (d.is_vector()) continue;
    Register r = scalar(arg);
    s.args.push_back(d.is_floating() && !is_double(d) ? make(Op::FToD, kFloat64, r) : r);
  }
  return meet(std::move(s), kVoid);
}

Registers Compiler::intrinsic(const intrinsics::Intrinsic& row, const Call* e) {
  if (const intrinsics::Form* form = intrinsics::form_of(row)) return instruction(*form, e);
  if (&row == &intrinsics::address_offset())
    return {make(Op::PointerAdd, kHandle, scalar(e->args[0]), scalar(e->args[1]), 1)};
  return of_row(row, e);
}

Registers Compiler::of_row(const intrinsics::Intrinsic& row, const Call* e) {
  if (const CallRow* call = call_of(row)) {
    // What a CTA does as one begins and ends with all of its threads.
    const bool as_one = row.meaning == Meaning::Nvshmem && row.by.together == intrinsics::Together::Cta;
    if (as_one) meet(site_of(Site::Kind::CtaSync, kVoid), kVoid);
    Registers out = device_call(*call, row, e);
    if (as_one) meet(site_of(Site::Kind::CtaSync, kVoid), kVoid);
    return out;
  }
  // All threads see memory in one order here, so that fences have nothing to do; their operands may.
  if (row.meaning == Meaning::None || row.meaning == Meaning::CachePolicy || intrinsics::is_silent(row)) {
    for (Expr arg : e->args)
      if (arg.dtype().lanes == 1 && has_effects_or_reads(arg) && arg.kind() == ExprKind::Call) scalar(arg);
    return {constant_register(0)};
  }
  Registers out;
  if (synchronise(row, e, out) || exchange(row, e, out)) return out;
  auto value = [&](std::size_t i) { return scalar(e->args[i]); };
  switch (row.meaning) {
    case Meaning::CopyBytes: {
      const std::int64_t bytes = intrinsics::effects_of(row, e->args).front().amount.number;
      Register to = value(0), from = value(1);
      emit({Op::Copy, kVoid, 0, to, from, static_cast<Register>(bytes)});
      return {constant_register(0)};
    }
    case Meaning::LdMatrix:
    case Meaning::StMatrix: return move_matrix(row, intrinsics::Arguments(row, e->args));
    case Meaning::HalfToFloat:
    case Meaning::BFloatToFloat: return {value(0)};
    case Meaning::BitsToFloat: return {make(Op::FromBits, kFloat32, value(0))};
    case Meaning::FloatToBits: return {make(Op::ToBits, kFloat32, value(0))};
    case Meaning::Exp2Approx: return math("ex2.approx.ftz", e);
    case Meaning::RcpApprox: return math(e->args.size() == 2 ? "fdividef" : "rcp.approx.ftz", e);
    case Meaning::TrapUnless: emit({Op::Trap, kVoid, 0, value(0)}); return {constant_register(0)};
    case Meaning::Print: return print(e);
    case Meaning::CallSource: return foreign(row, e);
    case Meaning::Unmodelled: return extern_function(row, e);
    default: return unmodelled(e);
  }
}

// A function of CUDA by its name, of those that do no more than arithmetic.
Registers Compiler::extern_function(const intrinsics::Intrinsic& row, const Call* e) {
  const intrinsics::Arguments a(row, e->args);
  if (a.operand("func_name")) {
    const std::string name = a.text("func_name");
    const auto operands = a.items("args");
    const bool one = operands.size() == 1 && operands[0].dtype().is_integral() && !operands[0].dtype().is_vector();
    if (const auto bits = bit_operation(name); bits && one) {
      DataType d = operands[0].dtype();
      d.bits = name.ends_with("ll") ? 64 : 32;
      return {make(Op::Normalise, e->dtype, make(*bits, d, make(Op::Normalise, d, scalar(operands[0]))))};
    }
  }
  return unmodelled(e);
}

Register Compiler::element_of(Expr pointer, Register index) {
  return make(Op::PointerAdd, kHandle, scalar(pointer), index, static_cast<Register>(bytes_of_pointee(pointer)));
}

Registers Compiler::load_matrix_by_offset(const intrinsics::Arguments& a) {
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
    const Register row = make(Op::Add, kInt64, make(Op::Mul, kInt64, four, number(4)), number(i % 8 / 4 * 16 + i % 4));
    const Register at =
        make(Op::Add, kInt64, make(Op::Mul, kInt64, row, offset), make(Op::Add, kInt64, group, number(i / 8 * 8)));
    const Register to = element_of(a["local_ptr"], make(Op::Add, kInt64, local, number(i)));
    emit({Op::Copy, kVoid, 0, to, element_of(a["smem_ptr"], at), 1});
  }
  return {constant_register(0)};
}

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

}  // namespace tilewright::simulate
