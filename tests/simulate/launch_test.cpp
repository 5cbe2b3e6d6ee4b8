// Launches that thread bindings describe: every element gets its value, and a barrier meets all threads of a CTA.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

std::string launching(const std::string& body) {
  return "from tvm.script import tirx as T\n\n@T.prim_func\n"
         "def kernel(A: T.Buffer((512,), \"int32\"), B: T.Buffer((512,), \"int32\")):\n" +
         body;
}

// B[i] = A[511 - i], every CTA through its own shared memory.
constexpr const char* kBody = R"(
            S = T.alloc_shared((128,), "int32")
            S[tx] = A[511 - bx * 128 - tx]
            T.cuda.cta_sync()
            B[bx * 128 + 127 - tx] = S[127 - tx]
)";

void check_reversed(const std::string& text) {
  const Numbers b = result_of(text);
  for (int i = 0; i < 512; ++i) CHECK(b({i}) == 512 - i);
}

}  // namespace

TEST_CASE("thread-bound loops, with and without T.device_entry()") {
  const std::string loops = std::string(R"(
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(128, thread="threadIdx.x"):)") +
                            kBody;
  check_reversed(launching(loops));
  check_reversed(launching("    T.device_entry()\n" + loops));
}

TEST_CASE("two dimensions of threads, the higher one outside") {
  check_reversed(launching(std::string(R"(
    for bx in T.thread_binding(4, thread="blockIdx.x"):
      for ty in T.thread_binding(2, thread="threadIdx.y"):
        for t in T.thread_binding(64, thread="threadIdx.x"):
            tx = T.meta_var(ty * 64 + t))") +
                           kBody));
}

TEST_CASE("T.launch_thread flat, as a region, and beside scope ids") {
  check_reversed(launching(std::string(R"(
    with T.launch_thread("blockIdx.x", 4) as bx:
        with T.launch_thread("threadIdx.x", 128) as tx:)") +
                           kBody));
  check_reversed(launching(std::string(R"(
    bx = T.launch_thread("blockIdx.x", 4)
    T.device_entry()
    for t in T.thread_binding(128, thread="threadIdx.x"):
        tx = T.meta_var(t)
        if True:)") + kBody));
  check_reversed(launching(std::string(R"(
    T.device_entry()
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", 128)
    if warp < 4:
        if lane >= 0:)") + kBody));
}

TEST_CASE("a tile primitive under bindings") {
  check_reversed(launching(R"(
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(128, thread="threadIdx.x"):
            S = T.alloc_shared((128,), "int32")
            T.cta.copy(S[:], A[384 - bx * 128 : 512 - bx * 128])
            T.cuda.cta_sync()
            B[bx * 128 + tx] = S[127 - tx]
)"));
}
