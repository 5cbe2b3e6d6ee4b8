// The one table of device intrinsics (docs/language/intrinsics.md).
//
// A row is one PTX instruction or CUDA builtin, or a short sequence of rows: its typed operands, checks, targets,
// effect, text and documentation. Its id is its identity and no spelling of any release; spellings.h says how releases
// write it. Every stage names rows: the evaluator binds arguments and verifies, the emitter prints, the simulator
// executes by `meaning`. Adding an intrinsic is one row.
//
// The arguments of a Call to a row stand in the order of `operands`: every operand takes one place, attributes as
// constants, an optional operand that was left out as absent(); a List operand takes 1 + n places (an int32 constant n,
// then the items), and the Variadic operand, always last, takes the rest.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/intrinsics/effect.h"
#include "compiler/intrinsics/meanings.h"
#include "compiler/intrinsics/row_names.h"
#include "compiler/ir/buffer.h"
#include "compiler/ir/target.h"

namespace tilewright::intrinsics {

enum class OperandKind : std::uint8_t {
  SharedPointer,  // 32-bit shared address from a generic pointer (dtype uint64: from a mapped address held as a number)
  GlobalPointer,  // 64-bit generic address
  Pointer,        // any pointer, passed as it is; dtype void, or that of the register read or written through it
  TensorMap,      // uint64 address of a tensor map
  Value,          // run-time scalar or vector; `dtype` says which, void: any
  Reference,      // an element (Load) that stands for a register: passed by reference, not by value (see Access)
  Attribute,      // compile-time int, bool or string: part of the instruction text
  List,           // a list of run-time values of kind `item`
  Variadic,       // zero or more run-time values of kind `item`; last operand only
};

// What the instruction does with the register behind a Pointer or Reference.
enum class Access : std::uint8_t { In, Out, InOut };

struct Operand {
  std::string_view name;
  OperandKind kind = OperandKind::Value;
  ir::DataType dtype = ir::kVoid;         // run-time operands are converted to it; void: kept as they come
  std::string_view default_text;          // script text of the default; empty: required
  std::string_view choices;               // attributes: "1|2", "|acquire|relaxed"; empty: free
  OperandKind item = OperandKind::Value;  // of a List or Variadic
  Access access = Access::In;
  bool keyword_only = false;
  bool is_register = false;  // a Pointer or Reference that stands for a register of type `dtype`, see Access

