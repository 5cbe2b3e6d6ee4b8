#include "compiler/ptx/operands.h"

#include <algorithm>
#include <stdexcept>

namespace tilewright::ptx {
namespace {

using expr::DataType;
using expr::TypeCode;

bool digit(char c) { return c >= '0' && c <= '9'; }

// The numbers of a token: 64 and 128 of "64x128b".
std::vector<int> numbers(std::string_view token) {
  std::vector<int> out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (!digit(token[i])) continue;
    if (i == 0 || !digit(token[i - 1])) out.push_back(0);
    out.back() = out.back() * 10 + (token[i] - '0');
  }
  return out;
}

// The number after a letter: 16 for 'n' in "m64n16k8".
int number_after(std::string_view token, char letter) {
  std::size_t at = token.find(letter);
  return at == token.npos ? 1 : numbers(token.substr(at)).at(0);
}

// Bits of one element of a matrix: 8 of "e4m3", 32 of "tf32", 4 of "s4".
int bits_of(std::string_view token) {
  if (token.starts_with('e')) return 8;
  return numbers(token).at(0);
}

int value_of(const Row& row, const Count::Factor& factor, const Filled& filled) {
  using enum Count::Read;
  if (factor.read == Constant) return factor.value;
  std::string_view token = row.token(filled, factor.slot);
  switch (factor.read) {
    case First: return numbers(token).at(0);
    case Second: return numbers(token).at(1);
    case Bits: return bits_of(token);
    case Quads: return token == "m8n8k4" ? 4 : 1;  // a warp computes four such products at once
    case Area: {
      int product = 1;
      for (int n : numbers(token)) product *= n;
      return product;
    }
    default: {
      int product = 1;
      for (char letter : factor.letters) product *= number_after(token, letter);
      return product;
    }
  }
}

// Coordinates of a tensor copy: those of the dimension; gather4 and scatter4 name one column and four rows.
int coordinates(std::string_view dimension, std::string_view mode) {
  return mode.ends_with("4") ? 5 : numbers(dimension).at(0);
}

// Offsets of im2col: one for each spatial dimension; the ::w modes have two for their only one.
int im2col(std::string_view dimension, std::string_view mode) {
  return mode.contains("::w") ? 2 : numbers(dimension).at(0) - 2;
}

constexpr DataType uint(int bits) { return {TypeCode::UInt, static_cast<std::uint8_t>(bits), 1}; }
constexpr DataType sint(int bits) { return {TypeCode::Int, static_cast<std::uint8_t>(bits), 1}; }

void add_floats(std::vector<DataType>& out, int bits) {
  if (bits == 16) out.insert(out.end(), {expr::kFloat16, expr::kBFloat16});
  if (bits == 32) out.push_back(expr::kFloat32);
  if (bits == 64) out.push_back(expr::kFloat64);
}

// A type of PTX by its letter and width: 'b', 'u', 's', 'f' or 'B' (bf16).
struct Scalar {
  char letter = 0;
  int bits = 0;
};
std::optional<Scalar> scalar(std::string_view token) {
  if (token == "bf16") return Scalar{'B', 16};
  if (token.size() < 2 || token.contains('x') || !std::string_view("buseft").contains(token[0])) return std::nullopt;
  for (char c : token.substr(1))
    if (!digit(c)) return std::nullopt;
  return Scalar{token[0], numbers(token).at(0)};
}

// Registers of the width of a scalar type that its instruction takes in any class.
std::vector<DataType> same_width(Scalar type) {
  auto [letter, bits] = type;
  if (letter == 's') return {sint(bits), uint(bits)};
  if (letter == 'f' && bits == 32) return {expr::kFloat32, uint(32), sint(32)};
  if (letter == 'f' && bits == 64) return {expr::kFloat64, uint(64), sint(64)};
  if (letter == 'B') return {uint(16)};
  std::vector<DataType> out{uint(bits), sint(bits)};
  if (letter == 'b' || letter == 'f') add_floats(out, bits);
  return out;
}

// As same_width(), and wider registers, of which the low bits count.
std::vector<DataType> wide(Scalar type, bool with_floats) {
  std::vector<DataType> out = same_width(type);
  if (type.letter == 'B') return out;
  for (int bits = 2 * type.bits; bits <= 128; bits *= 2) {
    out.push_back(type.letter == 's' ? sint(bits) : uint(bits));
    out.push_back(type.letter == 's' ? uint(bits) : sint(bits));
    if (with_floats) add_floats(out, bits);
  }
  return out;
}

void remove_bits(std::vector<DataType>& from, int bits) {
  std::erase_if(from, [&](DataType d) { return d.bits == bits; });
}

// The usual carriers of a type token.
std::vector<DataType> of_type(std::string_view token) {
  if (token == "pred") return {expr::kUInt32};
  if (token == "i32" || token == "i64") return {uint(token == "i32" ? 32 : 64), sint(token == "i32" ? 32 : 64)};
  if (token == "byte" || token == "bytes" || token == "e2m1x2") return {expr::kUInt8};
  if (token == "anybyte") return {expr::kUInt8, sint(8)};
  if (token == "f32x2") return {expr::kUInt64};
  if (token == "tf32" || token == "u16x2" || token == "s16x2" || token == "f16x2" || token == "bf16x2")
    return {expr::kUInt32};
  if (token.ends_with("x4")) return {token == "e2m1x4" ? uint(16) : expr::kUInt32};
  if (token.ends_with("x2")) return {uint(16)};
  std::optional<Scalar> type = scalar(token);
  if (!type) throw std::logic_error("no registers for a type of PTX: " + std::string(token));
  auto [letter, bits] = *type;
  if (letter == 'b') return same_width(*type);
  if (letter == 's') return {sint(bits)};
  if (letter == 'f' && bits == 32) return {expr::kFloat32};
  if (letter == 'f' && bits == 64) return {expr::kFloat64};
  return {uint(bits)};  // u8 to u64, and f16 and bf16, whose values travel as bits
}

// The values of slct: bits of the type's width, in any class of that width but for 32-bit and wider integers.
std::vector<DataType> selected(Scalar type) {
  std::vector<DataType> out = same_width(type);
  if (type.bits == 16 && type.letter != 'b') add_floats(out, 16);
  return out;
}

// Results of cvt. The assembler refuses wide registers beside bf16, and some beside .ftz.
std::vector<DataType> converted_to(std::string_view to, std::string_view from, bool ftz, std::string_view rounding) {
  std::vector<DataType> out = wide(*scalar(to), false);
  if (from == "bf16") out = same_width(*scalar(to));
  bool from_double = to == "f32" && from == "f64";
  if (ftz && (from_double || (from == "f32" && (to == "u64" || to == "s64" || to == "f64")))) remove_bits(out, 128);
  if (ftz && from_double && (rounding == "rz" || rounding == "rm" || rounding == "rp")) remove_bits(out, 64);
  return out;
}

// Sources of cvt: wide registers for integers only, and for none beside bf16.
std::vector<DataType> converted_from(std::string_view from, std::string_view to) {
  Scalar type = *scalar(from);
  bool floating = type.letter == 'f' || type.letter == 'B';
  return floating || to == "bf16" ? same_width(type) : wide(type, false);
}

}  // namespace

