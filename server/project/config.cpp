#include "server/project/config.h"

#include <toml++/toml.h>

#include <algorithm>

#include "compiler/script/surface.h"
#include "server/project/codes.h"
#include "server/project/files.h"

namespace tilewright::project {
namespace {

std::string place(const std::string& name, const toml::node& node) {
  return name + ":" + std::to_string(node.source().begin.line) + ": ";
}

// What is read of a settings file: its tables lie in each other, and are dropped one in the other.
constexpr std::size_t kLargestFile = 256 << 10, kMostKeyParts = 16, kMostMembers = 1000;

// Skips what stands in quotes from `at` on, which is one. Returns where it ends.
std::size_t after_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool lines = three.size() == 3 && three[1] == quote && three[2] == quote;
  for (std::size_t i = at + (lines ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote && (!lines || text.substr(i, 3) == three)) {
      return i + (lines ? 3 : 1);
    } else if (text[i] == '\n' && !lines) {
      return i;
    }
  }
  return text.size();
}

// The line in which a key has too many parts (`a.b.c`); 0: none has.
std::size_t line_of_long_key(std::string_view text) {
  std::size_t line = 1, dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = after_quotes(text, i);
      line += static_cast<std::size_t>(std::ranges::count(text.substr(i, end - i), '\n'));
      i = end;
      continue;
    }
    if (c == '.' && ++dots >= kMostKeyParts) return line;
    if (c == '\n') ++line;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    i = c == '#' ? std::min(text.find('\n', i), text.size()) : i + 1;
  }
  return 0;
}

std::optional<text::Severity> parse_severity(std::string_view word, bool* known) {
  *known = true;
  if (word == "error") return text::Severity::Error;
  if (word == "warning") return text::Severity::Warning;
  if (word == "information") return text::Severity::Information;
  if (word == "hint") return text::Severity::Hint;
  *known = word == "off";
  return std::nullopt;
}

std::expected<void, std::string> read_limits(const toml::table& table, const std::string& name, text::Limits& limits) {
  for (const auto& [key, value] : table) {
    auto number = value.value<std::int64_t>();
    if (!number || *number <= 0) {
      return std::unexpected(place(name, value) + "limits." + std::string(key.str()) + " must be a positive number");
    }
    auto n = static_cast<std::uint64_t>(*number);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // bytes of them are counted in 64 bits
    if (n > kMost) return std::unexpected(place(name, value) + "limits." + std::string(key.str()) + " is too large");
    if (key.str() == "steps") {
      limits.steps = n;
    } else if (key.str() == "memory_mb") {
      limits.memory_bytes = n << 20;
    } else if (key.str() == "depth") {
      // The evaluator recurses: deeper than this, the stack of the process would end first.
      if (n > 1000) return std::unexpected(place(name, value) + "limits.depth is at most 1000");
      limits.depth = static_cast<std::uint32_t>(n);
    } else {
      return std::unexpected(place(name, value) + "unknown limit '" + std::string(key.str()) +
                             "': there are steps, memory_mb and depth");
    }
  }
  return {};
}

// One architecture, or a list of them.
std::expected<void, std::string> read_targets(const toml::node& node, const std::string& name,
                                              std::vector<ir::Target>& targets) {
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& one : *list) {
      if (one.is_array()) return std::unexpected(place(name, one) + "arch is a text or a list of texts");
      if (auto ok = read_targets(one, name, targets); !ok) return ok;
    }
    return {};
  }
  auto word = node.value<std::string>();
  if (!word) return std::unexpected(place(name, node) + "arch is a text, such as \"sm_90a\", or a list of texts");
  auto target = ir::parse_target(*word);
  if (!target) return std::unexpected(place(name, node) + "there is no architecture '" + *word + "'");
  if (std::ranges::find(targets, *target) == targets.end()) targets.push_back(*target);
  return {};
}

// A name that addresses and words of the command line cannot be taken for.
bool is_remote_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name != "sim" && name != "gpu" && name[0] != '-' &&
         std::ranges::all_of(name, [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                  c == '.';
         });
}

