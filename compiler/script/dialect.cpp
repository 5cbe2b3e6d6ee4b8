#include "compiler/script/dialect.h"

#include <algorithm>
#include <array>

#include "compiler/script/dialect_imports.h"
#include "compiler/script/dialect_names.h"
#include "compiler/script/tvm_tirx/package.h"
#include "compiler/text/words.h"

namespace tilewright::script {
namespace {

using enum DialectSource;

// What keeps the script from a release. Empty words: nothing does.
struct Lack {
  std::optional<NameOfOthers> own;  // a name of the script itself
  std::string words;                // "T.ret in line 3 is a name of 0.25"
  bool fits() const { return words.empty(); }
};
using Lacks = std::array<Lack, text::kDialects.size()>;

std::string place_words(const syntax::Tree& tree, std::uint32_t offset, bool imported) {
  std::string out = " in line " + std::to_string(tree.source()->position(offset).line + 1);
  if (!imported) return out;
  const std::string& path = tree.source()->path();
  return out + " of " + path.substr(path.rfind('/') + 1);
}

// By the names of one file; by its comment, if it has one and is imported.
Lacks lacks_of(const syntax::Tree& tree, bool imported) {
  Lacks out;
  const std::optional<DialectComment> comment = imported ? dialect_comment(tree) : std::nullopt;
  FirstsOfOthers names;
  if (!comment) names = firsts_of_others(tree, false);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const text::Dialect release = text::kDialects[i].dialect;
    if (comment) {
      if (!comment->dialect || *comment->dialect == release) continue;
      out[i].words = "the comment" + place_words(tree, comment->offset, true) + " says " +
                     std::string(text::dialect_name(*comment->dialect));
    } else if (auto& name = names[i]) {
      out[i].words = name->name + place_words(tree, name->begin, imported) + " is a name of " + name->releases;
      out[i].own = std::move(name);
    }
  }
  return out;
}

std::size_t count_fitting(const Lacks& lacks) {
  return static_cast<std::size_t>(std::ranges::count_if(lacks, &Lack::fits));
}

// A script is written in the release of what it imports. One that no release is left for is told at its import.
void add_imported(Lacks& lacks, const syntax::Tree& tree, Loader& loader) {
  for (const auto& imported : imported_scripts(tree, loader)) {
    Lacks both = lacks_of(*imported, true);
    for (std::size_t i = 0; i < both.size(); ++i) {
      if (!lacks[i].fits()) both[i] = lacks[i];
    }
    if (count_fitting(both) > 0) lacks = std::move(both);
    if (count_fitting(lacks) == 1) return;
  }
}

// Is there a release among both?
bool share_release(const NameOfOthers& a, const NameOfOthers& b) {
  return std::ranges::any_of(text::kDialects, [&](const text::DialectName& d) {
    return a.releases.contains(d.name) && b.releases.contains(d.name);
  });
}

// Places of the file that no release fits: two without a common release, where there are such, else one for each
// release. Empty: a release fits all.
std::vector<DialectPlace> contradiction(const Lacks& lacks) {
  std::vector<const NameOfOthers*> names;
  for (const Lack& lack : lacks) {
    if (lack.fits()) return {};
    if (std::ranges::none_of(names, [&](const NameOfOthers* n) { return n->begin == lack.own->begin; }))
      names.push_back(&*lack.own);
  }
  for (std::size_t i = 0; names.size() > 2 && i < names.size(); ++i)
    for (std::size_t k = i + 1; k < names.size(); ++k)
      if (!share_release(*names[i], *names[k])) names = {names[i], names[k]};
  std::ranges::sort(names, {}, &NameOfOthers::begin);
  std::vector<DialectPlace> out;
  for (const NameOfOthers* n : names) out.push_back({n->begin, n->end, n->name + " is a name of " + n->releases});
  return out;
}

// What excludes the releases that do not fit.
std::string excluding_words(const Lacks& lacks) {
  std::string out;
  for (std::size_t i = 0; i < lacks.size(); ++i) {
    if (lacks[i].fits() || (i > 0 && lacks[i - 1].words == lacks[i].words)) continue;
    out += (out.empty() ? "" : ", ") + lacks[i].words;
  }
  return out;
}

std::string assumed_words(const Lacks& lacks) {
  std::string releases;
  for (std::size_t i = 0; i < lacks.size(); ++i) {
    if (lacks[i].fits()) releases.append(releases.empty() ? "" : ", ").append(text::kDialects[i].name);
  }
  return "assumed, the newest release that has all names of the script; they fit " + releases;
}

// By the names of the script and of what it imports, else what is installed, else the newest release that has all.
DialectFound find_by_names(const syntax::Tree& tree, const DialectHints& hints, Loader* loader) {
  DialectFound out;
  Lacks lacks = lacks_of(tree, false);
  out.wrong = contradiction(lacks);
  if (!out.wrong.empty()) return out;
  if (loader && count_fitting(lacks) > 1) add_imported(lacks, tree, *loader);
  auto fits = [&](text::Dialect dialect) { return lacks[static_cast<std::size_t>(dialect)].fits(); };
  text::Dialect newest{};
  for (const text::DialectName& d : text::kDialects) {
    if (fits(d.dialect)) newest = d.dialect;
  }
  if (count_fitting(lacks) == 1) {
    out.choice = {newest, Names, excluding_words(lacks)};
  } else if (hints.installed && fits(hints.installed->dialect)) {
    out.choice = {hints.installed->dialect, Installed, hints.installed->words};
  } else {
    out.choice = {newest, Assumed, assumed_words(lacks)};
  }
  return out;
}

}  // namespace

std::string_view dialect_source_name(DialectSource source) {
  static constexpr auto kDialectNames =
      text::words_of<DialectSource>({"asked", "comment", "setting", "pin", "names", "installed", "assumed"});
  return kDialectNames[source];
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
                          const std::optional<DialectHints>& hints, Loader* loader) {
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
  if (imports_tirx_package(tree)) {
    out.choice = {text::Dialect::V0_27, Names, "it imports tvm_tirx, which is written on the instructions of 0.27"};
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
    return find_by_names(tree, *hints, loader);
  }
  return out;
}

}  // namespace tilewright::script
