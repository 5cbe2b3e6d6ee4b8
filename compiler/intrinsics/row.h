// How rows are written: a chain of facts, evaluated by the compiler into constant data.
//
//   row<"bar: shared, thread_count: u32">("P1", "ptx.mbarrier.init", Meaning::MbarrierInit)
//       .effects<"inits mbarrier bar[thread_count]; by one">()
//       .cc(Availability::Sm80).ptx("mbarrier.init.shared.b64 [{bar}], {thread_count};")
//       .says("Makes a barrier ready for its first phase, ...")
//
// A row has effects (effect_text.h describes their language), or registers in its signature, or says that it is pure().
// The template language of ptx() and cxx() is described in helper_text.h.
#pragma once
#include "compiler/intrinsics/effect_text.h"
#include "compiler/intrinsics/emit.h"

namespace tilewright::intrinsics {

using CheckFunction = std::optional<std::string> (*)(const Intrinsic&, std::span<const ir::Expr>, ir::Target);
using EmitFunction = Emitted (*)(const Intrinsic&, std::span<const ir::Expr>, ir::Target);
using TextFunction = std::string (*)(const Arguments&, ir::Target);
using ResultFunction = ir::DataType (*)(std::span<const ir::Expr>);

template <ir::DataType D>
ir::DataType always(std::span<const ir::Expr>) {
  return D;
}
// The type of argument `I`.
template <std::size_t I>
ir::DataType type_of_argument(std::span<const ir::Expr> args) {
  return args[I].dtype();
}
// The dtype that the string attribute `I` names.
template <std::size_t I>
ir::DataType type_named_by(std::span<const ir::Expr> args) {
  const auto* name = args[I].template as<ir::StringImm>();
  return name ? ir::parse_dtype(name->value).value_or(ir::kVoid) : ir::kVoid;
}

class Row {
 public:
  constexpr Row(std::string_view id, std::string_view name, Meaning meaning, std::string_view signature,
                std::span<const Operand> operands) {
    row_.name = name;
    row_.effect = ir::Effect::Opaque;
    row_.id = id;
    row_.signature = signature;
    row_.operands = operands;
    row_.meaning = meaning;
    for (const Operand& o : operands) row_.assigns |= o.kind == OperandKind::Reference && o.access != Access::In;
  }
  constexpr operator Intrinsic() const { return row_; }  // NOLINT: rows are written in arrays of Intrinsic

  constexpr Row& cc(Availability a) {
    row_.availability = a;
    return *this;
  }
  // A function of its operands.
  constexpr Row& pure() {
    if (!row_.effects.empty()) throw "a row with effects is not pure";
    row_.effect = ir::Effect::Pure;
    return *this;
  }
  // What the spelling says and another row takes as an operand `op`.
  constexpr Row& combines(std::string_view operation) {
    row_.operation = operation;
    return *this;
  }
  // One asm statement.
  constexpr Row& ptx(std::string_view text) {
    row_.ptx = text;
    row_.emit = emit_asm;
    return *this;
  }
  // As ptx(), with a template made for each call; the constant one is for readers.
  constexpr Row& ptx(std::string_view documented, TextFunction text) {
    row_.ptx = documented;
    row_.text = text;
    row_.emit = emit_asm;
    return *this;
  }
  // The body of a C++ helper.
  constexpr Row& cxx(std::string_view text) {
    row_.cxx = text;
    row_.emit = emit_cxx;
    return *this;
  }
  constexpr Row& cxx(std::string_view documented, TextFunction text) {
    row_.cxx = documented;
    row_.text = text;
    row_.emit = emit_cxx;
    return *this;
  }
  // Printed by a function of its own.
  constexpr Row& emits(EmitFunction emit) {
    row_.emit = emit;
    return *this;
  }
  // Printed in place: "__shfl_sync({0}, {1}, {2}, {3})".
  constexpr Row& inline_cxx(std::string_view text) {
    row_.cxx = text;
    row_.emit = emit_in_place;
    return *this;
  }
  // asm without "memory" clobber.
  constexpr Row& quiet() {
    row_.clobbers_memory = false;
    return *this;
  }
  // asm that is a pure function of its operands: neither volatile nor clobbering.
  constexpr Row& movable() {
    row_.clobbers_memory = row_.is_volatile = false;
    return pure();
  }
  template <ir::DataType D>
  constexpr Row& returns() {
    row_.result = always<D>;
    return *this;
  }
  constexpr Row& returns(ResultFunction f) {
    row_.result = f;
    return *this;
  }
  constexpr Row& check(CheckFunction f) {
    row_.check = f;
    return *this;
  }
  constexpr Row& needs(std::string_view preamble) {
    row_.preamble = preamble;
    return *this;
  }
  // What tells its helper from those of other rows with this name.
  constexpr Row& form(std::string_view word) {
    row_.form = word;
    return *this;
  }
  constexpr Row& says(std::string_view text) {
    row_.documentation = text;
    return *this;
  }

 protected:
  constexpr void set_effects(std::span<const Effect> effects, const Participants& by) {
    row_.effects = effects;
    row_.by = by;
    for (const Effect& e : effects) row_.elects |= e.verb == Verb::Elects;
    if (!effects.empty() || by.together != Together::Thread) row_.effect = detail::summary(effects, by);
  }

 private:
  Intrinsic row_;
};

// A row whose operands are known, so that its effects can name them.
template <Literal Signature>
class RowOf : public Row {
 public:
  constexpr RowOf(std::string_view id, std::string_view name, Meaning meaning)
      : Row(id, name, meaning, detail::text_of<Signature>(), detail::operands_of<Signature>()) {
    effects<"">();
  }

  template <Literal Text>
  constexpr Row& effects() {
    constexpr const auto& parsed = detail::kEffects<Signature, Text>;
    set_effects(parsed.effects, parsed.by);
    return *this;
  }
};

template <Literal Signature>
constexpr RowOf<Signature> row(std::string_view id, std::string_view name, Meaning meaning = Meaning::Unmodelled) {
  return {id, name, meaning};
}

}  // namespace tilewright::intrinsics
