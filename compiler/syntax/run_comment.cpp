#include "compiler/syntax/run_comment.h"

#include <algorithm>

#include "compiler/text/letters.h"

namespace tilewright::syntax {
namespace {

constexpr std::string_view kBlanks = " \t,";

// Of a comment; kernels have a hundredth of them. Those behind are no settings.
constexpr std::size_t kMostWords = 1000;

bool is_name(char c) { return text::is_ascii_name_byte(c) || c == '.'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  RunComment read() {
    RunComment out;
    while (blanks(), !rest_.empty() && rest_.front() != '#') {
      if (out.settings.size() + out.stray.size() >= kMostWords) {
        out.stray.push_back(rest_.substr(0, rest_.find_first_of(kBlanks)));
        break;
      }
      const std::size_t name = setting_name();
      if (name == 0) {
        alone(word(), out);
        continue;
      }
      RunComment::Setting& s = out.settings.emplace_back();
      s.name = rest_.substr(0, name);
      rest_.remove_prefix(rest_.find('=') + 1);
      rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
      s.value = word();
    }
    return out;
  }

 private:
  void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }

  // How long the name is that begins here and has a sign behind it; 0: none does.
  std::size_t setting_name() const {
    std::size_t end = 0;
    while (end < rest_.size() && is_name(rest_[end])) ++end;
    const std::size_t sign = std::min(rest_.find_first_not_of(" \t", end), rest_.size());
    const bool equals = rest_.substr(sign).starts_with('=') && !rest_.substr(sign).starts_with("==");
    return equals ? end : 0;
  }

  // Up to a blank outside of brackets and quotes.
  std::string_view word() {
    std::size_t end = 0;
    int depth = 0;
    for (char quote = 0; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (quote) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
      } else if (c == ')' || c == ']' || c == '}') {
        --depth;
      } else if (depth <= 0 && kBlanks.find(c) != kBlanks.npos) {
        break;
      }
    }
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }

  // A word without a sign: the entry, one more kernel of a sequence, or an unexpected word.
  void alone(std::string_view word, RunComment& out) {
    const bool goes_on = word == "then" || last_ == "then";
    if (out.settings.empty() && (out.entry.empty() || goes_on)) {
      const char* begin = out.entry.empty() ? word.data() : out.entry.data();
      out.entry = {begin, static_cast<std::size_t>(word.data() + word.size() - begin)};
    } else {
      out.stray.push_back(word);
    }
    last_ = word;
  }

  std::string_view rest_, last_;
};

}  // namespace

std::vector<std::string_view> RunComment::kernels() const {
  constexpr std::string_view kThen = " then ";
  std::vector<std::string_view> out;
  for (std::string_view rest = entry; !rest.empty() && out.size() < kMostWords;) {
    const std::size_t end = std::min(rest.find(kThen), rest.size());
    std::string_view part = rest.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
    part = part.substr(0, part.find_last_not_of(" \t") + 1);
    if (!part.empty()) out.push_back(part);
    rest.remove_prefix(std::min(end + kThen.size(), rest.size()));
  }
  return out;
}

std::optional<RunComment> run_comment(const Directive& directive) {
  constexpr std::string_view kRun = "run";
  if (!directive.text.starts_with(kRun)) return std::nullopt;
  const std::string_view rest = directive.text.substr(kRun.size());
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  return Scanner(rest).read();
}

}  // namespace tilewright::syntax
