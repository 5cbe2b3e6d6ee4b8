// Small kernels through dispatch and lowering, for the tests of lower, cuda and simulate.
#pragma once
#include <fmt/format.h>

#include "compiler/dispatch/dispatcher.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/lower/lower.h"
#include "tests/unit/kernel_builder.h"

namespace tilewright::testing {

using namespace ir;

inline layout::Layout rows(std::initializer_list<std::int64_t> shape) {
  layout::Shape s;
  for (std::int64_t e : shape) s.emplace_back(e);
  return layout::row_major(s);
}

// A kernel under construction with parameters and the script's statements as functions.
class Script : public KernelBuilder {
 public:
  Buffer* param(std::string_view name, std::vector<Expr> shape, DataType dtype) {
    layout::Shape s;
    for (Expr e : shape) s.emplace_back(e);
    Buffer* b = buffer(name, shape, dtype, StorageScope::Global, layout::row_major(s));
    rename_data(b);
    params_.push_back({make_var(std::string(name) + "_handle", kHandle, VarRole::Parameter), b});
    return b;
  }
  const Var* scalar_param(std::string_view name, DataType dtype) {
    const Var* v = make_var(name, dtype, VarRole::Parameter);
    params_.push_back({v, nullptr});
    return v;
  }
  const Var* extent(std::string_view name) {
    Var* v = make_var(name, kInt32, VarRole::Extent);
    v->range = {0, 0x7fffffff};
    return v;
  }
  Buffer* shared(std::string_view name, std::vector<Expr> shape, DataType dtype, const layout::Layout& layout,
                 StorageScope scope = StorageScope::Shared) {
    Buffer* b = buffer(name, shape, dtype, scope, layout);
    rename_data(b);
    add(make_stmt<Alloc>(origin(), b));
    return b;
  }
  Buffer* local(std::string_view name, std::vector<Expr> shape, DataType dtype, const layout::Layout& layout) {
    return shared(name, shape, dtype, layout, StorageScope::Local);
  }
  Buffer* scalar(std::string_view name, DataType dtype, Expr value = {}) {
    Buffer* b = buffer(name, {Expr(1)}, dtype, StorageScope::Local, rows({1}));
    b->is_scalar = true;
    rename_data(b);
    add(make_stmt<Alloc>(origin(), b));
    if (value) set(b, value);
    return b;
  }
  Buffer* view(std::string_view name, const Buffer* of, std::vector<Expr> shape, DataType dtype, Expr offset,
               const layout::Layout& layout) {
    Buffer* b = buffer(name, shape, dtype, of->scope, layout);
    b->data = of->data;
    b->elem_offset = offset;
    add(make_stmt<Decl>(origin(), b));
    return b;
  }
  static Expr at(const Buffer* b, std::initializer_list<Expr> indices) {
    return ir::load(b, std::span<const Expr>(indices.begin(), indices.size()));
  }
  static Expr get(const Buffer* scalar) { return at(scalar, {Expr(0)}); }
  static const Stmt* store(const Buffer* b, std::initializer_list<Expr> indices, Expr value) {
    std::vector<Expr> list(indices);
    return make_stmt<Store>(origin(), b, Arena::current().copy(list), value);
  }
  void set(const Buffer* scalar, Expr value) { add(store(scalar, {Expr(0)}, value)); }
  static const Stmt* sync() {
    const intrinsics::Intrinsic* row = &intrinsics::row_of("cta_sync");
    return make_stmt<Evaluate>(origin(), ir::call(kVoid, *row, {}));
  }
  static const Stmt* loop(const Var* var, Expr extent, const Stmt* body, LoopKind kind = LoopKind::Serial,
                          UnrollHint hint = UnrollHint::None) {
    return make_stmt<For>(origin(), var, Expr(0), extent, Expr(), kind, hint, std::string_view(), body);
  }
  static const Var* loop_var(std::string_view name) { return make_var(name, kInt32, VarRole::Loop); }
  static const Stmt* seq(std::initializer_list<const Stmt*> list) {
    return make_seq({}, std::span<const Stmt* const>(list.begin(), list.size()));
  }
  static Region whole(const Buffer* b) { return full_region(b); }

  const Kernel& kernel(Target target = {}) {
    kernel_ = finish(target);
    kernel_.params = params_;
    return kernel_;
  }
  // Dispatches and lowers; the diagnostics are in `said`.
  std::optional<lower::LoweredKernel> lowered(std::string_view target = "sm_90a") {
    kernel(*parse_target(target));
    dispatched_ = dispatch::dispatch(kernel_, said.context);
    auto out = lower::lower(dispatched_, said.context);
    if (!out) return std::nullopt;
    return std::move(*out);
  }
  const dispatch::Dispatched& dispatched() const { return dispatched_; }
  std::string messages() const {
    std::string text;
    for (const auto& d : said.all) text += std::string(d.code) + ": " + d.message + "\n";
    return text;
  }

  Diagnostics said;

 private:
  static void rename_data(Buffer* b) { b->data = with_name(b->data, std::string(b->name) + "_ptr"); }

  std::vector<Param> params_;
  Kernel kernel_;
  dispatch::Dispatched dispatched_;
};

// The round trip of the seeds: a warp copies a tile to shared memory and back.
inline void round_trip(Script& s, std::int64_t m, std::int64_t n, DataType dtype, std::int64_t threads, ExecScope scope,
                       const layout::Layout& shared_layout) {
  Buffer* a = s.param("A", {Expr(m), Expr(n)}, dtype);
  Buffer* b = s.param("B", {Expr(m), Expr(n)}, dtype);
  s.device();
  s.id(ScopeBinding::KernelCta, Expr(1), "cta");
  if (threads % 32 == 0) {
    s.id(ScopeBinding::CtaWarp, Expr(threads / 32), "warp");
    s.id(ScopeBinding::WarpThread, Expr(32), "lane");
  }
  s.id(ScopeBinding::CtaThread, Expr(threads), "tid");
  Buffer* smem = s.shared("A_smem", {Expr(m), Expr(n)}, dtype, shared_layout);
  s.add(s.call("copy", scope, s.whole(smem), s.whole(a)));
  s.add(s.sync());
  s.add(s.call("copy", scope, s.whole(b), s.whole(smem)));
}

}  // namespace tilewright::testing
