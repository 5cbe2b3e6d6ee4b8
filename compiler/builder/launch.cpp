// The reference has two ways to say where a thread is. Scope ids are declared together and checked as one hierarchy; a
// binding names one launch dimension by itself and makes everything below it a kernel. Here a binding becomes a scope
// id of all dimensions of its kind, declared at the first binding of that kind:
//
//     for bx in T.thread_binding(4, thread="blockIdx.x"):         bx = T.cta_id([4])
//         for ty in T.thread_binding(2, thread="threadIdx.y"):    tx, ty = T.thread_id([64, 2])
//             for tx in T.thread_binding(64, thread="threadIdx.x"):
//
// so that launch, active threads, dispatch and simulator follow from what they know already, and contradicting extents
// are found by the closure of the scope ids.
//
// What is left to do is what only bindings have. Without scope ids, the outermost binding, not T.device_entry(), is
// where the reference starts the kernel: what stands outside runs on the host, where a store to a tensor is refused,
// and a second outermost binding makes a second kernel, which one launch plan cannot hold. (Storage allocated between
// the marker and the binding is taken as the device's; the reference hands the kernel a pointer into the host.) With
// scope ids the marker rules, and bindings do not count as the thread extent that scope ids need.
#include "compiler/builder/launch.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "compiler/expr/analyzer.h"

namespace tilewright::builder {
namespace {

using ir::Expr;
using ir::ScopeBinding;
using ir::Stmt;
using ir::StmtKind;
using ir::Var;

constexpr std::string_view kMarker = "thread_extent", kEnvironment = "env_thread";
constexpr std::pair<std::string_view, ScopeBinding> kTags[] = {{"blockIdx", ScopeBinding::KernelCta},
                                                               {"threadIdx", ScopeBinding::CtaThread},
                                                               {"clusterCtaIdx", ScopeBinding::ClusterCta}};

struct Bound {
  const Var* var = nullptr;
  Expr extent;
};

// The binding that a statement is; none for all others.
Bound bound_by(const Stmt* s) {
  if (const auto* loop = ir::as<ir::For>(s); loop && loop->loop == ir::LoopKind::ThreadBinding) {
    return {loop->var, loop->extent};
  }
  if (const auto* marker = as_launch_marker(s)) return {marker->node, marker->value};
  return {};
}

const Stmt* body_of(const Stmt* s) {
  if (const auto* loop = ir::as<ir::For>(s)) return loop->body;
  if (const auto* attr = ir::as<ir::Attr>(s)) return attr->body;
  return nullptr;
}

std::size_t slot(ScopeBinding binding) {
  for (std::size_t i = 0; i < std::size(kTags); ++i) {
    if (kTags[i].second == binding) return i;
  }
  return 0;
}

class Binder {
 public:
  Binder(Drafts& drafts, ir::Kernel& kernel, bool quiet) : drafts_(drafts), kernel_(kernel), quiet_(quiet) {}

  Made<> run() {
    survey();
    if (!first_ && environment_.empty()) return {};
    for (const ir::Attr* made : environment_) {
      if (is_launched(made->node)) continue;
      fail(code::kScopeId, made, "this launch dimension has no extent: nothing launches it",
           "call T.launch_thread with it and the extent");
      Bound& known = groups_[slot(made->node->scope_id)][made->node->dimension];
      if (!known.var) known = {made->node, Expr(1)};
      bound_[slot(made->node->scope_id)] = true;
      if (!first_) first_ = made;
    }
    if (!ids_) {
      outside(kernel_.body);
    } else if (!has_entry_) {
      fail(code::kDeviceEntry, ids_, "a scope id needs T.device_entry() before it",
           "only T.launch_thread and T.thread_binding do without");
    } else if (!threads_) {
      fail(code::kScopeId, ids_, "the kernel has no thread launch parameters: bindings give none to scope ids",
           "declare thread_id([n]), or warp_id([n])");
    }
    // Beside scope ids the marker moves up to the first binding, which may stand above it.
    // After an error, too, so that later stages do not find the launch missing as well.
    if (!region_ && (!ids_ || !entry_first_)) region_ = first_;
    complete();
    kernel_.body = rewrite(kernel_.body);
    if (refusal_ && !quiet_) return std::unexpected(std::move(*refusal_));
    return {};
  }