std::string_view token_of(const Row& row, const Filled& filled, std::string_view slot) {
  std::optional<std::size_t> found = row.slot_named(slot);
  return found ? row.token(filled, *found) : std::string_view();
}

int count_of(const Row& row, const Operand& operand, const Filled& filled) {
  const Count& count = operand.count;
  switch (count.form) {
    case Count::Form::Present: return filled[count.slot] == kOpen ? 0 : 1;
    case Count::Form::Coordinates:
    case Count::Form::Im2col: {
      std::string_view dimension = row.token(filled, count.slot);
      std::string_view mode = count.mode_slot ? row.token(filled, *count.mode_slot) : std::string_view();
      return count.form == Count::Form::Coordinates ? coordinates(dimension, mode) : im2col(dimension, mode);
    }
    case Count::Form::Product: break;
  }
  int above = 1, below = 1;
  for (const Count::Factor& factor : count.factors) above *= value_of(row, factor, filled);
  for (const Count::Factor& factor : count.divisors) below *= value_of(row, factor, filled);
  return std::max(1, above / below) - count.less;
}

std::string_view type_of(const Row& row, const Operand& operand, const Filled& filled) {
  const TypeOf& type = operand.type;
  if (type.form == TypeOf::Form::Token) return type.token;
  std::string_view token = row.token(filled, type.slot);
  switch (type.form) {
    case TypeOf::Form::Slot: return token.empty() && type.fallback ? row.token(filled, *type.fallback) : token;
    case TypeOf::Form::Mask: return token.ends_with("::32b") ? "u32" : "u16";
    case TypeOf::Form::Im2col: return token == "im2col" ? "u16" : "b16";
    case TypeOf::Form::Twice:
      if (token == "u16") return "u32";
      if (token == "s16") return "s32";
      return token == "u32" ? "u64" : "s64";
    case TypeOf::Form::Dot: return token == "u32" && row.token(filled, *type.fallback) == "u32" ? "u32" : "s32";
    case TypeOf::Form::Byte: return token.ends_with('8') ? "anybyte" : token;
    case TypeOf::Form::Token: break;
  }
  return token;
}

