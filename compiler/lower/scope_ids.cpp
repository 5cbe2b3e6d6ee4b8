#include "compiler/lower/scope_ids.h"

#include <iterator>
#include <string>

#include "compiler/dispatch/scope_names.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::lower {
namespace {

using namespace ir;

constexpr const char* kDimension[] = {".x", ".y", ".z"};

// "lane", "tid_y".
std::string default_name(ScopeBinding binding, int dimension) {
  std::string name(dispatch::kScopeIdNames[binding]);
  return dimension ? name + "_" + kDimension[dimension][1] : name;
}

// One less than a constant extent bounds the index; a symbolic extent leaves the upper side at int32's maximum.
Interval index_range(Expr extent) {
  Interval b = extent ? bounds(extent) : Interval::point(1);
  return {0, b.hi == Interval::kMax ? std::numeric_limits<std::int32_t>::max() : b.hi - 1};
}

bool is_one(Expr extent) { return !extent || is_constant(extent, 1); }

}  // namespace

ScopeIdValues::ScopeIdValues(LoweredKernel& kernel, const dispatch::Dispatched& dispatched)
    : kernel_(kernel), launch_(kernel.plan.launch) {
  for (const Var* var : dispatched.scope_ids) {
    if (var->scope_id == ScopeBinding::None || var->dimension > 2) continue;
    Slot& slot = slots_[static_cast<int>(var->scope_id)][var->dimension];
    if (!slot.id || slot.id->name.empty()) slot.id = var;
  }
}

Expr ScopeIdValues::value_of(const Var* id) {
  if (id->scope_id == ScopeBinding::None || id->dimension > 2) return {};
  Slot& slot = slots_[static_cast<int>(id->scope_id)][id->dimension];
  if (!slot.id) slot.id = id;
  if (!slot.value) {
    slot.value = simplify(formula(id->scope_id, id->dimension));
    slot.constant = constant(slot.value) != nullptr;
    if (!slot.constant) variable(slot, bounds(slot.value), default_name(id->scope_id, id->dimension));
  }
  if (slot.constant) return slot.value;
  slot.used = true;
  return slot.var;
}

// The declared variable, or one like it that has what the declaration left open.
const Var* ScopeIdValues::variable(Slot& slot, Interval range, std::string_view name) {
  if (slot.var) return slot.var;
  slot.var = slot.id;
  if (slot.var->range == Interval{}) slot.var = with_range(slot.var, range);
  if (slot.var->name.empty() && !name.empty()) slot.var = with_name(slot.var, name);
  return slot.var;
}

Expr ScopeIdValues::launch_value(std::string_view tag) {
  if (tag.size() < 3 || tag[tag.size() - 2] != '.') return {};
  int dimension = tag.back() - 'x';
  std::string_view what = tag.substr(0, tag.size() - 2);
  if (dimension < 0 || dimension > 2) return {};
  if (what == "threadIdx") return thread(dimension);
  if (what == "blockIdx") return block(dimension);
  if (what == "clusterCtaIdx") return cta_in_cluster(dimension);
  return {};
}

Expr ScopeIdValues::launch(const Var* (&vars)[3], std::string_view what, const std::array<Expr, 3>& extents,
                           int dimension) {
  if (is_one(extents[dimension])) return int_imm(kInt32, 0);
  if (!vars[dimension]) {
    std::string name(what);
    name += kDimension[dimension];
    Var* var = make_var(name, kInt32, VarRole::Launch);
    var->range = index_range(extents[dimension]);
    vars[dimension] = var;
  }
  return vars[dimension];
}

Expr ScopeIdValues::cta_in_cluster(int dimension) {
  if (is_one(launch_.cluster[dimension])) return int_imm(kInt32, 0);
  if (dimension == 0 && is_one(launch_.cluster[1]) && is_one(launch_.cluster[2])) {
    if (!kernel_.cta_rank_in_cluster) {
      Var* var = make_var("cluster_ctarank", kInt32, VarRole::Launch);
      var->range = index_range(launch_.cluster[0]);
      kernel_.cta_rank_in_cluster = var;
    }
    return kernel_.cta_rank_in_cluster;
  }
  return launch(kernel_.cta_in_cluster, "cluster_ctaid", launch_.cluster, dimension);
}

