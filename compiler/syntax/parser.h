// The tree-sitter parser with a bound on its time.
#pragma once
#include <tree_sitter/api.h>

#include <chrono>
#include <memory>
#include <string_view>

namespace tilewright::syntax {

struct DeleteTree {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using TreePtr = std::unique_ptr<TSTree, DeleteTree>;

class Parser {
 public:
  // `bytes`: what will be parsed in all. The parser's error recovery can be slow on hostile text, so there is a limit
  // for each text and one for all of them, both many times what text of that size usually takes.
  explicit Parser(std::size_t bytes);

  // The tree of `text`, or null if its time is spent. `old` is the tree of a former text that was edited to this one.
  TreePtr parse(std::string_view text, const TSTree* old = nullptr);

 private:
  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, Delete> parser_;
  std::chrono::microseconds left_;
};

}  // namespace tilewright::syntax
