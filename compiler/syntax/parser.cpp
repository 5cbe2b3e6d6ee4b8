#include "compiler/syntax/parser.h"

#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {

Parser::Parser(std::size_t bytes) : parser_(ts_parser_new()), left_(2'000'000 + 10 * static_cast<long long>(bytes)) {
  ts_parser_set_language(parser_.get(), tree_sitter_tilescript());
}

TreePtr Parser::parse(std::string_view text, const TSTree* old) {
  if (left_.count() <= 0) return nullptr;
  auto start = std::chrono::steady_clock::now();
  ts_parser_set_timeout_micros(parser_.get(), static_cast<std::uint64_t>(left_.count()));
  TreePtr tree(ts_parser_parse_string(parser_.get(), old, text.data(), static_cast<std::uint32_t>(text.size())));
  if (!tree) ts_parser_reset(parser_.get());
  left_ -= std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  if (!tree) left_ = std::chrono::microseconds(0);
  return tree;
}

}  // namespace tilewright::syntax
