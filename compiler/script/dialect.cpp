#include "compiler/script/dialect.h"

#include <algorithm>
#include <array>

#include "compiler/script/dialect_names.h"

namespace tilewright::script {
namespace {

using enum DialectSource;

std::string quoted_line(const syntax::Tree& tree, const NameOfOthers& name) {
  return name.name + " in line " + std::to_string(tree.source()->position(name.begin).line + 1);
}

// Two places of the file that no release fits. Empty: a release fits all.
using Lacking = std::array<std::optional<NameOfOthers>, text::kDialects.size()>;
std::vector<DialectPlace> contradiction(const Lacking& lacking) {
  std::vector<DialectPlace> out;
  for (const std::optional<NameOfOthers>& name : lacking) {
    if (!name) return {};
    const bool known = std::ranges::any_of(out, [&](const DialectPlace& p) { return p.begin == name->begin; });
    if (known || out.size() == 2) continue;
    out.push_back({name->begin, name->end, name->name + " is a name of " + name->releases});
  }
  if (out.size() == 2 && out[1].begin < out[0].begin) std::swap(out[0], out[1]);
  return out;
}

// What excludes the releases that the names of the file do not fit.
std::string names_words(const syntax::Tree& tree, const Lacking& lacking) {
  std::string out;
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    const std::optional<NameOfOthers>& name = lacking[i];
    if (!name || (i > 0 && lacking[i - 1] && lacking[i - 1]->begin == name->begin)) continue;
    out += (out.empty() ? "" : ", ") + quoted_line(tree, *name) + " is a name of " + name->releases;
  }
  return out;
}

std::string assumed_words(const Lacking& lacking) {
  std::string releases;
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    if (!lacking[i]) releases.append(releases.empty() ? "" : ", ").append(text::kDialects[i].name);
  }
  return "assumed, nothing says which; the script's names fit " + releases;
}

// By the names of the script, else what is installed, else the newest release that has all names.
DialectFound find_by_names(const syntax::Tree& tree, const DialectHints& hints) {
  Lacking lacking;
  for (const text::DialectName& d : text::kDialects) {
    lacking[static_cast<std::size_t>(d.dialect)] = first_of_others(tree, d.dialect, false);
  }
  auto fits = [&](text::Dialect dialect) { return !lacking[static_cast<std::size_t>(dialect)]; };
  DialectFound out;
  out.wrong = contradiction(lacking);
  if (!out.wrong.empty()) return out;
  const auto fitting = std::ranges::count_if(text::kDialects, fits, &text::DialectName::dialect);
  if (fitting == 1) {
    out.choice = {std::ranges::find_if(text::kDialects, fits, &text::DialectName::dialect)->dialect, Names,
                  names_words(tree, lacking)};
  } else if (hints.installed && fits(hints.installed->dialect)) {
    out.choice = {hints.installed->dialect, Installed, hints.installed->words};
  } else {
    text::Dialect newest = text::kDialects.back().dialect;
    for (const text::DialectName& d : text::kDialects) {
      if (fits(d.dialect)) newest = d.dialect;
    }
    out.choice = {fits(text::kDefaultDialect) ? text::kDefaultDialect : newest, Assumed, assumed_words(lacking)};
  }
  return out;
}

}  // namespace

std::string_view dialect_source_name(DialectSource source) {
  constexpr std::array<std::string_view, 7> kNames{"asked", "comment",   "setting", "pin",
                                                   "names", "installed", "assumed"};
  return kNames[static_cast<std::size_t>(source)];
}

std::string DialectChoice::words() const {
  const std::string release(text::dialect_name(dialect));
  return why.empty() ? release : release + ": " + why;
}

std::optional<DialectComment> dialect_comment(const syntax::Tree& tree) {
  for (const syntax::Directive& d : tree.directives()) {
    std::string_view name = d.text;
    if (name.starts_with("dialect ")) {
      name.remove_prefix(8);
    } else if (name.starts_with("tvm=")) {
      name.remove_prefix(4);
    } else {
      continue;
    }
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    std::string_view line = tree.source()->text().substr(d.offset);
    line = line.substr(0, line.find_first_of("\r\n"));
    return DialectComment{d.offset, static_cast<std::uint32_t>(line.size()), known_dialect(name)};
  }
  return std::nullopt;
}

DialectFound find_dialect(const syntax::Tree& tree, std::optional<text::Dialect> asked,
                          const std::optional<DialectHints>& hints) {
  DialectFound out;
  if (asked) {
    out.choice = {*asked, Asked, "asked for"};
    return out;
  }
  if (auto comment = dialect_comment(tree)) {
    if (!comment->dialect) {
      out.wrong.push_back({comment->offset, comment->offset + comment->length, comment->dialect.error()});
      return out;
    }
    const std::uint32_t line = tree.source()->position(comment->offset).line + 1;
    out.choice = {*comment->dialect, Comment, "the comment in line " + std::to_string(line) + " says so"};
    return out;
  }
  if (!hints) return out;
  if (hints->setting) {
    out.choice = {hints->setting->dialect, Setting, hints->setting->words};
  } else if (!hints->pins_disagree.empty()) {
    out.wrong.push_back({0, 0, hints->pins_disagree});
  } else if (hints->pin) {
    out.choice = {hints->pin->dialect, Pin, hints->pin->words};
  } else {
    return find_by_names(tree, *hints);
  }
  return out;
}

}  // namespace tilewright::script
