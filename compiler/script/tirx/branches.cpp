// T.If, T.Then, T.Else, T.While, T.Break, T.Continue: the statements of a kernel by their names, for Python functions
// that a kernel calls (body/frames.h runs what stands in them).
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

template <FrameKind Kind>
Value conditional(Interpreter& in, const Arguments& args, Value) {
  constexpr bool loop = Kind == FrameKind::While;
  const std::string name = loop ? "T.While" : "T.If";
  Bound a(in, args, name, {"condition"}, 1);
  if (!a || !in.require_kernel(args.call, name)) return Value::error();
  const ir::Expr condition = in.as_expr(a[0], a.span(0), "the condition");
  if (!condition) return Value::error();
  if (!builder::KernelBuilder::is_condition(condition)) {
    return in.fail(code::kCondition, a.span(0),
                   "the condition of " + name + " must be a scalar boolean, not " + ir::dtype_name(condition.dtype()),
                   "compare it, e.g. x != 0");
  }
  Frame* f = in.make<Frame>();
  f->kind = Kind;
  f->condition = condition;
  return Value::object(f);
}

template <FrameKind Kind>
Value arm(Interpreter& in, const Arguments& args, Value) {
  const std::string name = Kind == FrameKind::Then ? "T.Then" : "T.Else";
  Bound a(in, args, name, {}, 0);
  if (!a || !in.require_kernel(args.call, name)) return Value::error();
  Frame* f = in.make<Frame>();
  f->kind = Kind;
  return Value::object(f);
}

template <bool Break>
Value jump(Interpreter& in, const Arguments& args, Value) {
  const std::string name = Break ? "T.Break" : "T.Continue";
  Bound a(in, args, name, {}, 0);
  if (!a || !in.require_kernel(args.call, name)) return Value::error();
  const ir::Origin at = in.origin(args.call);
  auto made = Break ? in.kernel()->break_loop(at) : in.kernel()->continue_loop(at);
  return made ? Value::none() : in.fail(std::move(made.error()), args.call);
}

constexpr Record kBranchRecords[] = {
    {"T", "If", NameKind::Function, "condition", "A branch of the kernel: with T.If(c): with T.Then(): ...",
     conditional<FrameKind::If>},
    {"T", "Then", NameKind::Function, "", "What runs where the condition of the T.If around holds.",
     arm<FrameKind::Then>},
    {"T", "Else", NameKind::Function, "", "What runs where the condition of the T.If around does not hold.",
     arm<FrameKind::Else>},
    {"T", "While", NameKind::Function, "condition", "A loop of the kernel: with T.While(c): ...",
     conditional<FrameKind::While>},
    {"T", "Break", NameKind::Function, "", "Leaves the loop around.", jump<true>},
    {"T", "Continue", NameKind::Function, "", "Goes on with the next round of the loop around.", jump<false>},
};

}  // namespace

std::span<const Record> branch_records() { return kBranchRecords; }

}  // namespace tilewright::script
