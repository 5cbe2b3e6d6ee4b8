// The effects of one call: those of its row, with attributes resolved to words and operands to arguments.
#pragma once
#include <vector>

#include "compiler/intrinsics/arguments.h"

namespace tilewright::intrinsics {

// How many bytes from the address; arrivals or threads, where a barrier is meant.
struct Amount {
  enum class Kind : std::uint8_t {
    Unknown,
    Known,  // `number` of them
    Value,  // `number` times the run-time `value`
    Box,    // what the tensor map says that one copy moves
    Rows,   // the same for four rows by number
    Tile,   // what the shapes in a descriptor say
  };
  Kind kind = Kind::Unknown;
  std::int64_t number = 0;
  ir::Expr value;
};

// Null expressions say that the effect has no such operand.
struct CallEffect {
  Verb verb = Verb::Unknown;
  Object object = Object::Memory;
  Space space = Space::None;
  Proxy proxy = Proxy::Generic;
  const Operand* operand = nullptr;
  std::span<const ir::Expr> arguments;  // of the operand: an address, or one register after the other
  ir::Expr offset;                      // elements behind the address; null: none
  Amount amount;
  Object until = Object::Memory;  // Memory: it is done when the instruction is
  ir::Expr until_argument;
  Object after = Object::Memory;
  Semantics semantics = Semantics::Weak;
  Scope scope = Scope::Thread;
  ir::Expr rank, mask;
  ir::Expr guard;      // predicate of the whole instruction; null: none
  ir::Expr predicate;  // happens only where this run-time value is not 0
  ir::Expr excluding;  // happens only where this one is 0
};

// In the order of the row; those that the attributes of the call rule out are missing.
std::vector<CallEffect> effects_of(const Intrinsic& row, std::span<const ir::Expr> args);

// Who executes the call together.
struct CallParticipants {
  Together together = Together::Thread;
  ir::Expr mask;      // of Lanes; null: all of them
  bool pair = false;  // it concerns both CTAs of a pair
};
CallParticipants participants_of(const Intrinsic& row, std::span<const ir::Expr> args);

// What the row may do to the memory behind an operand, whatever the attributes of a call are.
struct OperandUse {
  bool reads = false, writes = false;
};
// Both for a pointer that no effect names: where it leads to is not known.
OperandUse use_of(const Intrinsic& row, const Operand& operand);

// The same for the tensor behind a TensorMap operand. Both for a row that copies or edits the map.
OperandUse tensor_use_of(const Intrinsic& row, const Operand& map);

// Does it move rows of a tensor by their numbers, instead of a box?
bool moves_rows(const Intrinsic& row);

// Can leaving the row out change no value, in a grid whose memory every thread sees in program order? Fences,
// prefetches and scheduling.
bool is_silent(const Intrinsic& row);

}  // namespace tilewright::intrinsics
