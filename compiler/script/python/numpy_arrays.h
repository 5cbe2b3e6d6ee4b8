// Arrays of numpy as far as scripts use them on the way to a kernel: one dimension, shapes rather than data.
#pragma once
#include "compiler/script/python/numpy_scalars.h"

namespace tilewright::script::python {

inline constexpr std::size_t kMostItems = 4096;

Value unknown_of_numpy();

// An array of numbers, which take the type of all together; not known where numpy would make something else.
Value array_of(Interpreter& in, std::vector<Value> items);

// The numbers of a number, a sequence or an array.
struct Numbers {
  std::vector<Value> items;
  bool scalar = false;
};
// Nothing: it is something else, or has more dimensions.
std::optional<Numbers> numbers(Interpreter& in, Value v, text::Span span);
// The same of the one argument of a call without options.
std::optional<Numbers> one_argument(Interpreter& in, const Arguments& args);
// A scalar of numpy's, or an array.
Value result_of(Interpreter& in, Numbers n);
// Element by element; a number or an array of one element counts for each of the other side.
Value elementwise(Interpreter& in, Value a, Value b, text::Span span, const std::function<Value(Value, Value)>& f);

// Functions of numpy beside those of numpy.cpp: numpy_functions.cpp.
std::span<const Entry> numpy_function_names();

}  // namespace tilewright::script::python
