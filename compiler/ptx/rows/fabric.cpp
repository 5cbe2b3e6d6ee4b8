// Transfers between GPUs of a fabric, and tensor maps in memory.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kFabricRows[] = {
    {"tensormap_replace_address", "tensormap.replace tile global_address space=global|shared::cta? b1024 b64",
     "[addr] new_val:b64", "sm_90a 8.3 same:E19"},
    {"tensormap_replace_rank", "tensormap.replace tile rank space=global|shared::cta? b1024 b32", "[addr] new_val:b32",
     "sm_90a 8.3 same:E19"},
    {"tensormap_replace_stride", "tensormap.replace tile global_stride space=global|shared::cta? b1024 b64",
     "[addr] #ord(0|1|2|3|4) new_val:b64", "sm_90a 8.3 same:E19"},
    {"tensormap_replace_dim",
     "tensormap.replace tile field=box_dim|global_dim|element_stride space=global|shared::cta? b1024 b32",
     "[addr] #ord(0|1|2|3|4) new_val:i32", "sm_90a 8.3 same:E19"},
    {"tensormap_replace_elemtype", "tensormap.replace tile elemtype space=global|shared::cta? b1024 b32",
     "[addr] #new_val(0|1|2|3|4|5|6|7|8|9|10|11|12)", "sm_90a 8.3 same:E19"},
    {"tensormap_replace_interleave_layout",
     "tensormap.replace tile interleave_layout space=global|shared::cta? b1024 b32", "[addr] #new_val(0|1|2)",
     "sm_90a 8.3 same:E19"},
    {"tensormap_replace_swizzle_mode", "tensormap.replace tile swizzle_mode space=global|shared::cta? b1024 b32",
     "[addr] #new_val(0|1|2|3)", "sm_90a 8.3 same:E19"},
    {"tensormap_replace_fill_mode", "tensormap.replace tile fill_mode space=global|shared::cta? b1024 b32",
     "[addr] #new_val(0|1)", "sm_90a 8.3 same:E19"},
    {"tensormap_replace_swizzle_mode_sm103a", "tensormap.replace tile swizzle_mode space=global|shared::cta? b1024 b32",
     "[addr] #new_val(4)", "sm_103a 9.3 same:E19"},
    {"fabric_try_get",
     "fabric try_get async shared::cta mbarrier::complete_tx::bytes.mbarrier::report::fabric relaxed sys b128",
     "[dst_mem@shared::cta] [[src_le_id:u32,src_data_off:u64]] size:u32 [mbar@shared::cta]", "sm_103a 9.3"},
    {"fabric_try_put",
     "fabric try_put async multimem? shared::cta mbarrier::complete_tx::16B.mbarrier::report::fabric relaxed "
     "sys b128",
     "[[dst_le_id:u32,dst_data_off:u64]] [src_mem@shared::cta] size:u32 [mbar@shared::cta]", "sm_103a 9.3"},
    {"fabric_try_put_cp_mask",
     "fabric try_put async multimem? shared::cta mbarrier::complete_tx::16B.mbarrier::report::fabric cp_mask "
     "relaxed sys b128",
     "[[dst_le_id:u32,dst_data_off:u64]] [src_mem@shared::cta] size:u32 [mbar@shared::cta] byte_mask:u16",
     "sm_103a 9.3"},
    {"fabric_try_put_counted",
     "fabric try_put async multimem? shared::cta "
     "mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes relaxed sys b128",
     "[[dst_le_id:u32,dst_data_off:u64,dst_counter_off:u64]] [src_mem@shared::cta] size:u32 [mbar@shared::cta]",
     "sm_103a 9.3"},
    {"fabric_try_red",
     "fabric try_red async multimem? shared::cta mbarrier::complete_tx::16B.mbarrier::report::fabric relaxed "
     "sys redop=and|or|xor|min|max|add type=@fabric_types",
     "[[dst_le_id:u32,dst_data_off:u64]] [src_mem@shared::cta] size:u32 [mbar@shared::cta]",
     "sm_103a 9.3 if:fabric_reduce"},
    {"fabric_try_red_counted",
     "fabric try_red async multimem? shared::cta "
     "mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes relaxed sys redop=and|or|xor|min|max|"
     "add type=@fabric_types",
     "[[dst_le_id:u32,dst_data_off:u64,dst_counter_off:u64]] [src_mem@shared::cta] size:u32 [mbar@shared::cta]",
     "sm_103a 9.3 if:fabric_reduce"},
    {"fabric_try_pullred",
     "fabric try_pullred async multimem shared::cta mbarrier::complete_tx::bytes.mbarrier::report::fabric "
     "relaxed sys redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32 sync",
     "[dst_mem@shared::cta] [[src_le_id:u32,src_data_off:u64]] size:u32 [mbar@shared::cta] #membermask=0xFFFFFFFF",
     "sm_103a 9.3 if:fabric_pull"},
    {"fabric_submit", "fabric submit op_restrict::fetching?", "", "sm_103a 9.3 orders"},
    {"fabric_wait", "fabric wait sync_restrict::reads", "", "sm_103a 9.3 orders"},
    {"tensormap_cp_fenceproxy",
     "tensormap.cp_fenceproxy global shared::cta tensormap::generic release scope=cta|cluster|gpu|sys sync aligned",
     "[dst_mem@global] [src_mem@shared::cta] #size=128", "sm_90 8.3 same:E20"},
};

}  // namespace

std::span<const RowText> fabric_rows() { return kFabricRows; }

}  // namespace tilewright::ptx
