// Running modules: those of the script, and the prelude.
#include <algorithm>
#include <mutex>

#include "compiler/script/entries/unneeded.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/prelude.h"
#include "compiler/script/python/more_names.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/tvm_tirx/package.h"

namespace tilewright::script {
namespace {

constexpr const char* kModuleName = "tile_script";

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

// "pkg.helpers" of the file pkg/helpers.py, counted from the folder that it and the script have in common. Where the
// paths do not tell, because one of them alone is absolute, a name of ours.
std::string dotted_name(std::string_view script, std::string_view path) {
  if (script.starts_with('/') != path.starts_with('/')) return kModuleName;
  std::size_t common = 0;
  for (std::size_t i = 0; i < path.size() && i < script.size() && path[i] == script[i]; ++i) {
    if (path[i] == '/') common = i + 1;
  }
  std::string name(path.substr(common));
  for (std::string_view end : {".py", "/__init__"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  std::ranges::replace(name, '/', '.');
  return name;
}

bool binds_one_of(const syntax::Node* statement, const Tuple& names) {
  const std::string_view bound = bound_configs(statement);
  return !bound.empty() && std::ranges::any_of(names.items, [&](Value v) { return v.as<Str>()->text == bound; });
}

}  // namespace

Scope* Modules::run(std::shared_ptr<const syntax::Tree> tree, bool in_prelude) {
  ModeGuard guard(in_);
  const syntax::Tree& script = *trees_.emplace_back(std::move(tree));
  if (script.source()->path() != python::kExecuted) path_ = script.source()->path();
  Scope* scope = in_.make<Scope>();
  scope->kind = Scope::Kind::Module;
  const bool imported = !in_prelude && !runs_.empty();
  scope->set("__name__",
             in_.string(imported ? dotted_name(runs_[0].tree->source()->path(), path_) : std::string(kModuleName)));
  scope->set("__file__", in_.string(path_));
  // What Python's own library does is host code as any other.
  scope->is_prelude = in_prelude && !path_.starts_with("prelude/python/");
  const std::size_t given = scope->bindings.size();
  for (const syntax::Tree::Statement& s : script.statements()) {
    if (!in_.anchors_.bind(s.node->id, script.source(), s.offset)) in_.reuse_.note_conflict();
  }
  if (!in_prelude) bind_printed(script, scope);
  std::vector<Arrivals*> outer_arrivals = std::exchange(in_.arrivals_, {});  // its statements recover by themselves
  const std::size_t run = runs_.size();
  Value* kept = in_.builtins_.find(kUnneeded);
  const Tuple* unneeded = kept ? kept->as<Tuple>() : nullptr;  // names
  runs_.push_back({scope, &script, 0});
  // The script's own module. What comments of a printed kernel bind is no statement's doing.
  const bool remembered = run == 0 && !in_prelude && !in_.probe_ && in_.reuse_.remembers_runs() &&
                          scope->bindings.size() == given && !unneeded;
  if (remembered) in_.reuse_.begin_run(trees_.back());
  bool ended = false;
  for (const syntax::Tree::Statement& s : script.statements()) {
    guard.enter(false, s.node->id, s.node);
    if (run == 0 && unneeded && binds_one_of(s.node->statement, *unneeded)) {
      in_.leave_unknown({&s.node->statement, 1}, scope, Value::opaque("a list that no entry leads to"), false);
      ++runs_[run].statement;
      continue;
    }
    if (remembered) in_.reuse_.enter(runs_[run].statement);
    run_statement(*s.node, scope);
    ended = in_.errors_.pending.has_value();
    if (ended) break;
    ++runs_[run].statement;
  }
  in_.arrivals_ = std::move(outer_arrivals);
  if (remembered) in_.reuse_.end_run(!ended);
  return scope;
}

// A recovery point. What is pending behind it ends the module.
void Modules::run_statement(const syntax::TopLevel& statement, Scope* module) {
  const syntax::Node* node = statement.statement;
  if (in_.reuse_.bind_known(statement, module)) return;
  const Reuse::Before before = in_.reuse_.before(statement, module);
  in_.exec_host({&node, 1}, module);
  if (in_.errors_.pending && raises(node)) in_.errors_.pending->certain = true;
  if (in_.errors_.pending && !statement_failed(node, module)) return;
  if (before.is_new) in_.reuse_.ran(statement, module, before);
}

// Does the statement itself raise what is pending, whatever its names are?
bool Modules::raises(const syntax::Node* node) const {
  if (in_.errors_.pending->diagnostic.code != code::kRaised || !in_.errors_.pending->through.empty()) return false;
  if (in_.errors_.pending->exception.is_opaque()) return false;  // who knows what is raised
  auto* statement = syntax::as<syntax::ExprStmt>(node);
  return node->kind == syntax::NodeKind::Raise || (statement && statement->value->kind == syntax::NodeKind::Call);
}

// Host code that cannot be followed is no error of the script: the code that needs its names will say so. What no
// Python would run is one, and so is what a limit ends; both are said once, by the failure. False: everything ends.
bool Modules::statement_failed(const syntax::Node* node, Scope* scope) {
  if (in_.errors_.pending->fatal && !in_.go_on_after(*in_.errors_.pending)) return false;
  Pending p = in_.take_pending();
  if (!p.certain) in_.assume();  // what it had done until then is not known
  const char* why = in_.keep("a statement that failed: " + p.diagnostic.message + std::string(1, '\0')).data();
  const bool said = p.refused || p.diagnostic.code.empty();  // no code: it came from what has been reported
  const Value unknown = said ? Value::poison() : Value::opaque(why);
  if (auto* d = syntax::as<syntax::FunctionDef>(node)) scope->set(d->name, unknown);
  if (auto* c = syntax::as<syntax::ClassDef>(node)) scope->set(c->name, unknown);
  in_.leave_unknown({&node, 1}, scope, unknown, true);
  if (!p.certain && !in_.errors_.pending) in_.lose_left(p, why);
  in_.errors_.failures.push_back({node, std::move(p)});
  return true;
}

// The reference prints kernels with their imports in comments (surface.md 17).
void Modules::bind_printed(const syntax::Tree& script, Scope* scope) {
  std::string_view text = script.source()->text();
  constexpr std::string_view kDeferred = "from __future__ import annotations";
  while (text.starts_with('#') || text.starts_with('\n') || text.starts_with('\r') || text.starts_with(kDeferred)) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (line == "# from tvm.script import tirx as T") {
      scope->set("T", tirx_namespace(in_));
      scope->set(kDeferredAnnotations,
                 Value::boolean(true));  // nothing evaluates those of a printed kernel but its reader
    }
    if (line == "# from tvm_tirx.script import tirx as T") scope->set("T", tirx_package(in_, "tvm_tirx.script.tirx"));
    if (line == "# from typing import TypeVar" && in_.dialect_ >= text::Dialect::V0_27) {
      scope->set("TypeVar", in_.attribute(python_module(in_, "typing"), "TypeVar", {}));
    }
    if (line == "# from tvm.script import ir as I") scope->set("I", tvm_package(in_, "tvm.script.ir"));
    if (line == "# from tvm.script.tirx import tile as Tx") scope->set("Tx", tile_namespace(in_));
    if (line == "# from tvm.tirx.layout import Axis") scope->set("Axis", in_.attribute(layout_module(in_), "Axis", {}));
  }
}

Value Modules::prelude_of(const std::string& file, std::string_view name) {
  std::string key = "prelude/" + file;
  auto loaded = known_.find(key);
  if (loaded == known_.end()) {
    auto tree = prelude_tree(file);
    ModeGuard guard(in_);
    StoreGuard in_module(in_);
    // Loading it is no work of the script: its limits do not depend on who asked first.
    std::uint64_t steps = in_.budget_.steps();
    std::size_t bytes = in_.heap_.bytes();
    KernelState* outer = std::exchange(in_.kernel_, nullptr);
    std::string outer_path = path_;
    Value v = in_.name_space(key, nullptr);
    loaded = known_.emplace(key, v).first;
    v.as<Namespace>()->scope = run(tree, true);
    path_ = outer_path;
    in_.kernel_ = outer;
    in_.budget_.return_to(steps);
    in_.heap_.reset(bytes);
  }
  if (auto* b = loaded->second.as<Namespace>()->scope->find(name)) return b->value;
  return Value::error();
}

void Modules::bind_prelude(std::string_view file) {
  auto tree = prelude_tree(file.substr(std::string_view("prelude/").size()));
  if (tree->statements().empty() || in_.anchors_.knows(tree->statements()[0].node->id)) return;
  for (const syntax::Tree::Statement& s : tree->statements()) in_.anchors_.bind(s.node->id, tree->source(), s.offset);
}

// ---- the interpreter's own ----

Value Interpreter::eval_entry(const syntax::Node* node, Scope* module, std::uint32_t anchor,
                              std::shared_ptr<const syntax::TopLevel> keep) {
  ModeGuard guard(*this);
  entries_.push_back(keep);
  guard.enter(false, anchor, std::move(keep));
  return eval(node, module);
}

Value Interpreter::eval_quoted(const syntax::StringLit* literal, Scope* scope,
                               const std::function<void(std::span<const syntax::Name>)>& prepare) {
  const text::Span at = span(literal);
  if (!charge_text(literal->value.size(), at)) return Value::error();
  std::vector<syntax::SyntaxError> errors;
  auto parsed = syntax::parse_expression(literal->value, &errors);
  auto* statement = parsed ? syntax::as<syntax::ExprStmt>(parsed->statement) : nullptr;
  if (!errors.empty() || !statement) {
    return fail(code::kSyntax, at, "\"" + std::string(literal->value) + "\" is not an expression", {}, "SyntaxError");
  }
  // Its places are those in the literal, behind the quotation mark.
  const text::Anchors::Place place = anchors_.resolve(at);
  for (const auto& tree : modules_.trees()) {
    if (tree->source().get() == place.source) anchors_.bind(parsed->id, tree->source(), place.begin + 1);
  }
  prepare(parsed->names);
  return eval_entry(statement->value, scope, parsed->id, parsed);
}

Value Interpreter::prelude(std::string_view name, text::Span) {
  const std::string file = prelude_file_of(name, dialect_);
  return file.empty() ? Value::error() : modules_.prelude_of(file, name);
}

}  // namespace tilewright::script
