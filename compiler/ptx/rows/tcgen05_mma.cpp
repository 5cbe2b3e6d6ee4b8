// Matrix products in tensor memory.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kTcgen05MmaRows[] = {
    {"tcgen05_mma_ti16_ss", "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::ti16",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P86"},
    {"tcgen05_mma_ti16_ss_collector_b",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::ti16 collector_b=collector::b::fill|"
     "collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P86"},
    {"tcgen05_mma_ti16_ts", "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::ti16",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P86"},
    {"tcgen05_mma_ti16_ts_collector_b",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::ti16 collector_b=collector::b::fill|"
     "collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P86"},
    {"tcgen05_mma_sp_ti16_ss", "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind::ti16",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 disable_output_lane:u32*{cta_group*4} "
     "enable_input_d:pred",
     "sm_107f 9.4 same:P87"},
    {"tcgen05_mma_sp_ti16_ss_collector_b",
     "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind::ti16 collector_b=collector::b::fill|"
     "collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 disable_output_lane:u32*{cta_group*4} "
     "enable_input_d:pred",
     "sm_107f 9.4 same:P87"},
    {"tcgen05_mma_sp_ti16_ts", "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind::ti16",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 "
     "disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P87"},
    {"tcgen05_mma_sp_ti16_ts_collector_b",
     "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind::ti16 collector_b=collector::b::fill|"
     "collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 "
     "disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P87"},
    {"tcgen05_mma_ws_ti16_ss", "tcgen05 mma ws cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 enable_input_d:pred", "sm_107f 9.4 same:P86.ws"},
    {"tcgen05_mma_ws_ti16_ss_mask", "tcgen05 mma ws cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 enable_input_d:pred zero_col_mask:u64", "sm_107f 9.4 same:P86.ws"},
    {"tcgen05_mma_ws_ti16_ts", "tcgen05 mma ws cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 enable_input_d:pred", "sm_107f 9.4 same:P86.ws"},
    {"tcgen05_mma_ws_ti16_ts_mask", "tcgen05 mma ws cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 enable_input_d:pred zero_col_mask:u64",
     "sm_107f 9.4 same:P86.ws"},
    {"tcgen05_mma_ws_sp_ti16_ss", "tcgen05 mma ws sp cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 enable_input_d:pred",
     "sm_107f 9.4 same:P87.ws"},
    {"tcgen05_mma_ws_sp_ti16_ss_mask", "tcgen05 mma ws sp cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 enable_input_d:pred zero_col_mask:u64",
     "sm_107f 9.4 same:P87.ws"},
    {"tcgen05_mma_ws_sp_ti16_ts", "tcgen05 mma ws sp cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 enable_input_d:pred",
     "sm_107f 9.4 same:P87.ws"},
    {"tcgen05_mma_ws_sp_ti16_ts_mask", "tcgen05 mma ws sp cta_group::1 kind::ti16 collector_b=@collectors?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 enable_input_d:pred "
     "zero_col_mask:u64",
     "sm_107f 9.4 same:P87.ws"},
    {"tcgen05_mma_lut_b_ss",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::f8f6f4 decompress::lut::b "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard? "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] a_desc:u64 b_compressed_desc:u64 [b_decompress_metadata@tmem!] idesc:u32 "
     "disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P86"},
    {"tcgen05_mma_lut_b_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::f8f6f4 decompress::lut::b "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard? "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_compressed_desc:u64 [b_decompress_metadata@tmem!] idesc:u32 "
     "disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P86"},
    {"tcgen05_mma_block_scale_lut_b_ss",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale decompress::lut::b block32? "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard? "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] a_desc:u64 b_compressed_desc:u64 [b_decompress_metadata@tmem!] idesc:u32 [sfa_tmem@tmem!] "
     "[sfb_tmem@tmem!] enable_input_d:pred",
     "sm_107f 9.4 same:P88"},
    {"tcgen05_mma_block_scale_lut_b_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale decompress::lut::b block32? "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard? "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_compressed_desc:u64 [b_decompress_metadata@tmem!] idesc:u32 "
     "[sfa_tmem@tmem!] [sfb_tmem@tmem!] enable_input_d:pred",
     "sm_107f 9.4 same:P88"},
    {"tcgen05_mma_collector_ab_ss",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 same:P86"},
    {"tcgen05_mma_sp_collector_ab_ss",
     "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 disable_output_lane:u32*{cta_group*4} "
     "enable_input_d:pred",
     "sm_107f 9.4 same:P87"},
    {"tcgen05_mma_ashift_collector_b_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 ashift "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4"},
    {"tcgen05_mma_sp_ashift_collector_b_ts",
     "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "ashift collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 "
     "disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4"},
    {"tcgen05_mma_collector_ab_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 ashift? "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 if:ashift same:P86@!ashift"},
    {"tcgen05_mma_sp_collector_ab_ts",
     "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "ashift? collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 "
     "disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_107f 9.4 if:ashift same:P87@!ashift"},
    {"tcgen05_mma_block_scale_collector_ab_ss",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4 block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] enable_input_d:pred",
     "sm_107f 9.4 same:P88"},
    {"tcgen05_mma_block_scale_collector_ab_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4 block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] enable_input_d:pred",
     "sm_107f 9.4 same:P88"},
    {"tcgen05_mma_sp_block_scale_collector_ab_ss",
     "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] "
     "enable_input_d:pred",
     "sm_107f 9.4 same:P89"},
    {"tcgen05_mma_sp_block_scale_collector_ab_ts",
     "tcgen05 mma sp cta_group=cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 [sp_meta_tmem@tmem!] idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] "
     "enable_input_d:pred",
     "sm_107f 9.4 same:P89"},
    {"tcgen05_mma_block_scale_block_ss",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
     "block_size=block16|block32 collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|"
     "collector::a::discard? collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|"
     "collector::b::discard?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] enable_input_d:pred",
     "sm_107f 9.4 if:scale_block same:P88"},
    {"tcgen05_mma_block_scale_block_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
     "block_size=block16|block32 collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|"
     "collector::a::discard? collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|"
     "collector::b::discard?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] enable_input_d:pred",
     "sm_107f 9.4 if:scale_block same:P88"},
    {"tcgen05_mma_ss",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_100a 8.6 same:P86"},
    {"tcgen05_mma_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 disable_output_lane:u32*{cta_group*4} enable_input_d:pred",
     "sm_100a 8.6 same:P86"},
    {"tcgen05_mma_block_scale_ss",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
     "scale_vec=scale_vec::1X|scale_vec::2X|scale_vec::4X",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] enable_input_d:pred",
     "sm_100a 8.6 if:scale_vector same:P88"},
    {"tcgen05_mma_block_scale_ts",
     "tcgen05 mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
     "scale_vec=scale_vec::1X|scale_vec::2X|scale_vec::4X",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 [sfa_tmem@tmem!] [sfb_tmem@tmem!] enable_input_d:pred",
     "sm_100a 8.6 if:scale_vector same:P88"},
    {"tcgen05_mma_ws_ss",
     "tcgen05 mma ws cta_group::1 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 collector_b=@collectors?",
     "[d_tmem@tmem!] a_desc:u64 b_desc:u64 idesc:u32 enable_input_d:pred zero_col_mask:u64", "sm_100a 8.6 same:P86.ws"},
    {"tcgen05_mma_ws_ts",
     "tcgen05 mma ws cta_group::1 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 collector_b=@collectors?",
     "[d_tmem@tmem!] [a_tmem@tmem!] b_desc:u64 idesc:u32 enable_input_d:pred zero_col_mask:u64",
     "sm_100a 8.6 same:P86.ws"},
};

}  // namespace

std::span<const RowText> tcgen05_mma_rows() { return kTcgen05MmaRows; }

}  // namespace tilewright::ptx
