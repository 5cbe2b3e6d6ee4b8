// Generator functions (generators.h).
//
// The body of a generator is not run on the C++ stack: what is under way in it (blocks, loops, `with`, `try`) is a list
// of frames, so that it can stop at a `yield`, be kept while both ways of a condition run, and be compared afterwards.
// Statements without a `yield` run as everywhere (HostBody). A `yield` is a statement of its own or the right side of
// an assignment; a function with one elsewhere is not followed. Where what the body does next depends on what is not
// known, the generator is given up: its items are unknown, and so is all that it may change.
#include "compiler/script/generators.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/script/aliases.h"
#include "compiler/script/arrivals.h"
#include "compiler/script/body/frames.h"
#include "compiler/script/body/host_body.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/python/lazy_iterators.h"
#include "compiler/script/python/support.h"
#include "compiler/script/stop_iteration.h"
#include "compiler/script/sure_truth.h"
#include "compiler/script/worlds.h"
#include "compiler/syntax/walk.h"

namespace tilewright::script {

struct GeneratorFrame {
  enum class Kind : std::uint8_t { Block, For, While, With, Try, From };
  enum class Phase : std::uint8_t { Body, Handler, Else, Finally };
  Kind kind;
  const syntax::Node* node = nullptr;
  syntax::Stmts body{};
  std::size_t at = 0;  // the next statement of the body
  Value value{};       // For, From: what it runs over; Try: the position of the handler that runs
  std::vector<Value> entered{};
  std::vector<OpenFrame> open{};  // of those that are frames of the kernel, in the same order
  Phase phase = Phase::Body;
  // How what stands before a `finally` ended.
  Flow flow = Flow::Normal;
  Value returned{};
  std::shared_ptr<const Pending> pending{};
};

namespace {

using syntax::as;
using syntax::Node;
using syntax::NodeKind;
using Statements = std::unordered_set<const Node*>;

// What a statement yields; null: it is none of the kinds that are followed.
const syntax::Unsupported* yield_of(const Node* statement) {
  const Node* value = nullptr;
  if (auto* e = as<syntax::ExprStmt>(statement)) value = e->value;
  if (auto* a = as<syntax::Assign>(statement)) value = a->value;
  if (auto* a = as<syntax::AnnAssign>(statement)) value = a->value;
  auto* made = as<syntax::Unsupported>(value);
  return made && made->yields ? made : nullptr;
}

// Finds the statements that a `yield` stands in.
class Finder {
 public:
  explicit Finder(Statements& found) : found_(found) {}
  // False: one stands where it is not followed.
  bool all(syntax::Stmts body) {
    bool followed = true;
    for (const Node* s : body) followed = one(s) && followed;
    return followed;
  }
  bool any() const { return !found_.empty(); }
  std::size_t looked_at() const { return looked_at_; }

 private:
  bool yields(const Node* root) {
    std::vector<const Node*> todo{root};
    while (!todo.empty()) {
      const Node* n = todo.back();
      todo.pop_back();
      ++looked_at_;
      if (!n || n->kind == NodeKind::FunctionDef || n->kind == NodeKind::Lambda) continue;
      if (auto* made = as<syntax::Unsupported>(n); made && made->yields) return true;
      syntax::for_children(n, [&](const Node* child) { todo.push_back(child); });
    }
    return false;
  }

  bool one(const Node* s) {
    if (!yields(s)) return true;
    found_.insert(s);
    if (auto* y = yield_of(s)) return !yields(y->value);
    if (auto* branch = as<syntax::If>(s)) {
      return !yields(branch->condition) && all(branch->then_body) && all(branch->else_body);
    }
    if (auto* loop = as<syntax::For>(s)) {
      return !loop->is_async && !yields(loop->iterable) && all(loop->body) && all(loop->else_body);
    }
    if (auto* loop = as<syntax::While>(s)) return !yields(loop->condition) && all(loop->body) && all(loop->else_body);
    if (auto* with = as<syntax::With>(s)) {
      const bool plain = std::ranges::none_of(with->items, [this](const auto& item) { return yields(item.value); });
      return !with->is_async && plain && all(with->body);
    }
    auto* attempt = as<syntax::Try>(s);
    if (!attempt) return false;
    bool followed = all(attempt->body) && all(attempt->else_body) && all(attempt->final_body);
    for (const syntax::Handler& h : attempt->handlers) followed = followed && !yields(h.type) && all(h.body);
    return followed;
  }

