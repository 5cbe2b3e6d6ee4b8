// What tensors should hold, computed by a function in Python: `# tilewright: reference python:FUNCTION`.
//
// The function is the author's own code, with all rights of the user. It runs in a process of its own, and only where
// the user's command executes kernels to verify them (`run`, `build --test`): opening, checking or compiling a script
// never comes here.
#pragma once
#include <expected>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "compiler/run/experiment.h"

namespace tilewright::work {

struct PythonFunction {
  std::string file;  // a path
  std::string name;
};
// "python:FUNCTION" of the script, "python:FILE.py:FUNCTION" beside it, "FILE.py:FUNCTION" as a path. nullopt: the
// reference is a kernel of the script.
std::optional<PythonFunction> python_function(const std::string& reference, const std::string& script);

// What Python said; an empty message: stopped.
struct PythonFailure : run::Failure {
  bool missing = false;  // there is no Python with numpy on this machine
};
// The arrays that the function computes of the contents that the experiment started from, by tensor.
using PythonArrays = std::expected<std::map<std::string, run::GivenArray>, PythonFailure>;
PythonArrays python_reference(const PythonFunction& function, const std::string& interpreter, const run::Bound& bound,
                              const std::stop_token& stop);

}  // namespace tilewright::work
