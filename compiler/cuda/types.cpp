#include "compiler/cuda/types.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace tilewright::cuda {

using namespace ir;

namespace {

std::string_view scalar_type(DataType d, Needs& needs) {
  switch (d.code) {
    case TypeCode::Bool: return "bool";
    case TypeCode::Int:
      switch (d.bits) {
        case 8: return "signed char";
        case 16: return "short";
        case 32: return "int";
        case 64: return "long long";
        case 128: return "__int128_t";
        default: return {};
      }
    case TypeCode::UInt:
      switch (d.bits) {
        case 8: return "unsigned char";
        case 16: return "unsigned short";
        case 32: return "unsigned";
        case 64: return "unsigned long long";
        case 128: return "__uint128_t";
        default: return {};
      }
    case TypeCode::Float:
      switch (d.bits) {
        case 16: needs.fp16 = true; return "half";
        case 32: return "float";
        case 64: return "double";
        default: return {};
      }
    case TypeCode::BFloat: needs.bf16 = true; return "nv_bfloat16";
    case TypeCode::Float8E4M3FN: needs.fp8 = true; return "__nv_fp8_e4m3";
    case TypeCode::Float8E5M2: needs.fp8 = true; return "__nv_fp8_e5m2";
    case TypeCode::Float8E8M0FNU: needs.fp8 = true; return "__nv_fp8_e8m0";
    case TypeCode::Float6E2M3FN: needs.fp6 = true; return "__nv_fp6_e2m3";
    case TypeCode::Float6E3M2FN: needs.fp6 = true; return "__nv_fp6_e3m2";
    case TypeCode::Float4E2M1FN: needs.fp4 = true; return "__nv_fp4_e2m1";
    case TypeCode::Handle: return "void*";
    case TypeCode::TensorMap: needs.tensor_map = true; return "CUtensorMap";
    case TypeCode::Void: return "void";
    default: return {};
  }
}

}  // namespace

std::string type_name(DataType d, Needs& needs) {
  std::string_view element = scalar_type(d, needs);
  if (d.lanes == 1 || element.empty()) return std::string(element);
  needs.vectors = true;
  return "vec<" + std::string(element) + ", " + std::to_string(d.lanes) + ">";
}

std::string storage_type_name(DataType d, Needs& needs) {
  if (d.is_bool()) return d.lanes == 1 ? "signed char" : type_name({TypeCode::Int, 8, d.lanes}, needs);
  if (d.storage_bits() < 8 && d.storage_bits() > 0) return "unsigned char";
  return type_name(d, needs);
}

void append_int(std::string& out, std::int64_t value) {
  char digits[24];
  auto [end, ec] = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, end);
}

void append_constant(std::string& out, const IntImm& imm) {
  DataType d = imm.dtype;
  std::int64_t v = imm.value;
  if (d.bits > 64) {
    out += d.is_uint() ? "(__uint128_t)" : "(__int128_t)";
    d.bits = 64;
  }
  if (d.is_bool()) {
    out += v ? "true" : "false";
  } else if (d.is_uint()) {
    char digits[24];
    std::uint64_t u = static_cast<std::uint64_t>(v);
    if (d.bits < 64) u &= (std::uint64_t{1} << d.bits) - 1;
    // Masks read better in hexadecimal.
    bool mask = u >= 0x10000;
    auto [end, ec] = std::to_chars(digits, digits + sizeof digits, u, mask ? 16 : 10);
    if (mask) out += "0x";
    out.append(digits, end);
    out += d.bits == 64 ? "ull" : "u";
  } else if (v == std::numeric_limits<std::int64_t>::min()) {
    out += "(-9223372036854775807ll - 1)";
  } else if (d.bits <= 32 && v == std::numeric_limits<std::int32_t>::min()) {
    out += "(-2147483647 - 1)";
  } else {
    append_int(out, v);
    if (d.bits == 64) out += "ll";
  }
}

void append_constant(std::string& out, const FloatImm& imm, Needs& needs) {
  auto decimal = [&](auto value) {
    char digits[32];
    auto [end, ec] = std::to_chars(digits, digits + sizeof digits, value);
    std::string_view text(digits, static_cast<std::size_t>(end - digits));
    out += text;
    if (text.find_first_of(".e") == text.npos) out += ".0";
  };
  DataType d = imm.dtype;
  auto float32 = [&](float value) {
    if (std::isfinite(value)) {
      decimal(value);
      out += "f";
    } else {
      char digits[12];
      auto [end, ec] = std::to_chars(digits, digits + sizeof digits, std::bit_cast<std::uint32_t>(value), 16);
      out.append("__int_as_float(0x").append(digits, end).append(")");
    }
  };
  if (d.is_float() && d.bits == 64) {
    if (std::isfinite(imm.value)) {
      decimal(imm.value);
    } else {
      char digits[20];
      auto [end, ec] = std::to_chars(digits, digits + sizeof digits, std::bit_cast<std::uint64_t>(imm.value), 16);
      out.append("__longlong_as_double(0x").append(digits, end).append("ll)");
    }
  } else if (d.is_float() && d.bits == 32) {
    float32(static_cast<float>(imm.value));
  } else if (d.is_float() || d.is_bfloat()) {
    scalar_type(d, needs);
    out += d.is_float() ? "__float2half(" : "__float2bfloat16(";
    float32(static_cast<float>(imm.value));
    out += ")";
  } else {
    out.append(scalar_type(d.element(), needs)).append("(");
    float32(static_cast<float>(imm.value));
    out += ")";
  }
}

