// The tree-sitter parser with bounds on its time and its memory.
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

  // The tree of `text`, or null if its time or its memory is spent. `old` is the tree of a former text that was edited
  // to this one. Throws std::bad_alloc where the machine has no memory left; the parser reads nothing any more then.
  TreePtr parse(std::string_view text, const TSTree* old = nullptr);

 private:
  void begin();
  TreePtr parse(std::string_view text, const TSTree* old, const std::size_t* spent);

  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, Delete> parser_;
  std::chrono::microseconds left_;
};

}  // namespace tilewright::syntax
