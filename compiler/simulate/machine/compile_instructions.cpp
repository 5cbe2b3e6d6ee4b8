// Instructions of release 0.27 (compiler/ptx): what a row of the table means is compiled as that row; what works on
// registers alone is computed by compiler/ptx; loads, stores, atomics and exchanges of lanes are written in terms of
// the calls that the table has.
#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ptx/compute.h"
#include "compiler/ptx/operands.h"
#include "compiler/simulate/machine/compile.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {

using namespace ir;
using intrinsics::Form;
using intrinsics::Meaning;

namespace {

using ptx::Bits;

// One register that an instruction computes of others.
struct Computed : CallForm {
  ptx::Candidate instruction;
  std::vector<DataType> read;
  DataType written;
  std::size_t which = 0;
};

Step compute(Machine&, Thread& t, const Site& s) {
  const auto& form = form_of<Computed>(s);
  std::vector<Bits> read;
  for (std::size_t i = 0; i < s.args.size(); ++i) read.push_back(to_bits(t.registers[s.args[i]], form.read[i]));
  const auto results = ptx::computed(form.instruction, read);
  Machine::set_result(t, s, results ? from_bits(static_cast<std::uint64_t>((*results)[form.which]), form.written) : 0);
  return Step::Done;
}

constexpr CallRow kComputed{.meaning = Meaning::None, .slots = "", .thread = compute, .carries = true};

bool begins(const Form& form, std::string_view with) { return form.row->id.starts_with(with); }

// The type of a value in memory that a register of `carrier` holds: narrower than it where the instruction says so.
DataType type_in_memory(std::string_view token, DataType carrier) {
  int bits = 0;
  for (char c : token)
    if (c >= '0' && c <= '9') bits = bits * 10 + (c - '0');
  if (bits == 0 || bits == carrier.bits) return carrier;
  return {token.starts_with('s') ? TypeCode::Int : TypeCode::UInt, static_cast<std::uint8_t>(bits), 1};
}

// How many arguments are those of the row with the same meaning: all, where its last one takes the rest.
std::size_t own_arguments(const Form& form, const Call* e) {
  const auto operands = form.same->operands;
  if (!operands.empty() && operands.back().kind == intrinsics::OperandKind::Variadic) return e->args.size();
  return static_cast<std::size_t>(intrinsics::Arguments(form, e->args).position(form.operands[operands.size()]));
}

}  // namespace

// A call of a form, as far as its compilation needs it.
struct Compiler::Instruction27 {
  const Form& form;
  const Call* call;
  intrinsics::WrittenForm written;

  std::string_view word(std::string_view slot) const {
    const auto at = form.row->slot_named(slot);
    return at ? form.row->token(written.resolved.instruction.filled, *at) : std::string_view();
  }
  const ptx::Bound* bound(std::string_view name) const {
    for (const ptx::Bound& b : written.resolved.operands)
      if (b.operand->name == name) return &b;
    return nullptr;
  }
  Expr operand(std::string_view name, int lane = 0) const {
    const ptx::Bound* b = bound(name);
    return b && lane < b->lanes ? written.arguments[b->first + static_cast<std::size_t>(lane)] : Expr();
  }
};

void Compiler::store_element(Expr to, Register value) {
  const Load* element = to.as<Load>();
  if (is_register(element->buffer)) {
    const Var* data = element->buffer->data;
    emit({Op::Move, element->buffer->dtype, scalars_.at(data)[0], value});
    if (!assigned_.contains(data)) emit({Op::Define, element->buffer->dtype, scalars_.at(data)[0]});
    assigned_.insert(data);
    return;
  }
  const int unit = element->buffer->dtype.lanes;
  emit(
      {Op::Store, element->buffer->dtype, value, element_index(element->indices[0], unit), access(element->buffer), 1});
}

Registers Compiler::instruction(const Form& form, const Call* e) {
  const intrinsics::Arguments a(form, e->args);
  const Expr pred = e->args[static_cast<std::size_t>(a.position(form.operands[form.pred]))];
  if (intrinsics::is_absent(pred)) return unpredicated(form, e);
  const std::size_t no = emit({Op::JumpUnless, kBool, 0, scalar(pred)});
  const std::unordered_set<const Var*> before = assigned_;
  unpredicated(form, e);
  const std::unordered_set<const Var*> after = std::exchange(assigned_, before);
  const std::size_t done = emit({Op::Jump, kVoid});
  land(no);
  not_executed(form, e);
  std::erase_if(assigned_, [&](const Var* v) { return !after.contains(v); });
  land(done);
  return {constant_register(0)};
}

