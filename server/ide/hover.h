// What stands under a cursor, and what it becomes.
//
// A tile primitive is told from the analysis that every snapshot has. For anything else the kernel around the cursor is
// evaluated once more with a probe on the expression (session/snapshot.h), so that the answer is the value that it
// really had, in any function, not a guess from its text.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/ide/query.h"
#include "server/ide/view.h"

namespace tilewright::ide {

// Blocks from top to bottom; server/views/hover.h writes them.
struct Hover {
  struct Title {
    std::string strong;
    std::string rest;  // may be empty
  };
  struct Words {
    std::string text;
  };
  // Of a script's author, who is a stranger: shown as it is, never read as markup.
  struct Said {
    std::string text;
  };
  struct Code {
    std::string language;  // as Markdown names them
    std::string text;
  };
  // Code with a name over it; without a language one line of it.
  struct Section {
    std::string name, language, text;
  };
  struct Links {
    std::vector<std::pair<std::string, ViewName>> named;
  };
  using Block = std::variant<Title, Words, Said, Code, Section, Links>;

  std::vector<Block> blocks;  // never empty in an answer
  Stretch at;                 // what it is about
};
// Nothing: nothing worth saying.
Answer<std::optional<Hover>> hover(const Query& q, std::uint32_t offset);

}  // namespace tilewright::ide