  Statements& found_;
  std::size_t looked_at_ = 0;
};

bool is_same_frame(const GeneratorFrame& a, const GeneratorFrame& b) {
  return a.kind == b.kind && a.node == b.node && a.body.data() == b.body.data() && a.at == b.at && a.phase == b.phase &&
         a.flow == b.flow && a.pending == b.pending && is_same(a.value, b.value) && is_same(a.returned, b.returned) &&
         std::ranges::equal(a.entered, b.entered, is_same);
}

}  // namespace

class GeneratorSource final : public Source {
 public:
  Next pull(Interpreter& in, Value sent, Value* item, text::Span span) override;
  std::unique_ptr<Source> copy() const override { return std::make_unique<GeneratorSource>(*this); }
  bool same(const Source& other) const override {
    auto* o = dynamic_cast<const GeneratorSource*>(&other);
    return o && o->function == function && o->scope == scope && o->waiting == waiting && o->done == done &&
           o->lost == lost && is_same(o->result, result) && std::ranges::equal(o->frames, frames, is_same_frame);
  }
  std::vector<Value> parts() const override {
    std::vector<Value> out{result};
    for (const Scope::Binding& b : scope->bindings) out.push_back(b.value);
    for (const GeneratorFrame& f : frames) {
      out.push_back(f.value);
      out.insert(out.end(), f.entered.begin(), f.entered.end());
    }
    return out;
  }
  void add_held(std::vector<Object*>& held) const override {
    held.push_back(function);
    held.push_back(scope);
    for (const GeneratorFrame& f : frames) {
      for (Value v : {f.returned, f.pending ? f.pending->exception : Value::none()}) {
        if (v.is_object()) held.push_back(v.o);
      }
      if (!f.pending) continue;
      for (Value v : f.pending->given) {
        if (v.is_object()) held.push_back(v.o);
      }
      for (const Function* left : f.pending->through) held.push_back(const_cast<Function*>(left));
    }
  }
  void add_changed(Interpreter& in, const char* why, std::vector<Value>& changed) const override {
    if (done && lost == nullptr) return;
    add_changed_by(in, Value::object(function), why, changed);
  }
  // Does leaving it run anything of the script's?
  bool has_cleanup() const {
    return std::ranges::any_of(frames, [](const GeneratorFrame& f) {
      return f.kind == GeneratorFrame::Kind::Try || f.kind == GeneratorFrame::Kind::With ||
             f.kind == GeneratorFrame::Kind::From;
    });
  }

  Function* function = nullptr;
  Scope* scope = nullptr;
  std::shared_ptr<const Statements> yielding;
  std::vector<GeneratorFrame> frames;
  const Node* waiting = nullptr;  // the `yield` that it stopped at
  bool done = false;
  const char* lost = nullptr;  // why it was given up; null: it was not
  Value result;
};

// One stretch of a generator, from a `yield` to the next.
class GeneratorRun {
 public:
  GeneratorRun(Interpreter& in, GeneratorSource& source, text::Span span)
      : in_(in), source_(source), host_(in), span_(span), guard_(in) {
    guard_.enter(false, source.function->anchor, source.function->keep);
  }