 private:
  void fail(std::string_view code, const Stmt* where, std::string message, std::string hint) {
    if (!refusal_) refusal_ = Refusal{code, std::move(message), std::move(hint), where->origin.span};
  }

  void survey() {
    ir::walk_stmts(kernel_.body, [&](const Stmt* s) {
      if (s->kind == StmtKind::DeviceEntry) {
        has_entry_ = true;
        entry_first_ = !first_;
      }
      if (const auto* ids = ir::as<ir::ScopeIds>(s)) {
        if (!ids_) ids_ = ids;
        threads_ |= ids->binding == ScopeBinding::CtaThread || ids->binding == ScopeBinding::CtaWarp ||
                    ids->binding == ScopeBinding::CtaWarpgroup;
        for (std::size_t i = 0; i < std::size(kTags); ++i) {
          if (kTags[i].second == ids->binding && declared_[i].empty()) declared_[i] = ids->extents;
        }
      }
      if (const auto* made = ir::as<ir::Attr>(s); made && made->key == kEnvironment) environment_.push_back(made);
      if (Bound b = bound_by(s); b.var) {
        if (!first_) first_ = s;
        launched_.push_back(b.var);
        bound_[slot(b.var->scope_id)] = true;
        Bound& known = groups_[slot(b.var->scope_id)][b.var->dimension];
        if (!known.var) known = {b.var, as_int32(b.extent)};
      }
      return true;
    });
  }

  bool is_launched(const Var* var) const { return std::ranges::find(launched_, var) != launched_.end(); }

  static Expr as_int32(Expr extent) { return extent.dtype() == ir::kInt32 ? extent : ir::cast(ir::kInt32, extent); }

  static bool contains_binding(const Stmt* s) {
    bool found = false;
    ir::walk_stmts(s, [&](const Stmt* child) {
      found |= bound_by(child).var != nullptr;
      return !found;
    });
    return found;
  }

  static bool is_tensor(const ir::Buffer* buffer) { return buffer->scope == ir::StorageScope::Global; }

  // Does a statement that runs on the host touch what lives on the device?
  static bool touches_tensors(const Stmt* s) {
    bool found = false;
    ir::walk_stmts(s, [&](const Stmt* child) {
      const auto* store = ir::as<ir::Store>(child);
      found |= child->kind == StmtKind::TileCall || (store && is_tensor(store->buffer));
      return !found;
    });
    return found;
  }

  // Walks what is outside of every binding. A binding without a body covers the rest of its block.
  void outside(const Stmt* s) {
    if (refusal_ || !s) return;
    if (const auto* seq = ir::as<ir::Seq>(s)) {
      for (const Stmt* child : seq->body) {
        outside(child);
        if (inside_ || refusal_) break;
      }
      inside_ = false;
      return;
    }
    if (bound_by(s).var) {
      if (region_) {
        fail(code::kDeviceEntry, s, "this binding starts a second kernel",
             "write one kernel a function, or put both under one outer binding");
        return;
      }
      region_ = s;
      inside_ = body_of(s) == nullptr;
      return;
    }
    if (s->kind == StmtKind::If || s->kind == StmtKind::For || s->kind == StmtKind::While) {
      if (contains_binding(s)) {
        fail(code::kDeviceEntry, s, "the host would decide here about launching the kernel",
             "bind the launch dimensions outside, or declare scope ids after T.device_entry()");
        return;
      }
    } else if (const auto* attr = ir::as<ir::Attr>(s); attr && attr->body) {
      return outside(attr->body);
    }
    if (touches_tensors(s) || (region_ && s->kind == StmtKind::Evaluate)) {
      fail(code::kDeviceEntry, s, "this stands outside of the thread bindings: the host would run it",
           "move it into the bound loop");
    }
  }

