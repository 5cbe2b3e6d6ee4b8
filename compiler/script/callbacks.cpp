// What calling a function of the script may change, where the call itself is not followed: a callback that is given to
// a function that is not known, a function behind a decorator that is not known.
//
// The text of the function is read and not run. Names that it declares global or nonlocal and binds become unknown.
// What it may change is collected: objects that it assigns into, whose methods it calls, or that it hands on; and the
// functions that it names, which are looked at in turn.
#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/interpreter.h"
#include "compiler/syntax/effects.h"
#include "compiler/syntax/walk.h"

namespace tilewright::script {
namespace {

using syntax::as;
using syntax::Name;
using syntax::Node;
using syntax::NodeKind;

// Functions of Python and methods of its containers that change nothing; they may give parts of what they are given.
constexpr std::string_view kReadingFunctions[] = {
    "len",  "print", "str",  "int",    "float", "bool",       "sum",       "min", "max",    "sorted",    "range",
    "repr", "abs",   "any",  "all",    "round", "isinstance", "enumerate", "zip", "tuple",  "hasattr",   "getattr",
    "hash", "list",  "dict", "divmod", "set",   "callable",   "type",      "id",  "format", "issubclass"};
constexpr std::string_view kReadingMethods[] = {"get",   "keys",   "values", "items",      "count",    "index",
                                                "copy",  "lower",  "upper",  "startswith", "endswith", "split",
                                                "strip", "format", "join",   "replace"};

constexpr std::size_t kWorkOfNode = 16;  // a step

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Called {
 public:
  Called(Interpreter& in, Scope* closure, const char* why, std::vector<Value>& changed)
      : in_(in), closure_(closure), why_(why), changed_(changed) {}

  void function(std::span<const syntax::Parameter> params, syntax::Stmts body) {
    parameters(params);
    const syntax::Effects effects = syntax::effects_of(body);
    locals_.insert(locals_.end(), effects.bound.begin(), effects.bound.end());
    for (const Node* statement : body) declarations(statement);
    for (const Node* statement : body) todo_.push_back({statement, Use::Read});
    run();
    for (const Name& name : outer_) bind(name);
  }

  void statements(syntax::Stmts body) {
    for (const Node* s : body) {
      if (auto* f = as<syntax::FunctionDef>(s)) {
        for (const Node* d : f->decorators) todo_.push_back({d, Use::Whole});
        for (const syntax::Parameter& p : f->params) {
          if (p.default_value) todo_.push_back({p.default_value, Use::Read});
        }
      } else if (auto* c = as<syntax::ClassDef>(s)) {
        for (const Node* d : c->decorators) todo_.push_back({d, Use::Whole});
        for (const Node* b : c->bases) todo_.push_back({b, Use::Read});
        statements(c->body);
      } else {
        todo_.push_back({s, Use::Read});
      }
    }
    run();
  }

  void lambda(std::span<const syntax::Parameter> params, const Node* body) {
    parameters(params);
    todo_.push_back({body, Use::Whole});
    run();
  }

 private:
  // What becomes of a value: it is read, its parts are handed on, it is handed on itself.
  enum class Use : std::uint8_t { Read, Parts, Whole };
  struct Todo {
    const Node* node;
    Use use;
  };

  void parameters(std::span<const syntax::Parameter> params) {
    for (const syntax::Parameter& p : params) locals_.push_back(p.name);
  }
  bool is_local(const Name& name) const {
    return std::ranges::find(locals_, name) != locals_.end() && std::ranges::find(outer_, name) == outer_.end();
  }
  Value* outer(const Name& name) { return is_local(name) ? nullptr : in_.find_binding(name, closure_); }

  void bind(const Name& name) {
    if (std::ranges::find(locals_, name) == locals_.end()) return;
    if (Value* v = in_.find_binding(name, closure_)) {
      *v = Value::opaque(why_);
      return;
    }
    Scope* module = closure_;
    while (module->parent) module = module->parent;
    module->set(name, Value::opaque(why_));
  }

  // `global` and `nonlocal`, wherever they stand.
  void declarations(const Node* root) {
    std::vector<const Node*> todo{root};
    while (!todo.empty()) {
      const Node* n = todo.back();
      todo.pop_back();
      in_.spend(kWorkOfNode);
      if (auto* global = as<syntax::Global>(n)) outer_.insert(outer_.end(), global->names.begin(), global->names.end());
      if (auto* outer = as<syntax::Nonlocal>(n)) outer_.insert(outer_.end(), outer->names.begin(), outer->names.end());
      syntax::for_children(n, [&](const Node* child) { todo.push_back(child); });
    }
  }

  void run() {
    while (!todo_.empty()) {
      const Todo next = todo_.back();
      todo_.pop_back();
      in_.spend(kWorkOfNode);
      visit(next.node, next.use);
    }
  }

  void name(const Name& name, Use use) {
    Value* v = outer(name);
    if (!v) return;
    const bool function = v->as<Function>() || v->as<LambdaFunction>() || v->as<BoundMethod>();
    if (function || use == Use::Whole || (use == Use::Parts && holds_changing(*v))) changed_.push_back(*v);
  }

  // It is assigned into, or a method of it is called.
  void root(const Node* n) {
    while (n && n->kind != NodeKind::NameRef) {
      auto* a = as<syntax::Attribute>(n);
      auto* s = as<syntax::Subscript>(n);
      n = a ? a->object : s ? s->object : nullptr;
    }
    if (auto* ref = as<syntax::NameRef>(n)) name(ref->name, Use::Whole);
  }

  // The function of the script that `object.method` is, as far as the name tells.
  void method(const syntax::Attribute* callee) {
    auto* ref = as<syntax::NameRef>(callee->object);
    Value* v = ref ? outer(ref->name) : nullptr;
    if (!v) return;
    Value* found = nullptr;
    if (Instance* instance = v->as<Instance>()) found = instance->cls->find(callee->name.text);
    if (Class* cls = v->as<Class>()) found = cls->find(callee->name.text);
    if (Namespace* space = v->as<Namespace>(); space && space->scope) {
      if (Scope::Binding* b = space->scope->find(callee->name.text)) found = &b->value;
    }
    if (!found) return;
    if (StaticMethod* s = found->as<StaticMethod>()) found = &s->function;
    if (ClassMethod* c = found->as<ClassMethod>()) found = &c->function;
    if (found->as<Function>() || found->as<LambdaFunction>()) changed_.push_back(*found);
  }

  void target(const Node* n) {
    if (!n) return;
    if (n->kind == NodeKind::Tuple || n->kind == NodeKind::List || n->kind == NodeKind::Starred) {
      syntax::for_children(n, [&](const Node* part) { target(part); });
    } else if (n->kind != NodeKind::NameRef) {
      root(n);
      children(n, Use::Read);
    }
  }

  void children(const Node* n, Use use) {
    syntax::for_children(n, [&](const Node* child) { todo_.push_back({child, use}); });
  }

  void call(const syntax::Call* n) {
    Use use = Use::Whole;
    if (auto* callee = as<syntax::Attribute>(n->function)) {
      auto* ref = as<syntax::NameRef>(callee->object);
      Value* v = ref ? outer(ref->name) : nullptr;
      const bool container = v && (v->as<Dict>() || v->as<List>() || v->as<Set>() || v->as<Str>() || v->as<Tuple>());
      const bool reads = container && is_among(kReadingMethods, callee->name.text);
      if (!reads) root(callee->object);
      method(callee);
      todo_.push_back({callee->object, reads ? Use::Parts : Use::Read});
    } else {
      auto* ref = as<syntax::NameRef>(n->function);
      Value* v = ref ? outer(ref->name) : nullptr;
      const bool of_python = v && (v->as<Native>() || (v->as<Class>() && v->as<Class>()->construct));
      if (of_python && is_among(kReadingFunctions, ref->name.text)) use = Use::Parts;
      todo_.push_back({n->function, Use::Read});
    }
    for (const Node* arg : n->args) todo_.push_back({arg, use});
    for (const syntax::Keyword& k : n->keywords) todo_.push_back({k.value, use});
  }

  void visit(const Node* n, Use use) {
    switch (n->kind) {
      case NodeKind::NameRef: return name(as<syntax::NameRef>(n)->name, use);
      case NodeKind::Attribute:
        return todo_.push_back({as<syntax::Attribute>(n)->object, use == Use::Read ? use : Use::Parts});
      case NodeKind::Subscript: return children(n, use == Use::Read ? use : Use::Parts);
      case NodeKind::Call: return call(as<syntax::Call>(n));
      case NodeKind::BinOp:
      case NodeKind::UnaryOp:
      case NodeKind::Compare:
      case NodeKind::FString:
      case NodeKind::ExprStmt:
      case NodeKind::If:
      case NodeKind::While:
      case NodeKind::Assert: return children(n, Use::Read);
      case NodeKind::Assign:
        for (const Node* t : as<syntax::Assign>(n)->targets) target(t);
        return todo_.push_back({as<syntax::Assign>(n)->value, Use::Whole});
      case NodeKind::AugAssign:
        target(as<syntax::AugAssign>(n)->target);
        return todo_.push_back({as<syntax::AugAssign>(n)->value, Use::Parts});
      case NodeKind::AnnAssign:
        target(as<syntax::AnnAssign>(n)->target);
        if (const Node* value = as<syntax::AnnAssign>(n)->value) todo_.push_back({value, Use::Whole});
        return;
      case NodeKind::Delete:
        for (const Node* t : as<syntax::Delete>(n)->targets) target(t);
        return;
      case NodeKind::For: {
        auto* loop = as<syntax::For>(n);
        target(loop->target);
        todo_.push_back({loop->iterable, Use::Parts});
        for (const Node* s : loop->body) todo_.push_back({s, Use::Read});
        for (const Node* s : loop->else_body) todo_.push_back({s, Use::Read});
        return;
      }
      default: return children(n, Use::Whole);
    }
  }

  Interpreter& in_;
  Scope* closure_;
  const char* why_;
  std::vector<Value>& changed_;
  std::vector<Name> locals_, outer_;
  std::vector<Todo> todo_;
};

}  // namespace

bool is_callback(Value v) {
  const Native* native = v.as<Native>();  // a method of a container, or a partial of another function
  const bool changes = native && native->self.is_object() && !native->self.as<Str>();
  return changes || v.as<Function>() || v.as<LambdaFunction>() || v.as<BoundMethod>();
}

void add_changed_by_expression(Interpreter& in, const syntax::Node* node, Scope* scope, const char* why,
                               std::vector<Value>& changed) {
  Called(in, scope, why, changed).lambda({}, node);
}

void add_changed_by_statements(Interpreter& in, syntax::Stmts body, Scope* scope, const char* why,
                               std::vector<Value>& changed) {
  Called(in, scope, why, changed).statements(body);
}

void add_changed_by(Interpreter& in, Value function, const char* why, std::vector<Value>& changed) {
  if (Function* f = function.as<Function>()) {
    const bool kernel = f->mode == FunctionMode::PrimFunc || f->mode == FunctionMode::Jit;
    if (kernel || is_of_prelude(f->closure)) return;
    Called(in, f->closure, why, changed).function(f->def->params, f->def->body);
  } else if (LambdaFunction* l = function.as<LambdaFunction>()) {
    if (!is_of_prelude(l->closure)) Called(in, l->closure, why, changed).lambda(l->def->params, l->def->body);
  }
}

}  // namespace tilewright::script
