#include "compiler/ptx/row_text.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tilewright::ptx {
namespace {

// Reads one row; every fault names it.
class Reader {
 public:
  explicit Reader(const RowText& text) : text_(text) {}

  Row read(bool facts) {
    row_.id = text_.id;
    read_modifiers();
    const std::vector<std::string_view> words = split(text_.operands, ' ');
    row_.operands.reserve(words.size());
    for (std::string_view word : words) read_word(word);
    if (facts) read_facts();
    return std::move(row_);
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view where) const {
    throw std::logic_error("row " + std::string(text_.id) + ": " + std::string(what) + ": " + std::string(where));
  }

  void read_modifiers() {
    std::vector<std::string_view> words = split(text_.modifiers, ' ');
    if (words.empty()) fail("no mnemonic", text_.modifiers);
    row_.mnemonic = words[0];
    row_.family = family_name(text_);
    row_.slots.reserve(words.size() - 1);
    for (std::size_t i = 1; i < words.size(); ++i) {
      std::string_view word = words[i];
      Slot slot;
      if (word.ends_with('?')) {
        slot.optional = true;
        word.remove_suffix(1);
      }
      std::size_t equal = word.find('=');
      slot.name = word.substr(0, equal);
      std::string_view choices = equal == word.npos ? word : word.substr(equal + 1);
      if (choices.starts_with('@')) choices = choice_list(choices.substr(1));
      slot.choices = split(choices, '|');
      if (slot.choices.empty() || slot.choices.size() >= Choices::kOmitted) fail("choices", word);
      for (std::string_view choice : slot.choices)
        if (choice.contains('.') && !slot.optional && slot.choices.size() == 1) row_.spellable = false;
      row_.slots.push_back(std::move(slot));
    }
  }

  std::size_t slot(std::string_view name) const {
    std::optional<std::size_t> found = row_.slot_named(name);
    if (!found) fail("no slot", name);
    return *found;
  }

  int number(std::string_view text) const {
    int value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail("not a number", text);
    return value;
  }

  // A word: one operand, several joined by |, or an address made of several.
  void read_word(std::string_view word) {
    if (word.starts_with("[[") && word.ends_with("]]")) {
      ++brackets_;
      for (std::string_view part : split(word.substr(2, word.size() - 4), ',')) {
        row_.operands.push_back(part.contains('@') ? address(part) : operand(part));
        row_.operands.back().bracket = brackets_;
        row_.operands.back().takes_offset = false;
      }
      return;
    }
    std::vector<std::string_view> parts;
    if (word.contains('(')) {
      parts = {word};
    } else {
      parts = split(word, '|');
    }
    if (parts.size() > 1) ++pipes_;
    for (std::string_view part : parts) {
      row_.operands.push_back(part.starts_with('[') ? address(part.substr(1, part.size() - 2)) : operand(part));
      if (parts.size() > 1) row_.operands.back().pipe = pipes_;
    }
  }

  Operand address(std::string_view text) const {
    Operand out;
    out.kind = OperandKind::Address;
    out.takes_offset = !text.ends_with('!');
    if (!out.takes_offset) text.remove_suffix(1);
    std::size_t at = text.find('@');
    out.name = text.substr(0, at);
    if (at != text.npos) out.space = text.substr(at + 1);
    if (out.space.empty()) out.space_slot = row_.slot_named("space");
    out.count.factors.push_back({});
    return out;
  }

  Operand operand(std::string_view text) const {
    Operand out;
    out.count.factors.push_back({});
    if (text.starts_with('#')) return immediate(text.substr(1), std::move(out));
    if (text.starts_with('&')) {
      out.kind = OperandKind::Pointer;
      out.name = text.substr(1);
      return out;
    }
    if (text.starts_with('=')) out.access = Access::Write;
    if (text.starts_with('+')) out.access = Access::Both;
    if (out.access != Access::Read) text.remove_prefix(1);
    if (text.ends_with('~')) {
      out.sinkable = true;
      text.remove_suffix(1);
    }
    std::string_view rest = text.substr(std::min(text.find_first_of(":*?%"), text.size()));
    out.name = text.substr(0, text.size() - rest.size());
    std::string_view type = "type";
    bool given = false;
    while (!rest.empty()) {
      char mark = rest[0];
      std::size_t end = rest.find_first_of("*?%", 1);
      while (end != rest.npos && rest.substr(0, end).contains('{') && !rest.substr(0, end).contains('}'))
        end = rest.find_first_of("*?%", end + 1);
      std::string_view part = rest.substr(1, end == rest.npos ? end : end - 1);
      rest = end == rest.npos ? std::string_view() : rest.substr(end);
      if (mark == ':') {
        type = part;
        given = true;
      } else if (mark == '*') {
        out.count = count(part);
        out.braces = true;
      } else if (mark == '?') {
        out.count = {};
        out.count.form = Count::Form::Present;
        out.count.slot = slot(part);
      } else {
        out.carriage = carriage(part);
      }
    }
    out.type = type_of(type, given);
    return out;
  }

