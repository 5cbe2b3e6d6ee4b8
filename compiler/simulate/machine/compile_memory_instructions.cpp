// Instructions of 0.27 on memory: loads, stores, atomics, values of 128 bits, copies of a part.
#include <utility>

#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/say.h"
#include "compiler/simulate/machine/compile_instructions.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {

using namespace ir;

namespace {

// The type of a value in memory that a register of `carrier` holds: narrower than it where the instruction says so.
DataType type_in_memory(std::string_view token, DataType carrier) {
  int bits = 0;
  for (char c : token)
    if (c >= '0' && c <= '9') bits = bits * 10 + (c - '0');
  if (bits == 0 || bits == carrier.bits) return carrier;
  return {token.starts_with('s') ? TypeCode::Int : TypeCode::UInt, static_cast<std::uint8_t>(bits), 1};
}

// What the register is called that an instruction stores or combines.
std::string_view stored_operand(const auto& in) {
  return (in.begins("multimem_") && in.id() != "multimem_red_async") || in.id() == "st_async_release" ? "b" : "value";
}

// Asynchronous stores and additions with release, which no barrier counts (PTX ISA, "st.async", "red.async"): at once,
// which is one of the moments at which they may happen.
bool is_released(const auto& in) {
  return in.id() == "st_async_release" || in.id() == "red_async_release" || in.id() == "multimem_st_async" ||
         in.id() == "multimem_red_async";
}

}  // namespace

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
  // The machine has one GPU, so that an address of multimem stands for one replica: a sum over all is its value.
  const bool multimem = in.begins("multimem_") && (!in.id().contains("async") || is_released(in));
  const bool load = in.begins("ld_") || in.begins("ldu") || in.id() == "ld" || in.begins("multimem_ld");
  const bool store =
      in.id() == "st" || in.begins("st_vec") || in.id() == "st_async_release" || (multimem && in.begins("multimem_st"));
  const bool atomic = in.form.row->family == "atom" || in.form.row->family == "red" || in.id() == "red_async_release" ||
                      (multimem && in.begins("multimem_red"));
  if ((!load && !store && !atomic) || in.word("type") == "b128") return false;
  const Register at = scalar(in.operand("addr"));
  if (atomic) return move_atomically(in, at);
  const std::string_view stored = stored_operand(in);
  const ptx::Bound* value = in.bound(load ? "d" : stored);
  const DataType type = multimem ? value->dtype : type_in_memory(in.word("type"), value->dtype);
  if (type.bits < 8) return false;
  if (store) {
    Site s = site_as(in, "P57");
    s.type = type;
    s.args = {at};
    for (int k = 0; k < value->lanes; ++k) {
      const Expr e = in.operand(stored, k);
      if (!e) return false;  // a lane that is not written
      s.items.push_back(scalar(e));
    }
    meet(std::move(s), kVoid);
    return true;
  }
  std::vector<std::pair<Expr, Register>> results;
  for (int k = 0; k < value->lanes; ++k) {
    Site s = site_as(in, "P54");
    s.type = type;
    s.args = {k == 0 ? at : make(Op::PointerAdd, kHandle, at, number(k), static_cast<Register>(type.bits / 8))};
    const Expr to = in.operand("d", k);
    const Register old = meet(std::move(s), to ? value->dtype : kVoid)[0];
    if (to) results.emplace_back(to, old);
  }
  for (const auto& [to, old] : results) store_element(to, old);
  return true;
}

// atom and red. Numbers are those that the words say, whatever registers carry them; of packed ones each is combined by
// itself (PTX ISA, "atom").
bool Compiler::move_atomically(const Instruction27& in, Register at) {
  const bool swap = in.begins("atom_cas");
  std::string op(in.word("op"));
  if (op.empty()) op = in.begins("atom_exch") ? "exch" : "add";
  if (!swap && !combine_named(op)) return false;
  const std::string_view token = in.word("type").empty() ? "f32" : in.word("type");
  const std::size_t lanes_at = token.find('x');
  const bool packed = lanes_at != token.npos;
  const DataType type = ptx_type(token.substr(0, lanes_at));
  if (type.bits < 16) return false;
  const int bytes = type.bits / 8 * (packed ? 2 : 1);
  const DataType in_register = packed ? kUInt32 : type;
  const std::string_view stored = stored_operand(in);
  const ptx::Bound* value = in.bound(stored);
  std::vector<std::pair<Expr, Register>> results;
  for (int k = 0; k < value->lanes; ++k) {
    Site s = site_as(in, swap ? "C34" : "P60");
    if (packed) s.call = &packed_atomic_call();
    s.type = type;
    s.count = packed ? 2 : 0;
    s.args = {k == 0 ? at : make(Op::PointerAdd, kHandle, at, number(k), static_cast<Register>(bytes))};
    auto given = [&](std::string_view name) {
      const Expr e = in.operand(name, k);
      s.args.push_back(same_bits(e.dtype(), in_register, scalar(e)));
    };
    if (swap) given("compare");
    given(stored);
    if (!swap) s.code = static_cast<int>(*combine_named(op));
    const Expr to = in.operand("d", k);
    const Register old = meet(std::move(s), to ? in_register : kVoid)[0];
    if (to) results.emplace_back(to, same_bits(in_register, to.dtype(), old));
  }
  for (const auto& [to, old] : results) store_element(to, old);
  return true;
}

