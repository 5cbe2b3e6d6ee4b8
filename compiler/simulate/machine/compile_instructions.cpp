// Instructions of release 0.27 (compiler/ptx): what a row of the table means is compiled as that row; what works on
// registers alone is computed by compiler/ptx; loads, stores, atomics and exchanges of lanes are written in terms of
// the calls that the table has.
#include "compiler/simulate/machine/compile_instructions.h"

#include <algorithm>

#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ptx/compute.h"
#include "compiler/ptx/operands.h"
#include "compiler/simulate/codes.h"
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

Step compute(Machine& m, Thread& t, const Site& s) {
  const auto& form = form_of<Computed>(s);
  std::vector<Bits> read;
  for (std::size_t i = 0; i < s.args.size(); ++i) read.push_back(to_bits(t.registers[s.args[i]], form.read[i]));
  const auto results = ptx::computed(form.instruction, read);
  if (!results) {
    m.finding(
        code::kRefused, Severity::Error,
        s.text +
            " has an operand that the instruction does not take: reserved bits are set, or a number is out of range",
        &t);
    return Step::Failed;
  }
  Machine::set_result(t, s, from_bits(static_cast<std::uint64_t>((*results)[form.which]), form.written));
  return Step::Done;
}

constexpr CallRow kComputed{.meaning = Meaning::None, .slots = "", .thread = compute, .carries = true};

// As a script writes it: "ptx.multimem.ld_reduce.add.u32".
std::string spoken(const ptx::Candidate& instruction) {
  std::string out = "ptx." + std::string(instruction.row->mnemonic);
  for (std::size_t i = 0; i < instruction.row->slots.size(); ++i) {
    const std::string_view token = instruction.row->token(instruction.filled, i);
    if (!token.empty()) out += "." + std::string(token);
  }
  return out;
}

// Scales of a row along K of one tcgen05.mma, where a word says it; 0: none does (PTX ISA, "tcgen05.mma", .scale_vec
// and .block_size).
int scales_along_k(const auto& in) {
  const std::string_view vector = in.word("scale_vec"), block = in.word("block_size");
  if (!vector.empty()) return vector[vector.size() - 2] - '0';
  if (block.empty()) return 0;
  return (in.word("kind") == "kind::mxf8f6f4" ? 32 : 64) / (block == "block16" ? 16 : 32);
}

// How many arguments are those of the row with the same meaning: all, where its last one takes the rest. Products of
// tensor memory take masks and tables as well, which the row lacks.
std::size_t own_arguments(const Form& form, const Call* e) {
  const auto operands = form.same->operands;
  const Meaning meaning = form.same->meaning;
  if (meaning == Meaning::TmemMma || meaning == Meaning::TmemMmaSparse || meaning == Meaning::TmemMmaBlockScale)
    return e->args.size();
  if (!operands.empty() && operands.back().kind == intrinsics::OperandKind::Variadic) return e->args.size();
  return static_cast<std::size_t>(intrinsics::Arguments(form, e->args).position(form.operands[operands.size()]));
}

}  // namespace

// Between registers and memory of a number of `from` and one of `to`: the bits are the same.
Register Compiler::same_bits(DataType from, DataType to, Register value) {
  return from == to ? value : make(Op::FromBits, to, make(Op::ToBits, from, value));
}

void Compiler::store_element(Expr to, Register value) { store_element(to, Registers{value}); }

void Compiler::store_element(Expr to, const Registers& values) {
  const Load* element = to.as<Load>();
  const DataType type = element->buffer->dtype;
  if (is_register(element->buffer)) {
    const Var* data = element->buffer->data;
    const Registers& own = scalars_.at(data);
    for (std::size_t i = 0; i < own.size(); ++i) emit({Op::Move, type, own[i], values[i]});
    if (!assigned_.contains(data)) emit({Op::Define, type, own[0]});
    assigned_.insert(data);
    return;
  }
  const int unit = words(type);
  Registers in = values;
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (in[i] == in[0] + i) continue;
    in = each(values, [&](Register) { return temporary(); });
    for (std::size_t k = 0; k < in.size(); ++k) emit({Op::Move, type, in[k], values[k]});
    break;
  }
  const Register index = element_index(element->indices[0], unit);
  emit({Op::Store, type, in[0], index, access(element->buffer), static_cast<Register>(unit)});
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
      Registers nothing;
      for (int w = 0; w < words(to.dtype()); ++w) {
        nothing.push_back(temporary());
        emit({Op::NoValue, bound.dtype, nothing.back(), 0, static_cast<Register>(program_.sites.size() - 1)});
      }
      store_element(to, nothing);
    }
  }
}

