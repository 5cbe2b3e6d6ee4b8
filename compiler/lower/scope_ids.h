// What a scope id is in terms of the launch variables (scope.md 4).
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/lower/lowered.h"

namespace tilewright::lower {

// Hands out the values of scope ids while the device body is rewritten and remembers which were asked for; `bindings`
// then makes the statements for the top of the body. Two declarations of one id share the first named variable.
class ScopeIdValues {
 public:
  ScopeIdValues(LoweredKernel& kernel, const dispatch::Dispatched& dispatched);

  // What stands for the id in the body: a constant when only one value is possible, else the variable to bind.
  ir::Expr value_of(const ir::Var* id);
  // The launch variable for a tag such as "threadIdx.x", as T.launch_thread and thread-bound loops name it; null: none.
  ir::Expr launch_value(std::string_view tag);

  void declared(const ir::Var* id, ir::Origin origin) { origins_.emplace(id->id, origin); }
  void bindings(std::vector<const ir::Stmt*>& out);

 private:
  struct Slot {
    const ir::Var* id = nullptr;   // the declaration that stands for all
    const ir::Var* var = nullptr;  // what the body names: `id`, with a name and a range; null until asked for
    ir::Expr value;                // over launch variables; null until asked for
    bool constant = false;
    bool used = false;
  };

  ir::Expr formula(ir::ScopeBinding binding, int dimension);
  ir::Expr thread(int dimension) { return launch(kernel_.thread_idx, "threadIdx", launch_.block, dimension); }
  ir::Expr block(int dimension) { return launch(kernel_.block_idx, "blockIdx", launch_.grid, dimension); }
  ir::Expr cta_in_cluster(int dimension);
  ir::Expr cluster(int dimension);
  ir::Expr launch(const ir::Var* (&vars)[3], std::string_view what, const std::array<ir::Expr, 3>& extents,
                  int dimension);
  const ir::Var* variable(Slot& slot, ir::Interval range, std::string_view name);
  ir::Expr linear_thread();
  ir::Expr warp_in_cta();

  LoweredKernel& kernel_;
  const scope::Launch& launch_;
  Slot slots_[10][3];
  const ir::Var* warp_var_ = nullptr;  // warp_id_in_cta, when something needs it
  ir::Expr warp_value_;
  std::unordered_map<std::uint32_t, ir::Origin> origins_;  // by the variable's id
};

}  // namespace tilewright::lower
