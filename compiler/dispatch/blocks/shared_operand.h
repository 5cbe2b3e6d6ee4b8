// A tile of shared memory as the matrix units read it: by a descriptor (gemm.md 3.4, 4.1).
//
// tcgen05.mma and wgmma are not told where each element is. They take one start address, one swizzle and two distances,
// and walk from there through *atoms*: eight rows of 32, 64 or 128 contiguous bytes, XORed by the swizzle. A layout can
// be described when its elements lie exactly where that walk goes:
//
//   K-major    the contiguous dimension is K. Row i of M or N is at (i / 8) * sdo + (i % 8) * row. One instruction
//              stays inside the rows of one atom; the steps along K move the start address, and ldo is not used.
//   MN-major   the contiguous dimension is M or N. Element i of it is at (i / row) * ldo + i % row, and step k of K at
//              (k / 8) * sdo + (k % 8) * row.
//
// The pattern of the XOR starts where an atom starts: whatever moves the start address moves it by whole atoms, or
// along a row of one.
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

struct SharedOperand {
  const ir::Buffer* buffer = nullptr;
  std::int64_t ldo = 0, sdo = 0;  // as the descriptor encoders take them: units of 16 bytes
  int mode = 0;                   // 1, 2, 3: rows of 32, 64, 128 bytes; 0: rows of 16, and no swizzle
  bool mn_major = false;
  std::int64_t mn = 0, k = 0;      // extents of the region
  std::int64_t row = 0, unit = 0;  // elements in a row of an atom, and in 16 bytes

  // Whether one instruction can read [mn0, mn0 + mn_count) x [k0, k0 + k_count), counted from the region's start: it
  // starts where the pattern of the swizzle allows, and what it reads is where it looks. Empty: it can.
  Reason unreadable(std::int64_t mn0, std::int64_t mn_count, std::int64_t k0, std::int64_t k_count) const;
  // How far that instruction's start lies beyond element (0, .., 0) of the buffer, which is what the descriptor
  // encodes: units of 16 bytes, before the swizzle.
  ir::Expr offset(std::int64_t mn0, std::int64_t k0) const;

  layout::Dim start{};                              // of the region: elements before the swizzle
  std::vector<std::int64_t> mn_steps{}, k_steps{};  // elements from there to index i of M or N, of K
  std::int64_t phase = 0;                           // start's place in the row of its atom; -1: known only at run time
};

// Whether tiles without a swizzle are described, too: atoms of eight rows of 16 bytes, which follow each other at one
// distance along either dimension.
enum class Unswizzled : bool { Refused, Described };

// `transposed`: the region's rows are K, not M or N. Error: which rule of the descriptor the layout breaks.
std::expected<SharedOperand, Reason> shared_operand(const ir::Region& region, bool transposed,
                                                    Unswizzled unswizzled = Unswizzled::Refused);

// "descriptor of A 0x4000404000400000: ldo 64 (1,024 bytes) · ..., K-major", for people. `wgmma`: for that unit, which
// numbers swizzles its own way; else for tcgen05.
std::string descriptor_words(const SharedOperand& operand, std::string_view name, bool wgmma);

}  // namespace tilewright::dispatch
