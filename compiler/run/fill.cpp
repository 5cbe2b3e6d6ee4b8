#include "compiler/run/fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "compiler/run/element.h"
#include "compiler/run/format.h"
#include "compiler/run/host_value.h"
#include "compiler/run/parallel.h"
#include "compiler/run/random.h"
#include "compiler/text/nearest.h"

namespace tilewright::run {
namespace {

using ir::DataType;

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

// ---- contents ------------------------------------------------------------------------------------------------------

// Numbers that a floating-point type counts through without a gap: its mantissa's, or up to the largest it has.
std::int64_t countable(DataType element) {
  if (!element.is_floating()) return std::int64_t{1} << std::min<int>(element.is_bool() ? 1 : element.bits, 62);
  if (element.bits == 64) return std::int64_t{1} << 53;
  if (element.bits == 32 && element.is_float()) return std::int64_t{1} << 24;
  auto format = format_of(element);
  return format ? std::int64_t{1} << (format->mantissa + 1) : 1;
}

// Eight elements begin and end at a byte, whatever their width.
constexpr std::int64_t kBlock = 8;

// Writes the bits that `bits(i)` gives for element i, low bits first.
template <class Bits>
void write_elements(char* to, std::int64_t bytes, int width, const Bits& bits) {
  const std::int64_t count = (bytes * 8 + width - 1) / width;
  in_pieces(count, kPiece / kBlock * kBlock, [&](std::int64_t from, std::int64_t end) {
    for (std::int64_t block = from; block < end; block += kBlock) {
      std::array<char, kBlock * 8> packed{};
      for (std::int64_t i = 0; i < kBlock; ++i) {
        const std::uint64_t value = bits(block + i);
        const std::int64_t at = i * width;
        if (width % 8 == 0) {
          std::memcpy(packed.data() + at / 8, &value, static_cast<std::size_t>(width / 8));
          continue;
        }
        for (int b = 0; b < width; ++b)
          packed[static_cast<std::size_t>((at + b) / 8)] |= static_cast<char>((value >> b & 1) << (at + b) % 8);
      }
      const std::int64_t first = block * width / 8;
      std::memcpy(to + first, packed.data(), static_cast<std::size_t>(std::min<std::int64_t>(width, bytes - first)));
    }
  });
}

// The numbers that a random fill draws from.
struct Interval {
  double low, high;
};
Interval interval_of(const Fill& fill, DataType element) {
  if (!element.is_integral())
    return {fill.low.value_or(std::min(-1.0, fill.high.value_or(0) - 1)),
            fill.high.value_or(std::max(1.0, fill.low.value_or(0) + 1))};
  const int bits = element.is_bool() ? 1 : element.bits;
  const double top = std::ldexp(1.0, element.is_int() ? bits - 1 : bits);
  const double bottom = element.is_int() && (!fill.high || *fill.high <= 0) ? -top : 0;
  return {fill.low.value_or(bottom), fill.high.value_or(top)};
}

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

std::optional<Contents> filled(const Fill& fill, DataType dtype, std::int64_t bytes, std::uint64_t seed) {
  const std::uint64_t own = fill.seed.value_or(seed);
  if (fill.kind == Fill::Kind::Poison) return std::nullopt;
  if (fill.kind == Fill::Kind::Random && !fill.low && !fill.high) return random_contents(dtype, bytes, own);
  const DataType element = dtype.element();
  const int width = element.storage_bits();
  if (width <= 0 || width > 64 || !encode_element(element, 1)) return std::nullopt;
  Contents out = Contents::of_size(bytes);
  auto encoded = [element](double value) { return *encode_element(element, value); };
  switch (fill.kind) {
    case Fill::Kind::Value: {
      const std::uint64_t bits = encoded(fill.start);
      if (bits) write_elements(out.data(), bytes, width, [bits](std::int64_t) { return bits; });
      break;
    }
    case Fill::Kind::Arange: {
      const std::int64_t period = countable(element);
      // Counted in whole numbers where they are: a double does not tell all integers of 64 bits apart.
      const bool whole =
          element.is_integral() && fill.start == std::floor(fill.start) && fill.step == std::floor(fill.step);
      const auto first = static_cast<std::int64_t>(whole ? fill.start : 0),
                 by = static_cast<std::int64_t>(whole ? fill.step : 0);
      const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
      write_elements(out.data(), bytes, width, [&](std::int64_t i) {
        if (whole && !element.is_bool()) return static_cast<std::uint64_t>(first + i * by) & mask;
        return encoded(fill.start + fill.step * static_cast<double>(i % period));
      });
      break;
    }
    case Fill::Kind::Random: {
      const Interval in = interval_of(fill, element);
      const Random random{own};
      const double last = std::nextafter(in.high, in.low);
      write_elements(out.data(), bytes, width, [&](std::int64_t i) {
        const double part = static_cast<double>(random[static_cast<std::uint64_t>(i)] >> 11) * 0x1p-53;
        double value = std::min(last, in.low + part * (in.high - in.low));
        if (element.is_integral()) value = std::floor(value);
        return encoded(value);
      });
      break;
    }
    case Fill::Kind::Poison: break;
  }
  return out;
}

}  // namespace tilewright::run
