#include "server/project/made_files.h"

#include "compiler/text/escape.h"
#include "server/project/files.h"
#include "server/project/user.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

// The file that `path` leads to, whether or not it is there; empty: links without an end.
fs::path target_of(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel's own
  std::error_code ec;
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path folder = fs::weakly_canonical(path.parent_path(), ec);
    const fs::path leads_to = fs::read_symlink(folder / path.filename(), ec);
    if (ec) return folder / path.filename();
    path = folder / leads_to;  // an absolute one replaces the folder
  }
  return {};
}

}  // namespace

std::expected<void, std::string> write_made(const MadeFiles& made, const fs::path& path,
                                            std::initializer_list<std::string_view> parts) {
  std::error_code ec;
  const fs::path folder = fs::weakly_canonical(fs::absolute(made.folder, ec), ec);
  const fs::path target = target_of(folder / path.lexically_relative(made.folder));
  const fs::path top = checkout_of(folder / "any");
  if (!lies_below(target, top) && !lies_below(target, checkout_of(made.script)))
    return std::unexpected(text::visible(path.string()) + " is not written: a link leads out of " +
                           text::visible(top.string()) + " to " + text::visible(target.string()) +
                           ": remove it, or name another folder");
  return write_file(path, parts);
}

}  // namespace tilewright::project
