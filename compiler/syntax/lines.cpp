// How broken text is bounded.
//
// A line break inside brackets joins two lines, so a bracket that is not closed would swallow the rest of the file.
// Two signs end such a line. A *hard* one cannot occur in valid text: a keyword at the start of a line that no bracket
// can hold (`def`, `return`, `with` ...), or a value at its start where the line before ended with a value, unless it
// is deeper than the line that opened the bracket: an argument without the comma before it. A *soft* one is a line that
// merely looks like a statement: not deeper than the line that opened the bracket, and beginning with a name. Valid
// text may look like that, so the scanner remembers the first soft line and reads on; only when the bracket proves
// unclosed, by a hard sign or by the end of the text, does it go back there. The text read twice is rationed, so that
// hostile input costs linear time.
#include "compiler/syntax/lines.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilewright::syntax {
namespace {

enum class Char : std::uint8_t {
  Plain,
  Blank,
  Break,
  Letter,
  Digit,
  Quote,
  Open,
  Close,
  Hash,
  Backslash,
  Colon,
  Semicolon
};

constexpr std::array<Char, 256> classes() {
  std::array<Char, 256> table{};
  for (int c = 0; c < 256; ++c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    if (letter) table[c] = Char::Letter;
    if (c >= '0' && c <= '9') table[c] = Char::Digit;
  }
  for (unsigned char c : {' ', '\t', '\f'}) table[c] = Char::Blank;
  for (unsigned char c : {'\n', '\r'}) table[c] = Char::Break;
  for (unsigned char c : {'"', '\''}) table[c] = Char::Quote;
  for (unsigned char c : {'(', '[', '{'}) table[c] = Char::Open;
  for (unsigned char c : {')', ']', '}'}) table[c] = Char::Close;
  table['#'] = Char::Hash;
  table['\\'] = Char::Backslash;
  table[':'] = Char::Colon;
  table[';'] = Char::Semicolon;
  return table;
}
constexpr std::array<Char, 256> kClass = classes();
Char class_of(char c) { return kClass[static_cast<unsigned char>(c)]; }

// What a table says of characters that a scan passes over many at a time.
template <class Is>
constexpr std::array<bool, 256> table_of(Is&& is) {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = is(kClass[c]);
  return table;
}
constexpr auto kOfWords = table_of([](Char c) { return c == Char::Letter || c == Char::Digit; });
constexpr auto kOfStrings =  // neither an end nor what could begin one
    table_of([](Char c) { return c != Char::Quote && c != Char::Backslash && c != Char::Break; });

// Words, most of which a text does not have: the first letter and the length refuse nearly all others at once.
template <std::size_t N>
struct Words {
  std::array<std::string_view, N> words{};
  std::array<std::uint16_t, 256> lengths{};  // by first letter, a bit for each

