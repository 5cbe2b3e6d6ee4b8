// The instructions of release 0.27 (compiler/ptx) as rows that calls are made from.
//
// A form is a row of compiler/ptx, alone or with the row of the intrinsic table that has its meaning (form_maps.cpp).
// With one, the form has that row's operands, effects, participants and meaning, so that every stage that reads the
// table treats the call as a call of that row; what the instruction has besides follows: registers that it writes where
// the row returns a value, then `pred`, `keep_dst`, and one text for each slot. Without one, the operands are those of
// the instruction. Either way resolved_of() gives back what the script wrote, and CUDA text and the printed form are
// those of the instruction.
#pragma once
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ptx/call.h"

namespace tilewright::intrinsics {

struct Form : Intrinsic {
  const ptx::Row* row = nullptr;
  const Intrinsic* same = nullptr;  // null: none, or none for what the words say
  std::vector<Operand> own_operands;
  std::vector<Effect> own_effects;
  // For each operand of the instruction but its fixed words: which of `operands` holds its registers; and the other way
  // round, which operands of the instruction one of `operands` holds, one after the other.
  std::vector<int> holders;
  std::vector<std::vector<std::size_t>> held;
  std::size_t pred = 0, keep = 0, first_slot = 0;  // among `operands`
  int result = -1;  // the operand that takes what the row returns: the simulator stores it; -1: none
};

// The form that a row of the table is; null: an ordinary row.
const Form* form_of(const Intrinsic& row);
// Is the callee one of the forms? For of().
const Intrinsic* form_callee(const ir::Callee* callee);
std::vector<const Form*> all_forms();

// Around operands of a call that is yet to be made: T.ptx.addr(base, bytes), T.ptx.pred(x), T.ptx.SINK. The first one
// stays in the call.
const Intrinsic& address_offset();
const Intrinsic& predicate_tag();
const Intrinsic& sink_tag();

// The call of a resolved instruction. `arguments`: an expression for each of its arguments, null for a sink, literals
// typed; the predicate or null.
ir::Expr form_call(const ptx::Resolved& resolved, std::span<const ir::Expr> arguments, ir::Expr pred);
// What a call came from. Argument i of it is written_argument(i).
struct WrittenForm {
  ptx::Resolved resolved;
  std::vector<ir::Expr> arguments;  // null for sinks; as CUDA text and the printed form have them
  ir::Expr pred;
};
WrittenForm written_form(const Form& form, std::span<const ir::Expr> args);
// The operands as the reference prints them, the tokens and the marker.
std::vector<ir::Expr> printed_form(const Form& form, std::span<const ir::Expr> args);
// What the helper in CUDA text is given for the argument at a position of the call: shared addresses are converted,
// offsets are part of its name.
ir::Expr forwarded_argument(const Form& form, std::span<const ir::Expr> args, std::size_t position);

std::optional<std::string> verify_form(const Form& form, std::span<const ir::Expr> args, ir::Target target);
// Does a target have the row? "sm_90", "sm_100a", "sm_107f" as in ptx::Row::arch.
bool has_instruction(std::string_view arch, ir::Target target);

// Whether a row means these words too, beyond what the table says.
bool serves(std::string_view id, const ptx::Row& row, const ptx::Filled& filled);
// Which operands of the row of this id stand for what of the instruction; empty: its meaning serves no form.
std::string_view form_map(std::string_view id);

}  // namespace tilewright::intrinsics
