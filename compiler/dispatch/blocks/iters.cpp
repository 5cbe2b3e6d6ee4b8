#include "compiler/dispatch/blocks/iters.h"

#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {

bool step_divisible(const Walk& walk, std::int64_t v) {
  return walk.stride % v == 0 || (walk.unit && ir::provably_divisible(ir::Expr(walk.stride) * walk.unit, v));
}

Walk walk_of(const layout::Iter& it) {
  if (it.stride.is_constant()) return {it.extent.value(), it.stride.value()};
  return {it.extent.value(), 1, it.stride.expr()};
}

std::int64_t product(std::span<const Walk> walks) {
  std::int64_t n = 1;
  for (const Walk& w : walks) n *= w.extent;
  return n;
}

std::int64_t product(std::span<const std::int64_t> extents) {
  std::int64_t n = 1;
  for (std::int64_t e : extents) n *= e;
  return n;
}

Walks fuse(std::span<const Walk> walks) {
  Walks out;
  for (const Walk& w : walks) {
    if (w.extent == 1) continue;
    if (!out.empty() && !out.back().unit && !w.unit && out.back().stride == w.extent * w.stride) {
      out.back() = {out.back().extent * w.extent, w.stride};
    } else {
      out.push_back(w);
    }
  }
  if (out.empty()) out.push_back({1, 1});
  return out;
}

std::optional<Runs> group(std::span<const Walk> walks, std::span<const std::int64_t> shape) {
  Runs out;
  out.cuts.push_back(0);
  std::int64_t covered = 1;
  std::size_t k = 0;
  for (Walk w : walks) {
    covered *= w.extent;
    while (k < shape.size() && shape[k] > 0 && covered % shape[k] == 0) {
      std::int64_t rest = covered / shape[k];
      if (w.extent % rest != 0) return std::nullopt;
      out.walks.push_back({w.extent / rest, w.stride * rest, w.unit});
      w.extent = covered = rest;
      out.cuts.push_back(out.walks.size());
      ++k;
    }
    if (w.extent != 1) {
      if (k >= shape.size()) return std::nullopt;
      out.walks.push_back(w);
    }
  }
  if (k != shape.size()) return std::nullopt;
  return out;
}

std::optional<Walks> carve(std::span<const Walk> walks, std::int64_t n) {
  Walks out(walks.begin(), walks.end());
  std::int64_t rem = n;
  for (std::size_t i = out.size(); i-- > 0;) {
    Walk& w = out[i];
    if (w.extent == rem) return out;
    if (w.extent < rem) {
      if (rem % w.extent != 0) return std::nullopt;
      rem /= w.extent;
      continue;
    }
    if (w.extent % rem != 0) return std::nullopt;
    Walk inner{rem, w.stride, w.unit};
    w = {w.extent / rem, w.stride * rem, w.unit};
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i) + 1, inner);
    return out;
  }
  return std::nullopt;
}

ir::Expr place(std::span<const Walk> walks, ir::Expr x) {
  ir::Expr sum(0);
  ir::Expr rest = x;
  for (std::size_t i = walks.size(); i-- > 0;) {
    // The outermost digit is what remains, without a remainder.
    ir::Expr extent(walks[i].extent);
    ir::Expr digit = i == 0 ? rest : rest % extent;
    if (walks[i].extent != 1 || i == 0) {
      ir::Expr step(walks[i].stride);
      if (walks[i].unit) step = step * walks[i].unit;
      sum = digit * step + sum;
    }
    if (i > 0 && walks[i].extent != 1) rest = rest / extent;
  }
  return sum;
}

}  // namespace tilewright::dispatch
