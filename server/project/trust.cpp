#include "server/project/trust.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "compiler/toolchain/digest.h"
#include "compiler/toolchain/record.h"
#include "server/project/files.h"
#include "server/project/user.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostBytes = 1u << 20;
constexpr std::string_view kFolder = "trusted";

std::string name_of(const fs::path& settings, std::string_view content) {
  return toolchain::hex(toolchain::sha256(
      toolchain::encode({{"consent", "1"}, {"settings", settings.string()}, {"content", std::string(content)}})));
}

std::expected<fs::path, std::string> store() {
  auto folder = private_folder(kFolder);
  if (!folder) return std::unexpected("no consent can be kept: " + folder.error());
  return folder;
}

// The consent in this file; nothing: it is none of ours.
std::optional<Trusted> consent_in(const fs::path& file) {
  struct stat s{};
  if (::lstat(file.c_str(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != ::geteuid()) return std::nullopt;
  if ((s.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  auto bytes = read_file(file, kMostBytes);
  auto record = bytes ? toolchain::decode(*bytes) : std::nullopt;
  if (!record) return std::nullopt;
  return Trusted{std::string(toolchain::field(*record, "settings")), toolchain::take(*record, "shown"),
                 file.filename().string()};
}

}  // namespace

std::expected<bool, std::string> is_trusted(const fs::path& settings, std::string_view content) {
  const fs::path user = user_folder();
  if (user.empty()) return false;
  std::error_code ec;
  const fs::path kept = user / kFolder / name_of(settings, content);
  if (!fs::exists(kept, ec)) return false;
  if (leads_through(kept, checkout_of(settings)))
    return std::unexpected("consents in " + kept.parent_path().string() + " count for nothing: the folder lies in " +
                           checkout_of(settings).string() + " itself");
  auto folder = store();
  if (!folder) return std::unexpected(folder.error());
  const auto consent = consent_in(kept);
  return consent && consent->settings == settings;
}

std::expected<void, std::string> trust(const fs::path& settings, std::string_view content, std::string_view shown) {
  auto folder = store();
  if (!folder) return std::unexpected(folder.error());
  if (leads_through(*folder, checkout_of(settings)))
    return std::unexpected("no consent can be kept: " + folder->string() + " lies in " +
                           checkout_of(settings).string() + " itself");
  const std::string bytes = toolchain::encode({{"settings", settings.string()}, {"shown", std::string(shown)}});
  std::string temporary = (*folder / "new.XXXXXX").string();
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return std::unexpected("cannot write into " + folder->string() + ": " + std::strerror(errno));
  const bool whole = ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  const fs::path kept = *folder / name_of(settings, content);
  if (::close(fd) != 0 || !whole || ::rename(temporary.c_str(), kept.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(temporary.c_str());
    return std::unexpected("cannot write " + kept.string() + ": " + why);
  }
  return {};
}

std::expected<std::vector<Trusted>, std::string> all_trusted() {
  auto folder = store();
  if (!folder) return std::unexpected(folder.error());
  std::vector<Trusted> out;
  std::error_code ec;
  for (fs::directory_iterator it(*folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().filename().string().size() != 2 * sizeof(toolchain::Digest)) continue;
    if (auto consent = consent_in(it->path())) out.push_back(std::move(*consent));
  }
  std::ranges::sort(out, [](const Trusted& a, const Trusted& b) {
    return a.settings != b.settings ? a.settings < b.settings : a.digest < b.digest;
  });
  return out;
}

std::expected<std::size_t, std::string> revoke(const fs::path& settings) {
  auto all = all_trusted();
  if (!all) return std::unexpected(all.error());
  std::size_t gone = 0;
  for (const Trusted& t : *all) {
    if (t.settings != settings) continue;
    const fs::path kept = user_folder() / kFolder / t.digest;
    if (::unlink(kept.c_str()) != 0 && errno != ENOENT)
      return std::unexpected("cannot remove " + kept.string() + ": " + std::strerror(errno));
    ++gone;
  }
  return gone;
}

}  // namespace tilewright::project
