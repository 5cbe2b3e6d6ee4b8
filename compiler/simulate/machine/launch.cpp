#include "compiler/simulate/machine/launch.h"

#include <algorithm>

#include "compiler/expr/analyzer.h"
#include "compiler/ir/shared_limit.h"

namespace tilewright::simulate {

using namespace ir;

bool Launch::read(const scope::Launch& plan) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto g = evaluate(plan.grid[d]), b = evaluate(plan.block[d]), c = evaluate(plan.cluster[d]);
    if (!g || !b || !c) return false;
    grid[d] = *g;
    block[d] = *b;
    cluster[d] = std::max<std::int64_t>(1, *c);
  }
  return true;
}

std::string Launch::refusal(const lower::LoweredKernel& kernel) const {
  auto product = [](const std::array<std::int64_t, 3>& n, std::int64_t most) {
    std::int64_t all = 1;
    for (std::int64_t e : n) all = e < 1 || e > most ? most + 1 : std::min(most + 1, all * e);
    return all;
  };
  std::string why;
  if (product(block, 1024) > 1024) why = "a CTA of more than 1024 threads";
  if (product(cluster, 16) > 16) why = "a cluster of more than 16 CTAs";
  for (std::size_t d = 0; d < 3 && why.empty(); ++d) {
    if (grid[d] < 0 || grid[d] > INT32_MAX) why = "a grid of " + std::to_string(grid[d]) + " CTAs";
    if (grid[d] % cluster[d] != 0) why = std::to_string(grid[d]) + " CTAs in clusters of " + std::to_string(cluster[d]);
  }
  const std::int64_t memory = kernel.plan.static_shared_bytes + kernel.plan.dynamic_shared_bytes;
  if (const std::int64_t limit = ir::shared_memory_limit(kernel.kernel->target); memory > limit)
    why = std::to_string(memory) + " bytes of shared memory for a CTA, and " + kernel.kernel->target.name() + " has " +
          std::to_string(limit);
  return why;
}

std::optional<std::int64_t> Launch::evaluate(Expr e) const {
  if (!e) return 1;
  ScratchArena scratch;  // a thread that runs CTAs has no other one
  ArenaScope scope(scratch);
  Expr known = substitute(e, [&](const Var* v) {
    const auto found = values.find(v);
    return found == values.end() || !v->dtype.is_integral()
               ? Expr()
               : int_imm(v->dtype, static_cast<std::int64_t>(found->second));
  });
  known = simplify(known);
  const std::int64_t* value = constant(known);
  return value ? std::optional(*value) : std::nullopt;
}

std::uint64_t Launch::clusters() const {
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < 3; ++d) all *= static_cast<std::uint64_t>(grid[d] / cluster[d]);
  return all;
}

Launch::Extents Launch::first_cta_of(std::uint64_t number) const {
  Extents first{};
  auto rest = static_cast<std::int64_t>(number);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t along = grid[d] / cluster[d];
    first[d] = rest % along * cluster[d];
    rest /= along;
  }
  return first;
}

Launch::Extents Launch::cta_at(const Extents& first, std::uint32_t rank) const {
  Extents out = first;
  std::int64_t rest = rank;
  for (std::size_t d = 0; d < 3; ++d) {
    out[d] += rest % cluster[d];
    rest /= cluster[d];
  }
  return out;
}

}  // namespace tilewright::simulate
