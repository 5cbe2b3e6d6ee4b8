// Rewriting a script of one release of the dialect into the next: what has one meaning there is edited, what a person
// must decide is listed with its place and the reason.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/syntax/tree.h"
#include "compiler/text/dialect.h"

namespace tilewright::migrate {

struct Edit {
  std::uint32_t begin = 0, end = 0;  // bytes of the file that `text` replaces
  std::string text;
};
// The text with its edits, which are sorted, none in another.
std::string applied(std::string_view text, const std::vector<Edit>& edits);

struct Decision {
  std::uint32_t at = 0;  // byte of the migrated text
  std::string what;      // as the script writes it, its first line
  std::string why;
  bool note = false;  // the text stays right, and may mean something else
};

struct Migrated {
  std::string text;
  std::size_t edits = 0;
  std::vector<Decision> decisions;  // in the order of the text
  // Whether nothing but notes is left.
  bool complete() const;
};
// Release by release, with the comment that names the last. `from` is before `to`.
Migrated migrated(const syntax::Tree& tree, text::Dialect from, text::Dialect to);

// The edit that replaces the innermost call or name around [begin, end) as one rule says, for a quick fix. None where
// no rule fits, or where a person must decide.
std::optional<Edit> edit_at(const syntax::Tree& tree, text::Dialect from, text::Dialect to, std::uint32_t begin,
                            std::uint32_t end);

}  // namespace tilewright::migrate
