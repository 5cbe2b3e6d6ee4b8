#include "server/project/config.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/script/surface.h"
#include "compiler/toolchain/owned_path.h"
#include "server/project/codes.h"
#include "server/project/dialect_hints.h"
#include "server/project/files.h"
#include "server/project/real_path.h"
#include "server/project/toml.h"
#include "server/project/user.h"

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

struct LimitBound {
  std::uint64_t value, most;
  std::string_view unit;
};

// A limit of a project: at most four times the default, or what the user's own settings say.
std::expected<void, std::string> check_limit(const std::string& at, const std::string& key, const LimitBound& bound) {
  if (bound.value <= bound.most) return {};
  return std::unexpected(at + "limits." + key + " is " + std::to_string(bound.value) + std::string(bound.unit) +
                         "; settings of a project raise it to at most " + std::to_string(bound.most) +
                         std::string(bound.unit) + ". More: --limit " + key + "=" + std::to_string(bound.value) +
                         ", or [limits] of " + (user_folder() / kUserSettings).string());
}

// `limits`: the user's, or the defaults.
std::expected<void, std::string> read_limits(const toml::table& table, const std::string& name, Owner owner,
                                             text::Limits& limits) {
  constexpr text::Limits kDefaults;
  const auto& said = overrides().limits;
  for (const auto& [key, value] : table) {
    auto number = value.value<std::int64_t>();
    if (!number || *number <= 0) {
      return std::unexpected(place(name, value) + "limits." + std::string(key.str()) + " must be a positive number");
    }
    auto n = static_cast<std::uint64_t>(*number);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // bytes of them are counted in 64 bits
    if (n > kMost) return std::unexpected(place(name, value) + "limits." + std::string(key.str()) + " is too large");
    // What the command line says holds, whatever stands here.
    const bool held = owner == Owner::Project && !said.contains(std::string(key.str()));
    if (key.str() == "steps") {
      const std::uint64_t most = std::max(limits.steps, kMostLimitFactor * kDefaults.steps);
      if (auto ok = check_limit(place(name, value), "steps", {n, held ? most : n, ""}); !ok) return ok;
      limits.steps = n;
    } else if (key.str() == "memory_mb") {
      const std::uint64_t most = std::max(limits.memory_bytes, kMostLimitFactor * kDefaults.memory_bytes) >> 20;
      if (auto ok = check_limit(place(name, value), "memory_mb", {n, held ? most : n, " MB"}); !ok) return ok;
      if (n > (std::uint64_t{1} << 30)) return std::unexpected(place(name, value) + "limits.memory_mb is too large");
      limits.memory_bytes = n << 20;
    } else if (key.str() == "depth") {
      if (!held && owner == Owner::Project) continue;
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
    for (const toml::node& member : *members) pools[pool].members.push_back(member.value_or(std::string()));
  }
  return {};
}

// Remotes and pools share their names, and a pool has no pools in it.
std::expected<void, std::string> check_pools(const Config& config, const Config& user, const toml::table& table,
                                             const std::string& name) {
  for (const auto& [pool, what] : config.pools) {
    const auto& members = what.members;
    const std::string in = place(name, *table["pools"][pool].node()) + "pools." + pool + ": ";
    if (config.remotes.contains(pool)) return std::unexpected(in + "a remote has the same name");
    for (const std::string& member : members) {
      if (is_remote_name(member) && !config.remotes.contains(member) && !user.remotes.contains(member))
        return std::unexpected(in + "there is no remote '" + member + "'; a pool holds remotes and addresses");
      if (std::ranges::count(members, member) > 1) return std::unexpected(in + "'" + member + "' is in it twice");
    }
  }
  return {};
}

std::expected<void, std::string> read_dialect(const toml::node& value, const std::string& name, Config& config) {
  auto release = value.value<std::string>();
  if (!release) return std::unexpected(place(name, value) + "dialect is a text, such as \"0.25\"");
  auto dialect = script::known_dialect(*release);
  if (!dialect) return std::unexpected(place(name, value) + dialect.error());
  config.dialect.setting = {*dialect,
                            std::filesystem::path(name).filename().string() + " says dialect = \"" + *release + "\""};
  return {};
}

std::expected<void, std::string> read_severity(const toml::table& table, const std::string& name, Config& config) {
  for (const auto& [code, word] : table) {
    if (!code_info(code.str()))
      return std::unexpected(place(name, word) + "there is no diagnostic " + std::string(code.str()));
    bool known = false;
    auto severity = parse_severity(word.value_or(std::string()), &known);
    if (!known) return std::unexpected(place(name, word) + "a severity is error, warning, information, hint or off");
    config.severity[std::string(code.str())] = severity;
  }
  return {};
}

constexpr std::uintmax_t kMostSettings = 4u << 20;

std::string_view known_settings(Owner owner) {
  switch (owner) {
    case Owner::Project: return "extend, dialect, arch, [limits], [severity], [remotes] and [pools]";
    case Owner::User: return "[limits], [remotes] and [pools]; the others are a project's";
    case Owner::Remotes: return "[remotes] and [pools]";
  }
  return {};
}

bool may_hold(Owner owner, std::string_view key) {
  if (key == "remotes" || key == "pools") return true;
  if (key == "limits") return owner != Owner::Remotes;
  return owner == Owner::Project && (key == "extend" || key == "dialect" || key == "arch" || key == "severity");
}

void apply_overrides(text::Limits& limits) {
  const auto& said = overrides().limits;
  if (auto it = said.find("steps"); it != said.end()) limits.steps = it->second;
  if (auto it = said.find("memory_mb"); it != said.end()) limits.memory_bytes = it->second << 20;
  if (auto it = said.find("depth"); it != said.end()) limits.depth = static_cast<std::uint32_t>(it->second);
}

// A file that a checkout cannot change, by no part of the way to it.
std::expected<void, std::string> check_outside(const std::filesystem::path& file, const std::filesystem::path& script) {
  std::error_code ec;
  std::vector<std::filesystem::path> roots{checkout_of(script), checkout_of(import_root(script) / "any")};
  for (const char* name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const char* folder = std::getenv(name);
    if (folder && *folder == '/') roots.push_back(real_path(folder, ec));
  }
  for (const std::filesystem::path& root : roots) {
    if (root == root.root_path() || !leads_through(file, root)) continue;
    return std::unexpected("the remotes in " + file.string() + " are not used: the file lies in the checkout " +
                           root.string() +
                           ", so that every author of the repository decides what runs here; put it "
                           "outside");
  }
  return {};
}

// Those of --remotes, instead of all others.
std::expected<void, std::string> replace_remotes(Config& config, const std::filesystem::path& script) {
  if (overrides().remotes.empty()) return {};
  std::error_code ec;
  // By its words, so that what is looked at is what is opened: `..` after a link means another folder to the system.
  const std::filesystem::path whole = std::filesystem::absolute(overrides().remotes, ec).lexically_normal();
  if (auto ok = check_outside(whole, script); !ok) return ok;
  auto text = read_file(whole, kMostSettings);
  if (!text) return std::unexpected(text.error());
  auto named = parse_config(*text, whole.string(), Owner::Remotes);
  if (!named) return std::unexpected(named.error());
  config.remotes = std::move(named->remotes);
  config.pools = std::move(named->pools);
  return {};
}

// The user's names come before a project's.
void add_remotes_of(const Config& user, Config& config) {
  auto taken = [&](const std::string& name) { return user.remotes.contains(name) || user.pools.contains(name); };
  std::erase_if(config.remotes, [&](const auto& named) { return taken(named.first); });
  std::erase_if(config.pools, [&](const auto& named) { return taken(named.first); });
  config.remotes.insert(user.remotes.begin(), user.remotes.end());
  config.pools.insert(user.pools.begin(), user.pools.end());
}

constexpr std::string_view kPyproject = "pyproject.toml";
constexpr std::size_t kMostBases = 8;  // that extend each other

// The tables of a settings file: of a pyproject.toml those of [tool.tilewright]. The error names the line.
std::expected<toml::table, std::string> tables_of(std::string_view text, const std::string& name) {
  const bool pyproject = std::filesystem::path(name).filename() == kPyproject;
  if (!pyproject && text.size() > kLargestFile) {
    return std::unexpected(name + ": the file has " + std::to_string(text.size() >> 10) +
                           " KB: settings have at most " + std::to_string(kLargestFile >> 10) + " KB");
  }
  if (const std::size_t line = line_of_long_key(text)) {
    return std::unexpected(name + ":" + std::to_string(line) + ": a key has at most " + std::to_string(kMostKeyParts) +
                           " parts");
  }
  try {
    toml::table table = toml::parse(text, name);
    if (!pyproject) return table;
    toml::table* own = table["tool"]["tilewright"].as_table();
    return own ? std::move(*own) : toml::table();
  } catch (const toml::parse_error& e) {
    return std::unexpected(name + ":" + std::to_string(e.source().begin.line) + ": " + std::string(e.description()));
  }
}

// The file that a settings file extends; empty: none. It lies in the same checkout.
std::expected<std::filesystem::path, std::string> base_of(std::string_view text, const std::filesystem::path& file) {
  auto table = tables_of(text, file.string());
  if (!table) return std::unexpected(table.error());
  const toml::node* node = table->get("extend");
  if (!node) return std::filesystem::path();
  const auto said = node->value<std::string>();
  if (!said || said->empty())
    return std::unexpected(place(file.string(), *node) + "extend is a text, such as \"../shared.toml\"");
  std::error_code ec;
  std::filesystem::path base = real_path(file.parent_path() / *said, ec);
  if (ec || !std::filesystem::is_regular_file(base, ec))
    return std::unexpected(place(file.string(), *node) + "there is no file " + *said);
  const std::filesystem::path checkout = checkout_of(file);
  const bool versioned = std::filesystem::exists(checkout / ".git", ec);
  if (versioned && !lies_below(base, checkout))
    return std::unexpected(place(file.string(), *node) + *said + " lies outside of the checkout " + checkout.string());
  return base;
}

// What `base` says holds where `own` says nothing.
void add_base(const Config& base, const std::filesystem::path& file, Config& own) {
  if (!own.dialect.setting) own.dialect.setting = base.dialect.setting;
  if (own.targets.empty()) own.targets = base.targets;
  own.severity.insert(base.severity.begin(), base.severity.end());
  own.remotes.insert(base.remotes.begin(), base.remotes.end());
  own.pools.insert(base.pools.begin(), base.pools.end());
  own.bases.push_back(file);
  own.bases.insert(own.bases.end(), base.bases.begin(), base.bases.end());
}

// Settings of a project with those that they extend. `user`: what holds where none says anything.
std::expected<Config, std::string> read_project(const std::filesystem::path& file, const Config& user,
                                                std::size_t depth = 0) {
  if (depth > kMostBases)
    return std::unexpected(file.string() + ": at most " + std::to_string(kMostBases) + " files extend each other");
  auto text = read_file(file, kMostSettings);
  if (!text) return std::unexpected(text.error());
  auto base_file = base_of(*text, file);
  if (!base_file) return std::unexpected(base_file.error());
  if (base_file->empty()) return parse_config(*text, file.string(), Owner::Project, user);
  auto base = read_project(*base_file, user, depth + 1);
  if (!base) return base;
  Config under = user;  // a base may raise limits and name remotes
  under.limits = base->limits;
  under.remotes.insert(base->remotes.begin(), base->remotes.end());
  auto own = parse_config(*text, file.string(), Owner::Project, under);
  if (own) add_base(*base, *base_file, *own);
  return own;
}

// Has it a table of ours? Most have none.
bool speaks_of_us(const std::filesystem::path& pyproject) {
  auto text = read_file(pyproject, kMostSettings);
  return text && text->find("tool.tilewright") != text->npos;
}

}  // namespace

