// Atomic operations, reductions in memory and multimem.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kAtomicRows[] = {
    {"atom_f32_noftz",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? add noftz cache=L2::cache_hint? f32",
     "=d:f32 [addr] value:f32 cache_policy:u64?cache", "sm_90 9.4 if:cache_hint"},
    {"red_f32_noftz",
     "red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|shared::cluster? add "
     "noftz cache=L2::cache_hint? f32",
     "[addr] value:f32 cache_policy:u64?cache", "sm_90 9.4 if:cache_hint"},
    {"atom_vec_f32_noftz",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global? add noftz "
     "cache=L2::cache_hint? vec=v2|v4 f32",
     "=d:f32*{vec} [addr] value:f32*{vec} cache_policy:u64?cache", "sm_90 9.4 if:cache_hint"},
    {"red_vec_f32_noftz",
     "red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global? add noftz cache=L2::cache_hint? vec=v2|"
     "v4 f32",
     "[addr] value:f32*{vec} cache_policy:u64?cache", "sm_90 9.4 if:cache_hint"},
    {"multimem_st_async", "multimem.st.async release scope=gpu|sys space=global? type=@types_by_class",
     "[addr] b:{byte}%type", "sm_100 9.2"},
    {"multimem_ld_reduce",
     "multimem.ld_reduce sem=weak|relaxed|acquire? scope=cta|cluster|gpu|sys? space=global? op=min|max|add|and|"
     "or|xor type=b32|b64|u32|u64|s32|s64",
     "=d [addr]", "sm_90 8.1 if:multimem_integer"},
    {"multimem_st",
     "multimem.st sem=weak|relaxed|release? scope=cta|cluster|gpu|sys? space=global? type=b32|b64|u32|u64|s32|s64",
     "[addr] b", "sm_90 8.1 if:multimem_integer"},
    {"multimem_red",
     "multimem.red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global? op=min|max|add|and|or|xor "
     "type=b32|b64|u32|u64|s32|s64",
     "[addr] b", "sm_90 8.1 if:multimem_integer"},
    {"multimem_ld_reduce_f",
     "multimem.ld_reduce sem=weak|relaxed|acquire? scope=cta|cluster|gpu|sys? space=global? op=min|max|add "
     "acc=acc::f32? type=@float_types",
     "=d [addr]", "sm_90 8.1 if:multimem_float"},
    {"multimem_ld_reduce_f_vec",
     "multimem.ld_reduce sem=weak|relaxed|acquire? scope=cta|cluster|gpu|sys? space=global? op=min|max|add "
     "acc=acc::f32? vec=v2|v4|v8 type=@float_types",
     "=d*{vec} [addr]", "sm_90 8.1 if:multimem_float"},
    {"multimem_st_f",
     "multimem.st sem=weak|relaxed|release? scope=cta|cluster|gpu|sys? space=global? type=@float_types", "[addr] b",
     "sm_90 8.1 if:multimem_float"},
    {"multimem_st_f_vec",
     "multimem.st sem=weak|relaxed|release? scope=cta|cluster|gpu|sys? space=global? vec=v2|v4|v8 "
     "type=@float_types",
     "[addr] b*{vec}", "sm_90 8.1 if:multimem_float"},
    {"multimem_red_f",
     "multimem.red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global? op=add type=@float_types", "[addr] b",
     "sm_90 8.1 if:multimem_float"},
    {"multimem_red_f_vec",
     "multimem.red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global? op=add vec=v2|v4|v8 "
     "type=@float_types",
     "[addr] b*{vec}", "sm_90 8.1 if:multimem_float"},
    {"atom",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? op=and|or|xor|add|inc|dec|min|max cache=L2::cache_hint? type=@word_types",
     "=d [addr] value cache_policy:u64?cache", "sm_90 8.1 if:atomic same:P60"},
    {"atom_cas",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? cas type=b16|b32|b64|b128",
     "=d [addr] compare value", "sm_90 8.1"},
    {"atom_exch",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? exch cache=L2::cache_hint? type=b32|b64|b128",
     "=d [addr] value cache_policy:u64?cache", "sm_90 8.1 if:cache_hint same:P60"},
    {"atom_half",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? add noftz cache=L2::cache_hint? type=f16|bf16|f16x2|bf16x2",
     "=d [addr] value cache_policy:u64?cache", "sm_90 8.1 if:cache_hint"},
    {"red_half",
     "red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|shared::cluster? add "
     "noftz cache=L2::cache_hint? type=f16|bf16|f16x2|bf16x2",
     "[addr] value cache_policy:u64?cache", "sm_90 8.1 if:cache_hint"},
    {"atom_vec_half",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global? op=add|min|max noftz "
     "cache=L2::cache_hint? vec=v2|v4|v8 type=f16|bf16|f16x2|bf16x2",
     "=d*{vec} [addr] value*{vec} cache_policy:u64?cache", "sm_90 8.1 if:atomic_vector"},
    {"atom_vec_f32",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global? add "
     "cache=L2::cache_hint? vec=v2|v4 type=f32",
     "=d*{vec} [addr] value*{vec} cache_policy:u64?cache", "sm_90 8.1 if:atomic_vector"},
    {"red_vec_half",
     "red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global? op=add|min|max noftz "
     "cache=L2::cache_hint? vec=v2|v4|v8 type=f16|bf16|f16x2|bf16x2",
     "[addr] value*{vec} cache_policy:u64?cache", "sm_90 8.1 if:atomic_vector"},
    {"red_vec_f32",
     "red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global? add cache=L2::cache_hint? vec=v2|v4 "
     "type=f32",
     "[addr] value*{vec} cache_policy:u64?cache", "sm_90 8.1 if:atomic_vector"},
    {"red",
     "red sem=relaxed|release? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|shared::cluster? "
     "op=and|or|xor|add|inc|dec|min|max cache=L2::cache_hint? type=@word_types",
     "[addr] value cache_policy:u64?cache", "sm_90 8.1 if:atomic same:P59"},
    {"red_async",
     "red.async relaxed cluster space=shared::cluster? mbarrier::complete_tx::bytes op=inc|dec|min|max|and|or|"
     "xor|add type=u32|s32|u64|b32",
     "[addr] value [mbar]", "sm_90 8.0 if:async_reduce same:E25"},
    {"red_async_release", "red.async mmio? release scope=gpu|sys space=global? add type=u32|s32|u64|s64",
     "[addr] value", "sm_100 8.7 if:async_release"},
    {"multimem_red_async", "multimem.red.async release scope=gpu|sys space=global? add type=u32|s32|u64",
     "[addr] value", "sm_100 9.2"},
    {"atom_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? op=and|or|xor|add|inc|dec|min|max cache=L2::cache_hint? type=@word_types",
     "#d=_ [addr] value cache_policy:u64?cache", "sm_90 8.1 if:atomic"},
    {"atom_cas_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? cas type=b16|b32|b64|b128",
     "#d=_ [addr] compare value", "sm_90 8.1"},
    {"atom_exch_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? exch cache=L2::cache_hint? type=b32|b64|b128",
     "#d=_ [addr] value cache_policy:u64?cache", "sm_90 8.1 if:cache_hint"},
    {"atom_half_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? add noftz cache=L2::cache_hint? type=f16|bf16|f16x2|bf16x2",
     "#d=_ [addr] value cache_policy:u64?cache", "sm_90 8.1 if:atomic_half"},
    {"atom_vec_half_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global? op=add|min|max noftz "
     "cache=L2::cache_hint? vec=v2|v4|v8 type=f16|bf16|f16x2|bf16x2",
     "#d=_ [addr] value*{vec} cache_policy:u64?cache", "sm_90 8.1 if:atomic_half_vector"},
    {"atom_vec_f32_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global? add "
     "cache=L2::cache_hint? vec=v2|v4 type=f32",
     "#d=_ [addr] value*{vec} cache_policy:u64?cache", "sm_90 8.1 if:atomic_vector"},
    {"atom_f32_noftz_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global|shared|shared::cta|"
     "shared::cluster? add noftz cache=L2::cache_hint? f32",
     "#d=_ [addr] value:f32 cache_policy:u64?cache", "sm_90 8.1 if:cache_hint"},
    {"atom_vec_f32_noftz_bitbucket",
     "atom sem=relaxed|acquire|release|acq_rel? scope=cta|cluster|gpu|sys? space=global? add noftz "
     "cache=L2::cache_hint? vec=v2|v4 f32",
     "#d=_ [addr] value:f32*{vec} cache_policy:u64?cache", "sm_90 8.1 if:cache_hint"},
};

}  // namespace

std::span<const RowText> atomic_rows() { return kAtomicRows; }

}  // namespace tilewright::ptx