  // Goes on where it stopped: there `sent` comes in, or what is pending.
  Next run(Value sent, Value* item) {
    if (source_.lost) {
      *item = Value::opaque(source_.lost);
      in_.errors_.pending.reset();
      return Next::Unknown;
    }
    if (source_.done) return in_.errors_.pending ? Next::Failed : Next::End;
    const int tries = static_cast<int>(std::ranges::count_if(source_.frames, is_catching));
    const Value outer = in_.return_value_;
    bool left = false;
    Next next;
    {
      Arrivals here(in_, tries > 0);
      in_.tries_ += tries;
      const int before = in_.tries_;
      next = to_next(sent, item, here);
      in_.tries_ = before - tries;
      left = !here.take().empty();
    }
    in_.return_value_ = outer;
    if (left) next = give_up(Value::opaque("a statement that may end in several ways"), item);
    if (left && next == Next::Unknown) {  // an exception may have left it as well
      ++in_.acts_;
      if (!in_.may_raise(span_)) return Next::Failed;
    }
    if (next == Next::End || next == Next::Failed) {
      source_.done = true;
      source_.frames.clear();
    }
    return next;
  }

 private:
  using Kind = GeneratorFrame::Kind;
  using Phase = GeneratorFrame::Phase;

  static bool is_catching(const GeneratorFrame& f) {
    auto* attempt = f.kind == Kind::Try ? as<syntax::Try>(f.node) : nullptr;
    return f.kind == Kind::With || (attempt && f.phase == Phase::Body && !attempt->handlers.empty());
  }

  Next give_up(Value unknown, Value* item) {
    in_.errors_.pending.reset();
    in_.assume();
    source_.lost = unknown.reason();
    std::vector<Value> changed = source_.parts();
    source_.add_changed(in_, source_.lost, changed);
    for (Value v : changed) {
      if (!in_.lose(v, source_.lost)) return Next::Failed;
    }
    *item = unknown;
    if (in_.kernel_) {
      in_.fail(code::kOpaque, span_, "what this generator does next is not known here: " + in_.whence(unknown),
               in_.remedy(unknown));
      return Next::Failed;
    }
    return Next::Unknown;
  }

  Next to_next(Value sent, Value* item, Arrivals& here) {
    Flow flow = in_.errors_.pending ? Flow::Error : Flow::Normal;
    if (const Node* s = std::exchange(source_.waiting, nullptr); s && flow == Flow::Normal) flow = deliver(s, sent);
    sent_ = sent;
    while (!source_.frames.empty() && unknown_.is_none()) {
      if (flow == Flow::Error && (!in_.errors_.pending || in_.errors_.pending->fatal)) return Next::Failed;
      GeneratorFrame& f = source_.frames.back();
      if (flow != Flow::Normal) {
        flow = leave(flow);
      } else if (f.kind == Kind::From) {
        const Next next = from_inner(item, flow);
        if (next == Next::Item) return next;
      } else if (f.at == f.body.size()) {
        flow = end_of_body(flow);
      } else {
        const Node* s = f.body[f.at++];
        if (!in_.step(in_.span(s))) return Next::Failed;
        if (source_.yielding->contains(s)) {
          bool yields = false;
          flow = enter(s, item, &yields);
          if (yields) return Next::Item;
        } else {
          flow = host_.one(s, source_.scope);
          if (!here.empty()) return Next::Unknown;
        }
      }
    }
    if (!unknown_.is_none()) return give_up(unknown_, item);
    if (flow == Flow::Error) return Next::Failed;
    source_.result = flow == Flow::Return ? in_.return_value_ : Value::none();
    return Next::End;
  }

  // What the `yield` gives where the statement goes on.
  Flow deliver(const Node* s, Value v) {
    if (auto* a = as<syntax::Assign>(s)) {
      const bool done =
          std::ranges::all_of(a->targets, [&](const Node* target) { return host_.assign(target, v, source_.scope); });
      return done ? Flow::Normal : Flow::Error;
    }
    if (auto* a = as<syntax::AnnAssign>(s)) {
      return host_.assign(a->target, v, source_.scope) ? Flow::Normal : Flow::Error;
    }
    return Flow::Normal;
  }

  void push(Kind kind, const Node* node, syntax::Stmts body, Value value = Value()) {
    GeneratorFrame f{kind, node, body};
    f.value = value;
    source_.frames.push_back(std::move(f));
  }

  Flow from_statement(const Node* s, const syntax::Unsupported* y, Value v) {
    const Value inner = in_.iterator_of(v, in_.span(y->value));
    if (inner.is_error()) return Flow::Error;
    if (inner.is_opaque()) unknown_ = inner;
    push(Kind::From, s, {}, inner);
    sent_ = Value::none();
    return Flow::Normal;
  }

