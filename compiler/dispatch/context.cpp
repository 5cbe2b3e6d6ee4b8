#include "compiler/dispatch/context.h"

#include <algorithm>
#include <limits>

#include "compiler/dispatch/scope_names.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;
using ir::ScopeBinding;
using ir::Var;

// Extent of a fresh id, for its range; 0: unknown.
std::int64_t extent_of(const scope::Closure& closure, ScopeBinding binding, int dimension) {
  switch (binding) {
    case ScopeBinding::WarpThread: return 32;
    case ScopeBinding::WarpgroupWarp: return 4;
    case ScopeBinding::WarpgroupThread: return 128;
    case ScopeBinding::ClusterCtaPair: return 2;
    case ScopeBinding::CtaThread: {
      const std::int64_t* v = ir::constant(closure.launch.block[static_cast<std::size_t>(dimension)]);
      return v ? *v : 0;
    }
    default: break;
  }
  const scope::Binding& known = closure[binding];
  if (known.known && known.extent.is_constant()) return known.extent.value();
  std::optional<std::int64_t> threads = closure.launch.threads();
  if (!threads) return 0;
  if (binding == ScopeBinding::CtaWarp) return (*threads + 31) / 32;
  if (binding == ScopeBinding::CtaWarpgroup) return (*threads + 127) / 128;
  return 0;
}

}  // namespace

KernelContext::KernelContext(const scope::Closure& closure, const ir::Kernel& kernel)
    : closure_(closure), kernel_(kernel) {
  for (const ir::ScopeIds* ids : closure.declarations) {
    for (const Var* var : ids->vars) add_scope_id(var);
  }
}

void KernelContext::add_scope_id(const Var* var) {
  all_ids_.push_back(var);
  if (var->scope_id == ScopeBinding::None || var->dimension > 2) return;
  const Var*& slot = ids_[static_cast<std::size_t>(var->scope_id)][var->dimension];
  if (!slot || (slot->name.empty() && !var->name.empty())) slot = var;
}

bool KernelContext::prefetched(const Var* map) const {
  return std::ranges::find(prefetched_, map) != prefetched_.end();
}

void KernelContext::commit(const Journal& journal) {
  for (const Var* id : journal.scope_ids) add_scope_id(id);
  tensor_maps_.insert(tensor_maps_.end(), journal.tensor_maps.begin(), journal.tensor_maps.end());
  prefetched_.insert(prefetched_.end(), journal.prefetched.begin(), journal.prefetched.end());
}

const ir::Buffer* KernelContext::flat_view(const ir::Buffer* buffer) {
  const ir::Buffer*& view = flat_[buffer];
  if (view) return view;
  layout::Dim elements = 1;
  for (Expr extent : buffer->shape) elements = elements * layout::Dim(extent);
  if (buffer->layout) {
    layout::Layout local = layout::storage(*buffer->layout);
    if (buffer->scope == ir::StorageScope::Local && local.tile && !local.swizzle) elements = layout::size(local);
    if (auto allocated = layout::allocation_elements(local, elements)) elements = *allocated;
  }
  Expr shape[] = {elements.expr()};
  ir::Buffer flat = *buffer;
  flat.shape = Arena::current().copy(std::span<const Expr>(shape));
  flat.strides = {};
  flat.layout = nullptr;
  view = Arena::current().make<ir::Buffer>(flat);
  return view;
}

Expr CallContext::scope_id(ScopeBinding binding, int dimension) {
  if (const Var* declared = kernel.scope_id(binding, dimension)) return declared;
  for (const Var* var : journal.scope_ids) {
    if (var->scope_id == binding && var->dimension == dimension) return var;
  }
  Var* var = ir::make_var(kScopeIdNames[binding], ir::kInt32, ir::VarRole::ScopeId);
  var->scope_id = binding;
  var->dimension = static_cast<std::uint8_t>(dimension);
  std::int64_t extent = extent_of(kernel.closure(), binding, dimension);
  var->range = {0, extent > 0 ? extent - 1 : std::numeric_limits<std::int32_t>::max()};
  journal.scope_ids.push_back(var);
  return var;
}

Expr CallContext::linear_thread() {
  const auto& block = launch().block;
  Expr linear = scope_id(ScopeBinding::CtaThread, 0);
  Expr stride = block[0];
  for (int d = 1; d < 3; ++d) {
    auto i = static_cast<std::size_t>(d);
    if (ir::is_constant(block[i], 1)) continue;
    linear = linear + scope_id(ScopeBinding::CtaThread, d) * stride;
    stride = stride * block[i];
  }
  return linear;
}

}  // namespace tilewright::dispatch
