// The index of a dict's keys, beside a plain list of hashes.
#include <algorithm>
#include <random>
#include <vector>

#include "compiler/script/value.h"
#include "tests/unit/catch.h"

using namespace tilewright::script;

TEST_CASE("an index of keys finds each of them, whatever was added and removed") {
  std::mt19937 draw(38);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t hashes = 1 + draw() % 60, scale = draw() % 2 ? 1 : 1u << 20;  // many keys share one
    KeyIndex index;
    std::vector<std::size_t> keys;
    for (int step = 0; step < 300; ++step) {
      if (draw() % 3 != 0 || keys.empty()) {
        keys.push_back(std::size_t{draw() % hashes} * scale);
        index.add(keys.back(), keys.size() - 1);
      } else if (draw() % 8 != 0) {
        const std::size_t gone = draw() % keys.size();
        keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(gone));
        index.remove(gone);
      } else {
        std::vector<std::uint32_t> places(keys.size());
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < keys.size(); ++i) {
          places[i] = draw() % 4 == 0 ? KeyIndex::kGone : static_cast<std::uint32_t>(kept.size());
          if (places[i] != KeyIndex::kGone) kept.push_back(keys[i]);
        }
        index.move(places);
        keys = kept;
      }
      REQUIRE(index.size() == keys.size());
      const std::size_t wanted = std::size_t{draw() % hashes} * scale;
      std::vector<std::size_t> found, expected;
      const auto note = [&](std::size_t at) {
        if (keys[at] == wanted) found.push_back(at);
        return false;
      };
      std::size_t passed = 0;
      CHECK(!index.find(wanted, note, passed));
      CHECK(passed >= found.size());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i] == wanted) expected.push_back(i);
      }
      std::ranges::sort(found);
      REQUIRE(found == expected);
    }
  }
}
