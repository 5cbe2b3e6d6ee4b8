// Parsing again after an edit gives the tree that parsing afresh gives.
//
//   incremental_test [SEED [EDITS]] FILE…
//
// Each file is edited at random places, EDITS times (300), by typing or deleting single characters and lines, each time
// parsed with the old tree. Where the text has no error, the two trees must be the same. (Where it has one, the
// parser's choice among repairs may depend on what it reused.) Every few edits the original text comes back, in one
// edit, and so must its tree.

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

extern "C" const TSLanguage* tree_sitter_tilescript(void);

namespace {

TSPoint point_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto row = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line = row == 0 ? 0 : before.rfind('\n') + 1;
  return {row, static_cast<std::uint32_t>(offset - line)};
}

// The kinds and byte ranges of all nodes.
std::string tree_text(const TSTree* tree) {
  std::string result;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (bool down = true;;) {
    if (down) {
      const TSNode node = ts_tree_cursor_current_node(&cursor);
      result += std::string(ts_node_type(node)) + " " + std::to_string(ts_node_start_byte(node)) + " " +
                std::to_string(ts_node_end_byte(node)) + " (";
      if (ts_tree_cursor_goto_first_child(&cursor)) continue;
    }
    result += ")";
    down = ts_tree_cursor_goto_next_sibling(&cursor);
    if (!down && !ts_tree_cursor_goto_parent(&cursor)) break;
  }
  ts_tree_cursor_delete(&cursor);
  return result;
}

class Session {
 public:
  explicit Session(std::string text) : parser_(ts_parser_new()), original_(text), text_(std::move(text)) {
    ts_parser_set_language(parser_, tree_sitter_tilescript());
    tree_ = parse(nullptr);
  }
  ~Session() {
    ts_tree_delete(tree_);
    ts_parser_delete(parser_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void replace(std::size_t begin, std::size_t end, std::string_view with) {
    const TSPoint start = point_at(text_, begin);
    const TSPoint old_end = point_at(text_, end);
    text_.replace(begin, end - begin, with);
    const std::size_t new_end = begin + with.size();
    const TSInputEdit edit = {static_cast<std::uint32_t>(begin),
                              static_cast<std::uint32_t>(end),
                              static_cast<std::uint32_t>(new_end),
                              start,
                              old_end,
                              point_at(text_, new_end)};
    ts_tree_edit(tree_, &edit);
    TSTree* changed = parse(tree_);
    ts_tree_delete(tree_);
    tree_ = changed;
  }

  void restore() {
    const auto [mine, theirs] = std::ranges::mismatch(text_, original_);
    const auto begin = static_cast<std::size_t>(mine - text_.begin());
    std::size_t tail = 0;
    while (tail + begin < text_.size() && tail + begin < original_.size() &&
           text_[text_.size() - 1 - tail] == original_[original_.size() - 1 - tail]) {
      ++tail;
    }
    const std::string with = original_.substr(begin, original_.size() - tail - begin);
    replace(begin, text_.size() - tail, with);
  }

  // Whether the tree is as it would be without history; true if there is an error.
  bool consistent(bool& has_error) {
    TSTree* fresh = parse(nullptr);
    has_error = ts_node_has_error(ts_tree_root_node(fresh));
    const bool same = has_error || tree_text(fresh) == tree_text(tree_);
    ts_tree_delete(fresh);
    return same;
  }

  const std::string& text() const { return text_; }

 private:
  TSTree* parse(const TSTree* old) {
    return ts_parser_parse_string(parser_, old, text_.data(), static_cast<std::uint32_t>(text_.size()));
  }

  TSParser* parser_;
  std::string original_;
  std::string text_;
  TSTree* tree_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  int first = 1;
  std::array<unsigned, 2> numbers = {1, 300};
  for (unsigned& number : numbers) {
    if (first < argc && std::string_view(argv[first]).find_first_not_of("0123456789") == std::string_view::npos) {
      number = static_cast<unsigned>(std::strtoul(argv[first++], nullptr, 10));
    }
  }
  std::mt19937 random(numbers[0]);
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  constexpr std::array<std::string_view, 24> kTyped = {"a",
                                                       "x = ",
                                                       "\n",
                                                       "    ",
                                                       "(",
                                                       ")",
                                                       "[",
                                                       "]",
                                                       "{",
                                                       "}",
                                                       "\"",
                                                       "'",
                                                       ":",
                                                       ",",
                                                       ".",
                                                       "#",
                                                       "\n    y\n",
                                                       "if x:\n",
                                                       "def f():\n    pass\n",
                                                       "\"\"\"",
                                                       "f\"{",
                                                       "\\\n",
                                                       "return ",
                                                       "match "};

  std::size_t compared = 0;
  std::size_t broken = 0;
  std::size_t failures = 0;
  for (int i = first; i < argc; ++i) {
    std::ifstream stream(argv[i], std::ios::binary);
    Session session({std::istreambuf_iterator<char>(stream), {}});
    for (unsigned edit = 0; edit < numbers[1]; ++edit) {
      if (edit % 4 == 3) {
        session.restore();
      } else {
        const std::size_t begin = below(session.text().size() + 1);
        const std::size_t length = below(3) == 0 ? std::min<std::size_t>(below(8), session.text().size() - begin) : 0;
        session.replace(begin, begin + length, length > 0 ? std::string_view() : kTyped[below(kTyped.size())]);
      }
      bool has_error = false;
      const bool same = session.consistent(has_error);
      ++(has_error ? broken : compared);
      if (same) continue;
      if (++failures <= 3) std::printf("%s: a different tree after edit %u\n", argv[i], edit);
    }
  }
  std::printf("%zu trees compared, %zu with errors, %zu differences\n", compared, broken, failures);
  return failures == 0 && compared > 0 ? 0 : 1;
}
