// T.cuda.tile.apply of a tensor copy: the script says the box, the coordinates and the steps, and the views say where
// the elements lie (dialects.md 8). No dimension is merged, split or moved.
#include <algorithm>

#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/tile_views.h"
#include "compiler/dispatch/variants/copy_async/tma_issue.h"
#include "compiler/dispatch/variants/copy_async/tma_map.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/ptx/chain.h"

namespace tilewright::dispatch::variants::copy_async_tma_apply {
namespace {

using ir::Expr;
using tile::Given;
using tile::Group;
using tile::Index;
using tile::View;

using Made = std::expected<void, Reason>;
// The hardware's swizzle of an address in bytes: 1, 2 and 3 are atoms of 32, 64 and 128 bytes.
std::int64_t swizzled(std::int64_t bytes, std::int64_t mode) {
  const std::int64_t mask = ((std::int64_t{1} << mode) - 1) << 4;
  return mode == 0 ? bytes : bytes ^ ((bytes >> 3) & mask);
}

class TensorCopy {
 public:
  explicit TensorCopy(CallContext& context)
      : context_(context), out_(context.call.origin), text_(tile::instruction_of(context)) {}

  Planned plan() {
    if (auto made = read(); !made) return decline(std::move(made.error()));
    auto map = tensor_map();
    if (!map) return decline(std::move(map.error()));
    if (auto made = issue(*map); !made) return decline(std::move(made.error()));
    Plan plan{.body = out_.finish()};
    plan.facts.push_back({"instruction", std::string(text_)});
    plan.facts.push_back({"dims", tma::numbers(map->dims)});
    plan.facts.push_back({"strides", tma::numbers(map->strides)});
    plan.facts.push_back({"box", map->box});
    plan.fact("swizzle", map->swizzle);
    tile::tell_repetitions(plan, text_, group_, *repeats_);
    plan.constants = std::move(told_);
    return plan;
  }

 private:
  const ir::Operand& shared() const { return context_.call.args[load_ ? 0 : 1]; }
  const ir::Operand& global() const { return context_.call.args[load_ ? 1 : 0]; }

  std::vector<Expr> list(std::string_view key) const {
    std::vector<Expr> out;
    for (const ir::ConfigItem& item : context_.call.config) {
      if (item.key == key && item.value.value) out.push_back(item.value.value);
    }
    return out;
  }
  // The constants of a keyword. Nothing: one of them is not known.
  std::optional<Index> numbers(std::string_view key) const {
    Index out;
    for (Expr e : list(key)) {
      const std::int64_t* n = ir::constant(ir::simplify(e));
      if (!n) return std::nullopt;
      out.push_back(*n);
    }
    return out;
  }
  std::int64_t number(std::string_view key) const {
    const auto given = numbers(key);
    return given && given->size() == 1 ? given->front() : 0;
  }

  Made read() {
    auto chain = ptx::Chain::parse(text_);
    if (!chain) return refuse(chain.error());
    for (const ptx::Candidate& c : chain->candidates()) {
      if (!ptx::fault_of(c) && !form_) form_ = c;
    }
    constexpr std::string_view kRows[] = {"cp_async_bulk_tensor_g2s_cta", "cp_async_bulk_tensor_g2s_cluster",
                                          "cp_async_bulk_tensor_s2g", "cp_reduce_async_bulk_tensor"};
    if (!form_ || std::ranges::find(kRows, form_->row->id) == std::end(kRows))
      return refuse(cat(text_, " has no pattern here: loads, stores and reductions of tiles have"));
    if (context_.call.args.size() != 2) return refuse(cat(text_, " takes dst and src"));
    load_ = form_->row->id.find("g2s") != std::string_view::npos;
    const std::string all = cat(".", text_, ".");
    gather_ = all.find("gather4") != all.npos || all.find("scatter4") != all.npos;
    if (!global().region.buffer || global().region.buffer->scope != ir::StorageScope::Global)
      return refuse(cat(load_ ? "src" : "dst", " is a tensor in global memory, which the map describes"));
    rank_ = global().region.ranges.size();
    const std::string dim = cat(".", rank_, "d.");
    if (all.find(dim) == all.npos)
      return refuse(cat("the view in global memory has ", rank_, " dimensions, ", text_, " another number"));
    const auto box = numbers("box");
    if (!box || box->size() != rank_ || std::ranges::any_of(*box, [](std::int64_t n) { return n < 1 || n > 256; }))
      return refuse(cat("box= has ", rank_, " numbers from 1 to 256, the innermost last"));
    box_ = *box;
    if (gather_ && (rank_ != 2 || box_[0] != 1))
      return refuse("gather4 and scatter4 take four rows of a tensor of 2 dimensions: box= is (1, columns)");
    if (gather_ != (list("gather4").size() == 4))
      return refuse(gather_ ? cat(text_, " takes gather4=, the numbers of its four rows")
                            : cat(text_, " takes no gather4="));
    return encoding();
  }

