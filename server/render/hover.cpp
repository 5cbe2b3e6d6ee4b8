#include "server/render/hover.h"

namespace tilewright::render {
namespace {

std::string_view without_last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  return text;
}

struct Markdown {
  const std::function<std::string(const ide::ViewName&)>& uri_of;
  std::string out;

  void fenced(std::string_view language, std::string_view text) {
    if (text.empty()) return;
    out.append("```").append(language).append("\n").append(without_last_lines(text)).append("\n```\n");
  }
  void operator()(const ide::Hover::Title& t) {
    out += "**" + t.strong + "**" + (t.rest.empty() ? "" : " — " + t.rest) + "\n\n";
  }
  void operator()(const ide::Hover::Words& w) { out += w.text + "\n\n"; }
  void operator()(const ide::Hover::Code& c) { fenced(c.language, c.text); }
  void operator()(const ide::Hover::Section& s) {
    if (s.language.empty()) {
      out += "**" + s.name + "** `" + s.text + "`\n\n";
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

}  // namespace tilewright::render
