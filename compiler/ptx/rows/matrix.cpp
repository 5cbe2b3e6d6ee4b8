// Matrix products of a warp and the loads of their operands.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kMatrixRows[] = {
    {"ldmatrix_s8_s4", "ldmatrix sync aligned m8n16 num=x1|x2|x4 space=shared|shared::cta? s8 s4", "=r:b32*{num} [p]",
     "sm_107a 9.4"},
    {"mma",
     "mma sync aligned shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16|m16n8k32 alayout=row|col blayout=row|col f32 "
     "atype=f16|bf16|tf32|e4m3|e5m2 btype=f16|bf16|tf32|e4m3|e5m2 f32",
     "=d:f32*{shape.mn*shape.quads/32} a:u32*{shape.mk*atype.bits*shape.quads/1024} "
     "b:u32*{shape.kn*atype.bits*shape.quads/1024} c:f32*{shape.mn*shape.quads/32}",
     "sm_89 8.4 if:mma_f32 same:P64"},
    {"mma_f16acc",
     "mma sync aligned shape=m8n8k4|m16n8k8|m16n8k16|m16n8k32 alayout=row|col blayout=row|col f16 atype=f16|"
     "e4m3|e5m2 btype=f16|e4m3|e5m2 f16",
     "=d:u32*{shape.mn*shape.quads/64} a:u32*{shape.mk*atype.bits*shape.quads/1024} "
     "b:u32*{shape.kn*atype.bits*shape.quads/1024} c:u32*{shape.mn*shape.quads/64}",
     "sm_89 8.4 if:mma_f16 same:P64"},
    {"mma_f16c_f32d", "mma sync aligned m8n8k4 alayout=row|col blayout=row|col f32 f16 f16 f16",
     "=d:f32*8 a:u32*2 b:u32*2 c:u32*4", "sm_75 6.4 same:P64.half"},
    {"mma_int",
     "mma sync aligned shape=m8n8k16|m16n8k16|m16n8k32|m8n8k32|m16n8k64|m8n8k128|m16n8k128|m16n8k256 row col "
     "satfinite? s32 atype=u8|s8|u4|s4|b1 btype=u8|s8|u4|s4|b1 s32 bitop=xor|and? popc?",
     "=d:u32*{shape.mn/32} a:u32*{shape.mk*atype.bits*shape.quads/1024} "
     "b:u32*{shape.kn*atype.bits*shape.quads/1024} c:u32*{shape.mn/32}",
     "sm_80 7.0 if:mma_integer same:P64"},
    {"mma_f64", "mma sync aligned shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col f64 f64 f64 f64 rnd=rn|rz|rm|rp?",
     "=d:f64*{shape.mn/32} a:f64*{shape.mk/32} b:f64*{shape.kn/32} c:f64*{shape.mn/32}", "sm_90 7.0 same:P64"},
    {"mma_sp_f16acc", "mma spvariant=sp|sp::ordered_metadata sync aligned m16n8k16 row col f16 f16 f16 f16",
     "=d:u32*2 a:u32*2 b:u32*2 c:u32*2 e:u32 #f(0|1|2|3)", "sm_80 8.5 same:P65.list"},
    {"mma_sp_f16acc_pair", "mma spvariant=sp|sp::ordered_metadata sync aligned m16n8k32 row col f16 f16 f16 f16",
     "=d:u32*2 a:u32*4 b:u32*4 c:u32*2 e:u32 #f(0|1)", "sm_80 8.5 same:P65.list"},
    {"mma_sp_int_pair",
     "mma spvariant=sp|sp::ordered_metadata sync aligned shape=m16n8k32|m16n8k64 row col satfinite? s32 "
     "atype=u8|s8|u4|s4 btype=u8|s8|u4|s4 s32",
     "=d:u32*4 a:u32*2 b:u32*2 c:u32*4 e:u32 #f(0|1)", "sm_80 8.5 if:sparse_integer same:P65.list"},
    {"mma_sp_int_all",
     "mma spvariant=sp|sp::ordered_metadata sync aligned shape=m16n8k64|m16n8k128 row col satfinite? s32 "
     "atype=u8|s8|u4|s4 btype=u8|s8|u4|s4 s32",
     "=d:u32*4 a:u32*4 b:u32*4 c:u32*4 e:u32 #f(0)", "sm_80 8.5 if:sparse_integer_all same:P65.list"},
    {"ldmatrix", "ldmatrix sync aligned m8n8 num=x1|x2|x4 trans? space=shared|shared::cta? b16", "=r:b32*{num} [p]",
     "sm_75 6.5 same:P61"},
    {"ldmatrix_m16n16_b8", "ldmatrix sync aligned m16n16 num=x1|x2 trans space=shared|shared::cta? b8",
     "=r:b32*{num*2} [p]", "sm_100a 8.6"},
    {"ldmatrix_b8fmt",
     "ldmatrix sync aligned shape=m8n16|m16n16 num=x1|x2|x4 trans? space=shared|shared::cta? b8x16 "
     "src_fmt=b6x16_p32|b4x16_p64",
     "=r:b32*{shape.mn*num/128} [p]", "sm_100a 8.6 if:matrix_bytes"},
    {"movmatrix", "movmatrix sync aligned m8n8 trans b16", "=d:b32 a:b32", "sm_75 7.8"},
    {"stmatrix", "stmatrix sync aligned m8n8 num=x1|x2|x4 trans? space=shared|shared::cta? b16", "[p] r:b32*{num}",
     "sm_90 7.8 same:P63"},
    {"stmatrix_m16n8_b8", "stmatrix sync aligned m16n8 num=x1|x2|x4 trans space=shared|shared::cta? b8",
     "[p] r:b32*{num}", "sm_100a 8.6 same:P63"},
    {"mma_sp",
     "mma spvariant=sp|sp::ordered_metadata sync aligned shape=m16n8k8|m16n8k16 row col f32 atype=f16|bf16|tf32 "
     "btype=f16|bf16|tf32 f32",
     "=d:f32*4 a:u32*2 b:u32*2 c:f32*4 e:u32 #f(0|1|2|3)", "sm_80 8.5 if:sparse_float same:P65.list"},
    {"mma_sp_pair",
     "mma spvariant=sp|sp::ordered_metadata sync aligned shape=m16n8k16|m16n8k32 row col f32 atype=f16|bf16|"
     "tf32 btype=f16|bf16|tf32 f32",
     "=d:f32*4 a:u32*4 b:u32*4 c:f32*4 e:u32 #f(0|1)", "sm_80 8.5 if:sparse_float_pair same:P65.list"},
    {"mma_sp_all",
     "mma spvariant=sp|sp::ordered_metadata sync aligned m16n8k64 row col f32 atype=e4m3|e5m2 btype=e4m3|e5m2 f32",
     "=d:f32*4 a:u32*4 b:u32*4 c:f32*4 e:u32 #f(0)", "sm_89 8.5 same:P65.list"},
};

}  // namespace

std::span<const RowText> matrix_rows() { return kMatrixRows; }

}  // namespace tilewright::ptx