  Made encoding() {
    const auto strides = numbers("element_strides");
    element_strides_ = strides && !strides->empty() ? *strides : Index(rank_, 1);
    if (!strides || element_strides_.size() != rank_ || element_strides_.back() != 1 ||
        std::ranges::any_of(element_strides_, [](std::int64_t n) { return n < 1 || n > 8; }))
      return refuse(cat("element_strides= has ", rank_, " numbers from 1 to 8, the last of them 1"));
    swizzle_ = number("swizzle");
    promotion_ = number("l2_promotion");
    oob_ = number("oob_fill");
    if (swizzle_ < 0 || swizzle_ > 3 || promotion_ < 0 || promotion_ > 3 || oob_ < 0 || oob_ > 1)
      return refuse("swizzle= and l2_promotion= are 0 to 3, oob_fill= 0 or 1");
    if (number("interleave") != 0) return refuse("interleaved maps have no pattern here: write the instruction");
    const ir::DataType dtype = global().region.buffer->dtype;
    bits_ = dtype.storage_bits() * dtype.lanes;
    format_ = tma::map_dtype(dtype, bits_);
    if (const auto* text = option(context_.call, "format").as<ir::StringImm>()) {
      if (auto named = ir::parse_dtype(text->value); !named || named->storage_bits() * named->lanes != bits_)
        return refuse(cat("format=\"", text->value, "\" has other elements than ", bits_, " bits"));
      format_ = text->value;
    }
    if (format_.empty()) return refuse(cat("a tensor map has no element type ", ir::dtype_name(dtype)));
    const std::int64_t inner = box_.back() * bits_ / 8;
    if (inner % 16 != 0) return refuse(cat("the innermost box has ", inner, " bytes: it must be a multiple of 16"));
    if (swizzle_ > 0 && inner > (16 << swizzle_))
      return refuse(cat("the innermost box has ", inner, " bytes, the swizzle ", 16 << swizzle_));
    if (oob_ == 1 && !dtype.is_floating()) return refuse("oob_fill=1 fills with NaN: it needs a floating type");
    return {};
  }

  // Where the layout puts a coordinate of the tensor in global memory.
  std::expected<Expr, Reason> place(std::span<const Expr> at) const {
    const ir::Buffer& b = *global().region.buffer;
    const layout::Shape shape = ir::shape_of(b);
    auto m = layout::apply_m(b.layout ? *b.layout : layout::row_major(shape), at, shape);
    if (!m) return std::unexpected(cat("the tensor map needs a tensor in memory alone: ", m.error().message));
    return ir::simplify(*m);
  }

  std::expected<TensorMap, Reason> tensor_map() {
    const ir::Region& region = global().region;
    std::vector<Expr> start, extents;
    for (const ir::Range& r : region.ranges) {
      start.push_back(r.min);
      extents.push_back(ir::simplify(r.extent));
    }
    auto base = place(start);
    if (!base) return std::unexpected(std::move(base.error()));
    TensorMap map;
    map.tensor = region.buffer;
    map.byte_offset = ir::simplify(*base * Expr(bits_) / Expr(8));
    map.dtype = format_;
    std::vector<Expr> strides, moved = start;
    Expr expected = *base;
    for (std::size_t i = 0; i < rank_; ++i) {
      std::vector<Expr> unit = start;
      unit[i] = unit[i] + Expr(1);
      auto next = place(unit);
      if (!next) return std::unexpected(std::move(next.error()));
      Expr stride = ir::simplify(*next - *base);
      if (ir::is_constant(extents[i], 1)) stride = Expr(i + 1 == rank_ ? 1 : std::max(1, 128 / bits_));
      strides.push_back(stride);
      ir::Var* along = ir::make_var("along", ir::kInt32, ir::VarRole::Loop);
      const std::int64_t* n = ir::constant(extents[i]);
      along->range = {0, n ? *n - 1 : ir::Interval::kMax};
      moved[i] = start[i] + Expr(along);
      if (!n || *n > 1)
        expected = expected + Expr(along) * stride;
      else
        moved[i] = start[i];
    }
    auto actual = place(moved);
    if (!actual || !ir::provably_equal(*actual, expected))
      return std::unexpected(
          "the view in global memory is no box of fixed strides: arrange its dimensions by permute and view");
    if (!ir::is_constant(strides.back(), 1))
      return std::unexpected(cat("the innermost stride of the view in global memory is ", ir::to_string(strides.back()),
                                 ", a map needs 1"));
    if (!ir::provably_divisible(map.byte_offset, 16))
      return std::unexpected(
          cat("the map begins at byte ", ir::to_string(map.byte_offset), ", which must be a multiple of 16"));
    for (std::size_t i = rank_; i-- > 0;) {
      map.dims.push_back(extents[i]);
      if (i + 1 < rank_) {
        const Expr bytes = ir::simplify(strides[i] * Expr(bits_) / Expr(8));
        if (const std::int64_t* n = ir::constant(bytes); n && *n % 16 != 0)
          return std::unexpected(
              cat("dimension ", i, " of the map has a stride of ", *n, " bytes: it must be a multiple of 16"));
        map.strides.push_back(bytes);
      }
      map.box.push_back(box_[i]);
      map.element_strides.push_back(element_strides_[i]);
    }
    map.swizzle = static_cast<int>(swizzle_);
    map.l2_promotion = static_cast<int>(promotion_);
    map.oob_fill = static_cast<int>(oob_);
    auto made = tma::shared_map(context_, std::move(map));
    if (!made) return std::unexpected(std::move(made.error()));
    return **made;
  }

