#include "server/project/environment.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

#include "server/project/console.h"
#include "server/project/cuda_folders.h"
#include "server/project/user.h"

namespace tilewright::project {
namespace fs = std::filesystem;

namespace {

std::function<std::shared_ptr<toolchain::SharedStore>()>& opener() {
  static std::function<std::shared_ptr<toolchain::SharedStore>()> open;
  return open;
}
std::shared_ptr<toolchain::SharedStore> shared_store() {
  static const std::shared_ptr<toolchain::SharedStore> store = opener() ? opener()() : nullptr;
  return store;
}

// Of what several caches of a process have to say, the first.
void say_once(const std::string& what) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) sayf(stderr, "tilewright: %s\n", what.c_str());
}

}  // namespace

void share_cache(std::function<std::shared_ptr<toolchain::SharedStore>()> open) { opener() = std::move(open); }

toolchain::Options toolchain_options() {
  toolchain::Options options;
  for (CudaFolder& place : cuda_folders()) options.cuda_candidates.push_back(std::move(place.folder));
  const char* cache = std::getenv("XDG_CACHE_HOME");  // a relative one is to be ignored (XDG base directories)
  const char* home = std::getenv("HOME");
  // Nowhere else: in a folder that all users may write to, others could put what we would take for our own.
  const fs::path base = cache && *cache == '/' ? fs::path(cache)
                        : home && *home == '/' ? fs::path(home) / ".cache"
                                               : fs::path();
  options.cache.told = say_once;
  if (const char* key = std::getenv("TILEWRIGHT_CACHE_KEY"); key && *key) options.cache.shared_key = key;
  options.cache.find_key = [] { return cache_key(); };
  if (!base.empty()) options.cache.folder = base / "tilewright" / "artifacts";
  options.cache.shared = shared_store();
  return options;
}

std::string python_interpreter() {
  const char* named = std::getenv("TILEWRIGHT_PYTHON");
  return named && *named ? named : "python3";
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
  options.profilers = cupti_libraries();
  for (char** v = environ; *v; ++v) {
    if (!std::string_view(*v).starts_with("TILEWRIGHT_CACHE_KEY=")) options.environment.emplace_back(*v);
  }
  return options;
}

}  // namespace tilewright::project