  Next from_inner(Value* item, Flow& flow) {
    const Value inner = source_.frames.back().value;
    Iterator* iterator = inner.as<Iterator>();
    const Value sent = std::exchange(sent_, Value::none());
    const Next next = iterator ? send_to(in_, iterator, sent, item, span_) : in_.next_of(inner, item, span_);
    if (next == Next::Item) return next;
    if (next == Next::Unknown) unknown_ = *item;
    if (next == Next::Failed) flow = Flow::Error;
    if (next != Next::End) return next;
    const Node* s = source_.frames.back().node;
    source_.frames.pop_back();
    flow = deliver(s, iterator ? returned_by(iterator) : Value::none());
    return next;
  }

  Flow enter(const Node* s, Value* item, bool* yields) {
    if (auto* y = yield_of(s)) {
      const Value v = y->value ? in_.eval(y->value, source_.scope) : Value::none();
      if (v.is_error()) return Flow::Error;
      if (y->from) return from_statement(s, y, v);
      source_.waiting = s;
      *item = v;
      *yields = true;
      return Flow::Normal;
    }
    if (auto* branch = as<syntax::If>(s)) {
      const std::optional<bool> holds = truth(branch->condition);
      if (holds) push(Kind::Block, s, *holds ? branch->then_body : branch->else_body);
      return holds || !unknown_.is_none() ? Flow::Normal : Flow::Error;
    }
    if (auto* loop = as<syntax::For>(s)) {
      const Value over = in_.eval_iterable(loop->iterable, source_.scope);
      const Value iterator = over.is_error() ? over : in_.iterator_of(over, in_.span(loop->iterable));
      if (iterator.is_error()) return Flow::Error;
      if (iterator.is_opaque()) unknown_ = iterator;
      push(Kind::For, s, {}, iterator);
      return Flow::Normal;
    }
    if (as<syntax::While>(s)) {
      push(Kind::While, s, {});
      return Flow::Normal;
    }
    if (auto* attempt = as<syntax::Try>(s)) {
      push(Kind::Try, s, attempt->body);
      in_.tries_ += attempt->handlers.empty() ? 0 : 1;
      return Flow::Normal;
    }
    return enter_with(as<syntax::With>(s));
  }

  Flow enter_with(const syntax::With* node) {
    GeneratorFrame f{Kind::With, node, node->body};
    for (const syntax::WithItem& item : node->items) {
      const Value v = in_.eval(item.value, source_.scope);
      if (v.is_error()) return abandon(f);
      Value as = v;
      if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__enter__")) {
        const text::Span at = in_.span(item.value);
        as = in_.call(in_.attribute(v, "__enter__", at), std::span<const Value>(), at);
        if (as.is_error()) return abandon(f);
        f.entered.push_back(v);
      } else if (python::is_suppressing(in_, v)) {
        f.entered.push_back(v);
      } else if (in_.kernel_ && (v.as<Frame>() || is_role(v))) {
        const std::function<bool(Value)> bind = [&](Value bound) {
          return host_.assign(item.target, bound, source_.scope);
        };
        OpenFrame open{v, in_.span(item.value), in_.span(node)};
        if (!open_frame(in_, open, item.target, bind)) return abandon(f);
        f.entered.push_back(v);
        f.open.push_back(std::move(open));
        continue;
      }
      if (item.target && !host_.assign(item.target, as, source_.scope)) return abandon(f);
    }
    source_.frames.push_back(std::move(f));
    return Flow::Normal;
  }

  // Nothing: an error is pending, or it is not known.
  std::optional<bool> truth(const Node* condition) {
    const Value c = in_.eval(condition, source_.scope);
    if (c.is_error()) return std::nullopt;
    if (c.is_opaque()) {
      if (const auto sure = sure_truth(in_, condition, source_.scope)) return sure;
    }
    if (c.is_opaque() || c.is_poison()) {
      unknown_ = c.is_opaque() ? Value::opaque(in_.depends_on(c, in_.span(condition))) : Value::opaque("an error");
      return std::nullopt;
    }
    return in_.truth(c, in_.span(condition));
  }

