// The statements of one file, read again after each edit at the cost of what changed.
//
// The file is cut into its top-level statements by a scanner of lines (lines.h); each statement is parsed on its own,
// and one whose bytes were seen before keeps its nodes. So the result of an edit never depends on what stood there
// before (an incremental parser's error recovery does), a broken statement cannot spoil another, and a statement is
// shared between snapshots exactly when its text is the same. After an edit the scanner begins above the first
// statement that the edit may have changed and stops at the first one below it that it finds where it stood (recut.h).
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/arena.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/cuts.h"
#include "compiler/syntax/free_names.h"
#include "compiler/syntax/unread.h"
#include "compiler/text/diagnostic.h"
#include "compiler/text/digest.h"
#include "compiler/text/edit.h"
#include "compiler/text/source.h"

struct TSTree;

namespace tilewright::syntax {

struct SyntaxError {
  std::uint32_t begin = 0, end = 0;  // bytes in the file; in TopLevel::errors, in its text
  std::string message;               // "unclosed '('", "expected ':'", ...
};

// One top-level statement with its nodes: a pure function of its text. Immutable; shared by all snapshots in which
// its text is the same. No two statements of one Tree share a TopLevel, even where their text is the same.
struct TopLevel {
  std::string text;  // the bytes it was made from, starting at the statement's first byte (decorators included)
  Arena arena;
  Stmt statement = nullptr;  // never null
  std::vector<SyntaxError> errors;
  std::uint32_t id = 0;                // of this object in the process, from 1: the anchor of its spans (text/span.h)
  text::Digest digest;                 // of `text`
  std::span<const Name> names;         // each name that stands anywhere in it as an expression or after `global`, once
  std::span<const UnreadName> unread;  // assignments whose name nothing looks at
  std::shared_ptr<const TSTree> tree;  // of a large statement under edit, so that the next edit is cheap; else null
  // What it takes from the module and gives to it. Made by the first who asks; safe from any thread.
  const FreeNames& free_names() const;

 private:
  mutable std::once_flag free_names_once_;
  mutable FreeNames free_names_;
};

// `# tilewright: entry ...`, `# tilewright: ignore[...]` and other such comments, anywhere in the file.
struct Directive {
  std::uint32_t offset = 0;  // of the comment's first byte in the file
  std::uint32_t line = 0;    // from 0
  std::string_view text;     // after "tilewright:", trimmed; points into the source
};

// What follows `entry` or `reference` in such a comment; points into the source. Empty: another comment.
std::string_view directive_expression(const Directive& directive);

class Tree {
 public:
  struct Statement {
    std::uint32_t offset = 0;  // of its first byte in the file
    std::shared_ptr<const TopLevel> node;
  };

  // Parses from scratch. Never fails: what cannot be read becomes Broken nodes and errors().
  static std::shared_ptr<const Tree> parse(std::shared_ptr<const text::Source> source);
  // Parses after an edit, reusing each statement whose text is the same. The result is that of parse(source). `edit`
  // takes in all that differs between the two texts; without one they are compared.
  static std::shared_ptr<const Tree> reparse(const Tree& before, std::shared_ptr<const text::Source> source,
                                             const text::Edit& edit);
  static std::shared_ptr<const Tree> reparse(const Tree& before, std::shared_ptr<const text::Source> source);
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  const std::shared_ptr<const text::Source>& source() const { return source_; }
  const std::vector<Statement>& statements() const { return statements_; }
  const std::vector<Directive>& directives() const { return directives_; }
  const std::vector<SyntaxError>& errors() const { return errors_; }
  // The parser's tree of the whole file, for those who need every token. Made by the first call; safe from any thread.
  // Null if the file is too complex to parse.
  const TSTree* raw() const;

 private:
  Tree() = default;
  static std::shared_ptr<const Tree> make(std::shared_ptr<const text::Source> source, const Tree* before,
                                          const text::Edit& edit);
  std::shared_ptr<const text::Source> source_;
  mutable std::once_flag raw_once_;
  mutable TSTree* raw_ = nullptr;
  std::vector<Statement> statements_;
  Cuts cuts_;  // what an edit needs to know of each statement
  std::vector<Directive> directives_;
  std::vector<SyntaxError> errors_;
};

// Parses one expression, e.g. an entry given on the command line. The TopLevel's statement is an ExprStmt.
std::shared_ptr<const TopLevel> parse_expression(std::string_view text, std::vector<SyntaxError>* errors);

}  // namespace tilewright::syntax