// Rows of the table that take registers by their address mean a call with other values as well: as one whose values
// stand in registers of their own. Null: the call is none.
Expr Compiler::with_own_registers(const intrinsics::WrittenForm& written) {
  const ptx::Resolved& resolved = written.resolved;
  if (resolved.instruction.row->same_row(resolved.instruction.filled).empty()) return {};
  std::vector<Expr> arguments = written.arguments;
  for (const ptx::Bound& bound : resolved.operands) {
    if (bound.operand->kind != ptx::OperandKind::Register || bound.operand->access != ptx::Access::Read) continue;
    for (int k = 0; k < bound.lanes; ++k) {
      Expr& value = arguments[bound.first + static_cast<std::size_t>(k)];
      if (!value || value.as<Load>() || value.dtype().bits > 64) continue;
      auto* own = Arena::current().make<Buffer>();
      own->name = "register";
      own->data = make_var("register", kHandle, VarRole::Data);
      own->dtype = value.dtype();
      const Expr one[] = {Expr(1)}, first[] = {Expr(0)};
      own->shape = Arena::current().copy(std::span<const Expr>(one));
      own->scope = StorageScope::Local;
      allocate(own);
      const Expr element = ir::load(own, first);
      store_element(element, scalar(value));
      value = element;
    }
  }
  return intrinsics::form_call(resolved, arguments, Expr());
}

