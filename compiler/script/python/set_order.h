// The order in which a set gives its items, and the operations of sets, whose order depends on how they are done.
//
// CPython keeps a set as a table with open addressing; it gives items in the order of their places. A place follows
// from the item's hash, from the number of places, and from the items that came before since the table was last made
// (Objects/setobject.c of CPython 3.11; nothing about it is in the language). Here the entries of a Set stand in the
// order in which its table took them, and Set::table says how large the table is. Hashes of numbers, and of tuples of
// them, are the same in each process; those of texts and objects are not, and a set with such an item gives its items
// as they were inserted.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/script/interpreter.h"

namespace tilewright::script::python {

// hash(v) where it is the same in each process of CPython; nothing for other values.
std::optional<std::int64_t> lasting_hash(Value v);

// The items in the order in which iterating gives them. Nothing, with a pending error at `span`: removed items have
// left traces in the table that are not followed.
std::optional<std::vector<Value>> ordered_items(Interpreter& in, const Set& set, text::Span span);

// Counts an item that was just appended to the entries, and makes a larger table when CPython does.
void note_added(Set& set);
// What pop() takes; the set is not empty. Nothing, with a pending error, as ordered_items().
std::optional<std::size_t> popped_position(Interpreter& in, Set& set, text::Span span);

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
