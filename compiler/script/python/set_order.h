// The order in which a set gives its items, and the operations of sets, whose order depends on how they are done.
//
// CPython keeps a set as a table with open addressing; it gives items in the order of their places. A place follows
// from the item's hash, from the number of places, and from the items that came before since the table was last made
// (Objects/setobject.c of CPython 3.10 to 3.13; the language leaves it open). Set::table has the places. Hashes of
// numbers, and of tuples of them, are the same in each process; those of texts and objects are not, and a set with such
// an item gives its items as they were inserted.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/script/interpreter.h"

namespace tilewright::script::python {

// hash(v) where it is the same in each process of CPython; nothing for other values, and for tuples that hold more than
// 4,096 values, or tuples in tuples 64 deep.
std::optional<std::int64_t> lasting_hash(Value v);

// The items in the order in which iterating gives them.
std::vector<Value> ordered_items(const Set& set);

// The same of a script's own walk over it: one whose order Python draws is noted, and gives its items in the order that
// EvaluateOptions asks for.
std::vector<Value> walked_items(Interpreter& in, Set& set, text::Span span);

// Does Python draw the order in which it gives its items, so that each process may have another one? And the value that
// stands for what depends on it.
bool has_drawn_order(Value v);
Value of_drawn_order();

// Makes a larger table when CPython does, after an item was appended to the entries. Returns how many values it looked
// at, which the caller counts as steps.
std::size_t note_added(Set& set);
// Before entry `at` is taken out.
void note_removed(Set& set, std::size_t at);
// What pop() takes; the set is not empty.
std::size_t popped_position(Set& set);

Set* copy_of(Interpreter& in, const Set& set);
// Makes `set` what `made` is.
void assign(Set& set, const Set& made);

enum class Combine : std::uint8_t { Union, Intersection, Difference, Symmetric };

// What an operator makes of two sets; nothing: it is not defined for them.
std::optional<Combine> combination_of(syntax::Operator op);
// A new set of `left` and an iterable. Null with a pending error; an unknown set where an item is unknown.
Set* combined(Interpreter& in, Set* left, Value right, Combine how, text::Span span);
// The same done to `set` itself, which becomes unknown where an item is. False with a pending error.
bool change(Interpreter& in, Set* set, Value right, Combine how, text::Span span);

}  // namespace tilewright::script::python
