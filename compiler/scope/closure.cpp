// The closure works on nine quantities, "units per parent", over the six levels
//
//     kernel > cluster > cta > warpgroup > warp > thread
//
// Each declaration gives one of them. Three rules give more: multiply along a path, divide by a shared parent, divide
// by a shared unit. The rules run over all pairs until nothing new appears; what appears twice must agree. Only then
// come the constants of the hardware (N1), and they are gentler: they fill gaps, but a CTA of 8 threads stays legal
// although 8 is no multiple of 32.
#include "compiler/scope/closure.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "compiler/expr/analyzer.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/replace.h"
#include "compiler/scope/codes.h"

namespace tilewright::scope {
namespace {

using ir::Expr;
using ir::ScopeBinding;
using ir::ScopeIds;
using layout::Dim;

constexpr int kBindings = 9;  // all but the CTA pair, which takes no part
struct Step {
  int parent, unit;
};
constexpr Step kSteps[kBindings] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {2, 4}, {3, 4}, {4, 5}, {2, 5}, {3, 5}};
constexpr std::string_view kLevels[] = {"kernel", "cluster", "CTA", "warpgroup", "warp", "thread"};
constexpr std::string_view kPlurals[] = {"kernels", "clusters", "CTAs", "warpgroups", "warps", "threads"};
constexpr std::string_view kNames[] = {"cluster_id",      "cta_id",        "cta_id_in_cluster", "warpgroup_id",
                                       "warp_id",         "warp_id_in_wg", "lane_id",           "thread_id",
                                       "thread_id_in_wg", "cta_id_in_pair"};

int binding_of(int parent, int unit) {
  for (int b = 0; b < kBindings; ++b) {
    if (kSteps[b].parent == parent && kSteps[b].unit == unit) return b;
  }
  return -1;
}

bool one_dimensional_only(int b) { return b >= 3 && b != 7; }

Dim product(std::span<const Expr> extents) {
  Dim all = 1;
  for (Expr e : extents) all = all * Dim(e);
  return all;
}

class Closer {
 public:
  Closer(const ir::Kernel& kernel, const text::Context& context) : kernel_(kernel), context_(context) {}

  Closure run() {
    collect();
    if (ok()) check_declarations();
    if (ok()) fixpoint();
    if (ok()) check_hardware();
    if (ok()) add_hardware();
    if (ok()) check_threads();
    if (ok()) check_inferred();
    if (ok()) make_launch();
    find_ranges();
    return std::move(out_);
  }

 private:
  // Where a value comes from, for messages: the declaration that was needed last, and a text such as
  // "warp_id[4] x lane_id[32]".
  struct Source {
    const ScopeIds* last = nullptr;
    std::string text;
  };

  bool ok() const { return !out_.failed; }
  Binding& at(int b) { return out_.bindings[b]; }

  void fail(std::string_view code, const ir::Stmt* where, std::string message, std::string hint = {},
            const ScopeIds* other = nullptr) {
    out_.failed = true;
    text::Diagnostic d;
    d.code = code;
    d.message = std::move(message);
    d.hint = std::move(hint);
    d.span = where ? where->origin.span : kernel_.span;
    if (where) d.chain = ir::call_chain(where->origin.chain);
    if (other && other != where) d.related.push_back({other->origin.span, "the other declaration"});
    context_.report(std::move(d));
  }

  void collect() {
    bool device = false;
    std::vector<const ScopeIds*> on_host;
    ir::walk_stmts(kernel_.body, [&](const ir::Stmt* s) {
      if (s->kind == ir::StmtKind::DeviceEntry) device = true;
      if (device && !work_ && needs_threads(s)) work_ = s;
      if (const auto* ids = ir::as<ScopeIds>(s)) {
        (device ? out_.declarations : on_host).push_back(ids);
      }
      return true;
    });
    // Without the marker all of it is the host part: one cause.
    if (!device && !on_host.empty()) on_host.resize(1);
    for (const ScopeIds* ids : on_host) {
      fail(code::kOnHost, ids, std::string(binding_name(ids->binding)) + " is declared in the host part",
           device ? "move it after T.device_entry()" : "write T.device_entry() above it");
    }
  }

