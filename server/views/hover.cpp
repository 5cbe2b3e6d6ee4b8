#include "server/views/hover.h"

#include <algorithm>

namespace tilewright::views {
namespace {

std::string_view without_last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  return text;
}

// More backticks than stand in a row in the text, and at least so many: nothing in it ends the code.
std::string fence(std::string_view text, std::size_t least) {
  std::size_t run = 0, longest = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(least, longest + 1), '`');
}

// Text that is no markup: no link, image, HTML, entity or code begins in it, and a client finds no address in it that
// it could load or make a link of.
std::string as_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const bool markup = std::string_view("\\`[]<&~").contains(text[i]);
    const bool address = rest.starts_with("://") || (text[i] == '.' && i >= 3 && text.substr(i - 3, 3) == "www");
    if (markup || address) out += '\\';
    out += text[i];
  }
  return out;
}

// The same of a name or an expression, which brackets are common in.
std::string as_name(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const bool markup = text[i] == '<' || rest.starts_with("![") || (text[i] == '(' && i > 0 && text[i - 1] == ']');
    if (markup || rest.starts_with("://")) out += '\\';
    out += text[i];
  }
  return out;
}

struct Markdown {
  const std::function<std::string(const ide::ViewName&)>& uri_of;
  std::string out;

  void fenced(std::string_view language, std::string_view text) {
    if (text.empty()) return;
    const std::string marks = fence(text, 3);
    out.append(marks).append(language).append("\n").append(without_last_lines(text));
    out.append("\n").append(marks).append("\n");
  }
  void operator()(const ide::Hover::Title& t) {
    out += "**" + as_name(t.strong) + "**" + (t.rest.empty() ? "" : " — " + as_name(t.rest)) + "\n\n";
  }
  void operator()(const ide::Hover::Words& w) { out += w.text + "\n\n"; }
  void operator()(const ide::Hover::Said& s) { out += as_text(s.text) + "\n\n"; }
  void operator()(const ide::Hover::Code& c) { fenced(c.language, c.text); }
  void operator()(const ide::Hover::Section& s) {
    if (s.language.empty()) {
      const std::string marks = fence(s.text, 1);
      const char* apart = marks.size() > 1 ? " " : "";
      out += "**" + s.name + "** " + marks + apart + s.text + apart + marks + "\n\n";
    } else {
      out += "**" + s.name + "**\n";
      fenced(s.language, s.text);
    }
  }
  void operator()(const ide::Hover::Links& l) {
    for (const auto& [name, view] : l.named) out += "[" + name + "](" + uri_of(view) + ") ";
    out += "\n";
  }
};

struct Plain {
  std::string out;

  void lines(std::string_view text) {
    if (!text.empty()) out.append(without_last_lines(text)).append("\n");
  }
  void operator()(const ide::Hover::Title& t) { out += t.strong + (t.rest.empty() ? "" : "    " + t.rest) + "\n"; }
  void operator()(const ide::Hover::Words& w) { out += w.text + "\n"; }
  void operator()(const ide::Hover::Said& s) { out += s.text + "\n"; }
  void operator()(const ide::Hover::Code& c) { lines(c.text); }
  void operator()(const ide::Hover::Section& s) {
    out += "── " + s.name + " ──\n";
    lines(s.text);
  }
  void operator()(const ide::Hover::Links&) {}
};

}  // namespace

std::string hover_markdown(const ide::Hover& hover, const std::function<std::string(const ide::ViewName&)>& uri_of) {
  Markdown writer{uri_of, {}};
  for (const ide::Hover::Block& b : hover.blocks) std::visit(writer, b);
  return trimmed(std::move(writer.out));
}

std::string hover_plain(const ide::Hover& hover) {
  Plain writer;
  for (const ide::Hover::Block& b : hover.blocks) std::visit(writer, b);
  return trimmed(std::move(writer.out));
}

}  // namespace tilewright::views
