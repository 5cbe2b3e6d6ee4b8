// Integer arithmetic, bits and logic.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kIntegerRows[] = {
    {"fns", "fns type=b32", "=d mask:b32 base:b32 offset:s32", "sm_75 6.0 repeatable same:P110"},
    {"add_int", "add sat? type=u16|u32|u64|u16x2|s16|s32|s64|s16x2", "=d a b", "sm_90 1.0 if:integer_add"},
    {"sub_int", "sub sat? type=u16|u32|u64|s16|s32|s64", "=d a b", "sm_75 1.0 if:integer_sub"},
    {"mul_int", "mul mode=hi|lo type=u16|u32|u64|s16|s32|s64", "=d a b", "sm_75 1.0"},
    {"mul_wide", "mul wide type=u16|s16|u32|s32", "=d:{twice} a b", "sm_75 1.0"},
    {"mad_int", "mad mode=hi|lo sat? type=u16|u32|u64|s16|s32|s64", "=d a b c", "sm_75 1.0 if:integer_mad"},
    {"mad_wide", "mad wide type=u16|s16|u32|s32", "=d:{twice} a b c:{twice}", "sm_75 1.0"},
    {"clmad", "clmad mode=hi|lo type=u64", "=d a b c", "sm_80 9.2"},
    {"mul24", "mul24 mode=hi|lo type=u32|s32", "=d a b", "sm_75 1.0"},
    {"mad24", "mad24 mode=hi|lo sat? type=u32|s32", "=d a b c", "sm_75 1.0 if:integer_mad"},
    {"sad", "sad type=u16|u32|u64|s16|s32|s64", "=d a b c", "sm_75 1.0"},
    {"div", "div type=u16|u32|u64|s16|s32|s64", "=d a b", "sm_75 1.0"},
    {"rem", "rem type=u16|u32|u64|s16|s32|s64", "=d a b", "sm_75 1.0"},
    {"abs", "abs type=s16|s32|s64", "=d a", "sm_75 1.0"},
    {"neg_int", "neg type=s16|s32|s64", "=d a", "sm_75 1.0"},
    {"popc", "popc type=b32|b64", "=d:u32 a", "sm_75 2.0"},
    {"clz", "clz type=b32|b64", "=d:u32 a", "sm_75 2.0"},
    {"bfind", "bfind shiftamt? type=u32|u64|s32|s64", "=d:u32 a", "sm_75 2.0"},
    {"brev", "brev type=b32|b64", "=d a", "sm_75 2.0"},
    {"bfe", "bfe type=u32|u64|s32|s64", "=d a b:u32 c:u32", "sm_75 2.0"},
    {"bfi", "bfi type=b32|b64", "=f a b c:u32 d:u32", "sm_75 2.0"},
    {"szext", "szext mode=clamp|wrap type=u32|s32", "=d a b:u32", "sm_75 7.6"},
    {"bmsk", "bmsk mode=clamp|wrap b32", "=d:i32 a:i32 b:i32", "sm_75 7.6"},
    {"dp4a", "dp4a atype=u32|s32 btype=u32|s32", "=d:{dot} a:atype b:btype c:{dot}", "sm_75 5.0"},
    {"dp2a", "dp2a mode=lo|hi atype=u32|s32 btype=u32|s32", "=d:{dot} a:atype b:btype c:{dot}", "sm_75 5.0"},
    {"and", "and type=pred|b16|b32|b64", "=d a b", "sm_75 1.0"},
    {"or", "or type=pred|b16|b32|b64", "=d a b", "sm_75 1.0"},
    {"xor", "xor type=pred|b16|b32|b64", "=d a b", "sm_75 1.0"},
    {"not", "not type=pred|b16|b32|b64", "=d a", "sm_75 1.0"},
    {"cnot", "cnot type=b16|b32|b64", "=d a", "sm_75 1.0"},
    {"lop3", "lop3 type=b32", "=d a b c #immLut", "sm_75 4.3 byte"},
    {"lop3_bool", "lop3 boolop=or|and type=b32", "=d|=p:pred a b c #immLut q:pred", "sm_75 8.2 byte"},
    {"lop3_bool_sink", "lop3 boolop=or|and type=b32", "#d=_|=p:pred a b c #immLut q:pred", "sm_75 8.2 byte"},
    {"shf", "shf dir=l|r mode=clamp|wrap type=b32", "=d a b c:u32", "sm_75 3.2"},
    {"shl", "shl type=b16|b32|b64", "=d a b:u32", "sm_75 1.0"},
    {"shr", "shr type=b16|b32|b64|u16|u32|u64|s16|s32|s64", "=d a b:u32", "sm_75 1.0"},
};

}  // namespace

std::span<const RowText> integer_rows() { return kIntegerRows; }

}  // namespace tilewright::ptx
