// What a tensor holds before a run, in a few words: "random(seed=7)", "zeros", "arange", "-1.5", "poison".
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::inputs {

struct Fill {
  enum class Kind : std::uint8_t {
    Random,  // numbers from `low`, below `high`; where they are not said as random_contents has them
    Arange,  // start, start + step, ...; begins again where the type could not tell the numbers apart any more
    Value,   // the same number everywhere
    Poison,  // nothing that may be read: the kernel only writes it
  };
  Kind kind = Kind::Random;
  std::optional<std::uint64_t> seed{};  // nothing: made of the run's own and the tensor's name
  std::optional<double> low{}, high{};
  double start = 0, step = 1;  // of an Arange; `start` is the number of a Value
  std::string text{};          // as it was written
};

// A word of a fill that means nothing; `at` points into the text that was given.
struct FillError {
  std::string_view at;
  std::string message;
  std::string meant;  // what may have been meant; empty: not known
};
std::expected<Fill, FillError> parse_fill(std::string_view text);

// The words that a fill may begin with, each with what it does.
struct FillWord {
  std::string_view word, form, documentation;
};
std::span<const FillWord> fill_words();

}  // namespace tilewright::inputs
