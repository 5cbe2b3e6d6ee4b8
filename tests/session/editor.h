// Random edits of a script, of the kinds that people make and of those that only trouble makes.
#pragma once
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tilewright {

// The bytes [begin, end) become `text`.
struct Change {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

class Editor {
 public:
  Editor(std::string text, unsigned seed) : text_(std::move(text)), original_(text_), random_(seed) {}

  Change next() {
    std::size_t size = text_.size();
    switch (below(26)) {
      case 0: return insert(below(size + 1), std::string(1, "()[]{}:,.'\"\\#\n \tax0@*="[below(22)]));
      case 1: return erase(below(size + 1), 1 + below(3));
      case 2: return insert(line_start(), "\n");
      case 3: return insert(line_start(), "# a comment\n");
      case 4: {
        std::size_t at = line_start();
        return erase(at, line_end(at) - at);
      }
      case 5: {
        std::size_t at = line_start();
        return insert(at, text_.substr(at, line_end(at) - at));
      }
      case 6: {  // a top-level statement once more, there or elsewhere
        auto [begin, end] = statement();
        return insert(below(2) ? begin : statement().first, text_.substr(begin, end - begin));
      }
      case 7: {
        auto [begin, end] = statement();
        return erase(begin, end - begin);
      }
      case 8:
      case 9:
      case 10:
      case 11: {  // another number
        std::size_t at = text_.find_first_of("0123456789", below(size + 1));
        if (at == std::string::npos) return insert(size, "\n");
        return replace(at, 1, std::to_string(below(10)));
      }
      case 12:
      case 13: {  // another name of the script
        auto [begin, end] = word();
        auto [from, to] = word();
        return replace(begin, end - begin, text_.substr(from, to - from));
      }
      case 14: return insert(below(size + 1), below(2) ? "\"\"\"" : "(");
      case 15: {
        std::size_t at = line_start();
        std::size_t indent = text_.find_first_not_of(' ', at);
        std::string kept = indent == std::string::npos ? "" : text_.substr(at, indent - at);
        static const char* const kLines[] = {"x = 1\n",      "LOG.append(1)\n",     "global COUNT; COUNT = 3\n",
                                             "return\n",     "y: T.int32 = lane\n", "pass\n",
                                             "unknown(x)\n", "raise ValueError\n"};
        return insert(at, kept + kLines[below(8)]);
      }
      case 16: return {0, static_cast<std::uint32_t>(size), original_};
      case 17: {  // at the border of two statements
        static const char* const kBetween[] = {
            "@T.inline\n",  "@",        ";",          "\\\n",    "    ",
            "\t",           "\r\n",     "if 1:\n",    "else:\n", "# tilewright: ignore\n",
            "x = \"\"\"\n", "\"\"\"\n", "'''\n'''\n", ")\n"};
        const std::size_t begin = statement().first;
        return insert(begin - std::min(begin, below(3)), kBetween[below(std::size(kBetween))]);
      }
      case 18: {  // a decorator goes
        std::size_t at = text_.find("\n@", below(size + 1));
        if (at == std::string::npos) return insert(size, "\n");
        return erase(at + 1, line_end(at + 1) - at - 1);
      }
      case 19: {  // what stands between two statements goes
        auto [begin, end] = statement();
        return erase(begin < 3 ? 0 : begin - 3, 3);
      }
      default:  // most edits of a broken script are repairs
        if (past_.empty()) return insert(line_start(), "\n");
        return {0, static_cast<std::uint32_t>(size),
                past_[past_.size() - 1 - below(std::min<std::size_t>(past_.size(), 3))]};
    }
  }

  void apply(const Change& c) {
    past_.push_back(text_);
    if (past_.size() > 4) past_.erase(past_.begin());
    text_.replace(c.begin, c.end - c.begin, c.text);
    if (text_.size() > 2 * original_.size() + 1000) text_ = original_;  // the caller reads text() again
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t below(std::size_t n) { return n ? random_() % n : 0; }
  Change replace(std::size_t at, std::size_t count, std::string by) {
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(std::min(at + count, text_.size())),
            std::move(by)};
  }
  Change insert(std::size_t at, std::string what) { return replace(at, 0, std::move(what)); }
  Change erase(std::size_t at, std::size_t count) { return replace(at, count, ""); }
  std::size_t line_start() {
    std::size_t at = text_.rfind('\n', below(text_.size() + 1));
    return at == std::string::npos ? 0 : at + 1;
  }
  std::size_t line_end(std::size_t at) const {
    std::size_t end = text_.find('\n', at);
    return end == std::string::npos ? text_.size() : end + 1;
  }
  std::pair<std::size_t, std::size_t> statement() {
    std::size_t begin = text_.find("\n\n\n", below(text_.size() + 1));
    if (begin == std::string::npos) return {0, 0};
    begin += 3;
    std::size_t end = text_.find("\n\n\n", begin);
    return {begin, end == std::string::npos ? text_.size() : end + 3};
  }
  std::pair<std::size_t, std::size_t> word() {
    auto letter = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_'; };
    std::size_t at = below(text_.size());
    while (at < text_.size() && !letter(at)) ++at;
    std::size_t begin = at, end = at;
    while (begin > 0 && letter(begin - 1)) --begin;
    while (end < text_.size() && letter(end)) ++end;
    return {begin, end};
  }

  std::string text_, original_;
  std::vector<std::string> past_;
  std::mt19937 random_;
};

}  // namespace tilewright
