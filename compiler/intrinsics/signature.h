// Operands written as the script's reader would: "bar: shared, phase: u32, *, sem: attr(|acquire|relaxed) = ''".
//
// The text is parsed by the compiler into a constant array of Operand, so a row costs nothing at start-up. After `*` or
// a variadic `*name` operands are keyword-only; the variadic one moves to the end, where the bound arguments have it.
//
//   type                     operand
//   shared global ptr map    pointers, see OperandKind; `remote`: a mapped shared address as uint64
//   window, address          shared, ptr; also the 32-bit address that it has in shared memory, as a number
//   i32 u32 u64 ... any      Value
//   from T, to T, at T       Pointer that the instruction reads, writes, updates as one register of type T
//   in T, out T, inout T     Reference to an element that it reads, writes, updates; T may be any
//   attr, attr(a|b), flag    Attribute: free, one of these texts, a bool
//   list T, some T           List of T; `some`: also one T alone
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/intrinsics/operand_forms.h"

namespace tilewright::intrinsics {

// A string literal as a template argument.
template <std::size_t N>
struct Literal {
  char text[N]{};
  consteval Literal(const char (&from)[N]) { std::copy_n(from, N, text); }  // NOLINT: literals are implicit
  constexpr std::string_view view() const { return {text, N - 1}; }
};

namespace detail {

constexpr std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Cuts the text before the next comma outside parentheses and quotes off `rest`.
constexpr std::string_view next_item(std::string_view& rest) {
  int depth = 0;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < rest.size(); ++i) {
    char c = rest[i];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0) break;
  }
  std::string_view item = trim(rest.substr(0, i));
  rest.remove_prefix(std::min(i + 1, rest.size()));
  return item;
}

constexpr std::size_t count_operands(std::string_view text) {
  std::size_t n = 0;
  while (!text.empty()) n += next_item(text) != "*";
  return n;
}

constexpr ir::DataType value_type(std::string_view t) {
  if (t == "any") return ir::kVoid;
  if (t == "i32") return ir::kInt32;
  if (t == "i64") return ir::kInt64;
  if (t == "u16") return {ir::TypeCode::UInt, 16, 1};
  if (t == "u32") return ir::kUInt32;
  if (t == "u64") return ir::kUInt64;
  if (t == "f16") return ir::kFloat16;
  if (t == "bf16") return ir::kBFloat16;
  if (t == "f32") return ir::kFloat32;
  if (t == "f64") return ir::kFloat64;
  if (t == "bool") return ir::kBool;
  throw "unknown type in a row's signature";
}

constexpr void set_type(Operand& to, std::string_view t) {
  auto access = [&](std::string_view word, OperandKind kind, Access a) {
    if (!t.starts_with(word)) return false;
    to.kind = kind;
    to.access = a;
    to.is_register = true;
    to.dtype = value_type(t.substr(word.size()));
    return true;
  };
  if (t.starts_with("attr(")) {
    to.kind = OperandKind::Attribute;
    to.choices = t.substr(5, t.size() - 6);
  } else if (t == "attr") {
    to.kind = OperandKind::Attribute;
  } else if (t == "flag") {
    to.kind = OperandKind::Attribute;
    to.choices = "False|True";
  } else if (t == "shared") {
    to.kind = OperandKind::SharedPointer;
  } else if (t == "remote") {
    to.kind = OperandKind::SharedPointer;
    to.dtype = ir::kUInt64;
  } else if (t == "global") {
    to.kind = OperandKind::GlobalPointer;
  } else if (t == "ptr" || t == "address") {
    to.kind = OperandKind::Pointer;
    if (t == "address") to.choices = kOrAddress;
  } else if (t == "window") {
    to.kind = OperandKind::SharedPointer;
    to.choices = kOrAddress;
  } else if (t == "map") {
    to.kind = OperandKind::TensorMap;
    to.dtype = ir::kUInt64;
  } else if (!access("from ", OperandKind::Pointer, Access::In) && !access("to ", OperandKind::Pointer, Access::Out) &&
             !access("at ", OperandKind::Pointer, Access::InOut) &&
             !access("in ", OperandKind::Reference, Access::In) &&
             !access("out ", OperandKind::Reference, Access::Out) &&
             !access("inout ", OperandKind::Reference, Access::InOut)) {
    to.kind = OperandKind::Value;
    to.dtype = value_type(t);
  }
}

template <Literal S>
consteval auto parse_signature() {
  constexpr std::size_t n = count_operands(S.view());
  std::array<Operand, n> out{};
  std::string_view rest = S.view();
  std::size_t i = 0, variadic = n;
  bool keyword_only = false;
  while (!rest.empty()) {
    std::string_view item = next_item(rest);
    if (item == "*") {
      keyword_only = true;
      continue;
    }
    Operand& to = out[i];
    to.keyword_only = keyword_only;
    bool star = item.starts_with('*');
    if (star) {
      item.remove_prefix(1);
      keyword_only = true;
      variadic = i;
    }
    std::size_t colon = item.find(':');
    to.name = item.substr(0, colon);
    std::string_view type = trim(item.substr(colon + 1));
    // A default follows the last '=' (choices hold none).
    if (std::size_t equals = type.rfind('='); equals != type.npos) {
      to.default_text = trim(type.substr(equals + 1));
      type = trim(type.substr(0, equals));
    }
    const bool some = type.starts_with("some ");
    bool list = some || type.starts_with("list ");
    set_type(to, list ? type.substr(5) : type);
    if (star || list) {
      to.item = to.kind;
      if (some) to.choices = kOrOne;
      to.kind = star ? OperandKind::Variadic : OperandKind::List;
    }
    ++i;
  }
  if (variadic != n) std::rotate(out.begin() + variadic, out.begin() + variadic + 1, out.end());
  return out;
}

template <Literal S>
inline constexpr Literal kText = S;
template <Literal S>
inline constexpr auto kOperands = parse_signature<S>();

}  // namespace detail
}  // namespace tilewright::intrinsics
