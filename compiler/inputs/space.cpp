#include "compiler/inputs/space.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "compiler/inputs/number.h"
#include "compiler/text/letters.h"

namespace tilewright::inputs {
namespace {

constexpr std::size_t kMostValues = 4096;
constexpr int kDeepest = 64;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return text::begins_name(c) || is_digit(c); }

std::string_view without_blanks(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

// Cuts the text before the next blank or comma, whichever `ends` says, outside of quotes and brackets off `rest`.
std::string_view next_part(std::string_view& rest, bool (*ends)(char)) {
  int depth = 0;
  char quote = 0;
  std::size_t at = 0;
  for (; at < rest.size(); ++at) {
    const char c = rest[at];
    if (quote) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (depth <= 0 && ends(c)) {
      break;
    }
  }
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

std::optional<std::int64_t> whole(std::string_view text) {
  const auto n = parse_number(text);
  return n && !n->real && text != "true" && text != "false" ? std::optional(n->integer) : std::nullopt;
}

// "2..6", "64..256..64"; nothing: it is none.
std::expected<std::optional<std::vector<std::string>>, std::string> range_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == text.npos || text.front() == '"' || text.front() == '\'') return std::nullopt;
  std::string_view last = text.substr(dots + 2), step = "1";
  if (const std::size_t more = last.find(".."); more != last.npos) {
    step = last.substr(more + 2);
    last = last.substr(0, more);
  }
  const auto from = whole(text.substr(0, dots)), to = whole(last), by = whole(step);
  if (!from || !to || !by || *by <= 0)
    return std::unexpected("'" + std::string(text) + "' is no range: FIRST..LAST or FIRST..LAST..STEP");
  std::vector<std::string> out;
  for (std::int64_t v = *from; v <= *to; v += *by) {
    if (out.size() >= kMostValues) return std::unexpected("'" + std::string(text) + "' has more than 4096 values");
    out.push_back(std::to_string(v));
    // Without an overflow at the largest numbers.
    if (static_cast<std::uint64_t>(*to) - static_cast<std::uint64_t>(v) < static_cast<std::uint64_t>(*by)) break;
  }
  if (out.empty()) return std::unexpected("the range '" + std::string(text) + "' has no value");
  return out;
}

std::expected<Space::Axis, std::string> axis_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (equals == text.npos || name.empty() || !text::begins_name(name[0]) || !std::ranges::all_of(name, in_name))
    return std::unexpected("'" + std::string(text) + "' is no NAME=VALUES, as BM=64,128 without blanks");
  Space::Axis axis{std::string(name), {}};
  for (std::string_view rest = text.substr(equals + 1); !rest.empty();) {
    const std::string_view value = without_blanks(next_part(rest, [](char c) { return c == ','; }));
    if (value.empty()) return std::unexpected("'" + std::string(text) + "' has an empty value");
    auto range = range_of(value);
    if (!range) return std::unexpected(range.error());
    if (*range) {
      axis.values.insert(axis.values.end(), (*range)->begin(), (*range)->end());
    } else {
      axis.values.emplace_back(value);
    }
    if (axis.values.size() > kMostValues)
      return std::unexpected("'" + std::string(name) + "' has more than 4096 values");
  }
  if (axis.values.empty()) return std::unexpected("'" + std::string(name) + "' has no value");
  // A value that is there twice, as of "2..4,3", is one candidate.
  std::vector<std::string> once;
  for (std::string& value : axis.values)
    if (std::ranges::find(once, value) == once.end()) once.push_back(std::move(value));
  axis.values = std::move(once);
  return axis;
}

// A condition: Python's grammar of integers, one function a level of it.
class Condition {
 public:
  Condition(std::string_view text, const std::vector<Space::Axis>& names, const std::vector<std::string>& values)
      : text_(text), names_(names), values_(values) {}

  std::expected<std::int64_t, std::string> value() {
    const std::int64_t out = either();
    skip();
    if (error_.empty() && at_ < text_.size()) fail("'" + std::string(text_.substr(at_)) + "' is not expected there");
    if (!error_.empty()) return std::unexpected(error_);
    return out;
  }

