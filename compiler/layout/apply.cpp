// From a logical index to hardware coordinates (layout.md 5.1).
//
// An index is split into digits, last extent first; the first digit keeps what is left. Each digit times its stride
// goes to the axis of its iter. With a shape, every coordinate is split inside the run of iters that belongs to its
// dimension, which leaves shorter expressions than flattening; where the layout does not split along the shape the
// flat index is split instead. Both give the same numbers.
//
// One body serves numbers and expressions; expressions are simplified once, at the end.
#include "compiler/expr/analyzer.h"
#include "compiler/expr/fold.h"
#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

using expr::Expr;

// Arithmetic of an index with a Dim.
struct Numbers {
  using Value = std::int64_t;
  static Value constant(std::int64_t v) { return v; }
  static Value add(Value a, Value b) { return a + b; }
  static Value times(Value a, Dim d) { return a * d.value(); }
  static Value plus(Value a, Dim d) { return a + d.value(); }
  static Value over(Value a, Dim d) { return d.is(0) ? 0 : expr::floor_div(a, d.value()); }
  static Value rest(Value a, Dim d) { return d.is(0) ? 0 : expr::floor_mod(a, d.value()); }
  static Value finish(Value a) { return a; }
};
struct Expressions {
  using Value = Expr;
  static Value constant(std::int64_t v) { return Expr(v); }
  static Value add(Value a, Value b) { return a + b; }
  static Value times(Value a, Dim d) { return a * d.expr(); }
  static Value plus(Value a, Dim d) { return d.is(0) ? a : a + d.expr(); }
  static Value over(Value a, Dim d) { return d.is(0) ? Expr(0) : a / d.expr(); }
  static Value rest(Value a, Dim d) { return d.is(0) ? Expr(0) : a % d.expr(); }
  static Value finish(Value a) { return expr::simplify(a); }
};

template <class A>
class Sums {
 public:
  using Value = typename A::Value;

  void add(Axis axis, Value v) {
    int i = static_cast<int>(axis);
    values_[i] = present_ >> i & 1 ? A::add(values_[i], v) : v;
    present_ |= 1u << i;
  }

  // The digits of `x` over `iters`, each on its axis.
  void split(std::span<const Iter> iters, Value x) {
    for (std::size_t i = iters.size(); i-- > 0;) {
      const Iter& iter = iters[i];
      if (i == 0) {
        add(iter.axis, A::times(x, iter.stride));
      } else if (iter.extent.is(1)) {
        add(iter.axis, A::constant(0));
      } else {
        add(iter.axis, A::times(A::rest(x, iter.extent), iter.stride));
        x = A::over(x, iter.extent);
      }
    }
  }

  std::vector<std::pair<Axis, Value>> take(const Offsets& offsets) {
    for (const auto& [axis, value] : offsets) {
      int i = static_cast<int>(axis);
      values_[i] = A::plus(present_ >> i & 1 ? values_[i] : A::constant(0), value);
      present_ |= 1u << i;
    }
    std::vector<std::pair<Axis, Value>> out;
    out.reserve(__builtin_popcount(present_));
    for (int i = 0; i < kAxisCount; ++i) {
      if (present_ >> i & 1) out.emplace_back(static_cast<Axis>(i), values_[i]);
    }
    return out;
  }

 private:
  Value values_[kAxisCount] = {};
  unsigned present_ = 0;
};

template <class A>
using Answer = Result<std::vector<std::pair<Axis, typename A::Value>>>;

// The sums of the tile part, permuted where the layout has a swizzle, and simplified together with it.
template <class A>
Answer<A> finished(const Layout& l, std::vector<std::pair<Axis, typename A::Value>> at) {
  if (l.swizzle) {
    if (at.size() != 1 || at[0].first != Axis::m)
      return detail::fail("a swizzle permutes addresses: the tile part must map to axis m alone", l);
    at[0].second = l.swizzle->apply(at[0].second);
  }
  for (auto& [axis, value] : at) value = A::finish(value);
  return at;
}

template <class A>
typename A::Value flatten(std::span<const typename A::Value> coordinate, ShapeView shape) {
  if (coordinate.empty()) return A::constant(0);
  typename A::Value flat = coordinate[0];
  for (std::size_t d = 1; d < coordinate.size(); ++d) flat = A::add(A::times(flat, shape[d]), coordinate[d]);
  return flat;
}

template <class A>
Answer<A> apply_linear(const Layout& l, typename A::Value index) {
  if (!l.tile) return finished<A>(l, {{Axis::m, index}});
  Sums<A> sums;
  sums.split(l.tile->shard, index);
  return finished<A>(l, sums.take(l.tile->offset));
}

