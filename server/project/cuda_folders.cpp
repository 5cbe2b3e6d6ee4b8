#include "server/project/cuda_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "compiler/toolchain/owned_path.h"
#include "server/project/checkout.h"

namespace tilewright::project {
namespace fs = std::filesystem;

namespace {

// The folders of packages that this binary's own wheel may have been installed to, for a binary in BIN: the
// environment's (site-packages, on Debian's system Python dist-packages), or the folder of `pip install --target`
// itself.
std::vector<fs::path> package_folders(const fs::path& bin) {
  std::vector<fs::path> out{bin.parent_path()};
  for (const char* lib : {"lib", "lib64"}) {
    std::error_code ec;
    std::vector<fs::path> pythons;
    for (fs::directory_iterator it(bin.parent_path() / lib, ec), end; !ec && it != end; it.increment(ec)) {
      if (it->path().filename().string().starts_with("python3")) pythons.push_back(it->path());
    }
    std::ranges::sort(pythons, std::greater<>());  // of several the same one each time
    for (const fs::path& python : pythons) {
      for (const char* packages : {"site-packages", "dist-packages"}) out.push_back(python / packages);
    }
  }
  return out;
}

// True if the wheel of this very version was installed there and its RECORD lists bin/tilewright: only then NVIDIA's
// wheels beside it came with it. A user who can write that record can also replace the binary that it lists.
bool holds_own_wheel(const fs::path& packages) {
  std::error_code ec;
  if (!fs::is_directory(packages / "nvidia", ec) || !fs::is_regular_file(packages / "tilewright/__init__.py", ec))
    return false;
  std::ifstream record(packages / "tilewright-" TILEWRIGHT_VERSION ".dist-info" / "RECORD");
  for (std::string line; std::getline(record, line);) {
    std::string_view path = std::string_view(line).substr(0, line.find(','));
    while (path.starts_with("../")) path.remove_prefix(3);
    if (path == "bin/tilewright") return true;
  }
  return false;
}

// The checkout that `self` was built in; empty when it lies elsewhere, or was packaged.
fs::path own_checkout(const fs::path& self) {
  const std::string text = built_in();
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return {};
  const fs::path build = text.substr(end + 1);
  const auto [rest, _] = std::ranges::mismatch(build, self);
  return rest == build.end() ? fs::path(text.substr(0, end)) : fs::path();
}

}  // namespace

std::vector<CudaFolder> cuda_folders() {
  std::vector<CudaFolder> out;
  if (const char* home = std::getenv("CUDA_HOME"); home && *home) out.push_back({home, "CUDA_HOME"});
  std::error_code ec;
  const fs::path self = fs::read_symlink("/proc/self/exe", ec);
  if (!ec && self.parent_path().filename() == "bin") {
    for (const fs::path& packages : package_folders(self.parent_path()))
      if (holds_own_wheel(packages)) out.push_back({packages, "beside its own wheel"});
  }
  if (const fs::path checkout = ec ? fs::path() : own_checkout(self); !checkout.empty()) {
    std::vector<fs::path> found;
    for (fs::directory_iterator it(checkout / ".cuda/nvidia", ec), end; !ec && it != end; it.increment(ec))
      if (it->path().filename().string().starts_with("cu")) found.push_back(it->path());
    std::ranges::sort(found, std::greater<>());
    for (fs::path& folder : found) out.push_back({std::move(folder), "the checkout it was built in"});
  }
  out.push_back({"/usr/local/cuda", "the usual place"});
  return out;
}

// In those folders, on the PATH, in /opt/nvidia/nsight-compute.
static fs::path ncu_program() {
  std::vector<fs::path> places;
  for (const CudaFolder& candidate : cuda_folders())
    if (candidate.folder.is_absolute()) places.push_back(candidate.folder / "bin");
  const char* path = std::getenv("PATH");
  std::istringstream list(path ? path : "");
  for (std::string folder; std::getline(list, folder, ':');)
    if (fs::path(folder).is_absolute()) places.emplace_back(folder);
  std::error_code ec;
  std::vector<fs::path> installed;
  for (fs::directory_iterator it("/opt/nvidia/nsight-compute", ec), end; !ec && it != end; it.increment(ec))
    installed.push_back(it->path());
  std::ranges::sort(installed, std::greater<>());
  places.insert(places.end(), installed.begin(), installed.end());
  for (const fs::path& place : places)
    if (::access((place / "ncu").c_str(), X_OK) == 0 && toolchain::changeable_by_others(place / "ncu").empty())
      return place / "ncu";
  return {};
}

std::vector<std::string> cupti_libraries() {
  constexpr const char* kBelow[] = {"extras/CUPTI/lib64", "lib64", "lib", "nvidia/cu13/lib", "nvidia/cuda_cupti/lib"};
  constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};
  std::vector<std::string> out;
  for (const CudaFolder& candidate : cuda_folders()) {
    for (const char* name : kNames) {
      for (const char* below : kBelow) {
        const fs::path file = candidate.folder / below / name;
        std::error_code ec;
        if (file.is_absolute() && fs::exists(file, ec) && toolchain::changeable_by_others(file).empty())
          out.push_back(file.string());
      }
    }
  }
  for (const char* name : kNames) out.emplace_back(name);
  if (const fs::path program = ncu_program(); !program.empty()) out.push_back(program.string());
  return out;
}

std::vector<uid_t> cuda_owners() {
  std::vector<uid_t> out;
  const char* names = std::getenv("TILEWRIGHT_CUDA_OWNERS");
  std::istringstream list(names ? names : "");
  for (std::string name; std::getline(list, name, ',');) {
    uid_t number = 0;
    const auto [end, ec] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (ec == std::errc() && end == name.data() + name.size())
      out.push_back(number);
    else if (const passwd* user = ::getpwnam(name.c_str()))
      out.push_back(user->pw_uid);
  }
  return out;
}

}  // namespace tilewright::project
