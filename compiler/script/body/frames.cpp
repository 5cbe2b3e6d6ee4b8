#include "compiler/script/body/frames.h"

#include <algorithm>
#include <vector>

namespace tilewright::script {
namespace {

Flow fail(Interpreter& in, std::string_view code, text::Span at, std::string message, std::string hint = {}) {
  in.fail(code, at, std::move(message), std::move(hint));
  return Flow::Error;
}

// The names of the variables of a nest, as the target of the `with` writes them.
std::vector<std::string> variable_names(const Frame& f, const syntax::Node* target) {
  std::vector<std::string> names(f.loops.ranges.size(), "i");
  syntax::Exprs written;
  if (auto* t = syntax::as<syntax::Tuple>(target)) written = t->elements;
  if (auto* l = syntax::as<syntax::List>(target)) written = l->elements;
  const syntax::Node* single[] = {target};
  if (written.empty() && target) written = single;
  for (std::size_t i = 0; i < names.size() && i < written.size(); ++i) {
    if (auto* ref = syntax::as<syntax::NameRef>(written[i])) names[i] = ref->name.text;
  }
  return names;
}

using Bind = std::function<bool(Value)>;

// Levels of nesting that a loop counts for.
std::uint32_t levels_of(const Frame& f) {
  return static_cast<std::uint32_t>(2 * std::min<std::size_t>(f.loops.ranges.size() - 1, 1 << 20));
}

// `branch`: the T.If whose arms may stand in it; null: none, for what is inside belongs to no T.If around.
void enter(KernelState& kernel, OpenFrame& open, Frame* branch) {
  kernel.ifs.push_back(branch);
  open.depth = kernel.ifs.size();
}

bool open_loop(Interpreter& in, OpenFrame& open, const syntax::Node* target, const Bind& bind) {
  KernelState& kernel = *in.kernel();
  const Frame& f = *open.frame.as<Frame>();
  const std::size_t count = f.loops.ranges.size();
  const std::vector<std::string> names = variable_names(f, target);
  std::vector<Value> values;
  for (std::size_t i = 0; i < count; ++i) {
    open.vars.push_back(kernel.loop_variable(f.loops, i, names[i]));
    values.push_back(Value::expr(open.vars.back()));
  }
  open.levels = levels_of(f);
  if (!in.enter(open.levels, open.at)) return false;
  kernel.open_loop(f.loops, open.vars);
  enter(kernel, open, nullptr);
  if (!target || bind(f.kind == FrameKind::Grid ? in.tuple(values) : values[0])) return true;
  close_frame(in, open, Flow::Error);
  return false;
}

bool open_arm(Interpreter& in, OpenFrame& open) {
  KernelState& kernel = *in.kernel();
  const bool is_then = open.frame.as<Frame>()->kind == FrameKind::Then;
  const std::string name = is_then ? "T.Then" : "T.Else";
  const auto refuse = [&](std::string message, std::string hint = {}) {
    in.fail(code::kCondition, open.at, std::move(message), std::move(hint));
    return false;
  };
  if (kernel.ifs.empty() || !kernel.ifs.back()) return refuse(name + " stands in no `with T.If(...):`");
  open.branch = kernel.ifs.back();
  if (is_then ? open.branch->then_body : open.branch->else_body) return refuse("this T.If has a " + name + " already");
  if (!is_then && !open.branch->then_body) {
    return refuse("T.Else follows the T.Then of its T.If", "write `with T.Then():` above it");
  }
  kernel.open();
  return true;
}

bool run_part(Interpreter& in, Value role, std::string_view part, text::Span at) {
  if (!role.as<Instance>()->cls->find(part)) return true;
  return !in.call(in.attribute(role, part, at), std::span<const Value>(), at).is_error();
}

bool open_role(Interpreter& in, OpenFrame& open, const syntax::Node* target, const Bind& bind) {
  KernelState& kernel = *in.kernel();
  const Value c = in.call(in.attribute(open.frame, "__branch__", open.at), std::span<const Value>(), open.at);
  if (c.is_error()) return false;
  open.condition = in.as_expr(c, open.at, "the condition of this role");
  if (!open.condition || (target && !bind(open.frame))) return false;
  kernel.open();
  enter(kernel, open, nullptr);
  if (run_part(in, open.frame, "__prologue__", open.at)) return true;
  close_frame(in, open, Flow::Error);
  return false;
}

bool is_empty(builder::Block made) {
  const auto* seq = made ? ir::as<ir::Seq>(made) : nullptr;
  return !made || (seq && seq->body.empty());
}

Flow close_if(Interpreter& in, OpenFrame& open, builder::Block outside) {
  Frame* f = open.frame.as<Frame>();
  if (!is_empty(outside)) {
    return fail(in, code::kCondition, open.at, "statements of a T.If stand in one of its arms",
                "put them below `with T.Then():` or `with T.Else():`");
  }
  if (!f->then_body) {
    return fail(in, code::kCondition, open.at, "this T.If has no `with T.Then():`", "write `with T.Then():` in it");
  }
  in.kernel()->branch(in.origin(open.at), f->condition, f->then_body, f->else_body);
  return Flow::Normal;
}

// The statement of a frame that is closed.
Flow emit_frame(Interpreter& in, OpenFrame& open, builder::Block made) {
  KernelState& kernel = *in.kernel();
  Frame* f = open.frame.as<Frame>();
  if (!f) {
    kernel.roles.emplace_back(open.condition, open.frame);
    kernel.branch(in.origin(open.at), open.condition, made, nullptr);
    return Flow::Normal;
  }
  switch (f->kind) {
    case FrameKind::Loop:
    case FrameKind::Grid: kernel.loop(in.origin(open.at), f->loops, open.vars, made); break;
    case FrameKind::While: kernel.while_loop(in.origin(open.at), f->condition, made); break;
    case FrameKind::If: return close_if(in, open, made);
    case FrameKind::Then: open.branch->then_body = made; break;
    case FrameKind::Else: open.branch->else_body = made; break;
    case FrameKind::Attribute: kernel.attributes(in.origin(open.at), f->attributes, f->node, made); break;
    default: kernel.emit(made); break;
  }
  return Flow::Normal;
}

}  // namespace

bool open_frame(Interpreter& in, OpenFrame& open, const syntax::Node* target, const Bind& bind) {
  KernelState& kernel = *in.kernel();
  Frame* f = open.frame.as<Frame>();
  if (!f) return open_role(in, open, target, bind);
  switch (f->kind) {
    case FrameKind::Loop:
    case FrameKind::Grid: return open_loop(in, open, target, bind);
    case FrameKind::While: kernel.open_loop({}, {}); break;
    case FrameKind::If:
      f->then_body = f->else_body = nullptr;
      kernel.open();
      break;
    case FrameKind::Then:
    case FrameKind::Else:
      if (!open_arm(in, open)) return false;
      break;
    default:
      if (target && !bind(f->var ? Value::expr(f->var) : open.frame)) return false;
      kernel.open();
  }
  enter(kernel, open, f->kind == FrameKind::If ? f : nullptr);
  return true;
}

Flow close_frame(Interpreter& in, OpenFrame& open, Flow flow) {
  KernelState& kernel = *in.kernel();
  if (!open.frame.as<Frame>() && flow != Flow::Error && !run_part(in, open.frame, "__epilogue__", open.at)) {
    flow = Flow::Error;
  }
  if (kernel.ifs.size() != open.depth && flow != Flow::Error) {
    flow = fail(in, code::kCondition, open.at, "this frame ends in another order than it began",
                "a generator that yields in a frame must end where it was entered: use it with @contextmanager");
  }
  for (; kernel.ifs.size() > open.depth; kernel.ifs.pop_back()) kernel.close(in.origin(open.statement));
  if (kernel.ifs.size() < open.depth) return Flow::Error;
  const builder::Block made = kernel.close(in.origin(open.statement));
  kernel.ifs.pop_back();
  in.leave(open.levels);
  if (flow == Flow::Error) return flow;
  const Flow emitted = emit_frame(in, open, made);
  return emitted == Flow::Error ? emitted : flow;
}

Flow in_frame(Interpreter& in, Value frame, const FrameItem& item) {
  OpenFrame open{frame, item.at, item.statement};
  return open_frame(in, open, item.target, item.bind) ? close_frame(in, open, item.rest()) : Flow::Error;
}

namespace {

bool is_loop(const Frame& f) { return f.kind == FrameKind::Loop || f.kind == FrameKind::Grid; }

// A loop that a function enters itself: its variables are kept with the frame, which has no attributes, until it ends.
Value entered_loop(Interpreter& in, const OpenFrame& open) {
  Frame* f = open.frame.as<Frame>();
  std::vector<Value> values;
  f->attributes.clear();
  for (const ir::Var* v : open.vars) {
    f->attributes.emplace_back("", v);
    values.push_back(Value::expr(v));
  }
  return f->kind == FrameKind::Grid ? in.tuple(values) : values[0];
}

void restore_loop(Frame& f, OpenFrame& open) {
  for (const auto& [name, variable] : f.attributes) open.vars.push_back(variable.as<ir::Var>());
  open.levels = levels_of(f);
  f.attributes.clear();
}

}  // namespace

Value method_of_frame(Interpreter& in, Value frame, std::string_view name) {
  const FrameKind kind = frame.as<Frame>()->kind;
  if (kind == FrameKind::LaunchThread || !in.kernel()) return Value::error();
  if (name == "__enter__") {
    return in.native(
        name,
        [](Interpreter& i, const Arguments& args, Value self) {
          if (!i.require_kernel(args.call, "a frame")) return Value::error();
          OpenFrame open{self, args.call, args.call};
          if (!open_frame(i, open, nullptr, [](Value) { return true; })) return Value::error();
          return open.vars.empty() ? self : entered_loop(i, open);
        },
        frame);
  }
  if (name != "__exit__") return Value::error();
  return in.native(
      name,
      [](Interpreter& i, const Arguments& args, Value self) {
        if (!i.require_kernel(args.call, "a frame")) return Value::error();
        std::vector<Frame*>& open = i.kernel()->ifs;
        Frame* f = self.as<Frame>();
        const bool arm = f->kind == FrameKind::Then || f->kind == FrameKind::Else;
        const bool last = !open.empty() && open.back() == (f->kind == FrameKind::If ? f : nullptr) &&
                          (!is_loop(*f) || f->attributes.size() == f->loops.ranges.size()) &&
                          (!arm || (open.size() > 1 && open[open.size() - 2]));
        if (!last) {
          return i.fail(code::kCondition, args.call, "this frame is not the last that was entered",
                        "close the frames in it first, or write `with`", "RuntimeError");
        }
        OpenFrame closed{self, args.call, args.call};
        closed.depth = open.size();
        if (is_loop(*f)) restore_loop(*f, closed);
        if (arm) closed.branch = open[open.size() - 2];
        return close_frame(i, closed, Flow::Normal) == Flow::Error ? Value::error() : Value::boolean(false);
      },
      frame);
}

bool is_role(Value v) {
  Instance* instance = v.as<Instance>();
  return instance && instance->cls->find("__branch__");
}

}  // namespace tilewright::script
