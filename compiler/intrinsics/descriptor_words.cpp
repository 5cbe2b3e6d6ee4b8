#include "compiler/intrinsics/descriptor_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace tilewright::intrinsics {
namespace {

using Fields = std::vector<DescriptorField>;

constexpr std::array<std::string_view, 7> kKinds = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};

std::uint64_t cut(std::uint64_t bits, int low, int high) {
  return bits >> low & ((std::uint64_t{1} << (high - low + 1)) - 1);
}

std::string number(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

// The name of a number, in the numbering of one field.
struct Name {
  std::uint64_t value;
  std::string_view name;
};
// `what`: that a number without a name is none of.
std::string named(std::uint64_t value, std::span<const Name> names, std::string_view what) {
  for (const Name& n : names) {
    if (n.value == value) return std::string(n.name);
  }
  return "no " + std::string(what) + " (" + std::to_string(value) + ")";
}

constexpr Name kFloatSums[] = {{0, "float16"}, {1, "float32"}};
constexpr Name kWideSums[] = {{1, "float32"}};
constexpr Name kIntegerSums[] = {{2, "int32"}};
constexpr Name kHalves[] = {{0, "float16"}, {1, "bfloat16"}};
constexpr Name kTf32[] = {{2, "tf32"}};
constexpr Name kIntegers[] = {{0, "uint8"}, {1, "int8"}};
constexpr Name kNarrow[] = {
    {0, "float8_e4m3fn"}, {1, "float8_e5m2"}, {3, "float6_e2m3fn"}, {4, "float6_e3m2fn"}, {5, "float4_e2m1fn"}};
constexpr Name kFp4[] = {{1, "float4_e2m1fn"}};
constexpr Name kScales[] = {{0, "float8_e4m3fn"}, {1, "float8_e8m0fnu"}};
constexpr Name kMajors[] = {{0, "K-major"}, {1, "MN-major"}};

std::span<const Name> inputs_of(std::string_view kind) {
  if (kind == "f16") return kHalves;
  if (kind == "tf32") return kTf32;
  if (kind == "i8") return kIntegers;
  if (kind == "mxf4" || kind == "mxf4nvf4") return kFp4;
  return kNarrow;
}

std::span<const Name> sums_of(std::string_view kind) {
  if (kind == "i8") return kIntegerSums;
  if (kind == "tf32") return kWideSums;
  return kFloatSums;
}

std::string bytes(std::uint64_t units) { return number(units) + " (" + number(units * 16) + " bytes)"; }

std::string swizzle_name(std::uint64_t value, MatrixUnit unit) {
  static constexpr Name kTcgen05[] = {
      {0, "none"}, {1, "128 bytes in atoms of 32"}, {2, "128 bytes"}, {4, "64 bytes"}, {6, "32 bytes"}};
  static constexpr Name kWgmma[] = {{0, "none"}, {1, "128 bytes"}, {2, "64 bytes"}, {3, "32 bytes"}};
  return named(value, unit == MatrixUnit::Wgmma ? std::span<const Name>(kWgmma) : kTcgen05, "mode");
}

void table(std::string& out, std::string_view title, const Fields& fields) {
  out += std::string(title) + "\n";
  for (const DescriptorField& f : fields) {
    std::string at = std::to_string(f.low) + (f.low == f.high ? "" : "-" + std::to_string(f.high));
    at.resize(std::max<std::size_t>(at.size(), 6), ' ');
    std::string name(f.name);
    name.resize(std::max<std::size_t>(name.size(), 20), ' ');
    out += "  " + at + " " + name + " " + f.value + "\n";
  }
}

bool all_known(const Fields& fields) {
  return std::ranges::none_of(fields, [](const DescriptorField& f) { return f.value.starts_with("no "); });
}

}  // namespace