  bool has(std::string_view word) const {
    if (word.empty() || word.size() >= 16) return false;
    if (!(lengths[static_cast<unsigned char>(word[0])] >> word.size() & 1)) return false;
    return std::ranges::find(words, word) != words.end();
  }
};
template <std::size_t N>
consteval Words<N> words(const std::string_view (&list)[N]) {
  Words<N> out;
  std::ranges::copy(list, out.words.begin());
  for (std::string_view word : list) {
    if (word.size() >= 16) throw "a word too long for its bit";
    out.lengths[static_cast<unsigned char>(word[0])] |= static_cast<std::uint16_t>(1u << word.size());
  }
  return out;
}

// Begins a statement and stands in no bracket of a valid script.
bool is_hard(std::string_view word) {
  static constexpr auto kList =
      words({"def", "class", "return", "import", "with", "while", "try", "raise", "assert", "del", "global", "nonlocal",
             "pass", "break", "elif", "continue", "except", "finally"});
  return kList.has(word);
}

// Goes on with an expression, and begins no statement that anyone writes.
bool is_infix(std::string_view word) {
  static constexpr auto kList = words({"and", "or", "not", "in", "is", "else", "lambda", "None", "True", "False"});
  return kList.has(word);
}

// May stand behind a value.
bool follows_value(std::string_view word) {
  static constexpr auto kList = words({"and", "or", "not", "in", "is", "if", "else", "for", "as", "async", "from"});
  return kList.has(word);
}

// Needs a value behind it.
bool precedes_value(std::string_view word) {
  // Those that follow a value, the hard ones, and three more.
  static constexpr auto kList = words(
      {"and",      "or",    "not",    "in",     "is",       "if",     "else",    "for",    "as",     "async", "from",
       "def",      "class", "return", "import", "with",     "while",  "try",     "raise",  "assert", "del",   "global",
       "nonlocal", "pass",  "break",  "elif",   "continue", "except", "finally", "lambda", "await",  "yield"});
  return kList.has(word);
}

Word word_kind(std::string_view word) {
  static constexpr auto kDefinitions = words({"def", "class"});
  static constexpr auto kCompounds = words({"if", "for", "while", "with", "try"});
  static constexpr auto kClauses = words({"elif", "else", "except", "finally"});
  if (word.size() < 2 || word.size() > 7) return Word::Other;
  if (kDefinitions.has(word)) return Word::Definition;
  if (kCompounds.has(word)) return Word::Compound;
  if (kClauses.has(word)) return Word::Clause;
  if (word == "async") return Word::Async;
  if (word == "match") return Word::Match;  // a soft keyword: taken back if the line does not end with a `:`
  return Word::Other;
}

// What stands open: a bracket by its own character, or a part of an f-string.
struct Open {
  enum Kind : char { Field = 'F', Text = 'S', Format = 'C' };
  char kind;
  char quote = 0;  // of Text and Format
  bool triple = false;
  std::uint32_t at = 0;
  bool is_text() const { return kind == Text || kind == Format; }
};

char closer_of(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), size_(static_cast<std::uint32_t>(text.size())) {}

  LineScan run(std::uint32_t column) {
    scan_.lines.reserve(text_.size() / 40);
    return run(0, column, [](const LineScan&) { return false; });
  }

  template <class Enough>
  LineScan run(std::uint32_t from, std::uint32_t column, Enough&& enough) {
    pos_ = from == 0 && text_.starts_with("\xEF\xBB\xBF") ? 3 : from;
    while (pos_ < size_) {
      skip_blanks(column);
      if (pos_ >= size_) break;
      switch (class_of(text_[pos_])) {
        case Char::Break: take_break(); break;
        case Char::Hash: comment(); break;
        default:
          physical_line(column);
          if (enough(std::as_const(scan_))) return std::move(scan_);
      }
      column = 0;
    }
    return std::move(scan_);
  }

 private:
  // Where to go back to when a bracket proves unclosed.
  struct Candidate {
    std::uint32_t pos, last_end;
    char last;
    std::vector<Open> open;
    std::optional<std::uint32_t> fault;
    std::size_t faults, comments;
    std::uint32_t open_string_end;
  };

  bool at_break(std::uint32_t at) const { return at < size_ && class_of(text_[at]) == Char::Break; }
  void take_break() { pos_ += text_[pos_] == '\r' && pos_ + 1 < size_ && text_[pos_ + 1] == '\n' ? 2 : 1; }
  void skip_blanks(std::uint32_t& column) {
    for (; pos_ < size_ && class_of(text_[pos_]) == Char::Blank; ++pos_) {
      column = text_[pos_] == ' ' ? column + 1 : text_[pos_] == '\t' ? (column / 8 + 1) * 8 : 0;
    }
  }
  bool is_triple(std::uint32_t at) const {
    return at + 2 < size_ && text_[at + 1] == text_[at] && text_[at + 2] == text_[at];
  }
  // The first place from `at` on that the table does not hold.
  std::uint32_t past(const std::array<bool, 256>& table, std::uint32_t at) const {
    while (at < size_ && table[static_cast<unsigned char>(text_[at])]) ++at;
    return at;
  }
  std::uint32_t line_end(std::uint32_t at) const {
    while (at < size_ && !at_break(at)) ++at;
    looked_at(at);
    return at;
  }
  // What decides about a line reaches to `at` and the few bytes behind it that tell where a token ends.
  void looked_at(std::uint32_t at) const { reach_ = std::max(reach_, at + kTokenAhead); }
  std::string_view word_at(std::uint32_t at) const {
    std::uint32_t end = at;
    if (at < size_ && class_of(text_[at]) == Char::Letter) end = past(kOfWords, at);
    looked_at(end);
    return text_.substr(at, end - at);
  }