namespace {

constexpr std::string_view kVectors =
    R"(// A short vector in one register group; loads and stores of it are single wide accesses.
template <typename T, int N>
struct alignas((N & (N - 1)) || sizeof(T) * N > 16 ? sizeof(T) : sizeof(T) * N) vec {
  T v[N];
  __device__ static vec fill(T x) { vec r; for (int i = 0; i < N; ++i) r.v[i] = x; return r; }
  __device__ static vec ramp(T base, T step) { vec r; for (int i = 0; i < N; ++i) r.v[i] = base + step * (T)i; return r; }
  template <typename U>
  __device__ static vec from(vec<U, N> x) { vec r; for (int i = 0; i < N; ++i) r.v[i] = (T)x.v[i]; return r; }
};
#define VEC_OPERATOR(R, op) \
  template <typename T, int N> \
  __device__ vec<R, N> operator op(vec<T, N> a, vec<T, N> b) { vec<R, N> r; for (int i = 0; i < N; ++i) r.v[i] = a.v[i] op b.v[i]; return r; }
VEC_OPERATOR(T, +) VEC_OPERATOR(T, -) VEC_OPERATOR(T, *) VEC_OPERATOR(T, /) VEC_OPERATOR(T, %)
VEC_OPERATOR(T, &) VEC_OPERATOR(T, |) VEC_OPERATOR(T, ^) VEC_OPERATOR(T, <<) VEC_OPERATOR(T, >>)
VEC_OPERATOR(bool, ==) VEC_OPERATOR(bool, !=) VEC_OPERATOR(bool, <) VEC_OPERATOR(bool, <=) VEC_OPERATOR(bool, >) VEC_OPERATOR(bool, >=)
#undef VEC_OPERATOR
template <typename T, int N>
__device__ vec<T, N> min(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = b.v[i] < a.v[i] ? b.v[i] : a.v[i]; return r; }
template <typename T, int N>
__device__ vec<T, N> max(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = a.v[i] < b.v[i] ? b.v[i] : a.v[i]; return r; }
template <typename T, int N>
__device__ vec<T, N> select(vec<bool, N> c, vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = c.v[i] ? a.v[i] : b.v[i]; return r; }
template <int N, typename T>
__device__ vec<T, N> gather(const T* p, long long stride) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = p[i * stride]; return r; }
template <typename T, typename U, int N>
__device__ void scatter(T* p, long long stride, vec<U, N> x) { for (int i = 0; i < N; ++i) p[i * stride] = x.v[i]; }

)";

constexpr std::string_view kRegisters[] = {"cluster_ctarank", "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z",
                                           "clusterid.x",     "clusterid.y",     "clusterid.z"};

}  // namespace

std::string preamble(const Needs& n) {
  std::string out;
  bool fp16 = n.fp16 || n.foreign_source, bf16 = n.bf16 || n.foreign_source;
  if (fp16) out += "#include <cuda_fp16.h>\n";
  if (bf16) out += "#include <cuda_bf16.h>\n";
  if (n.fp8) out += "#include <cuda_fp8.h>\n";
  if (n.fp6) out += "#include <cuda_fp6.h>\n";
  if (n.fp4) out += "#include <cuda_fp4.h>\n";
  if (n.mma) out += "#include <mma.h>\n";
  if (n.cooperative_groups) out += "#include <cooperative_groups.h>\n";
  if (n.barrier) out += "#include <cuda/barrier>\n";
  if (n.nvshmem) out += "#include <nvshmem.h>\n#include <nvshmemx.h>\n";
  if (n.foreign_source) {
    out +=
        "#ifdef __CUDACC_RTC__\n"
        "#include <cuda/std/cstdint>\n"
        "using namespace cuda::std;\n"
        "#else\n"
        "#include <cstdint>\n"
        "#endif\n"
        "using uint = unsigned int;\n"
        "using uchar = unsigned char;\n"
        "using ushort = unsigned short;\n";
  }
  if (n.fixed_integers && !n.foreign_source) {
    out +=
        "#ifdef __CUDACC_RTC__\n"
        "#include <cuda/std/cstdint>\n"
        "using namespace cuda::std;\n"
        "#else\n"
        "#include <cstdint>\n"
        "#endif\n";
  }
  if (n.tensor_map) {
    out +=
        "#ifdef __CUDACC_RTC__\n"
        "struct alignas(128) CUtensorMap { unsigned long long opaque[16]; };\n"
        "#else\n"
        "#include <cuda.h>\n"
        "#endif\n";
  }
  if (!out.empty()) out += "\n";
  if (n.vectors) out += kVectors;
  if (n.bit_cast) {
    out +=
        "template <typename To, typename From>\n"
        "__device__ To bit_cast(From from) { To to; memcpy(&to, &from, sizeof to); return to; }\n\n";
  }
  if (n.floor_div) {
    out +=
        "template <typename T>\n"
        "__device__ T floor_div(T a, T b) { T q = a / b; return q - (q * b != a && (a < 0) != (b < 0)); }\n\n";
  }
  if (n.floor_mod) {
    out +=
        "template <typename T>\n"
        "__device__ T floor_mod(T a, T b) { T r = a % b; return r + (r != 0 && (r < 0) != (b < 0) ? b : 0); }\n\n";
  }
  for (int i = 0; i < 7; ++i) {
    if (!n.special_register[i]) continue;
    std::string name(kRegisters[i]);
    std::string function = name;
    if (std::size_t dot = function.find('.'); dot != function.npos) function[dot] = '_';
    out.append("__device__ unsigned ").append(function).append("() { unsigned r; asm(\"mov.u32 %0, %%").append(name);
    out += ";\" : \"=r\"(r)); return r; }\n\n";
  }
  return out;
}

}  // namespace tilewright::cuda
