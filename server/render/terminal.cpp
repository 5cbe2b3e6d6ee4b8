#include "server/render/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace tilewright::render {

const Colours& colours(std::FILE* stream) {
  static constexpr Colours kNone{};
  static constexpr Colours kAnsi{"\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[34m", "\033[32m", "\033[0m"};
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  bool wanted = ::isatty(::fileno(stream)) && !(no_color && *no_color) && !(term && std::string_view(term) == "dumb");
  return wanted ? kAnsi : kNone;
}

std::string_view severity_name(text::Severity severity) {
  switch (severity) {
    case text::Severity::Error: return "error";
    case text::Severity::Warning: return "warning";
    case text::Severity::Information: return "information";
    case text::Severity::Hint: return "hint";
  }
  return "";
}

std::string harmless(std::string text) {
  auto steers = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') || c == 0x7F; };
  if (std::ranges::none_of(text, steers)) return text;
  std::string out;
  for (char c : text) {
    if (steers(c))
      out += "\xEF\xBF\xBD";
    else
      out += c;
  }
  return out;
}

namespace {

std::string where(const text::Anchors::Place& place) {
  if (!place.source) return "";
  text::LineColumn at = place.source->position(place.begin);
  return harmless(place.source->path()) + ":" + std::to_string(at.line + 1) + ":" + std::to_string(at.column + 1);
}

// The line with carets below the range; long ranges are marked to the end of their first line.
std::string excerpt(const text::Anchors::Place& place, const Colours& c, std::string_view mark) {
  if (!place.source) return "";
  text::LineColumn from = place.source->position(place.begin), to = place.source->position(place.end);
  std::string_view line = place.source->line(from.line);
  if (line.empty() || line.size() > 400) return "";
  std::size_t width = to.line == from.line ? to.column - from.column : std::string_view::npos;
  std::string number = std::to_string(from.line + 1);
  std::string pad, marks;
  std::size_t column = 0;
  for (std::size_t i = 0; i < line.size() && column < from.column; ++i) {
    if ((line[i] & 0xC0) == 0x80) continue;
    pad += line[i] == '\t' ? '\t' : ' ';
    ++column;
  }
  std::size_t rest = 0;
  for (char ch : line) rest += (ch & 0xC0) != 0x80;
  rest = rest > from.column ? rest - from.column : 1;
  marks = std::string(std::max<std::size_t>(1, std::min(width, rest)), '^');
  std::string out;
  out += std::string(c.dim) + "  " + number + " | " + std::string(c.plain) + harmless(std::string(line)) + "\n";
  out += std::string(c.dim) + "  " + std::string(number.size(), ' ') + " | " + std::string(c.plain) + pad +
         std::string(mark) + marks + std::string(c.plain) + "\n";
  return out;
}

}  // namespace

std::string diagnostic_text(const text::Diagnostic& d, const text::Anchors& anchors, const Colours& c) {
  text::Anchors::Place place = anchors.resolve(d.span);
  std::string_view mark = d.severity == text::Severity::Error     ? c.red
                          : d.severity == text::Severity::Warning ? c.yellow
                                                                  : c.blue;
  std::string out;
  std::string at = where(place);
  if (!at.empty()) out += std::string(c.bold) + at + ": " + std::string(c.plain);
  out += std::string(c.bold) + std::string(mark) + std::string(severity_name(d.severity)) + "[" + std::string(d.code) +
         "]" + std::string(c.plain) + ": ";
  const std::string text = harmless(d.message);
  std::string_view message = text;
  std::size_t end = message.find('\n');
  out += std::string(c.bold) + std::string(message.substr(0, end)) + std::string(c.plain) + "\n";
  while (end != std::string_view::npos) {
    message.remove_prefix(end + 1);
    end = message.find('\n');
    out += "   " + std::string(message.substr(0, end)) + "\n";
  }
  out += excerpt(place, c, mark);
  for (std::size_t i = d.chain.size(); i-- > 0;) {
    std::string site = where(anchors.resolve(d.chain[i]));
    if (!site.empty()) out += "   called from " + site + "\n";
  }
  for (const text::Related& r : d.related) {
    std::string site = where(anchors.resolve(r.span));
    out += "   " + (site.empty() ? "" : site + ": ") + harmless(r.message) + "\n";
  }
  if (!d.hint.empty()) out += std::string(c.green) + "   hint: " + std::string(c.plain) + harmless(d.hint) + "\n";
  return out;
}

}  // namespace tilewright::render
