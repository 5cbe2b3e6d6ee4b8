// Tokens for the direct reader (direct.h). Private to the room.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "compiler/syntax/ast.h"
#include "compiler/syntax/keywords.h"

namespace tilewright::syntax {

// Thrown where the text is not certain to be what it seems: the parser reads it then.
struct Unsure {};

class DirectTokens {
 public:
  explicit DirectTokens(const std::string& text) : text_(text), begin_(text.data()), at_(text.data()) {}

 protected:
  [[noreturn]] static void unsure() { throw Unsure{}; }
  static void sure(bool is) {
    if (!is) unsure();
  }

  enum : std::uint8_t { kLetter = 1, kDigit = 2, kWord = kLetter | kDigit, kEnd = 4 };
  static constexpr std::array<std::uint8_t, 256> kClasses = [] {
    std::array<std::uint8_t, 256> table{};
    for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = kLetter;
    for (int c = '0'; c <= '9'; ++c) table[c] = kDigit;
    table['_'] = kLetter;
    for (unsigned char c : {',', ')', ']', '}', ':', '\n', ';', '#', '\0'}) table[c] = kEnd;
    return table;
  }();
  static bool is(char c, std::uint8_t classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }

  std::uint32_t place(const char* p) const { return static_cast<std::uint32_t>(p - begin_); }
  std::uint32_t here() const { return place(at_); }
  std::string_view view(Extent e) const { return {begin_ + e.begin, e.end - e.begin}; }
  // The text ends with a zero, and holds none.
  bool at_end() const { return at_ == begin_ + text_.size(); }
  // At the end of a simple statement.
  bool at_stop() const { return *at_ == '\n' || *at_ == ';' || *at_ == '#' || at_end(); }

  // To the next token: within brackets past line breaks and comments.
  void skip() {
    const char* line = nullptr;
    for (;;) {
      if (*at_ == ' ' || *at_ == '\t') {
        ++at_;
      } else if (*at_ == '\n' && brackets_ > 0) {
        line = ++at_;
      } else if (*at_ == '#' && brackets_ > 0) {
        sure(!in_field_);
        at_ = line_end();
      } else if (*at_ == '\\') {
        sure(at_[1] == '\n');
        at_ += 2;
        sure(!at_end());
      } else {
        break;
      }
    }
    // The parser may take a line that is no deeper than its statement for another statement.
    if (line && at_ - line <= column_) sure(*at_ == ')' || *at_ == ']' || *at_ == '}');
  }
  const char* line_end() const {
    const void* found = std::memchr(at_, '\n', static_cast<std::size_t>(begin_ + text_.size() - at_));
    return found ? static_cast<const char*>(found) : begin_ + text_.size();
  }

  // Passes the token of so many bytes.
  void take(unsigned bytes) {
    at_ += bytes;
    end_ = here();
    skip();
  }
  void expect(char c) {
    sure(*at_ == c);
    take(1);
  }
  bool take_if(char c) {
    if (*at_ != c) return false;
    take(1);
    return true;
  }

  // Whether the next token is this word.
  template <std::size_t N>
  bool at_word(const char (&word)[N]) const {
    return *at_ == word[0] && std::strncmp(at_, word, N - 1) == 0 && !is(at_[N - 1], kWord);
  }
  template <std::size_t N>
  bool take_word(const char (&word)[N]) {
    if (!at_word(word)) return false;
    take(N - 1);
    return true;
  }
  template <std::size_t N>
  void expect_word(const char (&word)[N]) {
    sure(take_word(word));
  }

  // A name, without what follows it.
  Name name_here() const {
    sure(is(*at_, kLetter));
    std::uint32_t hash = hash_name({});
    const char* p = at_;
    for (; is(*p, kWord); ++p) hash = (hash ^ static_cast<unsigned char>(*p)) * 16777619u;
    return {{at_, static_cast<std::size_t>(p - at_)}, hash, {here(), place(p)}};
  }
  Name name() {
    const Name found = name_here();
    sure(!is_keyword(found.text));
    take(found.at.end - found.at.begin);
    return found;
  }

  const std::string& text_;
  const char* begin_;
  const char* at_;             // at a token, or at the end of a line
  std::uint32_t end_ = 0;      // of the last token
  unsigned brackets_ = 0;      // open around this place, replacements of f-strings among them
  std::ptrdiff_t column_ = 0;  // of the statement at hand
  bool in_field_ = false;      // the innermost of them is such a replacement
};

}  // namespace tilewright::syntax
