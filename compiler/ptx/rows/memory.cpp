// Loads, stores, prefetches and cache policies.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kMemoryRows[] = {
    {"ld_proxy_readonly", "ld space=global? type=@memory_types proxy::readonly", "=d%wide [addr]", "sm_90 9.4"},
    {"prefetch_valid_addr", "prefetch space=global? L1::32B valid_addr", "[addr]", "sm_90 9.4"},
    {"ld",
     "ld mmio? sem=weak|acquire|relaxed|volatile? scope=cta|cluster|gpu|sys? space=@memory_spaces? cop=ca|cg|cs|"
     "lu|cv? nc? l1ev=@l1_priorities? cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B? "
     "type=@memory_types_128",
     "=d%wide [addr] cache_policy:u64?cache",
     "sm_90 8.3 if:load same:P54@sem=volatile,P53@sem=acquire&!mmio,P52@sem=weak&!nc,P52@!sem&!nc"},
    {"ld_vec",
     "ld sem=weak|acquire|relaxed|volatile? scope=cta|cluster|gpu|sys? space=@memory_spaces? cop=ca|cg|cs|lu|"
     "cv? nc? l1ev=@l1_priorities? cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B? vec=v2|v4 "
     "type=@memory_types",
     "=d*{vec}%wide [addr] cache_policy:u64?cache", "sm_90 8.3 if:load_vector same:P52@sem=weak&!nc,P52@!sem&!nc"},
    {"ld_vec256",
     "ld sem=weak|acquire|relaxed|volatile? scope=cta|cluster|gpu|sys? space=global? cop=ca|cg|cs|lu|cv? nc? "
     "l1ev=@l1_priorities? l2ev=L2::evict_first|L2::evict_last|L2::evict_normal? cache=L2::cache_hint? "
     "prefetch=L2::64B|L2::128B|L2::256B? vec=v4|v8 type=@words_by_size",
     "=d*{vec}~ [addr] cache_policy:u64?cache", "sm_100 8.8 if:load_256"},
    {"st",
     "st mmio? sem=weak|release|relaxed|volatile? scope=cta|cluster|gpu|sys? space=@memory_spaces? cop=wb|cg|cs|"
     "wt? l1ev=@l1_priorities? cache=L2::cache_hint? type=@memory_types_128",
     "[addr] value%wide cache_policy:u64?cache", "sm_90 8.3 if:store same:P57@sem=weak,P57@!sem"},
    {"st_vec",
     "st sem=weak|release|relaxed|volatile? scope=cta|cluster|gpu|sys? space=@memory_spaces? cop=wb|cg|cs|wt? "
     "l1ev=@l1_priorities? cache=L2::cache_hint? vec=v2|v4 type=@memory_types",
     "[addr] value*{vec}%widestore cache_policy:u64?cache", "sm_90 8.3 if:store_vector same:P57@sem=weak,P57@!sem"},
    {"st_vec256",
     "st sem=weak|release|relaxed|volatile? scope=cta|cluster|gpu|sys? space=global? cop=wb|cg|cs|wt? "
     "l1ev=@l1_priorities? l2ev=L2::evict_first|L2::evict_last|L2::evict_normal? cache=L2::cache_hint? vec=v4|"
     "v8 type=@words_by_size",
     "[addr] value*{vec}~ cache_policy:u64?cache", "sm_100 8.8 if:store_256"},
    {"st_bulk", "st.bulk weak? space=shared::cta?", "[addr] size:u64%size #initval=0", "sm_100 8.6 same:P58"},
    {"prefetch",
     "prefetch space=global|local|const|param? level=L1|L2? evict=L2::evict_last|L2::evict_normal? tensormap?",
     "[addr]", "sm_90 2.0 if:prefetch same:P51@tensormap,E37@level=L2&space=global&!evict"},
    {"st_async",
     "st.async weak? space=shared::cluster? mbarrier::complete_tx::bytes type=b32|b64|b128|u32|u64|s32|s64|f32|f64",
     "[addr] b [mbar]", "sm_90 8.0 same:E24"},
    {"st_async_vec", "st.async weak? space=shared::cluster? mbarrier::complete_tx::bytes vec=v2|v4 type=@word_types",
     "[addr] b*{vec} [mbar]", "sm_90 8.0 if:async_vector same:E24"},
    {"st_async_release", "st.async mmio? release scope=gpu|sys space=global? type=@types_by_class",
     "[addr] b:{byte}%type", "sm_100 8.7 if:async_release"},
    {"createpolicy_range",
     "createpolicy range space=global? pri=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "sec=L2::evict_first|L2::evict_unchanged? b64",
     "=cache_policy:u64 [addr] primary_size:u32 total_size:u32", "sm_90 7.4"},
    {"createpolicy_fractional",
     "createpolicy fractional pri=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "sec=L2::evict_first|L2::evict_unchanged? b64",
     "=cache_policy:u64", "sm_90 7.4 same:E36"},
    {"createpolicy_fraction",
     "createpolicy fractional pri=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "sec=L2::evict_first|L2::evict_unchanged? b64",
     "=cache_policy:u64 fraction:f32", "sm_90 7.4 same:E36"},
    {"createpolicy_cvt", "createpolicy cvt L2 b64", "=cache_policy:u64 access_property:u64", "sm_90 7.4"},
    {"ldu", "ldu space=global? type=@memory_types_128", "=d%wide [addr]", "sm_75 1.0"},
    {"ldu_vec", "ldu space=global? vec=v2|v4 type=@memory_types", "=d*{vec}%wide [addr]", "sm_75 1.0 if:vector_128"},
    {"prefetchu", "prefetchu L1", "[addr]", "sm_75 2.0"},
    {"applypriority", "applypriority space=global? L2::evict_normal", "[addr] #size=128", "sm_80 7.4"},
    {"discard", "discard space=global? L2", "[addr] #size=128", "sm_80 7.4"},
};

}  // namespace

std::span<const RowText> memory_rows() { return kMemoryRows; }

}  // namespace tilewright::ptx
