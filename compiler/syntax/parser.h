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
  // `bytes`: what will be parsed in all. Error recovery can be slow on hostile text; what is still unread when the
  // time is spent (a hundred times what that many bytes usually take) is not parsed.
  explicit Parser(std::size_t bytes);

  // The tree of `text`, or null if the time is spent. `old` is the tree of a former text that was edited to this one.
  TreePtr parse(std::string_view text, const TSTree* old = nullptr);

 private:
  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, Delete> parser_;
  std::chrono::microseconds left_;
};

}  // namespace tilewright::syntax
