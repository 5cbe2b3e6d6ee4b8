#include "server/project/console.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/text/escape.h"

namespace tilewright::project {
namespace {

constexpr std::array<const char*, 7> kCodes{"0m", "1m", "2m", "31m", "32m", "33m", "34m"};  // as in Colour

// A mark of this process and what follows it: ESC, digits that no other process knows, and the end of the sequence.
struct Marks {
  std::string mark = "\x1b";
  std::array<std::string, kCodes.size()> colours;
  std::string line_end;
  Marks() {
    std::array<unsigned char, 12> drawn{};
    // Without them colours could be made by others; nothing else depends on it.
    if (::getrandom(drawn.data(), drawn.size(), 0) < 0) drawn.fill('?');
    for (unsigned char c : drawn) mark += static_cast<char>('a' + c % 26);
    for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = mark + kCodes[i];
    line_end = mark + "n";
  }
};
const Marks& marks() {
  static const Marks made;
  return made;
}

// Words: line ends and tabs are those of others, and ours are marked.
enum class Kind { People, Words, Source };

// What a line of a stream holds so far: CI services obey its beginning.
struct Line {
  bool blank = true;
};
Line& line_of(std::FILE* to) {
  static std::array<Line, 3> lines;
  return lines[to == stdout ? 0 : to == stderr ? 1 : 2];
}
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

// Where the bracket of "##[", "##vso[", "##teamcity[" and the like is; npos: this is none of them.
std::size_t bracket(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  if (!text.starts_with("##")) return text.npos;
  std::size_t end = 2;
  while (end < text.size() && end < kLongest && (text[end] | 0x20) >= 'a' && (text[end] | 0x20) <= 'z') ++end;
  return end < text.size() && text[end] == '[' ? end : text.npos;
}

// What a CI service obeys: "::" and "##" where a line begins, a word between "##" and a bracket anywhere.
bool is_command(std::string_view text, bool begins_line) {
  if (begins_line && (text.starts_with("::") || text.starts_with("##"))) return true;
  return bracket(text) != text.npos;
}

// Services pass by any white space of Unicode before a command; ASCII's is seen elsewhere.
bool is_wide_blank(std::string_view character) {
  constexpr std::array<std::string_view, 6> kBlanks{"\u00a0", "\u1680", "\u202f", "\u205f", "\u3000", "\u2000"};
  for (std::string_view blank : kBlanks)
    if (character == blank) return true;
  return character.size() == 3 && character.starts_with("\xe2\x80") && character[2] <= '\x8a';
}

// Neither ends a line nor means anything to anyone where it stands within one.
bool is_ordinary(char c) { return c >= 0x20 && c < 0x7F && c != ':' && c != '#'; }

class Printer {
 public:
  Printer(std::FILE* to, Kind kind) : to_(to), kind_(kind), line_(line_of(to)) {}

  void print(std::string_view text) {
    std::size_t from = 0;  // of what is not written yet
    for (std::size_t i = 0; i < text.size();) {
      if (!line_.blank) {
        while (i < text.size() && is_ordinary(text[i])) ++i;
        if (i == text.size()) break;
      } else {  // an indentation
        while (i < text.size() && text[i] == ' ') ++i;
        if (i == text.size()) break;
      }
      const char c = text[i];
      if (((c == '\n' || c == '\t') && kind_ != Kind::Words) || (c >= 0x20 && c < 0x7F)) {
        if ((c == ':' || c == '#') && is_command(text.substr(i), line_.blank)) {
          put(text.substr(from, i - from));
          from = i;
          if (kind_ == Kind::Source) {
            if (line_.blank) put("/**/");
            // A blank before the bracket: the same tokens.
            if (const auto end = bracket(text.substr(i)); end != text.npos) {
              put(text.substr(i, end));
              put(" ");
              line_.blank = false;
              i = from = i + end;
              continue;
            }
          } else {
            put(c == ':' ? "\\x3a" : "\\x23");
            from = i + 1;
          }
        }
        line_.blank = c == '\n' || (line_.blank && (c == ' ' || c == '\t'));
        ++i;
        continue;
      }
      if (kind_ == Kind::Words && text.substr(i).starts_with(marks().line_end)) {
        put(text.substr(from, i - from));
        put("\n");
        line_.blank = true;
        i = from = i + marks().line_end.size();
        continue;
      }
      if (std::size_t length = colour_at(text.substr(i), from, i, text)) {
        i = from = i + length;
        continue;
      }
      const text::Hidden h = text::find_hidden(text.substr(i, 4));
      if (h && h.at == 0) {
        put(text.substr(from, i - from));
        std::string escape;  // short: it lies in itself
        text::append_escaped(escape, h, kind_ == Kind::Source ? text::Escape::Cxx : text::Escape::Python);
        put(escape);
        i = from = i + h.size;
        line_.blank = false;
      } else {  // a character of several bytes
        const std::size_t begin = i++;
        while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) ++i;
        line_.blank = line_.blank && is_wide_blank(text.substr(begin, i - begin));
      }
    }
    put(text.substr(from));
    flush();
  }