// Loads, stores and exchanges of 128 bits, and their parts. False: it is none of them.
bool Compiler::move_wide(const Instruction27& in) {
  const std::string_view id = in.id();
  auto parts = [&](Registers all, DataType each_type) {  // registers of 32 bits become two of 64
    if (each_type.bits == 64) return all;
    auto pair = [&](std::size_t low) {
      return make(Op::BitOr, kUInt64, same_bits(each_type, kUInt32, all[low]),
                  make(Op::Shl, kUInt64, same_bits(each_type, kUInt32, all[low + 1]), number(32)));
    };
    return Registers{pair(0), pair(2)};
  };
  if (id.starts_with("mov_pack_") && in.bound("d")->dtype.bits > 64) {
    const ptx::Bound* from = in.bound("a");
    Registers all;
    for (int k = 0; k < from->lanes; ++k) all.push_back(scalar(in.operand("a", k)));
    store_element(in.operand("d"), parts(std::move(all), from->dtype));
    return true;
  }
  if (id.starts_with("mov_unpack_") && in.bound("a")->dtype.bits > 64) {
    const ptx::Bound* to = in.bound("d");
    const Registers from = values(in.operand("a"));
    std::vector<Registers> out;
    for (int k = 0; k < to->lanes; ++k) {
      const auto bit = static_cast<std::size_t>(k) * to->dtype.bits;
      const Register half = from[bit / 64];
      out.push_back({same_bits(to->dtype.bits == 64 ? kUInt64 : kUInt32, to->dtype,
                               bit % 64 ? make(Op::ShrU, kUInt64, half, number(32)) : half)});
    }
    for (int k = 0; k < to->lanes; ++k)
      if (const Expr e = in.operand("d", k)) store_element(e, out[static_cast<std::size_t>(k)]);
    return true;
  }
  if (in.begins("clusterlaunchcontrol_query")) {
    read_answer(in);
    return true;
  }
  if (in.word("type") != "b128") return false;
  if (id == "st_async") {
    Site s = site_as(in, "E24");
    s.type = kUInt64;
    s.args = {scalar(in.operand("addr")), scalar(in.operand("mbar"))};
    s.items = values(in.operand("b"));
    meet(std::move(s), kVoid);
    return true;
  }
  const bool load = id == "ld" || id == "ldu", store = id == "st", swap = in.begins("atom_cas");
  if (!load && !store && !swap && !in.begins("atom_exch")) return false;
  Site s = site_as(in, load ? "P54" : store ? "P57" : "P60");
  s.call = load ? &wide_load_call() : store ? &wide_store_call() : swap ? &wide_swap_call() : &wide_exchange_call();
  s.type = kUInt64;
  s.args = {scalar(in.operand("addr"))};
  for (std::string_view name : {"compare", "value"}) {
    if (!in.bound(name)) continue;
    for (Register r : values(in.operand(name))) s.args.push_back(r);
  }
  const Expr to = in.operand("d");
  const Register high = to ? temporary() : Access::kNoRegister;
  s.high = high;
  const Register low = meet(std::move(s), to ? kUInt64 : kVoid)[0];
  if (to) store_element(to, {low, high});
  return true;
}

// What a request to take over a cluster has answered: whether there is one, then the coordinates of its first CTA,
// which are undefined where there is none (PTX ISA, "clusterlaunchcontrol.query_cancel").
void Compiler::read_answer(const Instruction27& in) {
  const Registers answer = values(in.operand("response"));
  const Register holds = make(Op::BitAnd, kUInt32, answer[0], number(1));
  if (in.bound("p")) return store_element(in.operand("p"), holds);
  Site site;
  site.text =
      "the first CTA of a cluster that was not taken over is asked for: T.ptx.clusterlaunchcontrol with "
      "is_canceled says whether there is one";
  site.origin = origin_;
  program_.sites.push_back(std::move(site));
  const Register nothing = temporary();
  emit({Op::NoValue, kUInt32, nothing, 0, static_cast<Register>(program_.sites.size() - 1)});
  const Register low = number(0xffffffff);
  const Register coordinates[] = {make(Op::ShrU, kUInt64, answer[0], number(32)),
                                  make(Op::BitAnd, kUInt64, answer[1], low),
                                  make(Op::ShrU, kUInt64, answer[1], number(32)), constant_register(0)};
  const std::string_view which = in.word("query");
  const int first = which.ends_with('y') ? 1 : which.ends_with('z') ? 2 : 0;
  for (int k = 0; k < in.bound("d")->lanes; ++k)
    if (const Expr to = in.operand("d", k))
      store_element(to, make(Op::Select, kUInt32, holds, coordinates[first + k], nothing));
}

// cp.async of fewer bytes than it writes: the others become zero (PTX ISA, "cp.async", src-size).
bool Compiler::copy_part(const Instruction27& in) {
  if (in.id() == "discard") {
    Site s = site_as(in, "P57");
    s.call = &discard_call();
    s.args = {scalar(in.operand("addr"))};
    meet(std::move(s), kVoid);
    return true;
  }
  if (in.id() != "cp_async_ca_src_size" && in.id() != "cp_async_cg_src_size") return false;
  Site s = site_as(in, "P29");
  s.number = 1;
  s.args = {scalar(in.operand("dst_mem")), scalar(in.operand("src_mem")), scalar(in.operand("cp_size"))};
  s.args.resize(7, Access::kNoRegister);
  s.args.push_back(scalar(in.operand("src_size")));
  meet(std::move(s), kVoid);
  return true;
}

}  // namespace tilewright::simulate