std::expected<Config, std::string> parse_config(std::string_view text, const std::string& name, Owner owner,
                                                const Config& user) {
  auto table = tables_of(text, name);
  if (!table) return std::unexpected(table.error());
  Config config;
  config.limits = user.limits;
  for (const auto& [key, value] : *table) {
    if (!may_hold(owner, key.str())) {
      return std::unexpected(place(name, value) + "unknown setting '" + std::string(key.str()) + "': there are " +
                             std::string(known_settings(owner)));
    }
    std::expected<void, std::string> ok;
    if (key.str() == "extend") {
      continue;  // read_project follows it
    } else if (key.str() == "dialect") {
      ok = read_dialect(value, name, config);
    } else if (key.str() == "arch") {
      ok = read_targets(value, name, config.targets);
    } else if (!value.is_table()) {
      ok = std::unexpected(place(name, value) + std::string(key.str()) + " is a table: [" + std::string(key.str()) +
                           "]");
    } else if (key.str() == "limits") {
      ok = read_limits(*value.as_table(), name, owner, config.limits);
    } else if (key.str() == "severity") {
      ok = read_severity(*value.as_table(), name, config);
    } else if (key.str() == "remotes") {
      ok = read_remotes(*value.as_table(), name, config.remotes);
    } else {
      ok = read_pools(*value.as_table(), name, config.pools);
    }
    if (!ok) return std::unexpected(ok.error());
  }
  if (auto ok = check_pools(config, user, *table, name); !ok) return std::unexpected(ok.error());
  const Source source{std::filesystem::path(name), owner != Owner::Project};
  for (auto& [key, remote] : config.remotes) remote.source = source;
  for (auto& [key, pool] : config.pools) pool.source = source;
  apply_overrides(config.limits);
  return config;
}

