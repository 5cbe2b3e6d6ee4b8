#include "compiler/dispatch/variants/copy_async/tma_spec.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::tma {
namespace {

using layout::to_string;

constexpr std::int64_t kMostInBox = 256;

// Where the value of a symbolic extent can lie.
ir::Interval range_of(Dim d) { return d.is_constant() ? ir::Interval{d.value(), d.value()} : ir::bounds(d.expr()); }

// The same for the reference's planner, to which an extent of the signature is any number of its type.
Dim of_any_sign(Dim d) {
  if (d.is_constant()) return d;
  std::vector<std::pair<const ir::Var*, ir::Expr>> known;
  return Dim(ir::substitute(d.expr(), [&](const ir::Var* var) -> ir::Expr {
    if (var->range.lo != 0 || var->range.hi != ir::Interval::kMax || !var->dtype.is_int()) return {};
    for (const auto& [was, is] : known) {
      if (was == var) return is;
    }
    ir::Var* any = ir::make_var(var->name, var->dtype);
    if (var->dtype.bits == 32)
      any->range = {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    known.emplace_back(var, any);
    return any;
  }));
}

// Floating-point numbers of the map, which have a NaN to fill with.
bool has_nan(std::string_view dtype) {
  constexpr std::array<std::string_view, 5> kFloats = {"float16", "float32", "float64", "bfloat16", "tf32"};
  return std::ranges::find(kFloats, dtype) != kFloats.end();
}

class Rules {
 public:
  Rules(const Spec& spec, bool open_too) : spec_(spec), open_too_(open_too) {}

  std::vector<Finding> all() {
    const std::int64_t rank = static_cast<std::int64_t>(spec_.dims.size());
    rule("rank", prove(rank >= 1 && rank <= 5), [&] { return cat("descriptor rank must be in [1, 5], got ", rank); });
    const std::int64_t alignment = spec_.packed() ? 32 : 16;
    rule("global_base_alignment", prove_divisible(spec_.base, alignment), [&] {
      return cat("view base byte offset ", to_string(spec_.base), " must preserve ", alignment, "B global alignment");
    });
    shapes();
    strides(alignment);
    rule("inner_stride", prove_equal(spec_.inner_stride, 1),
         [&] { return cat("innermost global element stride must be 1, got ", to_string(spec_.inner_stride)); });
    boxes();
    if (!spec_.dims.empty()) spec_.packed() ? packed() : innermost();
    if (spec_.oob_fill == 1) {
      rule("nan_oob_dtype", prove(has_nan(spec_.dtype)),
           [] { return std::string("NaN OOB fill requires a non-packed floating-point descriptor"); });
    }
    instruction();
    return std::move(out_);
  }

 private:
  template <class Message>
  void rule(std::string_view name, Proof proof, const Message& message, bool at_run_time = false) {
    if (proven(proof) || (proof == Proof::Unknown && (!open_too_ || at_run_time))) return;
    out_.push_back({name, proof, message()});
  }

  void shapes() {
    for (std::size_t i = 0; i < spec_.dims.size(); ++i) {
      Dim shape = spec_.dims[i].shape;
      // The host checks it when it encodes the map.
      rule(
          "global_dim", both(prove_at_least(shape, 1), prove_at_most(shape, std::int64_t{1} << 32)),
          [&] { return cat("globalDim[", i, "]=", to_string(shape), " must be in (0, 2^32]"); }, true);
    }
  }

  void strides(std::int64_t alignment) {
    for (std::size_t i = 1; i < spec_.dims.size(); ++i) {
      Dim stride = spec_.dims[i].stride;
      std::string name = cat("globalStrides[", i - 1, "]=", to_string(stride));
      const Dim any = of_any_sign(stride);
      rule("global_stride_range", prove_at_least(any, 0), [&] { return name + " must be non-negative"; });
      rule("global_stride_range", prove_at_most(any, (std::int64_t{1} << 40) - 1),
           [&] { return name + " must be less than 2^40"; });
      rule("global_stride_alignment", prove_divisible(stride, alignment),
           [&] { return cat(name, " must be a multiple of ", alignment, "B"); });
    }
  }

  void boxes() {
    for (std::size_t i = 0; i < spec_.dims.size(); ++i) {
      Dim box = spec_.dims[i].box;
      rule("box_dim", both(prove_at_least(box, 1), prove_at_most(box, kMostInBox)),
           [&] { return cat("boxDim[", i, "]=", to_string(box), " must be in [1, ", kMostInBox, "]"); });
    }
  }

  void innermost() {
    Dim bytes = spec_.dims[0].box * Dim(spec_.unit());
    rule("inner_box_bytes", prove_divisible(bytes, 16), [&] {
      return cat("innermost box is ", to_string(bytes), "B; non-interleaved TensorMaps require a 16B multiple");
    });
    if (spec_.swizzle == 0) return;
    const std::int64_t atom = std::int64_t{16} << spec_.swizzle;
    rule("swizzle_inner_box", prove_at_most(bytes, atom),
         [&] { return cat("innermost box ", to_string(bytes), "B exceeds the ", atom, "B swizzle atom"); });
  }

  void packed() {
    auto text = [](std::string_view words) { return [words] { return std::string(words); }; };
    rule("packed_shape", prove_divisible(spec_.dims[0].shape, 128),
         text("packed 16U4 align16 requires globalDim[0] to be a multiple of 128"));
    rule("packed_box", prove_equal(spec_.dims[0].box, 128), text("packed 16U4 align16 requires boxDim[0] == 128"));
    rule("packed_swizzle", prove(spec_.swizzle == 0 || spec_.swizzle == 3),
         text("packed 16U4 align16 supports only NONE or 128B swizzle in this layout model"));
    rule("packed_direction", prove(spec_.to_shared), text("packed 16U4 align16 TensorMaps are load-only"));
  }

  void instruction() {
    auto target = [&](std::string_view what, int least) {
      rule("target", prove(spec_.target.at_least(least)),
           [&] { return cat(what, " requires SM", least, "+, got '", spec_.target.name(), "'"); });
    };
    if (spec_.gathers) {
      const bool rows = spec_.dims.size() == 2;
      rule("gather4_box", rows ? prove_equal(spec_.dims[1].box, 1) : Proof::Disproven,
           [] { return std::string("gather4 public axis 0 must map to a hardware row box of one"); });
    }
    target(spec_.gathers ? "gather4" : "TMA", spec_.gathers ? 100 : 90);
    if (spec_.cta_group != 2) return;
    target("cta_group=2", 100);
    rule("mbarrier_address", prove(spec_.barrier_address),
         [] { return std::string("cta_group=2 requires a precomputed shared mbarrier address"); });
  }

  const Spec& spec_;
  bool open_too_;
  std::vector<Finding> out_;
};

}  // namespace

std::string_view proof_name(Proof proof) {
  switch (proof) {
    case Proof::Proven: return "proven";
    case Proof::Disproven: return "disproven";
    case Proof::Unknown: break;
  }
  return "unknown";
}

Proof both(Proof a, Proof b) {
  if (a == Proof::Disproven || b == Proof::Disproven) return Proof::Disproven;
  return proven(a) && proven(b) ? Proof::Proven : Proof::Unknown;
}

Proof prove_equal(Dim a, Dim b) {
  if (provably_equal(a, b)) return Proof::Proven;
  const ir::Interval difference = range_of(a - b);
  return difference.lo > 0 || difference.hi < 0 ? Proof::Disproven : Proof::Unknown;
}

Proof prove_at_least(Dim a, std::int64_t least) {
  const ir::Interval range = range_of(a);
  return range.lo >= least ? Proof::Proven : range.hi < least ? Proof::Disproven : Proof::Unknown;
}

Proof prove_at_most(Dim a, std::int64_t most) {
  const ir::Interval range = range_of(a);
  return range.hi <= most ? Proof::Proven : range.lo > most ? Proof::Disproven : Proof::Unknown;
}

Proof prove_divisible(Dim a, Dim by) {
  if (provably_divisible(a, by)) return Proof::Proven;
  if (by.is(0)) return Proof::Disproven;
  return prove_equal(floormod(a, by), 0) == Proof::Disproven ? Proof::Disproven : Proof::Unknown;
}

Dim Spec::transaction_bits() const {
  Dim n = bits;
  for (const SpecDim& d : dims) n = n * d.box;
  return gathers ? n * Dim(4) : n;
}

std::vector<Finding> broken_rules(const Spec& spec, bool open_too) { return Rules(spec, open_too).all(); }

std::string in_words(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings)
    text += cat(text.empty() ? "" : "; ", f.rule, ": ", f.message, " [", proof_name(f.proof), "]");
  return text;
}