  // Statements that only a launched kernel can run. Without extents the reference leaves the body to the host, which
  // may work on its own variables, but has no tensors and no instructions of the device.
  static bool needs_threads(const ir::Stmt* s) {
    bool found = s->kind == ir::StmtKind::TileCall;
    auto look = [&](Expr e) {
      ir::walk(e, [&](Expr x) {
        if (const auto* load = x.as<ir::Load>()) found |= load->buffer->scope == ir::StorageScope::Global;
        if (const auto* call = x.as<ir::Call>()) found |= call->callee->effect > ir::Effect::Reads;
        return !found;
      });
    };
    switch (s->kind) {
      case ir::StmtKind::Store: {
        const auto* store = static_cast<const ir::Store*>(s);
        found |= store->buffer->scope == ir::StorageScope::Global;
        for (Expr i : store->indices) look(i);
        look(store->value);
        break;
      }
      case ir::StmtKind::Evaluate: look(static_cast<const ir::Evaluate*>(s)->value); break;
      case ir::StmtKind::Bind: look(static_cast<const ir::Bind*>(s)->value); break;
      case ir::StmtKind::If: look(static_cast<const ir::If*>(s)->condition); break;
      case ir::StmtKind::While: look(static_cast<const ir::While*>(s)->condition); break;
      case ir::StmtKind::For: look(static_cast<const ir::For*>(s)->extent); break;
      default: break;
    }
    return found;
  }

  static std::string describe(int b, std::span<const Expr> extents) {
    std::string text(kNames[b]);
    text += '[';
    for (std::size_t i = 0; i < extents.size(); ++i) text += (i ? ", " : "") + ir::to_string(extents[i]);
    return text + ']';
  }

  void check_declarations() {
    for (std::size_t i = 0; i < out_.declarations.size() && ok(); ++i) declare(out_.declarations[i]);
  }

  // A variable in an extent that has a value on the device alone; null: none.
  static const ir::Var* device_only(Expr extent) {
    const ir::Var* found = nullptr;
    ir::walk(extent, [&](Expr x) {
      const auto* var = x.as<ir::Var>();
      if (var && (var->role == ir::VarRole::Loop || var->role == ir::VarRole::ScopeId)) found = var;
      return !found;
    });
    return found;
  }

  void declare(const ScopeIds* ids) {
    int b = static_cast<int>(ids->binding);
    std::string name(kNames[b]);
    std::size_t dims = ids->extents.size();
    if (ids->vars.empty()) return fail(code::kMalformed, ids, name + " has no variable");
    if (dims == 0 && ids->vars.size() != 1) {
      return fail(code::kMalformed, ids, name + " without an extent must define exactly one variable");
    }
    if (dims != 0 && dims != ids->vars.size()) {
      return fail(
          code::kMalformed, ids,
          name + " has " + std::to_string(dims) + " extents and " + std::to_string(ids->vars.size()) + " variables");
    }
    if (dims > 3) return fail(code::kMalformed, ids, name + " has more than three dimensions");
    if (dims > 1 && one_dimensional_only(b)) {
      return fail(code::kMalformed, ids, name + " has " + std::to_string(dims) + " dimensions; it takes one");
    }
    if (!ids->preferred.empty()) {
      if (ids->binding != ScopeBinding::ClusterCta || dims == 0) {
        return fail(code::kPreferred, ids, "preferred= belongs to cta_id_in_cluster with an extent");
      }
      if (ids->preferred.size() != dims) {
        return fail(code::kPreferred, ids,
                    "preferred_extents must have the same size as the extents: " +
                        std::to_string(ids->preferred.size()) + " against " + std::to_string(dims));
      }
    }
    for (Expr e : ids->extents) {
      if (const ir::Var* var = device_only(e)) {
        return fail(
            code::kMalformed, ids,
            describe(b, ids->extents) + ": the host, which launches, does not know `" + std::string(var->name) + "`");
      }
      if (const std::int64_t* v = ir::constant(e); v && *v <= 0) {
        return fail(b == 7 ? code::kThreadCount : code::kMalformed, ids,
                    describe(b, ids->extents) + ": an extent must be positive");
      }
    }
    if (ids->binding == ScopeBinding::ClusterCtaPair) {
      if (std::ranges::none_of(out_.declarations, [](auto* d) { return d->binding == ScopeBinding::ClusterCta; })) {
        fail(code::kPairWithoutCluster, ids, "cta_id_in_pair without cta_id_in_cluster");
      }
      return;
    }
    Binding& known = at(b);
    if (dims == 0) {
      if (!known.known && !known.declaration) {
        known.declaration = ids;
        sources_[b] = {ids, name + "()"};
      }
      return;
    }
    Dim extent = product(ids->extents);
    if (!known.known) {
      known.known = true;
      known.extent = extent;
      known.shape.assign(ids->extents.begin(), ids->extents.end());
      known.declaration = ids;
      sources_[b] = {ids, describe(b, ids->extents)};
      return;
    }
    if (!layout::provably_equal(known.extent, extent)) {
      return fail(code::kInconsistent, ids, describe(b, ids->extents) + " contradicts " + sources_[b].text, {},
                  sources_[b].last);
    }
    // N3: one binding, one shape. (Equal products only, such as [64, 2] after [128], have no launch dimension to read.)
    bool same = known.shape.size() == dims;
    for (std::size_t i = 0; same && i < dims; ++i) same = ir::provably_equal(known.shape[i], ids->extents[i]);
    if (!same) {
      fail(code::kShapeRedeclared, ids, describe(b, ids->extents) + " was declared as " + sources_[b].text, {},
           sources_[b].last);
    }
  }