template <class A>
Answer<A> apply_in(const Layout& l, std::span<const typename A::Value> coordinate, ShapeView shape) {
  if (coordinate.size() != shape.size())
    return detail::fail("apply: " + std::to_string(coordinate.size()) + " coordinates for a shape of rank " +
                            std::to_string(shape.size()),
                        l, shape);
  if (coordinate.size() == 1) {
    // One coordinate is the linear index; a shape that contradicts the layout is an error rather than ignored (N12).
    Dim have = size(l);
    bool differs = l.tile && have.is_constant() && shape[0].is_constant() && have.value() != shape[0].value();
    if (differs) return detail::fail("apply: the layout holds " + to_string(have) + " elements", l, shape);
    return apply_linear<A>(l, coordinate[0]);
  }
  if (!l.tile) return apply_linear<A>(l, flatten<A>(coordinate, shape));
  Sums<A> sums;
  Grouped grouped;
  if (detail::try_group(*l.tile, shape, grouped)) {
    for (std::size_t d = 0; d < shape.size(); ++d) sums.split(detail::run(grouped, d), coordinate[d]);
  } else {
    sums.split(l.tile->shard, flatten<A>(coordinate, shape));
  }
  return finished<A>(l, sums.take(l.tile->offset));
}

bool numeric(const Layout& l) {
  if (!l.tile) return true;
  return std::ranges::all_of(l.tile->shard,
                             [](const Iter& i) { return i.extent.is_constant() && i.stride.is_constant(); }) &&
         std::ranges::all_of(l.tile->offset, [](const auto& o) { return o.second.is_constant(); });
}

}  // namespace

Result<Coordinates> apply(const Layout& l, Expr index) { return apply_linear<Expressions>(l, index); }

Result<IntCoordinates> apply(const Layout& l, std::int64_t index) {
  if (!numeric(l)) return detail::fail("apply: a symbolic layout has no number for an index", l);
  return apply_linear<Numbers>(l, index);
}

Result<Coordinates> apply(const Layout& l, std::span<const Expr> coordinate, ShapeView shape) {
  return apply_in<Expressions>(l, coordinate, shape);
}

Result<IntCoordinates> apply(const Layout& l, std::span<const std::int64_t> coordinate, ShapeView shape) {
  if (!numeric(l) || !std::ranges::all_of(shape, &Dim::is_constant))
    return detail::fail("apply: a symbolic layout has no number for a coordinate", l, shape);
  return apply_in<Numbers>(l, coordinate, shape);
}

Result<Coordinates> apply_raw(const Layout& l, std::span<const Expr> digits) {
  if (digits.size() == 1) return apply(l, digits[0]);
  if (!l.is_tile()) return detail::fail("apply: several coordinates of a swizzled layout need a shape", l);
  if (digits.size() != l.tile->shard.size())
    return detail::fail("apply: " + std::to_string(digits.size()) + " coordinates for " +
                            std::to_string(l.tile->shard.size()) + " iters",
                        l);
  Sums<Expressions> sums;
  for (std::size_t i = 0; i < digits.size(); ++i)
    sums.add(l.tile->shard[i].axis, Expressions::times(digits[i], l.tile->shard[i].stride));
  return finished<Expressions>(l, sums.take(l.tile->offset));
}

Result<std::vector<Expr>> apply_to_shape(const Layout& l, std::span<const Expr> coordinate, ShapeView shape) {
  if (!l.tile) return detail::fail("apply_to_shape: a bare swizzle has no iters", l, shape);
  if (coordinate.size() != shape.size())
    return detail::fail("apply_to_shape: " + std::to_string(coordinate.size()) + " coordinates", l, shape);
  auto digits = [](std::span<const Iter> iters, Expr x, std::vector<Expr>& out) {
    std::size_t first = out.size();
    out.resize(first + iters.size());
    for (std::size_t i = iters.size(); i-- > 0;) {
      out[first + i] = expr::simplify(i == 0 ? x : Expressions::rest(x, iters[i].extent));
      if (i > 0) x = Expressions::over(x, iters[i].extent);
    }
  };
  std::vector<Expr> out;
  Grouped grouped;
  if (detail::try_group(*l.tile, shape, grouped)) {
    for (std::size_t d = 0; d < shape.size(); ++d) digits(detail::run(grouped, d), coordinate[d], out);
  } else {
    digits(l.tile->shard, flatten<Expressions>(coordinate, shape), out);
  }
  return out;
}

Result<Expr> apply_m(const Layout& l, std::span<const Expr> coordinate, ShapeView shape) {
  Result<Coordinates> at = apply(l, coordinate, shape);
  if (!at) return std::unexpected(at.error());
  Expr m = 0;
  for (const auto& [axis, value] : *at) {
    if (axis != Axis::m) return detail::fail("an address has axis m alone", l, shape);
    m = value;
  }
  return m;
}

}  // namespace tilewright::layout
