// The documents and examples that belong to this release, inside of the binary: `tilewright docs`, `tilewright
// examples`, and what clients of `tilewright mcp` read.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::handbook {

struct Page {
  std::string name;         // what it is asked for by: "checking", "layout", "language" for the first page of a folder
  std::string_view folder;  // "manual", "language"; empty: beside these
  std::string_view file;    // below docs/: "manual/checking.md"
  std::string_view title;   // its first heading
  std::string_view text;    // Markdown
};
// By folder, manual first, and name; made once.
std::span<const Page> pages();
const Page* find_page(std::string_view name);  // null: there is none

// Pages that coding agents read (docs/skills/), with the name of each.
std::span<const Page> skills();

// A part of a page below a heading.
struct Section {
  std::string_view heading;  // of the page's beginning the title
  int level = 1;             // how many # stand before it
  std::string_view text;     // with the heading
};
std::vector<Section> sections(std::string_view page);
// The first section whose heading is, or else begins with, or else contains these words, in any case of letters. Null:
// there is none.
const Section* find_section(std::span<const Section> sections, std::string_view words);

// Where words occur in the documents, those first that hold all of them in their heading.
struct Hit {
  const Page* page = nullptr;
  std::string_view heading;
  std::string_view line;  // the first that holds one of the words
};
std::vector<Hit> search(std::string_view words, std::size_t most);

struct Example {
  std::string_view name;     // "gemm_hopper"
  std::string_view summary;  // its first sentence
  std::string text;          // the script, with a comment that says its release
};
std::span<const Example> examples();                 // by name
const Example* find_example(std::string_view name);  // null: there is none

}  // namespace tilewright::handbook