  void comment() {
    std::uint32_t begin = pos_;
    pos_ = line_end(pos_);
    std::string_view body = text_.substr(begin + 1, pos_ - begin - 1);
    body.remove_prefix(std::min(body.find_first_not_of(" \t"), body.size()));
    if (body.starts_with("tilewright:")) scan_.comments.push_back({begin, pos_});
  }

  // A line of the file, and the logical lines that `;` makes of it.
  void physical_line(std::uint32_t column) {
    bool joined = false;
    do {
      logical_line(column, joined);
      joined = true;
      std::uint32_t ignored = 0;
      if (after_semicolon_) skip_blanks(ignored);
    } while (after_semicolon_ && pos_ < size_ && !at_break(pos_) && text_[pos_] != '#');
  }

  void logical_line(std::uint32_t column, bool joined) {
    line_ = {.begin = pos_, .end = pos_, .column = column, .joined = joined};
    open_.clear();
    candidate_.reset();
    after_semicolon_ = false;
    last_end_ = pos_;
    last_ = 0;
    lambdas_ = 0;
    open_string_end_ = 0;
    ended_ = Ended::Other;
    reach_ = 0;
    if (text_[pos_] == '@') {
      line_.word = Word::Decorator;
    } else if (class_of(text_[pos_]) == Char::Close) {
      line_.word = Word::Closer;
    } else {
      line_.word = word_kind(word_at(pos_));
    }
    done_ = false;
    while (!done_) step();
  }

  // What the last token was, as far as it decides what may follow.
  enum class Ended : std::uint8_t { Other, Value, String };

  void token(std::uint32_t end, Ended ended = Ended::Other) {
    pos_ = last_end_ = end;
    last_ = text_[end - 1];
    ended_ = ended;
  }

