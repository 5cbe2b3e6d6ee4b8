// What a copy says of the caches that its load passes: cache=, l1_evict=, l2_evict= and prefetch_size=, from 0.26 on.
#pragma once
#include <string>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

struct LoadHints {
  std::string cache{}, l1_evict{}, l2_evict{}, prefetch_size{};  // as the instruction writes them; empty: none

  bool any() const { return !cache.empty() || !l1_evict.empty() || !l2_evict.empty() || !prefetch_size.empty(); }
};

// Of the call. Error: a value that no load instruction has.
std::expected<LoadHints, Reason> load_hints(const ir::TileCall& call);

// One access of `bits` from global memory, with hints; without any it is a plain copy.
void add_hinted_copy(ir::BodyBuilder& out, const LoadHints& hints, int bits, ir::Expr dst, ir::Expr src);

}  // namespace tilewright::dispatch