  // Fills the dimensions below the highest one bound, and the threads of a kernel that only binds blocks.
  void complete() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      auto& group = groups_[g];
      std::size_t dims = 3;
      while (dims > 0 && !group[dims - 1].var) --dims;
      if (kTags[g].second == ScopeBinding::CtaThread && dims == 0 && !ids_) dims = 1;
      if (dims > 0) dims = std::max(dims, declared_[g].size());
      dims_[g] = dims;
      for (std::size_t d = 0; d < dims; ++d) {
        if (group[d].var) continue;
        group[d].var = drafts_.launch_variable({kTags[g].second, static_cast<std::uint8_t>(d)});
        group[d].extent = d < declared_[g].size() ? declared_[g][d] : Expr(1);
      }
    }
  }

  const Stmt* declare(const Stmt* at, std::size_t group, const Bound* instead) {
    std::vector<const Var*> vars;
    std::vector<Expr> extents;
    for (std::size_t d = 0; d < dims_[group]; ++d) {
      const Bound& own = groups_[group][d];
      bool replaced = instead && instead->var->dimension == d;
      const Var* var = replaced && instead->var != own.var ? instead->var
                       : instead ? drafts_.launch_variable({kTags[group].second, static_cast<std::uint8_t>(d)})
                                 : own.var;
      // One error a kernel: what is refused already need not contradict itself as well.
      Expr extent = replaced && !refusal_ && !quiet_ ? as_int32(instead->extent) : own.extent;
      const std::int64_t* n = ir::constant(extent);
      if (Var* draft = drafts_.find(var)) draft->range = {0, n ? *n - 1 : ir::Interval::kMax};
      vars.push_back(var);
      extents.push_back(extent);
    }
    Arena& arena = Arena::current();
    return ir::make_stmt<ir::ScopeIds>(at->origin, kTags[group].second, arena.copy(vars), arena.copy(extents),
                                       std::span<const Expr>());
  }

  // The declarations that a binding comes to; nothing for a dimension that an earlier one of its kind declared along.
  void declarations(const Stmt* s, Bound b, std::vector<const Stmt*>& out) {
    if (s == region_) {
      if (!entry_first_) out.push_back(ir::make_stmt<ir::DeviceEntry>(s->origin));
      std::size_t threads = slot(ScopeBinding::CtaThread);
      if (dims_[threads] > 0 && !bound_[threads]) out.push_back(declare(s, threads, nullptr));
    }
    std::size_t group = slot(b.var->scope_id);
    const Bound& known = groups_[group][b.var->dimension];
    if (!done_[group]) {
      done_[group] = true;
      out.push_back(declare(s, group, nullptr));
    }
    if (known.var != b.var || !ir::provably_equal(known.extent, as_int32(b.extent)))
      out.push_back(declare(s, group, &b));
  }

  const Stmt* rewrite(const Stmt* s) {
    if (!s) return s;
    Arena& arena = Arena::current();
    if (Bound b = bound_by(s); b.var) {
      std::vector<const Stmt*> out;
      declarations(s, b, out);
      if (const Stmt* body = body_of(s)) out.push_back(rewrite(body));
      return ir::make_seq(s->origin, out);
    }
    switch (s->kind) {
      case StmtKind::DeviceEntry: return region_ && !entry_first_ ? ir::make_seq(s->origin, {}) : s;
      case StmtKind::Seq: {
        const auto* seq = static_cast<const ir::Seq*>(s);
        std::vector<const Stmt*> out;
        bool changed = false;
        for (const Stmt* child : seq->body) {
          const Stmt* made = rewrite(child);
          changed |= made != child;
          // Spliced, so that what a flat binding declares stays in the block that it stands in.
          if (const auto* inner = made != child ? ir::as<ir::Seq>(made) : nullptr)
            out.insert(out.end(), inner->body.begin(), inner->body.end());
          else
            out.push_back(made);
        }
        return changed ? ir::make_seq(s->origin, out) : s;
      }
      case StmtKind::For: {
        ir::For copy = *static_cast<const ir::For*>(s);
        copy.body = rewrite(copy.body);
        return copy.body == body_of(s) ? s : arena.make<ir::For>(copy);
      }
      case StmtKind::Attr: {
        if (const auto* made = static_cast<const ir::Attr*>(s); made->key == kEnvironment) {
          std::vector<const Stmt*> out;
          if (!is_launched(made->node)) declarations(s, {made->node, Expr(1)}, out);
          return ir::make_seq(s->origin, out);
        }
        ir::Attr copy = *static_cast<const ir::Attr*>(s);
        copy.body = rewrite(copy.body);
        return copy.body == body_of(s) ? s : arena.make<ir::Attr>(copy);
      }
      case StmtKind::While: {
        ir::While copy = *static_cast<const ir::While*>(s);
        const Stmt* before = std::exchange(copy.body, rewrite(copy.body));
        return copy.body == before ? s : arena.make<ir::While>(copy);
      }
      case StmtKind::If: {
        const auto* branch = static_cast<const ir::If*>(s);
        ir::If copy = *branch;
        copy.then_body = rewrite(copy.then_body);
        copy.else_body = rewrite(copy.else_body);
        return copy.then_body == branch->then_body && copy.else_body == branch->else_body ? s
                                                                                          : arena.make<ir::If>(copy);
      }
      default: return s;
    }
  }

