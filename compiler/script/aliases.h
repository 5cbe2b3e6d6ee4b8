// Values that are not known and may be parts of containers of the script.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

// A part of the container, at an index that is not known.
Value one_within(Interpreter& in, Value unknown, Value container, text::Span at);
// What a function of ours gives, where that is not known: it may be a part of what the function was given.
Value one_given(Interpreter& in, Value unknown, const Native* function, const Arguments& arguments);
// Does it hold what may be changed in place, or called?
bool holds_changing(Value v);
// A function of the script, which a function that is not known may call.
bool is_callback(Value v);
// Does a decorator that is not known give a function that does what the decorated one does?
bool leaves_function(Value decorator);
// The methods of an object of a class of scripts may be called, by what is not known. False: a limit is pending.
bool lose_methods(Interpreter& in, const Instance* instance, const char* why);
// Adds what calling a function of the script may change; names that it binds outside of itself become unknown.
void add_changed_by(Interpreter& in, Value function, const char* why, std::vector<Value>& changed);
// The same of evaluating an expression in that scope.
void add_changed_by_expression(Interpreter& in, const syntax::Node* node, Scope* scope, const char* why,
                               std::vector<Value>& changed);
// The same of running statements in it; the bodies of functions that they define are left out.
void add_changed_by_statements(Interpreter& in, syntax::Stmts body, Scope* scope, const char* why,
                               std::vector<Value>& changed);
// What a call of a function that is not known gives: it may call the functions that it was given, later.
Value unknown_result(Interpreter& in, Value function, const Arguments& arguments);
// A call of a generator or an asynchronous function, whose body is not followed: what it may change is unknown.
Value unfollowed_call(Interpreter& in, const Function* function, const Arguments& arguments, Value self);

}  // namespace tilewright::script