  // The innermost body has run to its end.
  Flow end_of_body(Flow flow) {
    GeneratorFrame& f = source_.frames.back();
    switch (f.kind) {
      case Kind::For: return next_round(f);
      case Kind::While: {
        auto* loop = as<syntax::While>(f.node);
        const std::optional<bool> holds = truth(loop->condition);
        if (!holds) return unknown_.is_none() ? Flow::Error : Flow::Normal;
        if (*holds) {
          f.body = loop->body;
          f.at = 0;
        } else {
          replace(Kind::Block, loop->else_body);
        }
        return Flow::Normal;
      }
      case Kind::With: return leave_with(flow);
      case Kind::Try: return end_of_try(flow);
      default: source_.frames.pop_back(); return flow;
    }
  }

  void replace(Kind kind, syntax::Stmts body) {
    const Node* node = source_.frames.back().node;
    source_.frames.pop_back();
    push(kind, node, body);
  }

  Flow next_round(GeneratorFrame& f) {
    auto* loop = as<syntax::For>(f.node);
    Value v;
    switch (in_.next_of(f.value, &v, in_.span(loop->iterable))) {
      case Next::Failed: return Flow::Error;
      case Next::Unknown: unknown_ = v; return Flow::Normal;
      case Next::End: replace(Kind::Block, loop->else_body); return Flow::Normal;
      case Next::Item: break;
    }
    f.body = loop->body;
    f.at = 0;
    return host_.assign(loop->target, v, source_.scope) ? Flow::Normal : Flow::Error;
  }

  // The statement ends before its body begins.
  Flow abandon(GeneratorFrame& f) {
    for (; !f.open.empty(); f.open.pop_back()) close_frame(in_, f.open.back(), Flow::Error);
    return Flow::Error;
  }

  Flow leave_with(Flow flow) {
    GeneratorFrame f = source_.frames.back();
    source_.frames.pop_back();
    for (std::size_t i = f.entered.size(); i-- > 0;) {
      const Value v = f.entered[i];
      if (v.as<Frame>() || is_role(v)) {
        flow = close_frame(in_, f.open.back(), flow);
        f.open.pop_back();
      } else {
        flow = host_.exit(v, as<syntax::With>(f.node), source_.scope, flow);
      }
    }
    return flow;
  }

  Flow end_of_try(Flow flow) {
    GeneratorFrame& f = source_.frames.back();
    auto* attempt = as<syntax::Try>(f.node);
    if (f.phase == Phase::Handler) {
      const syntax::Name& bound = attempt->handlers[static_cast<std::size_t>(f.value.i)].bound;
      if (!bound.text.empty()) source_.scope->erase(bound);
    }
    if (f.phase == Phase::Body) in_.tries_ -= attempt->handlers.empty() ? 0 : 1;
    if (f.phase == Phase::Body && flow == Flow::Normal && !attempt->else_body.empty()) {
      return start(f, Phase::Else, attempt->else_body);
    }
    if (f.phase == Phase::Finally) {
      const GeneratorFrame ended = f;
      source_.frames.pop_back();
      if (flow != Flow::Normal) return flow;  // it ended otherwise itself
      in_.return_value_ = ended.returned;
      if (ended.pending) in_.errors_.pending = *ended.pending;
      return ended.flow;
    }
    if (attempt->final_body.empty()) {
      source_.frames.pop_back();
      return flow;
    }
    f.flow = flow;
    f.returned = in_.return_value_;
    f.pending = in_.errors_.pending ? std::make_shared<const Pending>(*in_.errors_.pending) : nullptr;
    in_.errors_.pending.reset();
    return start(f, Phase::Finally, attempt->final_body);
  }

  static Flow start(GeneratorFrame& f, Phase phase, syntax::Stmts body) {
    f.phase = phase;
    f.body = body;
    f.at = 0;
    return Flow::Normal;
  }