  Drafts& drafts_;
  ir::Kernel& kernel_;
  bool quiet_;
  std::vector<const ir::Attr*> environment_;  // T.env_thread
  std::vector<const Var*> launched_;
  const Stmt* first_ = nullptr;        // binding
  const ir::ScopeIds* ids_ = nullptr;  // the first scope id of the script
  bool entry_first_ = false;           // T.device_entry() stands before every binding
  bool has_entry_ = false, threads_ = false;
  std::optional<Refusal> refusal_;  // the first
  bool inside_ = false;             // a binding without a body has begun
  const Stmt* region_ = nullptr;    // the outermost binding, where the kernel starts; null with scope ids
  std::array<std::array<Bound, 3>, std::size(kTags)> groups_;
  std::array<std::span<const Expr>, std::size(kTags)> declared_;  // by the script's scope ids
  std::array<std::size_t, std::size(kTags)> dims_{};
  std::array<bool, std::size(kTags)> bound_{}, done_{};  // by the script; declared here
};

}  // namespace

Made<LaunchDimension> launch_dimension(std::string_view tag) {
  for (auto& [prefix, binding] : kTags) {
    if (tag.size() != prefix.size() + 2 || !tag.starts_with(prefix) || tag[prefix.size()] != '.') continue;
    int dimension = tag.back() - 'x';
    if (dimension >= 0 && dimension <= 2) return LaunchDimension{binding, static_cast<std::uint8_t>(dimension)};
  }
  if (tag.starts_with("vthread")) {
    return std::unexpected(Refusal{code::kScopeId, "virtual threads are not available", "use T.serial or T.unroll"});
  }
  return std::unexpected(Refusal{code::kScopeId, "unknown thread tag \"" + std::string(tag) + "\"",
                                 "blockIdx.x, threadIdx.x or clusterCtaIdx.x (also .y and .z)"});
}

bool is_launch_var(const Var* var) {
  if (var->role != ir::VarRole::ScopeId) return false;
  for (auto& [prefix, binding] : kTags) {
    if (var->scope_id == binding) return true;
  }
  return false;
}

const Stmt* launch_marker(ir::Origin origin, const Var* var, Expr extent) {
  return ir::make_stmt<ir::Attr>(origin, kMarker, extent, var, nullptr);
}

const Stmt* environment_marker(ir::Origin origin, const Var* var) {
  return ir::make_stmt<ir::Attr>(origin, kEnvironment, Expr(0), var, nullptr);
}

const ir::Attr* as_launch_marker(const Stmt* stmt) {
  const auto* attr = ir::as<ir::Attr>(stmt);
  return attr && attr->key == kMarker && attr->node && is_launch_var(attr->node) ? attr : nullptr;
}

const Stmt* launch_region(const ir::Attr* marker, const Stmt* body) {
  return ir::make_stmt<ir::Attr>(marker->origin, kMarker, marker->value, marker->node, body);
}

Made<> bind_launch(Drafts& drafts, ir::Kernel& kernel, bool failed) { return Binder(drafts, kernel, failed).run(); }

}  // namespace tilewright::builder
