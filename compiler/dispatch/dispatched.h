// What dispatch hands on: the kernel without tile primitives, and the report of how each was served.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/scope/active.h"

namespace tilewright::dispatch {

enum class Outcome : std::uint8_t { Chosen, Rejected, Declined, NotTried };
std::string_view outcome_name(Outcome outcome);  // "chosen", "rejected", "declined", "not_tried"

struct Trial {
  std::string_view variant;
  int priority = 0;
  Outcome outcome = Outcome::NotTried;
  std::string reason{};          // in words with the numbers in them; empty for a chosen one
  std::string_view predicate{};  // the one that rejected; empty otherwise
};

// A fact about the chosen plan, for hover, JSON and comments: "vec_elems" -> 8.
using FactValue = std::variant<std::int64_t, std::string, std::vector<std::int64_t>>;
struct Fact {
  std::string_view name;
  FactValue value;
};

// Kept for every evaluated call, on success too.
struct CallReport {
  const ir::TileCall* call = nullptr;
  scope::CallScope scope;
  std::string_view variant;  // empty: none served
  std::vector<Trial> trials;
  std::vector<Fact> facts;
  std::vector<std::string> constants;  // of the plan, decoded field by field for people: a line each
  std::string summary;                 // one line: what the call became; the comment in the CUDA source
  const ir::Stmt* body = nullptr;      // the replacement; null when none served
  bool lacks_instruction = false;      // some variant refused it for what the kernel's target has not
};

// A tensor map that the host encodes before the launch (copy_async.md; field names of the command-line contract).
struct TensorMap {
  const ir::Var* var = nullptr;  // the kernel parameter
  const ir::Buffer* tensor = nullptr;
  ir::Expr byte_offset;
  std::string_view dtype;
  std::vector<ir::Expr> dims, strides;  // innermost first; strides in bytes, one fewer than dims
  std::vector<std::int64_t> box, element_strides;
  std::vector<ir::Expr> host_box{};  // the box, where an extent of it is known on the host alone; else empty
  int interleave = 0, swizzle = 0, l2_promotion = 2, oob_fill = 0;
};

struct Dispatched {
  std::shared_ptr<Arena> arena;                         // owns what dispatch made; the kernel's arena owns the rest
  std::shared_ptr<std::deque<layout::Layout>> layouts;  // likewise
  std::shared_ptr<const ir::Kernel> kernel;             // as it was evaluated
  scope::Launch launch;
  const ir::Stmt* body = nullptr;         // of the whole kernel; TileCalls replaced, each behind a Comment
  std::vector<const ir::Var*> scope_ids;  // every scope-id variable in use, declared or asked for by a variant
  std::vector<TensorMap> tensor_maps;
  std::vector<CallReport> calls;  // one for each evaluated call, in script order
  bool failed = false;            // some call was not served, or the scope ids are inconsistent: no lowering
};

}  // namespace tilewright::dispatch
