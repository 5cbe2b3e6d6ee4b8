// What the files of forms share.
#pragma once
#include "compiler/intrinsics/forms.h"

namespace tilewright::intrinsics {

// Where an operand of a row gets its value from in an instruction.
struct FormSource {
  std::vector<std::size_t> operands;  // of the instruction, counted without its fixed words
  std::vector<std::size_t> slots;     // of which the first that has a word counts
  char part = 0;                      // of the word: '#', ':', '?', '1' or a letter; 0: all of it
  std::string_view is;                // '?': the word that is asked for, empty for any
  std::string_view otherwise;         // a text where no slot has a word
  bool none() const { return operands.empty() && slots.empty() && otherwise.empty(); }
};
FormSource source_of(const ptx::Row& row, std::string_view id, const Operand& operand);

// An operand of the instruction by its number without fixed words.
const ptx::Operand& written(const ptx::Row& row, std::size_t i);
std::span<const Form> forms_of(const ptx::Row& row);

// Of an instruction that no row of the table means: its effects in the words of effect_text.h, and its meaning.
std::string_view form_effects(const ptx::Row& row);
Meaning form_meaning(const ptx::Row& row);

Emitted emit_form(const Form& form, std::span<const ir::Expr> args);

}  // namespace tilewright::intrinsics