  // The box in shared memory lies compact, under the map's swizzle. Returns the address of its origin.
  std::expected<Expr, Reason> origin(const View& v, const Index& repeat) const {
    const Index zero(v.atom().size(), 0);
    std::int64_t base = 0, physical = 0;
    const int align = swizzle_ ? 128 << swizzle_ : 128;
    if (v.buffer().align < align)
      return std::unexpected(cat("shared memory needs align=", align, ", ", v.spoken(), " has ", v.buffer().align));
    std::int64_t flat = 0;
    for (const Index& member : group_.members()) {
      flat = 0;
      for (const Index& atom : tile::indices_below(v.atom())) {
        auto placed = v.place(member, repeat, atom);
        if (!placed) return std::unexpected(std::move(placed.error()));
        std::int64_t bytes = 0;
        for (auto [axis, value] : *placed) {
          const std::int64_t* n = ir::constant(value);
          if (axis != layout::Axis::m || !n) return symbolic(v, repeat);
          bytes = *n * bits_ / 8;
        }
        if (flat == 0) {
          physical = bytes;
          base = swizzled(bytes, swizzle_);
          if (base % 128 != 0)
            return std::unexpected(
                cat("the box begins at byte ", base, " of ", v.spoken(), ": it must be a multiple of 128"));
        }
        const std::int64_t wanted = swizzled(base + flat * bits_ / 8, swizzle_);
        if (bytes != wanted)
          return std::unexpected(cat("element ", flat, " of the box lies at byte ", bytes, " of ", v.spoken(),
                                     ", the copy leaves it at ", wanted));
        ++flat;
      }
    }
    const std::vector<Expr> at(v.atom().size(), Expr(0));
    const Expr where = v.pointer(repeat, at);
    if (physical == base) return where;
    return std::unexpected("the box begins inside of an atom of the swizzle: begin it at a whole atom");
  }
  // A stage that is known at run time: what is proved of its first element, and of the others beside it.
  std::expected<Expr, Reason> symbolic(const View& v, const Index& repeat) const {
    const Index zero(v.atom().size(), 0);
    std::optional<Expr> first;
    std::int64_t flat = 0;
    for (const Index& atom : tile::indices_below(v.atom())) {
      auto placed = v.place(Index(group_.axes.size(), 0), repeat, atom);
      if (!placed) return std::unexpected(std::move(placed.error()));
      Expr m = 0;
      for (auto [axis, value] : *placed) {
        if (axis == layout::Axis::m) m = value;
      }
      if (!first) {
        first = m;
        const std::int64_t period = swizzle_ ? 128 << swizzle_ : 128;
        if (!ir::provably_divisible(ir::simplify(m * Expr(bits_)), 8 * period))
          return std::unexpected(cat("the box begins at element ", ir::to_string(m), " of ", v.spoken(),
                                     ", which is not known to be a multiple of ", period, " bytes"));
      }
      const Expr wanted = *first + Expr(swizzled(flat * bits_ / 8, swizzle_) * 8 / bits_);
      if (!ir::provably_equal(m, wanted))
        return std::unexpected(cat("element ", flat, " of the box lies at ", ir::to_string(m), " of ", v.spoken(),
                                   ", the copy leaves it at ", ir::to_string(ir::simplify(wanted))));
      ++flat;
    }
    const std::vector<Expr> at(v.atom().size(), Expr(0));
    return v.pointer(repeat, at);
  }

