// The configuration of a coding agent that starts this server: what it would be, shown before it is written.
#pragma once
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::mcp {

// The clients that are known: "claude", "codex", "cursor", "vscode".
std::vector<std::string> known_clients();

struct Installation {
  std::filesystem::path file;
  std::string before;  // its text; empty: there is none
  std::string after;   // with this server in it; what else it holds stays
  std::string entry;   // that is put in, for people
};
// For the workspace in `folder`; codex has one file for all of a user's workspaces. The error says why the file cannot
// be changed, and what to add by hand.
std::expected<Installation, std::string> installation(std::string_view client, const std::filesystem::path& folder,
                                                      const std::filesystem::path& program);

}  // namespace tilewright::mcp
