// Loop frames: range, T.serial, T.unroll, T.vectorized, T.parallel, T.grid, T.thread_binding (surface.md 5).
#include "compiler/builder/launch.h"
#include "compiler/expr/analyzer.h"
#include "compiler/expr/promote.h"
#include "compiler/ir/unroll.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

struct LoopArguments {
  ir::Expr min, extent, step;
};

// Whether the start that a loop leaves out is the number 0, an int32 (range), or has the type of its end (the rest).
enum class DefaultStart : std::uint8_t { Int32, LikeEnd };

std::optional<LoopArguments> bounds_of(Interpreter& in, Value start, Value stop, Value step, text::Span span,
                                       DefaultStart default_start = DefaultStart::LikeEnd) {
  bool like_end = stop.is_none() && default_start == DefaultStart::LikeEnd;
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
  // A loop variable is signed as its start is, and has the width of the wider bound: an unsigned end that is not
  // narrower makes an extent of another type. From 0.27 on a constant start is of the type of the end.
  const bool takes_end = in.dialect() >= text::Dialect::V0_27 && ir::constant(lo) && *ir::constant(lo) >= 0;
  if (!like_end && !takes_end && lo.dtype().is_int() && hi.dtype().is_uint() && hi.dtype().bits >= lo.dtype().bits) {
    in.fail(code::kLoop, span,
            "the loop would run from " + ir::dtype_name(lo.dtype()) + " to " + ir::dtype_name(hi.dtype()) +
                ": both bounds need one type",
            "cast one of them; T.serial(n) starts at a 0 of the type of n");
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
    if (dtype.is_uint() && by.dtype().is_int()) {
      in.fail(code::kLoop, span,
              "the step is " + ir::dtype_name(by.dtype()) + " in a loop over " + ir::dtype_name(dtype) + " values",
              "cast the step");
      return std::nullopt;
    }
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

// dtype=, which loops and ids have from 0.27 on, and the arguments without it.
struct WithoutDtype {
  Arguments rest;
  std::vector<Keyword> keywords;
  std::optional<ir::DataType> dtype;
  bool failed = false;

  WithoutDtype(Interpreter& in, const Arguments& args) : rest(args) {
    for (const Keyword& k : args.keywords) {
      if (k.name != "dtype" || in.dialect() < text::Dialect::V0_27) {
        keywords.push_back(k);
        continue;
      }
      if (k.value.is_none()) continue;
      dtype = in.as_dtype(k.value, k.span);
      failed = !dtype;
      if (dtype && *dtype != ir::kInt32 && *dtype != ir::kUInt32) {
        in.fail(code::kLoop, k.span, "dtype= of a loop is \"int32\" or \"uint32\", not " + ir::dtype_name(*dtype), {},
                "ValueError");
        failed = true;
      }
    }
    rest.keywords = keywords;
  }
  void apply(LoopArguments& bounds) const {
    if (!dtype) return;
    bounds.min = ir::cast(*dtype, bounds.min);
    bounds.extent = ir::cast(*dtype, bounds.extent);
    if (bounds.step) bounds.step = ir::cast(*dtype, bounds.step);
  }
};

Value make_loop(Interpreter& in, LoopArguments bounds, ir::LoopKind kind, ir::UnrollHint hint) {
  Frame* f = in.make<Frame>();
  f->kind = FrameKind::Loop;
  f->loops = {{{bounds.min, bounds.extent}}, bounds.step, kind, hint, {}};
  return Value::object(f);
}

// Since 0.27 a number says how many copies of the body there are; before, and for all else, the truth of it counts.
// Nothing: an error is pending.
std::optional<ir::UnrollHint> wanted_unroll(Interpreter& in, Value unroll, text::Span span) {
  if (unroll.is_int() && in.dialect() >= text::Dialect::V0_27) {
    const auto copies = in.as_int(unroll, span, "unroll=");
    if (!copies) return std::nullopt;
    if (*copies > 0) return ir::unrolled_by(*copies);
    in.fail(code::kLoop, span, "unroll= of a loop is True, False or a number from 1 on, not " + std::to_string(*copies),
            "write unroll=False for a loop that stays as it is", "ValueError");
    return std::nullopt;
  }
  const auto wanted = in.truth(unroll, span);
  if (!wanted) return std::nullopt;
  return *wanted ? ir::UnrollHint::Full : ir::UnrollHint::Off;
}

// What the reference turns into a pragma: unroll=, and two annotations, which before 0.27 count by being there,
// whatever they hold. (Both at once: the one that disables; two pragmas in a row have no defined meaning.) Nothing: an
// error is pending.
std::optional<ir::UnrollHint> hint_of(Interpreter& in, Value unroll, Value annotations, text::Span span) {
  ir::UnrollHint hint = ir::UnrollHint::None;
  if (!unroll.is_none()) {
    const auto wanted = wanted_unroll(in, unroll, span);
    if (!wanted) return std::nullopt;
    hint = *wanted;
  }
  if (annotations.is_none() || annotations.is_poison() || annotations.is_opaque()) return hint;
  Dict* dict = annotations.as<Dict>();
  if (!dict) {
    in.fail(code::kArguments, span, "annotations= must be a dict, not " + std::string(type_name(annotations)));
    return std::nullopt;
  }
  for (auto& [key, value] : dict->items) {
    auto name = in.as_string(key, span, "an annotation's name");
    if (!name) return std::nullopt;
    if (*name == "disable_unroll") hint = ir::UnrollHint::Off;
    if (*name != "pragma_unroll" || hint != ir::UnrollHint::None) continue;
    hint = ir::UnrollHint::Full;
    if (!value.is_int() || in.dialect() < text::Dialect::V0_27) continue;
    const auto copies = in.as_int(value, span, "pragma_unroll");
    if (!copies) return std::nullopt;
    if (*copies > 0) hint = ir::unrolled_by(*copies);
  }
  return hint;
}

Value range(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "range", {"start", "stop", "step", "annotations", "unroll"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], a[2], args.call, DefaultStart::Int32);
  auto hint = bounds ? hint_of(in, a[4], a[3], args.call) : std::nullopt;
  return hint ? make_loop(in, *bounds, ir::LoopKind::Serial, *hint) : Value::error();
}

Value serial(Interpreter& in, const Arguments& args, Value) {
  const WithoutDtype given(in, args);
  if (given.failed) return Value::error();
  Bound a(in, given.rest, "T.serial", {"start", "stop", "annotations", "step", "unroll"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], a[3], args.call);
  if (bounds) given.apply(*bounds);
  auto hint = bounds ? hint_of(in, a[4], a[2], args.call) : std::nullopt;
  return hint ? make_loop(in, *bounds, ir::LoopKind::Serial, *hint) : Value::error();
}

template <ir::LoopKind Kind>
Value simple(Interpreter& in, const Arguments& args, Value) {
  constexpr bool unrolled = Kind == ir::LoopKind::Unrolled, vectorised = Kind == ir::LoopKind::Vectorized;
  const WithoutDtype given(in, args);
  if (given.failed) return Value::error();
  Bound a(in, given.rest,
          unrolled     ? "T.unroll"
          : vectorised ? "T.vectorized"
                       : "T.parallel",
          {"start", "stop", "annotations", "step"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], a[3], args.call);
  if (!bounds) return Value::error();
  given.apply(*bounds);
  if (ir::Expr extent = in.settled(bounds->extent); ir::constant(extent)) bounds->extent = extent;
  if (unrolled && !ir::constant(bounds->extent)) {
    return in.fail(code::kLoop, args.call, "cannot unroll a loop whose extent is not constant",
                   "use T.serial or range");
  }
  if (vectorised && (!ir::constant(bounds->extent) || !ir::is_constant(bounds->min, 0))) {
    return in.fail(code::kLoop, args.call, "a vectorised loop runs from 0 to a constant", "use T.serial or range");
  }
  auto hint = hint_of(in, Value::none(), a[2], args.call);
  if (!hint) return Value::error();
  // Written out or one access: there is nothing left to hint at.
  return make_loop(in, *bounds, Kind, unrolled || vectorised ? ir::UnrollHint::None : *hint);
}

Value grid(Interpreter& in, const Arguments& args, Value) {
  const WithoutDtype given(in, args);
  if (given.failed) return Value::error();
  Frame* f = in.make<Frame>();
  f->kind = FrameKind::Grid;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    Value stop = args.positional[i];
    if (Tuple* t = stop.as<Tuple>(); t && t->items.size() == 2) {  // (start, extent)
      ir::Expr lo = in.as_expr(t->items[0], args.at(i), "a loop start");
      ir::Expr n = lo ? in.as_expr(t->items[1], args.at(i), "a loop extent") : ir::Expr();
      if (!n) return Value::error();
      LoopArguments pair{lo, n, {}};
      given.apply(pair);
      f->loops.ranges.push_back({pair.min, pair.extent});
      continue;
    }
    auto bounds = bounds_of(in, stop, Value::none(), Value::none(), args.at(i));
    if (!bounds) return Value::error();
    given.apply(*bounds);
    f->loops.ranges.push_back({bounds->min, bounds->extent});
  }
  if (f->loops.ranges.empty()) return in.fail(code::kLoop, args.call, "T.grid needs at least one extent");
  return Value::object(f);
}

