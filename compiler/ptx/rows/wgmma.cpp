// Matrix products of a warpgroup.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kWgmmaRows[] = {
    {"wgmma_f16_ss", "wgmma mma_async sync aligned shape=@wgmma_k16 f32 f16 f16",
     "+d:f32*{shape.n/2} a_desc:u64 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1) #trans_a(0|1) "
     "#trans_b(0|1)",
     "sm_90a 8.0 same:P72"},
    {"wgmma_f16_rs", "wgmma mma_async sync aligned shape=@wgmma_k16 f32 f16 f16",
     "+d:f32*{shape.n/2} a:u32*4 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1) #trans_b(0|1)",
     "sm_90a 8.0 same:P73"},
    {"wgmma_f16_f16acc_ss", "wgmma mma_async sync aligned shape=@wgmma_k16 f16 f16 f16",
     "+d:u32*{shape.n/4} a_desc:u64 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1) #trans_a(0|1) "
     "#trans_b(0|1)",
     "sm_90a 8.0 same:P72.mixed"},
    {"wgmma_f16_f16acc_rs", "wgmma mma_async sync aligned shape=@wgmma_k16 f16 f16 f16",
     "+d:u32*{shape.n/4} a:u32*4 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1) #trans_b(0|1)",
     "sm_90a 8.0 same:P73.mixed"},
    {"wgmma_bf16_ss", "wgmma mma_async sync aligned shape=@wgmma_k16 f32 bf16 bf16",
     "+d:f32*{shape.n/2} a_desc:u64 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1) #trans_a(0|1) "
     "#trans_b(0|1)",
     "sm_90a 8.0 same:P72"},
    {"wgmma_bf16_rs", "wgmma mma_async sync aligned shape=@wgmma_k16 f32 bf16 bf16",
     "+d:f32*{shape.n/2} a:u32*4 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1) #trans_b(0|1)",
     "sm_90a 8.0 same:P73"},
    {"wgmma_tf32_ss", "wgmma mma_async sync aligned shape=@wgmma_k8 f32 tf32 tf32",
     "+d:f32*{shape.n/2} a_desc:u64 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1)", "sm_90a 8.0 same:P72"},
    {"wgmma_tf32_rs", "wgmma mma_async sync aligned shape=@wgmma_k8 f32 tf32 tf32",
     "+d:f32*{shape.n/2} a:u32*4 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1)", "sm_90a 8.0 same:P73"},
    {"wgmma_fp8_ss", "wgmma mma_async sync aligned shape=@wgmma_k32 f32 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "+d:f32*{shape.n/2} a_desc:u64 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1)",
     "sm_90a 8.0 same:P72,P72.mixed"},
    {"wgmma_fp8_rs", "wgmma mma_async sync aligned shape=@wgmma_k32 f32 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "+d:f32*{shape.n/2} a:u32*4 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1)",
     "sm_90a 8.0 same:P73,P73.mixed"},
    {"wgmma_fp8_f16acc_ss", "wgmma mma_async sync aligned shape=@wgmma_k32 f16 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "+d:u32*{shape.n/4} a_desc:u64 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1)",
     "sm_90a 8.0 same:P72.mixed"},
    {"wgmma_fp8_f16acc_rs", "wgmma mma_async sync aligned shape=@wgmma_k32 f16 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "+d:u32*{shape.n/4} a:u32*4 b_desc:u64 scale_d:pred #scale_a(-1|1) #scale_b(-1|1)", "sm_90a 8.0 same:P73.mixed"},
    {"wgmma_int_ss", "wgmma mma_async sync aligned shape=@wgmma_k32_integer satfinite? s32 atype=s8|u8 btype=s8|u8",
     "+d:u32*{shape.n/2} a_desc:u64 b_desc:u64 scale_d:pred", "sm_90a 8.0 same:P72.integer,P72.mixed"},
    {"wgmma_int_rs", "wgmma mma_async sync aligned shape=@wgmma_k32_integer satfinite? s32 atype=s8|u8 btype=s8|u8",
     "+d:u32*{shape.n/2} a:u32*4 b_desc:u64 scale_d:pred", "sm_90a 8.0 same:P73.integer,P73.mixed"},
    {"wgmma_b1_ss", "wgmma mma_async sync aligned shape=@wgmma_k256 s32 b1 b1 and popc",
     "+d:u32*{shape.n/2} a_desc:u64 b_desc:u64 scale_d:pred", "sm_90a 8.0 same:P72.mixed"},
    {"wgmma_b1_rs", "wgmma mma_async sync aligned shape=@wgmma_k256 s32 b1 b1 and popc",
     "+d:u32*{shape.n/2} a:u32*4 b_desc:u64 scale_d:pred", "sm_90a 8.0 same:P73.mixed"},
    {"wgmma_fence", "wgmma fence sync aligned", "", "sm_90a 8.0 orders same:P67"},
    {"wgmma_commit_group", "wgmma commit_group sync aligned", "", "sm_90a 8.0 orders same:P68"},
    {"wgmma_wait_group", "wgmma wait_group sync aligned", "#group(0|1|2|3|4|5|6|7)", "sm_90a 8.0 orders same:P69"},
};

}  // namespace

std::span<const RowText> wgmma_rows() { return kWgmmaRows; }

}  // namespace tilewright::ptx
