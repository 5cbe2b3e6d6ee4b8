// Tensor copies: cp.async.bulk.tensor and its relatives.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kTensorRows[] = {
    {"cp_async_bulk_tensor_g2s_cluster_multicast32",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cluster global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes multicast::cluster::32b cta_group=cta_group::1|cta_group::2? "
     "cache=L2::cache_hint?",
     "[dst_mem@shared::cluster] [[tmap@global,coords:s32*{coords}]] [mbar@shared] cta_mask:u32 "
     "cache_policy:u64?cache",
     "sm_107f 9.4 if:gather4 same:P45@load_mode=tile::gather4,P44"},
    {"applypriority_async_bulk_tensor",
     "applypriority async bulk tensor dim=1d|2d|3d|4d|5d global? bulk_group load_mode=tile|tile::gather4? "
     "L2::evict_normal",
     "[[tmap@global,coords:s32*{coords}]]", "sm_107f 9.4 if:gather4"},
    {"cp_async_bulk_tensor_g2s_cluster_multicast16",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cluster global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes multicast::cluster::16b cta_group=cta_group::1|cta_group::2? "
     "cache=L2::cache_hint?",
     "[dst_mem@shared::cluster] [[tmap@global,coords:s32*{coords}]] [mbar@shared] cta_mask:u16 "
     "cache_policy:u64?cache",
     "sm_107f 9.4 if:gather4 same:P45@load_mode=tile::gather4,P44"},
    {"cp_async_bulk_tensor_g2s_cta_report",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cta global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes report=@reports cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint?",
     "[dst_mem@shared::cta] [[tmap@global,coords:s32*{coords}]] [mbar@shared] cache_policy:u64?cache",
     "sm_107f 9.4 if:gather4 "
     "same:P45@load_mode=tile::gather4&report=mbarrier::report::disabled,E15@load_mode!=tile::gather4&report=mbarrier::"
     "report::disabled"},
    {"cp_async_bulk_tensor_g2s_cluster_report",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cluster global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes report=@reports multicast=multicast::cluster|multicast::cluster::16b|"
     "multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint?",
     "[dst_mem@shared::cluster] [[tmap@global,coords:s32*{coords}]] [mbar@shared] cta_mask:{mask}?multicast "
     "cache_policy:u64?cache",
     "sm_107f 9.4 if:gather4 "
     "same:P45@load_mode=tile::gather4&report=mbarrier::report::disabled,P44@load_mode!=tile::gather4&report=mbarrier::"
     "report::disabled"},
    {"cp_async_bulk_tensor_prefetch_evict_last",
     "cp async bulk prefetch tensor dim=1d|2d|3d|4d|5d L2 global load_mode=tile|tile::gather4? L2::evict_last",
     "[[tmap@global,coords:s32*{coords}]]", "sm_107f 9.4 if:gather4"},
    {"cp_async_bulk_tensor_g2s_cta_im2col",
     "cp async bulk tensor dim=3d|4d|5d shared::cta global load_mode=im2col|im2col::w|im2col::w::128 "
     "mbarrier::complete_tx::bytes report=@reports? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint?",
     "[dst_mem@shared::cta] [[tmap@global,coords:s32*{coords}]] [mbar@shared] im2col_info:{im2col}*{im2col} "
     "cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_g2s_cluster_im2col",
     "cp async bulk tensor dim=3d|4d|5d shared::cluster global load_mode=im2col|im2col::w|im2col::w::128 "
     "mbarrier::complete_tx::bytes report=@reports? multicast=multicast::cluster|multicast::cluster::16b|"
     "multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint?",
     "[dst_mem@shared::cluster] [[tmap@global,coords:s32*{coords}]] [mbar@shared] im2col_info:{im2col}*{im2col} "
     "cta_mask:{mask}?multicast cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_s2g_im2col_no_offs_w",
     "cp async bulk tensor dim=3d|4d|5d global shared::cta load_mode=im2col_no_offs|im2col_no_offs::w "
     "bulk_group cache=L2::cache_hint?",
     "[[tmap@global,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache", "sm_107f 9.4"},
    {"cp_reduce_async_bulk_tensor_im2col_no_offs_w",
     "cp reduce async bulk tensor dim=3d|4d|5d global shared::cta redop=@reductions load_mode=im2col_no_offs|"
     "im2col_no_offs::w bulk_group cache=L2::cache_hint?",
     "[[tmap@global,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache", "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_im2col",
     "cp async bulk prefetch tensor dim=3d|4d|5d L2 global load_mode=im2col|im2col::w|im2col::w::128 "
     "cache=L2::cache_hint?",
     "[[tmap@global,coords:s32*{coords}]] im2col_info:{im2col}*{im2col} cache_policy:u64?cache", "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_im2col_evict_last",
     "cp async bulk prefetch tensor dim=3d|4d|5d L2 global load_mode=im2col|im2col::w|im2col::w::128 "
     "L2::evict_last",
     "[[tmap@global,coords:s32*{coords}]] im2col_info:{im2col}*{im2col}", "sm_107f 9.4"},
    {"applypriority_async_bulk_tensor_im2col",
     "applypriority async bulk tensor dim=3d|4d|5d global? bulk_group load_mode=im2col|im2col::w|im2col::w::128 "
     "L2::evict_normal",
     "[[tmap@global,coords:s32*{coords}]] im2col_info:{im2col}*{im2col}", "sm_107f 9.4"},
    {"cp_async_bulk_tensor_g2s_cluster",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cluster global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes multicast=multicast::cluster? cta_group=cta_group::1|cta_group::2? "
     "cache=L2::cache_hint?",
     "[dst_mem@shared::cluster] [[tmap@global,coords:s32*{coords}]] [mbar@shared] cta_mask:u16?multicast "
     "cache_policy:u64?cache",
     "sm_100a 8.6 if:gather4 same:P45@load_mode=tile::gather4,P44"},
    {"cp_async_bulk_tensor_g2s_cta",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cta global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint?",
     "[dst_mem@shared::cta] [[tmap@global,coords:s32*{coords}]] [mbar@shared] cache_policy:u64?cache",
     "sm_100a 8.6 if:gather4 same:P45@load_mode=tile::gather4,E15"},
    {"cp_async_bulk_tensor_s2g",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d global shared::cta load_mode=tile|tile::scatter4? bulk_group "
     "cache=L2::cache_hint?",
     "[[tmap@global,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_100a 8.6 if:gather4 same:E17@load_mode=tile::scatter4,P48"},
    {"cp_reduce_async_bulk_tensor",
     "cp reduce async bulk tensor dim=1d|2d|3d|4d|5d global shared::cta redop=@reductions load_mode=tile? "
     "bulk_group cache=L2::cache_hint?",
     "[[tmap@global,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache", "sm_100a 8.6 same:P49"},
    {"cp_async_bulk_tensor_prefetch",
     "cp async bulk prefetch tensor dim=1d|2d|3d|4d|5d L2 global load_mode=tile|tile::gather4? "
     "cache=L2::cache_hint?",
     "[[tmap@global,coords:s32*{coords}]] cache_policy:u64?cache",
     "sm_100a 8.6 if:gather4 same:P50@load_mode!=tile::gather4"},
};

}  // namespace

std::span<const RowText> tensor_rows() { return kTensorRows; }

}  // namespace tilewright::ptx
