#include "compiler/ptx/helper.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "compiler/ptx/operands.h"

namespace tilewright::ptx {
namespace {

// How a dtype enters an asm statement: the type of the parameter, the letter of its constraint, and, where C++ binds
// another type, that one with the functions that reinterpret the bits.
struct Binding {
  std::string_view type;
  char letter = 'r';
  std::string_view bound;
  std::string_view to;
  std::string_view from;
  std::string_view suffix;
};

Binding binding_of(expr::DataType dtype) {
  bool is_signed = dtype.is_int();
  if (dtype == expr::kFloat16) return {"__half", 'h', "uint16_t", "__half_as_ushort", "__ushort_as_half", "f16"};
  if (dtype == expr::kBFloat16)
    return {"__nv_bfloat16", 'h', "uint16_t", "__bfloat16_as_ushort", "__ushort_as_bfloat16", "bf16"};
  if (dtype == expr::kFloat32) return {"float", 'f', {}, {}, {}, "f32"};
  if (dtype == expr::kFloat64) return {"double", 'd', {}, {}, {}, "f64"};
  switch (dtype.bits) {
    case 8:
      if (is_signed) return {"int8_t", 'h', "int16_t", "(int16_t)", "(int8_t)", "s8"};
      return {"uint8_t", 'h', "uint16_t", "(uint16_t)", "(uint8_t)", "u8"};
    case 16: return {is_signed ? "int16_t" : "uint16_t", 'h', {}, {}, {}, is_signed ? "s16" : "u16"};
    case 32: return {is_signed ? "int32_t" : "uint32_t", 'r', {}, {}, {}, is_signed ? "s32" : "u32"};
    case 64: return {is_signed ? "int64_t" : "uint64_t", 'l', {}, {}, {}, is_signed ? "s64" : "u64"};
    default: return {is_signed ? "__int128_t" : "__uint128_t", 'q', {}, {}, {}, is_signed ? "s128" : "u128"};
  }
}

// A call of `function`, or a cast, which is written with the value right behind it.
std::string applied(std::string_view function, const std::string& value) {
  if (function.starts_with('(')) return std::string(function) + value;
  return std::string(function) + "(" + value + ")";
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string with(std::string_view pattern, std::string_view mark, std::string_view value) {
  std::string out(pattern);
  for (std::size_t at = out.find(mark); at != out.npos; at = out.find(mark, at + value.size()))
    out.replace(at, mark.size(), value);
  return out;
}

bool lane_sunk(const Resolved& call, const Bound& bound, int lane) {
  return call.arguments[bound.first + static_cast<std::size_t>(lane)].kind == Argument::Kind::Sink;
}

std::int64_t constant_of(const Resolved& call, const Bound& bound) {
  const Argument& argument = call.arguments[bound.first];
  if (!argument.value)
    throw std::invalid_argument(std::string(call.instruction.row->id) + ": '" + std::string(bound.operand->name) +
                                "' is part of the instruction's text and must be a constant after unrolling");
  return *argument.value;
}

std::int64_t offset_of(const Resolved& call, const Bound& bound) {
  const Argument& argument = call.arguments[bound.first];
  if (!argument.offset) return 0;
  if (!argument.bytes)
    throw std::invalid_argument(std::string(call.instruction.row->id) + ": the offset of T.ptx.addr for '" +
                                std::string(bound.operand->name) + "' must be a constant after unrolling");
  return *argument.bytes;
}

// Whether a register goes in where it is written, because its former value counts.
bool keeps(const Resolved& call, const Bound& bound, const Binding& binding) {
  const Access access = bound.operand->access;
  const bool kept = access == Access::Both || (access == Access::Write && call.preserve_dst);
  if (kept && !binding.bound.empty())
    throw std::invalid_argument(std::string(call.instruction.row->id) + ": '" + std::string(bound.operand->name) +
                                "' keeps its value, which " + expr::dtype_name(bound.dtype) + " cannot");
  return kept;
}

// "sink_d12" for lanes 1 and 2 of d, in the order of the names.
std::vector<std::string> sink_names(const Resolved& call) {
  std::map<std::string_view, std::string> lanes;
  for (const Bound& bound : call.operands)
    for (int lane = 0; lane < bound.lanes; ++lane)
      if (lane_sunk(call, bound, lane)) lanes[bound.operand->name] += std::to_string(lane);
  std::vector<std::string> out;
  for (const auto& [name, which] : lanes) out.push_back("sink_" + std::string(name) + which);
  return out;
}

// The instruction, its constants, and, where a register has another dtype than usual, the dtypes of all.
std::string name_of(const Resolved& call) {
  const auto& [row, filled] = call.instruction;
  std::vector<std::string> parts{std::string(row->id)};
  for (std::size_t i = 0; i < row->slots.size(); ++i)
    if (filled[i] != kOpen) parts.emplace_back(row->token(filled, i));
  std::vector<std::string> offsets, suffixes;
  bool usual = true;
  int address = 0;
  for (const Bound& bound : call.operands) {
    const Operand& operand = *bound.operand;
    if (operand.kind == OperandKind::Immediate) parts.push_back(std::to_string(constant_of(call, bound)));
    if (operand.kind == OperandKind::Address) {
      std::int64_t bytes = offset_of(call, bound);
      if (bytes != 0)
        offsets.push_back("addr" + std::to_string(address) + "_" + (bytes > 0 ? "p" : "m") +
                          std::to_string(std::abs(bytes)));
      ++address;
    }
    if (operand.kind != OperandKind::Register || bound.lanes == 0) continue;
    usual &= bound.dtype == carriers_of(*row, operand, filled)[0];
    suffixes.emplace_back(binding_of(bound.dtype).suffix);
  }
  parts.insert(parts.end(), offsets.begin(), offsets.end());
  for (std::string& sink : sink_names(call)) parts.push_back(std::move(sink));
  if (!usual) parts.insert(parts.end(), suffixes.begin(), suffixes.end());
  std::string out = "tvm_builtin_ptx_" + with(joined(parts, "_"), "::", "__");
  for (char& c : out) {
    if (c == ':' || c == '.') c = '_';
    if (c == '-') c = 'm';
  }
  if (!call.pred) return out;
  if (!row->writes()) return out + "_pred";
  return out + (call.preserve_dst ? "_pred_keep" : "_pred_undef");
}

// Collects the parts of one helper while it goes through the operands.
class Writer {
 public:
  explicit Writer(const Resolved& call) : call_(call), row_(*call.instruction.row), filled_(call.instruction.filled) {}

  std::string source(const std::string& name) {
    std::vector<std::pair<const Operand*, std::string>> written;
    auto bound = call_.operands.begin();
    for (const Operand& operand : row_.operands) {
      if (operand.kind == OperandKind::Literal) {
        written.emplace_back(&operand, operand.literal);
        continue;
      }
      const Bound& one = *bound++;
      if (one.lanes > 0) written.emplace_back(&operand, text_of(one));
    }
    std::string operands = grouped(written);
    std::string instruction = opcode() + (operands.empty() ? "" : " " + operands) + ";";
    if (call_.pred) {
      parameters_.push_back("uint32_t __pred");
      inputs_.push_back("\"r\"(__pred)");
      declared_.push_back(".reg .pred p;");
      before_.push_back("setp.ne.b32 p, %" + std::to_string(index_) + ", 0;");
      instruction = "@p " + instruction;
    }
    return "__forceinline__ __device__ void " + name + "(" + joined(parameters_, ", ") + ") {\n" + body(instruction) +
           "}\n";
  }

 private:
  std::string opcode() const {
    std::string out(row_.mnemonic);
    for (std::size_t i = 0; i < row_.slots.size(); ++i)
      if (filled_[i] != kOpen) out += "." + std::string(row_.token(filled_, i));
    return out;
  }

  std::string text_of(const Bound& bound) {
    const Operand& operand = *bound.operand;
    if (operand.kind == OperandKind::Immediate) return std::to_string(constant_of(call_, bound));
    std::vector<std::string> registers;
    for (int lane = 0; lane < bound.lanes; ++lane) {
      if (lane_sunk(call_, bound, lane)) {
        registers.emplace_back("_");
        continue;
      }
      std::string name = "__" + std::string(operand.name) + (operand.braces ? std::to_string(lane) : "");
      if (operand.kind == OperandKind::Register) {
        bind_register(bound, name);
        registers.push_back(register_text(operand));
      } else {
        bind_address(operand, name);
        std::string text = "%" + std::to_string(index_);
        std::int64_t bytes = operand.kind == OperandKind::Address ? offset_of(call_, bound) : 0;
        if (bytes != 0) text += "+" + std::to_string(bytes);
        bool alone = operand.kind == OperandKind::Address && operand.bracket == 0;
        registers.push_back(alone ? "[" + text + "]" : text);
      }
      ++index_;
    }
    return operand.braces ? "{" + joined(registers, ", ") + "}" : registers[0];
  }

  void bind_address(const Operand& operand, const std::string& name) {
    std::string_view space =
        operand.kind == OperandKind::Address ? space_of(row_, operand, filled_) : std::string_view();
    bool narrow = space.starts_with("shared") || space.starts_with("tmem");
    parameters_.push_back((narrow ? "uint32_t " : "const void* ") + name);
    inputs_.push_back(std::string(narrow ? "\"r\"" : "\"l\"") + "(" + name + ")");
  }

  void bind_register(const Bound& bound, const std::string& name) {
    Binding binding = binding_of(bound.dtype);
    std::string type(binding.type), letter(1, binding.letter);
    Access access = bound.operand->access;
    const bool kept = keeps(call_, bound, binding);
    parameters_.push_back(type + (access == Access::Read ? " " : "& ") + name);
    if (access == Access::Read) {
      inputs_.push_back("\"" + letter + "\"(" + (binding.bound.empty() ? name : applied(binding.to, name)) + ")");
    } else if (kept) {
      outputs_.push_back("\"+" + letter + "\"(" + name + ")");
    } else if (binding.bound.empty()) {
      outputs_.push_back("\"=" + letter + "\"(" + name + ")");
    } else {
      std::string carrier = name + "_reg";
      first_.push_back(std::string(binding.bound) + " " + carrier + ";");
      outputs_.push_back("\"=" + letter + "\"(" + carrier + ")");
      last_.push_back(name + " = " + applied(binding.from, carrier) + ";");
    }
  }

  // The register of the instruction: the bound one, or one of a class that is converted from and to it.
  std::string register_text(const Operand& operand) {
    std::string index = std::to_string(index_);
    const Bridge* bridge = bridge_of(type_of(row_, operand, filled_));
    if (!bridge) return "%" + index;
    std::string_view pattern = operand.access == Access::Read ? bridge->name : bridge->name_written;
    std::string name = with(with(pattern, "{name}", operand.name), "{n}", std::to_string(bridged_[pattern]++));
    declared_.push_back(".reg " + std::string(bridge->reg_class) + " " + name + ";");
    bool read = operand.access != Access::Write || call_.preserve_dst;
    if (read) before_.push_back(with(with(bridge->in, "{r}", name), "{i}", index));
    if (operand.access != Access::Read) after_.push_back(with(with(bridge->out, "{r}", name), "{i}", index));
    return name;
  }

  // Operands as the instruction has them: neighbours in one pair of brackets, or joined by |.
  static std::string grouped(const std::vector<std::pair<const Operand*, std::string>>& written) {
    std::vector<std::string> out;
    int bracket = 0, pipe = 0;
    for (const auto& [operand, text] : written) {
      bool joins = operand->pipe > 0 && operand->pipe == pipe;
      bool inside = operand->bracket > 0 && operand->bracket == bracket;
      if (bracket > 0 && !inside) out.back() += "]";
      if (joins) {
        out.back() += "|" + text;
      } else if (inside) {
        out.back() += ", " + text;
      } else {
        out.push_back((operand->bracket > 0 ? "[" : "") + text);
      }
      bracket = operand->bracket;
      pipe = operand->pipe;
    }
    if (bracket > 0) out.back() += "]";
    return joined(out, ", ");
  }

  std::string body(const std::string& instruction) const {
    std::string text = instruction;
    if (!declared_.empty()) {
      std::vector<std::string> parts = declared_;
      parts.insert(parts.end(), before_.begin(), before_.end());
      parts.push_back(instruction);
      parts.insert(parts.end(), after_.begin(), after_.end());
      text = "{ " + joined(parts, " ") + " }";
    }
    bool touches = row_.orders_memory || std::ranges::any_of(row_.operands, [&](const Operand& operand) {
                     return operand.kind == OperandKind::Address && space_of(row_, operand, filled_) != "tmem";
                   });
    std::string out;
    for (const std::string& line : first_) out += "  " + line + "\n";
    out += std::string("  asm") + (row_.repeatable ? "" : " volatile") + "(\"" + text +
           "\" : " + joined(outputs_, ", ") + " : " + joined(inputs_, ", ") + (touches ? " : \"memory\"" : "") + ");\n";
    for (const std::string& line : last_) out += "  " + line + "\n";
    return out;
  }

  const Resolved& call_;
  const Row& row_;
  const Filled& filled_;
  int index_ = 0;
  std::map<std::string_view, int> bridged_;
  std::vector<std::string> parameters_, inputs_, outputs_;
  std::vector<std::string> first_, last_;               // statements of C++ around the asm statement
  std::vector<std::string> declared_, before_, after_;  // registers and conversions in its text
};

}  // namespace

Helper helper_of(const Resolved& call) {
  std::string name = name_of(call);
  return {name, Writer(call).source(name)};
}

void check_helper(const Resolved& call) {
  for (const Bound& bound : call.operands) {
    if (bound.operand->kind == OperandKind::Immediate) constant_of(call, bound);
    if (bound.operand->kind == OperandKind::Address) offset_of(call, bound);
  }
  for (const Bound& bound : call.operands) {
    if (bound.operand->kind != OperandKind::Register) continue;
    for (int lane = 0; lane < bound.lanes; ++lane)
      if (!lane_sunk(call, bound, lane)) keeps(call, bound, binding_of(bound.dtype));
  }
}

std::vector<std::size_t> forwarded(const Resolved& call) {
  std::vector<std::size_t> out;
  for (const Bound& bound : call.operands) {
    if (bound.operand->kind == OperandKind::Immediate) continue;
    for (int lane = 0; lane < bound.lanes; ++lane)
      if (!lane_sunk(call, bound, lane)) out.push_back(bound.first + static_cast<std::size_t>(lane));
  }
  return out;
}

}  // namespace tilewright::ptx
