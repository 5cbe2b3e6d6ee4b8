#include "compiler/lower/flatten.h"

#include <expected>

#include "compiler/expr/analyzer.h"
#include "compiler/lower/codes.h"

namespace tilewright::lower {

using namespace ir;

std::optional<std::int64_t> storage_elements(const Buffer& buffer) {
  std::optional<std::int64_t> product = constant_elements(buffer.shape);
  if (!product) return std::nullopt;
  if (buffer.layout) {
    layout::Result<layout::Dim> elements = layout::allocation_elements(*buffer.layout, *product);
    if (elements && elements->is_constant()) return elements->value();
    return std::nullopt;
  }
  if (buffer.strides.empty()) return product;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < buffer.rank(); ++i) {
    const std::int64_t* extent = constant(buffer.shape[i]);
    const std::int64_t* stride = constant(buffer.strides[i]);
    if (!extent || !stride) return std::nullopt;
    last += (*extent - 1) * *stride;
  }
  return last + 1;
}

// Most layouts are numbers and stay what they are.
const layout::Layout* Flattener::rewritten(const layout::Layout* l) {
  if (!l || !l->tile) return l;
  bool symbolic = false;
  layout::for_each_dim(*l->tile, [&](const layout::Dim& d) { symbolic |= !d.is_constant(); });
  if (!symbolic) return l;
  layout::Layout& now = layouts_.emplace_back(*l);
  layout::for_each_dim(*now.tile, [&](layout::Dim& d) {
    if (!d.is_constant()) d = layout::Dim(rewrite_(d.expr()));
  });
  return &now;
}

const Buffer* Flattener::flat(const Buffer* buffer) { return info(buffer).flat; }

Flattener::Info& Flattener::info(const Buffer* buffer) {
  auto [at, fresh] = infos_.try_emplace(buffer);
  Info& info = at->second;
  if (!fresh) return info;

  Arena& arena = Arena::current();
  std::vector<Expr> extents, strides(buffer->rank());
  for (Expr extent : buffer->shape) extents.push_back(rewrite_(extent));
  if (buffer->strides.empty()) {
    Expr stride = 1;
    for (std::size_t i = buffer->rank(); i-- > 0;) {
      strides[i] = stride;
      stride = stride * extents[i];
    }
  } else {
    for (std::size_t i = 0; i < buffer->rank(); ++i) strides[i] = rewrite_(buffer->strides[i]);
  }
  std::optional<std::int64_t> product = constant_elements(extents);
  // Inside a buffer of fewer than 2^31 elements every index is small. One symbolic dimension is indexed as written.
  constexpr std::int64_t kSmall = std::numeric_limits<std::int32_t>::max();
  info.wide = product ? *product > kSmall : buffer->rank() > 1;
  info.layout = rewritten(buffer->layout);
  info.extents = arena.copy(extents);
  info.strides = arena.copy(strides);
  for (Expr extent : extents) info.shape.emplace_back(extent);

  if (buffer->scope == StorageScope::Tmem) {
    info.way = Way::Tensor;
  } else if (!buffer->layout) {
    info.way = buffer->strides.empty() ? Way::RowMajor : Way::Strided;
  } else if (layout::has_thread_axis(*buffer->layout)) {
    info.way = Way::Distributed;
  } else {
    info.way = layout::is_trivial(*buffer->layout) ? Way::RowMajor : Way::Layout;
  }

  Expr elements;
  if (auto fixed = elements_.find(buffer); fixed != elements_.end()) {
    elements = Expr(fixed->second);
  } else if (std::optional<std::int64_t> storage = storage_elements(*buffer)) {
    elements = Expr(*storage);
  } else {
    elements = 1;
    for (Expr extent : extents) elements = elements * extent;
  }
  Expr offset = buffer->elem_offset ? simplify(rewrite_(buffer->elem_offset)) : Expr();
  if (offset && is_constant(offset, 0)) offset = {};
  auto [first, last] = windows_.equal_range(buffer->data);
  for (auto at_window = first; buffer->data && at_window != last; ++at_window) {
    const Buffer* known = at_window->second;
    bool same = known->dtype == buffer->dtype && known->is_scalar == buffer->is_scalar &&
                structurally_equal(known->shape[0], elements) &&
                (offset && known->elem_offset ? structurally_equal(offset, known->elem_offset)
                                              : !offset && !known->elem_offset);
    if (same) {
      info.flat = known;
      return info;
    }
  }
  Buffer* flat = arena.make<Buffer>(*buffer);
  Expr shape[] = {elements};
  flat->shape = arena.copy(std::span<const Expr>(shape));
  flat->strides = {};
  flat->layout = nullptr;
  flat->elem_offset = offset;
  info.flat = flat;
  if (buffer->data) windows_.emplace(buffer->data, flat);
  return info;
}

