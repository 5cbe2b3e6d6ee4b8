// Running modules, and what imports give (design.md: imports resolve below the script's root).
#include <algorithm>
#include <mutex>

#include "compiler/script/dialect.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/prelude.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

// The prelude's text never changes, so each of its files is parsed once in a process.
std::shared_ptr<const syntax::Tree> prelude_tree(std::string_view file) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const syntax::Tree>, std::less<>> trees;
  std::lock_guard lock(mutex);
  auto it = trees.find(file);
  if (it == trees.end()) {
    auto source = std::make_shared<text::Source>("prelude/" + std::string(file), std::string(prelude_source(file)));
    it = trees.emplace(std::string(file), syntax::Tree::parse(source)).first;
  }
  return it->second;
}

}  // namespace

Value Interpreter::import_module(std::string_view dotted, int level, text::Span span) {
  if (level == 0) {
    if (dotted == "tvm" || dotted.starts_with("tvm.")) {
      return tvm_package(*this, dotted);
    }
    auto known = modules_.find(dotted);
    if (known != modules_.end()) return known->second;
  }
  if (loader_) {
    ++loads_;
    if (auto tree = loader_->load(dotted, level, module_path_)) {
      const std::string& path = tree->source()->path();
      auto loaded = modules_.find(path);
      if (loaded != modules_.end()) return loaded->second;
      if (auto comment = dialect_comment(*tree); comment && comment->dialect != surface_->dialect()) {
        std::string release(text::dialect_name(surface_->dialect()));
        warn(code::kDialect, span,
             comment->dialect ? path + " is written in " + std::string(text::dialect_name(*comment->dialect)) +
                                    ", this script in " + release
                              : path + ": " + comment->dialect.error(),
             "a script and what it imports are written in one release", text::Severity::Error);
        return modules_.emplace(path, Value::opaque("a script in another release of the dialect")).first->second;
      }
      Value v = name_space(std::string(dotted), nullptr);
      modules_.emplace(path, v);  // before it runs: import cycles see what is there so far
      // An imported module runs in host mode, outside of any kernel under construction.
      ModeGuard guard(*this);
      StoreGuard in_module(*this);
      KernelState* outer = std::exchange(kernel_, nullptr);
      std::string outer_path = module_path_;
      std::size_t kernels = kernels_.size();
      Scope* scope = run_module(tree);
      kernels_.resize(kernels);  // its kernels belong to that file
      module_path_ = outer_path;
      kernel_ = outer;
      v.as<Namespace>()->scope = scope;
      return v;
    }
  }
  if (level == 0) {
    Value v = python_module(*this, dotted);
    if (!v.is_none()) {
      modules_.emplace(std::string(dotted), v);
      return v;
    }
  }
  std::string_view root = dotted.substr(0, dotted.find('.'));
  return Value::opaque(
      keep("the module '" + std::string(root.empty() ? dotted : root) + std::string(1, '\'') + std::string(1, '\0'))
          .data());
}

void Interpreter::import_from(const syntax::ImportFrom* node, Scope* scope) {
  if (node->module == "__future__") return;
  Value module = import_module(node->module, node->level, span(node));
  if (module.is_error()) return;
  for (const syntax::ImportedName& n : node->names) {
    if (n.name == "*") {
      Namespace* ns = module.as<Namespace>();
      if (ns && ns->scope) {
        for (auto& b : std::vector(ns->scope->bindings)) {
          if (!b.name.starts_with("_")) scope->set(b.name, b.value);
        }
      }
      continue;
    }
    Value v = module;
    if (Namespace* ns = module.as<Namespace>()) {
      v = Value::error();
      if (ns->scope) {
        if (auto* b = ns->scope->find(n.name)) v = b->value;
      } else if (ns->lookup) {
        v = ns->lookup(*this, *ns, n.name);
      }
      if (v.is_error() && pending_) return;
      // The dialect's own modules are closed. What is neither near one of their names nor known of another release may
      // be a helper of the reference's that no kernel sees.
      if (std::string hint = v.is_error() && !ns->space.empty() ? surface_->advice(ns->space, n.name) : "";
          !hint.empty()) {
        warn(code::kAttribute, span(n.at), "'" + ns->path + "' has no name '" + std::string(n.name) + "'",
             std::move(hint), text::Severity::Error);
        scope->set(n.bound, Value::poison());
        continue;
      }
      if (v.is_error()) {  // a submodule, or a name that the module does not have
        std::string dotted = (node->module.empty() ? "" : std::string(node->module) + ".") + std::string(n.name);
        v = import_module(dotted, node->level, span(n.at));
        if (v.is_error()) return;
      }
    } else if (module.is_opaque()) {
      std::string dotted = (node->module.empty() ? "" : std::string(node->module) + ".") + std::string(n.name);
      Value inner = import_module(dotted, node->level, span(n.at));
      if (!inner.is_opaque() && !inner.is_error()) v = inner;
    }
    scope->set(n.bound, v);
  }
}

