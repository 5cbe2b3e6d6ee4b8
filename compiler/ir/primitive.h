// The tile primitives: one row each. The row is all that is known of a primitive apart from how it is lowered: reading
// scripts, dispatch, completion, signatures, reports, hover and `run` read it, and none of them knows one by its name.
//
// Scopes are no column: every primitive can be written at every scope (`Tx.warp.copy`, `Tx.cta.copy`, ...), and which
// of them are served is for the predicates of its variants to say, with the reason. Nor are `dispatch=` and
// `workspace=` keywords of a row: every call takes them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/text/releases.h"

namespace tilewright::ir {

// What may stand for an operand.
enum class OperandKind : std::uint8_t {
  Region,     // a buffer, which means all of it, or a region
  Value,      // a region or a scalar
  Scalar,     // a number, a flag, an address
  Axes,       // a dimension of the operand before it, or a list of them
  Operation,  // the name of an operation: "add"
};

// What the primitive does to the memory behind an operand.
enum class OperandRole : std::uint8_t { Read, Written, Both };

struct PrimitiveOperand {
  std::string_view name;
  OperandKind kind = OperandKind::Region;
  OperandRole role = OperandRole::Read;
  std::string_view fallback{};      // as scripts write it, "False"; empty: it must be given
  std::string_view read_with{};     // written, and read, too, if this operand or keyword is given: it accumulates
  std::string_view read_without{};  // written, and read, too, if this operand is missing: it works in place

  bool required() const { return fallback.empty(); }
};

// A keyword that some variant reads. Which ones do, a variant's own row says (dispatch/table.cpp).
struct PrimitiveKeyword {
  std::string_view name;
  std::string_view fallback;  // as scripts write it
  std::string_view words;
  OperandRole role = OperandRole::Read;  // of the memory that its value points at
};

struct Primitive {
  std::string_view name;                   // its identity, and its spelling in the first release that has it
  std::vector<PrimitiveOperand> operands;  // in the order of the call: what is written comes first
  std::vector<PrimitiveKeyword> keywords;
  std::string_view words;  // a sentence
  bool clips = false;      // a region may leave its tensor: what lies outside is neither read nor written
  text::Releases releases{};
  std::vector<Respelling> respelled{};  // in later releases, in their order

  std::size_t required() const;                                  // that many come first; the others may be missing
  std::size_t find_operand(std::string_view operand) const;      // operands.size(): it has none of that name
  const PrimitiveKeyword* find_keyword(std::string_view) const;  // null: it has none of that name
  std::string signature() const;                                 // "dst, src, axes=-1, accum=False"
  std::string_view name_in(text::Dialect release) const;         // empty: the release lacks it
};

// Those of all releases, those of a family together. The rows stay where they are as long as the process runs.
std::span<const Primitive> primitives();
// The row of this identity, TileCall::primitive; null: there is none.
const Primitive* find_primitive(std::string_view name);
// The row that scripts of a release spell so; null: the release has none.
const Primitive* find_primitive(std::string_view spelled, text::Dialect release);

// Given, and not as None.
bool is_given(const Operand& operand);
// What a call does to the memory behind its operand `i`. What is not known is taken to be both read and written.
OperandRole operand_role(const TileCall& call, std::size_t i);
// The same of the value of a keyword.
OperandRole keyword_role(const TileCall& call, std::string_view keyword);
// What the row says of a call's operand `i`; null: nothing.
const PrimitiveOperand* operand_row(const TileCall& call, std::size_t i);
// Its name; "operand" where there is no row for it.
std::string_view operand_name(const TileCall& call, std::size_t i);

}  // namespace tilewright::ir
