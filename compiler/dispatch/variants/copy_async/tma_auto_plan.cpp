#include "compiler/dispatch/variants/copy_async/tma_auto_plan.h"

#include <algorithm>

#include "compiler/dispatch/variants/copy_async/tma_layouts.h"
#include "compiler/dispatch/words.h"
#include "compiler/layout/refine.h"

namespace tilewright::dispatch::tma {
namespace {

using layout::to_string;

// More than shared memory has boxes of 16 bytes.
constexpr std::int64_t kMostIssues = 1 << 16;

std::unexpected<Reason> refuse_auto(std::string_view stage, const Reason& detail) {
  return std::unexpected(cat("tma_auto stage=", stage, ": ", detail,
                             "; use dispatch=\"tma_explicit\" when the mapping or hardware legality is only known at "
                             "runtime"));
}

// A piece of the tensor's layout under the region.
struct Piece {
  std::int64_t extent = 1;
  Dim stride;                         // elements
  std::optional<std::size_t> shared;  // the iter of shared memory that it belongs to; none: it is one element
  std::size_t dimension = 0;          // of the tensor
  Dim shape, start;                   // as a dimension of the map
};

std::string shape_text(const layout::Shape& shape) {
  std::string text;
  for (Dim d : shape) text += cat(text.empty() ? "" : ", ", to_string(d));
  return cat("(", text, ")");
}

class Planner {
 public:
  Planner(const Sides& sides, const Config& config, ir::Target target)
      : sides_(sides), config_(config), target_(target), g_(*sides.global.buffer), s_(*sides.shared.buffer) {}

  std::expected<AutoPlan, Reason> plan() {
    using Step = std::expected<void, Reason> (Planner::*)();
    for (Step step : {&Planner::shared_side, &Planner::chain, &Planner::global_side, &Planner::header}) {
      if (auto done = (this->*step)(); !done) return std::unexpected(std::move(done.error()));
    }
    return search();
  }

 private:
  // The region of shared memory, its iters cut where the dimensions of the copy begin.
  std::expected<void, Reason> shared_side() {
    auto swizzle = swizzle_of(s_);
    if (!swizzle) return refuse_auto("shared-swizzle", swizzle.error());
    swizzle_ = *swizzle;
    auto sliced = sliced_shared(sides_.shared, "shared");
    if (!sliced) return refuse_auto("shared-slice", sliced.error());
    start_ = element_offset(s_) + memory_offset(*sliced);
    sliced->offset.clear();
    auto canonical = layout::canonicalize({std::nullopt, std::move(*sliced)});
    if (!canonical) return refuse_auto("shared-canonicalize", canonical.error().message);
    layout::Shape iters;
    for (const layout::Iter& it : canonical->tile->shard) iters.push_back(it.extent);
    for (const ir::Range& r : sides_.global.ranges) extents_.push_back(Dim(r.extent));
    const layout::Shape shapes[] = {iters, extents_};
    auto refined = layout::refine(*canonical->tile, shapes);
    if (!refined) {
      return refuse_auto("group-shared", cat("cannot refine canonical shared shape=", shape_text(iters),
                                             " with copy shape=", shape_text(extents_), ": ", refined.error().message));
    }
    shared_ = std::move(refined->layout);
    return {};
  }

  // order_: the iters of more than one element, from stride 1 on, each where the one before it ends.
  std::expected<void, Reason> chain() {
    std::vector<std::pair<std::int64_t, std::size_t>> strides;
    for (std::size_t i = 0; i < shared_.shard.size(); ++i) {
      const layout::Iter& it = shared_.shard[i];
      if (provably_equal(it.extent, 1)) continue;
      if (!it.stride.is_constant()) {
        return refuse_auto("shared-chain", cat("shared iter ", i, " stride=", to_string(it.stride),
                                               " is symbolic, so physical order is unknown"));
      }
      if (!it.extent.is_constant()) {
        return refuse_auto("shared-chain", cat("shared iter ", i, " extent=", to_string(it.extent), " is symbolic"));
      }
      strides.emplace_back(it.stride.value(), i);
    }
    if (strides.empty()) return refuse_auto("shared-chain", "copy region has no non-unit shared memory iterator");
    std::ranges::sort(strides);
    if (strides[0].first != 1) {
      return refuse_auto("shared-chain",
                         cat("smallest shared stride must be 1, got ", strides[0].first, " (disproven)"));
    }
    Dim expected = 1;
    std::int64_t before = 1;
    for (const auto& [stride, i] : strides) {
      if (!expected.is(stride)) {
        return refuse_auto("shared-chain",
                           cat("shared iter ", i, " at sorted position ", order_.size(), " has stride=", stride,
                               ", expected ", to_string(expected), " after extent=", before, " (disproven)"));
      }
      order_.push_back(i);
      before = shared_.shard[i].extent.value();
      expected = Dim(stride) * Dim(before);
    }
    return {};
  }

