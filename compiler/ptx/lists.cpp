// Choices that several rows share.
#include <stdexcept>
#include <string>

#include "compiler/ptx/row_text.h"

namespace tilewright::ptx {
namespace {

struct List {
  std::string_view name;
  std::string_view choices;
};

constexpr List kLists[] = {
    {"all_spaces", "const|global|local|shared|shared::cta|shared::cluster|param|param::entry"},
    {"bulk_types", "f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64"},
    {"collectors",
     "collector::b0::fill|collector::b0::use|collector::b0::lastuse|collector::b0::discard|collector::b1::fill|"
     "collector::b1::use|collector::b1::lastuse|collector::b1::discard|collector::b2::fill|collector::b2::use|"
     "collector::b2::lastuse|collector::b2::discard|collector::b3::fill|collector::b3::use|"
     "collector::b3::lastuse|collector::b3::discard"},
    {"comparisons", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"convert_types", "u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64"},
    {"fabric_types", "b32|b64|u32|s32|u64|s64|f16|bf16|f32|f64"},
    {"float_comparisons", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"float_types", "f16|f16x2|bf16|bf16x2|f32|f64"},
    {"half_results", "f16|bf16|u16|s16|u32|s32|f16x2|bf16x2"},
    {"half_sources", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64|bf16|f16x2|bf16x2"},
    {"l1_priorities", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"memory_spaces", "global|shared|shared::cta|shared::cluster|local"},
    {"memory_types", "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64"},
    {"memory_types_128", "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128"},
    {"min_max_types", "f32|f64|f16|f16x2|bf16|bf16x2|u16|u32|u64|u16x2|s16|s64|s16x2|s32"},
    {"narrow_pairs", "e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2"},
    {"plain_types", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    {"reductions", "add|min|max|inc|dec|and|or|xor"},
    {"repeats", "x1|x2|x4|x8|x16|x32|x64|x128"},
    {"reports",
     "mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff"},
    {"types_by_class", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"wgmma_k16",
     "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|m64n80k16|"
     "m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|"
     "m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|m64n216k16|m64n224k16|"
     "m64n232k16|m64n240k16|m64n248k16|m64n256k16"},
    {"wgmma_k256",
     "m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256|m64n112k256|"
     "m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256|m64n224k256|m64n240k256|"
     "m64n256k256"},
    {"wgmma_k32",
     "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32|m64n80k32|"
     "m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32|m64n144k32|m64n152k32|"
     "m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|m64n216k32|m64n224k32|"
     "m64n232k32|m64n240k32|m64n248k32|m64n256k32"},
    {"wgmma_k32_integer",
     "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32|m64n128k32|"
     "m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32"},
    {"wgmma_k8",
     "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8|m64n88k8|"
     "m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|"
     "m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|m64n240k8|m64n248k8|"
     "m64n256k8"},
    {"word_types", "b32|b64|u32|u64|s32|s64|f32|f64"},
    {"words_by_size", "b32|u32|s32|f32|b64|u64|s64|f64"},
};

}  // namespace

std::string_view choice_list(std::string_view name) {
  for (const List& list : kLists)
    if (list.name == name) return list.choices;
  throw std::logic_error("no list of choices " + std::string(name));
}

}  // namespace tilewright::ptx
