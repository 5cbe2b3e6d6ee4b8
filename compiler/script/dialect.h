// Which release of the dialect a script is written in, and what says so.
//
// The strongest of these: the caller (--dialect), a comment of the script, the project's settings, a pin of the
// workspace, the names that the script and what it imports mention, the release that is installed beside it. Where none
// decides, the newest release that has all names is assumed. Files and environments are read by the caller
// (DialectHints).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/script/dialect_choice.h"
#include "compiler/script/loader.h"
#include "compiler/script/surface.h"
#include "compiler/syntax/tree.h"

namespace tilewright::script {

// A comment that names a release: `# tilewright: dialect 0.25`, or `# tilewright: tvm=0.25`.
struct DialectComment {
  std::uint32_t offset = 0, length = 0;               // of the comment in the file, bytes
  std::expected<text::Dialect, std::string> dialect;  // or why there is no such release here
};
// The first of a file; nothing: none names a release.
std::optional<DialectComment> dialect_comment(const syntax::Tree& tree);

// A part of the file and what is wrong there.
struct DialectPlace {
  std::uint32_t begin = 0, end = 0;  // bytes in the file
  std::string words;
};
struct DialectFound {
  DialectChoice choice;
  // Why no release can be chosen, at one place or at two that contradict each other. Empty: nothing is wrong.
  std::vector<DialectPlace> wrong;
};
// `asked` is what the caller says outright. Without hints nothing but the comment is looked at, and a script that has
// none is of kDefaultDialect. `loader` finds the scripts that it imports; null: they do not count.
DialectFound find_dialect(const syntax::Tree& tree, std::optional<text::Dialect> asked,
                          const std::optional<DialectHints>& hints, Loader* loader = nullptr);

}  // namespace tilewright::script
