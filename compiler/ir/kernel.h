// One evaluated kernel.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/ir/target.h"
#include "compiler/text/dialect.h"

namespace tilewright::ir {

struct Param {
  const Var* var = nullptr;        // handle or scalar as the script names it
  const Buffer* buffer = nullptr;  // the tensor matched to it; null for scalars, raw pointers, tensor maps
};

struct Attribute {
  std::string_view key;
  Expr value;
};

// Who chose the target of a kernel, as far as its evaluation knows.
enum class TargetChoice : std::uint8_t {
  Fixed,      // was given: what it lacks was refused
  Preferred,  // was not given, and the target has all intrinsic rows of the kernel
  Lacking,    // was not given, and it lacks some row that another target has
};

// The function as the script means it: host part, `device_entry`, device part, tile primitives still in place. Nothing
// in it changes once it was evaluated: what later stages find out is in their own results.
struct Kernel {
  std::string_view name;  // global symbol
  // What it was evaluated for; every later stage reads them here.
  Target target;
  TargetChoice target_choice = TargetChoice::Fixed;
  text::Dialect dialect = text::Dialect::V0_25;
  bool is_private = false;
  std::vector<Param> params;
  std::vector<Attribute> attributes;  // T.func_attr, persistent, ...
  const Stmt* body = nullptr;
  DataType return_type = kVoid;
  text::Span span;               // the `def` line's name
  std::shared_ptr<Arena> arena;  // owns all of the above
};

// Whole-kernel text in TVMScript form, readable again by the evaluator (surface.md 15, 17).
std::string print_script(const Kernel& kernel);

}  // namespace tilewright::ir
