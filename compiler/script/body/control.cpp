// Branches and loops of a kernel (surface.md 5.2).
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "compiler/script/body/kernel_body.h"

namespace tilewright::script {

using syntax::NodeKind;

builder::Block KernelBody::close(Flow flow, text::Span span) {
  builder::Block made = kernel_.close(in_.origin(span));
  return flow == Flow::Error ? nullptr : made;
}

builder::Block KernelBody::body(syntax::Stmts statements, Scope* scope, text::Span span) {
  kernel_.open();
  return close(run(statements, scope), span);
}

Flow KernelBody::look_into(std::initializer_list<syntax::Stmts> arms, Scope* scope, text::Span span) {
  kernel_.open();
  Flow flow = Flow::Normal;
  for (auto arm = arms.begin(); arm != arms.end() && flow != Flow::Error; ++arm) flow = run(*arm, block(scope));
  return close(flow, span) ? Flow::Normal : Flow::Error;
}

Flow KernelBody::branch(const syntax::If* node, Scope* scope) {
  Value c = in_.eval(node->condition, scope);
  if (c.is_error()) return Flow::Error;
  if (MetaVar* m = c.as<MetaVar>()) c = m->value;
  if (c.as<BufferValue>() && in_.can_be_expr(c)) c = Value::expr(in_.as_expr(c, at(node->condition)));
  if (c.is_bool()) {
    // From 0.26 on the names that the taken branch binds stay visible behind it, as in Python.
    Scope* inside = in_.dialect() < text::Dialect::V0_26 ? block(scope) : scope;
    return run(c.b ? node->then_body : node->else_body, inside) == Flow::Error ? Flow::Error : Flow::Normal;
  }
  if (c.is_poison()) return look_into({node->then_body, node->else_body}, scope, at(node));
  if (c.is_opaque()) {
    return fail(code::kOpaque, at(node->condition), "this condition is not known here: " + in_.whence(c),
                in_.remedy(c));
  }
  if (!c.is_expr() || !builder::KernelBuilder::is_condition(c.as_expr())) {
    return fail(code::kCondition, at(node->condition),
                "If condition must be a boolean expression, not " +
                    (c.is_expr() ? ir::dtype_name(c.as_expr().dtype()) : std::string(type_name(c))),
                "compare it, e.g. x != 0, or make it a Python bool");
  }
  // Printed kernels keep branches that are never taken, with accesses that could not be.
  const std::int64_t* known = ir::constant(c.as_expr());
  auto arm = [&](syntax::Stmts statements, bool taken) {
    const int outer = kernel_.never_taken;
    if (known && (*known != 0) != taken) ++kernel_.never_taken;
    builder::Block made = body(statements, block(scope), at(node));
    kernel_.never_taken = outer;
    return made;
  };
  builder::Block then_body = arm(node->then_body, true);
  if (!then_body) return Flow::Error;
  builder::Block else_body = nullptr;
  if (!node->else_body.empty()) {
    else_body = arm(node->else_body, false);
    if (!else_body) return Flow::Error;
  }
  kernel_.branch(origin(node->condition), c.as_expr(), then_body, else_body);
  return Flow::Normal;
}

// ---- loops ----------------------------------------------------------------------------------------------------

namespace {

// The names of a `for`. One variable a range; the target takes them as an assignment would: one name all of them, a
// starred one the rest.
struct LoopTarget {
  std::vector<syntax::Name> names;
  bool unpacks = false;   // written as a sequence
  std::size_t star = 0;   // which name is starred; their number: none
  std::size_t count = 0;  // of variables
  bool starred() const { return star != names.size(); }
  std::size_t rest() const { return starred() ? count + 1 - names.size() : 0; }  // variables of the starred name

