// The real compiler, in its helper process: what it makes, and what it cannot do to us.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

#include "compiler/toolchain/elf.h"
#include "compiler/toolchain/helper_process.h"
#include "compiler/toolchain/line_map.h"
#include "compiler/toolchain/toolchain.h"
#include "tests/unit/catch.h"
#include "tests/unit/toolchain_testing.h"

namespace tilewright::toolchain {
namespace {

using namespace std::chrono_literals;
using testing::have_cuda;
using testing::options_in;
using testing::Scratch;
using Clock = std::chrono::steady_clock;

constexpr const char* kCopy = R"(#include <cuda_fp16.h>
__device__ __forceinline__ void copy_128b(void* d, const void* s) {
  *(uint4*)d = *(const uint4*)s;
}
extern "C" __global__ void __launch_bounds__(128) copy_kernel(half* __restrict__ A, half* __restrict__ B) {
  __shared__ alignas(64) half tile[1024];
  copy_128b(&tile[threadIdx.x * 8], &A[threadIdx.x * 8]);
  __syncthreads();
  copy_128b(&B[threadIdx.x * 8], &tile[(threadIdx.x ^ 1) * 8]);
}
)";

// Runs for many seconds: unrolling a million calls.
constexpr const char* kSlow = R"(
extern "C" __global__ void slow_kernel(float* A) {
  float x = A[0];
#pragma unroll
  for (int i = 0; i < 1000; ++i)
#pragma unroll
    for (int j = 0; j < 1000; ++j) x = sinf(x * A[i * j]) + A[i + j];
  A[0] = x;
}
)";

// Each level instantiates two of the next: 2^40 types.
constexpr const char* kBomb = R"(
template <int N, class... T> struct Tree : Tree<N - 1, T..., int>, Tree<N - 1, T..., float> {};
template <class... T> struct Tree<0, T...> { int value[sizeof...(T)]; };
extern "C" __global__ void bomb_kernel(int* A) { A[0] = sizeof(Tree<40>); }
)";

Request request_of(const char* source, const char* arch = "sm_90a") {
  Request request;
  request.cuda_source = source;
  request.arch = arch;
  return request;
}

TEST_CASE("without CUDA a compilation says where it was looked for") {
  Options options;
  options.cuda_candidates = {"/nonexistent/cuda"};
  auto result = Toolchain(options).compile(request_of(kCopy));
  REQUIRE(!result);
  CHECK(result.error().kind == Error::Kind::NoCuda);
  CHECK(result.error().message.find("/nonexistent/cuda: no such folder") != std::string::npos);
}

TEST_CASE("CUDA is found in a toolkit's layout, in unpacked wheels, and nowhere else") {
  Scratch scratch;
  auto make = [&](const char* file) {
    std::filesystem::path path = scratch.path() / file;
    std::filesystem::create_directories(path.parent_path());
    testing::write_file(path, "x");
  };
  std::vector<std::filesystem::path> candidates{"", scratch.path() / "a", scratch.path() / "b", scratch.path() / "c"};
  make("a/lib64/libnvrtc.so.13");
  make("a/lib64/libnvrtc-builtins.so.13.0");
  auto none = find_cuda(candidates);
  REQUIRE(!none);
  CHECK(none.error().find("a: no include/cuda_fp16.h") != std::string::npos);
  CHECK(none.error().find("c: no such folder") != std::string::npos);

  make("b/nvidia/cu13/lib/libnvrtc.so.12");
  make("b/nvidia/cu13/lib/libnvrtc.so.13");
  make("b/nvidia/cu13/lib/libnvrtc.so.13.0.88");
  make("b/nvidia/cu13/lib/libnvrtc.alt.so.13");
  make("b/nvidia/cu13/lib/libnvrtc-builtins.so.13.0");
  make("b/nvidia/cu13/include/cuda_fp16.h");
  make("b/nvidia/cu13/bin/nvdisasm");
  make("b/nvidia/cu13/include/cccl/cuda/std");
  testing::write_file(scratch.path() / "b/nvidia/cu13/include/cuda.h", "#define CUDA_VERSION 13000\n");
  auto wheels = find_cuda(candidates);
  REQUIRE(wheels);
  CHECK(wheels->nvrtc.filename() == "libnvrtc.so.13");
  CHECK(wheels->includes.size() == 2);
  CHECK(wheels->nvdisasm.filename() == "nvdisasm");
  CHECK(wheels->version == "13.0");

  make("a/include/cuda_fp16.h");
  auto toolkit = find_cuda(candidates);
  REQUIRE(toolkit);
  CHECK(toolkit->root == scratch.path() / "a");
  CHECK(toolkit->nvdisasm.empty());
  CHECK(identity_of_disassembler(*toolkit).empty());
  CHECK(identity_of_compiler(*toolkit) != identity_of_compiler(*wheels));
}

