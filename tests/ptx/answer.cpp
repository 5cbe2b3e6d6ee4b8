// ptx_answer: what the instruction table says of the lines on standard input, one line each.
//
//   T<tab>TEXT                        the rows whose modifiers TEXT says, "add.rn.f32"
//   C<tab>TEXT<tab>OPERANDS<tab>HOW   the row that takes the call, its helper's name and source
//   P<tab>FAMILY<tab>OPERANDS<tab>WORDS   the same for a printed call; WORDS are separated by commas, the marker is
//   after a |
//   L                                 all rows, one line each
//   G<tab>N<tab>SEED                  N random forms of each row with the helper's text, one line each
//   A<tab>N<tab>SEED                  all forms of each row, of more than N so many drawn from them
//
// An answer is "+<tab>..." or "-<tab>reason"; lines of a source and of a reason are joined by \n. Operands are
// separated by spaces: e:float32 an element, v:uint32 a value, v:uint32=5 a constant, i5 an integer, r a float, b a
// bool, p and ps pointers, _ a sink, x anything else; before them k: for T.ptx.pred and +8: for T.ptx.addr. HOW holds
// pred=OPERAND and keep.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "compiler/ptx/compute.h"
#include "compiler/ptx/helper.h"
#include "compiler/ptx/operands.h"
#include "compiler/ptx/row_text.h"
#include "compiler/ptx/sections.h"
#include "compiler/ptx/words.h"