  Made issue(const TensorMap& map) {
    auto group = tile::group_of(context_, false);
    if (!group) return refuse(std::move(group.error()));
    group_ = std::move(*group);
    const Index image = gather_ ? Index{4, box_[1]} : compact_box();
    auto view = View::of(load_ ? "dst" : "src", shared(), group_, image, repeats_);
    if (!view) return refuse(std::move(view.error()));
    if (Reason r = view->not_in({ir::StorageScope::Shared, ir::StorageScope::SharedDyn}); !r.empty())
      return refuse(std::move(r));
    if (Reason r = view->not_bits(bits_); !r.empty()) return refuse(std::move(r));
    const std::vector<Expr> coords = list("coords"), steps = list("coord_steps");
    const std::size_t axes = group_.axes.size() + repeats_->size();
    if (coords.size() != rank_) return refuse(cat("coords= has ", rank_, " entries, the innermost last"));
    if (steps.size() != axes * rank_)
      return refuse(cat("coord_steps= has ", axes, " entries of ", rank_,
                        " each: one for each dimension of threads and repetitions"));
    const Expr barrier = option(context_.call, "mbar"), mask = option(context_.call, "cta_mask"),
               policy = option(context_.call, "cache_policy"), pred = option(context_.call, "pred");
    if (load_ && !barrier) return refuse("a load takes mbar=, the barrier that its bytes arrive at");
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      auto where = origin(*view, repeat);
      if (!where) return refuse(std::move(where.error()));
      std::vector<Expr> at;
      for (std::size_t i = 0; i < rank_; ++i) {
        Expr c = coords[i];
        for (std::size_t a = 0; a < axes; ++a) {
          const Expr index = a < group_.axes.size() ? group_.axes[a].coordinate : Expr(repeat[a - group_.axes.size()]);
          c = c + index * steps[a * rank_ + i];
        }
        at.push_back(ir::cast(ir::kInt32, ir::simplify(c)));
      }
      std::ranges::reverse(at);
      if (gather_) {
        at.resize(1);
        for (Expr row : list("gather4")) at.push_back(ir::cast(ir::kInt32, ir::simplify(row)));
      }
      std::vector<Given> given = {{Given::Kind::Value, tma::address_of(map)}};
      for (Expr c : at) given.push_back({Given::Kind::Value, c});
      if (load_) {
        given.insert(given.begin(), {Given::Kind::Pointer, *where});
        given.push_back({Given::Kind::Value, barrier});
        if (mask) given.push_back({Given::Kind::Value, ir::cast(*ir::parse_dtype("uint16"), mask)});
      } else {
        given.push_back({Given::Kind::Pointer, *where});
      }
      if (policy) given.push_back({Given::Kind::Value, policy});
      auto call = tile::instruction_call(context_, text_, given, pred, false);
      if (!call) return refuse(std::move(call.error()));
      out_.add<ir::Evaluate>(*call);
      tell(repeat, at);
    }
    return {};
  }

  // What a box has in shared memory.
  Index compact_box() const {
    Index out;
    for (std::size_t i = 0; i < rank_; ++i) out.push_back((box_[i] + element_strides_[i] - 1) / element_strides_[i]);
    return out;
  }

  void tell(const Index& repeat, const std::vector<Expr>& at) {
    std::string coordinates;
    for (Expr c : at) coordinates += cat(coordinates.empty() ? "" : ", ", ir::to_string(c));
    std::int64_t elements = gather_ ? 4 : 1;
    for (std::int64_t n : compact_box()) elements *= n;
    tile::tell_repetition(told_, repeat,
                          cat("a box of ", elements * bits_ / 8,
                              gather_ ? " bytes, four rows, at the column and rows " : " bytes at the coordinates ",
                              coordinates, gather_ ? "" : ", the innermost first"));
  }

  CallContext& context_;
  ir::BodyBuilder out_;
  std::string_view text_, format_;
  std::optional<ptx::Candidate> form_;
  bool load_ = true, gather_ = false;
  std::size_t rank_ = 0;
  int bits_ = 0;
  Index box_, element_strides_;
  std::int64_t swizzle_ = 0, promotion_ = 0, oob_ = 0;
  Group group_;
  std::optional<Index> repeats_;
  std::vector<std::string> told_;
};

}  // namespace

std::span<const Predicate> predicates() { return {}; }
Planned plan(CallContext& context) { return TensorCopy(context).plan(); }

}  // namespace tilewright::dispatch::variants::copy_async_tma_apply
