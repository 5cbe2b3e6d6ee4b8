// Conversions and packed arithmetic by CUDA's own functions.
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

// Packed values travel as integers: a float2 as uint64, a bfloat162 as uint32; the first element is in the low bits.
constexpr Intrinsic kCudaConvertRows[] = {
    row<"src: f16">("C38", "cuda.half2float", Meaning::HalfToFloat)
        .pure()
        .returns<ir::kFloat32>()
        .needs("fp16")
        .inline_cxx("__half2float({0})")
        .says("A float16 as float32."),
    row<"src: bf16">("C39", "cuda.bfloat162float", Meaning::BFloatToFloat)
        .pure()
        .returns<ir::kFloat32>()
        .needs("bf16")
        .inline_cxx("__bfloat162float({0})")
        .says("A bfloat16 as float32."),
    row<"dst: ptr, src: ptr">("C40", "cuda.float22half2", Meaning::Float2ToHalf2)
        .effects<"reads generic src[8]; writes generic dst[4]">()
        .needs("fp16")
        .cxx("*(half2*){dst} = __float22half2_rn(*(const float2*){src});")
        .says("Rounds two float32 in memory to float16."),
    row<"src_addr: ptr, dst_addr: ptr">("C41", "cuda.half8tofloat8", Meaning::Half8ToFloat8)
        .effects<"reads generic src_addr[16]; writes generic dst_addr[32]">()
        .needs("fp16")
        .cxx("float2* out = (float2*){dst_addr};\n"
             "for (int i = 0; i < 4; ++i) out[i] = __half22float2(((const half2*){src_addr})[i]);")
        .says("Widens eight float16 to float32. The source comes first."),
    row<"src_addr: ptr, dst_addr: ptr">("C42", "cuda.float8tohalf8", Meaning::Float8ToHalf8)
        .effects<"reads generic src_addr[32]; writes generic dst_addr[16]">()
        .needs("fp16")
        .cxx("for (int i = 0; i < 4; ++i) ((half2*){dst_addr})[i] = __float22half2_rn(((const float2*){src_addr})[i]);")
        .says("Rounds eight float32 to float16. The source comes first."),
    row<"bits: u32">("C43", "cuda.uint_as_float", Meaning::BitsToFloat)
        .pure()
        .returns<ir::kFloat32>()
        .inline_cxx("__uint_as_float({0})")
        .says("The float32 of these bits."),
    row<"x: f32">("C44", "cuda.float_as_uint", Meaning::FloatToBits)
        .pure()
        .returns<ir::kUInt32>()
        .inline_cxx("__float_as_uint({0})")
        .says("The bits of a float32."),
    row<"x: f32, y: f32">("W31", "cuda.fdividef", Meaning::RcpApprox)
        .pure()
        .returns<ir::kFloat32>()
        .inline_cxx("__fdividef({0}, {1})")
        .says("x / y, approximately; 0 where y is beyond 2^126."),
    row<"x: f32, y: f32">("C45", "cuda.make_float2", Meaning::PackFloat2)
        .pure()
        .returns<ir::kUInt64>()
        .cxx("return (unsigned long long)__float_as_uint({y}) << 32 | __float_as_uint({x});")
        .says("Two float32 packed into 64 bits."),
    row<"packed: u64">("C46", "cuda.float2_x", Meaning::Float2First)
        .pure()
        .returns<ir::kFloat32>()
        .inline_cxx("__uint_as_float((unsigned int)({0}))")
        .says("The first of two packed float32."),
    row<"packed: u64">("C47", "cuda.float2_y", Meaning::Float2Second)
        .pure()
        .returns<ir::kFloat32>()
        .inline_cxx("__uint_as_float((unsigned int)(({0}) >> 32))")
        .says("The second of two packed float32."),
    row<"a: u64, b: u64">("C48", "cuda.fmul2_rn", Meaning::MulFloat2)
        .cc(Sm100)
        .pure()
        .returns<ir::kUInt64>()
        .cxx("float2 r = __fmul2_rn(*(float2*)&{a}, *(float2*)&{b});\nreturn *(unsigned long long*)&r;")
        .says("Two float32 products at once."),
    row<"a: u64, b: u64">("C50", "cuda.fadd2_rn", Meaning::AddFloat2)
        .cc(Sm100)
        .pure()
        .returns<ir::kUInt64>()
        .cxx("float2 r = __fadd2_rn(*(float2*)&{a}, *(float2*)&{b});\nreturn *(unsigned long long*)&r;")
        .says("Two float32 sums at once."),
    row<"v0: f32, v1: f32">("C51", "cuda.float22bfloat162_rn", Meaning::FloatsToBFloat2)
        .pure()
        .returns<ir::kUInt32>()
        .needs("bf16")
        .cxx("nv_bfloat162 r = __float22bfloat162_rn(make_float2({v0}, {v1}));\nreturn *(unsigned int*)&r;")
        .says("Rounds two float32 to bfloat16, packed into 32 bits."),
    row<"packed: u64">("C52", "cuda.float22bfloat162_rn_from_float2", Meaning::Float2ToBFloat2)
        .pure()
        .returns<ir::kUInt32>()
        .needs("bf16")
        .cxx("nv_bfloat162 r = __float22bfloat162_rn(*(float2*)&{packed});\nreturn *(unsigned int*)&r;")
        .says("Rounds two packed float32 to bfloat16, packed into 32 bits."),
    row<"packed: u32">("C53", "cuda.bfloat1622float2", Meaning::BFloat2ToFloat2)
        .pure()
        .returns<ir::kUInt64>()
        .needs("bf16")
        .cxx("float2 r = __bfloat1622float2(*(nv_bfloat162*)&{packed});\nreturn *(unsigned long long*)&r;")
        .says("Widens two packed bfloat16 to float32, packed into 64 bits."),
    row<"a: u32, b: u32">("C54", "cuda.hmin2", Meaning::BFloat2Min)
        .pure()
        .returns<ir::kUInt32>()
        .needs("bf16")
        .cxx("nv_bfloat162 r = __hmin2(*(nv_bfloat162*)&{a}, *(nv_bfloat162*)&{b});\nreturn *(unsigned int*)&r;")
        .says("The lesser of two packed bfloat16, element by element."),
    row<"a: u32, b: u32">("C55", "cuda.hmax2", Meaning::BFloat2Max)
        .pure()
        .returns<ir::kUInt32>()
        .needs("bf16")
        .cxx("nv_bfloat162 r = __hmax2(*(nv_bfloat162*)&{a}, *(nv_bfloat162*)&{b});\nreturn *(unsigned int*)&r;")
        .says("The greater of two packed bfloat16, element by element."),
    row<"x: f32, y: f32, z: f32, w: f32">("C56", "cuda.fp8x4_e4m3_from_float4", Meaning::FloatsToFp8x4)
        .pure()
        .returns<ir::kUInt32>()
        .needs("fp8")
        .cxx("__nv_fp8x4_e4m3 r(make_float4({x}, {y}, {z}, {w}));\nreturn r.__x;")
        .says("Rounds four float32 to float8_e4m3fn, packed into 32 bits."),
    row<"value: u32">("C57", "cuda.ffs_u32", Meaning::FindFirstSet)
        .pure()
        .returns<ir::kInt32>()
        .inline_cxx("__ffs((int)({0}))")
        .says("One more than the position of the lowest set bit; 0 for none."),
};

}  // namespace

std::span<const Intrinsic> cuda_convert_rows() { return kCudaConvertRows; }

}  // namespace tilewright::intrinsics
