// What a call's accesses of shared memory cost a warp: how often it must come back because of bank conflicts.
//
// For people: it looks at what was emitted, as the first warp of a CTA would execute it, in the first turns of each
// loop. It answers only where it can compute every address.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/layout/picture.h"
#include "compiler/lower/lowered.h"

namespace tilewright::lower {

// How the instructions that take pointers use them.
struct PointerAccess {
  int bits = 0;    // that each lane moves
  int lanes = 32;  // whose pointers count: an ldmatrix of one matrix takes those of 8
};

// One access of the warp: the worst of those that were looked at.
struct BankAccess {
  layout::BankReport report;
  std::vector<std::int64_t> address;  // the first byte of each lane, in its allocation; -1: the lane is not active
  int bits = 0;                       // that each lane moves
};
// Among the statements that stand for `origin` in the kernel, the access whose phases need most words of one bank.
// `of`: only accesses of the storage that this buffer looks at, from the same byte on, count; null: all of shared
// memory. Nothing: there is no such access, or an address that is not known here.
std::optional<BankAccess> worst_bank_access(const LoweredKernel& kernel, const ir::Origin& origin,
                                            const PointerAccess& pointers, const ir::Buffer* of = nullptr);

// Among the statements that stand for `origin` in the kernel, the most words that one bank must deliver in one phase of
// an access (layout::BankReport::degree; 1: free of conflicts). Nothing: no access of shared memory, or an address that
// is not known here.
std::optional<int> bank_conflicts(const LoweredKernel& kernel, const ir::Origin& origin, const PointerAccess& pointers);

}  // namespace tilewright::lower