// PTX executes nothing then (4.5.2, "Predicated execution"), and the helper in CUDA text hands back a register that
// nothing has written, but with preserve_dst.
void Compiler::not_executed(const Form& form, const Call* e) {
  const intrinsics::WrittenForm written = intrinsics::written_form(form, e->args);
  if (written.resolved.preserve_dst) return;
  for (const ptx::Bound& bound : written.resolved.operands) {
    if (bound.operand->access != ptx::Access::Write || bound.operand->kind != ptx::OperandKind::Register) continue;
    for (int k = 0; k < bound.lanes; ++k) {
      const Expr to = written.arguments[bound.first + static_cast<std::size_t>(k)];
      if (!to) continue;  // a sink
      Site site;
      site.text = ir::to_string(to) + " has no value after " + intrinsics::say(form, kernel_.kernel->dialect) +
                  " where pred= is false: nothing is written then, and preserve_dst=True keeps the old value";
      site.origin = origin_;
      program_.sites.push_back(std::move(site));
      const Register nothing = temporary();
      emit({Op::NoValue, bound.dtype, nothing, 0, static_cast<Register>(program_.sites.size() - 1)});
      store_element(to, nothing);
    }
  }
}

Registers Compiler::unpredicated(const Form& form, const Call* e) {
  const Instruction27 in{form, e, intrinsics::written_form(form, e->args)};
  const Registers done{constant_register(0)};
  for (const ptx::Bound& bound : in.written.resolved.operands)
    if (bound.dtype.bits > 64) return unmodelled(e);
  if (move_memory(in) || vote(in) || exchange_lanes(in) || move_address(in)) return done;
  if (form.same) {
    // As a call of that row, whose result is stored.
    const DataType type = form.same->result ? form.same->result(e->args) : kVoid;
    const Expr same = ir::call(type, form, e->args.first(own_arguments(form, e)));
    const Registers out = of_row(form, same.as<Call>());
    if (form.result >= 0) {
      const intrinsics::Arguments a(form, e->args);
      const Expr to =
          e->args[static_cast<std::size_t>(a.position(form.operands[static_cast<std::size_t>(form.result)]))];
      if (!intrinsics::is_absent(to)) store_element(to, out[0]);
    }
    return done;
  }
  return compute_registers(in) ? done : unmodelled(e);
}

bool Compiler::compute_registers(const Instruction27& in) {
  const ptx::Resolved& resolved = in.written.resolved;
  std::vector<Register> read;
  std::vector<DataType> types;
  std::vector<std::pair<Expr, DataType>> written;
  for (const ptx::Bound& bound : resolved.operands) {
    for (int k = 0; k < bound.lanes; ++k) {
      const Expr e = in.written.arguments[bound.first + static_cast<std::size_t>(k)];
      if (bound.operand->access == ptx::Access::Write) {
        written.emplace_back(e, bound.dtype);
      } else {
        read.push_back(scalar(e));
        types.push_back(e.dtype());
      }
    }
  }
  const auto results = ptx::computed(resolved.instruction, std::vector<Bits>(read.size()));
  if (!results) return approximate(in, read);
  if (results->size() != written.size()) return false;
  std::vector<std::pair<Expr, Register>> values;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!written[i].first) continue;  // a sink
    auto form = std::make_shared<Computed>();
    form->instruction = resolved.instruction;
    form->read = types;
    form->written = written[i].second;
    form->which = i;
    Site s;
    s.kind = Site::Kind::Call;
    s.call = &kComputed;
    s.type = written[i].second;
    s.args = read;
    s.form = std::move(form);
    s.text = intrinsics::say(in.form, kernel_.kernel->dialect).substr(2);
    values.emplace_back(written[i].first, meet(std::move(s), written[i].second)[0]);
  }
  // When all are known: an instruction may read what it writes.
  for (const auto& [to, value] : values) store_element(to, value);
  return true;
}

