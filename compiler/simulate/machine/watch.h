// Watching: the values of an expression wherever threads come past a line.
//
// A watch becomes statements of the lowered kernel, put in where the line was executed: one call that names the
// addresses of the elements and the loops around it. So indices mean what they mean at that place of the script, for
// each thread on its own, and a run without watches pays nothing. Looking is no access: nothing races with it.
#pragma once
#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/lower/lowered.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

struct Watch {
  // "smem[3, 0:8]", "acc[k, :]", "total", "tid * 4 + 1": a buffer of the script with indices and slices of a constant
  // length, or a number. Indices are made of names in scope there, whole numbers, + - * // % and brackets.
  std::string expression;
  std::function<bool(const ir::Origin&)> here;  // does the statement belong to the line?
};

// A place where a watch looks.
struct WatchPoint {
  std::size_t watch = 0;              // its number among those given
  std::vector<std::string> loops;     // variables of the loops around it, outermost first
  std::vector<std::string> elements;  // "[3, 0]", ...; empty for a number
  ir::DataType dtype;                 // of an element
  bool in_memory = true;              // else a number
};

struct Watched {
  lower::LoweredKernel kernel;  // the same with its watches; holds what the first one holds
  std::vector<WatchPoint> points;
};

// `first` is the number of the first point, where several kernels share a list. The error says which word of which
// watch means nothing, or that its line has no statement.
std::expected<Watched, std::string> with_watches(const lower::LoweredKernel& kernel, std::span<const Watch> watches,
                                                 std::size_t first = 0);

// The call that the simulator answers: (point, number of loops, their values, then addresses or the number; below a
// byte each address has the element's index behind it).
const ir::Callee& watch_call();

}  // namespace tilewright::simulate
