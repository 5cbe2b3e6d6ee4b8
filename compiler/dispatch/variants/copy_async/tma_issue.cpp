#include "compiler/dispatch/variants/copy_async/tma_issue.h"

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/variants/copy_async/tma_map.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::tma {
namespace {

using ir::Expr;

constexpr std::int64_t kBoxAlignment = 128;  // bytes, of the place of a box in shared memory

// Of a load, by the form in which it takes its barrier and names its rows.
const intrinsics::Intrinsic& load_row(const Spec& spec) {
  static const intrinsics::Intrinsic* const kRows[2][2] = {
      {intrinsics::row_of_id("P44"), intrinsics::row_of_id("P46")},
      {intrinsics::row_of_id("P45"), intrinsics::row_of_id("P47")}};
  return *kRows[spec.gathers][spec.barrier_address];
}

// Which elements the reduction unit works on.
bool combines(std::string_view op, ir::DataType dtype) {
  const bool bitwise = op == "and" || op == "or" || op == "xor", counting = op == "inc" || op == "dec";
  if (counting) return dtype.is_uint() && dtype.bits == 32;
  if (dtype.is_integral()) return dtype.bits >= 32;
  return !bitwise && dtype.bits >= 16;
}

class HardwareRemarks {
 public:
  HardwareRemarks(const Sides& sides, const Spec& spec, std::int64_t ctas) : sides_(sides), spec_(spec), ctas_(ctas) {}

  std::vector<Remark> all(const Config& config, Dim start, std::span<const std::int64_t> steps) {
    swizzle();
    rows();
    places(start, steps);
    cluster(config);
    const ir::DataType dtype = sides_.global.buffer->dtype;
    if (!config.reduce.empty() && !combines(config.reduce, dtype)) {
      add(cat("the tensor unit has no `", config.reduce, "` of ", ir::dtype_name(dtype)),
          "it adds, and takes the smaller or larger of, numbers of 16 bits or more and integers of 32 or 64");
    }
    return std::move(out_);
  }

 private:
  void add(std::string message, std::string hint) {
    out_.push_back({code::kTensorUnit, std::move(message), std::move(hint)});
  }

  std::string_view shared() const { return ir::spoken_name(*sides_.shared.buffer); }
  std::int64_t shared_bits() const { return sides_.shared.buffer->dtype.bits; }

  // The hardware permutes chunks of 16 bytes by the eight rows of an atom.
  void swizzle() {
    const auto& z = sides_.shared.buffer->layout->swizzle;
    if (!z || z->swizzle_len == 0) return;
    const std::int64_t chunk = (shared_bits() << z->per_element) / 8, period = kBoxAlignment << z->swizzle_len;
    if (chunk != 16 || z->atom_len != 3) {
      add(cat("the swizzle of ", shared(), " permutes chunks of ", chunk, " bytes with ", 1 << z->atom_len,
              " to a row; the tensor unit permutes chunks of 16 bytes with 8"),
          cat("write mma_shared_layout(\"", ir::dtype_name(sides_.shared.buffer->dtype), "\", ", z->swizzle_len,
              ", shape)"));
    }
    const Dim offset = element_offset(*sides_.shared.buffer);
    if (auto bytes = in_bytes(offset, sides_.shared.buffer->dtype.bits, false);
        bytes && prove_divisible(*bytes, period) == Proof::Disproven) {
      add(cat(shared(), " starts ", layout::to_string(*bytes),
              " bytes into its storage; the tensor unit's swizzle repeats every ", period, " bytes"),
          cat("allocate it with align=", period));
    }
  }

  // Each row of a box takes a whole row of the swizzle.
  void rows() {
    if (spec_.swizzle == 0 || !spec_.dims[0].box.is_constant()) return;
    const std::int64_t row = spec_.dims[0].box.value() * spec_.unit(), span = std::int64_t{16} << spec_.swizzle;
    const Dim all = spec_.transaction_bits();
    if (row >= span || (all.is_constant() && all.value() / 8 == row)) return;
    add(cat("rows of ", row, " bytes under a ", span, "-byte swizzle: the tensor unit gives each row ", span,
            " bytes of shared memory"),
        cat("use the ", row, "-byte swizzle, or rows of ", span, " bytes"));
  }

  void places(Dim start, std::span<const std::int64_t> steps) {
    auto bytes = in_bytes(start, static_cast<int>(shared_bits()), false);
    std::int64_t off = 0;
    if (bytes && bytes->is_constant()) off = bytes->value() % kBoxAlignment;
    for (std::int64_t step : steps) off = off ? off : step * shared_bits() / 8 % kBoxAlignment;
    if (off == 0) return;
    add(cat("a box lies ", off, " bytes beyond a multiple of ", kBoxAlignment, " bytes in ", shared(),
            ": the tensor unit takes multiples of ", kBoxAlignment, " alone"),
        "let the region, and each part that one instruction moves, start on 128 bytes");
  }

  void cluster(const Config& config) {
    const std::int64_t* mask = config.mask ? ir::constant(config.mask) : nullptr;
    if (!mask || ctas_ <= 0 || ctas_ >= 16 || *mask >> ctas_ == 0) return;
    add(cat("cta_mask ", *mask, " names CTAs beyond the ", ctas_, " of the cluster"), "name CTAs of the cluster");
  }

  const Sides& sides_;
  const Spec& spec_;
  std::int64_t ctas_;  // of the cluster; 0: not a constant
  std::vector<Remark> out_;
};

}  // namespace

Expr as_expr(Dim d) { return d.is_constant() ? Expr(d.value()) : ir::simplify(d.expr()); }

std::expected<const TensorMap*, Reason> map_of(CallContext& context, const ir::Buffer& tensor, const Spec& spec,
                                               const Config& config) {
  TensorMap map;
  map.tensor = &tensor;
  map.byte_offset = as_expr(spec.base);
  map.dtype = spec.dtype;
  map.swizzle = spec.swizzle;
  map.oob_fill = spec.oob_fill;
  map.l2_promotion = config.l2_promotion;
  const bool known = std::ranges::all_of(spec.dims, [](const SpecDim& d) { return d.box.is_constant(); });
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    const SpecDim& d = spec.dims[i];
    if (!known) map.host_box.push_back(as_expr(d.box));
    map.dims.push_back(as_expr(d.shape));
    if (i > 0) map.strides.push_back(as_expr(d.stride));
    map.box.push_back(d.box.is_constant() ? d.box.value() : 0);
    map.element_strides.push_back(1);
  }
  return shared_map(context, std::move(map));
}