Scope* Interpreter::run_module(std::shared_ptr<const syntax::Tree> tree, bool in_prelude) {
  ModeGuard guard(*this);
  const syntax::Tree& script = *trees_.emplace_back(std::move(tree));
  module_path_ = script.source()->path();
  Scope* scope = make<Scope>();
  scope->kind = Scope::Kind::Module;
  scope->set("__name__", string("tile_script"));
  scope->set("__file__", string(module_path_));
  scope->is_prelude = in_prelude;
  for (const syntax::Tree::Statement& s : script.statements()) {
    if (!anchors_.bind(s.node->id, script.source(), s.offset)) memo_conflict_ = true;
  }
  for (const syntax::Tree::Statement& s : script.statements()) {
    guard.enter(false, s.node->id, s.node);
    const syntax::Node* node = s.node->statement;
    if (!node) continue;
    Flow flow = exec_host({&node, 1}, scope);
    if (flow != Flow::Error || !pending_) continue;
    if (pending_->fatal) break;
    // Host code that cannot be followed is no error of the script: whoever needs the name will say so.
    Pending p = take_pending();
    const char* why = keep("a statement that failed: " + p.diagnostic.message + std::string(1, '\0')).data();
    auto bind = [&](auto&& self, const syntax::Node* target) -> void {
      if (auto* ref = syntax::as<syntax::NameRef>(target)) {
        if (!scope->find(ref->name)) scope->set(ref->name, Value::opaque(why));
      } else if (auto* t = syntax::as<syntax::Tuple>(target)) {
        for (const syntax::Node* e : t->elements) self(self, e);
      } else if (auto* l = syntax::as<syntax::List>(target)) {
        for (const syntax::Node* e : l->elements) self(self, e);
      } else if (auto* s = syntax::as<syntax::Starred>(target)) {
        self(self, s->value);
      }
    };
    if (auto* a = syntax::as<syntax::Assign>(node)) {
      for (const syntax::Node* target : a->targets) bind(bind, target);
    } else if (auto* a = syntax::as<syntax::AnnAssign>(node)) {
      bind(bind, a->target);
    } else if (auto* d = syntax::as<syntax::FunctionDef>(node)) {
      scope->set(d->name, Value::opaque(why));
    } else if (auto* c = syntax::as<syntax::ClassDef>(node)) {
      scope->set(c->name, Value::opaque(why));
    }
    failures_.push_back({node, std::move(p)});
  }
  return scope;
}

Value Interpreter::eval_entry(const syntax::Node* node, Scope* module, std::uint32_t anchor,
                              std::shared_ptr<const syntax::TopLevel> keep) {
  ModeGuard guard(*this);
  entries_.push_back(keep);
  guard.enter(false, anchor, std::move(keep));
  return eval(node, module);
}

Value Interpreter::prelude(std::string_view name, text::Span) {
  std::string_view file = prelude_file_of(name);
  if (file.empty()) return Value::error();
  std::string key = "prelude/" + std::string(file);
  auto loaded = modules_.find(key);
  if (loaded == modules_.end()) {
    auto tree = prelude_tree(file);
    ModeGuard guard(*this);
    StoreGuard in_module(*this);
    // Loading it is no work of the script: its limits do not depend on who asked first.
    std::uint64_t steps = steps_;
    std::size_t bytes = heap_.bytes();
    KernelState* outer = std::exchange(kernel_, nullptr);
    std::string outer_path = module_path_;
    Value v = name_space(key, nullptr);
    loaded = modules_.emplace(key, v).first;
    v.as<Namespace>()->scope = run_module(tree, true);
    module_path_ = outer_path;
    kernel_ = outer;
    steps_ = steps;
    heap_.reset(bytes);
  }
  if (auto* b = loaded->second.as<Namespace>()->scope->find(name)) return b->value;
  return Value::error();
}

void Interpreter::bind_prelude(std::string_view file) {
  auto tree = prelude_tree(file.substr(std::string_view("prelude/").size()));
  if (tree->statements().empty() || anchors_.knows(tree->statements()[0].node->id)) return;
  for (const syntax::Tree::Statement& s : tree->statements()) anchors_.bind(s.node->id, tree->source(), s.offset);
}

}  // namespace tilewright::script
