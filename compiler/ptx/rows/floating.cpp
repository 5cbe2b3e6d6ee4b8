// Arithmetic on floating-point numbers, single and packed.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kFloatingRows[] = {
    {"add_mixed_vec_up", "add rnd=rn|rz|rm|rp? dtype=f32x2 atype=f16x2|bf16x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"sub_mixed_vec_up", "sub rnd=rn|rz|rm|rp? dtype=f32x2 atype=f16x2|bf16x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"add_mixed_vec_down_f16", "add rz ftz dtype=f16x2 atype=f32x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"sub_mixed_vec_down_f16", "sub rz ftz dtype=f16x2 atype=f32x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"add_mixed_vec_down_bf16", "add rz dtype=bf16x2 atype=f32x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"sub_mixed_vec_down_bf16", "sub rz dtype=bf16x2 atype=f32x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"fma_mixed_vec", "fma rnd=rn|rz|rm|rp dtype=f32x2 atype=f16x2|bf16x2 btype=f32x2 ctype=f32x2",
     "=d:dtype a:atype b:btype c:ctype", "sm_107f 9.4"},
    {"mul_mixed_vec_down_f16", "mul ftz rz dtype=f16x2 atype=f32x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"mul_mixed_vec_down_bf16", "mul rz dtype=bf16x2 atype=f32x2 ctype=f32x2", "=d:dtype a:atype c:ctype",
     "sm_107f 9.4"},
    {"mul_mixed_vec_bf16_f16", "mul dtype=bf16x2 atype=bf16x2 ctype=f16x2", "=d:dtype a:atype c:ctype", "sm_107f 9.4"},
    {"mul_mixed_vec_f16_bf16", "mul dtype=f16x2 atype=f16x2 ctype=bf16x2", "=d:dtype a:atype c:ctype", "sm_107f 9.4"},
    {"spcompress", "spcompress elemsize=b8|b16 idxsize=b2|b4 sp::2:4 num=x1|x2|x4|x8|x16|x32|x64",
     "=mdata:b32*{num*idxsize.bits/elemsize.bits} =cdata:b32*{num} data:b32*{num*2} spdesc:u32", "sm_107a 9.4"},
    {"spdecompress",
     "spdecompress elemsize=b8|b16 idxsize=b2|b4 spfactor=sp::1:2|sp::1:4|sp::1:8|sp::1:16|sp::2:4|sp::2:8|"
     "sp::2:16|sp::4:8|sp::4:16 num=x1|x2|x4|x8|x16|x32|x64",
     "=data:b32*{num*spfactor.second*elemsize.bits/32} mdata:b32*{num*spfactor*idxsize.bits/32} "
     "cdata:b32*{num*spfactor*elemsize.bits/32}",
     "sm_107a 9.4 if:decompress"},
    {"max", "max ftz? nan=NaN? xorsign? abs? relu? type=@min_max_types", "=d a b",
     "sm_90 8.0 if:min_max same:P97@type=f32&!xorsign&!abs&!relu"},
    {"min", "min ftz? nan=NaN? xorsign? abs? relu? type=@min_max_types", "=d a b", "sm_90 8.0 if:min_max"},
    {"max3", "max ftz? NaN? abs? type=f32", "=d a b c", "sm_100 8.8 same:P95@!ftz&!NaN&!abs"},
    {"min3", "min ftz? NaN? abs? type=f32", "=d a b c", "sm_100 8.8 same:P96@!ftz&!NaN&!abs"},
    {"add", "add rnd=rn|rz|rm|rp? ftz? sat? type=f32|f64|f32x2 srctype=f16|bf16?", "=d a:srctype b",
     "sm_100 8.6 if:float_arithmetic "
     "same:P111@srctype=bf16&rnd=rn&!sat,P98@type=f32&!srctype,P102@type=f32x2,P106@type=f64"},
    {"sub", "sub rnd=rn|rz|rm|rp? ftz? sat? type=f32|f64|f32x2 srctype=f16|bf16?", "=d a:srctype b",
     "sm_100 8.6 if:float_arithmetic same:P99@type=f32&!srctype,P103@type=f32x2,P107@type=f64"},
    {"mul", "mul rnd=rn|rz|rm|rp? ftz? sat? type=f32|f64|f32x2", "=d a b",
     "sm_100 8.6 if:float_arithmetic same:P100@type=f32,P104@type=f32x2,P108@type=f64"},
    {"fma", "fma rnd=rn|rz|rm|rp ftz? sat? type=f32|f64|f32x2 srctype=f16|bf16?", "=d a:srctype b:srctype c",
     "sm_100 8.6 if:float_arithmetic same:P101@type=f32&!srctype,P105@type=f32x2,P109@type=f64"},
    {"mad_f", "mad rnd=rn|rz|rm|rp ftz? sat? type=f32|f64", "=d a b c", "sm_75 1.0 if:float_arithmetic"},
    {"div_f", "div mode=approx|full|rn|rz|rm|rp ftz? type=f32|f64", "=d a b", "sm_75 1.0 if:float_division"},
    {"abs_f", "abs ftz? type=f32|f64", "=d a", "sm_75 1.0 if:sign_of_float"},
    {"neg", "neg ftz? type=f32|f64", "=d a", "sm_75 1.0 if:sign_of_float"},
    {"rcp", "rcp mode=approx|rn|rz|rm|rp ftz? type=f32|f64", "=d value",
     "sm_75 1.0 if:reciprocal same:P94@mode=approx&ftz&type=f32"},
    {"sqrt", "sqrt mode=approx|rn|rz|rm|rp ftz? type=f32|f64", "=d value", "sm_75 1.0 if:square_root"},
    {"rsqrt", "rsqrt approx ftz? type=f32|f64", "=d value", "sm_75 1.0"},
    {"ex2", "ex2 approx ftz? type=f32", "=d value", "sm_75 1.0 same:P93@ftz"},
    {"sin", "sin approx ftz? type=f32", "=d value", "sm_75 1.0"},
    {"cos", "cos approx ftz? type=f32", "=d value", "sm_75 1.0"},
    {"lg2", "lg2 approx ftz? type=f32", "=d value", "sm_75 1.0"},
    {"tanh", "tanh approx type=f32", "=d value", "sm_75 7.0"},
    {"copysign", "copysign type=f32|f64", "=d a b", "sm_75 2.0"},
    {"add_half", "add rn? ftz? sat? type=f16|f16x2|bf16|bf16x2", "=d a b", "sm_90 7.8 if:half_arithmetic"},
    {"sub_half", "sub rn? ftz? sat? type=f16|f16x2|bf16|bf16x2", "=d a b", "sm_90 7.8 if:half_arithmetic"},
    {"mul_half", "mul rn? ftz? sat? type=f16|f16x2|bf16|bf16x2", "=d a b", "sm_90 7.8 if:half_arithmetic"},
    {"fma_half", "fma rn ftz? sat? oob? relu? type=f16|f16x2|bf16|bf16x2", "=d a b c", "sm_90 7.8 if:half_fma"},
    {"neg_half", "neg ftz? type=f16|f16x2|bf16|bf16x2", "=d a", "sm_90 7.8 if:sign_of_half"},
    {"abs_half", "abs ftz? type=f16|f16x2|bf16|bf16x2", "=d a", "sm_90 7.8 if:sign_of_half"},
    {"tanh_half", "tanh approx type=f16|f16x2|bf16|bf16x2", "=d value", "sm_90 7.8"},
    {"ex2_half", "ex2 approx ftz? type=f16|f16x2|bf16|bf16x2", "=d value", "sm_90 7.8 if:half_exp2"},
};

}  // namespace

std::span<const RowText> floating_rows() { return kFloatingRows; }

}  // namespace tilewright::ptx