Fields instruction_fields(std::uint32_t bits, std::string_view kind) {
  const bool scaled = kind.starts_with("mx");
  Fields out;
  auto put = [&](std::string_view name, std::string value, int low, int high) {
    out.push_back({name, std::move(value), low, high});
  };
  auto flag = [&](std::string_view name, int bit) {
    if (cut(bits, bit, bit)) put(name, "yes", bit, bit);
  };
  flag("sparse", 2);
  if (scaled) {
    put("scale id of B", number(cut(bits, 4, 5)), 4, 5);
  } else {
    flag("saturate", 3);
    put("type of D", named(cut(bits, 4, 5), sums_of(kind), "type"), 4, 5);
  }
  put("type of A", named(cut(bits, 7, 9), inputs_of(kind), "type"), 7, 9);
  put("type of B", named(cut(bits, 10, 12), inputs_of(kind), "type"), 10, 12);
  flag("negate A", 13);
  flag("negate B", 14);
  put("A", named(cut(bits, 15, 15), kMajors, "type"), 15, 15);
  put("B", named(cut(bits, 16, 16), kMajors, "type"), 16, 16);
  put("N", number(cut(bits, 17, 22) << 3), 17, 22);
  if (scaled) put("type of scales", named(cut(bits, 23, 23), kScales, "type"), 23, 23);
  put("M", number(cut(bits, 24, 28) << 4), 24, 28);
  if (scaled) put("scale id of A", number(cut(bits, 29, 30)), 29, 30);
  if (!scaled && cut(bits, 30, 31)) put("largest shift of B", number(cut(bits, 30, 31)), 30, 31);
  return out;
}

Fields matrix_fields(std::uint64_t bits, MatrixUnit unit) {
  Fields out;
  out.push_back({"address", number(cut(bits, 0, 13) * 16), 0, 13});
  out.push_back({"ldo", bytes(cut(bits, 16, 29)), 16, 29});
  out.push_back({"sdo", bytes(cut(bits, 32, 45)), 32, 45});
  if (unit == MatrixUnit::Tcgen05) out.push_back({"version", number(cut(bits, 46, 48)), 46, 48});
  if (std::uint64_t base = cut(bits, 49, 51)) out.push_back({"base offset", number(base), 49, 51});
  if (unit == MatrixUnit::Tcgen05 && cut(bits, 52, 52)) out.push_back({"ldo is absolute", "yes", 52, 52});
  const int low = unit == MatrixUnit::Tcgen05 ? 61 : 62;
  out.push_back({"swizzle", swizzle_name(cut(bits, low, 63), unit), low, 63});
  return out;
}

std::uint64_t matrix_descriptor_bits(std::int64_t ldo, std::int64_t sdo, int swizzle, MatrixUnit unit) {
  constexpr std::uint64_t kTcgen05[] = {0, 6, 4, 2}, kWgmma[] = {0, 3, 2, 1};
  const auto mode = static_cast<std::size_t>(swizzle & 3);
  const std::uint64_t strides =
      (static_cast<std::uint64_t>(ldo) & 0x3fff) << 16 | (static_cast<std::uint64_t>(sdo) & 0x3fff) << 32;
  return strides | (unit == MatrixUnit::Tcgen05 ? std::uint64_t{1} << 46 | kTcgen05[mode] << 61 : kWgmma[mode] << 62);
}

std::string words(const Fields& fields) {
  std::string out;
  for (const DescriptorField& f : fields) {
    if (f.name == "version" || f.name == "address") continue;
    out += (out.empty() ? "" : " · ") + std::string(f.name) + " " + f.value;
  }
  return out;
}

std::optional<std::string> explain_descriptor(std::string_view constant) {
  if (!constant.starts_with("0x") && !constant.starts_with("0X")) return std::nullopt;
  constant.remove_prefix(2);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(constant.data(), constant.data() + constant.size(), bits, 16);
  if (error != std::errc() || end != constant.data() + constant.size()) return std::nullopt;
  std::string out;
  if (bits >> 32 == 0) {
    for (std::string_view kind : kKinds) {
      const Fields fields = instruction_fields(static_cast<std::uint32_t>(bits), kind);
      if (all_known(fields)) table(out, "instruction descriptor of tcgen05.mma, kind::" + std::string(kind), fields);
    }
    if (out.empty()) out = "no kind of tcgen05.mma has an instruction descriptor with these types\n";
    return out;
  }
  for (auto [unit, title] : {std::pair(MatrixUnit::Tcgen05, "matrix descriptor of tcgen05"),
                             std::pair(MatrixUnit::Wgmma, "matrix descriptor of wgmma")}) {
    const Fields fields = matrix_fields(bits, unit);
    // Bits 46 to 48 are 1 in those of tcgen05 and 0 in those of wgmma.
    if (all_known(fields) && cut(bits, 46, 48) == (unit == MatrixUnit::Tcgen05 ? 1 : 0)) table(out, title, fields);
  }
  if (out.empty())
    out = "neither tcgen05 nor wgmma has a matrix descriptor with these bits 46 to 48 and this swizzle\n";
  return out;
}

}  // namespace tilewright::intrinsics