Expr address_of(const TensorMap& map) {
  Expr variable = map.var;
  return ir::call(ir::kUInt64, ir::builtin::address_of, {&variable, 1});
}

void prefetch(CallContext& context, const TensorMap& map) {
  if (context.kernel.prefetched(map.var)) return;
  context.journal.prefetched.push_back(map.var);
  const ir::Stmt* fetch =
      ir::make_stmt<ir::Evaluate>(context.call.origin, row_call(row_of("tensormap_prefetch"), {address_of(map)}));
  Expr first = ir::binary(ir::ExprKind::EQ, context.scope_id(ir::ScopeBinding::CtaWarp), Expr(0));
  context.journal.device_init.push_back(
      ir::make_stmt<ir::If>(context.call.origin, first, fetch, static_cast<const ir::Stmt*>(nullptr)));
}

std::expected<Expr, Reason> instruction(CallContext& context, const Spec& spec, const Config& config, Expr map,
                                        Expr shared, std::span<const Expr> coordinates) {
  const Expr rank(static_cast<std::int64_t>(spec.dims.size()));
  const Expr hint = ir::string_imm(config.hint), policy = config.policy ? config.policy : intrinsics::absent();
  const intrinsics::Intrinsic* row = nullptr;
  Expr call;
  if (spec.to_shared) {
    row = &load_row(spec);
    Expr bar = config.mbar;
    if (spec.barrier_address) bar = row_call(*intrinsics::row_of_id("C35"), {bar});
    call = row_call(*row,
                    {rank, shared, bar, map, config.mask ? config.mask : Expr(0), Expr(spec.cta_group), hint, policy},
                    coordinates);
  } else if (!config.reduce.empty()) {
    row = &row_of("tensor_reduce");
    call = row_call(*row, {rank, shared, map, hint, ir::string_imm(config.reduce), policy}, coordinates);
  } else {
    row = &row_of("tensor_store");
    call = row_call(*row, {rank, shared, map, hint, policy}, coordinates);
  }
  if (auto wrong = intrinsics::verify(*row, call.as<ir::Call>()->args, context.target())) {
    if (intrinsics::verifying_targets(*row, call.as<ir::Call>()->args)) context.lacks_instruction = true;
    return std::unexpected(std::move(*wrong));
  }
  return call;
}

void note_target(CallContext& context, const Config& config) {
  const int least = config.gathers || config.cta_group == 2 ? 100 : 90;
  context.lacks_instruction |= !context.target().at_least(least);
}

std::vector<Remark> hardware_remarks(const CallContext& context, const Sides& sides, const Spec& spec,
                                     const Config& config, Dim start, std::span<const std::int64_t> steps) {
  return HardwareRemarks(sides, spec, cluster_size(context)).all(config, start, steps);
}

void describe(CallContext& context, Plan& plan, std::string_view variant, const TensorMap& map, const Spec& spec,
              std::int64_t issues) {
  auto fact = [&](std::string_view name, FactValue value) { plan.facts.push_back({name, std::move(value)}); };
  fact("direction", std::string(spec.to_shared ? "g2s" : "s2g"));
  plan.fact("rank", static_cast<std::int64_t>(map.dims.size()));
  fact("dims", numbers(map.dims));
  fact("strides", numbers(map.strides));
  fact("box", map.host_box.empty() ? FactValue(map.box) : numbers(map.host_box));
  plan.fact("swizzle", map.swizzle);
  plan.fact("issues", issues);
  const Dim bytes = floordiv(spec.transaction_bits() * Dim(issues), 8);
  if (bytes.is_constant()) plan.fact("bytes", bytes.value());
  std::string box;
  for (const SpecDim& d : spec.dims) box += cat(box.empty() ? "" : "x", layout::to_string(d.box));
  plan.summary = cat(headline(context, variant), ", box ", box, " of a ", map.dims.size(), "-D ", map.dtype, " map",
                     map.swizzle ? cat(", ", 16 << map.swizzle, "-byte swizzle") : "", ", ", issues,
                     issues == 1 ? " issue, " : " issues, ", layout::to_string(bytes), " bytes");
}

}  // namespace tilewright::dispatch::tma
