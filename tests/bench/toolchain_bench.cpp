// What a compilation costs: the first in a fresh helper, later ones in a warm helper, from the cache, and a
// disassembly.
//
// toolchain_bench CUDA HELPER [ARCH]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "compiler/toolchain/toolchain.h"

using namespace tilewright::toolchain;

namespace {

double milliseconds(const std::function<bool()>& work) {
  auto start = std::chrono::steady_clock::now();
  if (!work()) std::exit(2);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::string folder = (std::filesystem::temp_directory_path() / "tilewright-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  Options options;
  options.cuda_candidates = {argv[1]};
  options.cache.folder = folder;
  options.helper = argv[2];
  options.helper_arguments = {};
  Toolchain toolchain(options);
  auto request = [&](int number) {
    Request made;
    if (argc > 3) made.arch = argv[3];
    made.cuda_source =
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void k(half* a, const half* b) { a[threadIdx.x] = b[threadIdx.x] * (half)" +
        std::to_string(number) + ".0f; }\n";
    return made;
  };
  auto compile = [&](int number, bool sass) {
    Request made = request(number);
    made.want_sass = sass;
    auto result = toolchain.compile(made);
    if (!result) std::fprintf(stderr, "%s\n%s\n", result.error().message.c_str(), result.error().log.c_str());
    return result.has_value();
  };
  std::printf("first program, helper started: %.1f ms\n", milliseconds([&] { return compile(0, false); }));
  std::vector<double> warm, cached, sass;
  for (int i = 1; i <= 20; ++i) warm.push_back(milliseconds([&] { return compile(i, false); }));
  for (int i = 1; i <= 20; ++i) cached.push_back(milliseconds([&] { return compile(i, false); }));
  for (int i = 1; i <= 5; ++i) sass.push_back(milliseconds([&] { return compile(i, true); }));
  std::printf("later programs, warm helper: median %.1f ms\n", median(warm));
  std::printf("from the cache: median %.3f ms\n", median(cached));
  std::printf("SASS of a cached cubin: median %.1f ms\n", median(sass));
  std::filesystem::remove_all(folder);
}