  void step() {
    if (!open_.empty() && open_.back().is_text()) return string_text();
    if (pos_ >= size_) return open_.empty() ? finish() : fail();
    switch (class_of(text_[pos_])) {
      case Char::Blank: do { ++pos_;
        } while (pos_ < size_ && class_of(text_[pos_]) == Char::Blank);
        return;
      case Char::Break:
        if (open_.empty()) return finish();
        return break_in_brackets();
      case Char::Letter: return word();
      case Char::Digit: {
        const std::uint32_t end = past(kOfWords, pos_ + 1);
        note_stray(end, {});
        return token(end, Ended::Value);
      }
      case Char::Quote: return string(pos_, false);
      case Char::Open: return push({.kind = text_[pos_], .at = pos_});
      case Char::Close: return close();
      case Char::Hash: return comment();
      case Char::Backslash:
        if (at_break(pos_ + 1)) {
          ++pos_;
          take_break();
          if (last_end_ == line_.begin) last_end_ = line_.begin + 1;
          return;
        }
        return token(pos_ + 1);
      case Char::Colon:
        if (!open_.empty() && open_.back().kind == Open::Field) {
          Open format{.kind = Open::Format, .quote = 0, .triple = false, .at = pos_};
          for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
            if (!it->is_text()) continue;
            format.quote = it->quote;
            format.triple = it->triple;
            break;
          }
          return push(format);
        }
        if (open_.empty()) {
          if (lambdas_ > 0) {
            --lambdas_;
          } else if (pos_ + 1 >= size_ || text_[pos_ + 1] != '=') {
            line_.has_colon = true;
          }
        }
        return token(pos_ + 1);
      case Char::Semicolon:
        if (!open_.empty()) return token(pos_ + 1);
        after_semicolon_ = true;
        if (last_end_ == line_.begin) last_end_ = pos_ + 1;  // a `;` with nothing before it is an error of its own
        ++pos_;
        return finish();
      case Char::Plain: return token(pos_ + 1);
    }
  }

  void word() {
    std::string_view word = word_at(pos_);
    std::uint32_t end = pos_ + static_cast<std::uint32_t>(word.size());
    if (word.size() <= 2 && end < size_ && class_of(text_[end]) == Char::Quote) {
      bool prefix = true, format = false;
      for (char c : word) {
        char lower = static_cast<char>(c | 0x20);
        prefix = prefix && (lower == 'r' || lower == 'b' || lower == 'u' || lower == 'f');
        format = format || lower == 'f';
      }
      if (prefix) return string(end, format);
    }
    if (open_.empty() && word == "lambda") ++lambdas_;
    note_stray(end, word);
    token(end, precedes_value(word) ? Ended::Other : Ended::Value);
  }

  void note_stray(std::uint32_t end, std::string_view word) {
    if (ended_ != Ended::Other && line_.stray.end == 0 && begins_value(word)) line_.stray = {pos_, end};
  }

  // At the opening quote. Strings without fields are read to their end at once.
  void string(std::uint32_t quote_at, bool format) {
    char quote = text_[quote_at];
    bool triple = is_triple(quote_at);
    std::uint32_t begin = pos_;
    std::uint32_t at = quote_at + (triple ? 3 : 1);
    if (format) {
      push({.kind = Open::Text, .quote = quote, .triple = triple, .at = begin});
      return token(at);
    }
    for (at = past(kOfStrings, at); at < size_; at = past(kOfStrings, at + 1)) {
      char c = text_[at];
      if (c == '\\') {
        if (text_.substr(at, 3) == "\\\r\n") ++at;
        ++at;
      } else if (c == quote) {
        if (!triple) return token(at + 1, Ended::String);
        if (is_triple(at)) return token(at + 3, Ended::String);
      } else if (!triple && class_of(c) == Char::Break) {
        break;
      }
    }
    at = std::min(at, size_);
    looked_at(at);
    if (!triple) {
      set_fault(Fault::Kind::UnterminatedString, {begin, at});
      token(at);
      open_string_ = quote;
      open_string_end_ = at;
      return;
    }
    unterminated_triple(begin, at, quote);
  }

  // A string in triple quotes that never ends: a later definition that is not deeper than its line ends it.
  void unterminated_triple(std::uint32_t begin, std::uint32_t end, char quote) {
    if (candidate_) return fail();
    open_.push_back({.kind = Open::Text, .quote = quote, .triple = true, .at = begin});
    last_end_ = end;
    std::uint32_t next = line_end(begin);
    while (next < size_) {
      pos_ = next;
      take_break();
      std::uint32_t start = pos_, column = 0;
      skip_blanks(column);
      std::string_view word = word_at(pos_);
      bool definition = word == "def" || word == "class" || word == "import" || (pos_ < size_ && text_[pos_] == '@');
      if (column <= line_.column && definition) {
        last_end_ = next;
        pos_ = start;
        return finish_broken();
      }
      next = line_end(pos_);
    }
    pos_ = size_;
    finish_broken();
  }

  // In the text of an f-string or of a format.
  void string_text() {
    const Open top = open_.back();
    bool triple = top.triple;
    while (pos_ < size_) {
      char c = text_[pos_];
      if (c == '\\') {
        if (text_.substr(pos_, 3) == "\\N{") {
          constexpr std::uint32_t kLongestName = 100;
          looked_at(pos_ + kLongestName);
          std::size_t close = text_.substr(pos_ + 3, kLongestName).find_first_of("}\"'\r\n");
          pos_ += close != std::string_view::npos && text_[pos_ + 3 + close] == '}'
                      ? static_cast<std::uint32_t>(close) + 4
                      : 3;
          continue;
        }
        ++pos_;
        if (pos_ < size_ && at_break(pos_)) {
          take_break();
        } else if (pos_ < size_ && text_[pos_] != '{' && text_[pos_] != '}') {
          ++pos_;
        }
      } else if (c == top.quote && (!triple || is_triple(pos_))) {
        while (open_.back().kind != Open::Text) open_.pop_back();  // an unclosed format ends with its string
        open_.pop_back();
        return token(pos_ + (triple ? 3 : 1), Ended::String);
      } else if (c == '{') {
        if (top.kind == Open::Text && text_.substr(pos_, 2) == "{{") {
          pos_ += 2;
          continue;
        }
        return push({.kind = Open::Field, .at = pos_});
      } else if (c == '}' && top.kind == Open::Format) {
        open_.pop_back();
        if (!open_.empty() && open_.back().kind == Open::Field) open_.pop_back();
        return token(pos_ + 1);
      } else if (!triple && class_of(c) == Char::Break) {
        return unterminated_text();
      } else {
        ++pos_;
      }
    }
    last_end_ = pos_;
    triple ? fail() : unterminated_text();
  }

  // An f-string in single quotes without its end.
  void unterminated_text() {
    if (candidate_) return fail();
    while (open_.back().kind != Open::Text) open_.pop_back();
    set_fault(Fault::Kind::UnterminatedString, {open_.back().at, pos_});
    open_string_ = open_.back().quote;
    open_.pop_back();
    token(pos_);
    open_string_end_ = pos_;
  }

  void push(Open open) {
    std::uint32_t at = pos_ + 1;
    open_.push_back(open);
    if (open_.size() > kMaxBrackets && !(line_.fault && scan_.faults[*line_.fault].kind == Fault::Kind::TooDeep)) {
      line_.fault.reset();
      set_fault(Fault::Kind::TooDeep, {open.at, at});
    }
    token(at);
  }

  // A closing bracket ends the innermost bracket of its kind, and with it what stands open within.
  void close() {
    char c = text_[pos_];
    std::size_t i = open_.size();
    std::size_t floor = i > kMaxBrackets ? i - kMaxBrackets : 0;
    bool found = false;
    for (; i > floor && !found; --i) {
      char kind = open_[i - 1].kind;
      if (open_[i - 1].is_text()) break;
      found = kind == Open::Field ? c == '}' : closer_of(kind) == c;
    }
    if (!found) {
      set_fault(Fault::Kind::UnmatchedBracket, {pos_, pos_ + 1});
    } else {
      if (i + 1 < open_.size()) set_fault(Fault::Kind::UnclosedBracket, {open_[i + 1].at, open_[i + 1].at + 1});
      open_.resize(i);
    }
    token(pos_ + 1, Ended::Value);
    if (open_.empty()) candidate_.reset();
  }

  void break_in_brackets() {
    take_break();
    std::uint32_t start = pos_, column = 0;
    skip_blanks(column);
    if (pos_ >= size_ || at_break(pos_) || text_[pos_] == '#') return;
    bool in_string = std::ranges::any_of(open_, [](const Open& o) { return o.kind == Open::Text; });
    if (in_string) {
      bool single = std::ranges::any_of(open_, [](const Open& o) { return o.kind == Open::Text && !o.triple; });
      if (single && !candidate_) {
        remember(start);
        if (is_impatient()) fail();
      }
      return;
    }
    std::string_view word = word_at(pos_);
    // Deeper than the line that opened the bracket stands another argument, before which a comma is missing.
    const bool argument = column > line_.column && !is_header();
    if (is_hard(word) || (ended_ != Ended::Other && begins_value(word) && !argument)) {
      looked_at(pos_);
      if (!candidate_) {
        pos_ = start;
        return finish_broken();
      }
      return fail();
    }
    if (!candidate_ && is_soft(word, column)) {
      remember(start);
      if (is_impatient()) return fail();
    }
  }

  // Whether what stands here cannot follow a value. (Strings can follow strings.)
  bool begins_value(std::string_view word) const {
    std::uint32_t after = pos_ + static_cast<std::uint32_t>(word.size());
    if (after < size_ && class_of(text_[after]) == Char::Quote && word.size() <= 2) return ended_ == Ended::Value;
    if (!word.empty()) return !follows_value(word);
    return class_of(text_[pos_]) == Char::Digit;
  }

  bool is_header() const {
    return line_.word == Word::Definition || line_.word == Word::Compound || line_.word == Word::Clause ||
           line_.word == Word::Async;
  }

  bool is_soft(std::string_view word, std::uint32_t column) const {
    const bool header = is_header();
    if (header && last_ == ':' && class_of(text_[pos_]) != Char::Close) return true;
    if (column > line_.column) return header && looks_like_body(word);
    if (text_[pos_] == '@') return class_of(pos_ + 1 < size_ ? text_[pos_ + 1] : ' ') == Char::Letter;
    std::uint32_t after = pos_ + static_cast<std::uint32_t>(word.size());
    if (word.empty() || is_infix(word) || (after < size_ && class_of(text_[after]) == Char::Quote)) return false;
    if (word == "for" || word == "if" || word == "async") {  // in brackets: a clause of a comprehension
      return last_of_line() == ':';
    }
    return true;
  }

  char last_of_line() const {
    std::uint32_t end = line_end(pos_);
    while (end > pos_ && class_of(text_[end - 1]) == Char::Blank) --end;
    return text_[end - 1];
  }

  // Below the header whose bracket stands open: the first line of its block rather than another parameter.
  bool looks_like_body(std::string_view word) const {
    if (word == "for" || word == "if") return last_of_line() == ':';
    if (class_of(text_[pos_]) == Char::Quote && is_triple(pos_)) return true;  // a docstring
    char last = last_of_line();
    bool goes_on = last == ',' || last == '(' || last == '[' || last == '{';
    return !word.empty() && !goes_on && text_.substr(pos_, line_end(pos_) - pos_).find(" = ") != std::string_view::npos;
  }

  void remember(std::uint32_t start) {
    candidate_ = Candidate{
        start, last_end_, last_, open_, line_.fault, scan_.faults.size(), scan_.comments.size(), open_string_end_};
  }

  // So much text was read in vain that the first sign has to do.
  bool is_impatient() const { return scan_.rescanned > 4ull * size_ + kFreeRescans; }

  // What stands open is never closed.
  void fail() {
    looked_at(pos_);
    if (candidate_) {
      scan_.rescanned += pos_ - candidate_->pos;
      pos_ = candidate_->pos;
      last_end_ = candidate_->last_end;
      last_ = candidate_->last;
      open_ = std::move(candidate_->open);
      line_.fault = candidate_->fault;
      scan_.faults.resize(candidate_->faults);
      scan_.comments.resize(candidate_->comments);
      open_string_end_ = candidate_->open_string_end;
    }
    finish_broken();
  }

  void finish_broken() {
    std::string closers;
    if (open_string_end_ == last_end_ && open_string_end_ != 0) closers += open_string_;
    const Open* string = nullptr;
    for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
      if (it->kind == Open::Text) string = &*it;
      if (it->kind == Open::Format) continue;  // ends with its field
      closers +=
          it->kind == Open::Text ? std::string(it->triple ? 3 : 1, it->quote) : std::string(1, closer_of(it->kind));
    }
    if (!open_.empty()) {
      if (string) {
        std::uint32_t end = std::min(line_end(string->at), std::max(last_end_, string->at + 1));
        set_fault(Fault::Kind::UnterminatedString, {string->at, end});
      } else {
        set_fault(Fault::Kind::UnclosedBracket, {open_[0].at, open_[0].at + 1});
      }
    }
    if (line_.fault) scan_.faults[*line_.fault].closers = std::move(closers);
    done_ = true;
    push_line();
  }

  void finish() {
    if (line_.fault && open_string_end_ == last_end_ && open_string_end_ != 0) {
      scan_.faults[*line_.fault].closers = std::string(1, open_string_);
    }
    done_ = true;
    push_line();
  }

  void push_line() {
    line_.end = std::max(last_end_, std::min(line_.begin + 1, size_));
    line_.ends_colon = last_ == ':';
    if (line_.word == Word::Match && !line_.ends_colon) line_.word = Word::Other;
    looked_at(pos_);
    line_.reach = reach_;
    scan_.lines.push_back(line_);
  }

  void set_fault(Fault::Kind kind, Extent at) {
    if (line_.fault) return;  // one cause a line
    line_.fault = static_cast<std::uint32_t>(scan_.faults.size());
    scan_.faults.push_back({kind, at, {}});
  }

  std::string_view text_;
  std::uint32_t size_;
  std::uint32_t pos_ = 0;
  LineScan scan_;

  static constexpr std::uint32_t kTokenAhead = 4;  // the longest is `"""`, or a backslash with its line break

  // Of the line at hand.
  Line line_;
  std::vector<Open> open_;
  std::optional<Candidate> candidate_;
  std::uint32_t last_end_ = 0;  // end of the last token
  char last_ = 0;               // its last byte
  char open_string_ = 0;        // quote of the last unterminated string, which ended at:
  std::uint32_t open_string_end_ = 0;
  Ended ended_ = Ended::Other;
  int lambdas_ = 0;
  mutable std::uint32_t reach_ = 0;
  bool after_semicolon_ = false;
  bool done_ = false;
};

