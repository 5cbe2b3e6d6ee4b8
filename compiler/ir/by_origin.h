// Values by the place that a node came from.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "compiler/ir/origin.h"

namespace tilewright::ir {

struct SameOrigin {
  bool operator()(const Origin& a, const Origin& b) const { return same_origin(a, b); }
};

struct OriginHash {
  std::size_t operator()(const Origin& origin) const {
    std::uint64_t hash = 0;
    const auto add = [&hash](text::Span s) {
      for (const std::uint32_t part : {s.anchor, s.begin, s.end})
        hash = (hash ^ part) * 0x9e3779b97f4a7c15 + (hash >> 29);
    };
    add(origin.span);
    for (const CallSite* site = origin.chain; site; site = site->outer) add(site->span);
    return hash ^ hash >> 32;
  }
};

// Values by origin, where same_origin() says which are one.
template <class T>
using ByOrigin = std::unordered_map<Origin, T, OriginHash, SameOrigin>;

}  // namespace tilewright::ir
