#include "compiler/text/nearest.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace tilewright::text {

int edit_distance(std::string_view a, std::string_view b, int limit) {
  int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  if (std::abs(n - m) > limit) return limit + 1;
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

// With the same letter, in either case, or with the first two exchanged.
static bool begins_alike(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return false;
  if ((a[0] | 0x20) == (b[0] | 0x20)) return true;
  return a.size() == b.size() && a.size() > 1 && a[0] == b[1] && a[1] == b[0];
}

// Are the letters of `part` in `whole`, in their order?
static bool is_within(std::string_view part, std::string_view whole) {
  std::size_t at = 0;
  for (char c : whole) at += at < part.size() && part[at] == c;
  return at == part.size();
}

// Is it `name` with one letter twice?
static bool is_doubled(std::string_view wrong, std::string_view name) {
  std::size_t i = 0;
  while (i < name.size() && wrong[i] == name[i]) ++i;
  return wrong.size() == name.size() + 1 && i > 0 && wrong[i] == wrong[i - 1] && wrong.substr(i + 1) == name.substr(i);
}

// The same word in another spelling: `trans_b` and `transB`?
static bool is_respelt(std::string_view a, std::string_view b) {
  auto letter = [](std::string_view& rest) {
    while (!rest.empty() && rest[0] == '_') rest.remove_prefix(1);
    if (rest.empty()) return '\0';
    const char c = rest[0];
    rest.remove_prefix(1);
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
  };
  while (true) {
    const char x = letter(a), y = letter(b);
    if (x != y) return false;
    if (x == '\0') return true;
  }
}

static int slip(std::string_view wrong, std::string_view name) {
  if (is_respelt(wrong, name)) return 0;
  if (wrong.size() == name.size()) return std::ranges::is_permutation(wrong, name) ? 0 : 2;
  return is_within(wrong, name) || is_doubled(wrong, name) ? 1 : 2;
}

Nearest::Nearest(std::string_view wrong, Among among)
    : wrong_(wrong), among_(among), best_((wrong.size() < (among == Among::Few ? 4 : 6) ? 1 : 2) + 1) {
  if (wrong.size() < 2 || wrong.size() > 64) best_ = 0;
}

void Nearest::consider(std::string_view name) {
  if (wrong_.size() == 1 && name.size() == 1 && among_ == Among::Few && is_respelt(wrong_, name)) found_ = name;
  if (best_ == 0 || name == wrong_) return;
  if (wrong_.size() < 4 && among_ != Among::Few && !begins_alike(wrong_, name)) {
    const bool like_case = !name.empty() && ((name[0] ^ wrong_[0]) & 0x20) == 0;  // `OLS` of COLS, not `all` of Call
    const bool lacks_first = wrong_.size() == 3 && name.size() == 4 && name.ends_with(wrong_) && like_case;
    if (among_ != Among::Meant || !lacks_first) return;
  }
  int distance = edit_distance(wrong_, name, best_);
  if (distance > best_ || (distance == best_ && found_.empty())) return;
  const int how = slip(wrong_, name);
  if (distance == best_ && how >= slip_) return;
  best_ = distance;
  slip_ = how;
  found_ = name;
}

}  // namespace tilewright::text