bool is_header_word(Word word) {
  return word == Word::Definition || word == Word::Async || word == Word::Compound || word == Word::Clause ||
         word == Word::Match;
}

// Deeper lines may follow.
bool opens_block(const Line& line) { return line.ends_colon || (is_header_word(line.word) && !line.has_colon); }

// The block stands on the same line: what a `;` joins belongs to it.
bool has_inline_block(const Line& line) { return is_header_word(line.word) && line.has_colon && !line.ends_colon; }

}  // namespace

LineScan scan_lines(std::string_view text, std::uint32_t column) { return Scanner(text).run(column); }

LineScan scan_lines_from(std::string_view text, std::uint32_t from,
                         const std::function<bool(const LineScan&)>& enough) {
  return Scanner(text).run(from, 0, enough);
}

std::size_t nested_blocks(std::span<const Line> lines) {
  std::vector<std::uint32_t> columns;  // of the blocks around a line, the outermost first
  std::size_t deepest = 0;
  for (const Line& line : lines) {
    while (!columns.empty() && columns.back() >= line.column) columns.pop_back();
    columns.push_back(line.column);
    deepest = std::max(deepest, columns.size());
  }
  return deepest == 0 ? 0 : deepest - 1;
}

std::vector<Piece> cut(std::span<const Line> lines, std::uint32_t column) { return cut(lines, column, column); }

