#include "server/mcp/install.h"

#include <algorithm>
#include <cstdlib>

#include "server/mcp/tool.h"
#include "server/project/files.h"
#include "server/project/toml.h"

namespace tilewright::mcp {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostConfiguration = 4u << 20;
constexpr std::string_view kName = "tilewright";

// A client whose configuration is JSON: its file below the workspace, and the member that holds the servers.
struct JsonClient {
  std::string_view name, file, member;
};
constexpr JsonClient kJsonClients[] = {{"claude", ".mcp.json", "mcpServers"},
                                       {"cursor", ".cursor/mcp.json", "mcpServers"},
                                       {"vscode", ".vscode/mcp.json", "servers"}};

std::expected<std::string, std::string> contents_of(const fs::path& file) {
  std::error_code ec;
  if (!fs::exists(file, ec)) return std::string();
  if (!fs::is_regular_file(file, ec)) return std::unexpected(file.string() + " is no file");
  return project::read_file(file, kMostConfiguration);
}

// By how much the text indents: two blanks where it does not.
std::string indent_of(std::string_view text) {
  const std::size_t line = text.find('\n');
  if (line == text.npos) return "  ";
  const std::size_t end = text.find_first_not_of(" \t", line + 1);
  const std::string out(text.substr(line + 1, end == text.npos ? 0 : end - line - 1));
  return out.empty() ? "  " : out;
}

std::expected<Installation, std::string> into_json(const JsonClient& client, const fs::path& folder,
                                                   const fs::path& program) {
  Installation out;
  out.file = folder / client.file;
  auto before = contents_of(out.file);
  if (!before) return std::unexpected(before.error());
  out.before = std::move(*before);
  Json server = Json::object();
  server["type"] = "stdio";
  server["command"] = program.string();
  server["args"] = Json::array({"mcp"});
  if (client.name == "vscode") server["args"].push_back("--root=${workspaceFolder}");
  out.entry = Json{{client.member, {{kName, server}}}}.dump(2);
  Json all = Json::object();
  if (out.before.find_first_not_of(" \t\r\n") != out.before.npos) {
    all = Json::parse(out.before, nullptr, false);
    const bool good = all.is_object() && (!all.contains(client.member) || all[client.member].is_object());
    if (!good)
      return std::unexpected(out.file.string() +
                             " is no plain JSON object (comments would be lost), so it stays as it is; add by hand:\n" +
                             out.entry);
  }
  all[client.member][kName] = std::move(server);
  const std::string indent = indent_of(out.before);
  out.after = all.dump(static_cast<int>(indent.size()), indent[0], false, Json::error_handler_t::replace) + "\n";
  return out;
}

std::string toml_text(const std::string& text) { return Json(text).dump(); }

// The lines of the table [mcp_servers.tilewright], and of those below it: they are what is replaced.
std::string without_table(const std::string& text) {
  std::string out;
  bool ours = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    const std::string_view line = std::string_view(text).substr(at, end + 1 - at);
    at = end + 1;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != line.npos && line[first] == '[') {
      std::string head;
      for (const char c : line.substr(first))
        if (c != ' ' && c != '\t' && c != '"') head += c;
      ours = head.starts_with("[mcp_servers.tilewright]") || head.starts_with("[mcp_servers.tilewright.");
    }
    if (!ours) out += line;
  }
  return out;
}

std::expected<Installation, std::string> into_codex(const fs::path& program) {
  const char* home = std::getenv("CODEX_HOME");
  const char* user = std::getenv("HOME");
  if ((!home || !*home) && (!user || !*user))
    return std::unexpected("neither CODEX_HOME nor HOME says where codex has its configuration");
  Installation out;
  out.file = home && *home ? fs::path(home) / "config.toml" : fs::path(user) / ".codex" / "config.toml";
  auto before = contents_of(out.file);
  if (!before) return std::unexpected(before.error());
  out.before = std::move(*before);
  out.entry = "[mcp_servers.tilewright]\ncommand = " + toml_text(program.string()) + "\nargs = [\"mcp\"]\n";
  out.after = without_table(out.before);
  if (!out.after.empty() && !out.after.ends_with('\n')) out.after += '\n';
  if (!out.after.empty() && !out.after.ends_with("\n\n")) out.after += '\n';
  out.after += out.entry;
  // Looked at before and after: what is no TOML is not changed, and nothing is written that would not be read.
  try {
    if (!out.before.empty()) static_cast<void>(toml::parse(out.before));
    const toml::table made = toml::parse(out.after);
    if (made["mcp_servers"]["tilewright"]["command"].value<std::string>() == program.string()) return out;
  } catch (const toml::parse_error&) {
    // Told below.
  }
  return std::unexpected(out.file.string() + " cannot be changed without harm, so it stays as it is; add by hand:\n" +
                         out.entry);
}

}  // namespace

std::vector<std::string> known_clients() { return {"claude", "codex", "cursor", "vscode"}; }

std::expected<Installation, std::string> installation(std::string_view client, const fs::path& folder,
                                                      const fs::path& program) {
  if (client == "codex") return into_codex(program);
  const auto* known = std::ranges::find(kJsonClients, client, &JsonClient::name);
  if (known == std::end(kJsonClients)) return std::unexpected("there is no client '" + std::string(client) + "'");
  return into_json(*known, folder, program);
}

}  // namespace tilewright::mcp