Expr ScopeIdValues::cluster(int dimension) {
  if (!launch_.has_cluster) return block(dimension);
  std::array<Expr, 3> clusters;
  for (int i = 0; i < 3; ++i) {
    Expr grid = launch_.grid[i] ? launch_.grid[i] : int_imm(kInt32, 1);
    clusters[i] = is_one(launch_.cluster[i]) ? grid : simplify(grid / launch_.cluster[i]);
  }
  return launch(kernel_.cluster_idx, "clusterid", clusters, dimension);
}

Expr ScopeIdValues::linear_thread() {
  Expr ex = launch_.block[0] ? launch_.block[0] : int_imm(kInt32, 1);
  Expr ey = launch_.block[1] ? launch_.block[1] : int_imm(kInt32, 1);
  return thread(0) + thread(1) * ex + thread(2) * (ex * ey);
}

// Read once by all threads of the block, through lane 0 of each warp: the compiler then knows it to be warp-uniform.
Expr ScopeIdValues::warp_in_cta() {
  if (warp_var_) return warp_var_;
  Expr warp = simplify(linear_thread() / Expr(32));
  if (constant(warp)) return warp;
  std::optional<std::int64_t> threads = launch_.threads();
  if (threads && *threads % 32 == 0) {
    Expr args[] = {int_imm(kUInt32, 0xffffffff), warp, int_imm(kInt32, 0), int_imm(kInt32, 32), int_imm(kInt32, 32)};
    warp_value_ = call(kInt32, builtin::warp_shuffle, args);
  } else {
    warp_value_ = warp;  // a partial warp has no full mask to shuffle under
  }
  // A script that declares warp_id gets the value under its own name.
  Slot& slot = slots_[static_cast<int>(ScopeBinding::CtaWarp)][0];
  if (slot.id) {
    warp_var_ = variable(slot, bounds(warp), {});
  } else {
    Var* var = make_var("warp_id_in_cta", kInt32, VarRole::ScopeId);
    var->range = bounds(warp);
    warp_var_ = var;
  }
  return warp_var_;
}

Expr ScopeIdValues::formula(ScopeBinding binding, int dimension) {
  switch (binding) {
    case ScopeBinding::KernelCluster: return cluster(dimension);
    case ScopeBinding::KernelCta: return block(dimension);
    case ScopeBinding::ClusterCta: return cta_in_cluster(dimension);
    case ScopeBinding::CtaWarpgroup: return warp_in_cta() / Expr(4);
    case ScopeBinding::CtaWarp: return warp_in_cta();
    case ScopeBinding::WarpgroupWarp: return warp_in_cta() % Expr(4);
    case ScopeBinding::WarpThread: return linear_thread() % Expr(32);
    case ScopeBinding::CtaThread: return thread(dimension);
    case ScopeBinding::WarpgroupThread: return linear_thread() % Expr(128);
    case ScopeBinding::ClusterCtaPair: {
      Expr ex = launch_.cluster[0] ? launch_.cluster[0] : int_imm(kInt32, 1);
      Expr ey = launch_.cluster[1] ? launch_.cluster[1] : int_imm(kInt32, 1);
      return (cta_in_cluster(0) + cta_in_cluster(1) * ex + cta_in_cluster(2) * (ex * ey)) % Expr(2);
    }
    case ScopeBinding::None: break;
  }
  return int_imm(kInt32, 0);
}

void ScopeIdValues::bindings(std::vector<const Stmt*>& out) {
  auto origin_of = [&](const Var* var) {
    auto found = origins_.find(var->id);
    return found == origins_.end() ? Origin{} : found->second;
  };
  if (warp_var_) out.push_back(make_stmt<Bind>(origin_of(warp_var_), warp_var_, warp_value_));
  for (int b = 0; b < 10; ++b) {
    for (int d = 0; d < 3; ++d) {
      Slot& slot = slots_[b][d];
      if (!slot.used || slot.var == warp_var_) continue;
      out.push_back(make_stmt<Bind>(origin_of(slot.var), slot.var, slot.value));
    }
  }
}

}  // namespace tilewright::lower
