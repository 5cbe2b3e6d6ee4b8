#include "server/mcp/roots.h"

#include <algorithm>

#include "compiler/text/escape.h"
#include "protocol/uri.h"
#include "server/handbook/handbook.h"

namespace tilewright::mcp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestPath = 4096;

bool lies_below(const fs::path& path, const fs::path& folder) {
  const auto [left, right] = std::ranges::mismatch(folder, path);
  return left == folder.end() || (std::next(left) == folder.end() && left->empty());
}

}  // namespace

Roots::Roots(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code ec;
    fs::path real = fs::canonical(folder, ec);
    if (!ec && fs::is_directory(real, ec) && std::ranges::find(folders_, real) == folders_.end())
      folders_.push_back(std::move(real));
  }
}

std::expected<fs::path, std::string> Roots::find(std::string_view asked) const {
  if (folders_.empty())
    return std::unexpected(
        "this server has no workspace: start it in one, with --root FOLDER, or give it roots by the protocol");
  if (asked.empty()) return std::unexpected("the path is empty");
  if (asked.size() > kLongestPath)
    return std::unexpected("a path has at most " + std::to_string(kLongestPath) + " bytes, this one has " +
                           std::to_string(asked.size()));
  if (asked.find('\0') != asked.npos) return std::unexpected("a path holds no zero byte");
  const fs::path path = asked.starts_with("file:") ? fs::path(protocol::path_of(asked)) : fs::path(asked);
  for (const fs::path& root : folders_) {
    std::error_code ec;
    fs::path real = fs::canonical(root / path, ec);  // of an absolute path that path itself
    if (ec) continue;
    if (std::ranges::any_of(folders_, [&](const fs::path& r) { return lies_below(real, r); })) return real;
  }
  return std::unexpected("the workspace has no " + text::visible(path.string()) +
                         "; paths are relative to its root, and nothing outside of it is read");
}

std::expected<std::string, std::string> Roots::script(std::string_view asked) const {
  if (asked.starts_with(kExample)) {
    if (handbook::find_example(asked.substr(kExample.size()))) return std::string(asked);
    return std::unexpected("there is no example '" + text::visible(asked.substr(kExample.size())) +
                           "': the tool docs with the topic 'examples' lists them");
  }
  auto found = find(asked);
  if (!found) return std::unexpected(found.error());
  std::error_code ec;
  if (!fs::is_regular_file(*found, ec)) return std::unexpected(text::visible(shown(found->string())) + " is no file");
  return found->string();
}

std::string Roots::shown(const std::string& path) const {
  for (const fs::path& root : folders_)
    if (path.starts_with('/') && lies_below(path, root)) {
      const std::string relative = fs::path(path).lexically_relative(root).string();
      // With several roots a relative path could mean another file.
      return folders_.size() == 1 ? relative : path;
    }
  return path;
}

}  // namespace tilewright::mcp
