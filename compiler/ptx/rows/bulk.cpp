// Asynchronous copies: cp.async and cp.async.bulk.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kBulkRows[] = {
    {"cp_async_bulk_g2s_cluster_multicast32",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? shared::cluster global "
     "mbarrier::complete_tx::bytes multicast::cluster::32b cache=L2::cache_hint? type=b128?",
     "[dst_mem@shared::cluster] [src_mem@global] size:u32 [mbar@shared] cta_mask:u32 cache_policy:u64?cache",
     "sm_107f 9.4 if:bulk_order same:P37"},
    {"applypriority_async_bulk", "applypriority async bulk global? bulk_group L2::evict_normal",
     "[addr@global] size:u32", "sm_107f 9.4"},
    {"cp_async_bulk_g2s_cluster_multicast16",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? shared::cluster global "
     "mbarrier::complete_tx::bytes multicast::cluster::16b cache=L2::cache_hint? type=b128?",
     "[dst_mem@shared::cluster] [src_mem@global] size:u32 [mbar@shared] cta_mask:u16 cache_policy:u64?cache",
     "sm_107f 9.4 if:bulk_order same:P37"},
    {"cp_async_bulk_g2s_cta_report",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? shared::cta global "
     "mbarrier::complete_tx::bytes report=@reports cache=L2::cache_hint? ignore_oob? type=b128?",
     "[dst_mem@shared::cta] [src_mem@global] size:u32 ignore_bytes_left:u32?ignore_oob "
     "ignore_bytes_right:u32?ignore_oob [mbar@shared] cache_policy:u64?cache",
     "sm_107f 9.4 if:bulk_report same:P36@report=mbarrier::report::disabled"},
    {"cp_async_bulk_g2s_cluster_report",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? shared::cluster global "
     "mbarrier::complete_tx::bytes report=@reports multicast=multicast::cluster|multicast::cluster::16b|"
     "multicast::cluster::32b? cache=L2::cache_hint? type=b128?",
     "[dst_mem@shared::cluster] [src_mem@global] size:u32 [mbar@shared] cta_mask:{mask}?multicast "
     "cache_policy:u64?cache",
     "sm_107f 9.4 if:bulk_order same:P37@report=mbarrier::report::disabled"},
    {"cp_async_bulk_prefetch_evict_last", "cp async bulk prefetch L2 global L2::evict_last",
     "[src_mem@global] size:u32", "sm_107f 9.4"},
    {"cp_reduce_async_bulk_s2g_f32_noftz",
     "cp reduce async bulk sem=relaxed? scope=cta|cluster|gpu|sys? global shared::cta bulk_group "
     "cache=L2::cache_hint? add noftz f32",
     "[dst_mem@global] [src_mem@shared::cta] size:u32 cache_policy:u64?cache", "sm_90 9.4 if:mbarrier_order same:E13"},
    {"multimem_cp_reduce_async_bulk_f32_noftz",
     "multimem.cp reduce async bulk sem=relaxed? scope=cta|cluster|gpu|sys? global shared::cta bulk_group add "
     "noftz f32",
     "[dst_mem@global] [src_mem@shared::cta] size:u32", "sm_90 9.4 if:mbarrier_order same:E13"},
    {"cp_async_bulk_prefetch", "cp async bulk prefetch L2 global cache=L2::cache_hint?",
     "[src_mem@global] size:u32 cache_policy:u64?cache", "sm_90 8.0 same:E12"},
    {"cp_async_wait_group", "cp async wait_group", "#group", "sm_80 7.0 orders same:P34"},
    {"cp_async_bulk_wait_group", "cp async bulk wait_group read?", "#group", "sm_90 8.0 orders same:P42"},
    {"cp_async_ca",
     "cp async ca dst=shared|shared::cta global cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B?",
     "[dst_mem@shared] [src_mem@global] #cp_size(4|8|16) cache_policy:u64?cache", "sm_90 7.0 same:P29"},
    {"cp_async_ca_src_size",
     "cp async ca dst=shared|shared::cta global cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B?",
     "[dst_mem@shared] [src_mem@global] #cp_size(4|8|16) src_size:u32 cache_policy:u64?cache", "sm_90 7.0"},
    {"cp_async_ca_ignore_src",
     "cp async ca dst=shared|shared::cta global cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B?",
     "[dst_mem@shared] [src_mem@global] #cp_size(4|8|16) ignore_src:pred cache_policy:u64?cache", "sm_90 7.0 same:E38"},
    {"cp_async_cg",
     "cp async cg dst=shared|shared::cta global cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B?",
     "[dst_mem@shared] [src_mem@global] #cp_size(16) cache_policy:u64?cache", "sm_90 7.0 same:P29"},
    {"cp_async_cg_src_size",
     "cp async cg dst=shared|shared::cta global cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B?",
     "[dst_mem@shared] [src_mem@global] #cp_size(16) src_size:u32 cache_policy:u64?cache", "sm_90 7.0"},
    {"cp_async_cg_ignore_src",
     "cp async cg dst=shared|shared::cta global cache=L2::cache_hint? prefetch=L2::64B|L2::128B|L2::256B?",
     "[dst_mem@shared] [src_mem@global] #cp_size(16) ignore_src:pred cache_policy:u64?cache", "sm_90 7.0 same:E38"},
    {"cp_async_commit_group", "cp async commit_group", "", "sm_80 7.0 same:P33"},
    {"cp_async_wait_all", "cp async wait_all", "", "sm_80 7.0 orders same:E3"},
    {"cp_async_bulk_g2s_cta",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? shared::cta global "
     "mbarrier::complete_tx::bytes cache=L2::cache_hint? ignore_oob? type=b128?",
     "[dst_mem@shared::cta] [src_mem@global] size:u32 ignore_bytes_left:u32?ignore_oob "
     "ignore_bytes_right:u32?ignore_oob [mbar@shared] cache_policy:u64?cache",
     "sm_103a 8.8 if:bulk_order same:P36"},
    {"cp_async_bulk_g2s_cluster",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? shared::cluster global "
     "mbarrier::complete_tx::bytes multicast=multicast::cluster? cache=L2::cache_hint? type=b128?",
     "[dst_mem@shared::cluster] [src_mem@global] size:u32 [mbar@shared] cta_mask:u16?multicast "
     "cache_policy:u64?cache",
     "sm_103a 8.8 if:bulk_order same:P37"},
    {"cp_async_bulk_s2c",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster? shared::cluster shared::cta "
     "mbarrier::complete_tx::bytes type=b128?",
     "[dst_mem@shared::cluster] [src_mem@shared::cta] size:u32 [mbar@shared]", "sm_103a 8.8 if:bulk_order same:P39"},
    {"cp_async_bulk_s2g",
     "cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? global shared::cta bulk_group "
     "cache=L2::cache_hint? cp_mask? type=b128?",
     "[dst_mem@global] [src_mem@shared::cta] size:u32 cache_policy:u64?cache byte_mask:u16?cp_mask",
     "sm_103a 8.8 if:bulk_order same:P40"},
    {"cp_reduce_async_bulk_s2c",
     "cp reduce async bulk sem=relaxed? scope=cta|cluster? shared::cluster shared::cta "
     "completion=mbarrier::complete_tx::bytes redop=@reductions type=b32|u32|s32|u64",
     "[dst_mem@shared::cluster] [src_mem@shared::cta] size:u32 [mbar@shared]", "sm_103a 8.8 if:bulk_reduce same:E14"},
    {"cp_reduce_async_bulk_s2g",
     "cp reduce async bulk sem=relaxed? scope=cta|cluster|gpu|sys? global shared::cta completion=bulk_group "
     "cache=L2::cache_hint? redop=@reductions noftz? type=@bulk_types",
     "[dst_mem@global] [src_mem@shared::cta] size:u32 cache_policy:u64?cache", "sm_103a 8.8 if:bulk_reduce same:E13"},
    {"multimem_cp_async_bulk",
     "multimem.cp async bulk sem=weak|relaxed? scope=cta|cluster|gpu|sys? global shared::cta bulk_group "
     "cp_mask? type=b128?",
     "[dst_mem@global] [src_mem@shared::cta] size:u32 byte_mask:u16?cp_mask", "sm_103a 9.3 if:bulk_order same:P40"},
    {"multimem_cp_reduce_async_bulk",
     "multimem.cp reduce async bulk sem=relaxed? scope=cta|cluster|gpu|sys? global shared::cta "
     "completion=bulk_group redop=@reductions noftz? type=@bulk_types",
     "[dst_mem@global] [src_mem@shared::cta] size:u32", "sm_103a 9.3 if:bulk_reduce same:E13"},
    {"cp_async_bulk_commit_group", "cp async bulk commit_group", "", "sm_90 8.0 same:P41"},
    {"cp_async_mbarrier_arrive", "cp async mbarrier arrive noinc? space=shared|shared::cta? b64", "[addr]",
     "sm_80 7.0 same:E1"},
};

}  // namespace

std::span<const RowText> bulk_rows() { return kBulkRows; }

}  // namespace tilewright::ptx
