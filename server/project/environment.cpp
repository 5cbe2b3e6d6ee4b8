#include "server/project/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

namespace tilewright::project {
namespace fs = std::filesystem;

namespace {

// Where pip puts NVIDIA's wheels when it puts this binary into BIN: the environment's own packages (site-packages, on
// Debian's system Python dist-packages), or the folder of `--target` itself. `find_cuda` knows what lies below them.
std::vector<fs::path> packages_beside(const fs::path& bin) {
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
  std::erase_if(out, [](const fs::path& p) {
    std::error_code ec;
    return !fs::is_directory(p / "nvidia", ec);
  });
  return out;
}

std::function<std::shared_ptr<toolchain::SharedStore>()>& opener() {
  static std::function<std::shared_ptr<toolchain::SharedStore>()> open;
  return open;
}
std::shared_ptr<toolchain::SharedStore> shared_store() {
  static const std::shared_ptr<toolchain::SharedStore> store = opener() ? opener()() : nullptr;
  return store;
}

}  // namespace

void share_cache(std::function<std::shared_ptr<toolchain::SharedStore>()> open) { opener() = std::move(open); }

toolchain::Options toolchain_options() {
  toolchain::Options options;
  auto add = [&](const fs::path& p) { options.cuda_candidates.push_back(p); };
  if (const char* home = std::getenv("CUDA_HOME"); home && *home) add(home);
  std::error_code ec;
  fs::path self = fs::read_symlink("/proc/self/exe", ec);
  if (!ec && self.parent_path().filename() == "bin") {
    for (const fs::path& packages : packages_beside(self.parent_path())) add(packages);
  }
  for (fs::path p = self.parent_path(); !ec && !p.empty(); p = p.parent_path()) {  // the checkout's own .cuda
    for (fs::directory_iterator it(p / ".cuda" / "nvidia", ec), end; !ec && it != end;
         it.increment(ec)) {  // .cuda/nvidia/cu13
      if (it->path().filename().string().starts_with("cu")) add(it->path());
    }
    ec.clear();
    if (p == p.root_path()) break;
  }
  add("/usr/local/cuda");
  const char* cache = std::getenv("XDG_CACHE_HOME");  // a relative one is to be ignored (XDG base directories)
  const char* home = std::getenv("HOME");
  // Nowhere else: in a folder that everybody may write to, others could put what we would take for our own.
  const fs::path base = cache && *cache == '/' ? fs::path(cache)
                        : home && *home == '/' ? fs::path(home) / ".cache"
                                               : fs::path();
  if (!base.empty()) options.cache.folder = base / "tilewright" / "artifacts";
  options.cache.shared = shared_store();
  return options;
}

std::string wrong_cuda_home(const toolchain::Options& options) {
  const char* home = std::getenv("CUDA_HOME");
  if (!home || !*home) return {};
  const fs::path named[] = {home};
  auto there = toolchain::find_cuda(named);
  if (there) return {};
  auto used = toolchain::find_cuda(options.cuda_candidates);
  return "CUDA_HOME is set, and there is " + there.error() + "; " +
         (used ? used->root.string() + " is used instead" : std::string("there is no other"));
}

std::uint64_t random_bits() {
  std::uint64_t out = 0;
  if (::getentropy(&out, sizeof out) != 0) throw std::system_error(errno, std::generic_category(), "getentropy");
  return out;
}

run::GpuOptions gpu_options() {
  run::GpuOptions options;
  for (char** v = environ; *v; ++v) options.environment.emplace_back(*v);
  return options;
}

}  // namespace tilewright::project
