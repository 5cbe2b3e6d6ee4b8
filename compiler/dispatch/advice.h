// What the author of a call that no variant serves, or none serves well, is told: each reason once, the operand that
// causes it, and a way out that was tried.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// One reason and all variants that give it. Variants that move something else altogether are one row, the last.
struct ReasonRow {
  std::vector<std::string_view> variants;
  Outcome outcome = Outcome::Rejected;
  Reason reason;
  bool unrelated = false;  // they move between other kinds of memory
  bool of_call = false;    // the operands alone, which no variant could take
  bool of_who = false;     // one thread issues it, and many call: nothing is known of the rest
  std::string moves{};     // what unrelated ones move instead: "gmem_smem moves global <-> shared, reg moves ..."
};
// Of all variants but the chosen one.
std::vector<ReasonRow> reason_rows(const CallReport& report, CallContext& context);
// "gmem_smem: region of 100 elements ...; ldstmatrix, reg: source is ...".
std::string in_one_line(const std::vector<ReasonRow>& rows);
// "\n   gmem_smem        rejected: ..." for each, aligned.
std::string in_a_table(const std::vector<ReasonRow>& rows);

// The operand of a call that nothing serves which is the cause by its type, shape, layout or memory. Nothing: none is
// by itself.
std::optional<std::size_t> operand_at_fault(const std::vector<ReasonRow>& rows, CallContext& context,
                                            const ir::Stmt* kernel);
// Both operands are what the primitive takes, but of different types.
bool wrong_type(CallContext& context);
// "declare A_smem as float16, ..."; empty: nothing general is known.
std::string fix_hint(const std::vector<ReasonRow>& rows, CallContext& context, std::optional<std::size_t> at_fault);

// Another scope or guard under which a variant serves the call without a warning: "only warp 0 gets here: use
// Tx.warp.copy". Empty if none is known. `set`: the threads that get here.
std::string another_way(CallContext& context, const scope::ActiveSet& set);

}  // namespace tilewright::dispatch