  // Whose declaration came last in the script.
  const ScopeIds* later(const ScopeIds* a, const ScopeIds* b) const {
    if (!a || !b) return a ? a : b;
    for (const ScopeIds* d : out_.declarations) {
      if (d == a) return b;
      if (d == b) return a;
    }
    return a;
  }

  // A derived value; true when it was new.
  bool insert(int b, Dim extent, Source source, bool hard) {
    Binding& known = at(b);
    if (!known.known) {
      known.known = true;
      known.extent = extent;
      known.shape = {extent.expr()};
      sources_[b] = {later(source.last, sources_[b].last), std::move(source.text)};
      return true;
    }
    if (layout::provably_equal(known.extent, extent)) return false;
    if (!hard) return false;
    const ScopeIds* where = later(source.last, sources_[b].last);
    fail(code::kInconsistent, where,
         source.text + " makes " + layout::to_string(extent) + " " + std::string(kPlurals[kSteps[b].unit]) + " a " +
             std::string(kLevels[kSteps[b].parent]) + ", but " + sources_[b].text + " says " +
             layout::to_string(known.extent),
         {}, where == source.last ? sources_[b].last : source.last);
    return false;
  }

  bool compose(int p, int q, bool hard) {
    if (kSteps[p].unit != kSteps[q].parent) return false;
    int b = binding_of(kSteps[p].parent, kSteps[q].unit);
    if (b < 0) return false;
    if (at(b).known && layout::provably_equal(at(b).extent, at(p).extent * at(q).extent)) return false;
    return insert(b, at(p).extent * at(q).extent,
                  {later(sources_[p].last, sources_[q].last), sources_[p].text + " x " + sources_[q].text}, hard);
  }

  // The quotient of a wide step and a narrow one that share a parent or a unit.
  bool complement(int wide, int narrow, bool hard) {
    Step w = kSteps[wide], n = kSteps[narrow];
    int b = -1;
    if (w.parent == n.parent && w.unit > n.unit) b = binding_of(n.unit, w.unit);
    if (w.unit == n.unit && w.parent < n.parent) b = binding_of(w.parent, n.parent);
    if (b < 0) return false;
    Dim total = at(wide).extent, part = at(narrow).extent;
    if (part.is(0)) return false;
    if (total.is_constant() && part.is_constant() ? total.value() % part.value() != 0
                                                  : !layout::provably_divisible(total, part)) {
      if (hard && total.is_constant() && part.is_constant()) {
        const ScopeIds* where = later(sources_[wide].last, sources_[narrow].last);
        fail(code::kNotDivisible, where,
             sources_[wide].text + " and " + sources_[narrow].text + " have non-divisible extents: " +
                 layout::to_string(total) + " is no multiple of " + layout::to_string(part),
             {}, where == sources_[wide].last ? sources_[narrow].last : sources_[wide].last);
      }
      return false;
    }
    Dim quotient = layout::floordiv(total, part);
    if (at(b).known && layout::provably_equal(at(b).extent, quotient)) return false;
    return insert(
        b, quotient,
        {later(sources_[wide].last, sources_[narrow].last), sources_[wide].text + " / " + sources_[narrow].text}, hard);
  }

  void fixpoint(bool hard = true) {
    auto pairs = [&](bool (Closer::*rule)(int, int, bool)) {
      bool changed = false;
      for (int p = 0; p < kBindings && ok(); ++p) {
        for (int q = 0; q < kBindings && ok() && at(p).known; ++q) {
          if (p != q && at(q).known) changed |= (this->*rule)(p, q, hard);
        }
      }
      return changed;
    };
    for (bool changed = true; changed && ok();) {
      changed = pairs(&Closer::compose);
      if (ok()) changed |= pairs(&Closer::complement);
    }
  }

  // A CTA of fewer than four warps is one warpgroup that is not full, and its warps and threads may be counted as those
  // of the warpgroup. Where the CTA's own are not known there is something else to be said.
  bool is_partial_warpgroup(int b) {
    const std::int64_t own = at(b).extent.value() * (b == 5 ? 32 : 1);  // threads
    if (b == 6 || own > 96) return false;
    if (at(7).known) return layout::provably_equal(at(7).extent, Dim(own));
    return !at(4).known || layout::provably_equal(at(4).extent * Dim(32), Dim(own));
  }

