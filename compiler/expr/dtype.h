// Scalar and vector data types of the language (surface.md 6.1).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::expr {

enum class TypeCode : std::uint8_t {
  Int,
  UInt,
  Bool,
  Float,
  BFloat,
  Float8E3M4,
  Float8E4M3,
  Float8E4M3B11FNUZ,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  Float8E8M0FNU,
  Float6E2M3FN,
  Float6E3M2FN,
  Float4E2M1FN,
  Handle,     // a pointer; its element type and scope are on the variable
  TensorMap,  // a CUtensorMap passed by value
  Void,
};

struct DataType {
  TypeCode code = TypeCode::Void;
  std::uint8_t bits = 0;  // of one lane; bool counts 8 in memory and is stored as 1 here, see storage_bits()
  std::uint16_t lanes = 1;

  friend bool operator==(const DataType&, const DataType&) = default;

  bool is_int() const { return code == TypeCode::Int; }
  bool is_uint() const { return code == TypeCode::UInt; }
  bool is_bool() const { return code == TypeCode::Bool; }
  bool is_integral() const { return is_int() || is_uint(); }
  bool is_float() const { return code == TypeCode::Float; }  // f16, f32, f64
  bool is_bfloat() const { return code == TypeCode::BFloat; }
  bool is_float8() const { return code >= TypeCode::Float8E3M4 && code <= TypeCode::Float8E8M0FNU; }
  bool is_float6() const { return code == TypeCode::Float6E2M3FN || code == TypeCode::Float6E3M2FN; }
  bool is_float4() const { return code == TypeCode::Float4E2M1FN; }
  bool is_floating() const { return code >= TypeCode::Float && code <= TypeCode::Float4E2M1FN; }
  bool is_handle() const { return code == TypeCode::Handle; }
  bool is_void() const { return code == TypeCode::Void; }
  bool is_vector() const { return lanes > 1; }

  // Bits that one lane takes in memory: bool is one byte, everything else its width.
  int storage_bits() const { return is_bool() ? 8 : bits; }
  DataType element() const { return {code, bits, 1}; }
  DataType with_lanes(int n) const { return {code, bits, static_cast<std::uint16_t>(n)}; }
};

inline constexpr DataType kInt32{TypeCode::Int, 32, 1};
inline constexpr DataType kInt64{TypeCode::Int, 64, 1};
inline constexpr DataType kUInt8{TypeCode::UInt, 8, 1};
inline constexpr DataType kUInt32{TypeCode::UInt, 32, 1};
inline constexpr DataType kUInt64{TypeCode::UInt, 64, 1};
inline constexpr DataType kBool{TypeCode::Bool, 1, 1};
inline constexpr DataType kFloat16{TypeCode::Float, 16, 1};
inline constexpr DataType kFloat32{TypeCode::Float, 32, 1};
inline constexpr DataType kFloat64{TypeCode::Float, 64, 1};
inline constexpr DataType kBFloat16{TypeCode::BFloat, 16, 1};
inline constexpr DataType kHandle{TypeCode::Handle, 64, 1};
inline constexpr DataType kTensorMap{TypeCode::TensorMap, 64, 1};
inline constexpr DataType kVoid{TypeCode::Void, 0, 1};

// "float16", "int32x4", "bf16", "handle", ... (aliases of surface.md 6.1 included); nothing for an unknown name.
std::optional<DataType> parse_dtype(std::string_view name);
// The canonical name: "float16", "bfloat16x2", "bool", "handle".
std::string dtype_name(DataType dtype);

}  // namespace tilewright::expr

// A kernel is made of types, expressions and what compiler/ir adds: rooms above both write `ir::` for all of it.
namespace tilewright::ir {
using namespace expr;
}