std::string_view space_of(const Row& row, const Operand& operand, const Filled& filled) {
  if (!operand.space.empty()) return operand.space;
  return operand.space_slot ? row.token(filled, *operand.space_slot) : std::string_view();
}

std::vector<DataType> carriers_of(const Row& row, const Operand& operand, const Filled& filled) {
  std::string_view type = token_of(row, filled, "type");
  switch (operand.carriage) {
    case Carriage::OfType: break;
    case Carriage::OfTypeSlot: return of_type(type);
    case Carriage::Wide: return wide(*scalar(type), scalar(type)->letter == 'b');
    case Carriage::WideStore: {
      std::vector<DataType> out = wide(*scalar(type), scalar(type)->letter == 'b');
      if (type == "f64" && token_of(row, filled, "vec") == "v2") remove_bits(out, 128);  // the assembler crashes
      return out;
    }
    case Carriage::Selected: return selected(*scalar(token_of(row, filled, "dtype")));
    case Carriage::ConvertTo:
      return converted_to(token_of(row, filled, "dtype"), token_of(row, filled, "atype"),
                          !token_of(row, filled, "ftz").empty(), token_of(row, filled, "rnd"));
    case Carriage::ConvertFrom: return converted_from(token_of(row, filled, "atype"), token_of(row, filled, "dtype"));
    case Carriage::Size: return {uint(64), sint(64), uint(32), sint(32)};
  }
  return of_type(type_of(row, operand, filled));
}

const Bridge* bridge_of(std::string_view type) {
  static constexpr std::string_view kIn = "cvt.u8.u16 {r}, %{i};", kOut = "cvt.u16.u8 %{i}, {r};";
  static constexpr Bridge kPredicate{".pred", "ps{n}", "pd{n}", "setp.ne.b32 {r}, %{i}, 0;",
                                     "selp.b32 %{i}, 1, 0, {r};"};
  static constexpr Bridge kByte{".b8", "raw_{name}", "raw_{name}", kIn, kOut};
  static constexpr Bridge kBytes{".b8", "raw_{name}_{n}", "raw_{name}_{n}", kIn, kOut};
  if (type == "pred") return &kPredicate;
  if (type == "byte" || type == "anybyte" || type == "e2m1x2") return &kByte;
  return type == "bytes" ? &kBytes : nullptr;
}

}  // namespace tilewright::ptx
