// Regular expressions as Python's `re` reads them, over ASCII texts.
//
// A pattern becomes a short program for a machine that goes back to its last choice when it fails, with a bound on its
// steps. What is not followed is refused when the pattern is read, and then nothing of it is known: characters beyond
// ASCII, repeats of what may be empty, groups within repeats or within what looks ahead or behind, possessive repeats,
// conditions, flags of a part. Faulty patterns are refused as well.
#pragma once
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::script::python {

class Regex {
 public:
  static constexpr unsigned kIgnoreCase = 2, kMultiline = 8, kDotAll = 16, kVerbose = 64, kAscii = 256;
  static constexpr std::uint64_t kMostSteps = 1'000'000;  // of one search

  enum class How : std::uint8_t { First, Whole, Anywhere };  // match, fullmatch, search
  enum class Outcome : std::uint8_t { Match, None, Lost };   // Lost: it takes too many steps

  // None: it is not followed.
  static std::optional<Regex> read(std::string_view pattern, unsigned flags);

  int groups() const { return groups_; }
  unsigned flags() const { return flags_; }  // with those that the pattern itself sets
  const std::vector<std::pair<std::string, int>>& names() const { return names_; }

  // Looks in text[begin, end) for a match; `spans` is then the begin and the end of each group, -1 where it took no
  // part. `no_empty`: an empty match at `begin` does not count. Adds to `steps`.
  Outcome find(std::string_view text, std::size_t begin, std::size_t end, How how, bool no_empty,
               std::vector<std::int64_t>& spans, std::uint64_t& steps) const;

 private:
  friend class RegexReader;
  friend class RegexMachine;

  enum class Op : std::uint8_t {
    One,        // a character of sets_[x]
    Split,      // goes on at x, and if that fails at y; both from here
    Jump,       // to x from here
    Save,       // the place is spans[x]
    LineBegin,  // in several lines, or in one
    Begin,
    LineEnd,
    LastEnd,  // the end, or before the last line feed
    End,
    Word,  // at an edge of a word: x is 1
    Same,  // the text of group x
    Look,  // what follows matches here, x is 1, or does not; y: where it goes on; before this place: `back` characters
    Accept,
  };
  struct Step {
    Op op;
    int x = 0, y = 0, back = 0;
  };
  using Characters = std::bitset<128>;

  std::vector<Step> steps_;
  std::vector<Characters> sets_;
  std::vector<std::pair<std::string, int>> names_;
  int groups_ = 0;
  unsigned flags_ = 0;
};

}  // namespace tilewright::script::python
