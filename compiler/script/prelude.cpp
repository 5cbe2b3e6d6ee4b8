#include "compiler/script/prelude.h"

namespace tilewright::script {

namespace {

struct Name {
  std::string_view name, file;
};
constexpr Name kNames[] = {
    {"SMEMPool", "smem_pool.py"},
    {"TMEMPool", "tmem_pool.py"},
    {"TMEMStages", "tmem_pool.py"},
    {"PipelineState", "pipeline.py"},
    {"MBarrier", "barriers.py"},
    {"TMABar", "barriers.py"},
    {"TCGen05Bar", "barriers.py"},
    {"Pipeline", "pipeline.py"},
    {"WarpRole", "roles.py"},
    {"WarpgroupRole", "roles.py"},
    {"SmemDescriptor", "descriptors.py"},
    {"smem_desc_add_16B_offset", "descriptors.py"},
    {"BaseTileScheduler", "scheduler_base.py"},
    {"ClusterPersistentScheduler2D", "scheduler_persistent.py"},
    {"GroupMajor3D", "scheduler_group_major.py"},
    {"RankAwareGroupMajorTileScheduler", "scheduler_group_major.py"},
    {"IndexedTripleTileScheduler", "scheduler_indexed.py"},
    {"FlashAttentionLinearScheduler", "scheduler_attention.py"},
    {"FlashAttentionLPTScheduler", "scheduler_attention.py"},
    {"ClusterLaunchControlScheduler", "scheduler_launch_control.py"},
    // Of the prelude's own files.
    {"_element_bits", "pool_shapes.py"},
    {"_constant_shape", "pool_shapes.py"},
    {"_may_be_positive", "scheduler_base.py"},
    {"_positive", "scheduler_base.py"},
    {"_at_least_one", "scheduler_base.py"},
};

}  // namespace

std::string_view prelude_file_of(std::string_view name) {
  for (const Name& n : kNames) {
    if (n.name == name) return n.file;
  }
  return {};
}

}  // namespace tilewright::script