  // "" in a choice list is legal, so a list that is there and empty does not exist.
  bool required() const { return default_text.empty() && kind != OperandKind::Variadic; }
};

// Which architectures a row assembles for: the `cc` column of intrinsics.md. "Suffixed" rows need an architecture- or
// family-specific target (sm_100a, sm_100f, ...).
enum class Availability : std::uint8_t {
  All,
  Sm80,
  Sm89,
  Sm90,
  Sm90aOnly,
  Sm90aPlus,
  Sm100,
  Sm100Suffixed,
  Sm100aClass,
  Sm100a103a,
  Sm100aOnly,
  Never,
};
bool available(Availability a, ir::Target target);
std::string_view availability_name(Availability a);  // "sm_90 and up", "sm_100a, sm_103a", ...

struct Intrinsic;
class Arguments;

// What a call becomes in CUDA: a helper function, defined once, and the arguments of its call.
struct Emitted {
  std::string helper_name;              // empty: `expression` is the whole text
  std::string helper_source;            // complete definition; the same text for the same name, always
  std::vector<int> argument_positions;  // which call arguments the helper takes, in order
  std::string expression;               // for rows printed directly, with {0}, {1} for the call's arguments
  std::string_view preamble;  // tags of headers that it needs, comma-separated: "fp16", "bf16,fp8"; may be empty
};

struct Intrinsic : ir::Callee {
  std::string_view id;         // "P1", "C12", "E3", "L4"
  std::string_view signature;  // operands as the row is written, in the script's order: "bar: shared, ..."
  std::span<const Operand> operands;
  Availability availability = Availability::All;
  std::string_view ptx;            // the instruction as documented, for hover and docs; the emitter's template
  std::string_view cxx;            // C++ template of rows that are CUDA and not PTX
  std::string_view documentation;  // a sentence or two in our words
  std::string_view preamble;
  std::string_view form;            // run-time operands that the first form of this name lacks: "_cta_id_pred"
  Meaning meaning = Meaning::None;  // what the simulator does; see meanings.h
  std::string_view operation;       // "sum", "min": what a row whose spelling says it combines values with
  std::span<const Effect> effects;  // what it does to memory and other threads; ir::Callee::effect sums them up
  Participants by;                  // who executes it together
  bool clobbers_memory = true;      // asm: compilers may not move memory accesses across
  bool is_volatile = true;          // asm: kept even when its result is not used
  // Result type for bound arguments; null: void.
  ir::DataType (*result)(std::span<const ir::Expr> args) = nullptr;
  // The template of this very call, where `ptx` or `cxx` cannot say it alone; null: they can.
  std::string (*text)(const Arguments& args, ir::Target target) = nullptr;
  // Checks beyond kinds and choices; the message for the author, or nothing.
  std::optional<std::string> (*check)(const Intrinsic& row, std::span<const ir::Expr> args,
                                      ir::Target target) = nullptr;
  Emitted (*emit)(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) = nullptr;
};

// The row that `name` (script path without the leading `T.`: "ptx.mbarrier.init") denotes in a release when called with
// this many arguments and these keywords: spellings with several call forms (P2-P4) are several rows. Keywords whose
// value is None count as not given and should not be passed. When the name exists but no form takes such a call, the
// first form (bind() says what is wrong). Null: the release has no such intrinsic.
const Intrinsic* find(text::Dialect release, std::string_view name, std::size_t positional,
                      std::span<const std::string_view> keywords);
// Does the release have an intrinsic or namespace of this name? For attribute access on `T.ptx`, `T.cuda`.
bool is_namespace(text::Dialect release, std::string_view path);
bool is_intrinsic(text::Dialect release, std::string_view path);
// All rows, for completion, documentation and tests.
std::span<const Intrinsic> table();
// The names that scripts of a release call them by, sorted; forms of one name follow each other in the order of the
// table. Rows that only lowering makes are not among them.
struct Named {
  std::string_view name;
  const Intrinsic* row;
};
std::span<const Named> names(text::Dialect release);
// The forms of one name; empty: the release has no such intrinsic.
std::span<const Named> forms(text::Dialect release, std::string_view name);
// The row of this id ("P61"); null: none.
const Intrinsic* row_of_id(std::string_view id);
// The row of a name that the compiler knows: row_of("tensor_load").
const Intrinsic& row_of(KnownRow name);

// Where each operand finds its arguments in a script call: the positional ones first, then the keywords.
struct Slot {
  int first = -1;  // index of the argument; -1: none was written, default_value() serves
  int count = 0;   // Variadic: how many; else 1
};
// One slot an operand, or what is wrong with the call ("takes 2 arguments, 3 given", "no keyword 'x'").
std::expected<std::vector<Slot>, std::string> bind(const Intrinsic& row, std::size_t positional,
                                                   std::span<const std::string_view> keywords);
// The default of an operand that is not required, typed.
ir::Expr default_value(const Operand& operand);
// The stand-in for an optional operand that was left out or given as None; never a null Expr.
ir::Expr absent();
bool is_absent(ir::Expr e);

// The row a Call was made from; null for builtins.
const Intrinsic* of(const ir::Callee* callee);

// Kinds, choices, `check` and the target: what is wrong, without the name of the call; nothing when all is well.
std::optional<std::string> verify(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target);
// The targets on which verify() finds nothing.
ir::TargetSet verifying_targets(const Intrinsic& row, std::span<const ir::Expr> args);
// What is wrong with a call that verifies nowhere: as verify() says it for a target that has the row, `preferred` if it
// does.
std::string failure_everywhere(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target preferred);

// The instruction that this call becomes, operands by name, without helper around it: for hover. "" for a row that is
// no PTX.
std::string instruction_text(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target);

// The rows that dispatch variants emit (dispatch.md 8): tvm_builtin_copy_{8,16,32,64,128}b, ldmatrix, stmatrix.
const Intrinsic& copy_bytes_row(int bits);  // args (dst pointer, src pointer)
const Intrinsic& ldmatrix_row();            // args (trans, num, shared address, register pointers...)
const Intrinsic& stmatrix_row();            // args (trans, num, shared address, register pointers...)

}  // namespace tilewright::intrinsics
