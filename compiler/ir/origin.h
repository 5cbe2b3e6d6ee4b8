// Where a node came from, as diagnostics tell it.
#pragma once
#include <algorithm>
#include <vector>

#include "compiler/ir/stmt.h"

namespace tilewright::ir {

// The same text, reached through the same calls of inlines.
inline bool same_origin(const Origin& a, const Origin& b) {
  const CallSite *x = a.chain, *y = b.chain;
  while (x && y && x->span == y->span) {
    x = x->outer;
    y = y->outer;
  }
  return a.span == b.span && !x && !y;
}

// The calls of inlined functions that led to a node, outermost first.
inline std::vector<text::Span> call_chain(const CallSite* innermost) {
  std::vector<text::Span> chain;
  for (const CallSite* site = innermost; site; site = site->outer) chain.push_back(site->span);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace tilewright::ir
