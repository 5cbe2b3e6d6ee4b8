// copy_async between global and shared memory by the tensor map that the script spells out, release 0.26: the tensor's
// own shape and strides are the map, the region is the box, and one instruction moves it (copy_async.md 12.3).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/variants/copy_async/tma_issue.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_async_tma_explicit {
namespace {

using ir::Expr;
using layout::to_string;
using tma::Dim;
using tma::Proof;
using tma::prove_divisible;
using tma::prove_equal;

std::unexpected<Reason> refuse_explicit(std::string_view stage, const Reason& detail) {
  return std::unexpected(cat("tma_explicit stage=", stage, ": ", detail));
}

Dim bits_of(const ir::Region& region) {
  Dim n = region.buffer->dtype.bits * region.buffer->dtype.lanes;
  for (const ir::Range& r : region.ranges) n = n * Dim(r.extent);
  return n;
}

class Planner {
 public:
  Planner(CallContext& context, const tma::Sides& sides, const tma::Config& config)
      : context_(context), sides_(sides), config_(config), s_(*sides.shared.buffer) {}

  // What of the operands holds for every map.
  Reason operands() {
    if (config_.gathers) {
      if (sides_.global.buffer->rank() != 2) return "tma_explicit gather4 requires a rank-2 global tensor";
      if (prove_equal(Dim(sides_.global.ranges[0].extent), 1) == Proof::Disproven) {
        return "tma_explicit gather4 global public axis 0 must describe one row";
      }
      if (sides_.shared.ranges.empty()) return "tma_explicit gather4 requires a non-scalar shared destination";
      if (prove_equal(Dim(sides_.shared.ranges[0].extent), 4) == Proof::Disproven) {
        return "tma_explicit gather4 shared public axis 0 must describe four rows";
      }
    }
    const Dim to = bits_of(sides_.shared), from = bits_of(sides_.global) * Dim(config_.gathers ? 4 : 1);
    if (!provably_equal(to, from)) {
      return cat("the region of shared memory holds ", to_string(to), " bits, what is copied ", to_string(from),
                 "; TMA operands must transfer the same total number of bytes");
    }
    return {};
  }

  // start: where the region begins in its storage.
  std::expected<void, Reason> shared_side() {
    auto swizzle = tma::swizzle_of(s_);
    if (!swizzle) return refuse_explicit("shared-swizzle", swizzle.error());
    swizzle_ = *swizzle;
    auto sliced = tma::sliced_shared(sides_.shared, "shared");
    if (!sliced) return std::unexpected(std::move(sliced.error()));
    start = tma::element_offset(s_) + tma::memory_offset(*sliced);
    sliced_ = *sliced;
    sliced_.offset.clear();
    auto canonical = layout::canonicalize({std::nullopt, sliced_});
    if (!canonical) return std::unexpected(std::move(canonical.error().message));
    if (!layout::is_trivial(*canonical)) {
      return refuse_explicit(
          "shared-layout",
          cat("sliced shared layout must canonicalize to trivial after extracting its pointer offset; got ",
              layout::to_short_string(*canonical)));
    }
    auto bytes = tma::in_bytes(start, s_.dtype.bits, false);
    if (!bytes)
      return refuse_explicit("shared-layout", cat("shared pointer offset=", to_string(start), " is not byte aligned"));
    const std::int64_t alignment = tma::start_alignment(swizzle_);
    if (prove_divisible(*bytes, alignment) == Proof::Disproven) {
      return refuse_explicit("shared-layout", cat("shared slice pointer offset ", to_string(*bytes), "B violates ",
                                                  alignment, "B swizzle/base alignment"));
    }
    return {};
  }

