// Cutting windows out of buffers (buffer_views.h): where a dimension goes, the place that was picked becomes an offset.
#include "compiler/script/tirx/buffer_views.h"

namespace tilewright::script {

ir::Expr index_math(ir::ExprKind kind, ir::Expr a, ir::Expr b) {
  const ir::DataType wider = a.dtype().bits >= b.dtype().bits ? a.dtype() : b.dtype();
  auto made = ir::apply_operator(kind, a, b);
  return ir::simplify(made ? *made : ir::binary(kind, ir::cast(wider, a), ir::cast(wider, b)));
}

namespace {

ir::Expr plus(ir::Expr a, ir::Expr b) { return a ? index_math(ir::ExprKind::Add, a, b) : b; }
ir::Expr times(ir::Expr a, ir::Expr b) { return index_math(ir::ExprKind::Mul, a, b); }

// How far an index of a dimension lies that consists of several iters; null: an extent is not known.
ir::Expr offset_of(std::span<const layout::Iter> iters, ir::Expr index) {
  ir::Expr offset, rest = index;
  for (std::size_t i = 0; i < iters.size(); ++i) {
    layout::Dim inner = 1;
    for (std::size_t k = i + 1; k < iters.size(); ++k) inner = inner * iters[k].extent;
    if (!inner.is_constant() || inner.value() <= 0) return {};
    const ir::Expr unit = ir::int_imm(rest.dtype(), inner.value());
    ir::Expr digit = i + 1 == iters.size() ? rest : ir::floordiv(rest, unit);
    if (i + 1 < iters.size()) rest = ir::floormod(rest, unit);
    offset = plus(offset, times(digit, iters[i].stride.expr()));
  }
  return offset ? ir::simplify(offset) : ir::int_imm(ir::kInt32, 0);
}

bool is_multiple(ir::Expr e, std::int64_t unit) {
  return ir::is_constant(ir::simplify(ir::floormod(e, ir::int_imm(e.dtype(), unit))), 0);
}

}  // namespace

bool Window::refuse(std::string why, std::string hint) {
  in_.fail(code::kBuffer, at_, who_ + ": " + std::move(why), std::move(hint), "ValueError");
  return false;
}

std::optional<std::int64_t> Window::known(ir::Expr e) const {
  const ir::Expr settled = in_.settled(ir::simplify(e));
  const std::int64_t* c = ir::constant(settled);
  return c ? std::optional(*c) : std::nullopt;
}

std::optional<layout::Grouped> Window::grouped() {
  const layout::Layout* now = layout_ ? &*layout_ : made_.layout;
  if (!now || !now->tile) {
    refuse(now ? "a swizzle alone has no dimensions" : "the buffer has no layout", "give the buffer a layout");
    return std::nullopt;
  }
  layout::Shape shape;
  for (ir::Expr e : shape_) shape.push_back(layout::Dim(e));
  auto made = layout::group(*now->tile, shape);
  if (made) return std::move(*made);
  refuse(made.error().message);
  return std::nullopt;
}

bool Window::reshape(std::vector<ir::Expr> shape) {
  const auto have = ir::constant_elements(shape_), want = ir::constant_elements(shape);
  if (have && want && *have != *want) {
    return refuse("a view of " + std::to_string(*want) + " elements onto " + std::to_string(*have));
  }
  shape_ = std::move(shape);
  return true;
}

bool Window::split(std::size_t dim, std::vector<ir::Expr> factors) {
  std::optional<std::size_t> open;
  std::int64_t product = 1;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto factor = known(factors[i]);
    if (factor && *factor == -1) {
      if (open) return refuse("only one factor of a dimension can be inferred");
      open = i;
    } else if (!factor || *factor < 1) {
      return refuse("a factor is a positive number that is known, or -1");
    } else if (__builtin_mul_overflow(product, *factor, &product)) {
      return refuse("the factors are too large");
    }
  }
  const auto whole = known(shape_[dim]);
  const std::string which = "dimension " + std::to_string(dim);
  if (!whole) return refuse(which + " has an extent that is known at run time only");
  if (open ? *whole % product != 0 : *whole != product) {
    return refuse(which + " has the extent " + std::to_string(*whole) + ", the factors multiply to " +
                  std::to_string(product));
  }
  if (open) factors[*open] = ir::int_imm(ir::kInt32, *whole / product);
  const auto at = static_cast<std::ptrdiff_t>(dim);
  shape_.erase(shape_.begin() + at);
  shape_.insert(shape_.begin() + at, factors.begin(), factors.end());
  return true;
}

bool Window::permute(std::span<const int> order) {
  auto now = grouped();
  if (!now) return false;
  const auto* swizzled = layout_ ? &*layout_ : made_.layout;
  auto permuted = layout::permute_by_groups({std::nullopt, now->layout}, now->separators, order);
  if (!permuted) return refuse(permuted.error().message);
  layout_ = layout::Layout{swizzled->swizzle, permuted->tile};
  std::vector<ir::Expr> shape;
  for (int d : order) shape.push_back(shape_[static_cast<std::size_t>(d)]);
  shape_ = std::move(shape);
  return true;
}

