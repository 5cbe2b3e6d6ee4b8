// Runs the corpus of the grammar (the format of `tree-sitter test`) without the command-line tool, and checks that the
// queries compile.
//
//   corpus_test GRAMMAR_FOLDER            checks
//   corpus_test --update GRAMMAR_FOLDER   writes the trees found into the corpus, to be read before they are committed
//
// A corpus file holds, for each test: a line of `=`, the name, a line of `=`, the text, a line of `---`, the tree. The
// text goes without the line breaks at its end.

#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

extern "C" const TSLanguage* tree_sitter_tilescript(void);

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Case {
  std::string name;
  std::string text;
  std::string tree;
};

bool is_ruler(std::string_view line, char c) {
  return line.size() >= 3 && line.find_first_not_of(c) == std::string_view::npos;
}

std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::vector<Case> cases;
  enum class Part { kNone, kText, kTree } part = Part::kNone;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 2 < lines.size() && is_ruler(lines[i], '=') && is_ruler(lines[i + 2], '=')) {
      cases.push_back({lines[i + 1], "", ""});
      part = Part::kText;
      i += 2;
    } else if (part == Part::kText && is_ruler(lines[i], '-')) {
      part = Part::kTree;
    } else if (part != Part::kNone) {
      std::string& target = part == Part::kText ? cases.back().text : cases.back().tree;
      target += lines[i] + "\n";
    }
  }
  return cases;
}

// A tree with one blank between its words and none beside parentheses.
std::string normal_form(std::string_view tree) {
  std::string normal;
  for (const char c : tree) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank) {
      if (!normal.empty() && normal.back() != ' ' && normal.back() != '(') normal += ' ';
      continue;
    }
    if (c == ')' && !normal.empty() && normal.back() == ' ') normal.pop_back();
    if (c == '(' && !normal.empty() && normal.back() == ')') normal += ' ';
    normal += c;
  }
  while (!normal.empty() && normal.back() == ' ') normal.pop_back();
  return normal;
}

std::string tree_of(TSParser* parser, std::string_view text) {
  TSTree* tree = ts_parser_parse_string(parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
  char* string = ts_node_string(ts_tree_root_node(tree));
  std::string result = string;
  std::free(string);
  ts_tree_delete(tree);
  return normal_form(result);
}

// The tree with a line for each node, as `tree-sitter test --update` writes it.
std::string indented(std::string_view tree) {
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const char c = tree[i];
    if (c == ' ') {
      // A node or its label begins behind the blank; the name of a missing node does not.
      const std::string_view rest = tree.substr(i + 1);
      const std::size_t stop = rest.find_first_of(" ()\"");
      const bool label = stop != std::string_view::npos && stop > 0 && rest[stop - 1] == ':';
      const bool labelled = i > 0 && tree[i - 1] == ':';
      if ((rest.starts_with('(') && !labelled) || label) {
        result += '\n' + std::string(static_cast<std::size_t>(depth) * 2, ' ');
        continue;
      }
    }
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    result += c;
  }
  return result;
}

void write_cases(const std::filesystem::path& path, const std::vector<Case>& cases) {
  const std::string ruler(80, '=');
  std::ofstream stream(path, std::ios::binary);
  for (const Case& test : cases) {
    if (&test != cases.data()) stream << '\n';
    stream << ruler << '\n' << test.name << '\n' << ruler << '\n' << test.text << std::string(80, '-') << "\n\n";
    stream << indented(test.tree) << '\n';
  }
}

int check_query(const std::filesystem::path& path) {
  const std::string source = read(path);
  std::uint32_t offset = 0;
  TSQueryError error = TSQueryErrorNone;
  TSQuery* query =
      ts_query_new(tree_sitter_tilescript(), source.data(), static_cast<std::uint32_t>(source.size()), &offset, &error);
  const bool good = query != nullptr;
  if (good) {
    ts_query_delete(query);
  } else {
    const auto line = std::count(source.begin(), source.begin() + offset, '\n') + 1;
    std::printf("%s:%td: the query does not compile (error %d)\n", path.c_str(), line, static_cast<int>(error));
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool update = argc == 3 && std::string_view(argv[1]) == "--update";
  if (argc != 2 && !update) {
    std::fprintf(stderr, "usage: corpus_test [--update] GRAMMAR_FOLDER\n");
    return 2;
  }
  const std::filesystem::path grammar = argv[argc - 1];
  int failures = 0;
  int queries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(grammar / "queries")) {
    failures += check_query(entry.path());
    ++queries;
  }

  TSParser* parser = ts_parser_new();
  ts_parser_set_language(parser, tree_sitter_tilescript());
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(grammar / "test" / "corpus")) {
    std::vector<Case> cases = read_cases(entry.path());
    for (Case& test : cases) {
      ++count;
      std::string_view text = test.text;
      while (text.ends_with('\n')) text.remove_suffix(1);
      const std::string wanted = normal_form(test.tree);
      const std::string found = tree_of(parser, text);
      test.tree = found;
      if (update || found == wanted) continue;
      ++failures;
      std::printf("%s: %s\n  wanted %s\n  found  %s\n", entry.path().filename().c_str(), test.name.c_str(),
                  wanted.c_str(), found.c_str());
    }
    if (update) write_cases(entry.path(), cases);
  }
  ts_parser_delete(parser);
  std::printf("%zu corpus tests, %d queries, %d failures\n", count, queries, failures);
  return failures == 0 && count > 0 && queries > 0 ? 0 : 1;
}
