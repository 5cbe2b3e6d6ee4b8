// Integers as sums: what depends on the cluster that computes them, and what is the same in all clusters of a launch.
//
// "Outer" variables are the indices of the cluster; all others (threads, loops, the rank of a CTA in its cluster) are
// "inner": they take the same values in every cluster.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "compiler/expr/expr.h"

namespace tilewright::run {

using OuterVars = std::unordered_set<const ir::Var*>;

// By which kinds of variables an expression is made.
struct Reach {
  bool outer = false, inner = false;
};
Reach reach_of(ir::Expr e, const OuterVars& outer);

// A factor times an expression of outer variables alone.
struct OuterTerm {
  std::int64_t factor = 0;
  ir::Expr atom;
};
// A factor times a number of this range that does not depend on the cluster.
struct InnerTerm {
  std::int64_t factor = 0;
  ir::Interval range;
};

struct Affine {
  std::int64_t constant = 0;
  std::vector<OuterTerm> outer;  // each atom once
  std::vector<InnerTerm> inner;

  ir::Interval inner_range() const;  // of constant and inner terms; unbounded sides stay so
  void add_inner(std::int64_t factor, ir::Interval range) { inner.push_back({factor, range}); }
};

// `e` as such a sum, times `factor`; nullopt: some part of it mixes the two kinds, or numbers leave 62 bits. `e` holds
// variables, constants and operators only.
std::optional<Affine> affine_of(ir::Expr e, const OuterVars& outer, std::int64_t factor = 1);
bool same_outer(const Affine& a, const Affine& b);  // the same atoms with the same factors

// One unknown of a linear equation: the difference of an atom between two clusters, or an inner number.
struct Unknown {
  std::int64_t factor = 0;
  std::int64_t lo = 0, hi = 0;
  int atom = -1;  // of a difference
};
// Narrows the unknowns by: constant + sum of factor * unknown = 0. False: no values fulfil it.
bool narrow(std::int64_t constant, std::vector<Unknown>& unknowns);

}  // namespace tilewright::run
