#include "compiler/dispatch/blocks/reduction.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/ir/primitive.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;

std::vector<std::int64_t> constant_extents(const ir::Region& region) {
  std::vector<std::int64_t> out;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* e = ir::constant(r.extent);
    if (!e || *e <= 0) return {};
    out.push_back(*e);
  }
  return out;
}

// The numbers in "(0, -1)"; a single axis is one.
std::optional<std::vector<std::int64_t>> axes_of(const ir::Operand& operand) {
  if (!ir::is_given(operand)) return std::vector<std::int64_t>{-1};
  if (const std::int64_t* one = ir::constant(operand.value)) return std::vector<std::int64_t>{*one};
  const auto* list = operand.value ? operand.value.as<ir::StringImm>() : nullptr;
  if (!list) return std::nullopt;
  std::vector<std::int64_t> out;
  std::string_view text = list->value;
  while (true) {
    const std::size_t at = text.find_first_of("-0123456789");
    if (at == text.npos) return out;
    std::int64_t axis = 0;
    auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), axis);
    if (error != std::errc()) return std::nullopt;
    out.push_back(axis);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

Reason not_reducible(ir::DataType type, std::string_view name) {
  const bool number = type.is_integral() || type.is_floating();
  if (type.lanes == 1 && number && type.storage_bits() >= 8) return {};
  return cat(name, " is ", ir::dtype_name(type), ", which is not reduced element by element");
}

Reason read(const ir::TileCall& call, Reduction& out) {
  auto arg = [&](std::size_t i) { return i < call.args.size() ? call.args[i] : ir::Operand(); };
  out.dst = arg(0).region;
  out.src = arg(1).region;
  if (!out.dst.buffer) return "destination is not a buffer region";
  if (!out.src.buffer) return "source is not a buffer region";
  for (const ir::Region* r : {&out.dst, &out.src}) {
    if (Reason why = not_reducible(r->buffer->dtype, ir::spoken_name(*r->buffer)); !why.empty()) return why;
  }
  out.src_extents = constant_extents(out.src);
  out.dst_extents = constant_extents(out.dst);
  const ir::Operand accum = arg(3);
  if (ir::is_given(accum)) {
    const std::int64_t* flag = accum.value ? ir::constant(accum.value) : nullptr;
    if (!flag) return "accum is neither True nor False";
    out.accumulates = *flag != 0;
  }
  auto axes = axes_of(arg(2));
  if (!axes) return "axes are not known";
  const auto rank = static_cast<std::int64_t>(out.src.ranges.size());
  std::vector<bool> reduced(out.src.ranges.size());
  for (std::int64_t axis : *axes) {
    const std::int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank) {
      out.bad_axes = cat("reduce axis ", axis, " out of range for ndim=", rank);
      return {};
    }
    reduced[static_cast<std::size_t>(at)] = true;
  }
  out.reduced = std::move(reduced);
  return {};
}

enum class Op : std::uint8_t { Sum, Max, Min };
Op op_of(const CallContext& context) {
  return context.call.primitive == "sum" ? Op::Sum : context.call.primitive == "max" ? Op::Max : Op::Min;
}

// Types without infinities end at their largest number.
double farthest(ir::DataType type) {
  switch (type.code) {
    case ir::TypeCode::Float8E4M3FN: return 448;
    case ir::TypeCode::Float8E4M3FNUZ: return 240;
    case ir::TypeCode::Float8E4M3B11FNUZ: return 30;
    case ir::TypeCode::Float8E5M2FNUZ: return 57344;
    case ir::TypeCode::Float8E8M0FNU: return 0x1p127;
    default: return std::numeric_limits<double>::infinity();
  }
}

std::int64_t integer_end(ir::DataType type, bool lowest) {
  if (type.is_uint()) {
    if (lowest) return 0;
    return type.bits == 64 ? -1 : (std::int64_t{1} << type.bits) - 1;
  }
  const auto low = static_cast<std::int64_t>(~std::uint64_t{0} << (type.bits - 1));
  return lowest ? low : ~low;
}

bool overlap(const ir::Region& a, const ir::Region& b) {
  if (a.buffer->data != b.buffer->data || !a.buffer->data) return false;
  if (a.buffer != b.buffer) return false;  // views of one storage: nothing is known
  for (std::size_t i = 0; i < std::min(a.ranges.size(), b.ranges.size()); ++i) {
    const ir::Range &x = a.ranges[i], &y = b.ranges[i];
    if (ir::provably_less(x.min + x.extent - Expr(1), y.min) || ir::provably_less(y.min + y.extent - Expr(1), x.min)) {
      return false;
    }
  }
  return true;
}