std::expected<void, std::string> wrong_name(const std::string& name, const toml::node& node, const std::string& what) {
  return std::unexpected(
      place(name, node) + "'" + what +
      "' is no name of a remote: a name has letters, digits, '-', '_' and '.', and is not sim or gpu");
}

std::string remote_settings() {
  std::string out = "at";
  for (const RemoteSetting& s : kRemoteSettings) {
    out += ", ";
    for (char c : s.name) out += c == '-' ? '_' : c;
  }
  return out;
}

std::expected<void, std::string> read_remote(const toml::table& table, const std::string& name,
                                             const std::string& remote, Remote& into) {
  const std::string in = "remotes." + remote;
  for (const auto& [key, value] : table) {
    std::string known(key.str());
    std::ranges::replace(known, '_', '-');
    const auto* setting = std::ranges::find(kRemoteSettings, known, &RemoteSetting::name);
    if (known != "at" && setting == kRemoteSettings.end()) {
      return std::unexpected(place(name, value) + "unknown setting '" + std::string(key.str()) + "' of " + in +
                             ": there are " + remote_settings());
    }
    std::string text = value.value_or(std::string());
    if (auto number = value.value<std::int64_t>(); value.is_integer() && number) text = std::to_string(*number);
    if (text.empty())
      return std::unexpected(place(name, value) + in + "." + std::string(key.str()) + " is a text or a whole number");
    if (known == "at") {
      into.at = text;
    } else {
      into.settings.insert_or_assign(known, text);
    }
  }
  if (into.at.empty())
    return std::unexpected(place(name, table) + in + " lacks at, its address, such as at = \"ssh://gpu1\"");
  return {};
}

std::expected<void, std::string> read_remotes(const toml::table& table, const std::string& name, Remotes& remotes) {
  for (const auto& [key, value] : table) {
    const std::string remote(key.str());
    if (!is_remote_name(remote)) return wrong_name(name, value, remote);
    if (!value.is_table()) {
      return std::unexpected(place(name, value) + "remotes." + remote + " is a table: [remotes." + remote +
                             "] with at = \"ssh://gpu1\"");
    }
    if (auto ok = read_remote(*value.as_table(), name, remote, remotes[remote]); !ok) return ok;
  }
  return {};
}

std::expected<void, std::string> read_pools(const toml::table& table, const std::string& name, Pools& pools) {
  for (const auto& [key, value] : table) {
    const std::string pool(key.str());
    if (!is_remote_name(pool)) return wrong_name(name, value, pool);
    const toml::array* members = value.as_array();
    if (!members || members->empty() || !members->is_homogeneous<std::string>()) {
      return std::unexpected(place(name, value) + "pools." + pool +
                             " is a list of remotes, such as [\"lab\", \"ssh://gpu2\"]");
    }
    if (members->size() > kMostMembers) {
      return std::unexpected(place(name, value) + "pools." + pool + " has " + std::to_string(members->size()) +
                             " members: at most " + std::to_string(kMostMembers));
    }
    for (const toml::node& member : *members) pools[pool].push_back(member.value_or(std::string()));
  }
  return {};
}

// Remotes and pools share their names, and a pool has no pools in it.
std::expected<void, std::string> check_pools(const Config& config, const toml::table& table, const std::string& name) {
  for (const auto& [pool, members] : config.pools) {
    const std::string in = place(name, *table["pools"][pool].node()) + "pools." + pool + ": ";
    if (config.remotes.contains(pool)) return std::unexpected(in + "a remote has the same name");
    for (const std::string& member : members) {
      if (is_remote_name(member) && !config.remotes.contains(member))
        return std::unexpected(in + "there is no remote '" + member + "'; a pool holds remotes and addresses");
      if (std::ranges::count(members, member) > 1) return std::unexpected(in + "'" + member + "' is in it twice");
    }
  }
  return {};
}

}  // namespace

