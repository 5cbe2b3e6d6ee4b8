// Who fills and drains the buffers of a kernel, where instructions say it with descriptors and addresses of tensor
// memory.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "compiler/session/session.h"
#include "server/ide/pipeline.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

std::string example(const std::string& name) {
  std::ifstream in(std::string(TILEWRIGHT_SOURCE_DIR) + "/examples/" + name);
  std::stringstream text;
  text << in.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

struct Asked {
  session::Session session{[](const std::string&) { return nullptr; }};
  ide::Query query;
  explicit Asked(std::string text) {
    query.snapshot = session.open("/scripts/gemm.py", std::move(text), 1, std::make_shared<session::Settings>());
    query.open = {query.snapshot};
  }
  ide::Pipeline pipeline() {
    auto answer = ide::pipeline(query, "/scripts/gemm.py", "", "");
    REQUIRE(answer);
    return std::move(*answer);
  }
};

const ide::PipelineBuffer& buffer(const ide::Pipeline& p, std::string_view name) {
  auto found = std::ranges::find(p.buffers, name, &ide::PipelineBuffer::name);
  REQUIRE(found != p.buffers.end());
  return *found;
}

std::vector<std::string> whats(const std::vector<ide::PipelineUse>& uses) {
  std::vector<std::string> out;
  for (const ide::PipelineUse& u : uses) out.push_back(u.what);
  return out;
}

using Words = std::vector<std::string>;

// One warp multiplies what two descriptors point to; `between` stands behind them.
std::string multiplied(const std::string& between) {
  return R"(from tvm.script import tirx as T

# tilewright: arch sm_90a
@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (1,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    left = T.alloc_shared((64, 64), "float16")
    right = T.alloc_shared((8, 64), "float16")
    acc = T.alloc_local([4], "float32")
    desc = T.alloc_local([2], "uint64")
    T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([0]), left.ptr_to([0, 0]), 1, 64, 3)
    T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([1]), right.ptr_to([0, 0]), 1, 64, 3)
)" + between +
         R"(
    T.ptx.wgmma.mma_async.ss(desc[0], desc[1], acc[0], acc[1], acc[2], acc[3], M=64, N=8, K=16,
        in_dtype="float16", out_dtype="float32", transA=False, transB=False, scaleA=1.0, scaleB=1.0, scaleD=True)
    A[0] = acc[0]
)";
}

}  // namespace

TEST_CASE("what wgmma reads by descriptors is drained by it") {
  const ide::Pipeline p = Asked(example("wgmma_gemm.py")).pipeline();
  for (const char* name : {"a_tiles", "b_tiles"}) {
    CHECK(whats(buffer(p, name).fills) == Words{"copy_async → tma"});
    REQUIRE(whats(buffer(p, name).drains) == Words{"ptx.wgmma.mma_async.ss"});
    CHECK(buffer(p, name).drains[0].place.source);
    CHECK(buffer(p, name).fills[0].barrier == "pipe.full");
  }
}

TEST_CASE("each descriptor is told from its neighbour, and one that was made again points elsewhere") {
  ide::Pipeline p = Asked(multiplied("")).pipeline();
  CHECK(whats(buffer(p, "left").drains) == Words{"ptx.wgmma.mma_async.ss"});
  CHECK(whats(buffer(p, "right").drains) == Words{"ptx.wgmma.mma_async.ss"});
  CHECK(buffer(p, "left").fills.empty());
  p = Asked(multiplied("    T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([1]), left.ptr_to([0, 0]), 1, 64, 3)"))
          .pipeline();
  CHECK(whats(buffer(p, "left").drains) == Words{"ptx.wgmma.mma_async.ss"});
  CHECK(std::ranges::none_of(p.buffers, [](const auto& b) { return b.name == "right" && !b.drains.empty(); }));
}

TEST_CASE("tensor memory is filled by what its address was given to, and the word that holds the address is not") {
  const ide::Pipeline p = Asked(example("tcgen05_gemm.py")).pipeline();
  CHECK(whats(buffer(p, "accumulator").fills) == Words{"ptx.tcgen05.mma"});
  CHECK(whats(buffer(p, "accumulator").drains) == Words{"ptx.tcgen05.mma", "copy_async → tmem<->local"});
  CHECK(whats(buffer(p, "address").fills) == Words{"ptx.tcgen05.alloc"});
  for (const char* name : {"A_smem", "B_smem"}) {
    CHECK(whats(buffer(p, name).fills) == Words{"copy_async → tma"});
    CHECK(whats(buffer(p, name).drains) == Words{"ptx.tcgen05.mma"});
  }
}

TEST_CASE("tile primitives say their operands, with who works and how much") {
  const ide::Pipeline p = Asked(example("gemm_hopper.py")).pipeline();
  const ide::PipelineBuffer& tiles = buffer(p, "a_tiles");
  CHECK(whats(tiles.drains) == Words{"gemm_async → wgmma"});
  REQUIRE(tiles.fills.size() == 1);
  CHECK(tiles.fills[0].who == "one thread");
  CHECK(tiles.fills[0].bytes == 128 * 64 * 2);
  CHECK(whats(buffer(p, "c_parts").fills) == Words{"copy → ldstmatrix"});
}

TEST_CASE("a kernel that there is not has no pipeline") {
  Asked asked(example("wgmma_gemm.py"));
  CHECK(!ide::pipeline(asked.query, "/scripts/gemm.py", "no_such()", ""));
  CHECK(!ide::pipeline(asked.query, "/scripts/gemm.py", "", "sm_75"));
}
