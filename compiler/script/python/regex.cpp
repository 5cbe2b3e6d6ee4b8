#include "compiler/script/python/regex.h"

#include <algorithm>

namespace tilewright::script::python {
namespace {

constexpr std::size_t kLongest = 4096;  // steps of a program
constexpr int kDeepestGroup = 40;       // groups in groups
constexpr int kMostGroups = 100;
constexpr int kUnbounded = -1;

bool is_word_character(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_decimal(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(unsigned char c) { return is_word_character(c) && !is_decimal(c) && c != '_'; }

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word_character(static_cast<unsigned char>(text[end]))) ++end;
  return text.substr(at, end - at);
}

}  // namespace

// Reads a pattern part by part, as Lib/re/_parser.py does. False, or none: it is not followed.
class RegexReader {
 public:
  RegexReader(std::string_view pattern, unsigned flags) : text_(pattern) { out_.flags_ = flags; }

  std::optional<Regex> read() {
    if (!global_flags()) return std::nullopt;
    Part whole;
    if (!branches(whole) || at_ != text_.size()) return std::nullopt;
    out_.steps_ = std::move(whole.steps);
    out_.steps_.push_back({Regex::Op::Accept});
    return std::move(out_);
  }

 private:
  using Step = Regex::Step;
  using Op = Regex::Op;
  using Characters = Regex::Characters;

  struct Part {
    std::vector<Step> steps;
    bool may_be_empty = true;
    bool has_groups = false;
    int width = 0;  // kUnbounded: it varies
  };

  bool has(unsigned flag) const { return (out_.flags_ & flag) != 0; }
  bool ends() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // (?im) at the very beginning.
  bool global_flags() {
    if (!text_.starts_with("(?") || text_.size() < 4 || !is_ascii_letter(static_cast<unsigned char>(text_[2])))
      return true;
    constexpr std::pair<char, unsigned> kFlags[] = {{'i', Regex::kIgnoreCase},
                                                    {'m', Regex::kMultiline},
                                                    {'s', Regex::kDotAll},
                                                    {'x', Regex::kVerbose},
                                                    {'a', Regex::kAscii}};
    for (std::size_t i = 2; i < text_.size(); ++i) {
      if (text_[i] == ')') {
        at_ = i + 1;
        return true;
      }
      const auto* flag = std::ranges::find(kFlags, text_[i], &std::pair<char, unsigned>::first);
      if (flag == std::end(kFlags)) return text_[2] == 'P';  // (?P<name>...)
      out_.flags_ |= flag->second;
    }
    return false;
  }

  static void append(Part& to, const Part& more) {
    to.steps.insert(to.steps.end(), more.steps.begin(), more.steps.end());
    to.may_be_empty = to.may_be_empty && more.may_be_empty;
    to.has_groups = to.has_groups || more.has_groups;
    to.width = to.width < 0 || more.width < 0 ? kUnbounded : to.width + more.width;
  }

  // a|b|c: each but the last begins with a choice, and ends with a jump behind all of them.
  bool branches(Part& out) {
    if (++depth_ > kDeepestGroup) return false;
    std::vector<Part> all(1);
    for (std::size_t size = 0;; size += 2) {  // of a choice and a jump
      if (!sequence(all.back())) return false;
      size += all.back().steps.size();
      if (size > kLongest) return false;
      if (!take("|")) break;
      all.emplace_back();
    }
    --depth_;
    out = std::move(all.back());
    for (std::size_t i = all.size() - 1; i-- > 0;) {
      const int first = static_cast<int>(all[i].steps.size()), rest = static_cast<int>(out.steps.size());
      Part both;
      both.steps.push_back({Op::Split, 1, first + 2});
      both.steps.insert(both.steps.end(), all[i].steps.begin(), all[i].steps.end());
      both.steps.push_back({Op::Jump, rest + 1});
      both.steps.insert(both.steps.end(), out.steps.begin(), out.steps.end());
      both.may_be_empty = all[i].may_be_empty || out.may_be_empty;
      both.has_groups = all[i].has_groups || out.has_groups;
      both.width = all[i].width == out.width ? out.width : kUnbounded;
      out = std::move(both);
    }
    return true;
  }

