// Loop frames: range, T.serial, T.unroll, T.vectorized, T.parallel, T.grid, T.thread_binding (surface.md 5).
#include "compiler/expr/analyzer.h"
#include "compiler/expr/promote.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

struct LoopArguments {
  ir::Expr min, extent, step;
};

std::optional<LoopArguments> bounds_of(Interpreter& in, Value start, Value stop, Value step, text::Span span) {
  if (stop.is_none()) {
    stop = start;
    start = Value::integer(0);
  }
  ir::Expr lo = in.as_expr(start, span, "the start of a loop");
  ir::Expr hi = lo ? in.as_expr(stop, span, "the end of a loop") : ir::Expr();
  if (!hi) return std::nullopt;
  if (!lo.dtype().is_integral() || !hi.dtype().is_integral()) {
    in.fail(code::kLoop, span, "loop bounds must be integers");
    return std::nullopt;
  }
  // The wider of the bounds' types, as the loop variable has it.
  ir::DataType dtype = ir::constant(lo) && !ir::constant(hi)   ? hi.dtype()
                       : ir::constant(hi) && !ir::constant(lo) ? lo.dtype()
                       : lo.dtype().bits > hi.dtype().bits     ? lo.dtype()
                                                               : hi.dtype();
  lo = ir::cast(dtype, lo);
  hi = ir::cast(dtype, hi);
  LoopArguments out;
  out.min = lo;
  if (!step.is_none()) {
    ir::Expr by = in.as_expr(step, span, "the step of a loop");
    if (!by) return std::nullopt;
    by = ir::cast(dtype, by);
    const std::int64_t* c = ir::constant(by);
    if (c && *c <= 0) {
      in.fail(code::kLoop, span, "the step of a loop must be positive, it is " + std::to_string(*c));
      return std::nullopt;
    }
    if (!c || *c != 1) {
      out.step = by;
      ir::Expr one = ir::int_imm(dtype, 1);
      out.extent = ir::simplify(ir::floordiv(ir::sub(ir::add(ir::sub(hi, lo), by), one), by));
      return out;
    }
  }
  out.extent = ir::is_constant(lo, 0) ? hi : ir::simplify(ir::sub(hi, lo));
  return out;
}

Value make_loop(Interpreter& in, LoopArguments bounds, ir::LoopKind kind, ir::UnrollHint hint) {
  Frame* f = in.make<Frame>();
  f->kind = FrameKind::Loop;
  f->loop = kind;
  f->unroll = hint;
  f->ranges = {{bounds.min, bounds.extent}};
  f->step = bounds.step;
  return Value::object(f);
}

ir::UnrollHint hint_of(Value v) {
  return v.is_bool() ? (v.b ? ir::UnrollHint::Full : ir::UnrollHint::Off) : ir::UnrollHint::None;
}

Value range(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "range", {"start", "stop", "step", "annotations", "unroll"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], a[2], args.call);
  return bounds ? make_loop(in, *bounds, ir::LoopKind::Serial, hint_of(a[4])) : Value::error();
}

Value serial(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.serial", {"start", "stop", "annotations", "step", "unroll"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], a[3], args.call);
  return bounds ? make_loop(in, *bounds, ir::LoopKind::Serial, hint_of(a[4])) : Value::error();
}

template <ir::LoopKind Kind>
Value simple(Interpreter& in, const Arguments& args, Value) {
  constexpr bool unrolled = Kind == ir::LoopKind::Unrolled, vectorised = Kind == ir::LoopKind::Vectorized;
  Bound a(in, args,
          unrolled     ? "T.unroll"
          : vectorised ? "T.vectorized"
                       : "T.parallel",
          {"start", "stop", "annotations", "step"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], a[3], args.call);
  if (!bounds) return Value::error();
  if (unrolled && !ir::constant(bounds->extent)) {
    return in.fail(code::kLoop, args.call, "cannot unroll a loop whose extent is not constant",
                   "use T.serial or range");
  }
  if (vectorised && (!ir::constant(bounds->extent) || !ir::is_constant(bounds->min, 0))) {
    return in.fail(code::kLoop, args.call, "a vectorised loop runs from 0 to a constant", "use T.serial or range");
  }
  return make_loop(in, *bounds, Kind, ir::UnrollHint::None);
}

Value grid(Interpreter& in, const Arguments& args, Value) {
  Frame* f = in.make<Frame>();
  f->kind = FrameKind::Grid;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    Value start = Value::integer(0), stop = args.positional[i];
    if (Tuple* t = stop.as<Tuple>(); t && t->items.size() == 2) {  // (start, extent)
      ir::Expr lo = in.as_expr(t->items[0], args.at(i), "a loop start");
      ir::Expr n = lo ? in.as_expr(t->items[1], args.at(i), "a loop extent") : ir::Expr();
      if (!n) return Value::error();
      f->ranges.emplace_back(lo, n);
      continue;
    }
    auto bounds = bounds_of(in, start, stop, Value::none(), args.at(i));
    if (!bounds) return Value::error();
    f->ranges.emplace_back(bounds->min, bounds->extent);
  }
  if (f->ranges.empty()) return in.fail(code::kLoop, args.call, "T.grid needs at least one extent");
  return Value::object(f);
}

Value thread_binding(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.thread_binding", {"start", "stop", "thread", "annotations"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], Value::none(), args.call);
  auto tag = bounds ? in.as_string(a[2], a.span(2), "thread=") : std::nullopt;
  if (!tag) return Value::error();
  Value v = make_loop(in, *bounds, ir::LoopKind::ThreadBinding, ir::UnrollHint::None);
  v.as<Frame>()->thread_tag = in.keep(*tag);
  return v;
}

constexpr Member kLoops[] = {
    {"__range__", range},
    {"serial", serial},
    {"unroll", simple<ir::LoopKind::Unrolled>},
    {"vectorized", simple<ir::LoopKind::Vectorized>},
    {"parallel", simple<ir::LoopKind::Parallel>},
    {"grid", grid},
    {"thread_binding", thread_binding},
};

}  // namespace

Value loop_member(Interpreter& in, std::string_view name) { return find_member(in, kLoops, name); }

}  // namespace tilewright::script
