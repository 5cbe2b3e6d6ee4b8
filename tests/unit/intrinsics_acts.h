// What the text of a call does to memory and to other threads, as the text itself says it: read off the mnemonics,
// qualifiers and operands of PTX and off the known forms of CUDA C++, without a look at the effects of the row.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/intrinsics/call_effects.h"

namespace tilewright::intrinsics::acts {

// One effect in words. Operands go by their names in the row, "" where there is none.
struct Act {
  std::string verb, what;  // "reads" "shared"; "arrives" "mbarrier shared"; "fences" "memory"
  std::string operand, offset, amount;
  std::string proxy = "generic", until, after, order, rank, mask, predicate, excluding;
};
std::string text(const Act& act);

struct Reading {
  std::vector<Act> acts;
  std::string together = "thread", mask;
  bool pair = false;
  bool fragment = false;             // C++ that takes lanes apart by their number: a lane's part of a warp's fragment
  std::vector<std::string> unknown;  // instructions and functions that the reader has no rule for
};

// What a name in a text stands for.
struct Origin {
  std::string operand{};
  std::string offset{};
  std::string rank{};  // the address in the CTA of this rank
  int lanes = 0;       // a predicate: holds in so many lanes
  int bytes = 0;       // a pointer: bytes of what it leads to
};
using Names = std::map<std::string, Origin>;

// PTX whose operands are operands of the row or `names`.
void read_ptx(const Arguments& a, std::string text, Names names, Reading& out);
// The body of a C++ helper, or an expression.
void read_cuda(const Arguments& a, std::string text, Reading& out);

// The row's operand of this name, or of which it is an item ("regs3"); null: none.
const Operand* operand_of(const Arguments& a, std::string_view name);

// The text of a call with the operands by name.
std::string text_of(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target);

// An arrival and a wait at the same place, one after the other, are a meeting.
void join_meetings(std::vector<Act>& acts);

}  // namespace tilewright::intrinsics::acts
