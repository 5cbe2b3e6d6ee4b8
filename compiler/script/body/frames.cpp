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

Flow in_loop(Interpreter& in, Frame* f, const FrameItem& item) {
  KernelState& kernel = *in.kernel();
  const std::size_t count = f->loops.ranges.size();
  const std::vector<std::string> names = variable_names(*f, item.target);
  std::vector<const ir::Var*> vars;
  std::vector<Value> values;
  for (std::size_t i = 0; i < count; ++i) {
    vars.push_back(kernel.loop_variable(f->loops, i, names[i]));
    values.push_back(Value::expr(vars.back()));
  }
  auto nested = static_cast<std::uint32_t>(2 * std::min<std::size_t>(count - 1, 1 << 20));
  if (!in.enter(nested, item.at)) return Flow::Error;
  kernel.open_loop(f->loops, vars);
  const bool bound = !item.target || item.bind(f->kind == FrameKind::Grid ? in.tuple(values) : values[0]);
  const Flow flow = bound ? item.rest() : Flow::Error;
  const builder::Block made = kernel.close(in.origin(item.statement));
  in.leave(nested);
  if (flow != Flow::Error) kernel.loop(in.origin(item.at), f->loops, vars, made);
  return flow;
}

Flow in_while(Interpreter& in, Frame* f, const FrameItem& item) {
  KernelState& kernel = *in.kernel();
  kernel.open_loop({}, {});
  const Flow flow = item.rest();
  const builder::Block made = kernel.close(in.origin(item.statement));
  if (flow != Flow::Error) kernel.while_loop(in.origin(item.at), f->condition, made);
  return flow;
}

bool is_empty(builder::Block made) {
  const auto* seq = made ? ir::as<ir::Seq>(made) : nullptr;
  return !made || (seq && seq->body.empty());
}

Flow in_if(Interpreter& in, Frame* f, const FrameItem& item) {
  KernelState& kernel = *in.kernel();
  f->then_body = f->else_body = nullptr;
  kernel.ifs.push_back(f);
  kernel.open();
  const Flow flow = item.rest();
  const builder::Block outside = kernel.close(in.origin(item.statement));
  kernel.ifs.pop_back();
  if (flow == Flow::Error) return flow;
  if (!is_empty(outside)) {
    return fail(in, code::kCondition, item.at, "statements of a T.If stand in one of its arms",
                "put them below `with T.Then():` or `with T.Else():`");
  }
  if (!f->then_body) {
    return fail(in, code::kCondition, item.at, "this T.If has no `with T.Then():`", "write `with T.Then():` in it");
  }
  kernel.branch(in.origin(item.at), f->condition, f->then_body, f->else_body);
  return flow;
}

Flow in_arm(Interpreter& in, Frame* f, const FrameItem& item) {
  KernelState& kernel = *in.kernel();
  const bool is_then = f->kind == FrameKind::Then;
  const std::string name = is_then ? "T.Then" : "T.Else";
  if (kernel.ifs.empty() || !kernel.ifs.back()) {
    return fail(in, code::kCondition, item.at, name + " stands in no `with T.If(...):`");
  }
  Frame* branch = kernel.ifs.back();
  builder::Block Frame::* arm = is_then ? &Frame::then_body : &Frame::else_body;
  if (branch->*arm) return fail(in, code::kCondition, item.at, "this T.If has a " + name + " already");
  if (!is_then && !branch->then_body) {
    return fail(in, code::kCondition, item.at, "T.Else follows the T.Then of its T.If",
                "write `with T.Then():` above it");
  }
  kernel.ifs.push_back(nullptr);  // what is inside belongs to no T.If around
  kernel.open();
  const Flow flow = item.rest();
  const builder::Block made = kernel.close(in.origin(item.statement));
  kernel.ifs.pop_back();
  if (flow != Flow::Error) branch->*arm = made;
  return flow;
}

Flow in_attributes(Interpreter& in, Frame* f, const FrameItem& item) {
  KernelState& kernel = *in.kernel();
  if (item.target && !item.bind(f->var ? Value::expr(f->var) : Value::object(f))) return Flow::Error;
  kernel.open();
  const Flow flow = item.rest();
  const builder::Block made = kernel.close(in.origin(item.statement));
  if (flow == Flow::Error) return flow;
  if (f->kind == FrameKind::Attribute) {
    kernel.attributes(in.origin(item.at), f->attributes, f->node, made);
  } else {
    kernel.emit(made);
  }
  return flow;
}

}  // namespace

Flow in_frame(Interpreter& in, Frame* f, const FrameItem& item) {
  switch (f->kind) {
    case FrameKind::Loop:
    case FrameKind::Grid: return in_loop(in, f, item);
    case FrameKind::While: return in_while(in, f, item);
    case FrameKind::If: return in_if(in, f, item);
    case FrameKind::Then:
    case FrameKind::Else: return in_arm(in, f, item);
    default: return in_attributes(in, f, item);
  }
}

bool is_role(Value v) {
  Instance* instance = v.as<Instance>();
  return instance && instance->cls->find("__branch__");
}

static bool run_part(Interpreter& in, Value role, std::string_view part, text::Span at) {
  if (!role.as<Instance>()->cls->find(part)) return true;
  return !in.call(in.attribute(role, part, at), std::span<const Value>(), at).is_error();
}

Flow in_role(Interpreter& in, Value role, const FrameItem& item) {
  KernelState& kernel = *in.kernel();
  const Value c = in.call(in.attribute(role, "__branch__", item.at), std::span<const Value>(), item.at);
  if (c.is_error()) return Flow::Error;
  const ir::Expr condition = in.as_expr(c, item.at, "the condition of this role");
  if (!condition || (item.target && !item.bind(role))) return Flow::Error;
  kernel.ifs.push_back(nullptr);  // what is inside belongs to no T.If around
  kernel.open();
  Flow flow = run_part(in, role, "__prologue__", item.at) ? item.rest() : Flow::Error;
  if (flow != Flow::Error && !run_part(in, role, "__epilogue__", item.at)) flow = Flow::Error;
  const builder::Block made = kernel.close(in.origin(item.statement));
  kernel.ifs.pop_back();
  if (flow == Flow::Error) return flow;
  kernel.roles.emplace_back(condition, role);
  kernel.branch(in.origin(item.at), condition, made, nullptr);
  return flow;
}

}  // namespace tilewright::script
