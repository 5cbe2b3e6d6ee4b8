#include "compiler/lower/tensor_maps.h"

#include <algorithm>
#include <array>

#include "compiler/expr/analyzer.h"
#include "compiler/lower/flatten.h"

namespace tilewright::lower {
namespace {

using namespace ir;

// The element types that the driver knows (intrinsics.md 6.3); the fp8 types travel as bytes.
constexpr std::array<std::string_view, 13> kElementTypes = {"uint8",    "int8",  "uint16",       "uint32",  "int32",
                                                            "uint64",   "int64", "float16",      "float32", "float64",
                                                            "bfloat16", "tf32",  "float4_e2m1fn"};

// What a map can name outright, by its number in CUtensorMapDataType: types of the driver that are no element types.
struct DriverType {
  std::int64_t number;
  std::string_view name, enumerator;
  int bits;
};
constexpr DriverType kDriverTypes[] = {
    {10, "float32_ftz", "FLOAT32_FTZ", 32},    {11, "tf32", "TFLOAT32", 32},
    {12, "tf32_ftz", "TFLOAT32_FTZ", 32},      {13, "16u4_align8b", "16U4_ALIGN8B", 4},
    {14, "16u4_align16b", "16U4_ALIGN16B", 4}, {15, "16u6_align16b", "16U6_ALIGN16B", 6}};

std::string_view text_of(Expr e) {
  const auto* text = e.as<StringImm>();
  return text ? text->value : std::string_view();
}

// The legal values of a group of arguments, in the words of the driver's documentation.
struct Limit {
  std::string_view what;
  std::int64_t lo, hi, step;
};

// Reads the arguments of the call one after the other; the first failure stays.
class Reader {
 public:
  explicit Reader(std::span<const Expr> args) : args_(args) {}

  Expr next() { return args_[at_++]; }
  std::int64_t number(const Limit& limit) {
    Expr e = next();
    const std::int64_t* value = constant(e);
    if (!value) {
      fail(std::string(limit.what) + " must be a constant, it is " + to_string(e));
      return limit.lo;
    }
    check(limit, *value);
    return *value;
  }
  // May depend on symbolic extents.
  Expr extent(const Limit& limit) {
    Expr e = next();
    if (const std::int64_t* value = constant(e)) check(limit, *value);
    return e;
  }
  void fail(std::string message) {
    if (failure.empty()) failure = std::move(message);
  }

  std::string failure;

 private:
  void check(const Limit& limit, std::int64_t value) {
    if (value >= limit.lo && value <= limit.hi && value % limit.step == 0) return;
    fail(std::string(limit.what) + " is " + std::to_string(value) + "; it must be " + std::to_string(limit.lo) +
         " to " + std::to_string(limit.hi) + (limit.step > 1 ? " in steps of " + std::to_string(limit.step) : ""));
  }

