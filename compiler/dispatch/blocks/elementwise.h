// Elementwise calls: which operands take part, and what becomes of one element (compute.md 2 and 3.2).
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

enum class ElementOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Fdiv,
  Fma,
  Cast,
  Exp,
  Exp2,
  Sqrt,
  Reciprocal,
  Silu,
  Zero,
  Fill,
  Log2,
  Maximum
};

// A tile, or one value for all elements.
struct Source {
  ir::Region region{};
  ir::Expr scalar{};
  bool is_region() const { return region.buffer != nullptr; }
  ir::DataType dtype() const { return is_region() ? region.buffer->dtype : scalar.dtype(); }
};

struct Elementwise {
  ElementOp op = ElementOp::Add;
  ir::Region dst;
  std::vector<Source> sources;           // in the order of the formula: what add and mul exchange is exchanged
  bool biased = false;                   // of exp, exp2, log2, sqrt: the second source is added
  bool scaled = false;                   // and the last one multiplied before that
  Reason invalid;                        // operands that no variant could take
  std::vector<std::int64_t> extents;     // of the destination; empty: one is known only at run time
  std::optional<std::int64_t> elements;  // of the destination

  // All tiles, the destination first.
  std::vector<const ir::Region*> regions() const;
};

// Worked out by the first variant that asks.
const Elementwise& elementwise(CallContext& context);

// A scalar that reads memory, read before the first element is written; others as they are.
ir::Expr read_once(ir::BodyBuilder& out, ir::Expr scalar);

// The value of one element in the destination's type; `values` are those of the sources, in their own types.
std::expected<ir::Expr, Reason> element_value(const Elementwise& call, std::span<const ir::Expr> values);

// Every source tile has the destination's extents, or 1, from the right (3.2).
Reason not_broadcast(const Elementwise& call);
// Every operand lies in such memory and has a layout; `wanted` names it.
Reason not_stored_in(const Elementwise& call, bool (*fits)(ir::StorageScope), std::string_view wanted);

// "add -> reg: a[0:8], 2.5f -> d[0:8]".
std::string elementwise_headline(CallContext& context, std::string_view variant);

// What an author should know of a plan that is made all the same: tiles of one buffer that overlap and are not the same
// (Q15), and a destination that several warps or threads work on alike (Q14).
void note_overlap(Plan& plan, const ir::Region& dst, std::span<const ir::Region> sources);
void note_repetition(Plan& plan, CallContext& context, std::span<const ir::Region> regions, bool in_place);

}  // namespace tilewright::dispatch
