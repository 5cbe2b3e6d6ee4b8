// The answers of `tilewright cache` as JSON (protocol/schema/cache.json).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/toolchain/cache_upkeep.h"
#include "server/render/json.h"

namespace tilewright::render {

// What is kept of compilations.
struct CacheState {
  std::string folder;
  std::size_t entries = 0;
  std::uint64_t bytes = 0, limit_bytes = 0;
  long oldest_use_days = 0;
  std::size_t corrupt = 0;  // set aside, since their digest was wrong
};

Json cache_json(const CacheState& cache);
Json cache_upkeep_json(const toolchain::Trimmed& done);

}  // namespace tilewright::render
