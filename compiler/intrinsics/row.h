// How rows are written: a chain of facts, evaluated by the compiler into constant data.
//
//   row<"bar: shared, thread_count: u32">("P1", "ptx.mbarrier.init", Meaning::MbarrierInit)
//       .cc(Availability::Sm80).writes().ptx("mbarrier.init.shared.b64 [{bar}], {thread_count};")
//       .says("Makes a barrier ready for its first phase, ...")
//
// The template language of ptx() and cxx() is described in helper_text.h.
#pragma once
#include "compiler/intrinsics/emit.h"
#include "compiler/intrinsics/signature.h"

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
  consteval Row(std::string_view id, std::string_view name, Meaning meaning, std::string_view signature,
                std::span<const Operand> operands) {
    row_.name = name;
    row_.effect = ir::Effect::Opaque;
    row_.id = id;
    row_.signature = signature;
    row_.operands = operands;
    row_.meaning = meaning;
  }
  consteval operator Intrinsic() const { return row_; }  // NOLINT: rows are written in arrays of Intrinsic

  consteval Row cc(Availability a) const {
    return with([&](Intrinsic& r) { r.availability = a; });
  }
  consteval Row pure() const { return effect(ir::Effect::Pure); }
  consteval Row reads() const { return effect(ir::Effect::Reads); }
  consteval Row writes() const { return effect(ir::Effect::Writes); }
  consteval Row syncs() const { return effect(ir::Effect::Synchronises); }
  // One asm statement.
  consteval Row ptx(std::string_view text) const {
    return with([&](Intrinsic& r) { r.ptx = text, r.emit = emit_asm; });
  }
  // As ptx(), with a template made for each call; the constant one is for readers.
  consteval Row ptx(std::string_view documented, TextFunction text) const {
    return with([&](Intrinsic& r) { r.ptx = documented, r.text = text, r.emit = emit_asm; });
  }
  // The body of a C++ helper.
  consteval Row cxx(std::string_view text) const {
    return with([&](Intrinsic& r) { r.cxx = text, r.emit = emit_cxx; });
  }
  consteval Row cxx(std::string_view documented, TextFunction text) const {
    return with([&](Intrinsic& r) { r.cxx = documented, r.text = text, r.emit = emit_cxx; });
  }
  // Printed by a function of its own.
  consteval Row emits(EmitFunction emit) const {
    return with([&](Intrinsic& r) { r.emit = emit; });
  }
  // Printed in place: "__shfl_sync({0}, {1}, {2}, {3})".
  consteval Row inline_cxx(std::string_view text) const {
    return with([&](Intrinsic& r) { r.cxx = text, r.emit = emit_in_place; });
  }
  // asm without "memory" clobber.
  consteval Row quiet() const {
    return with([](Intrinsic& r) { r.clobbers_memory = false; });
  }
  // asm that is a pure function of its operands: neither volatile nor clobbering.
  consteval Row movable() const {
    return with([](Intrinsic& r) { r.clobbers_memory = r.is_volatile = false, r.effect = ir::Effect::Pure; });
  }
  template <ir::DataType D>
  consteval Row returns() const {
    return with([](Intrinsic& r) { r.result = always<D>; });
  }
  consteval Row returns(ResultFunction f) const {
    return with([&](Intrinsic& r) { r.result = f; });
  }
  consteval Row check(CheckFunction f) const {
    return with([&](Intrinsic& r) { r.check = f; });
  }
  consteval Row needs(std::string_view preamble) const {
    return with([&](Intrinsic& r) { r.preamble = preamble; });
  }
  consteval Row says(std::string_view text) const {
    return with([&](Intrinsic& r) { r.documentation = text; });
  }

 private:
  template <class F>
  consteval Row with(F&& change) const {
    Row copy = *this;
    change(copy.row_);
    return copy;
  }
  consteval Row effect(ir::Effect e) const {
    return with([&](Intrinsic& r) { r.effect = e; });
  }

  Intrinsic row_;
};

template <Literal Signature>
consteval Row row(std::string_view id, std::string_view name, Meaning meaning = Meaning::Unmodelled) {
  if constexpr (Signature.view().empty()) {
    return Row(id, name, meaning, {}, {});
  } else {
    return Row(id, name, meaning, detail::kText<Signature>.view(), detail::kOperands<Signature>);
  }
}

}  // namespace tilewright::intrinsics