// The digits of `x` over the extents that `take` chooses, added to the starts of those dimensions.
template <class Take>
void digits(const ir::Region& region, Expr x, Take&& take, std::vector<Expr>& out) {
  std::optional<std::size_t> first;
  for (std::size_t d = 0; d < region.ranges.size() && !first; ++d) {
    if (take(d)) first = d;
  }
  for (std::size_t d = region.ranges.size(); d-- > 0;) {
    if (!take(d)) continue;
    const ir::Range& range = region.ranges[d];
    Expr digit = d == *first ? x : x % range.extent;
    out[d] = ir::simplify(range.min + digit);
    if (d != *first) x = x / range.extent;
  }
}

template <class Take>
Expr count(const ir::Region& region, Take&& take) {
  Expr n(1);
  for (std::size_t d = 0; d < region.ranges.size(); ++d) {
    if (take(d)) n = n * region.ranges[d].extent;
  }
  return ir::simplify(n);
}

// A counter up to a number that may be known only at run time.
Expr counter(std::string_view name, Expr n) {
  if (const std::int64_t* known = ir::constant(n)) return round_variable(name, *known);
  return ir::make_var(name, n.dtype(), ir::VarRole::Loop);
}
void add_loop(ir::BodyBuilder& out, Expr var, Expr n, const ir::Stmt* body, ir::LoopKind kind) {
  if (const std::int64_t* known = ir::constant(n)) return add_rounds(out, var, *known, body, kind);
  out.add<ir::For>(var.as<ir::Var>(), ir::int_imm(n.dtype(), 0), n, Expr(), ir::LoopKind::Serial, ir::UnrollHint::None,
                   std::string_view(), body);
}

}  // namespace

std::int64_t Reduction::outputs() const {
  std::int64_t n = 1;
  for (std::size_t d = 0; d < src_extents.size(); ++d) n *= reduced[d] ? 1 : src_extents[d];
  return n;
}
std::int64_t Reduction::summands() const { return product(src_extents) / outputs(); }
std::int64_t Reduction::dst_elements() const { return product(dst_extents); }

const Reduction& reduction(CallContext& context) {
  return context.once<Reduction>([&] {
    Reduction out;
    out.invalid = read(context.call, out);
    return out;
  });
}

Expr combined(const CallContext& context, Expr a, Expr b) {
  const Op op = op_of(context);
  return ir::binary(op == Op::Sum ? ir::ExprKind::Add : op == Op::Max ? ir::ExprKind::Max : ir::ExprKind::Min, a, b);
}

Expr identity(const CallContext& context, ir::DataType type) {
  const Op op = op_of(context);
  if (op == Op::Sum) return ir::zero(type);
  const bool lowest = op == Op::Max;
  if (type.is_integral()) return ir::int_imm(type, integer_end(type, lowest));
  return ir::float_imm(type, lowest ? -farthest(type) : farthest(type));
}

Reason reduced_in_place(const Reduction& r) {
  if (!overlap(r.dst, r.src)) return {};
  return cat(region_text(r.dst), " takes the results while ", region_text(r.src),
             ", which overlaps it, is still read: reduce into another tile");
}

Reason wrong_size(const Reduction& r) {
  if (r.reduced.empty()) return {};
  Expr room = count(r.dst, [](std::size_t) { return true; }), wanted = output_count(r);
  if (ir::provably_equal(room, wanted)) return {};
  std::string axes;
  for (std::size_t d = 0; d < r.reduced.size(); ++d) {
    if (r.reduced[d]) axes += cat(axes.empty() ? "" : ", ", d);
  }
  return cat("dst size ", ir::to_string(room), " != expected spatial size ", ir::to_string(wanted), ": ",
             region_text(r.src), " reduced along ", axes.contains(',') ? "axes " : "axis ", axes, " leaves that many");
}

Reason not_stored_in(const Reduction& r, bool (*fits)(ir::StorageScope), std::string_view wanted) {
  if (fits(r.dst.buffer->scope) && fits(r.src.buffer->scope)) return {};
  return cat("source is ", scope_text(*r.src.buffer), " and destination ", scope_text(*r.dst.buffer), "; ", wanted);
}

Reason types_differ(const Reduction& r) {
  if (r.src.buffer->dtype == r.dst.buffer->dtype) return {};
  return cat("dtype mismatch: src=", ir::dtype_name(r.src.buffer->dtype), " dst=", ir::dtype_name(r.dst.buffer->dtype));
}

std::string reduction_headline(CallContext& context, std::string_view variant) {
  const Reduction& r = reduction(context);
  return cat(context.call.primitive, " -> ", variant, ": ", region_text(r.src), " -> ", region_text(r.dst));
}

