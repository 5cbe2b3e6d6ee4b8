// The one table of device intrinsics (design.md idea 3; facts in spec/intrinsics.md).
//
// A row is one PTX instruction or CUDA builtin, or a short sequence of rows: its script spelling, typed operands,
// checks, targets, effect, text and documentation. Every stage names rows: the evaluator binds arguments and verifies,
// the emitter prints, the simulator executes by `meaning`. Adding an intrinsic is one row.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/target.h"
#include "compiler/ir/buffer.h"

namespace tilewright::intrinsics {

enum class OperandKind : std::uint8_t {
  SharedPointer,   // 32-bit shared address from a generic pointer
  GlobalPointer,   // 64-bit generic address
  Pointer,         // any pointer, passed as it is
  TensorMap,       // uint64 address of a tensor map
  Value,           // run-time scalar or vector; `dtype` says which, void: any
  Attribute,       // compile-time int, bool or string: part of the instruction text
  Variadic,        // zero or more run-time values; last operand only
};

struct Operand {
  std::string_view name;
  OperandKind kind = OperandKind::Value;
  ir::DataType dtype = ir::kVoid;     // run-time operands are converted to it; void: kept as they come
  std::string_view default_text;      // script text of the default; empty: required
  std::string_view choices;           // attributes: "1|2", "|acquire|relaxed"; empty: free
};

// Which architectures a row assembles for: the `cc` column of intrinsics.md.
enum class Availability : std::uint8_t { All, Sm80, Sm89, Sm90, Sm90aOnly, Sm90aPlus, Sm100, Sm100aClass, Sm100a103a, Never };
bool available(Availability a, ir::Target target);
std::string_view availability_name(Availability a);  // "sm_90 and up", "sm_100a, sm_103a", ...

struct Intrinsic;

// What a call becomes in CUDA: a helper function, defined once, and the arguments of its call.
struct Emitted {
  std::string helper_name;             // empty: `expression` is the whole text
  std::string helper_source;           // complete definition
  std::vector<int> argument_positions; // which call arguments the helper takes, in order
  std::string expression;              // for rows printed directly, with {0}, {1} for the arguments
  std::string_view preamble;           // tag of headers that it needs: "fp16", "cooperative_groups", ...; may be empty
};

struct Intrinsic : ir::Callee {
  std::string_view id;                 // "P1", "C12", "E3", "L4"
  std::span<const Operand> operands;
  Availability availability = Availability::All;
  std::string_view ptx;                // the instruction as documented, for hover and docs
  std::string_view documentation;      // a sentence or two in our words
  std::uint16_t meaning = 0;           // what the simulator does; see meanings.h
  // Result type for bound arguments; null: void.
  ir::DataType (*result)(std::span<const ir::Expr> args) = nullptr;
  // Checks beyond kinds and choices; the message for the author, or nothing.
  std::optional<std::string> (*check)(std::span<const ir::Expr> args, ir::Target target) = nullptr;
  Emitted (*emit)(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) = nullptr;
};

// The row that `name` (script path without the leading `T.`: "ptx.mbarrier.init") denotes when called with this many
// arguments and these keywords: spellings with several call forms (P2-P4) are several rows. Null: no such intrinsic.
const Intrinsic* find(std::string_view name, std::size_t positional, std::span<const std::string_view> keywords);
// Is there any intrinsic or namespace of this name? For attribute access on `T.ptx`, `T.cuda`.
bool is_namespace(std::string_view path);
bool is_intrinsic(std::string_view path);
// All rows, for completion, documentation and tests.
std::span<const Intrinsic> table();

// The row a Call was made from; null for builtins.
const Intrinsic* of(const ir::Callee* callee);

// Kinds, choices, `check` and the target; nothing when all is well.
std::optional<std::string> verify(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target);

// The rows that dispatch variants emit (dispatch.md 8): tvm_builtin_copy_{8,16,32,64,128}b, ldmatrix, stmatrix.
const Intrinsic& copy_bytes_row(int bits);                      // args (dst pointer, src pointer)
const Intrinsic& ldmatrix_row();                                // args (trans, num, shared address, register pointers...)
const Intrinsic& stmatrix_row();                                // args (trans, num, shared address, register pointers...)

}  // namespace tilewright::intrinsics