TEST_CASE("a toolkit without nvdisasm still gives PTX and cubin, and says why there is no SASS") {
  if (!have_cuda("no nvdisasm")) return;
  Scratch scratch;
  auto candidates = testing::cuda_candidates();
  auto real = find_cuda(candidates);
  std::filesystem::create_symlink(real->nvrtc.parent_path(), scratch.path() / "lib");
  std::filesystem::create_symlink(real->includes[0], scratch.path() / "include");
  Options options = options_in({});
  options.cuda_candidates = {scratch.path()};
  Request request = request_of(kCopy);
  request.want_sass = true;
  auto result = Toolchain(options).compile(request);
  REQUIRE(result);
  CHECK(!result->cubin.empty());
  CHECK(result->sass.empty());
  CHECK(result->sass_missing.find("nvdisasm") != std::string::npos);
}

TEST_CASE("every architecture gives PTX, a cubin, SASS and resources") {
  if (!have_cuda("architectures")) return;
  Scratch scratch;
  Toolchain toolchain(options_in(scratch.path()));
  for (const char* arch : {"sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a"}) {
    INFO(arch);
    Request request = request_of(kCopy, arch);
    request.want_sass = !toolchain.cuda()->nvdisasm.empty();
    auto result = toolchain.compile(request);
    if (!result) FAIL(result.error().message << "\n" << result.error().log);
    CHECK(result->ptx.find(std::string(".target ") + arch) != std::string::npos);
    CHECK(!elf_sections(result->cubin).empty());
    CHECK(result->entries.empty());
    REQUIRE(result->kernels.size() == 1);
    const KernelResources& kernel = result->kernels[0];
    CHECK(kernel.name == "copy_kernel");
    CHECK(kernel.registers >= 8);
    CHECK(kernel.static_shared >= 2048);
    CHECK(kernel.barriers >= 1);
    CHECK(kernel.spill_stores == 0);
    CHECK(kernel.code >= 128);
    CHECK(kernel.constant > 0);

    // Each 128-bit move is found from the call's line, in PTX and in SASS.
    LineMap ptx = read_ptx_lines(result->ptx);
    CHECK(!ptx.lines_of(7).empty());
    CHECK(!ptx.lines_of(9).empty());
    if (!request.want_sass) continue;
    LineMap sass = read_sass_lines(result->sass);
    std::vector<std::string_view> lines;
    for (std::string_view rest = result->sass; !rest.empty();) {
      std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      lines.push_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    auto has = [&](std::uint32_t cuda_line, std::string_view opcode) {
      for (std::uint32_t line : sass.lines_of(cuda_line)) {
        if (lines[line - 1].find(opcode) != std::string_view::npos) return true;
      }
      return false;
    };
    CHECK(has(7, "LDG.E.128"));
    CHECK(has(7, "STS.128"));
    CHECK(has(9, "LDS.128"));
    CHECK(has(9, "STG.E.128"));
    CHECK(!has(8, "LDS.128"));
    CHECK(has(3, "STG.E.128"));  // inside the inlined function
  }
}

TEST_CASE("the second time comes from the cache, in this process and in the next, and is the same") {
  if (!have_cuda("cache")) return;
  Scratch scratch;
  Request request = request_of(kCopy);
  Artifacts first;
  {
    Toolchain toolchain(options_in(scratch.path()));
    auto result = toolchain.compile(request);
    REQUIRE(result);
    CHECK(!result->from_cache);
    first = *result;
    CHECK(toolchain.compile(request)->from_cache);
    Request other = request;
    other.options.push_back("-DX");
    CHECK(!toolchain.compile(other)->from_cache);
  }
  Toolchain toolchain(options_in(scratch.path()));
  auto again = toolchain.compile(request);
  REQUIRE(again);
  CHECK(again->from_cache);
  CHECK(again->cubin == first.cubin);
  CHECK(again->ptx == first.ptx);
  CHECK(again->kernels.size() == first.kernels.size());
  CHECK(toolchain.counts().helpers_started == 0);
  // And what is made again is the same, byte for byte: nothing of the machine or the moment is in it.
  Scratch elsewhere;
  CHECK(Toolchain(options_in(elsewhere.path())).compile(request)->cubin == first.cubin);
}

TEST_CASE("a corrupt cubin is compiled again") {
  if (!have_cuda("corrupt")) return;
  Scratch scratch;
  Toolchain toolchain(options_in(scratch.path()));
  auto first = toolchain.compile(request_of(kCopy));
  REQUIRE(first);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path() / "entries")) {
    if (!entry.is_regular_file()) continue;
    std::string bytes = testing::read_file(entry.path());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
    testing::write_file(entry.path(), bytes);
  }
  auto again = toolchain.compile(request_of(kCopy));
  REQUIRE(again);
  CHECK(!again->from_cache);
  CHECK(again->cubin == first->cubin);
  CHECK(toolchain.counts().cache.corrupt == 1);
  CHECK(toolchain.compile(request_of(kCopy))->from_cache);
}

