// The keywords of a tensor copy of release 0.26, read and checked before anything is planned (copy_async.md 12.1).
#pragma once
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch::tma {

// Which of the two variants reads them: tma_auto leaves the last three alone.
enum class Variety : bool { Auto, Explicit };

struct Config {
  ir::Expr mbar, mask, policy, tma_dtype;
  std::string_view hint, reduce;  // empty: none
  int cta_group = 1;
  bool barrier_address = false;  // the barrier goes to the instruction as a 32-bit shared address
  bool prefetch = false;
  int l2_promotion = 2, oob_fill = 0;
  std::vector<ir::Expr> rows;  // gather4: not four: whatever the script gave
  bool gathers = false;
  std::vector<std::pair<ir::Expr, const ir::Buffer*>> selectors;
};
// Error: the first keyword that is not what the variant takes.
std::expected<Config, Reason> read_config(const ir::TileCall& call, bool to_shared, Variety variety);

// The two operands of a copy between global and shared memory.
struct Sides {
  const ir::Region &global, &shared;
  bool to_shared;
};
// None: the copy is not of that kind.
std::optional<Sides> sides_of(const ir::TileCall& call);

// What both variants ask before they plan: "validate_tma_copy_op" and "single_thread".
std::span<const Predicate> copy_predicates();

}  // namespace tilewright::dispatch::tma