  // The first handler that takes what is pending begins. False: none does.
  bool handle(GeneratorFrame& f, Flow& flow) {
    const Pending& pending = *in_.errors_.pending;
    if (is_ours(pending) || pending.exception.is_opaque()) {
      unknown_ = Value::opaque("an exception that is not known");
      return true;
    }
    const auto& handlers = as<syntax::Try>(f.node)->handlers;
    for (std::size_t i = 0; i < handlers.size(); ++i) {
      const syntax::Handler& h = handlers[i];
      const std::optional<bool> taken = host_.catches(h, source_.scope);
      if (!taken) return false;
      if (!*taken) continue;
      const Pending caught = in_.take_pending();
      if (!caught.certain) in_.assume();
      if (!h.bound.text.empty()) {
        source_.scope->set(h.bound, python::exception_value(in_, caught));
      }
      in_.tries_ -= 1;
      f.value = Value::integer(static_cast<std::int64_t>(i));
      flow = start(f, Phase::Handler, h.body);
      return true;
    }
    return false;
  }

  // The innermost body is left by `flow`.
  Flow leave(Flow flow) {
    GeneratorFrame& f = source_.frames.back();
    switch (f.kind) {
      case Kind::For:
      case Kind::While:
        if (flow == Flow::Continue) {
          f.at = f.body.size();
          return Flow::Normal;
        }
        source_.frames.pop_back();
        return flow == Flow::Break ? Flow::Normal : flow;
      case Kind::With: return leave_with(flow);
      case Kind::Try:
        if (f.phase == Phase::Body && flow == Flow::Error && !as<syntax::Try>(f.node)->handlers.empty()) {
          Flow next = flow;
          if (handle(f, next)) return next;
        }
        return end_of_try(flow);
      default: source_.frames.pop_back(); return flow;
    }
  }

  Interpreter& in_;
  GeneratorSource& source_;
  HostBody host_;
  const text::Span span_;
  ModeGuard guard_;
  Value sent_;
  Value unknown_;  // what the body depends on and is not known; None: nothing
};

Next GeneratorSource::pull(Interpreter& in, Value sent, Value* item, text::Span span) {
  return GeneratorRun(in, *this, span).run(sent, item);
}

Value make_generator(Interpreter& in, Function* function, Scope* scope) {
  auto yielding = std::make_shared<Statements>();
  Finder finder(*yielding);
  const bool followed = finder.all(function->def->body);
  constexpr std::size_t kWorkOfNode = 4;
  if (!in.charge(kWorkOfNode * finder.looked_at(), in.span(function->def->name.at))) return Value::error();
  if (!followed || !finder.any()) return Value::none();
  auto source = std::make_unique<GeneratorSource>();
  source->function = function;
  source->scope = scope;
  source->yielding = std::move(yielding);
  GeneratorFrame body{GeneratorFrame::Kind::Block, function->def, function->def->body};
  source->frames.push_back(std::move(body));
  Interpreter::hold(scope);
  const GeneratorSource* of_it = source.get();
  Iterator* it = in.make<Iterator>();
  it->source = std::move(source);
  constexpr std::size_t kBytes = 256, kBytesOfStatement = 64;
  in.heap().count(sizeof(GeneratorSource) + kBytes + kBytesOfStatement * of_it->yielding->size());
  return Value::object(it);
}

namespace {

// The source of a generator that is not running, out of it while it runs.
template <class F>
Next with_source(Interpreter& in, Iterator* generator, text::Span span, F&& run) {
  if (generator->is_running) {
    in.fail(code::kValue, span, "the generator is running already", {}, "ValueError");
    return Next::Failed;
  }
  constexpr std::uint32_t kLevels = 6;
  if (!in.step(span) || !in.enter(kLevels, span)) return Next::Failed;
  std::unique_ptr<Source> source = std::move(generator->source);
  generator->is_running = true;
  const Next next = run(*source);
  generator->is_running = false;
  generator->source = std::move(source);
  in.leave(kLevels);
  return next;
}

}  // namespace

