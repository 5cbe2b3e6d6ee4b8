// Register tiles as the fragments of mma.sync (gemm.md 2.3, 2.4).
//
// A fragment of m16n8kX says which lane holds which element: in D and C, lane 4g + t holds rows g and g + 8 of columns
// 2t and 2t + 1; in A the same rows of K 2t and 2t + 1 (and 8 further); in B those K of column g. An operand fits when
// each of its dimensions, cut where the fragment is cut, has these lanes and pairs. What is left of its threads are the
// warps, what is left of its registers are tiles.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

enum class MmaDim : std::uint8_t { M, N, K };
std::string_view mma_dim_name(MmaDim dim);

// An operand of two dimensions, each a list of iters over threads and registers, all extents and strides constant.
struct MmaOperand {
  std::string_view role;  // "A"
  const ir::Buffer* buffer = nullptr;
  MmaDim dims[2]{};  // in the buffer's order
  layout::Iters lists[2]{};
  layout::Dim start{};  // of the region, in registers

  layout::Iters& list(MmaDim dim) { return lists[dims[0] == dim ? 0 : 1]; }
  const layout::Iters& list(MmaDim dim) const { return lists[dims[0] == dim ? 0 : 1]; }
};
// Error: why the region is no such operand (steps 7 and G24 of gemm.md).
std::expected<MmaOperand, Reason> mma_operand(std::string_view role, const ir::Region& region, MmaDim rows,
                                              MmaDim columns);

struct MmaOperands {
  MmaOperand d, a, b, c;
};
// Brings the digits of each dimension of all operands into one order, that of its anchor: D for M and N, A for K. Then
// linear indices mean the same everywhere. Error: a follower cannot be cut where the anchor is.
Reason align(MmaOperands& operands);

// One operand under a fragment: the registers of its tiles and of the pairs within one.
struct MmaFragment {
  layout::Iters tiles[2];              // of each of its dimensions, in the order of MmaOperand::dims
  std::vector<std::int64_t> pairs[2];  // register steps of the carved pairs, outermost first
  layout::Iters warps[2];
};
struct MmaMatch {
  MmaFragment d, a, b, c;
};
// The operands, aligned, as fragments of m16n8kX with X = 8 or 16; error: the first rule that one breaks.
std::expected<MmaMatch, Reason> match_fragments(const MmaOperands& operands, std::int64_t k);

// The register of digit `index` over iters of registers.
std::int64_t register_of(std::span<const layout::Iter> iters, std::int64_t index);

}  // namespace tilewright::dispatch
