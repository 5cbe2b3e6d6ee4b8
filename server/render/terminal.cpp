#include "server/render/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/project/console.h"

namespace tilewright::render {

const Colours& colours(std::FILE* stream) {
  static constexpr Colours kNone{};
  using project::colour, project::Colour;
  static const Colours kAnsi{colour(Colour::Bold), colour(Colour::Dim),   colour(Colour::Red),  colour(Colour::Yellow),
                             colour(Colour::Blue), colour(Colour::Green), colour(Colour::Plain)};
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  bool wanted = ::isatty(::fileno(stream)) && !(no_color && *no_color) && !(term && std::string_view(term) == "dumb");
  return wanted ? kAnsi : kNone;
}

namespace {

std::string where(const text::Anchors::Place& place) {
  if (!place.source) return "";
  text::LineColumn at = place.source->position(place.begin);
  return text::visible(place.source->path()) + ":" + std::to_string(at.line + 1) + ":" + std::to_string(at.column + 1);
}

// The length in bytes of the first `columns` characters.
std::size_t bytes_of(std::string_view line, std::size_t columns) {
  std::size_t i = 0;
  for (; i < line.size(); ++i) {
    if ((line[i] & 0xC0) != 0x80 && columns-- == 0) break;
  }
  return i;
}

// The line with carets below the range; long ranges are marked to the end of their first line.
std::string excerpt(const text::Anchors::Place& place, const Colours& c, std::string_view mark) {
  constexpr std::size_t kLongest = 400;
  if (!place.source) return "";
  text::LineColumn from = place.source->position(place.begin), to = place.source->position(place.end);
  std::string_view line = place.source->line(from.line);
  if (line.empty() || line.size() > kLongest) return "";
  const std::size_t begin = bytes_of(line, from.column);
  const std::size_t end = to.line == from.line ? bytes_of(line, to.column) : line.size();
  // Marks stand below what is shown, which is longer where characters are escaped.
  const std::string before = text::visible_lines(line.substr(0, begin));
  const std::string marked = text::visible_lines(line.substr(begin, std::max(begin, end) - begin));
  std::string pad;
  for (char ch : before)
    if ((ch & 0xC0) != 0x80) pad += ch == '\t' ? '\t' : ' ';
  const std::string marks(std::max<std::size_t>(1, text::columns_of(marked)), '^');
  const std::string number = std::to_string(from.line + 1);
  std::string out;
  out += std::string(c.dim) + "  " + number + " | " + std::string(c.plain) + text::visible_lines(line) + "\n";
  out += std::string(c.dim) + "  " + std::string(number.size(), ' ') + " | " + std::string(c.plain) + pad +
         std::string(mark) + marks + std::string(c.plain) + "\n";
  return out;
}

}  // namespace

void append_message(std::string& out, std::string_view code, std::string_view message, const Colours& c) {
  // Reports of dispatch and of NVRTC have lines of their own; in all others a line end is one of the script's text.
  const std::string text = code.starts_with("TW60")  ? text::visible_lines(message)
                           : code.starts_with("TW3") ? text::visible_message(message)
                                                     : text::visible(message);
  const std::size_t end = std::min(text.find('\n'), text.size());
  out += std::string(c.bold) + text.substr(0, end) + std::string(c.plain) + "\n";
  for (std::size_t from = end + 1; from <= text.size();) {
    const std::size_t next = std::min(text.find('\n', from), text.size());
    out += "   " + text.substr(from, next - from) + "\n";
    from = next + 1;
  }
}

std::string diagnostic_text(const text::Diagnostic& d, const text::Anchors& anchors, const Colours& c) {
  text::Anchors::Place place = anchors.resolve(d.span);
  std::string_view mark = d.severity == text::Severity::Error     ? c.red
                          : d.severity == text::Severity::Warning ? c.yellow
                                                                  : c.blue;
  std::string out;
  std::string at = where(place);
  if (!at.empty()) out += std::string(c.bold) + at + ": " + std::string(c.plain);
  out += std::string(c.bold) + std::string(mark) + std::string(text::kSeverityWords[d.severity]) + "[" +
         std::string(d.code) + "]" + std::string(c.plain) + ": ";
  append_message(out, d.code, d.message, c);
  out += excerpt(place, c, mark);
  for (std::size_t i = d.chain.size(); i-- > 0;) {
    std::string site = where(anchors.resolve(d.chain[i]));
    if (!site.empty()) out += "   called from " + site + "\n";
  }
  for (const text::Related& r : d.related) {
    std::string site = where(anchors.resolve(r.span));
    out += "   " + (site.empty() ? "" : site + ": ") + text::visible(r.message) + "\n";
  }
  if (!d.hint.empty()) out += std::string(c.green) + "   hint: " + std::string(c.plain) + text::visible(d.hint) + "\n";
  return out;
}

}  // namespace tilewright::render
