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
  // `bytes`: what will be parsed in all. There is a limit of time for each text and one for all of them, both many
  // times what text of that size usually takes. The parser's error recovery can be slow on hostile text: it has limits
  // of its own, which are lower.
  explicit Parser(std::size_t bytes);

  // The tree of `text` with what is wrong in it repaired, or null if its time or its memory is spent. Throws
  // std::bad_alloc where the machine has no memory left; the parser reads nothing any more then.
  TreePtr parse(std::string_view text);
  // The same, but null where the text has an error. `old` is the tree of a former text that was edited to this one.
  TreePtr parse_faultless(std::string_view text, const TSTree* old = nullptr);

 private:
  using Time = std::chrono::microseconds;  // of this thread's processor

  void begin();
  TreePtr parse(std::string_view text, const TSTree* old, Time most, Time& left, bool stops_at_error);
  TreePtr run(std::string_view text, const TSTree* old, Time most, Time& left, const std::size_t* given_up);

  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, Delete> parser_;
  Time left_, left_for_repairs_;
};

}  // namespace tilewright::syntax