namespace {

using namespace tilewright;
using ptx::Argument;

// 128-bit integers are no dtypes of 0.25, so parse_dtype() does not know them.
ir::DataType dtype_of(std::string_view name) {
  if (name == "uint128") return {ir::TypeCode::UInt, 128, 1};
  if (name == "int128") return {ir::TypeCode::Int, 128, 1};
  return ir::parse_dtype(name).value_or(ir::kVoid);
}

Argument argument_of(std::string_view text) {
  Argument out;
  if (text.starts_with("k:")) {
    out = argument_of(text.substr(2));
    out.predicate = true;
    return out;
  }
  if (text.starts_with("+") || text.starts_with("~")) {
    std::size_t colon = text.find(':');
    out = argument_of(text.substr(colon + 1));
    out.offset = true;
    std::string bytes(text.substr(1, colon - 1));
    if (bytes != "?") out.bytes = std::atoll(bytes.c_str());
    return out;
  }
  out.kind = Argument::Kind::Other;
  if (text == "_") out.kind = Argument::Kind::Sink;
  if (text == "r") out.kind = Argument::Kind::Real;
  if (text == "b") out.kind = Argument::Kind::Boolean;
  if (text == "p" || text == "ps") out.kind = Argument::Kind::Pointer;
  out.shared = text == "ps";
  if (text.starts_with("i")) {
    out.kind = Argument::Kind::Integer;
    out.value = std::atoll(std::string(text.substr(1)).c_str());
  }
  if (text.starts_with("e:") || text.starts_with("v:")) {
    out.kind = text[0] == 'e' ? Argument::Kind::Element : Argument::Kind::Value;
    std::size_t equal = text.find('=');
    out.dtype = dtype_of(text.substr(2, equal == text.npos ? equal : equal - 2));
    if (equal != text.npos) out.value = std::atoll(std::string(text.substr(equal + 1)).c_str());
  }
  return out;
}

std::string one_line(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

void refuse(const std::string& reason) { std::cout << "-\t" << one_line(reason) << "\n"; }

void list(const ptx::Row& row) {
  ptx::About about = ptx::about(row);
  std::string choices;
  for (const ptx::Slot& slot : row.slots) {
    if (slot.choices.size() < 2) continue;
    choices += (choices.empty() ? "" : "; ") + std::string(slot.name) + ":";
    for (std::string_view choice : slot.choices) choices += " " + std::string(choice);
  }
  std::string same;
  for (const ptx::SameAs& one : row.same_as) {
    same += (same.empty() ? "" : ",") + std::string(one.id);
    std::string when;
    for (const ptx::Test& test : one.when) {
      const ptx::Slot& slot = row.slots[test.slot];
      if (test.is.contains(ptx::kOpen)) when += " without " + std::string(slot.name);
      for (std::size_t i = 0; i < slot.choices.size(); ++i)
        if (!test.is.contains(ptx::kOpen) && test.is.contains(static_cast<std::int16_t>(i)))
          when += " ." + std::string(slot.choices[i]);
    }
    same += when;
  }
  std::cout << row.id << "\t" << row.family << "\t" << about.chapter << "\t" << about.says << "\t"
            << ptx::syntax_of(row) << "\t" << choices << "\t" << row.arch << "\t" << row.isa << "\t" << same << "\n";
}

// Operands that the row takes in this form.
ptx::Call plain_call(const ptx::Candidate& candidate) {
  const auto& [row, filled] = candidate;
  ptx::Call call;
  for (const ptx::Operand& operand : row->operands) {
    if (operand.kind == ptx::OperandKind::Literal) continue;
    for (int lane = 0; lane < ptx::count_of(*row, operand, filled); ++lane) {
      Argument argument;
      if (operand.kind == ptx::OperandKind::Immediate) {
        argument = argument_of("i" + std::string(operand.values.empty() ? "0" : operand.values[0]));
      } else if (operand.kind == ptx::OperandKind::Pointer) {
        argument = argument_of("p");
      } else if (operand.kind == ptx::OperandKind::Address) {
        std::string_view space = ptx::space_of(*row, operand, filled);
        argument = argument_of(space == "tmem" ? "v:uint32" : space.starts_with("shared") ? "ps" : "p");
      } else {
        argument.kind = operand.access == ptx::Access::Read ? Argument::Kind::Value : Argument::Kind::Element;
        argument.dtype = ptx::carriers_of(*row, operand, filled)[0];
        argument.predicate = ptx::type_of(*row, operand, filled) == "pred" && operand.access == ptx::Access::Read;
      }
      call.operands.push_back(argument);
    }
  }
  return call;
}

void say_form(const ptx::Candidate& candidate) {
  const ptx::Row& row = *candidate.row;
  ptx::Resolved resolved;
  if (auto fault = ptx::refusal_of(candidate, plain_call(candidate), resolved)) throw std::logic_error(*fault);
  ptx::Helper helper = ptx::helper_of(resolved);
  std::string words(row.mnemonic);
  for (std::size_t i = 0; i < row.slots.size(); ++i)
    if (candidate.filled[i] != ptx::kOpen) words += "." + std::string(row.token(candidate.filled, i));
  std::string slots;
  for (const std::string& word : ptx::printed_words(resolved)) slots += word + ",";
  std::cout << row.id << "\t" << row.arch << "\t" << words << "\t" << helper.name << "\t" << one_line(helper.source)
            << "\t" << slots << "\n";
}

// Random forms of a row; one that is found twice counts.
void say_forms(const ptx::Row& row, int count, std::mt19937& random) {
  int tries = 200'000;
  while (row.spellable && count > 0 && tries-- > 0) {
    ptx::Candidate candidate{&row, {}};
    for (const ptx::Slot& slot : row.slots)
      candidate.filled.push_back(static_cast<std::int16_t>(
          static_cast<int>(random() % (slot.choices.size() + slot.optional)) - slot.optional));
    if (ptx::fault_of(candidate)) continue;
    say_form(candidate);
    --count;
  }
}

// All forms of a row, of more than `most` so many drawn from them.
void say_all_forms(const ptx::Row& row, std::size_t most, std::mt19937& random) {
  if (!row.spellable) return;
  std::vector<ptx::Candidate> legal;
  ptx::Candidate candidate{&row, {}};
  for (const ptx::Slot& slot : row.slots) candidate.filled.push_back(slot.optional ? ptx::kOpen : std::int16_t{0});
  for (bool more = true; more;) {
    if (!ptx::fault_of(candidate)) legal.push_back(candidate);
    more = false;
    for (std::size_t i = 0; i < row.slots.size() && !more; ++i) {
      const ptx::Slot& slot = row.slots[i];
      more = ++candidate.filled[i] < static_cast<std::int16_t>(slot.choices.size());
      if (!more) candidate.filled[i] = slot.optional ? ptx::kOpen : std::int16_t{0};
    }
  }
  if (legal.size() > most) std::ranges::shuffle(legal, random);
  legal.resize(std::min(legal.size(), most));
  for (const ptx::Candidate& one : legal) say_form(one);
}

void say_computed(std::string_view id, std::string_view words, std::string_view bits) {
  const ptx::Row* row = ptx::find_row(id);
  if (!row) return refuse("no row");
  ptx::Candidate candidate{row, ptx::Filled(row->slots.size(), ptx::kOpen)};
  for (std::size_t i = 0; i < row->slots.size(); ++i) {
    std::size_t comma = words.find(',');
    for (std::size_t k = 0; k < row->slots[i].choices.size(); ++k)
      if (row->slots[i].choices[k] == words.substr(0, comma)) candidate.filled[i] = static_cast<std::int16_t>(k);
    words = comma == words.npos ? std::string_view() : words.substr(comma + 1);
  }
  std::vector<ptx::Bits> read;
  for (std::string_view one : ptx::split(bits, ' ')) {
    ptx::Bits value = 0;
    for (char c : one) value = value << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    read.push_back(value);
  }
  auto results = ptx::computed(candidate, read);
  if (!results) return refuse("not computed here");
  std::cout << "+\t";
  for (ptx::Bits value : *results)
    std::cout << std::hex << static_cast<std::uint64_t>(value >> 64) << ":" << static_cast<std::uint64_t>(value)
              << std::dec << " ";
  std::cout << "\n";
}

void say_open(std::string_view text) {
  auto chain = ptx::Chain::parse(text);
  if (!chain) return refuse(chain.error());
  std::cout << "+\t";
  for (const ptx::Open& open : chain->open()) std::cout << open.token << " ";
  std::cout << "\n";
}

void say_rows(std::string_view text) {
  auto chain = ptx::Chain::parse(text);
  if (!chain) return refuse(chain.error());
  std::string ids, reasons;
  for (const ptx::Candidate& candidate : chain->candidates()) {
    if (auto fault = ptx::fault_of(candidate)) {
      reasons += (reasons.empty() ? "" : "\n") + std::string(candidate.row->id) + ": " + *fault;
    } else {
      ids += (ids.empty() ? "" : ",") + std::string(candidate.row->id);
    }
  }
  if (ids.empty()) return refuse(reasons);
  std::cout << "+\t" << ids << "\n";
}

void say_call(const std::expected<ptx::Resolved, std::string>& resolved) {
  if (!resolved) return refuse(resolved.error());
  ptx::Helper helper = ptx::helper_of(*resolved);
  std::string words;
  for (const std::string& word : ptx::printed_words(*resolved)) words += word + ",";
  std::cout << "+\t" << resolved->instruction.row->id << "\t" << helper.name << "\t" << one_line(helper.source) << "\t"
            << words << "\n";
}

void answer(const std::vector<std::string_view>& parts) {
  auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : std::string_view(); };
  if (part(0) == "T") return say_rows(part(1));
  if (part(0) == "O") return say_open(part(1));
  if (part(0) == "E") return say_computed(part(1), part(2), part(3));
  std::vector<Argument> operands;
  for (std::string_view one : ptx::split(part(2), ' ')) operands.push_back(argument_of(one));
  if (part(0) == "P") {
    ptx::Printed printed{operands, {}};
    std::string_view words = part(3);
    std::size_t bar = words.find('|');
    std::string_view tokens = words.substr(0, bar);
    while (!tokens.empty()) {
      std::size_t comma = tokens.find(',');
      printed.words.emplace_back(tokens.substr(0, comma));
      tokens = comma == tokens.npos ? std::string_view() : tokens.substr(comma + 1);
    }
    printed.words.emplace_back(words.substr(bar + 1));
    return say_call(ptx::resolve_printed(part(1), printed));
  }
  auto chain = ptx::Chain::parse(part(1));
  if (!chain) return refuse(chain.error());
  ptx::Call call{operands, {}, false};
  for (std::string_view how : ptx::split(part(3), ' ')) {
    if (how == "keep") call.preserve_dst = true;
    if (how.starts_with("pred=")) call.pred = argument_of(how.substr(5));
  }
  say_call(ptx::resolve(*chain, call));
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "L") {
      for (const ptx::Row& row : ptx::rows()) list(row);
      std::cout << "\n";
      continue;
    }
    std::vector<std::string_view> parts;
    std::string_view rest = line;
    for (std::size_t tab = rest.find('\t'); tab != rest.npos; tab = rest.find('\t')) {
      parts.push_back(rest.substr(0, tab));
      rest = rest.substr(tab + 1);
    }
    parts.push_back(rest);
    try {
      if (parts[0] == "G" || parts[0] == "A") {
        std::mt19937 random(static_cast<unsigned>(std::atoi(std::string(parts.at(2)).c_str())));
        const int count = std::atoi(std::string(parts[1]).c_str());
        for (const ptx::Row& row : ptx::rows())
          parts[0] == "G" ? say_forms(row, count, random) : say_all_forms(row, static_cast<std::size_t>(count), random);
        std::cout << "\n";
        continue;
      }
      answer(parts);
    } catch (const std::exception& error) {
      std::cout << "!\t" << one_line(error.what()) << "\n";
    }
  }
}
