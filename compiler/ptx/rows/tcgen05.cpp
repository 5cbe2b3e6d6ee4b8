// Tensor memory: allocation, loads, stores, copies and waits.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kTcgen05Rows[] = {
    {"tcgen05_alloc_exclusive",
     "tcgen05 alloc exclusive cta_group=cta_group::1|cta_group::2 sync aligned space=shared::cta? b32",
     "[dst] ncols:u32", "sm_107f 9.4 orders"},
    {"tcgen05_dealloc_exclusive", "tcgen05 dealloc exclusive cta_group=cta_group::1|cta_group::2 sync aligned b32",
     "taddr:u32 ncols:u32", "sm_107f 9.4 orders"},
    {"tcgen05_commit_multicast_width",
     "tcgen05 commit cta_group=cta_group::1|cta_group::2 mbarrier::arrive::one space=shared::cluster? "
     "multicast=multicast::cluster::16b|multicast::cluster::32b b64",
     "[mbar] cta_mask:{mask}", "sm_107f 9.4 orders same:P85"},
    {"tcgen05_commit_sync_restrict",
     "tcgen05 commit cta_group=cta_group::1|cta_group::2 mbarrier::arrive::one "
     "sync_restrict::shared::read::mma::a space=shared::cluster? b64",
     "[mbar]", "sm_107f 9.4 orders"},
    {"tcgen05_commit_sync_restrict_multicast",
     "tcgen05 commit cta_group=cta_group::1|cta_group::2 mbarrier::arrive::one "
     "sync_restrict::shared::read::mma::a space=shared::cluster? multicast=multicast::cluster|"
     "multicast::cluster::16b|multicast::cluster::32b b64",
     "[mbar] cta_mask:{mask}", "sm_107f 9.4 orders"},
    {"tcgen05_ld_spcompress",
     "tcgen05 ld spcompress sync aligned 32x32b num=x4|x8|x16|x32|x64|x128 rowop=min|max sp::2:4 abs? f32 b2",
     "=mdata:b32*{num/32} =cdata:b32*{num/2} [taddr@tmem!]", "sm_107a 9.4 same:P78"},
    {"tcgen05_ld_red_spcompress",
     "tcgen05 ld red spcompress sync aligned 32x32b num=x4|x8|x16|x32|x64|x128 rowop=min|max sp::2:4 abs? NaN? "
     "f32 b2",
     "=mdata:b32*{num/32} =cdata:b32*{num/2} =redval:f32 [taddr@tmem!]", "sm_107a 9.4 same:P78"},
    {"tcgen05_alloc", "tcgen05 alloc cta_group=cta_group::1|cta_group::2 sync aligned space=shared::cta? b32",
     "[dst] ncols:u32", "sm_100a 8.6 orders same:P74"},
    {"tcgen05_dealloc", "tcgen05 dealloc cta_group=cta_group::1|cta_group::2 sync aligned b32", "taddr:u32 ncols:u32",
     "sm_100a 8.6 orders same:P75"},
    {"tcgen05_relinquish_alloc_permit",
     "tcgen05 relinquish_alloc_permit cta_group=cta_group::1|cta_group::2 sync aligned", "",
     "sm_100a 8.6 orders same:P76"},
    {"tcgen05_ld", "tcgen05 ld sync aligned shape=16x64b|16x128b|16x256b|32x32b num=@repeats pack::16b? b32",
     "=r:b32*{shape.area*num/1024} [taddr@tmem!]", "sm_100a 8.6 if:tensor_repeat same:P78"},
    {"tcgen05_ld_split", "tcgen05 ld sync aligned 16x32bx2 num=@repeats pack::16b? b32",
     "=r:b32*{num} [taddr@tmem!] #imm_half_splitoff", "sm_100a 8.6 same:P78"},
    {"tcgen05_ld_red", "tcgen05 ld red sync aligned 32x32b num=@repeats redop=min|max abs? nan=NaN? type=u32|s32|f32",
     "=r*{num} =redval [taddr@tmem!]", "sm_103a 8.8 if:tensor_reduce same:P78"},
    {"tcgen05_ld_red_split",
     "tcgen05 ld red sync aligned 16x32bx2 num=@repeats redop=min|max abs? nan=NaN? type=u32|s32|f32",
     "=r*{num} =redval [taddr@tmem!] #imm_half_splitoff", "sm_103a 8.8 if:tensor_reduce same:P78"},
    {"tcgen05_st", "tcgen05 st sync aligned shape=16x64b|16x128b|16x256b|32x32b num=@repeats unpack::16b? b32",
     "[taddr@tmem!] r:b32*{shape.area*num/1024}", "sm_100a 8.6 if:tensor_repeat same:P79"},
    {"tcgen05_st_split", "tcgen05 st sync aligned 16x32bx2 num=@repeats unpack::16b? b32",
     "[taddr@tmem!] #imm_half_splitoff r:b32*{num}", "sm_100a 8.6 same:P79"},
    {"tcgen05_wait", "tcgen05 action=wait::ld|wait::st sync aligned", "",
     "sm_100a 8.6 orders same:P80@action=wait::ld,P81"},
    {"tcgen05_cp",
     "tcgen05 cp cta_group=cta_group::1|cta_group::2 shape=128x256b|4x256b|128x128b|64x128b|32x128b "
     "multicast=warpx2::02_13|warpx2::01_23|warpx4? dst_fmt=b8x16? src_fmt=b6x16_p32|b4x16_p64?",
     "[taddr@tmem!] s_desc:b64", "sm_100a 8.6 if:tensor_copy same:P84"},
    {"tcgen05_fence", "tcgen05 action=fence::before_thread_sync|fence::after_thread_sync", "",
     "sm_100a 8.6 orders same:P82@action=fence::before_thread_sync,P83"},
    {"tcgen05_commit",
     "tcgen05 commit cta_group=cta_group::1|cta_group::2 mbarrier::arrive::one space=shared::cluster? b64", "[mbar]",
     "sm_100a 8.6 orders same:P85"},
    {"tcgen05_commit_multicast",
     "tcgen05 commit cta_group=cta_group::1|cta_group::2 mbarrier::arrive::one space=shared::cluster? "
     "multicast::cluster b64",
     "[mbar] mask:u16", "sm_100a 8.6 orders same:P85"},
};

}  // namespace

std::span<const RowText> tcgen05_rows() { return kTcgen05Rows; }

}  // namespace tilewright::ptx