bool legal_innermost(const Spec& spec, Dim shape, Dim box) {
  if (spec.packed()) return proven(prove_divisible(shape, 128)) && proven(prove_equal(box, 128));
  Dim bytes = box * Dim(spec.unit());
  if (!proven(prove_divisible(bytes, 16))) return false;
  return spec.swizzle == 0 || proven(prove_at_most(bytes, std::int64_t{16} << spec.swizzle));
}

std::expected<MapType, Reason> map_type_of(ir::DataType dtype, ir::Expr tma_dtype) {
  constexpr std::array<std::string_view, 14> kKnown = {
      "int8",    "int32",   "int64",   "uint8",    "uint16",        "uint32",      "uint64",
      "float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"};
  std::string name(ir::dtype_name(dtype));
  if (dtype.lanes != 1) return std::unexpected(cat("TensorMap descriptor dtype must have lanes=1, got ", name));
  const auto* known = std::ranges::find(kKnown, name);
  if (known == kKnown.end()) return std::unexpected(cat("unsupported TensorMap descriptor dtype ", name));
  if (!tma_dtype) return MapType{*known, dtype.bits};
  const auto* wanted = tma_dtype.as<ir::StringImm>();
  if (!wanted || (wanted->value != "tf32" && wanted->value != "tfloat32")) {
    return std::unexpected("tma_dtype must be 'tf32' or 'tfloat32'");
  }
  if (name != "float32") {
    return std::unexpected(cat("tma_dtype='", wanted->value, "' requires a float32 global buffer, got ", name));
  }
  return MapType{"tf32", 32};
}

}  // namespace tilewright::dispatch::tma
