#include "compiler/script/plain_calls.h"

#include <algorithm>
#include <array>

#include "compiler/script/interpreter.h"
#include "compiler/script/python/set_order.h"
#include "compiler/syntax/walk.h"

namespace tilewright::script {
namespace {

using syntax::NodeKind;

constexpr std::size_t kMostParts = 512;     // of arguments, and of a result
constexpr std::size_t kMostKept = 1 << 16;  // of all arguments and results of a function
constexpr int kDeepest = 4;                 // tuples within tuples, functions that call functions
constexpr std::uint32_t kTrial = 256;       // calls after which a quarter of them must have been found
constexpr std::array<std::string_view, 29> kComputing{
    "KeyError", "ValueError", "abs",   "all", "any",    "bool", "chr", "dict",  "divmod", "enumerate",
    "float",    "frozenset",  "int",   "len", "list",   "max",  "min", "ord",   "pow",    "range",
    "repr",     "reversed",   "round", "set", "sorted", "str",  "sum", "tuple", "zip"};

// Whether a statement or an expression of this kind computes and does no more.
bool computes(const syntax::Node* n) {
  switch (n->kind) {
    case NodeKind::NameRef:
    case NodeKind::IntLit:
    case NodeKind::FloatLit:
    case NodeKind::StringLit:
    case NodeKind::FString:
    case NodeKind::BoolLit:
    case NodeKind::NoneLit:
    case NodeKind::List:
    case NodeKind::Tuple:
    case NodeKind::Set:
    case NodeKind::Dict:
    case NodeKind::Comprehension:
    case NodeKind::Attribute:
    case NodeKind::Subscript:
    case NodeKind::Slice:
    case NodeKind::Call:
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
    case NodeKind::BoolOp:
    case NodeKind::Compare:
    case NodeKind::IfExp:
    case NodeKind::ExprStmt:
    case NodeKind::Assign:
    case NodeKind::AugAssign:
    case NodeKind::Return:
    case NodeKind::If:
    case NodeKind::For:
    case NodeKind::Assert:
    case NodeKind::Raise:
    case NodeKind::Pass:
    case NodeKind::Break:
    case NodeKind::Continue: return true;
    default: return false;
  }
}

// A text, a number or None, or a tuple of these.
bool is_constant(Value v, int depth = 0) {
  switch (v.tag) {
    case Tag::None:
    case Tag::Bool:
    case Tag::Int:
    case Tag::Float: return v.numpy == NumpyType::None;
    case Tag::Object: break;
    default: return false;
  }
  if (v.o->type == Type::Str || v.o->type == Type::BigInt) return true;
  const Tuple* t = v.as<Tuple>();
  return t && depth < kDeepest &&
         std::ranges::all_of(t->items, [&](Value item) { return is_constant(item, depth + 1); });
}

bool is_same_constant(Value a, Value b) {
  if (a.tag != b.tag || a.immediate != b.immediate) return false;
  switch (a.tag) {
    case Tag::None:
    case Tag::Ellipsis: return true;
    case Tag::Bool: return a.b == b.b;
    case Tag::Int:
    case Tag::Float: return a.i == b.i;  // by its bits: 0.0 is not -0.0
    case Tag::Object: break;
    default: return false;
  }
  if (a.o == b.o) return true;
  const Str *x = a.as<Str>(), *y = b.as<Str>();
  if (x || y) return x && y && x->text == y->text;
  const BigInt *p = a.as<BigInt>(), *q = b.as<BigInt>();
  return p && q && p->value == q->value;
}

// Appends the parts of an argument; false: it is none that can be told from others.
bool add_parts(std::vector<Value>& parts, Value v, int depth) {
  if (parts.size() > kMostParts || depth > kDeepest) return false;
  const auto begin = [&](std::size_t size, bool is_dict) {
    parts.push_back(Value::ellipsis());
    parts.push_back(Value::immediate_integer(static_cast<std::int64_t>(2 * size + (is_dict ? 1 : 0))));
  };
  if (const Tuple* t = v.as<Tuple>()) {
    begin(t->items.size(), false);
    return std::ranges::all_of(t->items, [&](Value item) { return add_parts(parts, item, depth + 1); });
  }
  const Dict* d = v.as<Dict>();
  if (!d) {
    parts.push_back(v);
    return is_constant(v);
  }
  if (d->owner) return false;
  begin(d->items.size(), true);
  return std::ranges::all_of(d->items, [&](const auto& item) {
    return add_parts(parts, item.first, depth + 1) && add_parts(parts, item.second, depth + 1);
  });
}

std::unique_ptr<PlainKey> key_of(Interpreter& in, const Arguments& arguments) {
  auto key = std::make_unique<PlainKey>();
  key->parts.reserve(64);
  for (Value v : arguments.positional) {
    if (!add_parts(key->parts, v, 0)) return nullptr;
  }
  std::size_t hash = arguments.positional.size();
  for (Value part : key->parts) hash = hash * 0x9e3779b97f4a7c15ull + (part.is_ellipsis() ? 7 : in.hash(part));
  key->hash = hash;
  return key;
}

// A result of its own for the caller. None: it holds what may change.
std::optional<Value> copy_of(Interpreter& in, Value v) {
  if (is_constant(v)) return v;
  const auto is_kept = [](const auto& item) { return is_constant(item.first) && is_constant(item.second); };
  if (const Set* set = v.as<Set>(); set && !set->is_view && set->entries.items.size() <= kMostParts) {
    if (!std::ranges::all_of(set->entries.items, is_kept)) return std::nullopt;
    if (set->is_frozen) return v;
    Set* copy = in.make<Set>();
    python::assign(*copy, *set);
    in.heap().count(set->entries.items.size() * kEntryBytes);
    return Value::object(copy);
  }
  if (const Dict* dict = v.as<Dict>(); dict && !dict->owner && dict->items.size() <= kMostParts) {
    if (!std::ranges::all_of(dict->items, is_kept)) return std::nullopt;
    Dict* copy = in.make<Dict>();
    copy->items = dict->items;
    copy->index = dict->index;
    in.heap().count(dict->items.size() * kEntryBytes);
    return Value::object(copy);
  }
  if (const List* list = v.as<List>(); list && !list->is_view && list->items.size() <= kMostParts) {
    if (!std::ranges::all_of(list->items, [](Value item) { return is_constant(item); })) return std::nullopt;
    return in.list(list->items);
  }
  return std::nullopt;
}

// Names that a comprehension binds stand for nothing outside of it, where the name may be the module's.
bool binds(const syntax::FunctionDef& def, const LocalNames& own, const syntax::Name& name) {
  const auto is_name = [&](const syntax::Name& n) { return n == name; };
  return std::ranges::any_of(def.params, [&](const syntax::Parameter& p) { return is_name(p.name); }) ||
         std::ranges::any_of(own.names, is_name);
}

}  // namespace

bool PlainKey::operator==(const PlainKey& other) const {
  return hash == other.hash && std::ranges::equal(parts, other.parts, is_same_constant);
}

bool PlainCalls::add_name(Interpreter& in, Scope* module, const syntax::Name& name, int depth) {
  if (std::ranges::any_of(reads_, [&](const Read& r) { return r.name == name && r.module == module; })) return true;
  Scope::Binding* b = module->find(name);
  const Value* found = b ? &b->value : in.builtins().find(name);
  if (!found) return false;
  reads_.push_back({name, module, *found});
  if (!b) return std::ranges::find(kComputing, name.text) != kComputing.end();
  if (const Function* f = found->as<Function>()) return add_function(in, f, depth + 1);
  return is_constant(*found);
}

bool PlainCalls::add_function(Interpreter& in, const Function* f, int depth) {
  const bool is_host = f->mode == FunctionMode::Host && !f->def->is_async && !f->def->is_generator;
  if (depth > kDeepest || !is_host || !f->attributes.is_none() || !f->def->decorators.empty() || f->owner) return false;
  if (!f->closure || f->closure->parent || f->closure->kind != Scope::Kind::Module) return false;
  if (!std::ranges::all_of(f->defaults, [](Value v) { return is_constant(v); })) return false;
  std::vector<const syntax::Node*> todo(f->def->body.begin(), f->def->body.end());
  std::vector<syntax::Name> bound;  // by comprehensions
  std::vector<syntax::Name> read;
  while (!todo.empty()) {
    const syntax::Node* n = todo.back();
    todo.pop_back();
    if (!computes(n)) return false;
    if (auto* ref = syntax::as<syntax::NameRef>(n)) read.push_back(ref->name);
    if (auto* c = syntax::as<syntax::Comprehension>(n)) {
      for (const syntax::ComprehensionClause& clause : c->clauses) {
        if (auto* target = syntax::as<syntax::NameRef>(clause.target)) bound.push_back(target->name);
        if (auto* targets = syntax::as<syntax::Tuple>(clause.target)) {
          for (const syntax::Node* e : targets->elements) {
            if (auto* target = syntax::as<syntax::NameRef>(e)) bound.push_back(target->name);
          }
        }
      }
    }
    syntax::for_children(n, [&](const syntax::Node* child) { todo.push_back(child); });
  }
  const LocalNames* own = in.locals_of(f->def);
  return std::ranges::all_of(read, [&](const syntax::Name& name) {
    if (binds(*f->def, *own, name)) return true;
    const bool is_bound = std::ranges::find(bound, name) != bound.end();
    if (is_bound && !f->closure->find(name) && !in.builtins().has(name)) return true;
    return add_name(in, f->closure, name, depth);
  });
}

// Only what repeats something is worth the comparison of its arguments.
bool PlainCalls::is_plain(Interpreter& in) {
  bool repeats = false;
  for (const syntax::Node* s : function_->def->body) {
    syntax::for_all(s, [&](const syntax::Node* n) {
      repeats = repeats || n->kind == NodeKind::For || n->kind == NodeKind::Comprehension;
    });
  }
  return repeats && add_function(in, function_, 0);
}

bool PlainCalls::is_as_before(Interpreter& in) const {
  return std::ranges::all_of(reads_, [&](const Read& r) {
    Scope::Binding* b = r.module->find(r.name);
    const Value* now = b ? &b->value : in.builtins().find(r.name);
    return now && now->tag == r.value.tag && (now->is_object() ? now->o == r.value.o : is_same_constant(*now, r.value));
  });
}

std::optional<Value> PlainCalls::find(Interpreter& in, const Arguments& arguments, std::unique_ptr<PlainKey>& key) {
  if (state_ == State::Other || !arguments.keywords.empty()) return std::nullopt;
  if (state_ == State::New) state_ = is_plain(in) ? State::Plain : State::Other;
  if (state_ == State::Plain) {
    ++asked_;
    const bool is_found_seldom = asked_ > kTrial && 4 * found_ < asked_;
    if (is_found_seldom || !is_as_before(in)) state_ = State::Other;
  }
  if (state_ == State::Other) {
    kept_.clear();
    reads_.clear();
    return std::nullopt;
  }
  key = key_of(in, arguments);
  if (!key) return std::nullopt;
  in.spend(4 * key->parts.size());
  const auto [from, to] = kept_.equal_range(key->hash);
  for (auto it = from; it != to; ++it) {
    if (!(it->second.key == *key)) continue;
    ++found_;
    return copy_of(in, it->second.result);
  }
  if (parts_ >= kMostKept) key = nullptr;
  return std::nullopt;
}

void PlainCalls::keep(Interpreter& in, std::unique_ptr<PlainKey> key, const Arguments& arguments, Value result) {
  if (state_ != State::Plain) return;
  const std::unique_ptr<PlainKey> after = key_of(in, arguments);
  const auto is_result = [&](Value v) { return v.is_object() && result.is_object() && v.o == result.o; };
  if (!after || !(*after == *key) || (!is_constant(result) && std::ranges::any_of(arguments.positional, is_result))) {
    state_ = State::Other;
    return;
  }
  const std::optional<Value> own = copy_of(in, result);
  if (!own) {
    state_ = State::Other;
    return;
  }
  parts_ += 2 * key->parts.size() + 64;
  const std::size_t hash = key->hash;
  kept_.emplace(hash, Kept{std::move(*key), *own});
}

}  // namespace tilewright::script