bool Window::move_column(ir::Expr offset) {
  const auto by = known(offset);
  const ir::Expr bits = times(offset, ir::Expr(made_.dtype.storage_bits() * made_.dtype.lanes));
  if (!is_multiple(bits, 32)) {
    const std::string elements = by ? std::to_string(*by) + (*by == 1 ? " element" : " elements") : "some elements";
    return refuse("a window in tensor memory begins with a column of 32 bits; this one begins " + elements + " of " +
                  ir::dtype_name(made_.dtype) + " further");
  }
  made_.allocated_addr = plus(made_.allocated_addr, ir::simplify(ir::floordiv(bits, ir::int_imm(bits.dtype(), 32))));
  return true;
}

bool Window::move_to(layout::TileLayout tile, std::span<const layout::Iter> along, ir::Expr offset) {
  const bool columns = made_.scope == ir::StorageScope::Tmem && made_.allocated_addr;
  const bool moves = !ir::is_constant(offset, 0);
  for (const layout::Iter& i : along) {
    if (!moves || i.axis == (columns ? layout::Axis::TCol : layout::Axis::m)) continue;
    return refuse("the dimension lies on axis " + std::string(layout::axis_name(i.axis)) +
                  ", where a window has no other beginning than the buffer");
  }
  const layout::Layout* now = layout_ ? &*layout_ : made_.layout;
  const std::optional<layout::Swizzle> swizzle = now->swizzle;
  // A swizzle permutes addresses within its period: what is no multiple of that stays below it.
  const bool commutes = !swizzle || swizzle->swizzle_len == 0 || is_multiple(offset, swizzle->period());
  if (moves && columns) {
    if (!move_column(offset)) return false;
  } else if (moves && !commutes) {
    layout::add_offset(tile.offset, layout::Axis::m, layout::Dim(offset));
  } else if (moves) {
    made_.elem_offset = plus(made_.elem_offset, offset);
  }
  layout_ = layout::Layout{swizzle, std::move(tile)};
  return true;
}

bool Window::drop(std::size_t dim, ir::Expr index) {
  const auto at = known(index), extent = known(shape_[dim]);
  if (at && (*at < 0 || (extent && *at >= *extent))) {
    return refuse("index " + std::to_string(*at) + " is outside dimension " + std::to_string(dim) +
                  (extent ? " of extent " + std::to_string(*extent) : ""));
  }
  auto now = grouped();
  if (!now) return false;
  const auto first = now->layout.shard.begin() + static_cast<std::ptrdiff_t>(now->separators[dim]);
  const auto last = now->layout.shard.begin() + static_cast<std::ptrdiff_t>(now->separators[dim + 1]);
  const layout::Iters along(first, last);
  const ir::Expr offset = offset_of(along, index);
  if (!offset) return refuse("dimension " + std::to_string(dim) + " consists of parts whose extents are not known");
  now->layout.shard.erase(first, last);
  if (!move_to(std::move(now->layout), along, offset)) return false;
  shape_.erase(shape_.begin() + static_cast<std::ptrdiff_t>(dim));
  return true;
}

bool Window::narrow(std::size_t dim, ir::Expr start, ir::Expr length) {
  const auto from = known(start), count = known(length), extent = known(shape_[dim]);
  const std::string which = "dimension " + std::to_string(dim);
  if (from && *from < 0) return refuse("a window begins at 0 or later, not at " + std::to_string(*from));
  if (count && *count < 1) return refuse("a window has at least one element, not " + std::to_string(*count));
  if (from && count && extent && *from + *count > *extent) {
    return refuse("[" + std::to_string(*from) + ", " + std::to_string(*from + *count) + ") goes beyond " + which +
                  " of extent " + std::to_string(*extent));
  }
  auto now = grouped();
  if (!now) return false;
  const std::size_t lo = now->separators[dim], hi = now->separators[dim + 1];
  if (lo == hi) return refuse(which + " has no place in the layout");
  layout::Iter& outer = now->layout.shard[lo];
  layout::Dim inner = 1;
  for (std::size_t i = lo + 1; i < hi; ++i) inner = inner * now->layout.shard[i].extent;
  if (!inner.is_constant()) return refuse(which + " consists of parts whose extents are not known");
  ir::Expr offset = times(start, outer.stride.expr());
  layout::Dim kept(length);
  if (hi - lo > 1) {
    const std::int64_t unit = inner.value();
    if (!from || !count || *from % unit != 0 || *count % unit != 0) {
      return refuse(which + " consists of blocks of " + std::to_string(unit) +
                    ": a window begins and ends with one, at numbers that are known");
    }
    offset = times(ir::int_imm(ir::kInt32, *from / unit), outer.stride.expr());
    kept = *count / unit;
  }
  const layout::Iter along = outer;
  outer.extent = kept;
  if (!move_to(std::move(now->layout), {&along, 1}, offset)) return false;
  shape_[dim] = length;
  return true;
}

Value Window::declare() {
  if (layout_) made_.layout = in_.layout_value(std::move(*layout_)).as<LayoutValue>()->layout;
  made_.shape = Arena::current().copy(shape_);
  made_.strides = {};
  return declared_view(in_, made_, at_);
}

}  // namespace tilewright::script
