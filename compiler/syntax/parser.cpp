#include "compiler/syntax/parser.h"

#include <algorithm>
#include <ctime>

#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {

namespace {

using std::chrono::microseconds;

microseconds thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return microseconds(now.tv_sec * 1'000'000 + now.tv_nsec / 1000);
}

microseconds limit(std::size_t bytes, microseconds least) { return least + microseconds(10 * bytes); }

}  // namespace

Parser::Parser(std::size_t bytes) : parser_(ts_parser_new()), left_(limit(bytes, microseconds(2'000'000))) {
  ts_parser_set_language(parser_.get(), tree_sitter_tilescript());
}

TreePtr Parser::parse(std::string_view text, const TSTree* old) {
  if (left_.count() <= 0) return nullptr;
  // The library counts time on the wall. On a busy machine that would make results depend on others, so a parse that
  // ran out of it without having had its time of this thread starts again. (A parse that is resumed instead of started
  // again may repair broken text in another way.)
  microseconds most = std::min(left_, limit(text.size(), microseconds(250'000)));
  microseconds start = thread_time();
  microseconds used{0};
  TreePtr tree;
  while (!tree && used < most) {
    ts_parser_set_timeout_micros(parser_.get(), static_cast<std::uint64_t>((most - used).count()));
    tree.reset(ts_parser_parse_string(parser_.get(), old, text.data(), static_cast<std::uint32_t>(text.size())));
    if (!tree) ts_parser_reset(parser_.get());
    used = thread_time() - start;
  }
  left_ -= used;
  return tree;
}

}  // namespace tilewright::syntax