  // The name that stands for a variable alone; null: it is one of several that a name gathers.
  const syntax::Name* own(std::size_t variable) const {
    if (!unpacks) return count == 1 ? names.data() : nullptr;
    if (starred() && variable >= star && variable < star + rest()) return nullptr;
    return &names[starred() && variable >= star ? variable + 1 - rest() : variable];
  }
  // What gathers those without one; null: nothing does.
  const syntax::Name* gatherer() const {
    return starred() ? &names[star] : !unpacks && count != 1 ? names.data() : nullptr;
  }
  std::string variable_name(std::size_t variable) const {
    if (const syntax::Name* name = own(variable)) return std::string(name->text);
    return starred() ? std::string(names[star].text) + "_" + std::to_string(variable - star) : "i";
  }
};

enum class Read : std::uint8_t { Fine, Broken, Refused };  // Broken: half-typed, which the parser has said

Read read_target(Interpreter& in, const syntax::For* node, LoopTarget& target) {
  syntax::Exprs written;
  const syntax::Node* single[] = {node->target};
  if (auto* t = syntax::as<syntax::Tuple>(node->target))
    written = t->elements;
  else if (auto* l = syntax::as<syntax::List>(node->target))
    written = l->elements;
  else
    written = single;
  target.unpacks = written.data() != single;
  target.star = written.size();
  for (std::size_t i = 0; i < written.size(); ++i) {
    const syntax::Node* name = written[i];
    if (auto* s = syntax::as<syntax::Starred>(name); s && target.unpacks && target.star == written.size()) {
      target.star = i;
      name = s->value;
    }
    auto* ref = syntax::as<syntax::NameRef>(name);
    if (!ref) {
      if (name->kind == NodeKind::Broken) return Read::Broken;
      in.fail(code::kLoop, in.span(name), "a loop target must be a name");
      return Read::Refused;
    }
    if (std::ranges::find(target.names, ref->name) != target.names.end()) {
      in.fail(code::kLoop, in.span(name), "'" + std::string(ref->name.text) + "' names two variables of this loop");
      return Read::Refused;
    }
    target.names.push_back(ref->name);
  }
  return Read::Fine;
}

// False: an error is pending.
bool fits(Interpreter& in, const syntax::For* node, const LoopTarget& target, bool is_grid) {
  const std::size_t count = target.count, named = target.names.size();
  bool fit = target.unpacks ? (target.starred() ? count + 1 >= named : count == named) : count == 1 || is_grid;
  bool single_variable = target.unpacks && count == 1;  // which is no sequence
  if (fit && !single_variable) return true;
  in.fail(code::kLoop, in.span(node->target),
          "this loop has " + std::to_string(count) + (count == 1 ? " variable, " : " variables, ") +
              (fit ? "there is nothing to unpack" : std::to_string(named) + (named == 1 ? " is named" : " are named")));
  return false;
}

}  // namespace

Value KernelBody::serial_range(const syntax::Call* call, const syntax::NameRef* callee, const syntax::For* node,
                               Scope* scope) {
  Value serial = in_.attribute(tirx_namespace(in_), "__range__", at(callee));
  std::vector<Value> args;
  std::vector<text::Span> spans;
  std::vector<Keyword> keywords;
  for (const syntax::Node* a : call->args) {
    auto* star = syntax::as<syntax::Starred>(a);
    Value v = in_.eval(star ? star->value : a, scope);
    if (v.is_error() || v.is_poison()) return v;
    if (star) {
      auto more = in_.iterate(v, at(a));
      if (!more) return Value::error();
      args.insert(args.end(), more->begin(), more->end());
      spans.resize(args.size(), at(a));
      continue;
    }
    args.push_back(v);
    spans.push_back(at(a));
  }
  for (const syntax::Keyword& k : call->keywords) {
    Value v = in_.eval(k.value, scope);
    if (v.is_error()) return v;
    keywords.push_back({k.name.text, v, at(k.value), in_.span(k.name.at)});
  }
  Arguments arguments;
  arguments.positional = args;
  arguments.spans = spans;
  arguments.keywords = keywords;
  arguments.call = at(node->iterable);
  arguments.function = at(callee);
  return in_.call(serial, arguments);
}

// `range(...)` in a `for` of a kernel is always a serial loop of the kernel.
Value KernelBody::iterable(const syntax::For* node, Scope* scope) {
  auto* call = syntax::as<syntax::Call>(node->iterable);
  auto* callee = call ? syntax::as<syntax::NameRef>(call->function) : nullptr;
  if (callee && callee->name.text == "range") {
    Value* found = in_.find_binding(callee->name, scope);
    Value* builtin = in_.builtins().find(callee->name);
    if (found && builtin && in_.is_identical(*found, *builtin)) return serial_range(call, callee, node, scope);
  }
  Value v = in_.eval(node->iterable, scope);
  if (Range* r = v.as<Range>()) {  // a range made elsewhere
    Value bounds[] = {Value::integer(r->start), Value::integer(r->stop), Value::integer(r->step)};
    return in_.call(in_.attribute(tirx_namespace(in_), "__range__", at(node)), bounds, at(node->iterable));
  }
  return v;
}

Flow KernelBody::loop(const syntax::For* node, Scope* scope) {
  Value v = iterable(node, scope);
  if (v.is_error()) return Flow::Error;
  Scope* inner = block(scope);
  if (v.is_poison()) {
    poison(node->target, inner);
    kernel_.open_loop({}, {});
    return close(run(node->body, inner), at(node)) ? Flow::Normal : Flow::Error;
  }
  Frame* f = v.as<Frame>();
  if (!f || (f->kind != FrameKind::Loop && f->kind != FrameKind::Grid)) {
    return fail(code::kLoop, at(node->iterable),
                (v.is_opaque() ? "this iterable is not known here: " + in_.whence(v)
                               : "a kernel cannot loop over " + std::string(type_name(v))),
                "use range, T.serial, T.unroll, T.vectorized, T.parallel, T.grid or T.thread_binding");
  }
  LoopTarget target;
  target.count = f->loops.ranges.size();
  if (Read read = read_target(in_, node, target); read != Read::Fine) {
    return read == Read::Broken ? Flow::Normal : Flow::Error;
  }
  if (!fits(in_, node, target, f->kind == FrameKind::Grid)) return Flow::Error;

  std::vector<const ir::Var*> vars;
  std::vector<Value> gathered;
  for (std::size_t i = 0; i < target.count; ++i) {
    vars.push_back(kernel_.loop_variable(f->loops, i, target.variable_name(i)));
    if (const syntax::Name* own = target.own(i))
      inner->set(*own, Value::expr(vars.back()));
    else
      gathered.push_back(Value::expr(vars.back()));
  }
  if (const syntax::Name* name = target.gatherer()) {
    inner->set(*name, target.starred() ? in_.list(std::move(gathered)) : in_.tuple(std::move(gathered)));
  }

  if (f->loops.kind == ir::LoopKind::Parallel && kernel_.on_device()) {
    in_.warn(code::kSerial, at(node->iterable),
             "each thread that gets here runs all rounds of this loop, one after the other",
             "write T.serial, or share the rounds out: for i in T.serial(first, stop, step=threads)");
  }
  auto nested = static_cast<std::uint32_t>(2 * std::min<std::size_t>(target.count - 1, 1 << 20));  // loops in loops
  if (!in_.enter(nested, at(node->iterable))) return Flow::Error;
  kernel_.open_loop(f->loops, vars);
  builder::Block made = close(run(node->body, inner), at(node));
  in_.leave(nested);
  if (!made) return Flow::Error;
  kernel_.loop(origin(node->target), f->loops, vars, made);
  dropped_else(node->else_body);
  return Flow::Normal;
}

// The reference drops it without a word, so it compiles; but a branch that never runs is no one's intention.
void KernelBody::dropped_else(syntax::Stmts body) {
  if (body.empty()) return;
  in_.warn(code::kUnsupported, at(body.front()), "'else' after a loop of a kernel is dropped: it never runs",
           "write it after the loop, under a condition if it needs one");
}

Flow KernelBody::while_loop(const syntax::While* node, Scope* scope) {
  Value c = in_.eval(node->condition, scope);
  if (c.is_error()) return Flow::Error;
  ir::Expr condition;
  if (!c.is_poison()) {
    condition = in_.as_expr(c, at(node->condition), "the condition");
    if (!condition) return Flow::Error;
    if (!builder::KernelBuilder::is_condition(condition)) {
      return fail(code::kCondition, at(node->condition), "the condition of a loop must be a scalar boolean");
    }
  }
  kernel_.open_loop({}, {});
  builder::Block made = close(run(node->body, block(scope)), at(node));
  if (!made) return Flow::Error;
  if (condition) kernel_.while_loop(origin(node->condition), condition, made);
  dropped_else(node->else_body);
  return Flow::Normal;
}

}  // namespace tilewright::script
