#include "compiler/expr/dtype.h"

#include <algorithm>
#include <array>

#include "compiler/expr/dtype_names.h"

namespace tilewright::expr {
namespace {

struct Named {
  std::string_view name;
  TypeCode code;
  std::uint8_t bits;
};

// The first name of a type is its canonical one; aliases follow the types.
constexpr std::array kNames = {
    Named{"int8", TypeCode::Int, 8},
    Named{"int16", TypeCode::Int, 16},
    Named{"int32", TypeCode::Int, 32},
    Named{"int64", TypeCode::Int, 64},
    Named{"int128", TypeCode::Int, 128},
    Named{"uint8", TypeCode::UInt, 8},
    Named{"uint16", TypeCode::UInt, 16},
    Named{"uint32", TypeCode::UInt, 32},
    Named{"uint64", TypeCode::UInt, 64},
    Named{"uint128", TypeCode::UInt, 128},
    Named{"bool", TypeCode::Bool, 1},
    Named{"float16", TypeCode::Float, 16},
    Named{"float32", TypeCode::Float, 32},
    Named{"float64", TypeCode::Float, 64},
    Named{"bfloat16", TypeCode::BFloat, 16},
    Named{"float8_e3m4", TypeCode::Float8E3M4, 8},
    Named{"float8_e4m3", TypeCode::Float8E4M3, 8},
    Named{"float8_e4m3b11fnuz", TypeCode::Float8E4M3B11FNUZ, 8},
    Named{"float8_e4m3fn", TypeCode::Float8E4M3FN, 8},
    Named{"float8_e4m3fnuz", TypeCode::Float8E4M3FNUZ, 8},
    Named{"float8_e5m2", TypeCode::Float8E5M2, 8},
    Named{"float8_e5m2fnuz", TypeCode::Float8E5M2FNUZ, 8},
    Named{"float8_e8m0fnu", TypeCode::Float8E8M0FNU, 8},
    Named{"float6_e2m3fn", TypeCode::Float6E2M3FN, 6},
    Named{"float6_e3m2fn", TypeCode::Float6E3M2FN, 6},
    Named{"float4_e2m1fn", TypeCode::Float4E2M1FN, 4},
    Named{"handle", TypeCode::Handle, 64},
    Named{"tensormap", TypeCode::TensorMap, 64},
    Named{"void", TypeCode::Void, 0},
    Named{"boolean", TypeCode::Bool, 1},
    Named{"f16", TypeCode::Float, 16},
    Named{"f32", TypeCode::Float, 32},
    Named{"f64", TypeCode::Float, 64},
    Named{"bf16", TypeCode::BFloat, 16},
    Named{"i8", TypeCode::Int, 8},
    Named{"i16", TypeCode::Int, 16},
    Named{"i32", TypeCode::Int, 32},
    Named{"i64", TypeCode::Int, 64},
    Named{"u8", TypeCode::UInt, 8},
    Named{"u16", TypeCode::UInt, 16},
    Named{"u32", TypeCode::UInt, 32},
    Named{"u64", TypeCode::UInt, 64},
};

// "x4" at the end of "int32x4": the lanes; no base name has an x in it.
std::optional<int> split_lanes(std::string_view& name) {
  std::size_t x = name.rfind('x');
  if (x == std::string_view::npos) return 1;
  std::string_view digits = name.substr(x + 1);
  if (digits.empty() || digits.size() > 4 || digits[0] == '0') return std::nullopt;
  int lanes = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    lanes = lanes * 10 + (c - '0');
  }
  name = name.substr(0, x);
  return lanes;
}

constexpr auto kSpelled = [] {
  std::array<std::string_view, kNames.size()> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kNames[i].name;
  return out;
}();

}  // namespace

std::span<const std::string_view> dtype_names() { return kSpelled; }

std::optional<DataType> parse_dtype(std::string_view name) {
  std::optional<int> lanes = split_lanes(name);
  if (!lanes) return std::nullopt;
  const auto* row = std::ranges::find(kNames, name, &Named::name);
  if (row == kNames.end()) return std::nullopt;
  bool scalar_only = row->code == TypeCode::Handle || row->code == TypeCode::TensorMap || row->code == TypeCode::Void;
  if (scalar_only && *lanes != 1) return std::nullopt;
  return DataType{row->code, row->bits, static_cast<std::uint16_t>(*lanes)};
}

std::string dtype_name(DataType dtype) {
  // Only integers and IEEE floats come in several widths.
  bool sized = dtype.is_integral() || dtype.is_float();
  const auto* row = std::ranges::find_if(
      kNames, [&](const Named& n) { return n.code == dtype.code && (!sized || n.bits == dtype.bits); });
  std::string text =
      row == kNames.end() ? (dtype.is_uint() ? "uint" : "int") + std::to_string(dtype.bits) : std::string(row->name);
  if (dtype.lanes > 1) text += "x" + std::to_string(dtype.lanes);
  return text;
}

}  // namespace tilewright::expr
