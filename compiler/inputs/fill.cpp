#include "compiler/inputs/fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/inputs/number.h"
#include "compiler/text/nearest.h"

namespace tilewright::inputs {
namespace {

constexpr FillWord kWords[] = {
    {"random", "random(seed=7, low=-1, high=1)", "Random numbers; without a seed those of the run."},
    {"zeros", "zeros", "0 everywhere."},
    {"ones", "ones", "1 everywhere."},
    {"arange", "arange(start=0, step=1)", "0, 1, 2, ...; from the start again where the type ends."},
    {"poison", "poison", "Nothing to read: the kernel only writes it."},
};

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::optional<double> number_of(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  auto number = parse_number(text);
  return number ? std::optional(number->as_double()) : std::nullopt;
}

// The arguments of one word.
class Arguments {
 public:
  Arguments(std::string_view word, Fill& fill) : word_(word), fill_(fill) {}

  std::optional<FillError> take(std::string_view text) {
    while (!(text = trimmed(text)).empty()) {
      const std::size_t end = std::min(text.find(','), text.size());
      if (auto wrong = one(trimmed(text.substr(0, end)))) return wrong;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (fill_.low && fill_.high && !(*fill_.low < *fill_.high))
      return FillError{word_, "low has to be less than high", {}};
    return std::nullopt;
  }

 private:
  std::span<const std::string_view> names() const {
    static constexpr std::array<std::string_view, 3> kRandom = {"seed", "low", "high"};
    static constexpr std::array<std::string_view, 2> kArange = {"start", "step"};
    if (word_ == "random") return kRandom;
    if (word_ == "arange") return kArange;
    return {};
  }

  std::optional<FillError> one(std::string_view argument) {
    if (argument.empty()) return std::nullopt;
    const std::size_t sign = argument.find('=');
    const std::string_view name = trimmed(argument.substr(0, std::min(sign, argument.size())));
    if (names().empty()) return FillError{argument, std::string(word_) + " takes no arguments", {}};
    if (sign == argument.npos || std::ranges::find(names(), name) == names().end()) return unknown(name);
    const std::string_view value = trimmed(argument.substr(sign + 1));
    if (name == "seed") {
      auto number = parse_number(value);
      if (!number || number->real || number->integer < 0)
        return FillError{value.empty() ? argument : value, "a seed is a whole number of at least 0", {}};
      fill_.seed = static_cast<std::uint64_t>(number->integer);
      return std::nullopt;
    }
    auto number = number_of(value);
    if (!number || !std::isfinite(*number))
      return FillError{value.empty() ? argument : value, std::string(name) + " is a number", {}};
    if (name == "low") fill_.low = number;
    if (name == "high") fill_.high = number;
    if (name == "start") fill_.start = *number;
    if (name == "step") fill_.step = *number;
    return std::nullopt;
  }

  FillError unknown(std::string_view name) const {
    text::Nearest near(name, text::Nearest::Among::Few);
    std::string all;
    for (std::string_view known : names()) {
      near.consider(known);
      all += (all.empty() ? "" : ", ") + std::string(known) + "=";
    }
    return {name, std::string(word_) + " takes " + all + ", not '" + std::string(name) + "'",
            std::string(near.found())};
  }

  std::string_view word_;
  Fill& fill_;
};

}  // namespace

std::span<const FillWord> fill_words() { return kWords; }

std::expected<Fill, FillError> parse_fill(std::string_view text) {
  text = trimmed(text);
  Fill fill;
  fill.text = std::string(text);
  if (auto number = number_of(text)) {
    fill.kind = Fill::Kind::Value;
    fill.start = *number;
    return fill;
  }
  const std::size_t open = std::min(text.find('('), text.size());
  const std::string_view word = trimmed(text.substr(0, open));
  if (std::ranges::find(kWords, word, &FillWord::word) == std::end(kWords)) {
    text::Nearest near(word, text::Nearest::Among::Few);
    std::string all;
    for (const FillWord& w : kWords) {
      near.consider(w.word);
      all += std::string(w.word) + ", ";
    }
    return std::unexpected(FillError{
        word.empty() ? text : word,
        "'" + std::string(word) + "' is nothing that a tensor can hold: one of " + all + "a number, or a file.npy",
        std::string(near.found())});
  }
  if (word == "zeros" || word == "ones") {
    fill.kind = Fill::Kind::Value;
    fill.start = word == "ones";
  }
  if (word == "arange") fill.kind = Fill::Kind::Arange;
  if (word == "poison") fill.kind = Fill::Kind::Poison;
  if (open == text.size()) return fill;
  if (!text.ends_with(')')) return std::unexpected(FillError{text.substr(open), "this bracket is not closed", {}});
  if (auto wrong = Arguments(word, fill).take(text.substr(open + 1, text.size() - open - 2)))
    return std::unexpected(*wrong);
  return fill;
}

}  // namespace tilewright::inputs