Value thread_binding(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.thread_binding", {"start", "stop", "thread", "annotations"}, 1);
  if (!a) return Value::error();
  auto bounds = bounds_of(in, a[0], a[1], Value::none(), args.call);
  auto tag = bounds ? in.as_string(a[2], a.span(2), "thread=") : std::nullopt;
  if (!tag) return Value::error();
  if (auto known = builder::launch_dimension(*tag); !known) return in.fail(std::move(known.error()), a.span(2));
  if (!ir::is_constant(bounds->min, 0)) {
    return in.fail(code::kLoop, args.call, "a loop over " + std::string(*tag) + " starts at 0, as the hardware counts",
                   "add the start to the index in the body");
  }
  Value v = make_loop(in, *bounds, ir::LoopKind::ThreadBinding, ir::UnrollHint::None);
  v.as<Frame>()->loops.thread_tag = in.keep(*tag);
  return v;
}

constexpr Record kLoopRecords[] = {
    {"T", "__range__", NameKind::Function, "start, stop=None, step=None, annotations=None, unroll=None",
     "range() of a kernel.", range},
    {"T", "serial", NameKind::Function, "start, stop=None, annotations=None, step=None, unroll=None",
     "A loop of the kernel.", serial},
    {"T", "unroll", NameKind::Function, "start, stop=None, annotations=None, step=None", "A loop that is written out.",
     simple<ir::LoopKind::Unrolled>},
    {"T", "vectorized", NameKind::Function, "start, stop=None, annotations=None, step=None",
     "A loop whose iterations are the lanes of a vector access.", simple<ir::LoopKind::Vectorized>},
    {"T", "parallel", NameKind::Function, "start, stop=None, annotations=None, step=None",
     "A loop whose iterations do not depend on each other.", simple<ir::LoopKind::Parallel>},
    {"T", "grid", NameKind::Function, "*extents", "Nested loops: for i, j in T.grid(m, n).", grid},
    {"T", "thread_binding", NameKind::Function, "start, stop=None, thread=None, annotations=None",
     "A loop over a launch dimension.", thread_binding},
};

}  // namespace

std::span<const Record> loop_records() { return kLoopRecords; }

}  // namespace tilewright::script