std::expected<Config, std::string> user_config() {
  Config defaults;
  apply_overrides(defaults.limits);
  const std::filesystem::path folder = user_folder();
  std::error_code ec;
  if (folder.empty() || !std::filesystem::exists(folder / kUserSettings, ec)) return defaults;
  const std::filesystem::path file = folder / kUserSettings;
  if (auto why = toolchain::changeable_by_others(file); !why.empty())
    return std::unexpected("the settings in " + file.string() + " are not used: " + why);
  auto text = read_file(file, kMostSettings);
  if (!text) return std::unexpected(text.error());
  return parse_config(*text, file.string(), Owner::User);
}

std::filesystem::path config_file(const std::filesystem::path& script) {
  std::error_code ec;
  std::filesystem::path folder = real_path(script, ec).parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    std::filesystem::path file = folder / "tilewright.toml";
    // Also what is no plain file, or a link that leads to none: reading it says what it is.
    if (std::filesystem::exists(std::filesystem::symlink_status(file, ec))) return file;
    file = folder / kPyproject;
    if (std::filesystem::is_regular_file(file, ec) && speaks_of_us(file)) return file;
    if (folder == folder.root_path()) break;
  }
  return {};
}

std::expected<Config, std::string> find_config(const std::filesystem::path& script) {
  auto config = user_config();
  if (!config) return config;
  const std::filesystem::path file = config_file(script);
  if (!file.empty()) {
    auto own = read_project(file, *config);
    if (!own) return own;
    add_remotes_of(*config, *own);
    own->file = file;
    config = std::move(own);
  }
  config->dialect = around(script, std::move(config->dialect));
  if (auto ok = replace_remotes(*config, script); !ok) return std::unexpected(ok.error());
  return config;
}

std::expected<Config, std::string> KnownConfigs::find(const std::filesystem::path& script) {
  std::error_code ec;
  const std::filesystem::path folder = real_path(script, ec).parent_path();
  if (ec || !overrides().remotes.empty()) return find_config(script);  // those are held against each script
  {
    std::lock_guard lock(mutex_);
    if (auto known = by_folder_.find(folder); known != by_folder_.end()) return known->second;
  }
  auto found = find_config(script);
  std::lock_guard lock(mutex_);
  return by_folder_.try_emplace(folder, std::move(found)).first->second;
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
