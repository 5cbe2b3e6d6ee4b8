// Which release of the dialect a script is written in, and who says so.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace tilewright::script
