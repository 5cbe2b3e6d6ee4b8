// The folders that a client may ask about. A path that leads out of them, by its words or by a symbolic link, is
// refused in the same words as one that does not exist.
#pragma once
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::mcp {

// Names a script of the handbook where a path is asked for.
inline constexpr std::string_view kExample = "example:";

class Roots {
 public:
  Roots() = default;
  // Folders that do not exist are left out.
  explicit Roots(const std::vector<std::string>& folders);

  bool empty() const { return folders_.empty(); }
  const std::vector<std::filesystem::path>& folders() const { return folders_; }
  // The file or folder that is meant, absolute and without symbolic links: relative to the first root that has it, an
  // absolute path, or a file: URI. The error says what is wrong with it.
  std::expected<std::filesystem::path, std::string> find(std::string_view asked) const;
  // The same of a file that a script is read from: "example:NAME" stands for itself.
  std::expected<std::string, std::string> script(std::string_view asked) const;
  // As answers show a path: relative to its root.
  std::string shown(const std::string& path) const;

 private:
  std::vector<std::filesystem::path> folders_;  // canonical
};

}  // namespace tilewright::mcp
