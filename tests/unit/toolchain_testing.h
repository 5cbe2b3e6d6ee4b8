// What the toolchain's tests share: the CUDA that is here, and options that use it and a scratch folder.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/toolchain/toolchain.h"
#include "tests/unit/scratch.h"

namespace tilewright::toolchain::testing {

using tilewright::testing::Scratch;

inline std::vector<std::filesystem::path> cuda_candidates() {
  const char* home = std::getenv("CUDA_HOME");  // a checkout may borrow another's
  return {home ? home : "", std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / ".cuda", "/usr/local/cuda"};
}

// Tests that need NVRTC pass with a notice where there is none.
inline bool have_cuda(const char* test) {
  auto candidates = cuda_candidates();
  auto found = find_cuda(candidates);
  if (!found) std::printf("skipped %s: %s\n", test, found.error().c_str());
  return found.has_value();
}

inline Options options_in(const std::filesystem::path& cache) {
  Options options;
  options.cuda_candidates = cuda_candidates();
  options.cache.folder = cache;
  options.helper = TOOLCHAIN_HELPER;
  options.helper_arguments = {};
  return options;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace tilewright::toolchain::testing
