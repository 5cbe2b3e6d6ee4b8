#include <vector>

#include "compiler/run/statistics.h"
#include "tests/unit/catch.h"

using namespace tilewright::run;

namespace {

// A generator of our own: the same numbers everywhere.
struct Noise {
  std::uint64_t state = 7;
  double operator()() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state >> 33) * 0x1p-31 - 0.5;
  }
};

bool near(double a, double b, double by) { return a > b - by && a < b + by; }

}  // namespace

TEST_CASE("run: the spread of measurements") {
  const std::vector<double> steady{10, 10.1, 9.9, 10, 10.2, 10, 9.8, 10, 10.1, 10};
  Spread s = spread_of(steady);
  CHECK(near(s.median, 10, 1e-9));
  CHECK(near(s.least, 9.8, 1e-9));
  CHECK(near(s.most, 10.2, 1e-9));
  CHECK(s.p20 < s.median);
  CHECK(s.p80 > s.median);
  CHECK(s.stable);
  CHECK_FALSE(spread_of(std::vector<double>{10, 12, 10, 12, 10, 12, 10, 12}).stable);
  // It drifts, though the middle is narrow.
  CHECK_FALSE(spread_of(std::vector<double>{10, 10, 10, 10, 10, 10.4, 10.4, 10.4, 10.4, 10.4}).stable);
  CHECK_FALSE(spread_of(std::vector<double>{10, 10, 10}).stable);
  CHECK(spread_of(std::vector<double>{5}).median == 5);
}

TEST_CASE("run: a difference is told from noise") {
  Noise noise;
  std::vector<double> first, second, same;
  for (int i = 0; i < 30; ++i) {
    // Both follow one drift.
    const double drift = 1 + 0.002 * i;
    first.push_back(100 * drift * (1 + 0.02 * noise()));
    second.push_back(103 * drift * (1 + 0.02 * noise()));
    same.push_back(100 * drift * (1 + 0.02 * noise()));
  }
  auto c = contest(first, second);
  REQUIRE(c);
  CHECK(c->significant);
  CHECK(near(c->ratio, 1.03, 0.006));
  CHECK(c->least < 1.03);
  CHECK(c->most > 1.03);
  CHECK(c->least > 1);
  auto none = contest(first, same);
  REQUIRE(none);
  CHECK_FALSE(none->significant);
  CHECK(none->least < 1);
  CHECK(none->most > 1);
  // One outlier proves nothing.
  same = first;
  same[3] *= 5;
  CHECK_FALSE(contest(first, same)->significant);
}

TEST_CASE("run: few pairs are counted exactly, and too few say nothing") {
  const std::vector<double> a{10, 11, 12, 13, 14, 15, 16, 17};
  std::vector<double> b;
  for (std::size_t i = 0; i < a.size(); ++i) b.push_back(a[i] * (1.1 + 0.001 * static_cast<double>(i)));
  // All eight signs agree: 2 of 256 ways.
  CHECK(near(contest(a, b)->probability, 2.0 / 256, 1e-12));
  CHECK(contest(a, b)->significant);
  CHECK(contest(a, a)->probability == 1);
  CHECK_FALSE(contest(a, a)->significant);
  CHECK_FALSE(contest(std::span(a).first(5), std::span(b).first(5)));
}

TEST_CASE("run: no difference is found where there is none, 99 times of 100") {
  Noise noise;
  int found = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> a, b;
    for (int i = 0; i < 20; ++i) {
      a.push_back(100 + noise());
      b.push_back(100 + noise());
    }
    found += contest(a, b)->significant;
  }
  CHECK(found <= 10);
}