// Approximations, whose bits PTX leaves open: as functions of the C library.
bool Compiler::approximate(const Instruction27& in, const std::vector<Register>& read) {
  static constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {
      {"ex2", "exp2"},  {"lg2", "log2"},  {"sin", "sin"},     {"cos", "cos"},
      {"tanh", "tanh"}, {"sqrt", "sqrt"}, {"rsqrt", "rsqrt"}, {"rcp", "rcp.approx.ftz"},
  };
  const ptx::Bound* d = in.bound("d");
  if (!d || d->lanes != 1 || d->dtype != kFloat32 || read.empty()) return false;
  if (in.form.row->family == "div" && read.size() == 2) {
    store_element(in.operand("d"), make(Op::DivF, kFloat32, read[0], read[1]));
    return true;
  }
  for (const auto& [family, function] : kFunctions) {
    if (in.form.row->family != family || read.size() != 1) continue;
    std::span<const MathRow> rows = math_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].name != function) continue;
      store_element(in.operand("d"), make(Op::MathF, kFloat32, read[0], read[0], static_cast<Register>(i)));
      return true;
    }
  }
  return false;
}

Site Compiler::site_as(const Instruction27& in, std::string_view id) {
  Site s;
  s.kind = Site::Kind::Call;
  s.call = call_of(*intrinsics::row_of_id(id));
  s.text = intrinsics::say(in.form, kernel_.kernel->dialect).substr(2);
  for (const intrinsics::CallEffect& effect : intrinsics::effects_of(in.form, in.call->args)) {
    if (effect.semantics == intrinsics::Semantics::Weak) continue;
    s.semantics = effect.semantics;
    s.scope = effect.scope;
    break;
  }
  const std::string_view space = in.word("space");
  s.own_window = space == "shared" || space == "shared::cta";
  return s;
}

// Loads, stores and atomics. False: it is none of them.
bool Compiler::move_memory(const Instruction27& in) {
  const bool load = begins(in.form, "ld_") || begins(in.form, "ldu") || in.form.row->id == "ld";
  const bool store = in.form.row->id == "st" || begins(in.form, "st_vec");
  const bool atom = in.form.row->family == "atom", red = in.form.row->family == "red";
  if (!load && !store && !atom && !red) return false;
  const ptx::Bound* value = in.bound(load ? "d" : "value");
  const DataType type = type_in_memory(in.word("type").empty() ? "f32" : in.word("type"), value->dtype);
  const bool packed = in.word("type").contains('x');
  if (type.bits < 8 || (packed && !load && !store)) return false;
  const Register at = scalar(in.operand("addr"));
  auto address = [&](int lane) {
    return lane == 0 ? at : make(Op::PointerAdd, kHandle, at, number(lane), static_cast<Register>(type.bits / 8));
  };
  std::vector<std::pair<Expr, Register>> results;
  if (store) {
    Site s = site_as(in, "P57");
    s.type = type;
    s.args = {at};
    for (int k = 0; k < value->lanes; ++k) {
      const Expr e = in.operand("value", k);
      if (!e) return false;  // a lane that is not written
      s.items.push_back(scalar(e));
    }
    meet(std::move(s), kVoid);
    return true;
  }
  const bool swap = begins(in.form, "atom_cas");
  std::string op(in.word("op"));
  if (op.empty()) op = begins(in.form, "atom_exch") ? "exch" : "add";
  if (!load && !swap && !combine_named(op)) return false;
  for (int k = 0; k < value->lanes; ++k) {
    Site s = site_as(in, load ? "P54" : swap ? "C34" : "P60");
    s.type = type;
    s.args = {address(k)};
    if (swap) s.args.push_back(scalar(in.operand("compare", k)));
    if (!load) s.args.push_back(scalar(in.operand("value", k)));
    if (!load && !swap) s.code = static_cast<int>(*combine_named(op));
    const Expr to = in.operand("d", k);
    const Register old = meet(std::move(s), to ? value->dtype : kVoid)[0];
    if (to) results.emplace_back(to, old);
  }
  for (const auto& [to, old] : results) store_element(to, old);
  return true;
}

// Which lanes a predicate holds in: in any, in all, in all or none, or their mask. False: it is no vote.
bool Compiler::vote(const Instruction27& in) {
  const std::string_view id = in.form.row->id;
  if (id != "vote_sync" && id != "vote_sync_ballot") return false;
  const Register zero = constant_register(0);
  const Register mask = scalar(in.operand("membermask"));
  const Register holds = make(Op::NotEqual, kBool, scalar(in.operand("a")), zero);
  auto asked = [&](Site::Kind kind, Register of) {
    Site s;
    s.kind = kind;
    s.type = kUInt32;
    s.args = {mask, of};
    return meet(std::move(s), kUInt32)[0];
  };
  if (id == "vote_sync_ballot") {
    store_element(in.operand("d"), asked(Site::Kind::Ballot, holds));
    return true;
  }
  const std::string_view mode = in.word("mode");
  Register out = asked(Site::Kind::Any, holds);
  if (mode != "any") {
    const Register none = make(Op::Equal, kBool, out, zero);
    const Register all = make(Op::Equal, kBool, asked(Site::Kind::Any, make(Op::Not, kBool, holds)), zero);
    out = mode == "all" ? all : make(Op::BitOr, kUInt32, all, none);
  }
  store_element(in.operand("d"), make(Op::NotEqual, kBool, out, zero));
  return true;
}