  // The map of a tensor: the call's own, or one of the selector's.
  std::expected<tma::Spec, Reason> spec_of(const ir::Buffer& tensor, std::string_view stage) {
    if (!tensor.layout || !tensor.layout->is_tile()) {
      return refuse_explicit("global-layout",
                             cat("global Buffer/view layout must be TileLayout, ", ir::spoken_name(tensor),
                                 tensor.layout ? " is swizzled" : " has no layout"));
    }
    const layout::TileLayout& tile = *tensor.layout->tile;
    if (Reason why = tma::not_memory(tile, "explicit global"); !why.empty()) return std::unexpected(std::move(why));
    if (tensor.rank() != tile.shard.size()) {
      return refuse_explicit("global-layout",
                             cat("tensor rank ", tensor.rank(), " != memory-layout rank ", tile.shard.size()));
    }
    for (std::size_t d = 0; d < tensor.rank(); ++d) {
      const Proof same = prove_equal(Dim(tensor.shape[d]), tile.shard[d].extent);
      if (proven(same)) continue;
      return refuse_explicit("global-layout", cat("dim=", d, " shape=", ir::to_string(tensor.shape[d]),
                                                  " must provably equal layout extent=",
                                                  to_string(tile.shard[d].extent), "; got ", proof_name(same)));
    }
    auto type = tma::map_type_of(tensor.dtype, config_.tma_dtype);
    if (!type) return std::unexpected(std::move(type.error()));
    tma::Spec spec{.dtype = type->name, .bits = type->bits, .dims = {}, .base = {}, .target = context_.target()};
    if (Reason why = dimensions(tensor, tile, spec); !why.empty()) return refuse_explicit("global-layout", why);
    auto base = tma::base_of(tensor, false);
    if (!base) return refuse_explicit("global-base", "the view's base offset is not byte aligned");
    spec.base = *base;
    spec.inner_stride = tile.shard.back().stride;
    if (!proven(prove_equal(spec.inner_stride, 1))) {
      return refuse_explicit("global-layout",
                             cat("the innermost memory stride must be provably one because CUDA omits it from "
                                 "globalStrides; got ",
                                 to_string(spec.inner_stride)));
    }
    spec.swizzle = swizzle_;
    spec.oob_fill = config_.oob_fill;
    spec.to_shared = sides_.to_shared;
    spec.gathers = config_.gathers;
    spec.reduces = !config_.reduce.empty();
    spec.cta_group = config_.cta_group;
    spec.barrier_address = config_.barrier_address;
    if (auto broken = broken_rules(spec, false); !broken.empty()) return refuse_explicit(stage, in_words(broken));
    return spec;
  }

  // Four rows, one after the other.
  Reason gathered_rows(const tma::Spec& spec) const {
    const Dim row_bits = floordiv(spec.transaction_bits(), 4);
    const Dim row = floordiv(row_bits, Dim(s_.dtype.bits));
    layout::Shape extents;
    for (const ir::Range& r : sides_.shared.ranges) extents.push_back(Dim(r.extent));
    auto grouped = layout::group(sliced_, extents);
    if (!grouped) return grouped.error().message;
    if (grouped->separators[1] != 1) {
      return "tma_explicit gather4 destination row axis must map to one memory iterator";
    }
    const layout::Iter& rows = grouped->layout.shard[0];
    if (proven(prove_equal(rows.extent, 4)) && proven(prove_equal(rows.stride, row))) return {};
    return cat("tma_explicit gather4 destination rows are not box-linear at payload width ", to_string(row),
               "; got extent=", to_string(rows.extent), ", stride=", to_string(rows.stride));
  }

  Dim start;

 private:
  Reason dimensions(const ir::Buffer& tensor, const layout::TileLayout& tile, tma::Spec& spec) const {
    for (std::size_t d = 0; d < tensor.rank(); ++d) {
      auto stride = tma::in_bytes(tile.shard[d].stride, spec.bits, false);
      if (!stride) {
        return cat("global layout stride dim=", d, "=", to_string(tile.shard[d].stride), " elements at ", spec.bits,
                   " bits is not provably byte aligned");
      }
      const bool there = d < sides_.global.ranges.size();
      spec.dims.insert(spec.dims.begin(),
                       {Dim(tensor.shape[d]), *stride, there ? Dim(sides_.global.ranges[d].extent) : Dim(1),
                        there ? Dim(sides_.global.ranges[d].min) : Dim(0)});
    }
    return {};
  }

