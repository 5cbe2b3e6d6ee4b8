// Indexing of buffers: elements, vectors and regions, read and stored (surface.md 4.4).
#include "compiler/ir/outside.h"
#include "compiler/script/tirx/buffer_views.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {

Value make_region(Interpreter& in, const ir::Buffer* buffer, const std::vector<ir::Range>& ranges) {
  RegionValue* r = in.make<RegionValue>();
  r->region = {buffer, Arena::current().copy(ranges)};
  return Value::object(r);
}

std::string shown_name(const ir::Buffer* b) { return b->name.empty() ? std::string("buffer") : std::string(b->name); }

namespace {

struct Indexed {
  bool region = false;
  std::vector<ir::Expr> indices;  // scalar or vector indices
  std::vector<ir::Range> ranges;
  text::Span open_slice{};  // the first slice of a store that lacks an end
  std::string both_ends;    // as it is with both, "2:4"; empty: they are not constant
};

// What a slice of a dimension says; a bound that is not written is the dimension's own.
struct Bounds {
  ir::Expr lo, hi;
  std::int64_t step = 1;
};
// Nothing: it failed, and that is said.
std::optional<Bounds> bounds_of(Interpreter& in, const Slice& s, ir::Expr extent, text::Span span) {
  Bounds out;
  out.lo = s.start.is_none() ? ir::int_imm(extent.dtype(), 0) : in.as_expr(s.start, span, "a slice bound");
  if (!out.lo) return std::nullopt;
  out.hi = s.stop.is_none() ? extent : in.as_expr(s.stop, span, "a slice bound");
  if (!out.hi) return std::nullopt;
  if (s.step.is_none()) return out;
  const std::optional<std::int64_t> step = in.as_int(s.step, span, "a slice step");
  if (!step) return std::nullopt;
  out.step = *step;
  return out;
}

// Reads the subscripts of a buffer; `for_store` makes unit-step slices vectors instead of regions.
class IndexReader {
 public:
  IndexReader(Interpreter& in, const ir::Buffer* b, text::Span whole, bool for_store)
      : in_(in),
        b_(b),
        whole_(whole),
        span_(whole),
        for_store_(for_store),
        grows_(b->scope == ir::StorageScope::SharedDyn && b->rank() == 1 && ir::is_constant(b->shape[0], 0)) {}

