// Calls of CUDA source that is the author's own: straight-line PTX as register code, or a result that is not known.
#include <map>
#include <optional>

#include "compiler/intrinsics/signature.h"
#include "compiler/simulate/machine/compile.h"
#include "compiler/simulate/machine/foreign.h"

namespace tilewright::simulate {

using namespace ir;

namespace {

// The type of the last part of an instruction's name: "b32", "s64", "f32".
std::optional<DataType> ptx_type(const std::string& name) {
  if (name == "b32" || name == "u32") return kUInt32;
  if (name == "b64" || name == "u64") return kUInt64;
  if (name == "s32") return kInt32;
  if (name == "s64") return kInt64;
  if (name == "f32") return kFloat32;
  if (name == "f64") return kFloat64;
  return std::nullopt;
}

DataType unsigned_of(DataType d) { return d.bits == 64 ? kUInt64 : kUInt32; }

bool fits(char constraint, DataType d) {
  if (d.is_vector() || d.is_handle()) return false;
  if (constraint == 'f') return d == kFloat32;
  if (constraint == 'd') return d == kFloat64;
  return d.is_integral() && d.bits <= (constraint == 'l' ? 64 : 32);
}

}  // namespace

// Registers of PTX hold bits: those of the type without a sign, or of the float.
class PtxCompiler {
 public:
  PtxCompiler(Compiler& c, const PtxFunction& f) : c_(c), f_(f) {}

  std::optional<Register> compile(std::span<const Expr> args, DataType result) {
    if (args.size() != f_.params.size()) return std::nullopt;
    char kind = 0;
    for (const PtxFunction::Block& b : f_.blocks) {
      for (const PtxFunction::Operand& in : b.ins)
        for (std::size_t i = 0; i < args.size(); ++i)
          if (f_.params[i] == in.value && !fits(in.kind, args[i].dtype())) return std::nullopt;
      for (const PtxFunction::Operand& out : b.outs)
        if (out.value == f_.result) kind = out.kind;
    }
    if (kind == 0 || kind == 'h' || !fits(kind, result)) return std::nullopt;
    for (std::size_t i = 0; i < args.size(); ++i) {
      const DataType d = args[i].dtype();
      const Register value = c_.scalar(args[i]);
      variables_[f_.params[i]] = d.is_floating() ? value : c_.make(Op::Normalise, unsigned_of(d), value);
    }
    for (const PtxFunction::Block& b : f_.blocks)
      if (!block(b)) return std::nullopt;
    const Register out = variables_.at(f_.result);
    return result.is_floating() ? out : c_.make(Op::Normalise, result, out);
  }

 private:
  bool block(const PtxFunction::Block& b) {
    registers_.clear();
    for (std::size_t i = 0; i < b.ins.size(); ++i) {
      std::optional<Register> value;
      if (auto known = variables_.find(b.ins[i].value); known != variables_.end()) {
        value = known->second;
      } else if (auto number = ptx_number(b.ins[i].value)) {
        value = c_.constant_register(b.ins[i].kind == 'l' ? *number : *number & 0xffffffff);
      }
      if (!value) return false;
      registers_["%" + std::to_string(b.outs.size() + i)] = *value;
    }
    for (const PtxFunction::Line& line : b.lines) {
      if (line.operands.empty()) return false;
      const auto value = compute(line);
      if (!value) return false;
      registers_[line.operands[0]] = *value;
    }
    for (std::size_t i = 0; i < b.outs.size(); ++i) {
      auto made = registers_.find("%" + std::to_string(i));
      if (made == registers_.end()) return false;
      variables_[b.outs[i].value] = made->second;
    }
    return true;
  }

  std::optional<Register> operand(const PtxFunction::Line& line, std::size_t i, DataType d) {
    if (i >= line.operands.size()) return std::nullopt;
    if (auto known = registers_.find(line.operands[i]); known != registers_.end()) return known->second;
    if (auto number = ptx_number(line.operands[i]))
      return c_.constant_register(d.bits == 64 ? *number : *number & 0xffffffff);
    return std::nullopt;
  }