  // N1: what was declared or follows must be what the hardware has.
  void check_hardware() {
    constexpr std::pair<int, int> fixed[] = {{6, 32}, {5, 4}, {8, 128}};
    for (auto [b, value] : fixed) {
      if (!at(b).known || !at(b).extent.is_constant() || at(b).extent.is(value)) continue;
      if (is_partial_warpgroup(b)) continue;
      Step step = kSteps[b];
      // A CTA below one warp is legal as long as nothing asks for warps; check_threads has that rule.
      fail(code::kHardware, sources_[b].last,
           sources_[b].text + " gives " + layout::to_string(at(b).extent) + " " + std::string(kPlurals[step.unit]) +
               " a " + std::string(kLevels[step.parent]) + "; the hardware has " + std::to_string(value));
      return;
    }
  }

  void add_hardware() {
    for (int b : {4, 6, 3, 5}) warps_used_ |= at(b).known || at(b).declaration;
    for (auto [b, value] : {std::pair{6, 32}, {5, 4}}) {
      if (!at(b).known)
        insert(b, value, {at(b).declaration, std::string(kNames[b]) + "[" + std::to_string(value) + "]"}, false);
    }
    fixpoint(false);
  }

  void check_threads() {
    const Binding& threads = at(7);
    if (!threads.known || !threads.extent.is_constant()) return;
    if (warps_used_ && threads.extent.value() % 32 != 0) {
      fail(code::kThreadCount, sources_[7].last,
           "a CTA of " + layout::to_string(threads.extent) + " threads is not a whole number of warps");
    }
    if (ok() && threads.extent.value() > 1024) {
      fail(code::kThreadCount, sources_[7].last,
           "a CTA of " + layout::to_string(threads.extent) + " threads; the hardware takes 1,024");
    }
  }

  void check_inferred() {
    for (const ScopeIds* ids : out_.declarations) {
      int b = static_cast<int>(ids->binding);
      if (b >= kBindings || at(b).known) continue;
      return fail(code::kNotInferred, ids,
                  "cannot infer extent of " + std::string(kNames[b]) + " (binding " + std::to_string(b) + ")",
                  "write " + std::string(kNames[b]) + "([n])");
    }
    if (at(7).known) return;
    if (!out_.declarations.empty()) {
      fail(code::kNoThreads, out_.declarations.back(), "the kernel has no thread launch parameters",
           "declare thread_id([n]), or warp_id([n])");
    } else if (work_) {
      fail(code::kNoThreads, work_, "the kernel has no thread launch parameters: nothing launches the threads for this",
           "declare cta_id([n]) and thread_id([n]) after T.device_entry()");
    }
  }

  static void fill(std::array<Expr, 3>& to, std::span<const Expr> from) {
    for (std::size_t i = 0; i < 3; ++i) to[i] = i < from.size() ? from[i] : Expr(1);
  }

  void make_launch() {
    Launch& launch = out_.launch;
    const Binding &cluster = at(2), &grid = at(1), &clusters = at(0), &block = at(7);
    fill(launch.block, block.shape);
    launch.has_block = block.known;
    fill(launch.cluster, cluster.shape);
    launch.has_cluster = cluster.known && !cluster.extent.is(1);
    fill(launch.preferred, {});
    if (launch.has_cluster && cluster.declaration && !cluster.declaration->preferred.empty()) {
      fill(launch.preferred, cluster.declaration->preferred);
      launch.has_preferred = true;
    }
    fill(launch.grid, grid.shape);
    launch.has_grid = grid.known;
    bool grid_written = grid.known && grid.declaration && !grid.declaration->extents.empty();
    if (cluster.known && !grid_written) {
      // The grid follows from the clusters, dimension by dimension (N2); without any it is one cluster.
      for (std::size_t i = 0; i < 3; ++i) {
        Dim n = i < clusters.shape.size() && clusters.known ? Dim(clusters.shape[i]) : Dim(1);
        launch.grid[i] = (n * Dim(launch.cluster[i])).expr();
      }
      launch.has_grid = true;
    }
    if (!launch.has_cluster) return;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t *g = ir::constant(launch.grid[i]), *c = ir::constant(launch.cluster[i]);
      if (!g || !c || *g % *c == 0) continue;
      return fail(code::kGridNotDivisible, later(grid.declaration, cluster.declaration),
                  "dimension " + std::to_string(i) + " of the grid is " + std::to_string(*g) +
                      " CTAs, no multiple of the cluster's " + std::to_string(*c));
    }
  }