  Operand immediate(std::string_view text, Operand out) const {
    std::size_t open = text.find_first_of("(=");
    out.name = text.substr(0, open);
    out.kind = OperandKind::Immediate;
    if (open == text.npos) return out;
    if (text[open] == '=') {
      out.kind = OperandKind::Literal;
      out.literal = text.substr(open + 1);
    } else {
      out.values = split(text.substr(open + 1, text.size() - open - 2), '|');
    }
    return out;
  }

  TypeOf type_of(std::string_view text, bool given) const {
    using enum TypeOf::Form;
    if (text == "{mask}") return {Mask, {}, slot("multicast"), {}};
    if (text == "{im2col}") return {Im2col, {}, slot("load_mode"), {}};
    if (text == "{twice}") return {Twice, {}, slot("type"), {}};
    if (text == "{dot}") return {Dot, {}, slot("atype"), slot("btype")};
    if (text == "{byte}") return {Byte, {}, slot("type"), {}};
    if (std::optional<std::size_t> named = row_.slot_named(text)) {
      return {Slot, {}, *named, text == "type" ? std::nullopt : row_.slot_named("type")};
    }
    if (!given) fail("an operand without a type in a row without a slot `type`", text);
    return {Token, text, 0, {}};
  }

  Carriage carriage(std::string_view name) const {
    using enum Carriage;
    for (auto [known, value] : {std::pair{"wide", Wide},
                                {"widestore", WideStore},
                                {"select", Selected},
                                {"to", ConvertTo},
                                {"from", ConvertFrom},
                                {"size", Size},
                                {"type", OfTypeSlot}}) {
      if (name == known) return value;
    }
    fail("carriers", name);
  }

  Count count(std::string_view text) const {
    Count out;
    if (!text.starts_with('{')) {
      out.factors.push_back({Count::Read::Constant, number(text), 0, {}});
      return out;
    }
    text = text.substr(1, text.size() - 2);
    if (text == "coords" || text == "im2col") {
      out.form = text == "coords" ? Count::Form::Coordinates : Count::Form::Im2col;
      out.slot = slot("dim");
      out.mode_slot = row_.slot_named("load_mode");
      return out;
    }
    if (text.ends_with("-1")) {
      out.less = 1;
      text.remove_suffix(2);
    }
    std::size_t over = text.find('/');
    for (std::string_view part : split(text.substr(0, over), '*')) out.factors.push_back(factor(part));
    if (over != text.npos)
      for (std::string_view part : split(text.substr(over + 1), '*')) out.divisors.push_back(factor(part));
    return out;
  }

  Count::Factor factor(std::string_view text) const {
    using enum Count::Read;
    if (text[0] >= '0' && text[0] <= '9') return {Constant, number(text), 0, {}};
    std::size_t dot = text.find('.');
    std::size_t from = slot(text.substr(0, dot));
    if (dot == text.npos) return {First, 1, from, {}};
    std::string_view what = text.substr(dot + 1);
    if (what == "second") return {Second, 1, from, {}};
    if (what == "bits") return {Bits, 1, from, {}};
    if (what == "area") return {Area, 1, from, {}};
    if (what == "quads") return {Quads, 1, from, {}};
    return {Letters, 1, from, what};
  }

