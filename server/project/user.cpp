#include "server/project/user.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/toolchain/digest.h"
#include "compiler/toolchain/owned_path.h"
#include "server/project/real_path.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

Overrides& changeable() {
  static Overrides all = [] {
    Overrides out;
    if (const char* file = std::getenv("TILEWRIGHT_REMOTES"); file && *file) out.remotes = file;
    return out;
  }();
  return all;
}

}  // namespace

fs::path user_folder() {
  if (const char* base = std::getenv("XDG_CONFIG_HOME"); base && *base == '/') return fs::path(base) / "tilewright";
  if (const char* home = std::getenv("HOME"); home && *home == '/') return fs::path(home) / ".config" / "tilewright";
  return {};
}

std::expected<fs::path, std::string> private_folder(std::string_view name) {
  const fs::path user = user_folder();
  if (user.empty())
    return std::unexpected("there is no folder of the user's settings: neither XDG_CONFIG_HOME nor HOME names one");
  std::error_code ec;
  fs::create_directories(user.parent_path(), ec);
  ::mkdir(user.c_str(), 0700);
  fs::path folder = user / name;
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return std::unexpected("cannot make " + folder.string() + ": " + std::strerror(errno));
  if (auto why = toolchain::changeable_by_others(folder); !why.empty()) return std::unexpected(std::move(why));
  if (!fs::is_directory(folder, ec)) return std::unexpected(folder.string() + " is no folder");
  return folder;
}

namespace {

constexpr std::size_t kLeastKey = 16;
constexpr const char* kKeyFolder = "keys";
constexpr const char* kKeyFile = "cache.key";

// Empty: the environment has none.
std::expected<std::string, std::string> key_of_environment() {
  const char* said = std::getenv("TILEWRIGHT_CACHE_KEY");
  const std::string_view key = said ? said : "";
  if (!key.empty() && key.size() < kLeastKey)
    return std::unexpected("TILEWRIGHT_CACHE_KEY is too short: a key has 16 letters or more (openssl rand -hex 32)");
  return std::string(key);
}

// The key in a file that no other user can read; empty: there is no file yet.
std::expected<std::string, std::string> key_in(const fs::path& file) {
  const process::Fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!opened && errno == ENOENT) return std::string();
  struct stat s{};
  std::string key;
  if (!opened || ::fstat(opened.get(), &s) != 0 || !S_ISREG(s.st_mode) || !process::read_all(opened.get(), key, 4096))
    return std::unexpected("cannot read " + file.string());
  if (s.st_uid != ::geteuid() || (s.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return std::unexpected(file.string() + " can be read or changed by other users: remove it, and another is made");
  while (key.ends_with('\n')) key.pop_back();
  if (key.size() < kLeastKey) return std::unexpected(file.string() + " holds no key: remove it, and another is made");
  return key;
}

std::expected<std::string, std::string> make_key(const fs::path& file) {
  std::array<char, 32> drawn{};
  if (::getentropy(drawn.data(), drawn.size()) != 0) return std::unexpected("no random bytes are to be had");
  std::string temporary = file.string() + ".XXXXXX";
  const process::Fd made(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  auto failed = [&] { return std::unexpected("cannot write " + file.string() + ": " + std::strerror(errno)); };
  if (!made) return failed();
  const std::string text = toolchain::hex(std::string_view(drawn.data(), drawn.size())) + "\n";
  // Of two processes that make one at the same time, the first one's counts.
  const bool linked =
      process::write_all(made.get(), text) && (::link(temporary.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const int saved = errno;
  ::unlink(temporary.c_str());
  errno = saved;
  if (!linked) return failed();
  return key_in(file);
}

}  // namespace

std::expected<std::string, std::string> cache_key() {
  auto given = key_of_environment();
  if (!given || !given->empty()) return given;
  const auto folder = private_folder(kKeyFolder);
  if (!folder) return std::unexpected(folder.error());
  const fs::path file = *folder / kKeyFile;
  auto known = key_in(file);
  return known && known->empty() ? make_key(file) : known;
}

std::string wrong_with_cache_key() {
  auto key = key_of_environment();
  if (!key) return key.error();
  if (!key->empty()) return {};
  const fs::path folder = user_folder() / kKeyFolder;
  std::error_code ec;
  if (!user_folder().empty() && !fs::exists(folder, ec)) return {};  // it is made with the first entry
  const auto there = private_folder(kKeyFolder);
  if (!there) return there.error();
  key = key_in(folder / kKeyFile);
  return key ? std::string() : key.error();
}

fs::path place_of_file(const fs::path& file) {
  std::error_code ec;
  const fs::path whole = fs::absolute(file, ec);
  return real_path(whole.parent_path(), ec) / whole.filename();
}

fs::path checkout_of(const fs::path& file) {
  std::error_code ec;
  const fs::path own = place_of_file(file).parent_path();
  fs::path found = own;
  for (fs::path p = own; !p.empty(); p = p.parent_path()) {
    const fs::file_status git = fs::symlink_status(p / ".git", ec);
    if (git.type() == fs::file_type::directory) return p;
    if (git.type() == fs::file_type::regular) found = p;
    if (p == p.root_path()) break;
  }
  return found;
}

bool lies_below(const fs::path& path, const fs::path& root) {
  auto [r, p] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return r == root.end() || (std::next(r) == root.end() && r->empty());
}

bool leads_through(const fs::path& path, const fs::path& root) {
  std::error_code ec;
  fs::path way;
  for (const fs::path& part : fs::absolute(path, ec)) {
    way /= part;
    const fs::path real = real_path(way, ec);
    if (ec || lies_below(real, root)) return true;
  }
  return false;
}

const Overrides& overrides() { return changeable(); }

void set_remotes(const fs::path& file) { changeable().remotes = file; }

std::expected<void, std::string> set_limit(std::string_view words) {
  const auto equals = words.find('=');
  const std::string_view name = words.substr(0, equals);
  const std::string_view text = equals == words.npos ? std::string_view() : words.substr(equals + 1);
  if (name != "steps" && name != "memory_mb" && name != "depth")
    return std::unexpected("--limit is steps=N, memory_mb=N or depth=N, not '" + std::string(words) + "'");
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr std::uint64_t kMost = 1'000'000'000'000, kMostMegabytes = 1 << 20, kDeepest = 1000;
  const std::uint64_t most = name == "steps" ? kMost : name == "depth" ? kDeepest : kMostMegabytes;
  if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > most)
    return std::unexpected("--limit " + std::string(name) + " is a number from 1 to " + std::to_string(most) +
                           ", not '" + std::string(text) + "'");
  changeable().limits[std::string(name)] = number;
  return {};
}

std::vector<std::string> override_words() {
  std::vector<std::string> out;
  std::error_code ec;
  if (!overrides().remotes.empty()) out = {"--remotes", fs::absolute(overrides().remotes, ec).string()};
  for (const auto& [name, number] : overrides().limits) {
    out.emplace_back("--limit");
    out.push_back(name + "=" + std::to_string(number));
  }
  return out;
}

}  // namespace tilewright::project
