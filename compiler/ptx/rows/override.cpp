// Tensor copies that override attributes of the tensor map.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kOverrideRows[] = {
    {"cp_async_bulk_tensor_g2s_cta_override_address",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cta global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes report=@reports? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? "
     "override::global_address",
     "[dst_mem@shared::cta] [[tmap@global,global_address:u64,coords:s32*{coords}]] [mbar@shared] "
     "cache_policy:u64?cache",
     "sm_107f 9.4 if:gather4 "
     "same:P45@load_mode=tile::gather4&!report,P45@load_mode=tile::gather4&report=mbarrier::report::disabled,"
     "E15@load_mode!=tile::gather4&!report,E15@load_mode!=tile::gather4&report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_g2s_cluster_override_address",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d shared::cluster global load_mode=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes report=@reports? multicast=multicast::cluster|multicast::cluster::16b|"
     "multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? "
     "override::global_address",
     "[dst_mem@shared::cluster] [[tmap@global,global_address:u64,coords:s32*{coords}]] [mbar@shared] "
     "cta_mask:{mask}?multicast cache_policy:u64?cache",
     "sm_107f 9.4 if:gather4 "
     "same:P45@load_mode=tile::gather4&!report,P45@load_mode=tile::gather4&report=mbarrier::report::disabled,"
     "P44@load_mode!=tile::gather4&!report,P44@load_mode!=tile::gather4&report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_s2g_override_address",
     "cp async bulk tensor dim=1d|2d|3d|4d|5d global shared::cta load_mode=tile|tile::scatter4? bulk_group "
     "cache=L2::cache_hint? override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4 if:gather4 same:E17@load_mode=tile::scatter4,P48"},
    {"cp_reduce_async_bulk_tensor_override_address",
     "cp reduce async bulk tensor dim=1d|2d|3d|4d|5d global shared::cta redop=@reductions load_mode=tile? "
     "bulk_group cache=L2::cache_hint? override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4 same:P49"},
    {"cp_async_bulk_tensor_prefetch_override_address",
     "cp async bulk prefetch tensor dim=1d|2d|3d|4d|5d L2 global load_mode=tile|tile::gather4? "
     "cache=L2::cache_hint? override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] cache_policy:u64?cache", "sm_107f 9.4 if:gather4"},
    {"cp_async_bulk_tensor_prefetch_override_address_evict_last",
     "cp async bulk prefetch tensor dim=1d|2d|3d|4d|5d L2 global load_mode=tile|tile::gather4? L2::evict_last "
     "override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]]", "sm_107f 9.4 if:gather4"},
    {"applypriority_async_bulk_tensor_override_address",
     "applypriority async bulk tensor dim=1d|2d|3d|4d|5d global? bulk_group load_mode=tile|tile::gather4? "
     "L2::evict_normal override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]]", "sm_107f 9.4 if:gather4"},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_b8",
     "cp async bulk tensor 1d shared::cta global tile? mbarrier::complete_tx::bytes report=@reports? "
     "cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? override::global_address override::global_dim",
     "[dst_mem@shared::cta] [[tmap@global,global_address:u64,tensor_size:bytes*1,coords:s32*1]] [mbar@shared] "
     "cache_policy:u64?cache",
     "sm_107f 9.4 same:E15@!report,E15@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_b16",
     "cp async bulk tensor 1d shared::cta global tile? mbarrier::complete_tx::bytes report=@reports? "
     "cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? override::global_address override::global_dim",
     "[dst_mem@shared::cta] [[tmap@global,global_address:u64,tensor_size:b16*1,coords:s32*1]] [mbar@shared] "
     "cache_policy:u64?cache",
     "sm_107f 9.4 same:E15@!report,E15@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_b8",
     "cp async bulk tensor 1d shared::cluster global tile? mbarrier::complete_tx::bytes report=@reports? "
     "multicast=multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? "
     "override::global_address override::global_dim",
     "[dst_mem@shared::cluster] [[tmap@global,global_address:u64,tensor_size:bytes*1,coords:s32*1]] "
     "[mbar@shared] cta_mask:u32?multicast cache_policy:u64?cache",
     "sm_107f 9.4 same:P44@!report,P44@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_b16",
     "cp async bulk tensor 1d shared::cluster global tile? mbarrier::complete_tx::bytes report=@reports? "
     "multicast=multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? "
     "override::global_address override::global_dim",
     "[dst_mem@shared::cluster] [[tmap@global,global_address:u64,tensor_size:b16*1,coords:s32*1]] [mbar@shared] "
     "cta_mask:u32?multicast cache_policy:u64?cache",
     "sm_107f 9.4 same:P44@!report,P44@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_s2g_override_global_dim_b8",
     "cp async bulk tensor 1d global shared::cta tile? bulk_group cache=L2::cache_hint? "
     "override::global_address override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:bytes*1,coords:s32*1]] [src_mem@shared::cta] "
     "cache_policy:u64?cache",
     "sm_107f 9.4 same:P48"},
    {"cp_async_bulk_tensor_s2g_override_global_dim_b16",
     "cp async bulk tensor 1d global shared::cta tile? bulk_group cache=L2::cache_hint? "
     "override::global_address override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:b16*1,coords:s32*1]] [src_mem@shared::cta] "
     "cache_policy:u64?cache",
     "sm_107f 9.4 same:P48"},
    {"cp_reduce_async_bulk_tensor_override_global_dim_b8",
     "cp reduce async bulk tensor 1d global shared::cta redop=@reductions tile? bulk_group "
     "cache=L2::cache_hint? override::global_address override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:bytes*1,coords:s32*1]] [src_mem@shared::cta] "
     "cache_policy:u64?cache",
     "sm_107f 9.4 same:P49"},
    {"cp_reduce_async_bulk_tensor_override_global_dim_b16",
     "cp reduce async bulk tensor 1d global shared::cta redop=@reductions tile? bulk_group "
     "cache=L2::cache_hint? override::global_address override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:b16*1,coords:s32*1]] [src_mem@shared::cta] "
     "cache_policy:u64?cache",
     "sm_107f 9.4 same:P49"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_b8",
     "cp async bulk prefetch tensor 1d L2 global tile? cache=L2::cache_hint? override::global_address "
     "override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:bytes*1,coords:s32*1]] cache_policy:u64?cache", "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_b16",
     "cp async bulk prefetch tensor 1d L2 global tile? cache=L2::cache_hint? override::global_address "
     "override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:b16*1,coords:s32*1]] cache_policy:u64?cache", "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_evict_last_b8",
     "cp async bulk prefetch tensor 1d L2 global tile? L2::evict_last override::global_address "
     "override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:bytes*1,coords:s32*1]]", "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_evict_last_b16",
     "cp async bulk prefetch tensor 1d L2 global tile? L2::evict_last override::global_address "
     "override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:b16*1,coords:s32*1]]", "sm_107f 9.4"},
    {"applypriority_async_bulk_tensor_override_global_dim_b8",
     "applypriority async bulk tensor 1d global? bulk_group tile? L2::evict_normal override::global_address "
     "override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:bytes*1,coords:s32*1]]", "sm_107f 9.4"},
    {"applypriority_async_bulk_tensor_override_global_dim_b16",
     "applypriority async bulk tensor 1d global? bulk_group tile? L2::evict_normal override::global_address "
     "override::global_dim",
     "[[tmap@global,global_address:u64,tensor_size:b16*1,coords:s32*1]]", "sm_107f 9.4"},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_stride_b8",
     "cp async bulk tensor dim=2d|3d|4d|5d shared::cta global load_mode=tile? mbarrier::complete_tx::bytes "
     "report=@reports? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? override::global_address "
     "override::global_dim_stride",
     "[dst_mem@shared::cta] [[tmap@global,global_address:u64,tensor_size:bytes*{dim},lower_stride:b32*{dim-1},"
     "upper_stride:b16,coords:s32*{coords}]] [mbar@shared] cache_policy:u64?cache",
     "sm_107f 9.4 same:E15@!report,E15@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_stride_b16",
     "cp async bulk tensor dim=2d|3d|4d|5d shared::cta global load_mode=tile? mbarrier::complete_tx::bytes "
     "report=@reports? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? override::global_address "
     "override::global_dim_stride",
     "[dst_mem@shared::cta] [[tmap@global,global_address:u64,tensor_size:b16*{dim},lower_stride:b32*{dim-1},"
     "upper_stride:b16,coords:s32*{coords}]] [mbar@shared] cache_policy:u64?cache",
     "sm_107f 9.4 same:E15@!report,E15@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_stride_b8",
     "cp async bulk tensor dim=2d|3d|4d|5d shared::cluster global load_mode=tile? mbarrier::complete_tx::bytes "
     "report=@reports? multicast=multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? "
     "cache=L2::cache_hint? override::global_address override::global_dim_stride",
     "[dst_mem@shared::cluster] [[tmap@global,global_address:u64,tensor_size:bytes*{dim},"
     "lower_stride:b32*{dim-1},upper_stride:b16,coords:s32*{coords}]] [mbar@shared] cta_mask:u32?multicast "
     "cache_policy:u64?cache",
     "sm_107f 9.4 same:P44@!report,P44@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_stride_b16",
     "cp async bulk tensor dim=2d|3d|4d|5d shared::cluster global load_mode=tile? mbarrier::complete_tx::bytes "
     "report=@reports? multicast=multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? "
     "cache=L2::cache_hint? override::global_address override::global_dim_stride",
     "[dst_mem@shared::cluster] [[tmap@global,global_address:u64,tensor_size:b16*{dim},lower_stride:b32*{dim-1},"
     "upper_stride:b16,coords:s32*{coords}]] [mbar@shared] cta_mask:u32?multicast cache_policy:u64?cache",
     "sm_107f 9.4 same:P44@!report,P44@report=mbarrier::report::disabled"},
    {"cp_async_bulk_tensor_s2g_override_global_dim_stride_b8",
     "cp async bulk tensor dim=2d|3d|4d|5d global shared::cta load_mode=tile? bulk_group cache=L2::cache_hint? "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:bytes*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4 same:P48"},
    {"cp_async_bulk_tensor_s2g_override_global_dim_stride_b16",
     "cp async bulk tensor dim=2d|3d|4d|5d global shared::cta load_mode=tile? bulk_group cache=L2::cache_hint? "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:b16*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4 same:P48"},
    {"cp_reduce_async_bulk_tensor_override_global_dim_stride_b8",
     "cp reduce async bulk tensor dim=2d|3d|4d|5d global shared::cta redop=@reductions load_mode=tile? "
     "bulk_group cache=L2::cache_hint? override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:bytes*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4 same:P49"},
    {"cp_reduce_async_bulk_tensor_override_global_dim_stride_b16",
     "cp reduce async bulk tensor dim=2d|3d|4d|5d global shared::cta redop=@reductions load_mode=tile? "
     "bulk_group cache=L2::cache_hint? override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:b16*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4 same:P49"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_b8",
     "cp async bulk prefetch tensor dim=2d|3d|4d|5d L2 global load_mode=tile? cache=L2::cache_hint? "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:bytes*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]] cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_b16",
     "cp async bulk prefetch tensor dim=2d|3d|4d|5d L2 global load_mode=tile? cache=L2::cache_hint? "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:b16*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]] cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_evict_last_b8",
     "cp async bulk prefetch tensor dim=2d|3d|4d|5d L2 global load_mode=tile? L2::evict_last "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:bytes*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]]",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_evict_last_b16",
     "cp async bulk prefetch tensor dim=2d|3d|4d|5d L2 global load_mode=tile? L2::evict_last "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:b16*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]]",
     "sm_107f 9.4"},
    {"applypriority_async_bulk_tensor_override_global_dim_stride_b8",
     "applypriority async bulk tensor dim=2d|3d|4d|5d global? bulk_group load_mode=tile? L2::evict_normal "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:bytes*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]]",
     "sm_107f 9.4"},
    {"applypriority_async_bulk_tensor_override_global_dim_stride_b16",
     "applypriority async bulk tensor dim=2d|3d|4d|5d global? bulk_group load_mode=tile? L2::evict_normal "
     "override::global_address override::global_dim_stride",
     "[[tmap@global,global_address:u64,tensor_size:b16*{dim},lower_stride:b32*{dim-1},upper_stride:b16,"
     "coords:s32*{coords}]]",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_g2s_cta_override_address_im2col",
     "cp async bulk tensor dim=3d|4d|5d shared::cta global load_mode=im2col|im2col::w|im2col::w::128 "
     "mbarrier::complete_tx::bytes report=@reports? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? "
     "override::global_address",
     "[dst_mem@shared::cta] [[tmap@global,global_address:u64,coords:s32*{coords}]] [mbar@shared] "
     "im2col_info:{im2col}*{im2col} cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_g2s_cluster_override_address_im2col",
     "cp async bulk tensor dim=3d|4d|5d shared::cluster global load_mode=im2col|im2col::w|im2col::w::128 "
     "mbarrier::complete_tx::bytes report=@reports? multicast=multicast::cluster|multicast::cluster::16b|"
     "multicast::cluster::32b? cta_group=cta_group::1|cta_group::2? cache=L2::cache_hint? "
     "override::global_address",
     "[dst_mem@shared::cluster] [[tmap@global,global_address:u64,coords:s32*{coords}]] [mbar@shared] "
     "im2col_info:{im2col}*{im2col} cta_mask:{mask}?multicast cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_s2g_override_address_im2col_no_offs_w",
     "cp async bulk tensor dim=3d|4d|5d global shared::cta load_mode=im2col_no_offs|im2col_no_offs::w "
     "bulk_group cache=L2::cache_hint? override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_reduce_async_bulk_tensor_override_address_im2col_no_offs_w",
     "cp reduce async bulk tensor dim=3d|4d|5d global shared::cta redop=@reductions load_mode=im2col_no_offs|"
     "im2col_no_offs::w bulk_group cache=L2::cache_hint? override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] [src_mem@shared::cta] cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_address_im2col",
     "cp async bulk prefetch tensor dim=3d|4d|5d L2 global load_mode=im2col|im2col::w|im2col::w::128 "
     "cache=L2::cache_hint? override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] im2col_info:{im2col}*{im2col} cache_policy:u64?cache",
     "sm_107f 9.4"},
    {"cp_async_bulk_tensor_prefetch_override_address_im2col_evict_last",
     "cp async bulk prefetch tensor dim=3d|4d|5d L2 global load_mode=im2col|im2col::w|im2col::w::128 "
     "L2::evict_last override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] im2col_info:{im2col}*{im2col}", "sm_107f 9.4"},
    {"applypriority_async_bulk_tensor_override_address_im2col",
     "applypriority async bulk tensor dim=3d|4d|5d global? bulk_group load_mode=im2col|im2col::w|im2col::w::128 "
     "L2::evict_normal override::global_address",
     "[[tmap@global,global_address:u64,coords:s32*{coords}]] im2col_info:{im2col}*{im2col}", "sm_107f 9.4"},
};

}  // namespace

std::span<const RowText> override_rows() { return kOverrideRows; }

}  // namespace tilewright::ptx