  std::int64_t last_of_warpgroup(int b, std::int64_t full) {
    const bool partial = at(b).known && at(b).extent.is_constant() && at(b).extent.value() > 0;
    return (partial ? std::min(at(b).extent.value(), full) : full) - 1;
  }

  void find_ranges() {
    for (const ScopeIds* ids : out_.declarations) {
      int b = static_cast<int>(ids->binding);
      for (std::size_t i = 0; i < ids->vars.size(); ++i) {
        ir::Interval& range = out_.ranges.emplace_back(ir::Interval{0, ir::Interval::kMax});
        switch (ids->binding) {
          case ScopeBinding::WarpThread: range.hi = 31; break;
          case ScopeBinding::WarpgroupWarp: range.hi = last_of_warpgroup(5, 4); break;
          case ScopeBinding::WarpgroupThread: range.hi = last_of_warpgroup(8, 128); break;
          case ScopeBinding::ClusterCtaPair: range.hi = 1; break;
          default: {
            Expr extent = !ids->extents.empty() && i < ids->extents.size() ? ids->extents[i] : Expr();
            if (!extent && at(b).known) extent = at(b).extent.expr();
            if (!extent) break;
            ir::Interval bound = ir::bounds(extent);
            if (bound.hi != ir::Interval::kMax) range.hi = std::max<std::int64_t>(bound.hi - 1, 0);
          }
        }
      }
    }
  }

  const ir::Kernel& kernel_;
  const text::Context& context_;
  Closure out_;
  Source sources_[kBindings];
  bool warps_used_ = false;
  const ir::Stmt* work_ = nullptr;  // the first statement of the device part that needs threads
};

}  // namespace

std::string_view binding_name(ScopeBinding binding) {
  auto i = static_cast<std::size_t>(binding);
  return i < std::size(kNames) ? kNames[i] : "scope id";
}

const ScopeIds* Closure::declaration_of(const ir::Var* var) const {
  for (const ScopeIds* ids : declarations) {
    for (const ir::Var* v : ids->vars) {
      if (v == var) return ids;
    }
  }
  return nullptr;
}

std::optional<std::int64_t> Closure::in_thread(const ir::Var* id, std::int64_t thread) const {
  using enum ir::ScopeBinding;
  switch (id->scope_id) {
    case CtaWarpgroup: return thread / 128;
    case CtaWarp: return thread / 32;
    case WarpgroupWarp: return thread / 32 % 4;
    case WarpgroupThread: return thread % 128;
    case WarpThread: return thread % 32;
    case CtaThread: break;
    default: return std::nullopt;
  }
  const ScopeIds* declared = declaration_of(id);
  if (!declared) return std::nullopt;
  if (declared->vars.size() == 1) return thread;
  for (unsigned d = 0; d < 3; ++d) {
    const std::int64_t* extent = launch.block[d] ? ir::constant(launch.block[d]) : nullptr;
    if (launch.block[d] && (!extent || *extent <= 0)) return std::nullopt;
    const std::int64_t n = extent ? *extent : 1;
    if (d == id->dimension) return thread % n;
    thread /= n;
  }
  return std::nullopt;
}

ir::Interval Closure::range(const ir::Var* var) const {
  std::size_t at = 0;
  for (const ScopeIds* ids : declarations) {
    for (const ir::Var* v : ids->vars) {
      if (v == var) return ranges[at];
      ++at;
    }
  }
  return var->range;
}

const ir::Stmt* with_closed_ranges(const ir::Kernel& kernel, Closure& closure, std::deque<layout::Layout>& layouts) {
  std::unordered_map<const ir::Var*, const ir::Var*> closed;
  std::size_t at = 0;
  for (const ScopeIds* ids : closure.declarations) {
    for (const ir::Var* var : ids->vars) {
      const ir::Interval range = closure.ranges[at++];
      if (range != var->range) closed.emplace(var, ir::with_range(var, range));
    }
  }
  if (closed.empty()) return kernel.body;
  ir::Replacer replacer(std::move(closed), layouts);
  const ir::Stmt* body = replacer.body(kernel.body);
  auto now = [&](const ScopeIds*& ids) {
    if (ids) ids = static_cast<const ScopeIds*>(replacer.body(ids));
  };
  for (const ScopeIds*& ids : closure.declarations) now(ids);
  for (Binding& binding : closure.bindings) now(binding.declaration);
  return body;
}

Closure close_scope_ids(const ir::Kernel& kernel, const text::Context& context) {
  return Closer(kernel, context).run();
}

}  // namespace tilewright::scope