 private:
  // Few writes, so that what several processes say to one terminal or log stays together by lines.
  void put(std::string_view text) {
    if (text.size() > buffer_.size() - held_) flush();
    if (text.size() > buffer_.size()) {
      std::fwrite(text.data(), 1, text.size(), to_);
    } else {
      std::ranges::copy(text, buffer_.begin() + static_cast<std::ptrdiff_t>(held_));
      held_ += text.size();
    }
  }
  void flush() {
    std::fwrite(buffer_.data(), 1, held_, to_);
    held_ = 0;
  }

  // Writes the text before a mark of ours and the colour that it stands for; the length of the mark, or 0.
  std::size_t colour_at(std::string_view rest, std::size_t from, std::size_t at, std::string_view all) {
    if (!rest.starts_with('\x1b')) return 0;
    for (std::size_t k = 0; k < kCodes.size(); ++k) {
      const std::string& mark = marks().colours[k];
      if (!rest.starts_with(mark)) continue;
      put(all.substr(from, at - from));
      put("\x1b[");
      put(kCodes[k]);
      return mark.size();
    }
    return 0;
  }

  std::FILE* to_;
  Kind kind_;
  Line& line_;
  std::array<char, 2048> buffer_;
  std::size_t held_ = 0;
};

}  // namespace

void say(std::FILE* to, std::string_view text) {
  const std::scoped_lock lock(one_at_a_time());
  Printer(to, Kind::People).print(text);
}

void sayf(std::FILE* to, const char* format, ...) {
  std::string marked;
  for (const char* c = format; *c; ++c) *c == '\n' ? marked += marks().line_end : marked += *c;
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, marked.c_str(), arguments);
  std::vector<char> text(static_cast<std::size_t>(size < 0 ? 0 : size) + 1);
  std::vsnprintf(text.data(), text.size(), marked.c_str(), again);
  va_end(again);
  va_end(arguments);
  const std::scoped_lock lock(one_at_a_time());
  Printer(to, Kind::Words).print({text.data(), text.size() - 1});
}

void say_source(std::FILE* to, std::string_view text) {
  const std::scoped_lock lock(one_at_a_time());
  Printer(to, Kind::Source).print(text);
}

void emit(std::FILE* to, std::string_view document) {
  const std::scoped_lock lock(one_at_a_time());
  std::fwrite(document.data(), 1, document.size(), to);
  if (!document.empty()) line_of(to).blank = document.ends_with('\n');
}

void say_refusal(const std::string& message, const std::string& hint) {
  sayf(stderr, "tilewright: %s\n", message.c_str());
  if (!hint.empty()) sayf(stderr, "  hint: %s\n", hint.c_str());
}

void clear_line(std::FILE* to) {
  const std::scoped_lock lock(one_at_a_time());
  std::fputs("\r\x1b[K", to);
  line_of(to).blank = true;
}

std::string_view colour(Colour which) { return marks().colours[static_cast<std::size_t>(which)]; }

}  // namespace tilewright::project