std::vector<Piece> cut(std::span<const Line> lines, std::uint32_t column, std::uint32_t above) {
  std::vector<Piece> pieces;
  pieces.reserve(lines.size() / 4 + 1);
  auto count = static_cast<std::uint32_t>(lines.size());
  // Of a run of pieces that are too deep: the first of them is reported.
  std::uint32_t deeper = std::max(column, above);
  for (std::uint32_t i = 0; i < count;) {
    const Line& head = lines[i];
    bool decorated = head.word == Word::Decorator;  // and nothing but decorators so far
    bool accepts_clause = head.word == Word::Compound || head.word == Word::Async || head.word == Word::Clause;
    const Line* at_head = &head;  // the last line at the head's column
    std::uint32_t j = i + 1;
    for (; j < count; ++j) {
      const Line& line = lines[j];
      if (line.column > head.column) {
        if (!opens_block(*at_head)) break;
        continue;
      }
      if (line.column < head.column) break;
      if (line.joined) {
        if (!has_inline_block(*at_head)) break;
        continue;
      }
      if (line.word == Word::Clause && accepts_clause) {
        at_head = &line;
      } else if (decorated &&
                 (line.word == Word::Decorator || line.word == Word::Definition || line.word == Word::Async)) {
        decorated = line.word == Word::Decorator;
        at_head = &line;
      } else if (line.word != Word::Closer) {  // a stray bracket belongs to what went before it
        break;
      }
    }
    Piece piece{i, j};
    if (head.column > column) {
      if (head.column != deeper) piece.indent = Piece::Indent::Deeper;
      deeper = head.column;
    } else {
      if (head.column < column) piece.indent = Piece::Indent::Between;
      deeper = column;
    }
    pieces.push_back(piece);
    i = j;
  }
  return pieces;
}

}  // namespace tilewright::syntax
