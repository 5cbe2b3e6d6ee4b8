// Calls of generator functions, and generator expressions: iterators that run a script's code for each item.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

// The iterator that a call of the generator function gives, its parameters bound in `scope`. None: a `yield` stands
// where it is not followed.
Value make_generator(Interpreter& in, Function* function, Scope* scope);
// The same of a generator expression in a scope of its own; `first`: what its first `for` runs over.
Value make_lazy_comprehension(Interpreter& in, const syntax::Comprehension* node, Scope* scope, Value first);
// generator.send(value), generator.throw(exception); both go on to the next item.
Next send_to(Interpreter& in, Iterator* generator, Value sent, Value* item, text::Span span);
Next throw_into(Interpreter& in, Iterator* generator, Value exception, Value* item, text::Span span);
// generator.close(); false: an error is pending.
bool close_generator(Interpreter& in, Iterator* generator, text::Span span);
// What the generator returned, once it has ended.
Value returned_by(const Iterator* generator);

}  // namespace tilewright::script