  void read_facts() {
    std::vector<std::string_view> words = split(text_.facts, ' ');
    if (words.size() < 2) fail("no target", text_.facts);
    row_.arch = words[0];
    row_.isa = words[1];
    for (std::size_t i = 2; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (word.starts_with("if:")) {
        for (std::string_view rule : split(rule_text(word.substr(3)), ';')) read_rule(rule);
      } else if (word.starts_with("same:")) {
        for (std::string_view same : split(word.substr(5), ',')) read_same(same);
      } else if (word == "repeatable") {
        row_.repeatable = true;
      } else if (word == "orders") {
        row_.orders_memory = true;
      } else if (word == "byte") {
        row_.byte_immediate = true;
      } else {
        fail("a fact", word);
      }
    }
  }

  // "E26@space=shared::cluster&!sem".
  void read_same(std::string_view text) {
    std::size_t at = text.find('@');
    SameAs same{text.substr(0, at), {}};
    if (at != text.npos) {
      for (std::string_view part : split(text.substr(at + 1), '&')) {
        std::optional<Test> test = read_test(part);
        if (!test || test->is.bits == 0) fail("a condition", part);
        same.when.push_back(*test);
      }
    }
    row_.same_as.push_back(std::move(same));
  }

  // "sem=relaxed,acquire scope -> space!=local". A rule about a slot that this row lacks: the slot is always left out.
  void read_rule(std::string_view text) {
    std::size_t arrow = text.find("->");
    Rule rule;
    for (std::string_view part : split(text.substr(0, arrow), ' ')) {
      std::optional<Test> test = read_test(part);
      if (test) {
        rule.when.push_back(*test);
      } else if (!holds_without(part)) {
        return;
      }
    }
    // A test of choices that the row does not have never holds.
    if (std::ranges::any_of(rule.when, [](const Test& t) { return t.is.bits == 0; })) return;
    std::string_view need = split(text.substr(arrow + 2), ' ').at(0);
    std::optional<Test> test = read_test(need);
    if (!test && holds_without(need)) return;
    if (!test && rule.when.empty()) fail("a rule about a slot that the row lacks", text);
    if (!test) test = Test{rule.when.back().slot, {}};  // what must not be
    rule.need = *test;
    row_.rules.push_back(std::move(rule));
  }

  // Whether a test holds where its slot is left out.
  static bool holds_without(std::string_view text) {
    if (text.starts_with('!')) return true;
    std::size_t equal = text.find('=');
    if (equal == text.npos) return false;
    bool named = false;
    for (std::string_view word : split(text.substr(equal + 1), ',')) named |= word == "-";
    return text[equal - 1] == '!' ? !named : named;
  }

  std::optional<Test> read_test(std::string_view text) const {
    bool omitted = text.starts_with('!');
    if (omitted) text.remove_prefix(1);
    std::size_t equal = text.find('=');
    bool inverse = equal != text.npos && text[equal - 1] == '!';
    std::optional<std::size_t> found = row_.slot_named(text.substr(0, equal == text.npos ? equal : equal - inverse));
    if (!found) return std::nullopt;
    const Slot& slot = row_.slots[*found];
    std::uint64_t all = ((std::uint64_t{1} << slot.choices.size()) - 1) | std::uint64_t{1} << Choices::kOmitted;
    Test out{*found, {}};
    if (equal == text.npos) {
      out.is.bits = omitted ? std::uint64_t{1} << Choices::kOmitted : all & ~(std::uint64_t{1} << Choices::kOmitted);
      return out;
    }
    for (std::string_view word : split(text.substr(equal + 1), ',')) {
      if (word == "-") out.is.bits |= std::uint64_t{1} << Choices::kOmitted;
      for (std::size_t i = 0; i < slot.choices.size(); ++i)
        if (slot.choices[i] == word) out.is.bits |= std::uint64_t{1} << i;
    }
    if (inverse) out.is.bits = all & ~out.is.bits;
    return out;
  }

  const RowText& text_;
  Row row_;
  int brackets_ = 0;
  int pipes_ = 0;
};

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  if (text.empty()) return out;
  out.reserve(static_cast<std::size_t>(std::ranges::count(text, separator)) + 1);  // rows are kept for good
  while (!text.empty()) {
    std::size_t end = text.find(separator);
    if (end != 0) out.push_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

Row read_row(const RowText& text) { return Reader(text).read(/*facts=*/true); }

Row read_shape(const RowText& text) { return Reader(text).read(/*facts=*/false); }

std::string family_name(const RowText& text) {
  std::string name(text.modifiers.substr(0, text.modifiers.find(' ')));
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace tilewright::ptx