  // Nothing: an error is pending.
  std::optional<Indexed> read(std::span<const Value> indices) {
    std::vector<text::Span> spans = in_.take_index_spans();
    if (b_->rank() == 0 && indices.empty()) return std::move(out_);
    if (indices.size() > b_->rank()) {
      fail(shown_name(b_) + " has " + std::to_string(b_->rank()) + " dimension" + (b_->rank() == 1 ? "" : "s") + ", " +
           std::to_string(indices.size()) + " indices are given");
      return std::nullopt;
    }
    out_.region = indices.size() < b_->rank();
    out_.indices.reserve(b_->rank());
    out_.ranges.reserve(b_->rank());
    for (std::size_t d = 0; d < b_->rank(); ++d) {
      if (d >= indices.size()) {
        out_.ranges.push_back({ir::int_imm(b_->shape[d].dtype(), 0), b_->shape[d]});
        continue;
      }
      if (spans.size() == indices.size()) span_ = spans[d];
      Slice* s = indices[d].as<Slice>();
      if (s ? !slice(*s, d) : !index(indices[d], d)) return std::nullopt;
    }
    if (for_store_ && !out_.region && !one_vector(indices)) return std::nullopt;
    if (!outside_.empty() && !out_.region) {
      in_.fail(code::kIndex, outside_at_, outside_);
      return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  bool fail(std::string message, std::string hint = {}) {
    in_.fail(code::kIndex, span_, std::move(message), std::move(hint));
    return false;
  }
  // A store of a slice is one of a vector, which lies along the last dimension.
  bool one_vector(std::span<const Value> indices) {
    for (std::size_t d = 0; d + 1 < out_.indices.size(); ++d) {
      if (out_.indices[d].dtype().lanes == 1) continue;
      std::string slices;
      for (Value v : indices) slices += std::string(slices.empty() ? "" : ", ") + (v.as<Slice>() ? ":" : "...");
      const std::string target = shown_name(b_) + "[" + slices + "]";
      // No variant of fill works on a tensor in global memory.
      const bool global = b_->scope == ir::StorageScope::Global;
      in_.fail(code::kRegion, whole_,
               "a slice that is assigned is a vector along the last dimension; this one goes along dimension " +
                   std::to_string(d) + " of " + shown_name(b_),
               global ? "store its elements in a loop that the threads share, or fill a tile in shared memory and copy "
                        "that with Tx.cta.copy"
                      : "write Tx.cta.fill(" + target + ", value), or Tx.cta.copy of a tile");
      return false;
    }
    return true;
  }
  std::string dimension(std::size_t d) const { return "dimension " + std::to_string(d) + " of " + shown_name(b_); }

  bool slice(const Slice& s, std::size_t d) {
    const ir::Expr extent = b_->shape[d];
    const std::optional<Bounds> bounds = bounds_of(in_, s, extent, span_);
    if (!bounds) return false;
    const auto& [lo, hi, step] = *bounds;
    // Bounds are coordinates: a negative one lies before the buffer, it does not count from the end.
    ir::Expr length = ir::simplify(hi - lo);
    const std::int64_t *begin = ir::constant(lo), *end = ir::constant(hi);
    if (const std::int64_t* c = ir::constant(length); c && *c < 0) {
      bool negative = (begin && *begin < 0) || (end && *end < 0);
      return fail("the slice of dimension " + std::to_string(d) + " is empty: " + std::to_string(*c) + " elements",
                  negative ? "bounds are coordinates and do not count from the end" : "");
    }
    // A vector that leaves the buffer is a mistake wherever both ends are known. A region may: the tensor copy engine
    // clips it; the other primitives check their operands themselves.
    if (for_store_ && (s.start.is_none() || s.stop.is_none()) && !out_.open_slice) {
      out_.open_slice = span_;
      if (begin && end) out_.both_ends = std::to_string(*begin) + ":" + std::to_string(*end);
    }
    if (step == 1 && !for_store_) {
      out_.region = true;
      out_.ranges.push_back({lo, length});
      out_.indices.push_back(lo);
      return true;
    }
    if (begin && *begin < 0) {
      return fail(dimension(d) + " begins at 0, the slice at " + std::to_string(*begin),
                  "bounds are coordinates and do not count from the end");
    }
    if (const std::int64_t* n = ir::constant(extent); end && n && *end > *n && !grows_) {
      return fail(dimension(d) + " ends at " + std::to_string(*n) + ", the slice at " + std::to_string(*end));
    }
    return vector(lo, length, step);
  }

  bool vector(ir::Expr lo, ir::Expr length, std::int64_t step) {
    if (step <= 0) return fail("a slice step must be positive");
    const std::int64_t* n = ir::constant(length);
    if (!n) return fail("a strided slice needs a constant length");
    const std::int64_t lanes = (*n + step - 1) / step;
    if (lanes < 1 || lanes > 1024) return fail("a vector of " + std::to_string(lanes) + " lanes cannot be accessed");
    out_.indices.push_back(lanes == 1 ? lo : ir::ramp(lo, ir::int_imm(lo.dtype(), step), static_cast<int>(lanes)));
    return true;
  }

  bool is_never_taken() const { return in_.kernel() && in_.kernel()->never_taken > 0; }

  bool index(Value v, std::size_t d) {
    if (v.is_ellipsis()) return fail("'...' is not an index of a buffer");
    ir::Expr e = in_.as_expr(v, span_, "an index");
    if (!e) return false;
    if (!e.dtype().is_integral() && !e.dtype().is_bool()) {
      return fail("an index must be an integer, not " + ir::dtype_name(e.dtype()));
    }
    if (e.dtype().lanes > 1 && d + 1 != b_->rank()) return fail("only the last index may be a vector");
    if (const std::int64_t *c = ir::constant(e), *n = ir::constant(b_->shape[d]);
        c && n && (*c < 0 || (*c >= *n && !grows_)) && outside_.empty() && !is_never_taken()) {
      outside_ = "index " + std::to_string(*c) + " is outside of " + dimension(d) + ", which has " +
                 std::to_string(*n) + " elements";
      outside_at_ = span_;
    }
    out_.indices.push_back(e);
    out_.ranges.push_back({e, ir::int_imm(e.dtype(), 1)});
    return true;
  }

  Interpreter& in_;
  const ir::Buffer* b_;
  text::Span whole_, span_;  // of the access; of the index under way, where that is known
  bool for_store_;
  bool grows_;  // the arena of a pool is declared with extent 0 and grows to what is carved from it
  // An index that no element has. An element of the buffer cannot be there, a region can.
  std::string outside_;
  text::Span outside_at_{};
  Indexed out_;
};

// A region as a stored value: the vector of its elements, which lie along the last dimension.
ir::Expr region_vector(Interpreter& in, const ir::Region& region, text::Span span) {
  if (region.buffer->scope == ir::StorageScope::Tmem) {
    in.fail(code::kBuffer, span, "tensor memory has no elements to read", "use Tx.copy_async");
    return {};
  }
  if (std::string how = ir::outside_of_buffer(region); !how.empty()) {
    in.fail(code::kIndex, span, how);
    return {};
  }
  std::vector<ir::Expr> indices;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* n = ir::constant(r.extent);
    bool last = indices.size() + 1 == region.ranges.size();
    if (!n || (!last && *n != 1) || *n < 1 || *n > 1024) {
      in.fail(
          code::kRegion, span,
          "only a slice of constant length along the last dimension can be assigned as a vector; this is a region of " +
              shown_name(region.buffer),
          "write Tx.cta.copy(target, source)");
      return {};
    }
    indices.push_back(*n == 1 ? r.min : ir::ramp(r.min, ir::int_imm(r.min.dtype(), 1), static_cast<int>(*n)));
  }
  return ir::load(region.buffer, indices);
}

// Release 0.27 of the reference stores no slice: it has a load of several elements for that. What stands there in the
// script is rewritten as far as it can be read off its text.
void slice_is_stored(Interpreter& in, const ir::Region& region, text::Span span) {
  const std::string_view text = in.written(span);
  const std::size_t open = text.find('['), last = text.find_last_of(",["), colon = text.rfind(':');
  const std::int64_t* n = ir::constant(region.ranges.back().extent);
  std::string hint = "load it by `vload`";
  const bool plain = n && *n > 0 && open != text.npos && text.ends_with(']') && text.find('[', open + 1) == text.npos &&
                     std::ranges::count(text, ':') == 1 && colon > last && text.find_first_of("(\n") == text.npos &&
                     region.ranges.size() == static_cast<std::size_t>(std::ranges::count(text, ',')) + 1;
  if (plain) {
    std::string begin(text.substr(open + 1, colon - open - 1));
    while (begin.ends_with(' ')) begin.pop_back();
    if (colon == last + 1) begin += "0";
    const std::string object(text.substr(0, open));
    const std::string type = ir::dtype_name(region.buffer->dtype.with_lanes(static_cast<int>(*n)));
    hint = *n == 1 ? "write " + object + "[" + begin + "]"
                   : "write " + object + ".vload([" + begin + "], \"" + type + "\")";
  }
  in.warn(code::kOnlyHere, span, "the reference 0.27 takes no slice as the value of a store", hint);
}

}  // namespace

Value index_buffer(Interpreter& in, const ir::Buffer* b, std::span<const Value> indices, text::Span span) {
  const std::optional<Indexed> i = IndexReader(in, b, span, false).read(indices);
  if (!i) return Value::error();
  return i->region ? make_region(in, b, i->ranges) : Value::expr(ir::load(b, i->indices));
}

Value index_region(Interpreter& in, const ir::Region& region, std::span<const Value> indices, text::Span whole) {
  std::vector<text::Span> spans = in.take_index_spans();
  if (indices.size() > region.ranges.size()) {
    return in.fail(code::kIndex, whole,
                   "this region of " + shown_name(region.buffer) + " has " + std::to_string(region.ranges.size()) +
                       " dimensions, " + std::to_string(indices.size()) + " indices are given");
  }
  std::vector<ir::Range> ranges(region.ranges.begin(), region.ranges.end());
  for (std::size_t d = 0; d < indices.size(); ++d) {
    text::Span span = spans.size() == indices.size() ? spans[d] : whole;
    ir::Expr extent = ranges[d].extent;
    Slice* s = indices[d].as<Slice>();
    if (!s) {
      ir::Expr at = in.as_expr(indices[d], span, "an index");
      if (!at) return Value::error();
      if (!at.dtype().is_integral() || at.dtype().lanes != 1) {
        return in.fail(code::kIndex, span,
                       "an index of a region must be an integer, not " + ir::dtype_name(at.dtype()));
      }
      ranges[d] = {ir::simplify(ranges[d].min + at), ir::int_imm(extent.dtype(), 1)};
      continue;
    }
    const std::optional<Bounds> bounds = bounds_of(in, *s, extent, span);
    if (!bounds) return Value::error();
    const auto& [lo, hi, step] = *bounds;
    if (step != 1) return in.fail(code::kRegion, span, "a slice of a region has no step");
    ir::Expr length = ir::simplify(hi - lo);
    if (const std::int64_t* n = ir::constant(length); n && *n < 0) {
      return in.fail(code::kIndex, span,
                     "the slice of dimension " + std::to_string(d) + " is empty: " + std::to_string(*n) + " elements");
    }
    ranges[d] = {ir::simplify(ranges[d].min + lo), length};
  }
  return make_region(in, region.buffer, ranges);
}

bool store_buffer(Interpreter& in, const ir::Buffer* b, std::span<const Value> indices, Value value, text::Span span) {
  if (value.is_poison()) return true;
  if (!in.require_kernel(span, "a store to a buffer")) return false;
  const std::optional<Indexed> i = IndexReader(in, b, span, true).read(indices);
  if (!i) return false;
  if (i->region) {
    in.fail(code::kRegion, span, "only elements can be assigned; this is a region of " + shown_name(b),
            "write Tx.cta.fill(target, value), or Tx.cta.copy(target, source)");
    return false;
  }
  if (b->scope == ir::StorageScope::Tmem) {
    in.fail(code::kBuffer, span, "tensor memory has no elements to assign", "use Tx.copy_async");
    return false;
  }
  RegionValue* slice = value.as<RegionValue>();
  ir::Expr e = slice ? region_vector(in, slice->region, in.stored_at(span))
                     : in.as_expr(value, in.stored_at(span), "the stored value");
  if (!e || !in.emit_store(b, i->indices, e, span)) return false;
  if (i->open_slice) {
    in.warn(code::kOnlyHere, i->open_slice, "the reference takes no slice without both ends as the target of a store",
            i->both_ends.empty() ? "write both ends" : "write " + i->both_ends);
  }
  if (slice && in.dialect() >= text::Dialect::V0_27) slice_is_stored(in, slice->region, in.stored_at(span));
  return true;
}

}  // namespace tilewright::script