// Values that lanes exchange, and barriers without a number of threads.
bool Compiler::exchange_lanes(const Instruction27& in) {
  const std::string_view id = in.form.row->id;
  auto lanes = [&](Site::Kind kind, DataType type, std::vector<Register> args) {
    Site s;
    s.kind = kind;
    s.type = type;
    s.args = std::move(args);
    return s;
  };
  auto operand = [&](std::string_view name) { return scalar(in.operand(name)); };
  if (id == "shfl_sync") {
    const std::int64_t* clamp = constant(in.operand("c"));
    if (!clamp) return false;
    const std::string_view mode = in.word("mode");
    const auto kind = mode == "idx"    ? Site::Kind::ShuffleIndex
                      : mode == "up"   ? Site::Kind::ShuffleUp
                      : mode == "down" ? Site::Kind::ShuffleDown
                                       : Site::Kind::ShuffleXor;
    const std::int64_t width = 32 - (*clamp >> 8 & 31);
    if ((*clamp & 31) != (mode == "up" ? 0 : 31) || (width & (width - 1)) != 0) return false;
    const DataType type = in.bound("d")->dtype;
    const Register from = operand("a");
    Site s = lanes(kind, type, {operand("membermask"), from, operand("b"), number(width)});
    store_element(in.operand("d"), meet(std::move(s), type)[0]);
    return true;
  }
  if (id == "elect_sync") {
    const Register mask = operand("membermask");
    const Register chosen = meet(lanes(Site::Kind::Elect, kUInt32, {mask}), kUInt32)[0];
    if (in.operand("d")) {
      const Register all = meet(lanes(Site::Kind::Ballot, kUInt32, {mask, chosen}), kUInt32)[0];
      const Register lane = make(Op::Sub, kInt32, make(Op::FirstBit, kUInt32, all), constant_register(1));
      store_element(in.operand("d"), lane);
    }
    if (in.operand("p")) store_element(in.operand("p"), chosen);
    return true;
  }
  if (id == "redux_sync" || id == "redux_sync_bitwise") {
    const DataType type = in.bound("d")->dtype;
    Site s = lanes(Site::Kind::ReduceSync, type, {operand("membermask"), operand("a")});
    s.text = in.word("op");
    store_element(in.operand("d"), meet(std::move(s), type)[0]);
    return true;
  }
  if (id == "activemask") {
    store_element(in.operand("d"), meet(lanes(Site::Kind::ActiveMask, kUInt32, {}), kUInt32)[0]);
    return true;
  }
  if (id == "bar_warp_sync") {
    meet(lanes(Site::Kind::WarpSync, kVoid, {}), kVoid);
    return true;
  }
  if ((id == "bar_sync" || id == "barrier_sync") && is_constant(in.operand("a"), 0)) {
    meet(lanes(Site::Kind::CtaSync, kVoid, {}), kVoid);
    return true;
  }
  return false;
}

// Addresses in state spaces, and hints that move no value.
bool Compiler::move_address(const Instruction27& in) {
  const std::string_view id = in.form.row->id;
  const ptx::Bound* d = in.bound("d");
  if (id == "cvta" || id == "cvta_generic") {
    const Register at = scalar(in.operand(id == "cvta" ? "ptr" : "a"));
    const bool window = id == "cvta" && in.word("space").starts_with("shared");
    Site s = site_as(in, "C35");
    s.args = {at};
    s.own_window = false;
    store_element(in.operand("d"), window ? meet(std::move(s), d->dtype)[0] : at);
    return true;
  }
  if (begins(in.form, "mapa_u")) {
    Site s = site_as(in, "P25");
    s.flag = id != "mapa_u64_raw";
    s.args = {scalar(in.operand("a")), scalar(in.operand("b"))};
    store_element(in.operand("d"), meet(std::move(s), d->dtype)[0]);
    return true;
  }
  if (begins(in.form, "createpolicy")) {
    if (in.operand("cache_policy")) store_element(in.operand("cache_policy"), constant_register(0));
    return true;
  }
  return begins(in.form, "prefetch") || id == "applypriority";
}

}  // namespace tilewright::simulate
