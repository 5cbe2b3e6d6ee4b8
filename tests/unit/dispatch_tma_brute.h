// A search for tensor-map plans that tries everything, to hold the planner against. It shares no code with it.
//
// A problem is a list of runs: strided dimensions of the tensor under the region, each with the mixed-radix digits that
// its coordinate has in shared memory (found by looking at addresses, not at layouts). A plan chooses digits that lie
// dense in shared memory from stride 1 on, whole or cut in up to three parts; the rest is issued. Segments are those of
// copy_async.md 3.4. From each choice everything is tried that rewrites a map without changing what it moves: joining
// whole neighbours, wider elements (3.5), moving the tensor's address over single elements (V9). The rules of 3.8 say
// what is legal.
//
// A cut keeps to what copy_async.md says of one: its parts are dimensions or issues of their own, never joined with a
// neighbour (example 20 of 10.2 is refused), and at the end of the chain the outer part is issued (example 6).
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace tilewright::testing::brute {

struct Digit {
  std::int64_t extent = 1, stride = 0;  // elements of shared memory
  int chosen = -1;                      // place in the chain
  bool cut = false;                     // a part of a digit
};

struct Run {
  std::int64_t shape = 1, stride = 0, start = 0, extent = 1;
  std::vector<Digit> digits{};  // outermost first
};

struct Problem {
  std::vector<Run> runs;
  std::int64_t bytes = 2;  // of an element
  int swizzle = 0;
  bool may_promote = true;
  std::int64_t base = 0;          // element of the tensor's storage at coordinate 0
  std::int64_t shared_start = 0;  // element of shared memory where the region starts
};

struct Dim {
  std::int64_t shape = 1, stride = 0, start = 0, box = 1;
  bool stepped = false, cut = false;
  auto operator<=>(const Dim&) const = default;
};

struct Map {
  std::vector<Dim> dims;  // outermost first
  std::int64_t bytes = 2, base = 0;
  auto operator<=>(const Map&) const = default;
};

class Everything {
 public:
  explicit Everything(Problem problem) : problem_(std::move(problem)) {
    for (const Run& r : problem_.runs) total_ *= r.extent;
  }

  // The fewest issues of any legal plan; nothing: there is none.
  std::optional<std::int64_t> fewest() {
    extend(1, 0, 0, false);
    return best_;
  }

 private:
  static constexpr int kMostChosen = 8, kMostCuts = 2;

  // `half`: the last chosen digit is the rest of one whose inner part was chosen before it.
  void extend(std::int64_t want, int chosen, int cuts, bool half) {
    if (chosen > 0 && !half) judge(want);
    if (chosen == kMostChosen) return;
    for (Run& run : problem_.runs) {
      for (std::size_t i = 0; i < run.digits.size(); ++i) {
        Digit d = run.digits[i];
        if (d.chosen >= 0 || d.stride != want || d.extent == 1) continue;
        const bool rest = i + 1 < run.digits.size() && run.digits[i + 1].chosen >= 0 &&
                          run.digits[i + 1].chosen == chosen - 1 &&
                          run.digits[i + 1].stride * run.digits[i + 1].extent == d.stride;
        run.digits[i].chosen = chosen;
        extend(want * d.extent, chosen + 1, cuts, rest);
        run.digits[i].chosen = -1;
        for (std::int64_t part = d.extent / 2; part > 1 && cuts < kMostCuts; --part) {
          if (d.extent % part != 0) continue;
          run.digits[i] = {d.extent / part, d.stride * part, -1, true};
          run.digits.insert(run.digits.begin() + static_cast<std::ptrdiff_t>(i) + 1, {part, d.stride, chosen, true});
          extend(want * part, chosen + 1, cuts + 1, rest);
          run.digits.erase(run.digits.begin() + static_cast<std::ptrdiff_t>(i) + 1);
          run.digits[i] = d;
        }
      }
    }
  }

  void judge(std::int64_t box) {
    const std::int64_t issues = total_ / box;
    if (best_ && *best_ <= issues) return;
    if (problem_.shared_start * problem_.bytes % 128 != 0) return;
    for (const Run& run : problem_.runs) {
      for (const Digit& d : run.digits) {
        if (d.chosen < 0 && d.extent > 1 && (d.stride == 0 || d.stride * problem_.bytes % 128 != 0)) return;
      }
    }
    std::optional<Map> map = describe();
    if (!map) return;
    std::set<Map> seen;
    std::vector<Map> open = {*map};
    while (!open.empty()) {
      Map now = std::move(open.back());
      open.pop_back();
      if (!seen.insert(now).second) continue;
      if (legal(now)) {
        best_ = issues;
        return;
      }
      rewrites(now, open);
    }
  }

  std::optional<Map> describe() const {
    Map out{{}, problem_.bytes, problem_.base};
    std::vector<Dim> singles, others;
    std::vector<std::pair<int, Dim>> box;
    for (const Run& run : problem_.runs) {
      if (run.extent == 1) {
        singles.push_back({run.shape, run.stride, run.start, 1, false, false});
        continue;
      }
      std::int64_t unit = 1, whole = 1;
      for (const Digit& d : run.digits) whole *= d.extent;
      bool first = true, stepped = false;
      std::int64_t span = 1;
      unit = whole;
      for (const Digit& d : run.digits) {
        unit /= d.extent;
        span *= d.extent;
        if (d.chosen < 0) {
          stepped = stepped || d.extent > 1;
          continue;
        }
        if (first && (run.shape % unit != 0 || run.start % unit != 0)) return std::nullopt;
        box.emplace_back(d.chosen, Dim{first ? run.shape / unit : span, run.stride * unit, first ? run.start / unit : 0,
                                       d.extent, stepped, d.cut});
        first = stepped = false;
        span = 1;
      }
      if (first) {
        others.push_back({run.shape, run.stride, run.start, 1, stepped, false});
      } else if (span > 1) {
        others.push_back({span, run.stride, 0, 1, stepped, false});
      }
    }
    std::ranges::sort(box, [](const auto& a, const auto& b) { return a.first > b.first; });
    out.dims = std::move(singles);
    out.dims.insert(out.dims.end(), others.begin(), others.end());
    for (const auto& [place, dim] : box) out.dims.push_back(dim);
    return out;
  }

  void rewrites(const Map& map, std::vector<Map>& out) const {
    for (std::size_t i = 0; i + 1 < map.dims.size(); ++i) {
      const Dim &o = map.dims[i], &n = map.dims[i + 1];
      if (!o.stepped && !n.stepped && !o.cut && !n.cut && o.start == 0 && n.start == 0 && o.box == o.shape &&
          n.box == n.shape && o.stride == n.shape * n.stride) {
        Map next = map;
        next.dims[i] = {o.shape * n.shape, n.stride, 0, o.box * n.box, false, false};
        next.dims.erase(next.dims.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        out.push_back(std::move(next));
      }
      if (o.box == 1 && !o.stepped && o.start >= 0 && o.start < o.shape) {
        Map next = map;
        next.base += o.start * o.stride * map.bytes / problem_.bytes;
        next.dims.erase(next.dims.begin() + static_cast<std::ptrdiff_t>(i));
        out.push_back(std::move(next));
      }
    }
    if (!problem_.may_promote || map.bytes == 8) return;
    const Dim& inner = map.dims.back();
    bool even =
        !inner.stepped && inner.stride == 1 && inner.shape % 2 == 0 && inner.box % 2 == 0 && inner.start % 2 == 0;
    for (std::size_t i = 0; i + 1 < map.dims.size(); ++i) even = even && map.dims[i].stride % 2 == 0;
    if (!even) return;
    Map next = map;
    next.bytes *= 2;
    for (std::size_t i = 0; i < next.dims.size(); ++i) {
      Dim& d = next.dims[i];
      if (i + 1 < next.dims.size()) {
        d.stride /= 2;
      } else {
        d = {d.shape / 2, 1, d.start / 2, d.box / 2, false, d.cut};
      }
    }
    out.push_back(std::move(next));
  }

  bool legal(const Map& map) const {
    if (map.dims.empty() || map.dims.size() > 5 || map.dims.back().stride != 1) return false;
    if (map.base * problem_.bytes % 16 != 0) return false;
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < map.dims.size(); ++i) {
      const Dim& d = map.dims[i];
      if (d.box > 256 || d.shape < 1 || d.shape > std::int64_t{1} << 32) return false;
      if (i + 1 == map.dims.size()) break;
      rows *= d.box;
      const std::int64_t stride = d.stride * map.bytes;
      if (stride % 16 != 0 || stride < 0 || stride >= std::int64_t{1} << 40) return false;
    }
    const std::int64_t row = map.dims.back().box * map.bytes, span = std::int64_t{16} << problem_.swizzle;
    if (row % 16 != 0) return false;
    return problem_.swizzle == 0 || row == span || (row < span && rows == 1);
  }

  Problem problem_;
  std::int64_t total_ = 1;
  std::optional<std::int64_t> best_;
};

// The digits of a coordinate in shared memory, from the address of each of its values: each digit as long as it goes.
inline std::optional<std::vector<Digit>> digits_of(const std::vector<std::int64_t>& address) {
  std::vector<Digit> out;
  std::vector<std::int64_t> left = address;
  while (left.size() > 1) {
    const auto n = static_cast<std::int64_t>(left.size());
    const std::int64_t stride = left[1] - left[0];
    if (stride < 0) return std::nullopt;  // the region crosses the borders of blocks
    auto fits = [&](std::int64_t e) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (left[static_cast<std::size_t>(i)] != left[static_cast<std::size_t>(i - i % e)] + i % e * stride)
          return false;
      }
      return true;
    };
    std::int64_t e = n;
    while (e > 1 && (n % e != 0 || !fits(e))) --e;
    if (e == 1) return std::nullopt;
    out.insert(out.begin(), {e, stride, -1});
    std::vector<std::int64_t> outer;
    for (std::int64_t i = 0; i < n; i += e) outer.push_back(left[static_cast<std::size_t>(i)]);
    left = std::move(outer);
  }
  return out;
}

}  // namespace tilewright::testing::brute
