// Both ways of a condition that is not known (worlds.h).
#include <algorithm>

#include "compiler/script/arrivals.h"
#include "compiler/script/literals.h"
#include "compiler/syntax/effects.h"

namespace tilewright::script {

using syntax::NodeKind;

namespace {

constexpr int kMaxWorlds = 40;                 // one in the other, as `elif` after `elif` is
constexpr std::uint64_t kStepsOfWay = 50'000;  // beyond them a way is not followed, with all ways inside

}  // namespace

bool is_of_python(const Pending& p) {
  // Of what the interpreter itself raises, these are never its own limits.
  constexpr std::string_view kTypes[] = {"AssertionError",      "ImportError",   "IndexError", "KeyError",
                                         "ModuleNotFoundError", "StopIteration", "ValueError", "ZeroDivisionError"};
  if (p.refused || !p.exception.is_none() || p.diagnostic.code == code::kRaised) return true;
  const std::string_view code = p.diagnostic.code;
  if (code == code::kOpaque || code == code::kUnsupported || code == code::kLimit) return false;
  return p.of_python || std::ranges::find(kTypes, p.type) != std::end(kTypes);
}

bool may_leave(syntax::Stmts body) {
  const syntax::Effects effects = syntax::effects_of(body);
  return effects.returns || effects.breaks || effects.continues;
}

// ---- what to say ------------------------------------------------------------------------------------------------

const char* Interpreter::depends_on(Value unknown, text::Span condition) {
  const std::string_view from = unknown.is_opaque() ? unknown.reason() : "what has an error";
  if (from.starts_with('`')) return from.data();
  std::string text(written(condition));
  constexpr std::size_t kLongest = 60;
  text = text.substr(0, text.find('\n'));
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  const text::Anchors::Place place = anchors_.resolve(condition);
  // What Python's own library asks is none of the author's lines.
  if (place.source && place.source->path().starts_with("prelude/python/")) return from.data();
  std::string out = "`" + text + "`";
  if (place.source) {
    const std::string& path = place.source->path();
    out +=
        " at " + path.substr(path.rfind('/') + 1) + ":" + std::to_string(place.source->position(place.begin).line + 1);
  }
  out += ", which comes from " + std::string(from);
  return keep(out + '\0').data();
}

std::string Interpreter::whence(Value unknown) {
  const std::string_view from = unknown.reason();
  return (from.starts_with('`') ? "it depends on " : "it comes from ") + std::string(from);
}

std::string Interpreter::remedy(Value unknown) {
  const std::string_view from = unknown.reason();
  const bool surroundings = from.find("os.environ") != from.npos || from.find("os.getenv") != from.npos;
  return surroundings ? "scripts are evaluated without an environment: write the value in the script, or make it a "
                        "parameter and give it in an entry: # tilewright: entry f(value)"
                      : "give the value in the script, or name an entry with known arguments";
}

// ---- how much a way may change ------------------------------------------------------------------------------------

bool Interpreter::changes_nothing(const syntax::Node* node, Scope* scope) {
  if (!node) return true;
  auto all = [&](syntax::Exprs nodes) {
    return std::ranges::all_of(nodes, [&](auto* n) { return changes_nothing(n, scope); });
  };
  auto value_of = [&](const syntax::Node* n) -> Value {
    if (auto* ref = syntax::as<syntax::NameRef>(n)) {
      Value* v = find_binding(ref->name, scope);
      return v ? *v : Value::error();
    }
    return Value::error();
  };
  if (is_literal(node)) return true;
  switch (node->kind) {
    case NodeKind::NameRef: return !value_of(node).as<Instance>();
    case NodeKind::Tuple: return all(syntax::as<syntax::Tuple>(node)->elements);
    case NodeKind::List: return all(syntax::as<syntax::List>(node)->elements);
    case NodeKind::UnaryOp: return changes_nothing(syntax::as<syntax::UnaryOp>(node)->operand, scope);
    case NodeKind::BinOp:
      return changes_nothing(syntax::as<syntax::BinOp>(node)->left, scope) &&
             changes_nothing(syntax::as<syntax::BinOp>(node)->right, scope);
    case NodeKind::Compare:
      return changes_nothing(syntax::as<syntax::Compare>(node)->first, scope) &&
             all(syntax::as<syntax::Compare>(node)->rest);
    case NodeKind::FString:
      return std::ranges::all_of(syntax::as<syntax::FString>(node)->parts, [&](const syntax::FStringPart& p) {
        return changes_nothing(p.value, scope) && all(p.format);
      });
    case NodeKind::Attribute: {
      const syntax::Node* root = node;
      while (auto* a = syntax::as<syntax::Attribute>(root)) root = a->object;
      const Value v = value_of(root);
      return v.as<Namespace>() || v.is_opaque();
    }
    case NodeKind::Call: {
      auto* call = syntax::as<syntax::Call>(node);
      if (!all(call->args)) return false;
      if (!std::ranges::all_of(call->keywords, [&](const auto& k) { return changes_nothing(k.value, scope); }))
        return false;
      const syntax::Node* root = call->function;
      while (auto* a = syntax::as<syntax::Attribute>(root)) root = a->object;
      const Value v = value_of(root);
      if (v.is_opaque()) {  // it may change what it is given, and what it belongs to
        auto kept = [&](const syntax::Node* n) {
          const Value given = value_of(n);
          const bool plain =
              given.is_int() || given.is_float() || given.is_bool() || given.is_none() || given.as<Str>();
          return is_literal(n) || plain || (given.is_opaque() && !has_aliases(given));
        };
        return !has_aliases(v) && std::ranges::all_of(call->args, kept) &&
               std::ranges::all_of(call->keywords, [&](const auto& k) { return kept(k.value); });
      }
      Class* cls = root == call->function ? v.as<Class>() : nullptr;
      Native* native = root == call->function ? v.as<Native>() : nullptr;
      return (cls && cls->construct && cls->is_exception) || (native && native->name == "print");
    }
    default: return false;
  }
}

bool Interpreter::binds_only(syntax::Stmts body, Scope* scope) {
  if (!scope->globals.empty() || !scope->nonlocals.empty()) return false;
  return std::ranges::all_of(body, [&](const syntax::Node* node) {
    switch (node->kind) {
      case NodeKind::Pass:
      case NodeKind::Break:
      case NodeKind::Continue:
      case NodeKind::Import:
      case NodeKind::ImportFrom: return true;
      case NodeKind::Return: return changes_nothing(syntax::as<syntax::Return>(node)->value, scope);
      case NodeKind::Raise: return changes_nothing(syntax::as<syntax::Raise>(node)->value, scope);
      case NodeKind::ExprStmt: return changes_nothing(syntax::as<syntax::ExprStmt>(node)->value, scope);
      case NodeKind::Assign: {
        auto* a = syntax::as<syntax::Assign>(node);
        return changes_nothing(a->value, scope) &&
               std::ranges::all_of(a->targets, [](const auto* t) { return t->kind == NodeKind::NameRef; });
      }
      default: return false;
    }
  });
}

// ---- both ways ----------------------------------------------------------------------------------------------------

Ended Interpreter::ended(Flow flow) {
  Ended out{flow, return_value_, std::move(errors_.pending)};
  errors_.pending.reset();
  return out;
}

Flow Interpreter::go_on(Ended end) {
  return_value_ = end.value;
  errors_.pending = std::move(end.pending);
  return end.flow;
}

Flow Interpreter::refuse_additions(const char* why, text::Span at) {
  errors_.pending.reset();
  const Value unknown = Value::opaque(why);
  fail(code::kOpaque, at,
       "this condition is not known here, and statements of the kernel depend on it: " + whence(unknown),
       remedy(unknown));
  return Flow::Error;
}

bool Interpreter::is_caught() const {
  return std::ranges::any_of(arrivals_, [](const Arrivals* a) { return a->catches(); });
}

bool Interpreter::is_unfollowed(const Ended& e) {
  if (e.flow != Flow::Error || !e.pending) return false;
  return e.pending->fatal || is_ours(*e.pending);
}

Ended Interpreter::try_way(const Way& way, text::Span at, const char* why, Scope* scope) {
  std::vector<text::Diagnostic> unheard;
  auto* reported = std::exchange(context_.diagnostics, &unheard);
  const std::size_t kernels = kernels_.size(), failures = errors_.failures.size();
  const std::uint64_t limit = budget_.narrow(kStepsOfWay);
  const int tries = std::exchange(tries_, std::max(tries_, 1));
  ++worlds_;
  const char* doubt = std::exchange(doubt_, why);
  Flow flow = way.run();
  doubt_ = doubt;
  --worlds_;
  tries_ = tries;
  budget_.set_step_limit(limit);
  context_.diagnostics = reported;
  kernels_.resize(std::min(kernels, kernels_.size()));
  while (errors_.failures.size() > failures) errors_.failures.pop_back();
  if (flow != Flow::Error || !errors_.pending) return ended(flow);
  if (errors_.pending->fatal && errors_.pending->diagnostic.code == code::kLimit && !budget_.is_spent() &&
      reserve(0, {})) {
    errors_.pending->fatal = false;
  }
  const bool caught = is_caught();
  if (errors_.pending->fatal || is_of_python(*errors_.pending)) return ended(flow);
  if (way.body.empty() || may_leave(way.body)) return ended(flow);
  // It cannot be followed here, and Python would go on, or raise what is not known.
  const Pending left = take_pending();
  const Value unknown = Value::opaque(why);
  leave_unknown(way.body, scope, unknown, true);
  if (!errors_.pending) lose_left(left, why);
  if (!errors_.pending && caught) {
    ++acts_;
    may_raise(at);
  }
  if (errors_.pending) return ended(Flow::Error);
  return_value_ = unknown;
  return ended(Flow::Normal);
}

// An object is kept, exchanged twice and joined.
constexpr std::size_t kObjects = 4;

Flow Interpreter::either(Value condition, text::Span at, Scope* scope, bool light, const Way& one, const Way& other) {
  const char* why = depends_on(condition, at);
  if (worlds_ >= kMaxWorlds || !charge(light ? 16 : kObjects * heap_.objects(), at)) {
    fail(code::kOpaque, at, "this condition is not known here: " + whence(Value::opaque(why)), remedy(condition));
    return Flow::Error;
  }
  constexpr std::uint32_t kLevels = 3;
  if (!enter(kLevels, at)) return Flow::Error;
  Flow flow = both_ways(at, why, scope, light, one, other);
  leave(kLevels);
  return flow;
}

Flow Interpreter::both_ways(text::Span at, const char* why, Scope* scope, bool light, const Way& one,
                            const Way& other) {
  const std::uint64_t before = additions(), assumed = errors_.assumed, unknowns = unknowns_;
  assume();
  const Value kept = return_value_;
  Object* const only[] = {scope};
  Snapshot state(light ? std::span<Object* const>(only) : heap_.all());
  Ended x = try_way(one, at, why, scope);
  if (is_unfollowed(x)) return go_on(std::move(x));
  const std::uint64_t between = additions();
  state.swap();
  return_value_ = kept;
  Ended y = try_way(other, at, why, scope);
  if (is_unfollowed(y)) return go_on(std::move(y));
  const bool caught = is_caught();
  const bool x_ends = x.flow == Flow::Error && !caught, y_ends = y.flow == Flow::Error && !caught;
  const bool of_one = between != before && !(y_ends && !x_ends),
             of_other = additions() != between && !(x_ends && !y_ends);
  if (of_one || of_other) {
    return refuse_additions(why, at);
  }
  const bool both_go_on = x.flow == Flow::Normal && y.flow == Flow::Normal;
  const Flow flow = together(std::move(x), state, std::move(y), why, at, light);
  if (both_go_on && unknowns_ == unknowns)
    errors_.assumed = assumed;  // ways that leave nothing are as good as not there
  return flow;
}

Flow Interpreter::together(Ended x, Snapshot& of_x, Ended y, const char* why, text::Span at, bool light) {
  if (is_unfollowed(x)) return go_on(std::move(x));
  if (is_unfollowed(y)) return go_on(std::move(y));
  if (!is_caught()) {
    if (x.flow == Flow::Error) return go_on(std::move(y));
    if (y.flow == Flow::Error) {
      of_x.swap();
      return go_on(std::move(x));
    }
  }
  if (x.flow == y.flow && x.flow != Flow::Error) {
    unknowns_ += joined_into_objects(of_x, why);
    return_value_ = joined_values(x.value, y.value, why);
    return y.flow;
  }
  // One leaves, and the other goes on.
  if (x.flow == Flow::Normal) {
    of_x.swap();
    std::swap(x, y);
  }
  if (light) {  // what the other goes on to change lies in what was not kept
    spend(kObjects * heap_.objects());
    of_x.swap();
    Snapshot all(heap_.all());
    of_x.swap();
    leave_for(std::move(x), std::move(all), why, at, additions());
  } else {
    leave_for(std::move(x), std::move(of_x), why, at, additions());
  }
  return go_on(std::move(y));
}

void Interpreter::leave_for(Ended end, Snapshot state, const char* why, text::Span at, std::uint64_t additions) {
  if (arrivals_.empty()) return;
  std::vector<Arrivals::Arrival>& there = arrivals_.back()->arrived_;
  auto same = std::ranges::find_if(there, [&](const Arrivals::Arrival& a) {
    return a.end.flow == end.flow && (!end.pending || a.end.pending->type == end.pending->type);
  });
  if (same != there.end()) {
    spend(kObjects * heap_.objects());
    state.swap();
    unknowns_ += joined_into_objects(same->state, why);
    state.swap();
    end.value = joined_values(same->end.value, end.value, why);
    additions = std::min(additions, same->additions);
    there.erase(same);
  }
  there.push_back({std::move(end), std::move(state), why, at, additions});
}

Value Interpreter::either_value(Value condition, const syntax::Node* at, Scope* scope, const syntax::Node* one,
                                const syntax::Node* other) {
  auto way = [&](const syntax::Node* const& node) {
    return Way{[this, node, scope] {
                 return_value_ = node ? eval(node, scope) : Value::opaque("a condition");
                 return return_value_.is_error() ? Flow::Error : Flow::Normal;
               },
               node ? syntax::Stmts(&node, 1) : syntax::Stmts()};
  };
  const Value outer = return_value_;
  const bool light = changes_nothing(one, scope) && changes_nothing(other, scope);
  Flow flow = either(condition, span(at), scope, light, way(one), way(other));
  const Value out = std::exchange(return_value_, outer);
  return flow == Flow::Error ? Value::error() : out;
}

// ---- where they arrive --------------------------------------------------------------------------------------------

Arrivals::Arrivals(Interpreter& in, bool catches) : in_(in), catches_(catches) { in.arrivals_.push_back(this); }

Arrivals::~Arrivals() { pass_on(); }

void Arrivals::close() {
  if (!open_) return;
  open_ = false;
  in_.arrivals_.pop_back();
}

std::vector<Arrivals::Arrival> Arrivals::take() {
  close();
  return std::exchange(arrived_, {});
}

void Arrivals::pass_on() {
  for (Arrival& a : take()) {
    if (a.end.flow == Flow::Error && !in_.is_caught()) continue;
    in_.leave_for(std::move(a.end), std::move(a.state), a.why, a.at, a.additions);
  }
}

bool Arrivals::any(Flow flow) const {
  return std::ranges::any_of(arrived_, [&](const Arrival& a) { return a.end.flow == flow; });
}

Flow Arrivals::join(Flow flow, Flow now) {
  for (std::size_t i = 0; i < arrived_.size();) {
    if (arrived_[i].end.flow != flow) {
      ++i;
      continue;
    }
    Arrival a = std::move(arrived_[i]);
    arrived_.erase(arrived_.begin() + static_cast<std::ptrdiff_t>(i));
    if (now == Flow::Error && in_.errors_.pending) {
      const bool ends = in_.is_caught() || is_of_python(*in_.errors_.pending);
      if (in_.errors_.pending->fatal || !ends) return now;
    }
    if (in_.additions() != a.additions) {
      return in_.refuse_additions(a.why, a.at);
    }
    if (a.end.flow != Flow::Return) a.end.flow = Flow::Normal;
    a.end.pending.reset();
    now = in_.together(std::move(a.end), a.state, in_.ended(now), a.why, a.at, false);
  }
  return now;
}

}  // namespace tilewright::script