Registers Compiler::unpredicated(const Form& form, const Call* e) {
  const Instruction27 in{form, e, intrinsics::written_form(form, e->args)};
  Registers done{constant_register(0)};
  if (move_memory(in) || move_wide(in) || vote(in) || exchange_lanes(in) || meet_barrier(in) || move_address(in))
    return done;
  for (const ptx::Bound& bound : in.written.resolved.operands)
    if (bound.dtype.bits > 64) return unmodelled(e, spoken(in.written.resolved.instruction));
  if (form.same) {
    // As a call of that row, whose result is stored.
    const DataType type = form.same->result ? form.same->result(e->args) : kVoid;
    const Expr same = ir::call(type, form, e->args.first(own_arguments(form, e)));
    const Registers out = of_row(form, same.as<Call>());
    if (in.arrives_anywhere()) program_.sites.back().own_window = false;
    if (const int vector = scales_along_k(in)) program_.sites.back().number = vector;
    if (in.id() == "mbarrier_init") program_.sites.back().flag = in.word("layout") == "layout::v1";
    if (form.result >= 0) {
      const intrinsics::Arguments a(form, e->args);
      const Expr to =
          e->args[static_cast<std::size_t>(a.position(form.operands[static_cast<std::size_t>(form.result)]))];
      if (!intrinsics::is_absent(to)) store_element(to, out[0]);
    }
    return done;
  }
  if (count_barrier(in) || wait_with_report(in) || ask_layout(in) || load_bytes(in) || copy_part(in) ||
      allocate_alone(in) || commit_reads(in) || compute_registers(in))
    return done;
  const Expr again = with_own_registers(in.written);
  const auto* call = again ? again.as<Call>() : nullptr;
  const Form* other = call ? intrinsics::form_of(*intrinsics::of(call->callee)) : nullptr;
  if (other && other->same) return unpredicated(*other, call);
  return unmodelled(e, spoken(in.written.resolved.instruction));
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
  if (!d || d->lanes != 1 || read.empty() || (in.form.row->family != "div" && read.size() != 1)) return false;
  if (in.form.row->family == "div" && read.size() == 2 && d->dtype == kFloat32) {
    store_element(in.operand("d"), make(Op::DivF, kFloat32, read[0], read[1]));
    return true;
  }
  const bool inverse = in.form.row->family == "rcp", root = in.form.row->family == "rsqrt";
  if (d->dtype == kFloat64 && (inverse || root)) {
    if (inverse && in.word("mode") != "approx" && in.word("mode") != "rn") return false;
    const auto row = std::ranges::find(math_rows(), std::string_view("sqrt"), &MathRow::name);
    const auto sqrt = static_cast<Register>(row - math_rows().begin());
    const Register below = inverse ? read[0] : make(Op::MathD, kFloat64, read[0], read[0], sqrt);
    store_element(in.operand("d"), make(Op::DivD, kFloat64, constant_register(float_bits(kFloat64, 1)), below));
    return true;
  }
  const std::string_view token = in.word("type");
  const bool halves = token.starts_with("f16") || token.starts_with("bf16");
  if (!halves && d->dtype != kFloat32) return false;
  for (const auto& [family, function] : kFunctions) {
    if (in.form.row->family != family) continue;
    std::span<const MathRow> rows = math_rows();
    const auto row = std::ranges::find(rows, function, &MathRow::name);
    if (row == rows.end()) continue;
    const auto number_of_row = static_cast<Register>(row - rows.begin());
    auto value = [&](Register x) { return make(Op::MathF, kFloat32, x, x, number_of_row); };
    if (!halves) {
      store_element(in.operand("d"), value(read[0]));
      return true;
    }
    // One or two halves of a register, each rounded.
    const DataType half = ptx_type(token.substr(0, token.find('x')));
    const DataType bits{TypeCode::UInt, static_cast<std::uint8_t>(token.contains('x') ? 32 : 16), 1};
    const Register all = same_bits(in.operand("value").dtype(), bits, read[0]);
    Register out = 0;
    for (int at = 0; at < bits.bits; at += 16) {
      const Register own = make(Op::BitAnd, kUInt32, make(Op::ShrU, kUInt32, all, number(at)), number(0xffff));
      const Register result = make(Op::ToBits, half, make(Op::Round, half, value(make(Op::FromBits, half, own))));
      out = at == 0 ? result : make(Op::BitOr, kUInt32, out, make(Op::Shl, kUInt32, result, number(16)));
    }
    store_element(in.operand("d"), same_bits(bits, in.operand("d").dtype(), out));
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
  if (in.begins("mapa_u")) {
    Site s = site_as(in, "P25");
    s.flag = id != "mapa_u64_raw";
    s.args = {scalar(in.operand("a")), scalar(in.operand("b"))};
    store_element(in.operand("d"), meet(std::move(s), d->dtype)[0]);
    return true;
  }
  if (in.begins("createpolicy")) {
    if (in.operand("cache_policy")) store_element(in.operand("cache_policy"), constant_register(0));
    return true;
  }
  if (id == "getctarank_generic") {
    Site s = site_as(in, "E34");
    s.args = {scalar(in.operand("a"))};
    store_element(in.operand("d"), meet(std::move(s), d->dtype)[0]);
    return true;
  }
  if (id == "fence" && !in.form.same) {  // .acquire and .release alone; the others are rows of the table
    meet(site_as(in, "P16"), kVoid);
    return true;
  }
  if (id == "isspacep") {
    Site s = site_as(in, "E34");
    s.call = &space_call();
    s.text = in.word("space");
    s.args = {scalar(in.operand("a"))};
    store_element(in.operand("p"), meet(std::move(s), kUInt32)[0]);
    return true;
  }
  // Transfers of a fabric: no script can spell an instruction that begins one, so that none is under way.
  if (in.begins("fabric_") || id == "fence_proxy_fabric") return true;
  // Hints: of caches for lines, blocks and boxes.
  return in.begins("prefetch") || in.begins("applypriority") || (in.begins("cp_async_bulk") && id.contains("prefetch"));
}

}  // namespace tilewright::simulate
