// The extents of a launch and the values of its parameters.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/lower/lowered.h"

namespace tilewright::simulate {

struct Launch {
  using Extents = std::array<std::int64_t, 3>;

  Extents grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::uint32_t cta_threads = 1, cluster_ctas = 1;
  std::unordered_map<const ir::Var*, std::uint64_t> values;  // scalars and extents

  // Takes the extents from the plan. False: they depend on values that are not known.
  bool read(const scope::Launch& plan);
  // Why no GPU would launch that; empty: it is one.
  std::string refusal(const lower::LoweredKernel& kernel) const;
  // Returns the value of an integral expression, 1 without one, or nothing where it depends on what is not known.
  std::optional<std::int64_t> evaluate(ir::Expr e) const;

  // Clusters are numbered in the order of their CTAs, x first.
  std::uint64_t clusters() const;
  Extents first_cta_of(std::uint64_t number) const;
  // The CTA of this rank in the cluster that begins at `first`.
  Extents cta_at(const Extents& first, std::uint32_t rank) const;
};

}  // namespace tilewright::simulate