  CallContext& context_;
  const tma::Sides& sides_;
  const tma::Config& config_;
  const ir::Buffer& s_;
  int swizzle_ = 0;
  layout::TileLayout sliced_;
};

// The two maps can stand for each other in one instruction.
Reason incompatible(const tma::Spec& main, const tma::Spec& other, std::size_t index) {
  auto differ = [&](std::string_view what, const std::string& a, const std::string& b) {
    return cat("tma_explicit src_selector[", index, "] has incompatible ", what, ": main=", a, ", candidate=", b);
  };
  if (main.dtype != other.dtype) return differ("descriptor dtype", std::string(main.dtype), std::string(other.dtype));
  if (main.dims.size() != other.dims.size()) {
    return differ("rank", std::to_string(main.dims.size()), std::to_string(other.dims.size()));
  }
  return {};
}

}  // namespace

std::span<const Predicate> predicates() { return tma::copy_predicates(); }

Planned plan(CallContext& context) {
  const std::optional<tma::Sides> sides = tma::sides_of(context.call);
  auto config = tma::read_config(context.call, sides->to_shared, tma::Variety::Explicit);
  if (!config) return decline(std::move(config.error()));
  Planner planner(context, *sides, *config);
  if (Reason why = planner.operands(); !why.empty()) return decline(std::move(why));
  if (auto done = planner.shared_side(); !done) return decline(std::move(done.error()));
  const ir::Buffer &global = *sides->global.buffer, &shared = *sides->shared.buffer;
  auto spec = planner.spec_of(global, "main-descriptor");
  if (!spec) {
    tma::note_target(context, *config);
    return decline(std::move(spec.error()));
  }
  if (config->gathers) {
    if (Reason why = planner.gathered_rows(*spec); !why.empty()) return decline(std::move(why));
  }
  auto made = tma::map_of(context, global, *spec, *config);
  if (!made) return decline(std::move(made.error()));
  const TensorMap map = **made;  // the journal moves its maps as more of them come

  ir::BodyBuilder out(context.call.origin);
  std::vector<std::pair<Expr, Expr>> others;  // conditions and maps
  for (std::size_t i = 0; i < config->selectors.size(); ++i) {
    const auto& [condition, tensor] = config->selectors[i];
    auto other = planner.spec_of(*tensor, cat("src-selector[", i, "]"));
    if (!other) return decline(std::move(other.error()));
    if (Reason why = incompatible(*spec, *other, i); !why.empty()) return decline(std::move(why));
    auto its = tma::map_of(context, *tensor, *other, *config);
    if (!its) return decline(std::move(its.error()));
    others.emplace_back(condition.dtype().is_bool() ? condition : ir::binary(ir::ExprKind::NE, condition, Expr(0)),
                        tma::address_of(**its));
  }
  Expr address = tma::address_of(map);
  for (std::size_t i = others.size(); i-- > 0;) address = ir::select(others[i].first, others[i].second, address);
  if (!others.empty()) address = Expr(out.let("selected_tensormap", address));

  std::vector<Expr> coordinates;
  for (const tma::SpecDim& d : spec->dims) coordinates.push_back(ir::cast(ir::kInt32, tma::as_expr(d.start)));
  if (config->gathers) {
    coordinates.resize(1);
    for (Expr row : config->rows) coordinates.push_back(ir::cast(ir::kInt32, row));
  }
  const Dim place = planner.start - tma::element_offset(shared);
  Expr pointer = element_pointer(context, &shared, tma::as_expr(place));
  auto issue = tma::instruction(context, *spec, *config, address, pointer, coordinates);
  if (!issue) return decline(std::move(issue.error()));
  if (config->prefetch) tma::prefetch(context, map);
  out.push(ir::make_stmt<ir::Evaluate>(context.call.origin, *issue));
  Plan plan{.body = out.finish()};
  plan.remarks = tma::hardware_remarks(context, *sides, *spec, *config, planner.start, {});
  tma::describe(context, plan, "tma_explicit", map, *spec, 1);
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_tma_explicit
