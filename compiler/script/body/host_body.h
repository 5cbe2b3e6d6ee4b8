// Host mode: runs the statements of modules, factories, classes and helpers as ordinary Python.
//
// What is not known (a value of a package that is not evaluated) is not guessed: where a condition or a loop depends on
// it, the names that Python might bind there become unknown as well.
#pragma once
#include "compiler/script/arrivals.h"
#include "compiler/script/interpreter.h"

namespace tilewright::script {

namespace python {
class TableRun;
}

// In the scope of a handler that runs: the exception. No identifier, so scripts cannot see it.
inline constexpr std::string_view kHandled = "<handled>";

class HostBody {
 public:
  explicit HostBody(Interpreter& in) : in_(in) {}

  Flow run(syntax::Stmts body, Scope* scope);
  // Binds a name, tuple, attribute or subscript target. False: an error is pending.
  bool assign(const syntax::Node* target, Value value, Scope* scope);

 private:
  friend class GeneratorRun;
  text::Span at(const syntax::Node* n) const { return in_.span(n); }
  static Flow flow_of(bool fine) { return fine ? Flow::Normal : Flow::Error; }

  // ---- host_statements.cpp
  Flow one(const syntax::Node* node, Scope* scope);
  Flow expression(const syntax::ExprStmt* node, Scope* scope);
  Flow return_(const syntax::Return* node, Scope* scope);
  Flow raise(const syntax::Raise* node, Scope* scope);
  Flow assertion(const syntax::Assert* node, Scope* scope);
  Flow function(const syntax::FunctionDef* node, Scope* scope);
  Flow class_(const syntax::ClassDef* node, Scope* scope);
  Flow delete_(const syntax::Delete* node, Scope* scope);

  // ---- host_exceptions.cpp
  // Runs `rest` after a body that came to `flow`, and in the state of each other way that left it; joins them.
  Flow each_way(Flow flow, std::vector<Arrivals::Arrival> arrived, const std::function<Flow(Flow)>& rest);
  Flow with(const syntax::With* node, Scope* scope) { return with_items(node, 0, scope); }
  // The items from `index` on, and the body.
  Flow with_items(const syntax::With* node, std::size_t index, Scope* scope);
  // True: the manager expects its body to fail. Nothing: an error is pending.
  std::optional<bool> enter(const syntax::WithItem& item, Value manager, Scope* scope, std::vector<Value>& entered);
  // Leaves one manager by `flow`; returns how the statement goes on.
  Flow exit(Value manager, const syntax::With* node, Scope* scope, Flow flow);
  // What a test expects to fail: neither its errors nor its kernels are the script's.
  Flow meant_to_fail(syntax::Stmts body, Scope* scope);
  // What statements that are not followed to their end may change becomes unknown. False: a limit is pending.
  bool give_up(syntax::Stmts body, Scope* scope, const Pending& p);
  Flow try_(const syntax::Try* node, Scope* scope);
  Flow run_handler(const syntax::Handler& handler, Scope* scope, Value exception);
  // The first handler that takes what is pending; Error, with it pending still: none does.
  Flow handle(const syntax::Try* node, Scope* scope);
  // After the body, which came to `flow`: its handlers, or its `else`. `unknown_calls`: more calls in it may raise than
  // were followed one by one.
  Flow after_body(const syntax::Try* node, Scope* scope, Flow flow, bool unknown_calls);
  // Any of the handlers from there on, or none: what was raised, if anything was, is not known.
  Flow any_handler(const syntax::Try* node, std::size_t from, Scope* scope, Value unknown);
  // The `finally` of a way that came to `flow`.
  Flow finally(const syntax::Try* node, Scope* scope, Flow flow);
  // Nothing: evaluating the type of the handler met a limit.
  std::optional<bool> catches(const syntax::Handler& handler, Scope* scope);
  // Is the pending exception one of these types?
  bool is_one_of(Value types);

  // ---- host_control.cpp
  Flow branch(const syntax::If* node, Scope* scope);
  Flow loop(const syntax::For* node, Scope* scope);
  // Of a dict, a set or a view, which the body may not change.
  Flow loop_over_table(Arrivals& here, const syntax::For* node, Value iterable, const python::TableRun& table,
                       Scope* scope);
  Flow loop_over_list(Arrivals& here, const syntax::For* node, Value iterable, Scope* scope);
  Flow loop_over(Arrivals& here, const syntax::For* node, Value iterable, Scope* scope);
  Interpreter::Way way(syntax::Stmts body, Scope* scope);
  // One round, with the target bound. Normal: the loop goes on.
  Flow round(const syntax::For* node, Value value, Scope* scope);
  Flow while_loop(const syntax::While* node, Scope* scope);
  Flow rounds(const syntax::While* node, Scope* scope);
  bool never_ends(const syntax::While* node) const;
  // Behind the last round, which came to `flow`.
  Flow finish_loop(Arrivals& here, syntax::Stmts else_body, Scope* scope, Flow flow);
  // A loop of an unknown number of rounds: what they bind and change is not known after it. `over`: what it runs over,
  // or its condition; `target` may be null.
  Flow unknown_loop(Arrivals& here, const syntax::Node* loop, const syntax::Node* over, const syntax::Node* target,
                    syntax::Stmts body, Scope* scope, Value unknown);
  void say_unknown(const syntax::Node* loop, syntax::Stmts body, Scope* scope, const std::vector<syntax::Name>& counted,
                   Value unknown);

  // ---- host_assignment.cpp
  Flow assign_all(const syntax::Assign* node, Scope* scope);
  Flow annotated(const syntax::AnnAssign* node, Scope* scope);
  Flow augmented(const syntax::AugAssign* node, Scope* scope);
  Value place(const syntax::Node* target, Scope* scope, std::function<bool(Value)>& store);
  std::optional<bool> in_place(const syntax::AugAssign* node, Value old, Value by);
  void bind(const syntax::Name& name, Value value, Scope* scope);
  bool unpack(const syntax::Node* target, syntax::Exprs elements, Value value, Scope* scope);
  bool assign_element(const syntax::Subscript* target, Value value, Scope* scope);

  Interpreter& in_;
};

}  // namespace tilewright::script
