// The statement at which a compiler ends its process.
#include <algorithm>

#include "compiler/toolchain/crash_site.h"
#include "tests/unit/catch.h"

using namespace tilewright::toolchain;

namespace {

constexpr std::string_view kSource = R"(#include <cstdint>
__forceinline__ __device__ void add(uint32_t& d, uint32_t a) {
  asm("add.u32 %0, %1, 1;" : "=r"(d) : "r"(a));
}

__forceinline__ __device__ void odd(const void* a) {
  asm volatile("prefetch.local.L1 [%0];" :  : "l"(a) : "memory");
}

__forceinline__ __device__ void last(uint32_t& d) {
  asm volatile("{ .reg .pred p; mov.u32 %0, (1); }" : "=r"(d));
}

extern "C" __global__ void k(uint32_t* b) {
  uint32_t x;
  add(x, 1);
  odd(b);
  last(x);
  odd(b + 1);
}
)";

}  // namespace

TEST_CASE("crash site: the statement without which there is no crash, at the lines that call its function") {
  int asked = 0;
  const auto found = crash_site(kSource, [&](const std::string& text) -> std::optional<bool> {
    ++asked;
    CHECK(std::ranges::count(text, '\n') == std::ranges::count(kSource, '\n'));
    CHECK(text.contains("extern \"C\" __global__"));
    return text.contains("prefetch.local.L1");
  });
  REQUIRE(found);
  CHECK(found->message == "prefetch.local.L1");
  CHECK(found->cuda_line == 17);
  CHECK(found->chain == std::vector<std::uint32_t>{17, 19});
  CHECK(asked <= 4);
}

TEST_CASE("crash site: none where the program crashes without any statement, or may not be tried again") {
  CHECK_FALSE(crash_site(kSource, [](const std::string&) { return std::optional(true); }));
  CHECK_FALSE(crash_site(kSource, [](const std::string&) { return std::optional<bool>(); }));
  CHECK_FALSE(crash_site("int main() {}", [](const std::string&) { return std::optional(true); }));
}

TEST_CASE("crash site: a statement in the kernel itself is its own line") {
  constexpr std::string_view kInline = "extern \"C\" __global__ void k() {\n  asm volatile(\"bar.sync 0;\");\n}\n";
  const auto found =
      crash_site(kInline, [](const std::string& text) { return std::optional(text.contains("bar.sync")); });
  REQUIRE(found);
  CHECK(found->cuda_line == 2);
}
