#include "server/handbook/handbook.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <tuple>

namespace tilewright::handbook {

// Made by cmake/Embed.cmake: files by their paths in the sources.
std::string_view contents(std::string_view file);
std::span<const std::string_view> contents_names();

namespace {

constexpr std::string_view kDocs = "docs/", kExamples = "examples/", kReadme = "README";

std::string_view stem(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);
  return file.substr(0, file.rfind('.'));
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

Page page_of(std::string_view file) {
  Page page;
  page.file = file.substr(kDocs.size());
  page.text = contents(file);
  const std::size_t slash = page.file.find('/');
  if (slash != page.file.npos) page.folder = page.file.substr(0, slash);
  page.name = stem(file) == kReadme ? page.folder : stem(file);
  page.title = first_line(page.text);
  page.title.remove_prefix(std::min(page.title.find_first_not_of("# "), page.title.size()));
  return page;
}

constexpr std::string_view kSkills = "skills";

std::vector<Page> find_skills() {
  std::vector<Page> out;
  for (std::string_view file : contents_names())
    if (file.starts_with(kDocs))
      if (Page page = page_of(file); page.folder == kSkills) out.push_back(std::move(page));
  return out;
}

std::vector<Page> find_pages() {
  std::vector<Page> out;
  for (std::string_view file : contents_names())
    if (file.starts_with(kDocs))
      if (Page page = page_of(file); page.folder != kSkills) out.push_back(std::move(page));
  auto place = [](const Page& p) { return p.folder == "manual" ? 0 : p.folder == "language" ? 1 : 2; };
  std::ranges::sort(out, [&](const Page& a, const Page& b) {
    const bool first_a = a.name != a.folder, first_b = b.name != b.folder;
    return std::tuple(place(a), first_a, std::string_view(a.name)) <
           std::tuple(place(b), first_b, std::string_view(b.name));
  });
  return out;
}

// The first sentence of a comment or docstring at the head of a script, comments for us left out.
std::string_view summary_of(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::string_view line = first_line(text.substr(at));
    at += line.size() + 1;
    if (line.starts_with("# tilewright:") || line.empty()) continue;
    const std::size_t skip = line.find_first_not_of("#\"' ");
    if (skip == line.npos || (line[0] != '#' && line[0] != '"')) return {};
    line.remove_prefix(skip);
    if (const std::size_t end = line.find_last_not_of("\"' "); end != line.npos) line = line.substr(0, end + 1);
    return line;
  }
  return {};
}

// Scripts that do not say their release are in the one that the settings beside them say (examples/tilewright.toml),
// which do not travel with them: a last line says it, so that no other line moves.
std::string with_release(std::string_view text) {
  constexpr std::string_view kSays = "# tilewright: dialect ", kRelease = "0.25\n";
  return std::string(text) + (text.contains(kSays) ? "" : std::string(kSays) + std::string(kRelease));
}

std::vector<Example> find_examples() {
  std::vector<Example> out;
  for (std::string_view file : contents_names()) {
    if (!file.starts_with(kExamples) || !file.ends_with(".py")) continue;
    const std::string_view text = contents(file);
    out.push_back({stem(file), summary_of(text), with_release(text)});
  }
  std::ranges::sort(out, {}, &Example::name);
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (char c : lower(text) + " ") {
    if (c != ' ' && c != '\t' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

}  // namespace

std::span<const Page> pages() {
  static const std::vector<Page> all = find_pages();
  return all;
}

std::span<const Page> skills() {
  static const std::vector<Page> all = find_skills();
  return all;
}

const Page* find_page(std::string_view name) {
  const std::span<const Page> all = pages();
  const auto found = std::ranges::find_if(
      all, [&](const Page& p) { return p.name == name || p.file == name || stem(p.file) == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Section> sections(std::string_view page) {
  std::vector<Section> out;
  bool code = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < page.size();) {
    const std::string_view line = first_line(page.substr(at));
    if (line.starts_with("```")) code = !code;
    if (const std::size_t level = line.find_first_not_of('#'); !code && level > 0 && level < 5 && line[level] == ' ') {
      if (!out.empty()) out.back().text = page.substr(begin, at - begin);
      out.push_back({line.substr(level + 1), static_cast<int>(level), {}});
      begin = at;
    }
    at += line.size() + 1;
  }
  if (!out.empty()) out.back().text = page.substr(begin);
  return out;
}

const Section* find_section(std::span<const Section> sections, std::string_view words) {
  const std::string wanted = lower(words);
  for (int way = 0; way < 3; ++way) {
    for (const Section& s : sections) {
      const std::string heading = lower(s.heading);
      const bool fits = way == 0   ? heading == wanted
                        : way == 1 ? heading.starts_with(wanted)
                                   : heading.find(wanted) != heading.npos;
      if (fits) return &s;
    }
  }
  return nullptr;
}

// Does the text hold the word, and not only within a longer one?
static bool has_word(std::string_view text, std::string_view word) {
  auto is_part = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
  return false;
}

std::vector<Hit> search(std::string_view words, std::size_t most) {
  const std::vector<std::string> wanted = words_of(words);
  if (wanted.empty()) return {};
  struct Scored {
    Hit hit;
    std::size_t score = 0;
  };
  std::vector<Scored> found;
  for (const Page& page : pages()) {
    for (const Section& s : sections(page.text)) {
      const std::string heading = lower(s.heading), text = lower(s.text);
      std::size_t in_heading = 0, in_text = 0, whole = 0, first = text.npos;
      for (const std::string& word : wanted) {
        in_heading += heading.find(word) != heading.npos;
        const std::size_t at = text.find(word);
        in_text += at != text.npos;
        whole += has_word(text, word);
        first = std::min(first, at);
      }
      if (in_text < wanted.size()) continue;
      const std::size_t begin = first == 0 ? 0 : s.text.rfind('\n', first - 1) + 1;
      found.push_back({{&page, s.heading, first_line(s.text.substr(begin))},
                       in_heading * 4 + whole * 3 + (page.folder == "manual" ? 2u : 0u) + (page.name != "ptx")});
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), &Scored::score);
  std::vector<Hit> out;
  for (std::size_t i = 0; i < found.size() && i < most; ++i) out.push_back(found[i].hit);
  return out;
}

std::span<const Example> examples() {
  static const std::vector<Example> all = find_examples();
  return all;
}

const Example* find_example(std::string_view name) {
  const std::span<const Example> all = examples();
  const auto found = std::ranges::find(all, name, &Example::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tilewright::handbook