Expr output_count(const Reduction& r) {
  return count(r.src, [&](std::size_t d) { return !r.reduced[d]; });
}
Expr summand_count(const Reduction& r) {
  return count(r.src, [&](std::size_t d) { return static_cast<bool>(r.reduced[d]); });
}

std::vector<Expr> source_index(const Reduction& r, Expr out, Expr k) {
  std::vector<Expr> index(r.src.ranges.size());
  digits(r.src, out, [&](std::size_t d) { return !r.reduced[d]; }, index);
  digits(r.src, k, [&](std::size_t d) { return static_cast<bool>(r.reduced[d]); }, index);
  return index;
}

std::vector<Expr> result_index(const Reduction& r, Expr out) {
  std::vector<Expr> index(r.dst.ranges.size());
  digits(r.dst, out, [](std::size_t) { return true; }, index);
  return index;
}

const ir::Stmt* reduce_in_thread(CallContext& context, ir::LoopKind kind) {
  const Reduction& r = reduction(context);
  Arena& arena = Arena::current();
  ir::BodyBuilder out(context.call.origin), result(context.call.origin);
  Expr outputs = output_count(r), summands = summand_count(r);
  Expr spa = counter("spa", outputs), red = counter("red", summands);
  const std::span<const Expr> to = arena.copy(result_index(r, spa));
  Expr old = ir::load(r.dst.buffer, to);
  if (!r.accumulates) result.add<ir::Store>(r.dst.buffer, to, identity(context, r.dtype()));
  Expr next = combined(context, old, ir::load(r.src.buffer, arena.copy(source_index(r, spa, red))));
  add_loop(result, red, summands, ir::make_stmt<ir::Store>(context.call.origin, r.dst.buffer, to, next), kind);
  add_loop(out, spa, outputs, result.finish(), kind);
  return out.finish();
}

void describe_thread(Plan& plan, const Reduction& r, std::string_view what) {
  for (auto [name, n] :
       {std::pair<std::string_view, Expr>("spatial", output_count(r)), {"reduced", summand_count(r)}}) {
    const std::int64_t* known = ir::constant(n);
    known ? plan.fact(name, *known) : void(plan.facts.emplace_back(name, ir::to_string(n)));
  }
  Expr outputs = output_count(r);
  plan.summary += cat(", ", ir::to_string(outputs), ir::is_constant(outputs, 1) ? " result of " : " results of ",
                      ir::to_string(summand_count(r)), " ", what);
}

void add_shuffles(CallContext& context, ir::BodyBuilder& out, const ir::Buffer* buffer, Expr at,
                  std::span<const std::int64_t> distances, Expr mask, std::int64_t width) {
  const std::span<const Expr> index = Arena::current().copy(std::span<const Expr>(&at, 1));
  for (std::int64_t m : distances) {
    Expr own = ir::load(buffer, index);
    Expr other = row_call(row_of("shuffle_xor"), {mask, own, Expr(m), Expr(width)});
    out.add<ir::Store>(buffer, index, combined(context, own, other));
  }
}

Reason not_one_float_row(CallContext& context) {
  const Reduction& r = reduction(context);
  std::string why;
  auto also = [&](const std::string& reason) { why += cat(why.empty() ? "" : "; ", reason); };
  if (!r.invalid.empty()) return r.invalid;
  if (context.scope.kind != ir::ExecScope::Thread)
    also(cat("unsupported exec_scope ", ir::exec_scope_name(context.scope.kind)));
  const bool local = r.src.buffer->scope == ir::StorageScope::Local && r.dst.buffer->scope == ir::StorageScope::Local;
  if (!local || r.src.buffer->dtype != r.dst.buffer->dtype)
    also("src/dst must be local scope with matching dtype on CUDA");
  if (!r.known()) also("an extent is known only at run time");
  if (r.known() && r.dst_elements() != 1) also(cat("dst_len ", r.dst_elements(), " != 1"));
  if (r.src.ranges.size() != 1) also(cat("src ndim ", r.src.ranges.size(), " != 1"));
  if (r.dtype() != ir::kFloat32) also(cat("dtype ", ir::dtype_name(r.dtype()), " != float32"));
  if (!context.target().at_least(100)) also(cat("sm_version ", context.target().number(), " < 100"));
  if (r.known() && product(r.src_extents) < 8) also(cat("reduction_len ", product(r.src_extents), " < 8"));
  if (why.empty() && !r.bad_axes.empty()) return r.bad_axes;  // Q17
  for (const ir::Region* region : {&r.src, &r.dst}) {
    if (why.empty() && region->buffer->layout && layout::has_thread_axis(*region->buffer->layout))
      also(cat(region_text(*region), " is spread over the registers of several threads"));
  }
  return why;
}

}  // namespace tilewright::dispatch
