// Which module a name comes from that a script uses and does not import.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::script {

class Surface;

// An import that binds the name; without `name` the module itself is imported.
struct Home {
  std::string module, name, alias;

  std::string line() const;  // "from tvm.script import tirx as T"
};

// Of the dialect and of what kernels are written with besides: Python's own modules, numpy, torch. Likelier ones first;
// none: it cannot be told.
std::vector<Home> homes_of(const Surface& surface, std::string_view name);

// The line of the first home, or the import of a package of that name; empty: it cannot be told.
std::string import_line(const Surface& surface, std::string_view name);

// The module of the dialect that gives a name of the prelude; empty: it is none.
std::string_view prelude_module(std::string_view name);

}  // namespace tilewright::script
