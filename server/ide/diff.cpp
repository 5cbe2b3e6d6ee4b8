// Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986) over lines, with a bound on the
// number of differences, since its trace takes the square of it.
#include "server/ide/diff.h"

#include <algorithm>
#include <vector>

namespace tilewright::ide {
namespace {

constexpr int kMaxDifferences = 1500, kContext = 3;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

struct Step {
  char mark;  // ' ', '-', '+'
  std::string_view line;
};
using Lines = std::vector<std::string_view>;

std::vector<Step> replaced(const Lines& a, const Lines& b) {
  std::vector<Step> out;
  for (std::string_view line : a) out.push_back({'-', line});
  for (std::string_view line : b) out.push_back({'+', line});
  return out;
}

std::vector<Step> shortest_edit(const Lines& a, const Lines& b) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size()), limit = std::min(n + m, kMaxDifferences);
  std::vector<int> reach(2 * static_cast<std::size_t>(limit) + 3, 0);
  auto at = [&](std::vector<int>& v, int k) -> int& { return v.begin()[k + limit + 1]; };
  std::vector<std::vector<int>> trace;
  for (int d = 0; d <= limit; ++d) {
    trace.push_back(reach);
    for (int k = -d; k <= d; k += 2) {
      bool down = k == -d || (k != d && at(reach, k - 1) < at(reach, k + 1));
      int x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
      int y = x - k;
      while (x < n && y < m && y >= 0 && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) {
        ++x;
        ++y;
      }
      at(reach, k) = x;
      if (x < n || y < m) continue;
      // Back along the trace.
      std::vector<Step> steps;
      for (int e = d; e >= 0; --e) {
        std::vector<int>& v = trace[static_cast<std::size_t>(e)];
        int kk = x - y;
        bool came_down = kk == -e || (kk != e && at(v, kk - 1) < at(v, kk + 1));
        int before_k = came_down ? kk + 1 : kk - 1;
        int before_x = e == 0 ? 0 : at(v, before_k), before_y = e == 0 ? 0 : before_x - before_k;
        while (x > before_x && y > before_y) {
          steps.push_back({' ', a[static_cast<std::size_t>(x - 1)]});
          --x;
          --y;
        }
        if (e == 0) break;
        if (came_down) {
          steps.push_back({'+', b[static_cast<std::size_t>(before_y)]});
        } else {
          steps.push_back({'-', a[static_cast<std::size_t>(before_x)]});
        }
        x = before_x;
        y = before_y;
      }
      std::ranges::reverse(steps);
      return steps;
    }
  }
  return replaced(a, b);
}

}  // namespace

std::string unified_diff(std::string_view left, std::string_view right, std::string_view left_name,
                         std::string_view right_name) {
  if (left == right) return {};
  std::vector<Step> steps = shortest_edit(lines_of(left), lines_of(right));
  std::string out = "--- " + std::string(left_name) + "\n+++ " + std::string(right_name) + "\n";
  auto count = static_cast<int>(steps.size());
  auto changed = [&](int i) { return steps[static_cast<std::size_t>(i)].mark != ' '; };
  int line_a = 1, line_b = 1, i = 0;
  auto pass = [&](int to) {
    for (; i < to; ++i) {
      line_a += steps[static_cast<std::size_t>(i)].mark != '+';
      line_b += steps[static_cast<std::size_t>(i)].mark != '-';
    }
  };
  while (i < count) {
    int first = i;
    while (first < count && !changed(first)) ++first;
    if (first == count) break;
    int end = first;
    for (int j = first, quiet = 0; j < count && quiet <= 2 * kContext; ++j) {
      quiet = changed(j) ? 0 : quiet + 1;
      if (changed(j)) end = j + 1;
    }
    pass(std::max(i, first - kContext));
    int stop = std::min(count, end + kContext), a = 0, b = 0;
    for (int j = i; j < stop; ++j) {
      a += steps[static_cast<std::size_t>(j)].mark != '+';
      b += steps[static_cast<std::size_t>(j)].mark != '-';
    }
    out += "@@ -" + std::to_string(a ? line_a : line_a - 1) + "," + std::to_string(a) + " +" +
           std::to_string(b ? line_b : line_b - 1) + "," + std::to_string(b) + " @@\n";
    for (int j = i; j < stop; ++j) {
      out += steps[static_cast<std::size_t>(j)].mark + std::string(steps[static_cast<std::size_t>(j)].line) + "\n";
    }
    pass(stop);
  }
  return out;
}

}  // namespace tilewright::ide
