#include "server/render/cache.h"

namespace tilewright::render {

Json cache_json(const CacheState& cache) {
  return {{"folder", cache.folder},
          {"entries", cache.entries},
          {"bytes", cache.bytes},
          {"limit_bytes", cache.limit_bytes},
          {"oldest_use_days", cache.oldest_use_days},
          {"corrupt", cache.corrupt}};
}

Json cache_upkeep_json(const toolchain::Trimmed& done) {
  return {{"removed_entries", done.entries},
          {"removed_bytes", done.bytes},
          {"entries", done.left_entries},
          {"bytes", done.left_bytes}};
}

}  // namespace tilewright::render