  std::span<const Expr> args_;
  std::size_t at_ = 0;
};

// The tensor that a pointer argument belongs to, and how many bytes behind its start it points.
bool set_address(dispatch::TensorMap& map, Expr pointer, std::span<const Buffer* const> tensors) {
  auto owner = [&](const Var* data) -> const Buffer* {
    auto found = std::ranges::find(tensors, data, &Buffer::data);
    return found == tensors.end() ? nullptr : *found;
  };
  if (const Var* data = pointer.as<Var>()) {
    map.tensor = owner(data);
    map.byte_offset = 0;
    return map.tensor != nullptr;
  }
  const Call* call = pointer.as<Call>();
  if (call && call->callee == &builtin::handle_byte_offset) {
    const Var* data = call->args[0].as<Var>();
    map.tensor = data ? owner(data) : nullptr;
    map.byte_offset = simplify(call->args[1]);
    return map.tensor != nullptr;
  }
  const Load* element = call && call->callee == &builtin::address_of ? call->args[0].as<Load>() : nullptr;
  if (!element) return false;
  map.tensor = owner(element->buffer->data);
  Flattener flattener([](Expr e) { return e; });
  auto index = map.tensor ? flattener.index(element->buffer, element->indices) : std::unexpected(AccessError{});
  if (!index) return false;
  map.byte_offset = simplify((element->buffer->elem_offset ? *index + element->buffer->elem_offset : *index) *
                             static_cast<int>(element_bits(element->buffer->dtype) / 8));
  return true;
}

// The last argument of a call with one more: -1, or the number of the driver's type, which stands for the element type.
void set_driver_type(dispatch::TensorMap& map, Reader& read) {
  const std::int64_t number = read.number({"the driver's type", -1, 15, 1});
  const auto usual = map_type(map.dtype);
  if (number < 0 || (usual && usual->value == number)) return;
  const auto own = std::ranges::find(kDriverTypes, number, &DriverType::number);
  if (own == std::end(kDriverTypes)) {
    read.fail("the driver's type " + std::to_string(number) + " is not the one of " + std::string(map.dtype) +
              " elements");
  } else {
    map.dtype = own->name;
  }
}

}  // namespace

bool is_tensor_map_encode(const Call& call) {
  return call.callee->name == "call_packed" && !call.args.empty() &&
         text_of(call.args[0]) == "runtime.cuTensorMapEncodeTiled";
}

std::expected<dispatch::TensorMap, std::string> encoded_tensor_map(const Call& call,
                                                                   std::span<const Buffer* const> tensors) {
  const std::span<const Expr> args = std::span<const Expr>(call.args).subspan(1);
  const std::int64_t* rank = args.size() > 2 ? constant(args[2]) : nullptr;
  if (!rank || *rank < 1 || *rank > 5) {
    return std::unexpected("takes a map, an element type, a rank from 1 to 5 and a pointer, then the extents");
  }
  const std::size_t expected = 4 * static_cast<std::size_t>(*rank) + 7;
  if (args.size() != expected && args.size() != expected + 1) {
    return std::unexpected(
        "takes " + std::to_string(expected) + " arguments after the name for rank " + std::to_string(*rank) +
        " (map, type, rank, pointer, extents, one byte stride less, box, " +
        "element strides, interleave, swizzle, L2 promotion, fill), or one more, the number of the " +
        "driver's type; " + std::to_string(args.size()) + " given");
  }
  dispatch::TensorMap map;
  map.var = args[0].as<Var>();
  map.dtype = text_of(args[1]);
  if (!map.var) return std::unexpected("takes a variable made by T.tvm_stack_alloca(\"tensormap\", 1) first");
  if (!map.dtype.starts_with("float8") && std::ranges::find(kElementTypes, map.dtype) == kElementTypes.end()) {
    return std::unexpected("knows no element type '" + std::string(map.dtype) + "'");
  }
  if (!set_address(map, args[3], tensors)) {
    return std::unexpected("needs the data of a matched buffer as its pointer, it is " + to_string(args[3]));
  }
  const std::int64_t* offset = constant(map.byte_offset);
  if (offset && *offset % 16 != 0) {
    return std::unexpected("needs an address that is a multiple of 16 bytes; the pointer lies " +
                           std::to_string(*offset) + " bytes after the start of `" + std::string(map.tensor->name) +
                           "`");
  }
  Reader read(args.subspan(4));
  for (int i = 0; i < *rank; ++i) map.dims.push_back(read.extent({"an extent", 1, std::int64_t{1} << 32, 1}));
  for (int i = 1; i < *rank; ++i) {
    map.strides.push_back(read.extent({"a byte stride", 0, (std::int64_t{1} << 40) - 16, 16}));
  }
  for (int i = 0; i < *rank; ++i) map.box.push_back(read.number({"an extent of the box", 1, 256, 1}));
  for (int i = 0; i < *rank; ++i) map.element_strides.push_back(read.number({"an element stride", 1, 8, 1}));
  map.interleave = static_cast<int>(read.number({"the interleave mode", 0, 2, 1}));
  map.swizzle = static_cast<int>(read.number({"the swizzle mode", 0, 6, 1}));
  map.l2_promotion = static_cast<int>(read.number({"the L2 promotion", 0, 3, 1}));
  map.oob_fill = static_cast<int>(read.number({"the fill mode", 0, 1, 1}));
  if (args.size() > expected) set_driver_type(map, read);
  if (map.oob_fill == 1 && !map.dtype.starts_with("float") && map.dtype != "bfloat16" && map.dtype != "tf32") {
    read.fail("the NaN fill is for floating-point types, the type is " + std::string(map.dtype));
  }
  const auto own = std::ranges::find(kDriverTypes, map.dtype, &DriverType::name);
  const std::int64_t bits =
      own != std::end(kDriverTypes) ? own->bits : parse_dtype(map.dtype).value_or(kUInt8).storage_bits();
  const std::int64_t row = map.box[0] * bits / 8;
  constexpr std::int64_t kSpan[] = {0, 32, 64, 128, 128, 128, 128};
  if (map.interleave == 0 && row % 16 != 0) {
    read.fail("the innermost extent of the box has " + std::to_string(row) + " bytes, which is no multiple of 16");
  } else if (read.failure.empty() && map.swizzle > 0 && row > kSpan[map.swizzle]) {
    read.fail("the innermost extent of the box has " + std::to_string(row) + " bytes, more than the " +
              std::to_string(kSpan[map.swizzle]) + " that swizzle mode " + std::to_string(map.swizzle) + " covers");
  }
  if (!read.failure.empty()) return std::unexpected(read.failure);
  return map;
}

std::optional<std::string> foreign_host_call(const Stmt* host) {
  std::optional<std::string> out;
  walk_stmts(host, [&](const Stmt* s) {
    const auto* evaluate = as<Evaluate>(s);
    const auto* call = evaluate ? evaluate->value.as<Call>() : nullptr;
    if (!call || call->callee->name != "call_packed" || is_tensor_map_encode(*call) || out) return true;
    std::string_view name = call->args.empty() ? std::string_view() : text_of(call->args[0]);
    out = "the host part calls " + (name.empty() ? "something without a name" : std::string(name)) +
          ", which only the script's own runtime can do";
    return true;
  });
  return out;
}

std::optional<MapType> map_type(std::string_view dtype) {
  // In the order of the driver's enumeration. What it lacks travels as unsigned integers of the same width: a copy
  // moves bits.
  static constexpr std::pair<std::string_view, MapType> kTypes[] = {
      {"uint8", {"UINT8", 0}},       {"int8", {"UINT8", 0}},
      {"bool", {"UINT8", 0}},        {"uint16", {"UINT16", 1}},
      {"int16", {"UINT16", 1}},      {"uint32", {"UINT32", 2}},
      {"int32", {"INT32", 3}},       {"uint64", {"UINT64", 4}},
      {"int64", {"INT64", 5}},       {"float16", {"FLOAT16", 6}},
      {"float32", {"FLOAT32", 7}},   {"float64", {"FLOAT64", 8}},
      {"bfloat16", {"BFLOAT16", 9}}, {"float4_e2m1fn", {"16U4_ALIGN16B", 14}}};
  for (const auto& [name, type] : kTypes)
    if (name == dtype) return type;
  for (const DriverType& own : kDriverTypes)
    if (own.name == dtype) return MapType{own.enumerator, static_cast<int>(own.number)};
  if (dtype.starts_with("float8_")) return MapType{"UINT8", 0};
  return std::nullopt;
}

}  // namespace tilewright::lower
