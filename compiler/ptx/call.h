// A call of an instruction: which row takes the operands.
//
// One row must take them, by their number, their dtypes and what they are. The refusal of a call names each row that
// its words leave, with the reason.
#pragma once
#include "compiler/ptx/chain.h"

namespace tilewright::ptx {

// What a script gives at one place, as far as the choice of a row needs it.
struct Argument {
  enum class Kind : std::uint8_t {
    Value,    // an expression of `dtype`; `value` where it is a constant
    Element,  // a scalar or an element of a buffer, which can be written, of `dtype`
    Integer,  // a number of Python, without a dtype
    Real,
    Boolean,
    Pointer,  // `shared`: into shared memory
    Sink,     // T.ptx.SINK
    Other,    // anything else; `spoken` says what
  };
  Kind kind = Kind::Value;
  expr::DataType dtype;
  std::optional<std::int64_t> value;
  bool shared = false;
  bool predicate = false;             // T.ptx.pred(...) around it
  bool offset = false;                // T.ptx.addr(..., bytes) around it
  std::optional<std::int64_t> bytes;  // of that offset, none for an expression that unrolling must make constant
  std::string spoken;

  bool literal() const { return kind == Kind::Integer || kind == Kind::Real || kind == Kind::Boolean; }
  // Whether it is an expression with a dtype.
  bool typed() const { return kind == Kind::Value || kind == Kind::Element; }
};

struct Call {
  std::vector<Argument> operands;
  std::optional<Argument> pred;
  bool preserve_dst = false;
};

// One operand of a call that a row took.
struct Bound {
  const Operand* operand = nullptr;
  std::size_t first = 0;  // its first argument, counted with sinks; all lanes follow
  int lanes = 0;
  expr::DataType dtype = expr::kVoid;  // of a register
};

struct Resolved {
  Candidate instruction;
  std::vector<Bound> operands;      // without literals
  std::vector<Argument> arguments;  // of the call, sinks among them
  std::optional<Argument> pred;
  bool preserve_dst = false;

  std::vector<std::size_t> sinks() const;
};

// Why one row does not take the call; none where it does, and `out` is then what it took.
std::optional<std::string> refusal_of(const Candidate& candidate, const Call& call, Resolved& out);

// The one row that takes the call. The error names each row with its reason, or the two that take it.
std::expected<Resolved, std::string> resolve(const Chain& chain, const Call& call);

// A call as the reference prints it: operands, then the token of each slot ("" for one left out), then a marker of
// "pred", "keep", "p<i>" for predicate operands and "s<i>" for sinks, separated by commas.
struct Printed {
  std::vector<Argument> operands;  // with the predicate as the last one where the marker says pred
  std::vector<std::string> words;  // tokens and marker
};
std::expected<Resolved, std::string> resolve_printed(std::string_view family, const Printed& printed);
// The trailing words of a resolved call.
std::vector<std::string> printed_words(const Resolved& call);

}  // namespace tilewright::ptx