  void skip_blanks() {
    while (has(Regex::kVerbose) && !ends()) {
      if (here() == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (here() == ' ' || (here() >= '\t' && here() <= '\r')) {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool sequence(Part& out) {
    Part item;             // the last one, which may be repeated
    bool repeated = true;  // nothing that could be repeated
    for (;;) {
      skip_blanks();
      if (ends() || here() == '|' || here() == ')') break;
      int least = 0, most = 0;
      if (repeat(least, most)) {
        if (repeated || !apply(item, least, most)) return false;
        repeated = true;
        continue;
      }
      if (ends()) return false;
      append(out, item);
      if (out.steps.size() > kLongest) return false;
      item = {};
      repeated = false;
      if (!atom(item, repeated)) return false;
    }
    append(out, item);
    return out.steps.size() <= kLongest;
  }

  // A quantifier here. A brace that begins none is a character.
  bool repeat(int& least, int& most) {
    auto times = [&](int low, int high) {
      least = low;
      most = high;
      return true;
    };
    if (take("*")) return times(0, kUnbounded);
    if (take("+")) return times(1, kUnbounded);
    if (take("?")) return times(0, 1);
    if (here() != '{') return false;
    const std::size_t begin = at_++;
    const int low = number();
    int high = low;
    if (take(",")) high = number();
    if (!take("}") || (low < 0 && high < 0 && text_.substr(begin, at_ - begin) != "{,}")) {
      at_ = begin;
      return false;
    }
    least = std::max(low, 0);
    most = high;
    return true;
  }

  // -1: there is none.
  int number() {
    int value = -1;
    while (!ends() && is_decimal(static_cast<unsigned char>(here()))) {
      value = std::min(std::max(value, 0) * 10 + (here() - '0'), 100'000);
      ++at_;
    }
    return value;
  }

  bool apply(Part& item, int least, int most) {
    const bool lazy = take("?");
    if (!lazy && !ends() && here() == '+') return false;
    if (most != 1 && !(least == most && most == 0) && (item.has_groups || item.may_be_empty)) return false;
    if (most >= 0 && most < least) return false;
    const int size = static_cast<int>(item.steps.size());
    const int copies = most < 0 ? least + 1 : most;
    if (static_cast<std::size_t>(copies) * static_cast<std::size_t>(size + 2) > kLongest) return false;
    std::vector<Step> out;
    auto add = [&] { out.insert(out.end(), item.steps.begin(), item.steps.end()); };
    auto choice = [&](int past) { out.push_back(lazy ? Step{Op::Split, past, 1} : Step{Op::Split, 1, past}); };
    for (int i = 0; i < least; ++i) add();
    if (most < 0) {
      choice(size + 2);
      add();
      out.push_back({Op::Jump, -(size + 1)});
    }
    for (int i = least; i < most; ++i) {
      choice((most - i) * (size + 1));
      add();
    }
    item.steps = std::move(out);
    item.may_be_empty = item.may_be_empty || least == 0;
    item.width = least == most && item.width >= 0 ? item.width * least : kUnbounded;
    return true;
  }

  // `fixed`: what cannot be repeated.
  bool atom(Part& out, bool& fixed) {
    const char c = here();
    ++at_;
    switch (c) {
      case '.': return add_set(out, any());
      case '[': return character_set(out);
      case '(': return group(out, fixed);
      case '\\': return escape(out, fixed);
      case '^': return add_place(out, has(Regex::kMultiline) ? Op::LineBegin : Op::Begin, fixed);
      case '$': return add_place(out, has(Regex::kMultiline) ? Op::LineEnd : Op::LastEnd, fixed);
      default: return add_character(out, static_cast<unsigned char>(c));
    }
  }

  Characters any() const {
    Characters set;
    set.set();
    if (!has(Regex::kDotAll)) set.reset('\n');
    return set;
  }

  bool add_place(Part& out, Op op, bool& fixed, int x = 0) {
    fixed = true;
    out.steps.push_back({op, x});
    return true;
  }

  bool add_character(Part& out, unsigned char c) {
    Characters set;
    set.set(c);
    return add_set(out, with_case(set));
  }

  bool add_set(Part& out, const Characters& set) {
    auto known = std::ranges::find(out_.sets_, set);
    if (known == out_.sets_.end()) known = out_.sets_.insert(known, set);
    out.steps.push_back({Op::One, static_cast<int>(known - out_.sets_.begin())});
    out.may_be_empty = false;
    out.width = 1;
    return true;
  }

  // With both cases of its letters, where case is ignored.
  Characters with_case(Characters set) const {
    if (!has(Regex::kIgnoreCase)) return set;
    for (int c = 'a'; c <= 'z'; ++c) {
      const bool either = set.test(static_cast<std::size_t>(c)) || set.test(static_cast<std::size_t>(c - 'a' + 'A'));
      set.set(static_cast<std::size_t>(c), either);
      set.set(static_cast<std::size_t>(c - 'a' + 'A'), either);
    }
    return set;
  }

  // \d \w \s and those that are not.
  std::optional<Characters> category(char c) const {
    Characters set;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto one = static_cast<unsigned char>(i);
      const bool blank =
          one == ' ' || (one >= '\t' && one <= '\r') || (!has(Regex::kAscii) && one >= 0x1c && one <= 0x1f);
      switch (c | 0x20) {
        case 'd': set.set(i, is_decimal(one)); break;
        case 'w': set.set(i, is_word_character(one)); break;
        case 's': set.set(i, blank); break;
        default: return std::nullopt;
      }
    }
    return c & 0x20 ? set : ~set;
  }

  // A character that a letter or two digits stand for, after the backslash and `c`.
  std::optional<unsigned char> escaped(char c) {
    constexpr std::string_view kLetters = "abfnrtv", kMeant = "\a\b\f\n\r\t\v";
    if (c == 'x') {
      auto digit = [&](std::size_t at) -> int {
        const char d = at < text_.size() ? text_[at] : ' ';
        if (is_decimal(static_cast<unsigned char>(d))) return d - '0';
        return (d | 0x20) >= 'a' && (d | 0x20) <= 'f' ? (d | 0x20) - 'a' + 10 : -1;
      };
      const int high = digit(at_), low = digit(at_ + 1);
      at_ += 2;
      if (high < 0 || high > 7 || low < 0) return std::nullopt;
      return static_cast<unsigned char>(high * 16 + low);
    }
    if (const std::size_t at = kLetters.find(c); at != kLetters.npos) return static_cast<unsigned char>(kMeant[at]);
    if (is_ascii_letter(static_cast<unsigned char>(c)) || is_decimal(static_cast<unsigned char>(c)))
      return std::nullopt;
    return static_cast<unsigned char>(c);
  }

  bool escape(Part& out, bool& fixed) {
    if (ends()) return false;
    const char c = here();
    ++at_;
    if (c == 'b' || c == 'B') return add_place(out, Op::Word, fixed, c == 'b');
    if (c == 'A') return add_place(out, Op::Begin, fixed);
    if (c == 'Z') return add_place(out, Op::End, fixed);
    if (auto set = category(c)) return add_set(out, *set);
    if (c >= '1' && c <= '9') {
      if (!ends() && is_decimal(static_cast<unsigned char>(here()))) return false;
      return same_as(out, c - '0');
    }
    const auto one = escaped(c);
    return one && add_character(out, *one);
  }

  bool same_as(Part& out, int group) {
    const bool closed = group <= out_.groups_ && std::ranges::find(open_, group) == open_.end();
    if (!closed || has(Regex::kIgnoreCase)) return false;
    out.steps.push_back({Op::Same, group});
    out.may_be_empty = true;
    out.width = kUnbounded;
    return true;
  }

  // One character of a set, or a category; none: it is not followed.
  bool member(Characters& set, std::optional<unsigned char>& single) {
    const char c = here();
    ++at_;
    single = static_cast<unsigned char>(c);
    if (c != '\\') return true;
    if (ends()) return false;
    const char d = here();
    ++at_;
    if (auto all = category(d)) {
      set |= *all;
      single.reset();
      return true;
    }
    single = escaped(d);
    return single.has_value();
  }

  bool character_set(Part& out) {
    Characters set;
    const bool negated = take("^");
    for (bool first = true;; first = false) {
      if (ends()) return false;
      if (!first && take("]")) break;
      std::optional<unsigned char> low, high;
      if (!member(set, low)) return false;
      const bool range = at_ + 1 < text_.size() && here() == '-' && text_[at_ + 1] != ']';
      if (!range) {
        if (low) set.set(*low);
        continue;
      }
      ++at_;
      if (!member(set, high) || !low || !high || *high < *low) return false;
      for (unsigned c = *low; c <= *high; ++c) set.set(c);
    }
    set = with_case(set);
    return add_set(out, negated ? ~set : set);
  }

  bool group(Part& out, bool& fixed) {
    if (take("?:")) return branches(out) && take(")");
    if (take("?#")) {
      at_ = text_.find(')', at_);
      fixed = true;
      return at_ != text_.npos && take(")");
    }
    if (take("?=")) return look(out, 1, false, fixed);
    if (take("?!")) return look(out, 0, false, fixed);
    if (take("?<=")) return look(out, 1, true, fixed);
    if (take("?<!")) return look(out, 0, true, fixed);
    if (take("?P=")) {
      const std::string_view name = word_at(text_, at_);
      const auto known = std::ranges::find(out_.names_, name, &std::pair<std::string, int>::first);
      at_ += name.size();
      return known != out_.names_.end() && take(")") && same_as(out, known->second);
    }
    const int number = out_.groups_ + 1;
    if (number >= kMostGroups) return false;
    if (take("?P<")) {
      const std::string_view name = word_at(text_, at_);
      const bool known = std::ranges::find(out_.names_, name, &std::pair<std::string, int>::first) != out_.names_.end();
      at_ += name.size();
      if (name.empty() || is_decimal(static_cast<unsigned char>(name[0])) || known || !take(">")) return false;
      out_.names_.emplace_back(name, number);
    } else if (!ends() && here() == '?') {
      return false;
    }
    out_.groups_ = number;
    open_.push_back(number);
    Part inner;
    if (!branches(inner) || !take(")")) return false;
    open_.pop_back();
    out.steps.push_back({Op::Save, 2 * number});
    append(out, inner);
    out.steps.push_back({Op::Save, 2 * number + 1});
    out.has_groups = true;
    return true;
  }

  bool look(Part& out, int is_wanted, bool behind, bool& fixed) {
    fixed = true;
    Part inner;
    if (!branches(inner) || !take(")") || inner.has_groups || (behind && inner.width < 0)) return false;
    const int size = static_cast<int>(inner.steps.size());
    out.steps.push_back({Op::Look, is_wanted, size + 2, behind ? inner.width : 0});
    out.steps.insert(out.steps.end(), inner.steps.begin(), inner.steps.end());
    out.steps.push_back({Op::Accept});
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<int> open_;
  Regex out_;
};

// One search. What fails goes back to the last choice, and takes back what was saved since.
class RegexMachine {
 public:
  RegexMachine(const Regex& regex, std::string_view text, std::size_t end, std::uint64_t& steps)
      : regex_(regex), text_(text), end_(end), steps_(steps) {}

  bool is_lost() const { return lost_; }

  // Does the program from `pc` match from `at` on? `whole`: up to the end. `not_at`: where an empty match does not
  // count.
  bool run(std::size_t pc, std::size_t at, bool whole, std::int64_t not_at, std::vector<std::int64_t>& spans,
           std::size_t& match_end) {
    std::vector<Choice> choices;
    for (;;) {
      if (++steps_ > Regex::kMostSteps || choices.size() > Regex::kMostSteps) {
        lost_ = true;
        return false;
      }
      const Regex::Step& step = regex_.steps_[pc];
      bool fine = true;
      switch (step.op) {
        case Regex::Op::Split:
          choices.push_back({offset(pc, step.y), at, -1, 0});
          pc = offset(pc, step.x);
          continue;
        case Regex::Op::Jump: pc = offset(pc, step.x); continue;
        case Regex::Op::Save: {
          auto& place = spans[static_cast<std::size_t>(step.x)];
          choices.push_back({0, 0, step.x, place});
          place = static_cast<std::int64_t>(at);
          break;
        }
        case Regex::Op::Accept:
          fine = (!whole || at == end_) && static_cast<std::int64_t>(at) != not_at;
          if (!fine) break;
          match_end = at;
          return true;
        case Regex::Op::Look:
          fine = looks(pc, at, step, spans);
          if (fine) {
            pc = offset(pc, step.y);
            continue;
          }
          if (lost_) return false;
          break;
        default: fine = passes(step, at, spans);
      }
      if (fine) {
        ++pc;
      } else if (!back(choices, pc, at, spans)) {
        return false;
      }
    }
  }

 private:
  struct Choice {
    std::size_t pc, at;
    int saved;  // -1: a choice; else the place whose value was `value`
    std::int64_t value;
  };

  static std::size_t offset(std::size_t pc, int by) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(pc) + by);
  }

  static bool back(std::vector<Choice>& choices, std::size_t& pc, std::size_t& at, std::vector<std::int64_t>& spans) {
    while (!choices.empty()) {
      const Choice last = choices.back();
      choices.pop_back();
      if (last.saved < 0) {
        pc = last.pc;
        at = last.at;
        return true;
      }
      spans[static_cast<std::size_t>(last.saved)] = last.value;
    }
    return false;
  }

  bool looks(std::size_t pc, std::size_t at, const Regex::Step& step, const std::vector<std::int64_t>& spans) {
    const auto width = static_cast<std::size_t>(step.back);
    if (width > at) return step.x == 0;
    std::vector<std::int64_t> own = spans;
    std::size_t ends = 0;
    const bool found = run(pc + 1, at - width, false, -1, own, ends);
    return !lost_ && found == (step.x != 0);
  }

  bool word_before(std::size_t at) const {
    return at > 0 && is_word_character(static_cast<unsigned char>(text_[at - 1]));
  }
  bool word_after(std::size_t at) const {
    return at < end_ && is_word_character(static_cast<unsigned char>(text_[at]));
  }

  // A step that takes characters, or asks what stands here.
  bool passes(const Regex::Step& step, std::size_t& at, const std::vector<std::int64_t>& spans) const {
    switch (step.op) {
      case Regex::Op::One:
        if (at >= end_) return false;
        return regex_.sets_[static_cast<std::size_t>(step.x)].test(static_cast<unsigned char>(text_[at++]));
      case Regex::Op::Begin: return at == 0;
      case Regex::Op::LineBegin: return at == 0 || text_[at - 1] == '\n';
      case Regex::Op::End: return at == end_;
      case Regex::Op::LineEnd: return at == end_ || text_[at] == '\n';
      case Regex::Op::LastEnd: return at == end_ || (at + 1 == end_ && text_[at] == '\n');
      case Regex::Op::Word:  // an empty text has no edge, and no place that is none
        return end_ != 0 && (word_before(at) != word_after(at)) == (step.x != 0);
      case Regex::Op::Same: {
        const auto group = static_cast<std::size_t>(step.x);
        if (spans[2 * group] < 0 || spans[2 * group + 1] < 0) return false;
        const auto begin = static_cast<std::size_t>(spans[2 * group]);
        const std::string_view wanted = text_.substr(begin, static_cast<std::size_t>(spans[2 * group + 1]) - begin);
        if (text_.substr(at, std::min(end_ - at, wanted.size())) != wanted) return false;
        at += wanted.size();
        return true;
      }
      default: return false;
    }
  }

  const Regex& regex_;
  std::string_view text_;
  std::size_t end_;
  std::uint64_t& steps_;
  bool lost_ = false;
};

std::optional<Regex> Regex::read(std::string_view pattern, unsigned flags) {
  constexpr unsigned kFollowed = kIgnoreCase | kMultiline | kDotAll | kVerbose | kAscii | 32;
  const bool ascii = std::ranges::all_of(pattern, [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (!ascii || (flags & ~kFollowed)) return std::nullopt;
  return RegexReader(pattern, flags).read();
}

Regex::Outcome Regex::find(std::string_view text, std::size_t begin, std::size_t end, How how, bool no_empty,
                           std::vector<std::int64_t>& spans, std::uint64_t& steps) const {
  RegexMachine machine(*this, text, end, steps);
  for (std::size_t at = begin; at <= end; ++at) {
    spans.assign(2 * static_cast<std::size_t>(groups_) + 2, -1);
    std::size_t ends = 0;
    const std::int64_t not_at = no_empty && at == begin ? static_cast<std::int64_t>(begin) : -1;
    if (machine.run(0, at, how == How::Whole, not_at, spans, ends)) {
      spans[0] = static_cast<std::int64_t>(at);
      spans[1] = static_cast<std::int64_t>(ends);
      return Outcome::Match;
    }
    if (machine.is_lost()) return Outcome::Lost;
    if (how != How::Anywhere) break;
  }
  return Outcome::None;
}

}  // namespace tilewright::script::python
