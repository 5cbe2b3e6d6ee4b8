// What the contents of a tensor decide: addresses, branches, the ends of loops. Follows values through variables, and
// through memory buffer by buffer: a call that is handed the data may bring it to any other memory that it is handed.
#pragma once
#include <span>
#include <unordered_set>

#include "compiler/lower/lowered.h"

namespace tilewright::run {

class DataUse {
 public:
  DataUse(const lower::LoweredKernel& kernel, std::span<const ir::Var* const> tensors);
  bool addresses() const { return addresses_; }
  bool decides() const { return addresses_ || conditions_; }

 private:
  bool look(const ir::Stmt* s);
  const ir::Var* memory_of(const ir::Var* v) const;
  bool handed_on(const ir::Call* call);
  bool depends(ir::Expr e);

  const lower::LoweredKernel& kernel_;
  std::unordered_set<const ir::Var*> from_data_;
  bool addresses_ = false, conditions_ = false;
};

}  // namespace tilewright::run
