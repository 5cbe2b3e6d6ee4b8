// The instruction table of release 0.27: one row for each shape of a PTX instruction, 506 rows in 101 families.
//
// A row is written as text (`rows/`, row_text.h describes the language) and read once. It says which modifiers an
// instruction has, in which combinations, and what its operands are. `chain.h` finds rows from the words of a call,
// `call.h` chooses among them by the operands, `helper.h` writes the CUDA text.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/dtype.h"

namespace tilewright::ptx {

// One place of a modifier in the instruction's name. A slot that may be left out is `optional`.
struct Slot {
  std::string_view name;
  std::vector<std::string_view> choices;
  bool optional = false;
};

// Which choice each slot of a row has, in order of the slots. A slot without one is open: at a call that means left
// out.
inline constexpr std::int16_t kOpen = -1;
using Filled = std::vector<std::int16_t>;

// A set of choices of one slot, with `omitted` as one more.
struct Choices {
  std::uint64_t bits = 0;
  static constexpr int kOmitted = 63;
  bool contains(std::int16_t choice) const { return bits >> (choice == kOpen ? kOmitted : choice) & 1; }
};

// A slot whose choice is in (`is`) a set.
struct Test {
  std::size_t slot = 0;
  Choices is;
};

// Where all of `when` hold, `need` must hold.
struct Rule {
  std::vector<Test> when;
  Test need;
};

enum class Access : std::uint8_t { Read, Write, Both };

enum class OperandKind : std::uint8_t {
  Register,
  Address,    // written in brackets; its state space says what carries it
  Pointer,    // the value of a pointer
  Immediate,  // a constant of the caller in the instruction's text
  Literal,    // a word that the instruction always has at this place: no argument
};

// How many registers an operand has: a product over a product, at least 1. A factor is a number, or is read off the
// token of a slot. `Coordinates` and `Im2col` count what a tensor copy has.
struct Count {
  enum class Read : std::uint8_t { Constant, First, Second, Bits, Area, Letters, Quads };
  struct Factor {
    Read read = Read::Constant;
    int value = 1;
    std::size_t slot = 0;
    std::string_view letters;
  };
  enum class Form : std::uint8_t { Product, Present, Coordinates, Im2col };
  Form form = Form::Product;
  std::vector<Factor> factors;
  std::vector<Factor> divisors;
  int less = 0;                          // taken off the product
  std::size_t slot = 0;                  // Present: 1 where it is written, else 0; otherwise the slot of the dimension
  std::optional<std::size_t> mode_slot;  // of the mode of a tensor copy
};

// What types an operand: a token of the table, the token of a slot, or a function of slots.
struct TypeOf {
  enum class Form : std::uint8_t { Token, Slot, Mask, Im2col, Twice, Dot, Byte };
  Form form = Form::Token;
  std::string_view token;
  std::size_t slot = 0;
  std::optional<std::size_t> fallback;  // the slot that types the operand where `slot` is left out
};

// Which dtypes of registers carry an operand (carriers.h).
enum class Carriage : std::uint8_t { OfType, OfTypeSlot, Wide, WideStore, Selected, ConvertTo, ConvertFrom, Size };

struct Operand {
  std::string_view name;
  OperandKind kind = OperandKind::Register;
  Access access = Access::Read;
  TypeOf type;
  Carriage carriage = Carriage::OfType;
  std::string_view space;  // addresses: fixed; empty for the slot `space`, or generic without it
  std::optional<std::size_t> space_slot;
  bool takes_offset = false;  // T.ptx.addr(base, bytes)
  Count count;
  bool braces = false;                   // written as {r0, r1, ...}, also with a single register
  bool sinkable = false;                 // single registers may be T.ptx.SINK
  std::vector<std::string_view> values;  // Immediate: the closed set, empty where any integer is taken
  std::string_view literal;
  int bracket = 0;  // neighbours of one number above 0 share a pair of brackets
  int pipe = 0;     // neighbours of one number above 0 are joined by |
};

// A row of compiler/intrinsics, "P6", that has the meaning and the effects of this one where all tests hold.
struct SameAs {
  std::string_view id;
  std::vector<Test> when;
};

struct Row {
  std::string_view id;        // "mbarrier_arrive_expect_tx", part of the names of helpers in CUDA text
  std::string_view mnemonic;  // "mbarrier", "st.bulk"
  std::string family;         // as scripts write it: "mbarrier", "st_bulk"
  std::vector<Slot> slots;
  std::vector<Operand> operands;
  std::vector<Rule> rules;
  std::vector<SameAs> same_as;  // of which the first that fits counts
  std::string_view arch;        // the lowest target for all its forms: "sm_90", "sm_100a", "sm_107f"
  std::string_view isa;         // the PTX version that introduced it, as far as known
  bool repeatable = false;      // a pure function of its operands: the asm text is not volatile
  bool orders_memory = false;   // orders memory accesses without an address of its own
  bool byte_immediate = false;  // its immediate is one byte
  bool spellable = true;        // false: a token holds a dot, which no chain and no subscript can say

  std::optional<std::size_t> slot_named(std::string_view name) const;
  // The token of a slot, empty where it is left out.
  std::string_view token(const Filled& filled, std::size_t slot) const {
    return filled[slot] == kOpen ? std::string_view() : slots[slot].choices[static_cast<std::size_t>(filled[slot])];
  }
  bool writes() const;
  // The row of compiler/intrinsics that means the same as this form; empty for none.
  std::string_view same_row(const Filled& filled) const;
};

// All rows, in the order of the table.
std::span<const Row> rows();
// The rows that `name` begins ("mbarrier", "st_bulk"); empty for an unknown family.
std::span<const Row* const> family(std::string_view name);
std::vector<std::string_view> families();
const Row* find_row(std::string_view id);

}  // namespace tilewright::ptx
