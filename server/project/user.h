// What belongs to the user and to no repository: the folder of settings, what the command line says over every
// settings file, and where a checkout begins and ends.
#pragma once
#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::project {

// $XDG_CONFIG_HOME/tilewright, else ~/.config/tilewright; empty: neither is an absolute path.
std::filesystem::path user_folder();
// Its file of settings, in the form of tilewright.toml: [limits], [remotes] and [pools].
inline constexpr std::string_view kUserSettings = "config.toml";

// The folder below the user's, made with mode 0700. The error says why it cannot be used: others may change it, say.
std::expected<std::filesystem::path, std::string> private_folder(std::string_view name);

// The key of the digests of what is kept between processes: TILEWRIGHT_CACHE_KEY, else `cache.key` in the user's
// folder, which is made once with mode 0600. The error says why there is none.
std::expected<std::string, std::string> cache_key();
// Why `cache_key` would fail, as far as that can be seen without making a file; empty: nothing is in its way.
std::string wrong_with_cache_key();

// The file in its canonical folder; a link in its own place stays.
std::filesystem::path place_of_file(const std::filesystem::path& file);
// The checkout that a file belongs to: the nearest folder above it with a .git folder, else the furthest with a .git
// file (of a submodule or a worktree); the file's own folder where there is neither. Links on the way are followed, one
// in the place of the file itself is not: it belongs to the checkout that it lies in.
std::filesystem::path checkout_of(const std::filesystem::path& file);
// Is `path` the folder `root` or below it? Both are canonical.
bool lies_below(const std::filesystem::path& path, const std::filesystem::path& root);
// Does any part of the way to `path` lead through `root` (canonical), by its words or by links?
bool leads_through(const std::filesystem::path& path, const std::filesystem::path& root);

// Settings of the command line, which hold over those of files. Set before there are threads.
struct Overrides {
  std::filesystem::path remotes;                // --remotes, else TILEWRIGHT_REMOTES; empty: neither
  std::map<std::string, std::uint64_t> limits;  // --limit NAME=NUMBER
};
const Overrides& overrides();
void set_remotes(const std::filesystem::path& file);
// The error says what is wrong with NAME=NUMBER.
std::expected<void, std::string> set_limit(std::string_view words);
// The same as words of a command line, for a process of ours that is to follow them.
std::vector<std::string> override_words();

}  // namespace tilewright::project
