// Builds kernels statement by statement, for tests of the stages behind evaluation.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/text/context.h"

namespace tilewright::testing {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::Var;

inline const ir::Callee kElect{"ptx.elect_sync", ir::Effect::Opaque, true};
inline Expr elect() { return ir::call(ir::kUInt32, kElect, {}); }

inline Expr eq(Expr a, Expr b) { return ir::binary(ExprKind::EQ, a, b); }
inline Expr ne(Expr a, Expr b) { return ir::binary(ExprKind::NE, a, b); }
inline Expr lt(Expr a, Expr b) { return ir::binary(ExprKind::LT, a, b); }
inline Expr le(Expr a, Expr b) { return ir::binary(ExprKind::LE, a, b); }
inline Expr gt(Expr a, Expr b) { return ir::binary(ExprKind::GT, a, b); }
inline Expr ge(Expr a, Expr b) { return ir::binary(ExprKind::GE, a, b); }
inline Expr both(Expr a, Expr b) { return ir::logical_and(a, b); }
inline Expr either(Expr a, Expr b) { return ir::binary(ExprKind::Or, a, b); }
// uint32 truth as the script's `and` wants it.
inline Expr truth(Expr e) { return ir::cast(ir::kBool, e); }

class KernelBuilder {
 public:
  KernelBuilder() : arena_(std::make_shared<Arena>()), scope_(*arena_) { kernel_.arena = arena_; }

  // T.<binding>(extents); no extents: deferred.
  std::vector<const Var*> ids(ir::ScopeBinding binding, std::vector<Expr> extents, std::vector<std::string> names = {},
                              std::vector<Expr> preferred = {}) {
    std::size_t n = extents.empty() ? 1 : extents.size();
    std::vector<const Var*> vars;
    for (std::size_t i = 0; i < n; ++i) {
      Var* v = ir::make_var(i < names.size() ? std::string_view(names[i]) : "", ir::kInt32, ir::VarRole::ScopeId);
      const std::int64_t* extent = i < extents.size() ? ir::constant(extents[i]) : nullptr;
      v->scope_id = binding;
      v->range = {0, extent ? *extent - 1 : ir::Interval::kMax};
      v->dimension = static_cast<std::uint8_t>(i);
      vars.push_back(v);
    }
    add(ir::make_stmt<ir::ScopeIds>(origin(), binding, arena_->copy(vars), arena_->copy(extents),
                                    arena_->copy(preferred)));
    return vars;
  }
  const Var* id(ir::ScopeBinding binding, Expr extent, std::string name = {}) {
    return ids(binding, {extent}, {name})[0];
  }
  const Var* deferred(ir::ScopeBinding binding, std::string name = {}) { return ids(binding, {}, {name})[0]; }

  ir::Buffer* buffer(std::string_view name, std::vector<Expr> shape, ir::DataType dtype, ir::StorageScope scope,
                     const layout::Layout& layout) {
    auto* b = arena_->make<ir::Buffer>();
    b->name = arena_->copy(name);
    b->data = ir::make_var(name, ir::kHandle, ir::VarRole::Data);
    b->dtype = dtype;
    b->shape = arena_->copy(shape);
    b->scope = scope;
    layouts_.push_back(std::make_unique<layout::Layout>(layout));
    b->layout = layouts_.back().get();
    return b;
  }

  static ir::Region region(const ir::Buffer* b, std::vector<std::pair<Expr, Expr>> min_extent) {
    std::vector<ir::Range> ranges;
    for (auto [m, e] : min_extent) ranges.push_back({m, e});
    return {b, Arena::current().copy(ranges)};
  }

  const ir::TileCall* call(std::string_view primitive, ir::ExecScope scope, ir::Region dst, ir::Region src,
                           std::string_view forced = {}, std::vector<ir::ConfigItem> config = {}) {
    std::vector<ir::Operand> args(2);
    args[0].region = dst;
    args[1].region = src;
    return ir::make_stmt<ir::TileCall>(origin(), primitive, scope, arena_->copy(args), arena_->copy(config),
                                       std::span<const std::pair<std::string_view, const ir::Buffer*>>(), forced);
  }

  KernelBuilder& add(const Stmt* s) {
    body_.push_back(s);
    return *this;
  }
  KernelBuilder& device() { return add(ir::make_stmt<ir::DeviceEntry>(origin())); }
  static const Stmt* when(Expr condition, const Stmt* then_body, const Stmt* else_body = nullptr) {
    return ir::make_stmt<ir::If>(origin(), condition, then_body, else_body);
  }

  const ir::Kernel& finish(ir::Target target = {}) {
    kernel_.name = "kernel";
    kernel_.target = target;
    kernel_.body = ir::make_seq({}, body_);
    return kernel_;
  }

  // Every statement stands at a place of its own.
  static ir::Origin origin() {
    static std::uint32_t next = 0;
    return {.span = {1, next, ++next}, .chain = nullptr};
  }

 private:
  std::shared_ptr<Arena> arena_;
  ArenaScope scope_;
  std::vector<std::unique_ptr<layout::Layout>> layouts_;
  std::vector<const Stmt*> body_;
  ir::Kernel kernel_;
};

struct Diagnostics {
  std::vector<text::Diagnostic> all;
  text::Context context;
  Diagnostics() { context.diagnostics = &all; }
  const text::Diagnostic* find(std::string_view code) const {
    for (const auto& d : all) {
      if (d.code == code) return &d;
    }
    return nullptr;
  }
};

}  // namespace tilewright::testing
