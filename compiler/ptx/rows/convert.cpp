// Conversions between types.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kConvertRows[] = {
    {"cvt_pzo_scalar_f32", "cvt rnd=rn|rz relu? satfinite? pzo dtype=f16|bf16 f32", "=d:dtype a:f32", "sm_107f 9.4"},
    {"cvt_pzo_fp16x2_f32", "cvt rnd=rn|rz relu? satfinite? pzo dtype=f16x2|bf16x2 f32", "=d:dtype a:f32 b:f32",
     "sm_107f 9.4"},
    {"cvt_pzo_tf32_f32", "cvt rnd=rn|rz satfinite? relu? pzo tf32 f32", "=d:tf32 a:f32", "sm_107f 9.4"},
    {"cvt_94_narrow_f32", "cvt rnd=rn|rz satfinite relu? pzo? scaled=scaled::n1::ue8m0? dtype=@narrow_pairs f32",
     "=d:dtype a:f32 b:f32 scale_factor:byte?scaled", "sm_107f 9.4 if:narrow_to_zero"},
    {"cvt_94_narrow_fp16x2",
     "cvt rnd=rn|rz satfinite relu? pzo? scaled=scaled::n1::ue8m0? dtype=@narrow_pairs atype=f16x2|bf16x2",
     "=d:dtype a:atype scale_factor:byte?scaled", "sm_107f 9.4 if:narrow_to_zero"},
    {"cvt_ue5m3x2_f32", "cvt rnd=rn|rz|rp satfinite? ue5m3x2 f32", "=d:ue5m3x2 a:f32 b:f32", "sm_107f 9.4"},
    {"cvt_ue5m3x2_f32_scaled", "cvt rnd=rn|rz satfinite? scaled::n1::ue8m0 ue5m3x2 f32",
     "=d:ue5m3x2 a:f32 b:f32 scale_factor:byte", "sm_107f 9.4"},
    {"cvt_ue5m3x2_fp16x2", "cvt rnd=rn|rz|rp satfinite? ue5m3x2 atype=f16x2|bf16x2", "=d:ue5m3x2 a:atype",
     "sm_107f 9.4"},
    {"cvt_ue5m3x2_fp16x2_scaled", "cvt rnd=rn|rz satfinite? scaled::n1::ue8m0 ue5m3x2 atype=f16x2|bf16x2",
     "=d:ue5m3x2 a:atype scale_factor:byte", "sm_107f 9.4"},
    {"cvt_f16x2_ue5m3x2", "cvt rn f16x2 ue5m3x2", "=d:f16x2 a:ue5m3x2", "sm_107f 9.4"},
    {"cvt_bf16x2_ue5m3x2", "cvt rn satfinite? scaled=scaled::n2::ue8m0? bf16x2 ue5m3x2",
     "=d:bf16x2 a:ue5m3x2 scale_factor:ue8m0x2?scaled", "sm_107f 9.4"},
    {"cvt_pack", "cvt.pack sat convert=u16|s16 s32", "=d:u32 a:s32 b:s32", "sm_90 6.5"},
    {"cvt_pack_c", "cvt.pack sat convert=u2|s2|u4|s4|u8|s8 s32 b32", "=d:u32 a:s32 b:s32 c:b32", "sm_90 6.5"},
    {"cvt", "cvt rnd=rni|rzi|rmi|rpi|rn|rz|rm|rp? relu? satfinite? ftz? sat? dtype=@convert_types atype=@convert_types",
     "=d:dtype%to a:atype%from", "sm_90 7.0 if:convert"},
    {"cvt_f16x2_f32", "cvt rnd=rn|rz relu? satfinite? f16x2 f32", "=d:f16x2 a:f32 b:f32", "sm_80 7.0"},
    {"cvt_bf16x2_f32", "cvt rnd=rn|rz relu? satfinite? bf16x2 f32", "=d:bf16x2 a:f32 b:f32", "sm_80 7.0"},
    {"cvt_tf32_f32", "cvt rnd=rna|rn|rz satfinite? relu? tf32 f32", "=d:tf32 a:f32", "sm_100 8.6 if:convert_tf32"},
    {"cvt_rs_f16x2_f32", "cvt rs relu? satfinite? f16x2 f32", "=d:f16x2 a:f32 b:f32 rbits:b32", "sm_100a 8.6"},
    {"cvt_rs_bf16x2_f32", "cvt rs relu? satfinite? bf16x2 f32", "=d:bf16x2 a:f32 b:f32 rbits:b32", "sm_100a 8.6"},
    {"cvt_ue8m0x2_f32", "cvt rnd=rz|rp satfinite? ue8m0x2 f32", "=d:ue8m0x2 a:f32 b:f32", "sm_100a 8.6"},
    {"cvt_ue8m0x2_bf16x2", "cvt rnd=rz|rp satfinite? ue8m0x2 bf16x2", "=d:ue8m0x2 a:bf16x2", "sm_100a 8.6"},
    {"cvt_bf16x2_ue8m0x2", "cvt rn bf16x2 ue8m0x2", "=d:bf16x2 a:ue8m0x2", "sm_100a 8.6"},
    {"cvt_f8x2_f32", "cvt rn satfinite relu? dtype=e4m3x2|e5m2x2 f32", "=d:dtype a:f32 b:f32", "sm_89 8.1"},
    {"cvt_f8x2_fp16x2", "cvt rn satfinite relu? dtype=e4m3x2|e5m2x2 atype=f16x2|bf16x2", "=d:dtype a:atype",
     "sm_100a 8.6"},
    {"cvt_f16x2_f8x2", "cvt rn relu? f16x2 atype=e4m3x2|e5m2x2", "=d:f16x2 a:atype", "sm_89 8.1"},
    {"cvt_bf16x2_f8x2", "cvt rn relu? satfinite? scaled=scaled::n2::ue8m0? bf16x2 atype=e4m3x2|e5m2x2",
     "=d:bf16x2 a:atype scale_factor:ue8m0x2?scaled", "sm_100a 8.6"},
    {"cvt_rs_f8x4_f32", "cvt rs relu? satfinite dtype=e4m3x4|e5m2x4 f32", "=d:dtype abef:f32*4 rbits:b32",
     "sm_100a 8.6"},
    {"cvt_f4x2_f32", "cvt rn satfinite relu? e2m1x2 f32", "=d:e2m1x2 a:f32 b:f32", "sm_100a 8.6"},
    {"cvt_f4x2_fp16x2", "cvt rn satfinite relu? e2m1x2 atype=f16x2|bf16x2", "=d:e2m1x2 a:atype", "sm_100a 8.6"},
    {"cvt_f16x2_f4x2", "cvt rn relu? f16x2 e2m1x2", "=d:f16x2 a:e2m1x2", "sm_100a 8.6"},
    {"cvt_bf16x2_f4x2", "cvt rn relu? satfinite? scaled=scaled::n2::ue8m0? bf16x2 e2m1x2",
     "=d:bf16x2 a:e2m1x2 scale_factor:ue8m0x2?scaled", "sm_100a 8.6"},
    {"cvt_rs_f4x4_f32", "cvt rs relu? satfinite e2m1x4 f32", "=d:e2m1x4 abef:f32*4 rbits:b32", "sm_100a 8.6"},
    {"cvt_f6x2_f32", "cvt rn satfinite relu? dtype=e2m3x2|e3m2x2 f32", "=d:dtype a:f32 b:f32", "sm_100a 8.6"},
    {"cvt_f6x2_fp16x2", "cvt rn satfinite relu? dtype=e2m3x2|e3m2x2 atype=f16x2|bf16x2", "=d:dtype a:atype",
     "sm_100a 8.6"},
    {"cvt_f16x2_f6x2", "cvt rn relu? f16x2 atype=e2m3x2|e3m2x2", "=d:f16x2 a:atype", "sm_100a 8.6"},
    {"cvt_bf16x2_f6x2", "cvt rn relu? satfinite? scaled=scaled::n2::ue8m0? bf16x2 atype=e2m3x2|e3m2x2",
     "=d:bf16x2 a:atype scale_factor:ue8m0x2?scaled", "sm_100a 8.6"},
    {"cvt_rs_f6x4_f32", "cvt rs relu? satfinite dtype=e2m3x4|e3m2x4 f32", "=d:dtype abef:f32*4 rbits:b32",
     "sm_100a 8.6"},
    {"cvt_s2f6x2_f32", "cvt rn satfinite relu? scaled=scaled::n2::ue8m0? s2f6x2 f32",
     "=d:s2f6x2 a:f32 b:f32 scale_factor:ue8m0x2?scaled", "sm_100a 9.1"},
    {"cvt_s2f6x2_bf16x2", "cvt rn satfinite relu? scaled=scaled::n2::ue8m0? s2f6x2 bf16x2",
     "=d:s2f6x2 a:bf16x2 scale_factor:ue8m0x2?scaled", "sm_100a 9.1"},
    {"cvt_bf16x2_s2f6x2", "cvt rn satfinite? relu? scaled=scaled::n2::ue8m0? bf16x2 s2f6x2",
     "=d:bf16x2 a:s2f6x2 scale_factor:ue8m0x2?scaled", "sm_100a 9.1"},
};

}  // namespace

std::span<const RowText> convert_rows() { return kConvertRows; }

}  // namespace tilewright::ptx
