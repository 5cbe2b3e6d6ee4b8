#include "compiler/script/prelude.h"

namespace tilewright::script {

namespace {

struct Name {
  std::string_view name, file;
};
constexpr Name kNames[] = {
    {"SMEMPool", "pools.py"},
    {"TMEMPool", "pools.py"},
    {"TMEMStages", "pools.py"},
    {"PipelineState", "pipeline.py"},
    {"MBarrier", "pipeline.py"},
    {"TMABar", "pipeline.py"},
    {"TCGen05Bar", "pipeline.py"},
    {"Pipeline", "pipeline.py"},
    {"WarpRole", "roles.py"},
    {"WarpgroupRole", "roles.py"},
    {"SmemDescriptor", "descriptors.py"},
    {"smem_desc_add_16B_offset", "descriptors.py"},
    {"BaseTileScheduler", "schedulers.py"},
    {"ClusterPersistentScheduler2D", "schedulers.py"},
    {"GroupMajor3D", "schedulers.py"},
    {"RankAwareGroupMajorTileScheduler", "schedulers.py"},
    {"IndexedTripleTileScheduler", "schedulers.py"},
    {"FlashAttentionLinearScheduler", "schedulers.py"},
    {"FlashAttentionLPTScheduler", "schedulers.py"},
    {"ClusterLaunchControlScheduler", "schedulers.py"},
};

}  // namespace

std::string_view prelude_file_of(std::string_view name) {
  for (const Name& n : kNames) {
    if (n.name == name) return n.file;
  }
  return {};
}

}  // namespace tilewright::script