TEST_CASE("a program with errors gives them with line and column") {
  if (!have_cuda("errors")) return;
  Toolchain toolchain(options_in({}));
  auto result = toolchain.compile(request_of("extern \"C\" __global__ void k(float* A) {\n  A[0] = nothing;\n}\n"));
  REQUIRE(!result);
  CHECK(result.error().kind == Error::Kind::Compilation);
  REQUIRE(result.error().entries.size() == 1);
  CHECK(result.error().entries[0].cuda_line == 2);
  CHECK(result.error().entries[0].column == 10);
}

TEST_CASE("an instruction that the architecture lacks is reported on its CUDA line") {
  if (!have_cuda("ptxas")) return;
  Toolchain toolchain(options_in({}));
  auto result = toolchain.compile(request_of(R"(__device__ __forceinline__ void fence() {
  asm volatile("wgmma.fence.sync.aligned;");
}
extern "C" __global__ void k(float* A) {
  A[0] = 1;
  fence();
}
)",
                                             "sm_80"));
  REQUIRE(!result);
  CHECK(result.error().kind == Error::Kind::Compilation);
  REQUIRE(!result.error().entries.empty());
  const LogEntry& entry = result.error().entries[0];
  CHECK(entry.message.find("wgmma.fence") != std::string::npos);
  CHECK(entry.chain == std::vector<std::uint32_t>{2, 6});
}

TEST_CASE("a hang ends at the time limit and costs that request only") {
  if (!have_cuda("hang")) return;
  Options options = options_in({});
  options.time_limit = 4s;
  Toolchain toolchain(options);
  REQUIRE(toolchain.compile(request_of(kCopy)));
  auto pids = toolchain.helper_pids();
  REQUIRE(pids.size() == 1);
  ::kill(pids[0], SIGSTOP);
  auto start = Clock::now();
  auto result = toolchain.compile(request_of(kCopy));
  REQUIRE(!result);
  CHECK(result.error().kind == Error::Kind::Time);
  CHECK(Clock::now() - start < 60s);  // not for ever
  CHECK(toolchain.compile(request_of(kCopy)));
  CHECK(toolchain.counts().helpers_started == 2);
}

TEST_CASE("a program that takes too long ends at the time limit") {
  if (!have_cuda("slow")) return;
  Options options = options_in({});
  options.time_limit = 1s;
  Toolchain toolchain(options);
  auto result = toolchain.compile(request_of(kSlow));
  REQUIRE(!result);
  CHECK(result.error().kind == Error::Kind::Time);
  CHECK(result.error().message.find("1 s") != std::string::npos);
}

TEST_CASE("a compile bomb ends at a limit and costs that request only") {
  if (!have_cuda("bomb")) return;
  Options options = options_in({});
  options.time_limit = 120s;  // a slow machine takes a while to reach the memory limit
  options.memory_limit = 300ull << 20;
  options.helpers = 2;
  Toolchain toolchain(options);
  auto bomb = std::async(std::launch::async, [&] { return toolchain.compile(request_of(kBomb)); });
  // Others are served meanwhile.
  CHECK(toolchain.compile(request_of(kCopy)));
  auto result = bomb.get();
  REQUIRE(!result);
  INFO(result.error().message << result.error().log);
  CHECK(result.error().kind == Error::Kind::Memory);
  CHECK(toolchain.compile(request_of(kCopy)));
}