Next send_to(Interpreter& in, Iterator* generator, Value sent, Value* item, text::Span span) {
  if (generator->next < generator->items.size()) {
    *item = generator->items[generator->next++];
    return Next::Item;
  }
  if (!generator->source && !generator->is_running) return Next::End;
  return with_source(in, generator, span, [&](Source& s) { return s.pull(in, sent, item, span); });
}

Next throw_into(Interpreter& in, Iterator* generator, Value exception, Value* item, text::Span span) {
  auto* source = dynamic_cast<GeneratorSource*>(generator->source.get());
  if (!source || source->done ||
      (source->waiting == nullptr && source->frames.size() == 1 && source->frames[0].at == 0)) {
    if (source) source->done = true;
    in.raise(exception, span);
    return Next::Failed;
  }
  return with_source(in, generator, span, [&](Source& s) {
    in.raise(exception, span);
    return s.pull(in, Value::none(), item, span);
  });
}

bool close_generator(Interpreter& in, Iterator* generator, text::Span span) {
  auto* source = dynamic_cast<GeneratorSource*>(generator->source.get());
  if (!source || source->done || source->lost) return true;
  const Class* leaving = python::class_named(in, "GeneratorExit");
  if (!source->has_cleanup() || !leaving) {
    source->done = true;
    source->frames.clear();
    return true;
  }
  const Value exception = Value::object(python::make_exception(in, const_cast<Class*>(leaving), {}));
  Value item;
  if (throw_into(in, generator, exception, &item, span) != Next::Failed) return true;
  if (!in.has_pending()) return false;
  Pending pending = in.take_pending();
  if (in.is_identical(pending.exception, exception)) return true;
  python::raise_again(in, pending, span);
  return false;
}

Value returned_by(const Iterator* generator) {
  auto* source = dynamic_cast<const GeneratorSource*>(generator->source.get());
  return source ? source->result : Value::none();
}

Value stop_iteration(Interpreter& in, Value iterator, std::string words, text::Span span) {
  Iterator* it = iterator.as<Iterator>();
  auto* source = it ? dynamic_cast<GeneratorSource*>(it->source.get()) : nullptr;
  const Value result = source ? std::exchange(source->result, Value::none()) : Value::none();
  if (result.is_none()) return in.fail(code::kValue, span, std::move(words), {}, "StopIteration");
  Class* cls = python::class_named(in, "StopIteration");
  return in.raise(Value::object(python::make_exception(in, cls, {result})), span);
}

// ---- iteration in general -----------------------------------------------------------------------------------------

Value Interpreter::iterator_of(Value v, text::Span span) {
  if (MetaVar* m = v.as<MetaVar>()) v = m->value;
  if (v.as<Iterator>() || v.is_opaque() || v.is_error()) return v;
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__iter__")) {
    const Value made = call(attribute(v, "__iter__", span), std::span<const Value>(), span);
    Instance* own = made.as<Instance>();
    if (made.is_error() || made.is_opaque() || made.as<Iterator>() || (own && own->cls->find("__next__"))) return made;
    v = made;
  }
  const python::TableRun table(v);
  if (v.as<List>() && !table) return python::list_iterator(*this, v, span);
  if (table) return python::table_iterator(*this, v, span);
  auto items = iterate(v, span);
  if (!items) return Value::error();
  Iterator* it = make<Iterator>();
  heap_.count(items->size() * sizeof(Value));
  it->items = std::move(*items);
  return Value::object(it);
}

Next Interpreter::next_of(Value iterator, Value* item, text::Span span) {
  if (Iterator* it = iterator.as<Iterator>()) return send_to(*this, it, Value::none(), item, span);
  if (iterator.is_opaque()) {
    *item = iterator;
    return Next::Unknown;
  }
  *item = call(attribute(iterator, "__next__", span), std::span<const Value>(), span);
  if (item->is_opaque()) return Next::Unknown;
  if (!item->is_error()) return Next::Item;
  if (!errors_.pending || errors_.pending->fatal || errors_.pending->exception.is_opaque()) return Next::Failed;
  if (!python::is_exception(*this, *errors_.pending, "StopIteration")) return Next::Failed;
  errors_.pending.reset();
  return Next::End;
}

}  // namespace tilewright::script
