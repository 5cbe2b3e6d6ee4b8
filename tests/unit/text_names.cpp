// Unique names: each gets the first suffix that is free, whatever was taken and given back before. Words of
// enumerations.
#include <random>
#include <set>

#include "compiler/text/names.h"
#include "compiler/text/words.h"
#include "tests/unit/catch.h"

using namespace tilewright::text;

TEST_CASE("names: the first free suffix is taken, as by trying them one after the other") {
  static constexpr auto kReserved = in_order(std::array<std::string_view, 2>{"int", "x_2"});
  static constexpr std::string_view kWanted[] = {"x", "x", "x", "x_1", "x_1_1", "y", "int", "x_12", "_", "x_", "1"};
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Names names(kReserved);
    std::multiset<std::string> taken;
    std::vector<std::vector<std::string>> blocks(1);
    names.open();
    for (int i = 0; i < 120; ++i) {
      const unsigned what = random() % 10;
      if (what == 0) {
        names.open();
        blocks.emplace_back();
      } else if (what == 1 && blocks.size() > 1) {
        names.close();
        for (const std::string& name : blocks.back()) taken.erase(taken.find(name));
        blocks.pop_back();
      } else {
        const std::string base = identifier(kWanted[random() % std::size(kWanted)]);
        std::string expected = base;
        for (int suffix = 1; taken.contains(expected) || std::ranges::binary_search(kReserved, expected); ++suffix)
          expected = base + "_" + std::to_string(suffix);
        REQUIRE(names.take(base) == expected);
        taken.insert(expected);
        blocks.back().push_back(expected);
      }
    }
  }
}

namespace {
enum class Hidden : unsigned char { First, Second, Third };
}

TEST_CASE("words: each enumerator has one, and is found by it") {
  static constexpr auto kWords = words_of<Hidden>({"first", "", "third"});
  static_assert(detail::enumerators<Hidden>() == 3);  // which words_of asserts
  CHECK(kWords[Hidden::Third] == "third");
  CHECK(kWords.find("third") == Hidden::Third);
  CHECK_FALSE(kWords.find("fourth"));
  CHECK_FALSE(kWords.find(""));
}