TEST_CASE("a helper killed between two requests is not noticed") {
  if (!have_cuda("killed idle")) return;
  Toolchain toolchain(options_in({}));
  REQUIRE(toolchain.compile(request_of(kCopy)));
  ::kill(toolchain.helper_pids().at(0), SIGKILL);
  CHECK(toolchain.compile(request_of(kCopy)));
  CHECK(toolchain.counts().helpers_lost == 1);
}

TEST_CASE("a helper killed in the middle costs that request") {
  if (!have_cuda("killed midway")) return;
  Toolchain toolchain(options_in({}));
  auto slow = std::async(std::launch::async, [&] { return toolchain.compile(request_of(kSlow)); });
  while (toolchain.helper_pids().empty()) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(100ms);
  ::kill(toolchain.helper_pids().at(0), SIGKILL);
  auto result = slow.get();
  REQUIRE(!result);
  CHECK(result.error().kind == Error::Kind::Crash);
  CHECK(result.error().message.find("Killed") != std::string::npos);
  CHECK(toolchain.compile(request_of(kCopy)));
}

TEST_CASE("a cancelled request ends at once, with its helper") {
  if (!have_cuda("stopped")) return;
  Options options = options_in({});
  options.helpers = 1;
  Toolchain toolchain(options);
  std::stop_source stop;
  auto ask = [&] {
    Request request = request_of(kSlow);
    request.stop = stop.get_token();
    return toolchain.compile(request);
  };
  auto working = std::async(std::launch::async, ask);
  while (toolchain.helper_pids().empty()) std::this_thread::sleep_for(1ms);
  auto waiting = std::async(std::launch::async, ask);  // for the one helper there may be
  std::this_thread::sleep_for(100ms);
  auto start = Clock::now();
  stop.request_stop();
  CHECK(working.get().error().kind == Error::Kind::Stopped);
  CHECK(waiting.get().error().kind == Error::Kind::Stopped);
  CHECK(Clock::now() - start < 60s);  // not for ever
  CHECK(toolchain.compile(request_of(kCopy)));
}

TEST_CASE("a helper ends with its parent, also in the middle of a compilation") {
  if (!have_cuda("orphan")) return;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  pid_t parent = ::fork();
  if (parent == 0) {
    Options options = options_in({});
    auto toolchain = std::make_shared<Toolchain>(options);
    std::thread([toolchain] { (void)toolchain->compile(request_of(kSlow)); }).detach();
    while (toolchain->helper_pids().empty()) std::this_thread::sleep_for(1ms);
    pid_t pid = toolchain->helper_pids().at(0);
    std::this_thread::sleep_for(200ms);
    if (::write(ready[1], &pid, sizeof(pid)) != sizeof(pid)) ::_exit(1);
    ::pause();
  }
  pid_t helper = 0;
  REQUIRE(::read(ready[0], &helper, sizeof(helper)) == sizeof(helper));
  REQUIRE(::kill(helper, 0) == 0);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  // The process that adopts it may not reap it: a zombie counts as ended.
  auto alive = [&] {
    std::string status = testing::read_file("/proc/" + std::to_string(helper) + "/stat");
    return !status.empty() && status.find(") Z") == std::string::npos;
  };
  auto patience = Clock::now() + 60s;
  while (alive() && Clock::now() < patience) std::this_thread::sleep_for(5ms);
  CHECK(!alive());
}

TEST_CASE("a program that is no helper is an error, not a hang") {
  if (!have_cuda("wrong helper")) return;
  Options options = options_in({});
  options.time_limit = 5s;
  SECTION("not there") { options.helper = "/nonexistent"; }
  SECTION("something else") { options.helper = "/bin/true"; }
  auto result = Toolchain(options).compile(request_of(kCopy));
  REQUIRE(!result);
  CHECK((result.error().kind == Error::Kind::Helper || result.error().kind == Error::Kind::Crash));
}

TEST_CASE("many threads share the helpers") {
  if (!have_cuda("threads")) return;
  Scratch scratch;
  Toolchain toolchain(options_in(scratch.path()));
  std::vector<std::future<bool>> results;
  for (int i = 0; i < 8; ++i) {
    results.push_back(std::async(std::launch::async, [&toolchain, i] {
      Request request = request_of(kCopy);
      request.cuda_source += "// " + std::to_string(i % 4);
      auto result = toolchain.compile(request);
      return result && !result->cubin.empty();
    }));
  }
  for (auto& result : results) CHECK(result.get());
  CHECK(toolchain.counts().helpers_started <= 2);
}

}  // namespace
}  // namespace tilewright::toolchain