std::expected<Config, std::string> parse_config(std::string_view text, const std::string& name) {
  if (text.size() > kLargestFile) {
    return std::unexpected(name + ": the file has " + std::to_string(text.size() >> 10) +
                           " KB: settings have at most " + std::to_string(kLargestFile >> 10) + " KB");
  }
  if (const std::size_t line = line_of_long_key(text)) {
    return std::unexpected(name + ":" + std::to_string(line) + ": a key has at most " + std::to_string(kMostKeyParts) +
                           " parts");
  }
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    return std::unexpected(name + ":" + std::to_string(e.source().begin.line) + ": " + std::string(e.description()));
  }
  Config config;
  for (const auto& [key, value] : table) {
    if (key.str() == "dialect") {
      auto release = value.value<std::string>();
      if (!release) return std::unexpected(place(name, value) + "dialect is a text, such as \"0.25\"");
      auto dialect = script::built_in_dialect(*release);
      if (!dialect) return std::unexpected(place(name, value) + dialect.error());
      config.dialect = *dialect;
    } else if (key.str() == "arch") {
      auto ok = read_targets(value, name, config.targets);
      if (!ok) return std::unexpected(ok.error());
    } else if (key.str() == "limits" && value.is_table()) {
      auto ok = read_limits(*value.as_table(), name, config.limits);
      if (!ok) return std::unexpected(ok.error());
    } else if (key.str() == "severity" && value.is_table()) {
      for (const auto& [code, word] : *value.as_table()) {
        if (!code_info(code.str())) {
          return std::unexpected(place(name, word) + "there is no diagnostic " + std::string(code.str()));
        }
        bool known = false;
        auto severity = parse_severity(word.value_or(std::string()), &known);
        if (!known)
          return std::unexpected(place(name, word) + "a severity is error, warning, information, hint or off");
        config.severity[std::string(code.str())] = severity;
      }
    } else if (key.str() == "remotes" && value.is_table()) {
      auto ok = read_remotes(*value.as_table(), name, config.remotes);
      if (!ok) return std::unexpected(ok.error());
    } else if (key.str() == "pools" && value.is_table()) {
      auto ok = read_pools(*value.as_table(), name, config.pools);
      if (!ok) return std::unexpected(ok.error());
    } else {
      return std::unexpected(place(name, value) + "unknown setting '" + std::string(key.str()) +
                             "': there are dialect, arch, [limits], [severity], [remotes] and [pools]");
    }
  }
  if (auto ok = check_pools(config, table, name); !ok) return std::unexpected(ok.error());
  return config;
}

std::filesystem::path config_file(const std::filesystem::path& script) {
  std::error_code ec;
  std::filesystem::path folder = std::filesystem::weakly_canonical(script, ec).parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    std::filesystem::path file = folder / "tilewright.toml";
    if (std::filesystem::is_regular_file(file, ec)) return file;
    if (folder == folder.root_path()) break;
  }
  return {};
}

std::expected<Config, std::string> find_config(const std::filesystem::path& script) {
  const std::filesystem::path file = config_file(script);
  if (file.empty()) return Config{};
  auto text = read_file(file);
  if (!text) return std::unexpected(text.error());
  auto config = parse_config(*text, file.string());
  if (config) config->file = file;
  return config;
}

void apply_severity(const Config& config, std::vector<text::Diagnostic>& diagnostics) {
  if (config.severity.empty()) return;
  std::erase_if(diagnostics, [&](const text::Diagnostic& d) {
    if (d.fails) return false;
    auto it = config.severity.find(d.code);
    return it != config.severity.end() && !it->second;
  });
  for (text::Diagnostic& d : diagnostics) {
    auto it = config.severity.find(d.code);
    if (it == config.severity.end()) continue;
    if (!d.fails) {
      d.severity = *it->second;
    } else if (it->second != text::Severity::Error) {
      if (!d.hint.empty()) d.hint += "; ";
      d.hint += "[severity] of " + config.file.filename().string() + " does not hold for what fails a kernel";
    }
  }
}

}  // namespace tilewright::project
