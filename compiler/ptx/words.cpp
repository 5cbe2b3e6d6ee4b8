#include "compiler/ptx/words.h"

#include <algorithm>

namespace tilewright::ptx {
namespace {

bool listed_in(const Slot& slot, std::string_view token) {
  return std::ranges::find(slot.choices, token) != slot.choices.end();
}

// What the slot of a test has: ".relaxed", or "no scope".
std::string given(const Row& row, const Test& test, const Filled& filled) {
  std::string_view token = row.token(filled, test.slot);
  return token.empty() ? "without " + std::string(row.slots[test.slot].name) : "with " + dotted(token);
}

std::vector<std::string_view> allowed(const Slot& slot, Choices choices) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < slot.choices.size(); ++i)
    if (choices.bits >> i & 1) out.push_back(slot.choices[i]);
  return out;
}

}  // namespace

std::string dotted(std::string_view token) { return "." + std::string(token); }

std::string listed(std::vector<std::string_view> tokens, std::string_view last, std::size_t most) {
  std::string out;
  std::size_t shown = tokens.size() > most ? most : tokens.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == tokens.size() ? " " + std::string(last) + " " : ", ";
    out += dotted(tokens[i]);
  }
  if (shown < tokens.size()) out += " and " + std::to_string(tokens.size() - shown) + " more";
  return out;
}

std::string reason_of(const Row& row, const Rule& rule, const Filled& filled) {
  std::string out;
  for (const Test& test : rule.when) {
    std::string part = given(row, test, filled);
    if (!out.empty()) {
      out += " and ";
      if (part.starts_with("with ")) part = part.substr(5);
    }
    out += part;
  }
  const Slot& slot = row.slots[rule.need.slot];
  std::string_view has = row.token(filled, rule.need.slot);
  std::vector<std::string_view> choices = allowed(slot, rule.need.is);
  std::string name(slot.name);
  if (!out.empty()) out += ", ";
  if (choices.empty() && !rule.need.is.contains(kOpen)) return out + "no " + name + " is legal";
  if (choices.empty()) return out + name + " must be left out, here it is " + dotted(has);
  std::string tail = rule.need.is.contains(kOpen) ? ", or left out" : "";
  if (has.empty()) return out + name + " must be written: " + listed(choices);
  return out + name + " must be " + listed(choices) + tail + ", here it is " + dotted(has);
}

std::string refusal_of(const Row& row, const Filled& filled, std::string_view token) {
  for (std::size_t i = 0; i < row.slots.size(); ++i) {
    for (std::string_view choice : row.slots[i].choices)
      if (!token.empty() && choice.contains('.') && choice.starts_with(token)) return unspellable(choice);
    if (!listed_in(row.slots[i], token)) continue;
    std::string_view has = row.token(filled, i);
    std::string name(row.slots[i].name);
    if (has == token) return dotted(token) + " is written already";
    return dotted(token) + " is a " + name + ", which is " + dotted(has) + " already";
  }
  return dotted(token) + " is no modifier of it";
}

std::string unspellable(std::string_view token) {
  return dotted(token) +
         " holds a dot, and the words of a chain or a subscript end at dots: T.ptx cannot say this instruction";
}

std::string syntax_of(const Row& row) {
  std::string out(row.mnemonic);
  for (const Slot& slot : row.slots) {
    std::string name = dotted(slot.choices.size() == 1 ? slot.choices[0] : slot.name);
    out += slot.optional ? "{" + name + "}" : name;
  }
  int bracket = 0;
  std::string separator = " ";
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const Operand& operand = row.operands[i];
    bool opens = operand.bracket > 0 && operand.bracket != bracket;
    if (bracket > 0 && operand.bracket != bracket) out += "]";
    bool piped = i > 0 && operand.pipe > 0 && row.operands[i - 1].pipe == operand.pipe;
    out += piped ? "|" : separator;
    separator = ", ";
    bracket = operand.bracket;
    std::string name(operand.kind == OperandKind::Literal ? operand.literal : operand.name);
    if (opens) out += "[";
    bool alone = operand.kind == OperandKind::Address && operand.bracket == 0;
    bool absent = operand.count.form == Count::Form::Present;
    out += alone ? "[" + name + "]" : absent ? "{" + name + "}" : operand.braces ? "{" + name + "...}" : name;
  }
  return bracket > 0 ? out + "]" : out;
}

}  // namespace tilewright::ptx
