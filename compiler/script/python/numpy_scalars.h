// Arithmetic of numpy's scalars: what np.int64(7), np.prod(shape) and the elements of arrays are. A result has a type,
// as in numpy 2 (NEP 50): numbers of Python take that of the other side. Integers wrap, float16 and float32 round.
// What numpy 1 and 2 compute differently in whole numbers is not known.
#pragma once
#include "compiler/script/python/support.h"

namespace tilewright::script::python {

// Nothing: no scalar of numpy's that is followed here (bfloat16, vectors).
std::optional<NumpyType> numpy_type(ir::DataType dtype);
ir::DataType dtype_of_numpy(NumpyType type);
bool is_floating(NumpyType type);

// The type of a number in numpy's eyes: its own, else int64, float64 or bool.
NumpyType default_numpy_type(Value number);
// The type of results of both.
NumpyType promoted(NumpyType a, NumpyType b);
// The same of operands, where numbers of Python count for less.
NumpyType promoted_operands(Value a, Value b);

// A number as a scalar of the type: rounded, or wrapped where it is an integer; not known where it is a float beyond.
Value numpy_scalar(NumpyType type, Value number);
// np.int64(3).item()
Value python_number(Value scalar);

// a + b, a < b, -a where one is a scalar of numpy's and both are numbers. None: the operator is not followed here.
Value numpy_binary(syntax::Operator op, Value a, Value b);
Value numpy_unary(syntax::Operator op, Value a);

// The dtype that an argument dtype= means; nothing: it is not known.
std::optional<ir::DataType> numpy_dtype(Interpreter& in, Value v);
Value numpy_dtype_value(Interpreter& in, ir::DataType dtype);  // np.dtype("float16")

// np.int64, np.float32, ...
Class* numpy_class(Interpreter& in, NumpyType type);

// Attributes and methods of a scalar. What numpy has and we do not follow is not known.
Value numpy_attribute(Interpreter& in, Value scalar, std::string_view name);

}  // namespace tilewright::script::python
