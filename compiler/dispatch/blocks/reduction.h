// Reductions: sum, max and min along dimensions of a tile (compute.md 8).
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

struct Reduction {
  ir::Region dst, src;
  Reason invalid;                                      // operands that no variant could take
  Reason bad_axes;                                     // an axis that the source has not; `reduced` is empty then
  std::vector<bool> reduced;                           // one a dimension of the source
  bool accumulates = false;                            // the destination's old value takes part
  std::vector<std::int64_t> src_extents, dst_extents;  // empty: one is known only at run time

  ir::DataType dtype() const { return dst.buffer->dtype; }
  bool known() const { return !src_extents.empty() && !dst_extents.empty(); }
  std::int64_t outputs() const;   // product of the dimensions that stay
  std::int64_t summands() const;  // of those that are reduced
  std::int64_t dst_elements() const;
};

// Worked out by the first variant that asks.
const Reduction& reduction(CallContext& context);

// op(a, b) of the call, and what changes nothing: 0, or the infinity of the type, where it has one (Q26).
ir::Expr combined(const CallContext& context, ir::Expr a, ir::Expr b);
ir::Expr identity(const CallContext& context, ir::DataType type);

// The old and the new values take no memory from each other (Q28).
Reason reduced_in_place(const Reduction& r);
// As many results as the destination has room for (Q17).
Reason wrong_size(const Reduction& r);
// Both in such memory, and of one type.
Reason not_stored_in(const Reduction& r, bool (*fits)(ir::StorageScope), std::string_view wanted);
Reason types_differ(const Reduction& r);
// "sum -> shared: a[0:8, 0:32] -> d[0:8]".
std::string reduction_headline(CallContext& context, std::string_view variant);

// How many results there are, and summands of each; constants where all extents are.
ir::Expr output_count(const Reduction& r);
ir::Expr summand_count(const Reduction& r);
// Element `out` of the results and summand `k` of it, both numbered row by row, as indices into the source's buffer;
// and the result's own place.
std::vector<ir::Expr> source_index(const Reduction& r, ir::Expr out, ir::Expr k);
std::vector<ir::Expr> result_index(const Reduction& r, ir::Expr out);

// Each thread reduces by itself (8.3): one loop over the results, one over the summands.
const ir::Stmt* reduce_in_thread(CallContext& context, ir::LoopKind kind);

// What is said of it; `what` are the summands.
void describe_thread(Plan& plan, const Reduction& r, std::string_view what);

// value = op(value, the value of the lane at distance m), for each m; `mask` names the lanes that take part.
void add_shuffles(CallContext& context, ir::BodyBuilder& out, const ir::Buffer* buffer, ir::Expr at,
                  std::span<const std::int64_t> distances, ir::Expr mask, std::int64_t width);

// Shared by the forms of one result per thread for Blackwell (8.1): what both ask for, in order.
Reason not_one_float_row(CallContext& context);

}  // namespace tilewright::dispatch