  // The tensor's layout under the region: each dimension for itself, so that none runs into the next.
  std::expected<layout::TileLayout, Reason> sliced_global() {
    layout::TileLayout tile = strided_part(g_);
    if (Reason why = not_memory(tile, "global"); !why.empty()) return std::unexpected(std::move(why));
    auto grouped = layout::group(tile, ir::shape_of(g_));
    if (!grouped) {
      return refuse_auto("global-slice", cat("cannot group global layout by buffer shape: ", grouped.error().message));
    }
    layout::TileLayout out;
    for (std::size_t d = 0; d < g_.rank(); ++d) {
      const auto begin = grouped->layout.shard.begin();
      layout::TileLayout run;
      run.shard.assign(begin + static_cast<std::ptrdiff_t>(grouped->separators[d]),
                       begin + static_cast<std::ptrdiff_t>(grouped->separators[d + 1]));
      const ir::Range& r = sides_.global.ranges[d];
      const layout::Range range[] = {{Dim(r.min), Dim(r.min) + Dim(r.extent)}};
      const Dim shape[] = {Dim(g_.shape[d])};
      auto sliced = layout::slice({std::nullopt, std::move(run)}, shape, range);
      if (!sliced || !*sliced) {
        return refuse_auto("global-slice", cat("global dimension ", d, " cannot be sliced at start=",
                                               ir::to_string(r.min), ", extent=", ir::to_string(r.extent)));
      }
      const layout::Iters& iters = (*sliced)->tile->shard;
      out.shard.insert(out.shard.end(), iters.begin(), iters.end());
    }
    return out;
  }

  std::expected<void, Reason> global_side() {
    auto sliced = sliced_global();
    if (!sliced) return std::unexpected(std::move(sliced.error()));
    layout::Shape shared_shape;
    for (const layout::Iter& it : shared_.shard) shared_shape.push_back(it.extent);
    const layout::Shape shapes[] = {shared_shape, extents_};
    auto refined = layout::refine(*sliced, shapes);
    if (!refined) {
      return refuse_auto("group-global",
                         cat("cannot jointly group global layout by shared shape=", shape_text(shared_shape),
                             " and copy shape=", shape_text(extents_), ": ", refined.error().message));
    }
    std::vector<std::size_t> owner(refined->layout.shard.size());
    for (std::size_t i = 0; i + 1 < refined->separators[0].size(); ++i) {
      for (std::size_t k = refined->separators[0][i]; k < refined->separators[0][i + 1]; ++k) owner[k] = i;
    }
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      const std::size_t begin = refined->separators[1][d], end = refined->separators[1][d + 1];
      const std::span iters(refined->layout.shard.data() + begin, end - begin);
      if (auto done = pieces_of(d, iters, {owner.data() + begin, end - begin}); !done) return done;
    }
    return {};
  }

  // The pieces of one dimension of the tensor: the first one counts blocks, the others lie whole within a block.
  std::expected<void, Reason> pieces_of(std::size_t d, std::span<const layout::Iter> iters,
                                        std::span<const std::size_t> owner) {
    Dim block = 1;
    for (std::size_t i = 1; i < iters.size(); ++i) block = block * iters[i].extent;
    const Dim start(sides_.global.ranges[d].min), shape(g_.shape[d]);
    if (Proof p = prove_divisible(start, block); !proven(p)) {
      return refuse_auto("coordinate",
                         cat("group=", d, " start=", to_string(start),
                             " is not divisible by inner_product=", to_string(block), " (", proof_name(p), ")"));
    }
    if (Proof p = prove_divisible(shape, block); !proven(p)) {
      return refuse_auto("global-shape",
                         cat("group=", d, " tensor extent=", to_string(shape),
                             " is not divisible by inner_product=", to_string(block), " (", proof_name(p), ")"));
    }
    for (std::size_t i = 0; i < iters.size(); ++i) {
      if (!iters[i].extent.is_constant()) {
        return refuse_auto("copy-group", cat("group=", d, " extent=", to_string(iters[i].extent), " is symbolic"));
      }
      Piece piece{.extent = iters[i].extent.value(),
                  .stride = iters[i].stride,
                  .shared = {},
                  .dimension = d,
                  .shape = i == 0 ? floordiv(shape, block) : iters[i].extent,
                  .start = i == 0 ? floordiv(start, block) : Dim(0)};
      if (piece.extent != 1) piece.shared = owner[i];
      pieces_.push_back(piece);
    }
    return {};
  }

