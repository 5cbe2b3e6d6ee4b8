// A row of one thread, reduced eight numbers at a time into a few partial results (compute.md 8.1): the first eight
// make them, each further eight join them, what is left joins the first one by one, and then they are brought together.
#pragma once
#include <functional>

#include "compiler/dispatch/blocks/reduction.h"

namespace tilewright::dispatch {

class PartialRow {
 public:
  static constexpr std::int64_t kChunk = 8;

  PartialRow(CallContext& context, std::int64_t partials);

  std::int64_t elements() const { return r_.summands(); }
  std::int64_t chunks() const { return elements() / kChunk; }
  std::int64_t rest() const { return elements() % kChunk; }

  ir::Expr element(ir::Expr i) const;  // of the row
  ir::Expr partial(ir::Expr i) const;
  const ir::Buffer* partials() const { return partials_; }
  ir::Expr result() const;  // before it is written: the destination's old value
  bool accumulates() const { return r_.accumulates; }

  const ir::Stmt* set_partial(ir::Expr i, ir::Expr value) const;
  const ir::Stmt* set_result(ir::Expr value) const;

  // The statements; each step adds its own to the builder.
  struct Steps {
    std::function<void(ir::BodyBuilder&)> first;                // of the first eight
    std::function<void(ir::BodyBuilder&, ir::Expr from)> next;  // of the eight from `from`
    std::function<void(ir::BodyBuilder&)> last;                 // of the partial results
  };
  const ir::Stmt* write(const Steps& steps) const;

  // The facts that all such plans have: elements, chunks, rest.
  void describe(Plan& plan) const;

 private:
  CallContext& context_;
  const Reduction& r_;
  const ir::Buffer* partials_;
};

}  // namespace tilewright::dispatch
