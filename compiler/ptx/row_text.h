// The language in which rows are written, and its reader.
//
//   {"mbarrier_arrive_expect_tx", "mbarrier arrive expect_tx sem=release|relaxed? space=shared|shared::cta? type=b64",
//    "#state=_ [addr] tx_count:u32", "sm_90 8.0 if:mbarrier_order same:P6"},
//
// Modifiers, after the mnemonic, in the order of the instruction's text:
//   expect_tx          a token that is always written        noinc?                a token that may be left out
//   sem=a|b            a slot with choices                   sem=a|b?              a slot that may be left out
//   type=@memory       the choices of a named list (lists.cpp)
//
// Operands:
//   d                  a register of the type in the slot `type`; d:u32 of that type, d:atype of the type in that slot
//   (in
//                      `type`, where that one is left out), d:{twice} by a function of slots
//   =d                 written                               +d                    read and written
//   d*4                {r0, r1, r2, r3}                      d*{shape.mn/32}       as many as the formula counts
//   mask?multicast     a register where that slot is written
//   d~                 single registers may be SINK          d%wide                carried by wider registers, too
//   [a]                an address in the space of the slot `space`; [a@global] in that space; [a!] without offset
//   [[a@global,c:s32]] an address made of several operands   =d|=p:pred            two operands in one place
//   &p                 the value of a pointer
//   #n                 a constant in the text                #n(0|1)               one of these
//   #n=_               always this text, no argument
//
// Facts: the lowest target and the PTX version, then if:NAME (rules.cpp), same:ID (a row of compiler/intrinsics),
// repeatable, orders, byte.
#pragma once
#include "compiler/ptx/row.h"

namespace tilewright::ptx {

struct RowText {
  std::string_view id;
  std::string_view modifiers;
  std::string_view operands;
  std::string_view facts;
};

// Throws std::logic_error, which names the row: the table is ours, a fault in it is a fault of the program.
Row read_row(const RowText& text);
// Its modifiers and operands alone, without the facts.
Row read_shape(const RowText& text);
// The family alone.
std::string family_name(const RowText& text);

// The choices that a row names with @NAME, separated by |.
std::string_view choice_list(std::string_view name);
// The rules that a row names with if:NAME, separated by ;.
std::string_view rule_text(std::string_view name);

// The parts of `text` between `separator`s, without empty ones.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace tilewright::ptx
