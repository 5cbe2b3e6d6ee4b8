#include "compiler/script/prelude.h"

#include "compiler/script/interpreter.h"
#include "compiler/script/surface.h"

namespace tilewright::script {

// Of an embedded file, by its path below prelude/.
std::string_view prelude_text(std::string_view path);

namespace {

using text::Dialect::V0_26, text::Dialect::V0_27;

Value of_prelude(Interpreter& in, const Record& record, Value) { return in.prelude(record.name, {}); }

// `detail` is the file that defines the name.
constexpr Record kPreludeRecords[] = {
    {"T", "SMEMPool", NameKind::Class, "ptr=None", "Carves buffers out of one block of shared memory.", nullptr,
     of_prelude, "smem_pool.py"},
    {"T", "TMEMPool", NameKind::Class,
     "pool, total_cols=512, *, cta_group=1, alloc_warp=0, dealloc_warp=None, tmem_addr=None, sync_after_alloc=True",
     "Allocates tensor memory and carves buffers out of its columns.", nullptr, of_prelude, "tmem_pool.py"},
    {"T", "TMEMStages", NameKind::Class, "buf, col_start, width, stages=1, stride=None",
     "A ring of equal parts of a buffer in tensor memory.", nullptr, of_prelude, "tmem_stages.py"},
    {"T", "PipelineState", NameKind::Class, "depth, phase=None", "Stage and phase of one side of a pipeline.", nullptr,
     of_prelude, "pipeline.py"},
    {"T", "MBarrier", NameKind::Class, "pool, depth, phase_offset=0, leader=None",
     "Mbarriers in shared memory, with their arrivals and waits.", nullptr, of_prelude, "barriers.py"},
    {"T", "TMABar", NameKind::Class, "pool, depth, phase_offset=0, leader=None",
     "Mbarriers that count the bytes of tensor copies.", nullptr, of_prelude, "barriers.py"},
    {"T", "TCGen05Bar", NameKind::Class, "pool, depth, phase_offset=0, leader=None",
     "Mbarriers that tcgen05.commit arrives at.", nullptr, of_prelude, "barriers.py"},
    {"T", "Pipeline", NameKind::Class,
     "pool, stages, *, full, empty, init_full=1, init_empty=1, empty_phase_offset=0, leader=None",
     "A ring of stages between producers and consumers.", nullptr, of_prelude, "pipeline.py"},
    {"T", "WarpRole", NameKind::Class, "warp_id_var, val, regs=None, increase=False",
     "A branch for some warps: with T.WarpRole(...).", nullptr, of_prelude, "roles.py"},
    {"T", "WarpgroupRole", NameKind::Class, "wg_id_var, val, regs=None, increase=False",
     "A branch for some warpgroups.", nullptr, of_prelude, "roles.py"},
    {"T", "SmemDescriptor", NameKind::Class, "", "A matrix descriptor of shared memory, for wgmma and tcgen05.",
     nullptr, of_prelude, "descriptors.py"},
    {"T", "smem_desc_add_16B_offset", NameKind::Function, "desc_val, offset",
     "A matrix descriptor moved by some units of 16 bytes.", nullptr, of_prelude, "descriptors.py"},
    {"T", "BaseTileScheduler", NameKind::Class, "prefix", "What the schedulers of tiles share.", nullptr, of_prelude,
     "scheduler_base.py"},
    {"T", "ClusterPersistentScheduler2D", NameKind::Class,
     "prefix, num_m_tiles, num_n_tiles, num_clusters, l2_group_size=8, cluster_m=1, cluster_n=1, serpentine=False",
     "Persistent clusters over a grid of tiles, in groups that share the L2 cache.", nullptr, of_prelude,
     "scheduler_persistent.py"},
    {"T", "GroupMajor3D", NameKind::Class, "prefix, m_tiles, n_tiles, k_tiles, group_rows, step=1",
     "Tiles of three dimensions, in groups of rows.", nullptr, of_prelude, "scheduler_group_major.py"},
    {"T", "RankAwareGroupMajorTileScheduler", NameKind::Class, "prefix, m_clusters, n_clusters, group_size, world_size",
     "Groups of rows, the tiles of other ranks first.", nullptr, of_prelude, "scheduler_group_major.py"},
    {"T", "IndexedTripleTileScheduler", NameKind::Class, "prefix, b_indices, h_indices, q_indices, tiles_indptr",
     "Tiles that are listed in index tensors.", nullptr, of_prelude, "scheduler_indexed.py"},
    {"T", "FlashAttentionLinearScheduler", NameKind::Class, "prefix, num_batches, num_heads, num_m_blocks, num_ctas",
     "Blocks of a head, then heads, then batches.", nullptr, of_prelude, "scheduler_attention.py"},
    {"T", "FlashAttentionLPTScheduler", NameKind::Class,
     "prefix, num_batches, num_heads, num_m_blocks, l2_swizzle, num_ctas=None",
     "The longest blocks of attention first.", nullptr, of_prelude, "scheduler_attention.py"},
    {"T", "ClusterLaunchControlScheduler", NameKind::Class,
     "pool, num_m_tiles, num_n_tiles, l2_group_size, cta_group, finish_arrivals",
     "Tiles that the hardware hands out to running clusters.", nullptr, of_prelude, "scheduler_launch_control.py"},
    {"bench", "CudaProfiler", NameKind::Class,
     "profiler_buffer, write_stride, num_groups, default_leader=None, profiler_enabled=True",
     "Writes when events of a kernel start and end into a buffer.", nullptr, of_prelude, "profiler.py"},
    since(V0_27, {"descriptors", "encode_instr_descriptor_dense_uint32", NameKind::Function,
                  "M, N, K, d_dtype, a_dtype, b_dtype, trans_a, trans_b, cta_group=1, neg_a=False, neg_b=False, "
                  "sat_d=False, is_sparse=False",
                  "The instruction descriptor of a dense tcgen05.mma, as a number.", nullptr, of_prelude,
                  "host_descriptors.py"}),
    since(V0_27, {"descriptors", "encode_instr_descriptor_block_scaled_uint32", NameKind::Function,
                  "M, N, K, d_dtype, a_dtype, b_dtype, sf_dtype, trans_a, trans_b, cta_group=1, neg_a=False, "
                  "neg_b=False, is_sparse=False",
                  "The instruction descriptor of a block-scaled tcgen05.mma, as a number.", nullptr, of_prelude,
                  "host_descriptors.py"}),
    since(V0_27, {"descriptors", "encode_smem_descriptor_base_uint64", NameKind::Function, "ldo, sdo, swizzle",
                  "A matrix descriptor without its address, as a number.", nullptr, of_prelude, "host_descriptors.py"}),
    {"lang", "_element_bits", NameKind::Function, "dtype", "Of the prelude's own files.", nullptr, of_prelude,
     "pool_shapes.py"},
    {"lang", "_constant_shape", NameKind::Function, "shape, who", "Of the prelude's own files.", nullptr, of_prelude,
     "pool_shapes.py"},
    {"lang", "_check_mma_shape", NameKind::Function, "shape, dtype, mode, who", "Of the prelude's own files.", nullptr,
     of_prelude, "smem_pool_base.py"},
    {"lang", "_may_be_positive", NameKind::Function, "value", "Of the prelude's own files.", nullptr, of_prelude,
     "scheduler_base.py"},
    {"lang", "_positive", NameKind::Function, "value, who, what", "Of the prelude's own files.", nullptr, of_prelude,
     "scheduler_base.py"},
    {"lang", "_at_least_one", NameKind::Function, "value", "Of the prelude's own files.", nullptr, of_prelude,
     "scheduler_base.py"},
    since(V0_26, {"iket", "IketProfiler", NameKind::Class, "", "Marks for NVIDIA's kernel timeline.", nullptr,
                  of_prelude, "iket.py"}),
    {"lang", "_SMEMPool", NameKind::Class, "", "Of the prelude's own files.", nullptr, of_prelude, "smem_pool_base.py"},
    {"lang", "_TMEMPool", NameKind::Class, "", "Of the prelude's own files.", nullptr, of_prelude, "tmem_pool_base.py"},
    since(V0_27,
          {"lang", "query_cancel_first_ctaid_x", NameKind::Function, "first_ctaid_x, handle, *, use_ld_acquire=True",
           "Reads the answer of a cluster launch control into a scalar.", nullptr, of_prelude, "clc.py"}),
    since(V0_26, {"lang", "_MBarrier", NameKind::Class, "", "Of the prelude's own files.", nullptr, of_prelude,
                  "barriers_base.py"}),
};

}  // namespace

std::span<const Record> prelude_records() { return kPreludeRecords; }

bool is_of_prelude(const Record& record) { return record.make == of_prelude; }

std::string prelude_file_of(std::string_view name, text::Dialect release) {
  for (const Record& r : kPreludeRecords) {
    if (r.name != name || !r.releases.has(release)) continue;
    const auto first = text::kDialects.front().dialect;
    for (auto d = text::kDialects.rbegin(); d != text::kDialects.rend(); ++d) {
      if (d->dialect > release || d->dialect == first) continue;
      std::string own = std::string(d->name).append("/").append(r.detail);
      if (!prelude_text(own).empty()) return own;
    }
    return std::string(r.detail);
  }
  return {};
}

std::string_view prelude_source(std::string_view file) {
  if (file.find('/') != file.npos) return prelude_text(file);
  return prelude_text(std::string(text::kDialects.front().name).append("/").append(file));
}

}  // namespace tilewright::script
