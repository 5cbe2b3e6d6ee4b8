// Moves, addresses and shuffles of registers.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kMoveRows[] = {
    {"mov_pack_b16x2", "mov b32", "=d:b32 a:b16*2", "sm_75 1.0 repeatable"},
    {"mov_unpack_b16x2", "mov b32", "=d:b16*2~ a:b32", "sm_75 1.0 repeatable"},
    {"mov_pack_b32x2", "mov b64", "=d:b64 a:b32*2", "sm_75 1.0 repeatable"},
    {"mov_unpack_b32x2", "mov b64", "=d:b32*2~ a:b64", "sm_75 1.0 repeatable"},
    {"mov_pack_b16x4", "mov b64", "=d:b64 a:b16*4", "sm_75 1.0 repeatable"},
    {"mov_unpack_b16x4", "mov b64", "=d:b16*4~ a:b64", "sm_75 1.0 repeatable"},
    {"mov_pack_b64x2", "mov b128", "=d:b128 a:b64*2", "sm_75 1.0 repeatable"},
    {"mov_unpack_b64x2", "mov b128", "=d:b64*2~ a:b128", "sm_75 1.0 repeatable"},
    {"mov_pack_b32x4", "mov b128", "=d:b128 a:b32*4", "sm_75 1.0 repeatable"},
    {"mov_unpack_b32x4", "mov b128", "=d:b32*4~ a:b128", "sm_75 1.0 repeatable"},
    {"mov", "mov type=pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=d a", "sm_75 1.0 repeatable"},
    {"prmt", "prmt type=b32 mode=f4e|b4e|rc8|ecl|ecr|rc16?", "=d a b c", "sm_75 2.0"},
    {"isspacep", "isspacep space=@all_spaces", "=p:pred &a", "sm_90 2.0 repeatable"},
    {"getctarank", "getctarank shared::cluster type=u32|u64", "=d:u32 a", "sm_90 8.0 repeatable same:E34"},
    {"getctarank_generic", "getctarank type=u32|u64", "=d:u32 a", "sm_90 8.0 repeatable"},
    {"shfl_sync", "shfl.sync mode=up|down|bfly|idx type=b32", "=d a b:u32 c:u32 membermask:u32", "sm_75 6.0"},
    {"shfl_sync_p", "shfl.sync mode=up|down|bfly|idx type=b32", "=d|=p:pred a b:u32 c:u32 membermask:u32", "sm_75 6.0"},
    {"cvta", "cvta to space=@all_spaces type=u64", "=d &ptr", "sm_90 2.0 repeatable"},
    {"cvta_generic", "cvta space=@all_spaces type=u64", "=d a:u64", "sm_90 2.0 repeatable"},
    {"mapa", "mapa shared::cluster? type=u64", "=d &a b:u32", "sm_90 8.0 repeatable same:P25"},
    {"mapa_u64_raw", "mapa type=u64", "=d a:u64 b:u32", "sm_90 8.0 repeatable"},
    {"mapa_u64_shared", "mapa shared::cluster type=u64", "=d a:u64 b:u32", "sm_90 8.0 repeatable"},
    {"mapa_u32", "mapa shared::cluster type=u32", "=d a:u32 b:u32", "sm_90 8.0 repeatable"},
};

}  // namespace

std::span<const RowText> move_rows() { return kMoveRows; }

}  // namespace tilewright::ptx