  // What all prefixes have in common.
  std::expected<void, Reason> header() {
    auto type = map_type_of(g_.dtype, config_.tma_dtype);
    if (!type) return std::unexpected(std::move(type.error()));
    // Pieces as dimensions of the map, innermost first; those of one element come last.
    for (std::size_t i : order_) {
      for (std::size_t k = pieces_.size(); k-- > 0;) {
        if (pieces_[k].shared == i) dimensions_.push_back(k);
      }
    }
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      if (!pieces_[k].shared) dimensions_.push_back(k);
    }
    Spec& spec = header_;
    spec.dtype = type->name;
    spec.bits = type->bits;
    for (std::size_t k : dimensions_) {
      const Piece& piece = pieces_[k];
      auto stride = in_bytes(piece.stride, spec.bits, true);
      if (!stride) {
        return refuse_auto("descriptor-stride",
                           cat("global stride for copy group ", piece.dimension, "=", to_string(piece.stride),
                               " elements at ", spec.bits, " bits is not provably byte aligned"));
      }
      spec.dims.push_back({piece.shape, *stride, 1, piece.start});
    }
    spec.inner_stride = pieces_[dimensions_[0]].stride;
    auto base = base_of(g_, true);
    if (!base) return refuse_auto("global-base", "the view's base offset is not provably byte aligned");
    spec.base = *base;
    spec.swizzle = swizzle_;
    spec.oob_fill = config_.oob_fill;
    spec.to_shared = sides_.to_shared;
    spec.reduces = !config_.reduce.empty();
    spec.cta_group = config_.cta_group;
    spec.barrier_address = config_.barrier_address;
    spec.target = target_;
    auto bytes = in_bytes(start_, s_.dtype.bits, true);
    const Proof aligned = bytes ? prove_divisible(*bytes, start_alignment(swizzle_)) : Proof::Unknown;
    if (!proven(aligned)) {
      return refuse_auto("shared-pointer",
                         cat("shared slice offset=", bytes ? to_string(*bytes) : to_string(start_), "B must preserve ",
                             start_alignment(swizzle_), "B alignment (", proof_name(aligned), ")"));
    }
    return {};
  }

  // The first `prefix` iters of the chain as the box, the others as loops.
  AutoPlan of_prefix(std::size_t prefix) const {
    AutoPlan out{.spec = header_, .axes = {}, .shared_start = start_};
    const std::span boxed(order_.data(), prefix);
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      const Piece& piece = pieces_[dimensions_[d]];
      if (piece.shared && std::ranges::find(boxed, *piece.shared) != boxed.end()) out.spec.dims[d].box = piece.extent;
    }
    for (std::size_t i : std::span(order_).subspan(prefix)) {
      IssueAxis axis{shared_.shard[i].extent.value(), shared_.shard[i].stride.value(), {}};
      std::int64_t faster = 1;
      for (std::size_t d = 0; d < dimensions_.size(); ++d) {  // innermost first
        const Piece& piece = pieces_[dimensions_[d]];
        if (piece.shared != i) continue;
        axis.digits.push_back({d, faster, piece.extent});
        faster *= piece.extent;
      }
      out.axes.push_back(std::move(axis));
    }
    return out;
  }

  std::expected<AutoPlan, Reason> search() {
    std::optional<AutoPlan> best;
    std::vector<Finding> last;
    for (std::size_t prefix = 1; prefix <= order_.size(); ++prefix) {
      AutoPlan candidate = of_prefix(prefix);
      std::vector<Finding> broken = repair(candidate);
      if (broken.empty()) {
        best = std::move(candidate);
      } else if (best) {
        break;
      } else {
        last = std::move(broken);
      }
    }
    if (!best) return refuse_auto("prefix-search", in_words(last));
    if (best->issues() > kMostIssues) {
      return refuse_auto("issue-axis", cat(best->issues(), " instructions are needed; ", kMostIssues, " is the most"));
    }
    return std::move(*best);
  }

  const Sides& sides_;
  const Config& config_;
  ir::Target target_;
  const ir::Buffer &g_, &s_;
  int swizzle_ = 0;
  Dim start_;
  layout::Shape extents_;      // of the copy, as the tensor's region has them
  layout::TileLayout shared_;  // under the region
  std::vector<std::size_t> order_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> dimensions_;
  Spec header_;
};

}  // namespace

std::int64_t AutoPlan::issues() const {
  Dim n = 1;  // ends at the end of its range, as absurd extents do
  for (const IssueAxis& axis : axes) n = n * Dim(axis.extent);
  return n.value();
}

std::expected<AutoPlan, Reason> plan_auto(const Sides& sides, const Config& config, ir::Target target) {
  return Planner(sides, config, target).plan();
}

}  // namespace tilewright::dispatch::tma
