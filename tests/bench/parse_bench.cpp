// Speed of the tile script grammar beside tree-sitter-python's, in one run.
//
//   parse_bench LISTING [ROUNDS]
//
// LISTING names the files, one a line. Two figures for each grammar, each the median of ROUNDS (7), with the grammars
// taking turns so that a slower moment of the machine meets both:
//
// - throughput: megabytes a second of processor time, parsing each file afresh;
// - keystroke: microseconds to parse again after one letter was typed into an identifier, or taken away again, at 400
//   places spread over the largest file: median and 99th percentile over the places.

#include <time.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" const TSLanguage* tree_sitter_tilescript(void);
extern "C" const TSLanguage* tree_sitter_python(void);

namespace {

// Processor time: what else the machine does at the moment counts for nothing.
double now_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

double microseconds_since(double start) { return now_microseconds() - start; }

struct Grammar {
  const char* name;
  TSParser* parser;
  std::vector<double> throughputs;
  std::vector<double> keystroke_medians;
  std::vector<double> keystroke_tails;
};

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

TSTree* parse(const Grammar& grammar, const TSTree* old, const std::string& text) {
  return ts_parser_parse_string(grammar.parser, old, text.data(), static_cast<std::uint32_t>(text.size()));
}

void measure_throughput(Grammar& grammar, const std::vector<std::string>& texts, double megabytes) {
  const auto start = now_microseconds();
  for (const std::string& text : texts) ts_tree_delete(parse(grammar, nullptr, text));
  grammar.throughputs.push_back(megabytes / (microseconds_since(start) / 1e6));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// Byte offsets within identifiers (or keywords, or words of comments and strings), spread evenly.
std::vector<std::uint32_t> places_to_type(const std::string& text, std::size_t count) {
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = text.size() * i / count;
    while (at + 1 < text.size() && !(is_letter(text[at]) && is_letter(text[at + 1]))) ++at;
    if (at + 1 < text.size()) places.push_back(static_cast<std::uint32_t>(at + 1));
  }
  return places;
}

void measure_keystrokes(Grammar& grammar, const std::string& original, const std::vector<std::uint32_t>& places) {
  std::string text = original;
  std::vector<std::uint32_t> lines = {0};
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') lines.push_back(i + 1);
  }
  TSTree* tree = parse(grammar, nullptr, text);
  std::vector<double> times;
  for (const std::uint32_t at : places) {
    const auto row = static_cast<std::uint32_t>(std::ranges::upper_bound(lines, at) - lines.begin() - 1);
    const TSPoint point = {row, at - lines[row]};
    const TSPoint next = {row, point.column + 1};
    for (const bool insert : {true, false}) {
      if (insert) {
        text.insert(at, 1, 'q');
      } else {
        text.erase(at, 1);
      }
      const TSInputEdit edit =
          insert ? TSInputEdit{at, at, at + 1, point, point, next} : TSInputEdit{at, at + 1, at, point, next, point};
      const auto start = now_microseconds();
      ts_tree_edit(tree, &edit);
      TSTree* changed = parse(grammar, tree, text);
      times.push_back(microseconds_since(start));
      ts_tree_delete(tree);
      tree = changed;
    }
  }
  ts_tree_delete(tree);
  grammar.keystroke_medians.push_back(quantile(times, 0.5));
  grammar.keystroke_tails.push_back(quantile(times, 0.99));
}

Grammar make_grammar(const char* name, const TSLanguage* language) {
  Grammar grammar{name, ts_parser_new(), {}, {}, {}};
  if (!ts_parser_set_language(grammar.parser, language)) {
    std::fprintf(stderr, "%s: this tree-sitter library does not take the grammar's ABI\n", name);
    std::exit(2);
  }
  return grammar;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: parse_bench LISTING [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  std::vector<std::string> texts;
  std::ifstream listing(argv[1]);
  for (std::string path; std::getline(listing, path);) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  double megabytes = 0;
  for (const std::string& text : texts) megabytes += static_cast<double>(text.size()) / 1e6;
  const std::string& largest = *std::ranges::max_element(texts, {}, &std::string::size);
  const auto places = places_to_type(largest, 400);

  std::array grammars = {make_grammar("tilescript", tree_sitter_tilescript()),
                         make_grammar("tree-sitter-python", tree_sitter_python())};
  for (int round = 0; round < rounds; ++round) {
    for (Grammar& grammar : grammars) measure_throughput(grammar, texts, megabytes);
    for (Grammar& grammar : grammars) measure_keystrokes(grammar, largest, places);
  }

  std::printf("%zu files, %.1f MB; keystrokes at %zu places of a file of %.0f kB; medians of %d rounds\n", texts.size(),
              megabytes, places.size(), static_cast<double>(largest.size()) / 1e3, rounds);
  std::printf("%-20s %12s %20s %20s\n", "grammar", "MB/s", "keystroke, median us", "99th percentile us");
  for (const Grammar& grammar : grammars) {
    std::printf("%-20s %12.2f %20.1f %20.1f\n", grammar.name, quantile(grammar.throughputs, 0.5),
                quantile(grammar.keystroke_medians, 0.5), quantile(grammar.keystroke_tails, 0.5));
    ts_parser_delete(grammar.parser);
  }
  return 0;
}