  std::optional<Register> compute(const PtxFunction::Line& line) {
    const auto& op = line.op;
    if (op.size() < 2) return std::nullopt;
    const std::optional<DataType> d = ptx_type(op.back());
    const std::string middle = op.size() == 3 ? op[1] : "";
    if (!d || op.size() > 3) return std::nullopt;
    const auto a = operand(line, 1, *d);
    if (!a) return std::nullopt;
    if (op[0] == "mov" && middle.empty() && line.operands.size() == 2) return a;
    if (d->is_floating()) return *d == kFloat32 ? floating(line, op[0], middle, *a) : std::nullopt;
    if (op[0] == "not" && middle.empty()) return whole(*d, Op::BitXor, *a, c_.constant_register(~std::uint64_t{0}));
    if (op[0] == "neg" && middle.empty()) return whole(*d, Op::Sub, c_.constant_register(0), *a);
    const auto b = operand(line, 2, *d);
    if (!b) return std::nullopt;
    if (op[0] == "shl" || op[0] == "shr") return shift(line, *d, op[0] == "shl", *a);
    if ((op[0] == "mul" || op[0] == "mad") && middle == "lo") {
      const Register product = whole(*d, Op::Mul, *a, *b);
      if (op[0] == "mul") return product;
      const auto c = operand(line, 3, *d);
      return c ? std::optional(whole(*d, Op::Add, product, *c)) : std::nullopt;
    }
    if (!middle.empty() || line.operands.size() != 3) return std::nullopt;
    if (op[0] == "add") return whole(*d, Op::Add, *a, *b);
    if (op[0] == "sub") return whole(*d, Op::Sub, *a, *b);
    if (op[0] == "and") return whole(*d, Op::BitAnd, *a, *b);
    if (op[0] == "or") return whole(*d, Op::BitOr, *a, *b);
    if (op[0] == "xor") return whole(*d, Op::BitXor, *a, *b);
    return std::nullopt;
  }

  Register whole(DataType d, Op op, Register a, Register b) {
    return c_.make(Op::Normalise, unsigned_of(d), c_.make(op, unsigned_of(d), a, b));
  }

  // By a number; by more than the width PTX has rules of its own.
  std::optional<Register> shift(const PtxFunction::Line& line, DataType d, bool left, Register a) {
    const auto by = ptx_number(line.operands[2]);
    if (!by || *by >= static_cast<std::uint64_t>(d.bits)) return std::nullopt;
    const Register amount = c_.constant_register(*by);
    if (left) return whole(d, Op::Shl, a, amount);
    if (d.is_uint()) return whole(d, Op::ShrU, a, amount);
    return c_.make(Op::Normalise, unsigned_of(d), c_.make(Op::Shr, d, c_.make(Op::Normalise, d, a), amount));
  }

  std::optional<Register> floating(const PtxFunction::Line& line, const std::string& name, const std::string& mode,
                                   Register a) {
    if (!mode.empty() && mode != "rn") return std::nullopt;
    const auto b = operand(line, 2, kFloat32);
    if (!b) return std::nullopt;
    if (name == "fma" && mode == "rn") {
      const auto c = operand(line, 3, kFloat32);
      return c ? std::optional(c_.make(Op::FmaF, kFloat32, a, *b, *c)) : std::nullopt;
    }
    if (line.operands.size() != 3) return std::nullopt;
    if (name == "add") return c_.make(Op::AddF, kFloat32, a, *b);
    if (name == "sub") return c_.make(Op::SubF, kFloat32, a, *b);
    if (name == "mul") return c_.make(Op::MulF, kFloat32, a, *b);
    return std::nullopt;
  }

  Compiler& c_;
  const PtxFunction& f_;
  std::map<std::string, Register> variables_, registers_;
};

Registers Compiler::foreign(const intrinsics::Intrinsic& row, const Call* e) {
  const intrinsics::Arguments a(row, e->args);
  const auto args = a.items("args");
  const std::string source = a.text("source_code");
  auto is_scalar = [](DataType d) { return !d.is_vector() && (d.is_integral() || d.is_floating() || d.is_bool()); };
  const bool scalars =
      is_scalar(e->dtype) && std::ranges::all_of(args, [&](Expr arg) { return is_scalar(arg.dtype()); });
  if (!scalars) return unmodelled(e);
  if (const auto function = ptx_function(source, a.text("func_name")))
    if (auto result = PtxCompiler(*this, *function).compile(args, e->dtype)) return {*result};
  if (!is_function_of_scalars(source)) return unmodelled(e);
  for (Expr arg : args) scalar(arg);
  Site site;
  site.type = e->dtype;
  site.text = unmodelled_text(e);
  site.origin = origin_;
  program_.sites.push_back(std::move(site));
  const Register out = temporary();
  emit({Op::Unknown, e->dtype, out, 0, static_cast<Register>(program_.sites.size() - 1)});
  return {out};
}

}  // namespace tilewright::simulate
