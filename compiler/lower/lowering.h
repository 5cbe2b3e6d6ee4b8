// One walk over the dispatched body.
//
// The body is split at the device marker. The device part is rewritten statement by statement: accesses become flat,
// scope ids are replaced by constants or by variables bound at the top, and what is known now disappears: unit loops,
// constant conditions, attributes. While walking, everything that comes from outside the device part is noted; that is
// the kernel's signature. Errors give poison (index 0) and the walk goes on, so that one run reports all of them.
//
// lower.cpp lists the steps; lowering_storage.cpp sizes shared memory and places tensor maps before the walk,
// lowering_walk.cpp is the walk.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/lower/flatten.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/scope_ids.h"

namespace tilewright::lower {

class Lowering {
 public:
  Lowering(const dispatch::Dispatched& in, const text::Context& context, LoweredKernel& out)
      : in_(in), context_(context), out_(out), flattener_([this](ir::Expr e) { return rewrite(e); }), ids_(out, in) {}

  bool run();

 private:
  // The host part's values and the kernel's parameters: whatever a device body may use without having made it.
  struct Outer {
    ParamKind kind = ParamKind::Scalar;
    const ir::Buffer* tensor = nullptr;
    ir::Expr value;  // host expression
    ir::DataType dtype;
    bool used = false;
  };

  void split(const ir::Stmt* s, std::vector<const ir::Stmt*>& host, std::vector<const ir::Stmt*>& device, bool& found);
  void declare_outer(std::span<const ir::Stmt* const> host);
  void collect_tensor_maps(std::span<const ir::Stmt* const> host);
  void survey(std::span<const ir::Stmt* const> device);
  void note_launch_attribute(std::string_view key, const std::int64_t* value);
  void check_bounds();
  void place_tensor_maps(ir::Expr value);
  void acquire_tensor_maps();
  void size_pools();
  void build_plan();

  ir::Expr rewrite(ir::Expr e);
  ir::Expr rewrite_call(const ir::Call* node);
  ir::Expr access(const ir::Buffer* buffer,
                  std::span<const ir::Expr> indices);  // flat index, rewritten; poison on error
  void note_use(const ir::Var* var);

  void statement(const ir::Stmt* s, std::vector<const ir::Stmt*>& out);
  const ir::Stmt* block(const ir::Stmt* s);
  void bind(const ir::Bind* s, std::vector<const ir::Stmt*>& out);
  void branch(const ir::If* s, std::vector<const ir::Stmt*>& out);
  void loop(const ir::For* s, std::vector<const ir::Stmt*>& out);
  void allocate(const ir::Alloc* s, std::vector<const ir::Stmt*>& out);
  const ir::Var* ranged(const ir::Var* var, ir::Interval range);
  bool needs_expansion(const ir::For* s);

  void error(std::string_view code, std::string message, std::string hint = {});
  void report(std::string_view code, text::Severity severity, std::string message, std::string hint);
  void check_shared_limit(const ir::Buffer& buffer, const SharedBlock& block);

  const dispatch::Dispatched& in_;
  const text::Context& context_;
  LoweredKernel& out_;
  Flattener flattener_;
  ScopeIdValues ids_;
  ir::Origin origin_;  // of the statement being lowered
  bool failed_ = false;
  bool on_device_ = false;
  std::unordered_map<const ir::Var*, ir::Expr> replaced_;
  std::unordered_map<const ir::Var*, Outer> outer_;
  std::unordered_set<const ir::Var*> host_storage_;  // data of host allocations
  std::unordered_set<const ir::Buffer*> allocated_;
  std::vector<const ir::Alloc*> allocs_;
  std::vector<const ir::Decl*> views_;
  std::unordered_map<const ir::Var*, std::int64_t> pool_bytes_;
  std::optional<std::int64_t> dynamic_bytes_;  // of the dynamic shared memory, where the kernel says it
  std::vector<std::pair<text::Span, std::string>> reported_;
};

}  // namespace tilewright::lower
