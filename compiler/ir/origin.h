// Whether two nodes came from the same place of the script.
#pragma once
#include "compiler/ir/stmt.h"

namespace tilewright::ir {

// The same text, reached through the same calls of inlines.
inline bool same_origin(const Origin& a, const Origin& b) {
  const CallSite *x = a.chain, *y = b.chain;
  while (x && y && x->span == y->span) x = x->outer, y = y->outer;
  return a.span == b.span && !x && !y;
}

}  // namespace tilewright::ir
