// Comparisons and selections.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kCompareRows[] = {
    {"set_packed", "set cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs type=u8x4|s8x4|u16x2|s16x2", "=d:b32 a:b32 b:b32",
     "sm_107f 9.4 if:packed_set"},
    {"testp", "testp op=finite|infinite|number|notanumber|normal|subnormal type=f32|f64", "=p:pred a", "sm_75 2.0"},
    {"set", "set cmp=@comparisons ftz? dtype=u32|s32|f32 stype=@plain_types", "=d:dtype a:stype b:stype",
     "sm_75 1.0 if:compare"},
    {"set_bool", "set cmp=@comparisons boolop=and|or|xor ftz? dtype=u32|s32|f32 stype=@plain_types",
     "=d:dtype a:stype b:stype c:pred", "sm_75 1.0 if:compare"},
    {"setp", "setp cmp=@comparisons ftz? type=@plain_types", "=p:pred a b", "sm_75 1.0 if:compare"},
    {"setp_pq", "setp cmp=@comparisons ftz? type=@plain_types", "=p:pred|=q:pred a b", "sm_75 1.0 if:compare"},
    {"setp_bool", "setp cmp=@comparisons boolop=and|or|xor ftz? type=@plain_types", "=p:pred a b c:pred",
     "sm_75 1.0 if:compare"},
    {"setp_bool_pq", "setp cmp=@comparisons boolop=and|or|xor ftz? type=@plain_types", "=p:pred|=q:pred a b c:pred",
     "sm_75 1.0 if:compare"},
    {"selp", "selp type=@plain_types", "=d a b c:pred", "sm_75 1.0"},
    {"slct", "slct ftz? dtype=@plain_types ctype=s32|f32", "=d:dtype%select a:dtype%select b:dtype%select c:ctype",
     "sm_75 1.0 if:select_ftz"},
    {"set_half", "set cmp=@float_comparisons ftz? dtype=@half_results stype=@half_sources", "=d:dtype a:stype b:stype",
     "sm_90 7.8 if:half_set"},
    {"set_half_bool", "set cmp=@float_comparisons boolop=and|or|xor ftz? dtype=@half_results stype=@half_sources",
     "=d:dtype a:stype b:stype c:pred", "sm_90 7.8 if:half_set"},
    {"setp_half", "setp cmp=@float_comparisons ftz? type=f16|bf16", "=p:pred a b", "sm_90 7.8 if:half_compare"},
    {"setp_half_pq", "setp cmp=@float_comparisons ftz? type=f16x2|bf16x2", "=p:pred|=q:pred a b",
     "sm_90 7.8 if:half_compare"},
    {"setp_half_bool", "setp cmp=@float_comparisons boolop=and|or|xor ftz? type=f16|bf16", "=p:pred a b c:pred",
     "sm_90 7.8 if:half_compare"},
    {"setp_half_bool_pq", "setp cmp=@float_comparisons boolop=and|or|xor ftz? type=f16x2|bf16x2",
     "=p:pred|=q:pred a b c:pred", "sm_90 7.8 if:half_compare"},
};

}  // namespace

std::span<const RowText> compare_rows() { return kCompareRows; }

}  // namespace tilewright::ptx
