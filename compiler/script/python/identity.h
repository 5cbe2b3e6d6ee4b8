// Functions of the library that give their argument back.
#pragma once
#include "compiler/script/python/support.h"

namespace tilewright::script::python {

// The argument itself; called without one, as a decorator that takes options is, a decorator that changes nothing.
inline Value given_back(Interpreter& in, const Arguments& args, Value) {
  return args.positional.empty() ? in.native("decorator", given_back) : args.positional[0];
}

}  // namespace tilewright::script::python