 private:
  std::int64_t fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    at_ = text_.size();
    return 0;
  }
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool word(std::string_view w) {
    skip();
    if (!text_.substr(at_).starts_with(w)) return false;
    if (in_name(w.back()) && at_ + w.size() < text_.size() && in_name(text_[at_ + w.size()])) return false;
    at_ += w.size();
    return true;
  }
  bool sign(std::string_view w) { return word(w); }

  std::int64_t either() {
    std::int64_t out = both();
    while (word("or")) {
      const std::int64_t next = both();
      out = out ? out : next;
    }
    return out;
  }
  std::int64_t both() {
    std::int64_t out = negation();
    while (word("and")) {
      const std::int64_t next = negation();
      out = out ? next : out;
    }
    return out;
  }
  std::int64_t negation() {
    if (++depth_ > kDeepest) return fail("the condition is nested too deeply");
    const std::int64_t out = word("not") ? static_cast<std::int64_t>(negation() == 0) : comparison();
    --depth_;
    return out;
  }
  std::int64_t comparison() {
    std::int64_t left = sum();
    bool any = false, holds = true;
    for (;;) {
      skip();
      bool (*compare)(std::int64_t, std::int64_t) = nullptr;
      if (sign("<=")) {
        compare = [](std::int64_t a, std::int64_t b) { return a <= b; };
      } else if (sign(">=")) {
        compare = [](std::int64_t a, std::int64_t b) { return a >= b; };
      } else if (sign("==")) {
        compare = [](std::int64_t a, std::int64_t b) { return a == b; };
      } else if (sign("!=")) {
        compare = [](std::int64_t a, std::int64_t b) { return a != b; };
      } else if (sign("<")) {
        compare = [](std::int64_t a, std::int64_t b) { return a < b; };
      } else if (sign(">")) {
        compare = [](std::int64_t a, std::int64_t b) { return a > b; };
      } else {
        return any ? static_cast<std::int64_t>(holds) : left;
      }
      const std::int64_t right = sum();
      holds = holds && compare(left, right);
      any = true;
      left = right;
    }
  }
  std::int64_t sum() {
    std::int64_t out = product();
    for (;;) {
      const bool plus = sign("+");
      if (!plus && !sign("-")) return out;
      const std::int64_t next = product();
      if (plus ? __builtin_add_overflow(out, next, &out) : __builtin_sub_overflow(out, next, &out)) return too_large();
    }
  }
  std::int64_t product() {
    std::int64_t out = factor();
    for (;;) {
      const bool divides = sign("//"), modulo = !divides && sign("%");
      if (!divides && !modulo && !sign("*")) return out;
      const std::int64_t next = factor();
      if (!divides && !modulo) {
        if (__builtin_mul_overflow(out, next, &out)) return too_large();
        continue;
      }
      if (next == 0) return fail("a division by zero");
      if (next == -1 && out == INT64_MIN) return too_large();
      std::int64_t quotient = out / next;
      if (out % next != 0 && (out < 0) != (next < 0)) --quotient;
      out = divides ? quotient : out - quotient * next;
    }
  }
  std::int64_t factor() {
    if (++depth_ > kDeepest) return fail("the condition is nested too deeply");
    std::int64_t out = 0;
    if (sign("-")) {
      const std::int64_t of = factor();
      if (__builtin_sub_overflow(std::int64_t{0}, of, &out)) return too_large();
    } else if (sign("(")) {
      out = either();
      if (error_.empty() && !sign(")")) return fail("a ')' is missing");
    } else {
      out = atom();
    }
    --depth_;
    return out;
  }
  std::int64_t atom() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty())
      return fail(at_ < text_.size() ? "'" + std::string(text_.substr(at_, 1)) + "' is not expected there"
                                     : "something is missing at its end");
    std::string_view written = name;
    if (!is_digit(name[0]) && name != "True" && name != "False") {
      const auto axis = std::ranges::find(names_, name, &Space::Axis::name);
      if (axis == names_.end()) return fail("'" + std::string(name) + "' is none of the space's names");
      written = values_[static_cast<std::size_t>(axis - names_.begin())];
    }
    const auto number = parse_number(written);
    if (!number || number->real) return fail("'" + std::string(written) + "' is no integer");
    return number->integer;
  }
  std::int64_t too_large() { return fail("a number beyond 64 bits"); }

  std::string_view text_;
  const std::vector<Space::Axis>& names_;
  const std::vector<std::string>& values_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

std::expected<Space, std::string> parse_space(std::string_view text) {
  Space space;
  for (std::string_view rest = without_blanks(text); !rest.empty(); rest = without_blanks(rest)) {
    if (rest.starts_with("if") && (rest.size() == 2 || is_blank(rest[2]))) {
      space.condition = without_blanks(rest.substr(2));
      if (space.condition.empty()) return std::unexpected("a condition is missing after 'if'");
      break;
    }
    auto axis = axis_of(next_part(rest, is_blank));
    if (!axis) return std::unexpected(axis.error());
    if (std::ranges::find(space.axes, axis->name, &Space::Axis::name) != space.axes.end())
      return std::unexpected("'" + axis->name + "' is given twice");
    space.axes.push_back(std::move(*axis));
  }
  if (space.axes.empty()) return std::unexpected("there is no NAME=VALUES");
  return space;
}

std::expected<std::int64_t, std::string> integer_of(std::string_view expression, const std::vector<Space::Axis>& names,
                                                    const std::vector<std::string>& values) {
  return Condition(expression, names, values).value();
}

std::expected<std::vector<std::vector<std::string>>, std::string> points_of(const Space& space, std::size_t most) {
  std::size_t all = 1;
  for (const Space::Axis& axis : space.axes) {
    if (axis.values.size() > most / all)
      return std::unexpected("the space has more than " + std::to_string(most) + " points");
    all *= axis.values.size();
  }
  std::vector<std::vector<std::string>> out;
  for (std::size_t n = 0; n < all; ++n) {
    std::vector<std::string> point(space.axes.size());
    std::size_t left = n;
    for (std::size_t i = space.axes.size(); i-- > 0; left /= space.axes[i].values.size())
      point[i] = space.axes[i].values[left % space.axes[i].values.size()];
    if (!space.condition.empty()) {
      auto holds = integer_of(space.condition, space.axes, point);
      if (!holds) return std::unexpected("'" + space.condition + "': " + holds.error());
      if (!*holds) continue;
    }
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace tilewright::inputs