std::expected<Expr, AccessError> Flattener::index(const Buffer* buffer, std::span<const Expr> indices) {
  const Info& info = this->info(buffer);
  std::string name(buffer->name);
  if (info.way == Way::Tensor) {
    return std::unexpected(
        AccessError{code::kTensorMemory,
                    "`" + name + "` lies in tensor memory: its elements cannot be loaded or stored one by one"});
  }
  if (info.way == Way::Distributed) {
    return std::unexpected(AccessError{code::kDistributed, "`" + name + "` is spread over threads by its layout " +
                                                               layout::to_short_string(*buffer->layout) +
                                                               ": one thread cannot address element by element"});
  }
  if (indices.size() != buffer->rank()) {
    return std::unexpected(AccessError{code::kLayout, "`" + name + "` has " + std::to_string(buffer->rank()) +
                                                          " dimensions, this access gives " +
                                                          std::to_string(indices.size()) + " indices"});
  }
  bool vector = !indices.empty() && indices.back().dtype().is_vector();
  return vector ? vector_index(info, buffer, indices) : scalar_index(info, buffer, indices);
}

std::expected<Expr, AccessError> Flattener::scalar_index(const Info& info, const Buffer* buffer,
                                                         std::span<const Expr> indices) {
  auto flat = [&](bool wide) -> std::expected<Expr, AccessError> {
    auto widened = [&](Expr e) { return wide && e.dtype().bits < 64 ? cast(kInt64, e) : e; };
    if (info.way != Way::Layout) {
      Expr sum;
      for (std::size_t i = 0; i < indices.size(); ++i) {
        if (is_constant(info.extents[i], 1) && is_constant(indices[i], 0)) continue;
        Expr term = widened(indices[i]) * info.strides[i];
        sum = sum ? sum + term : term;
      }
      return sum ? simplify(sum) : Expr(0);
    }
    std::vector<Expr> coordinate;
    for (Expr e : indices) coordinate.push_back(widened(e));
    layout::Result<Expr> m = layout::apply_m(*info.layout, coordinate, info.shape);
    if (!m)
      return std::unexpected(
          AccessError{code::kLayout, "`" + std::string(ir::spoken_name(*buffer)) + "`: " + m.error().message});
    return *m;  // simple already
  };
  auto narrow = flat(false);
  if (!info.wide || !narrow) return narrow;
  // The buffer may be large, but this very index may be known to be small.
  Interval range = bounds(*narrow);
  constexpr std::int64_t kSmall = std::numeric_limits<std::int32_t>::max();
  return range.lo >= -kSmall && range.hi <= kSmall ? narrow : flat(true);
}

// Lanes base, base + stride, ... of the last dimension. Each lane's address is computed; they must be evenly spaced.
std::expected<Expr, AccessError> Flattener::vector_index(const Info& info, const Buffer* buffer,
                                                         std::span<const Expr> indices) {
  Expr last = indices.back();
  int lanes = last.dtype().lanes;
  const Ramp* ramp = last.as<Ramp>();
  if (!ramp) {
    if (const Broadcast* same = last.as<Broadcast>()) {
      std::vector<Expr> scalar(indices.begin(), indices.end());
      scalar.back() = same->value;
      auto at = scalar_index(info, buffer, scalar);
      if (!at) return at;
      return ir::broadcast(*at, lanes);
    }
    return std::unexpected(
        AccessError{code::kVector, "the vector index of `" + std::string(buffer->name) + "` is not a ramp"});
  }
  std::vector<Expr> scalar(indices.begin(), indices.end());
  scalar.back() = ramp->base;
  auto base = scalar_index(info, buffer, scalar);
  if (!base || lanes == 1) return base;
  if (info.way != Way::Layout) {
    Expr stride = simplify(ramp->stride * info.strides.back());
    return ir::ramp(*base, stride.dtype() == base->dtype() ? stride : cast(base->dtype(), stride), lanes);
  }

  Expr stride;
  if (const auto& swizzle = info.layout->swizzle;
      swizzle && info.layout->tile && is_constant(ramp->stride, 1) && swizzle->chunk() % lanes == 0) {
    // Below the swizzle's chunk addresses stay together: it is enough that the tile part is contiguous and aligned.
    layout::Layout tile{std::nullopt, info.layout->tile};
    layout::Result<Expr> first = layout::apply_m(tile, scalar, info.shape);
    scalar.back() = ramp->base + 1;
    layout::Result<Expr> second = layout::apply_m(tile, scalar, info.shape);
    if (first && second && provably_divisible(*first, lanes) && provably_equal(*second - *first, Expr(1))) stride = 1;
  }
  for (int lane = 1; !is_constant(stride, 1) && lane < lanes; ++lane) {
    scalar.back() = ramp->base + ramp->stride * Expr(lane);
    auto at = scalar_index(info, buffer, scalar);
    if (!at) return at;
    Expr distance = simplify(*at - *base);
    if (lane == 1) {
      if (!constant(distance))
        stride = {};
      else {
        stride = distance;
        continue;
      }
    }
    if (!stride || !is_constant(distance, *constant(stride) * lane)) {
      return std::unexpected(AccessError{code::kVector, "the " + std::to_string(lanes) + " lanes of this access to `" +
                                                            std::string(ir::spoken_name(*buffer)) +
                                                            "` are not evenly spaced under " +
                                                            layout::to_short_string(*buffer->layout)});
    }
  }
  return ir::ramp(*base, cast(base->dtype(), stride), lanes);
}

}  // namespace tilewright::lower
