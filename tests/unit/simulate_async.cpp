// The parts of asynchronous execution by themselves: barriers, tensor maps, tensor memory, combined values.
#include "compiler/simulate/machine/mbarrier.h"
#include "compiler/simulate/machine/value.h"
#include "compiler/simulate/simulate.h"
#include "compiler/simulate/tensor/tensor_map.h"
#include "compiler/simulate/tensor/tensor_memory.h"
#include "tests/unit/catch.h"
#include "tests/unit/lower_samples.h"

using namespace tilewright;
using namespace tilewright::simulate;

TEST_CASE("a barrier's phase ends when arrivals and bytes are complete") {
  Mbarrier b;
  b.init(2);
  CHECK(b.over(1));
  CHECK_FALSE(b.over(0));
  CHECK(b.expect(64).empty());
  CHECK(b.arrive(2).empty());
  CHECK_FALSE(b.settle());
  CHECK(b.state() == "lacks 64 bytes");
  CHECK(b.complete(80).empty());  // more than announced so far
  CHECK_FALSE(b.settle());
  CHECK(b.expect(16).empty());
  CHECK(b.settle());
  CHECK(b.over(0));
  CHECK(b.missing == 2);
  CHECK_FALSE(b.arrive(3).empty());
  CHECK(b.drop(1).empty());
  CHECK(b.arrive(1).empty());
  CHECK(b.settle());
  CHECK(b.missing == 1);
  CHECK(b.defer().empty());
  CHECK(b.missing == 2);
  CHECK_FALSE(b.expect(1 << 20).empty());
  CHECK(Mbarrier::phase_of(Mbarrier::token(7, 3)) == 7);
  CHECK(Mbarrier::missing_of(Mbarrier::token(7, 3)) == 3);
}

TEST_CASE("tensor maps survive their object and know the driver's rules") {
  TensorMap m;
  m.address = 0x123456789ab0;
  m.rank = 3;
  m.dims = {std::int64_t{1} << 32, 100, 7, 1, 1};
  m.strides = {1 << 20, (std::int64_t{1} << 40) - 16, 0, 0};
  m.box = {64, 256, 2, 1, 1};
  m.element_strides = {1, 8, 1, 1, 1};
  m.element = TensorMap::element_named("float16");
  m.set_swizzle(3);
  m.fill = 1;
  std::array<std::byte, TensorMap::kBytes> object{};
  m.encode(object);
  TensorMap again = TensorMap::decode(object);
  CHECK(again.address == m.address);
  CHECK(again.dims == m.dims);
  CHECK(again.strides == m.strides);
  CHECK(again.box == m.box);
  CHECK(again.element_strides == m.element_strides);
  CHECK(again.fill == 1);
  CHECK(again.refused().empty());
  CHECK(again.rows() == 32 * 2);
  CHECK(again.bytes() == 32 * 2 * 128);
  CHECK(again.fill_bits() == 0x7ff7);

  auto refused = [&](auto change) {
    TensorMap n = m;
    change(n);
    return !n.refused().empty();
  };
  CHECK(refused([](TensorMap& n) { n.box[1] = 257; }));
  CHECK(refused([](TensorMap& n) { n.box[0] = 65; }));
  CHECK(refused([](TensorMap& n) { n.box[0] = 72; }));  // 144 bytes under a span of 128
  CHECK(refused([](TensorMap& n) { n.strides[0] = 24; }));
  CHECK(refused([](TensorMap& n) { n.strides[1] = std::int64_t{1} << 40; }));
  CHECK(refused([](TensorMap& n) { n.address += 8; }));
  CHECK(refused([](TensorMap& n) { n.element_strides[2] = 9; }));
  CHECK(refused([](TensorMap& n) { n.element = TensorMap::element_named("int32"); }));  // with NaN fill
  CHECK(refused([](TensorMap& n) { n.rank = 6; }));
  CHECK(TensorMap::element_named("int16") == TensorMap::element_named("uint16"));  // the driver has one name for both
  CHECK(TensorMap::element_named("int24") == -1);
  CHECK(TensorMap().refused() != "");  // all zeros: a row of one byte
}

TEST_CASE("swizzles are XORs of absolute address bits") {
  auto at = [](int mode, int atomicity, std::int64_t place) {
    TensorMap m;
    m.swizzle = mode;
    m.atomicity = atomicity;
    return m.swizzled(place);
  };
  for (std::int64_t place = 0; place < 4096; place += 16) {
    CHECK(at(0, 0, place) == place);
    CHECK(at(1, 0, place) == (place ^ (place >> 7 & 1) << 4));
    CHECK(at(2, 0, place) == (place ^ (place >> 7 & 3) << 4));
    CHECK(at(3, 0, place) == (place ^ (place >> 7 & 7) << 4));
    CHECK(at(3, 1, place) == (place ^ (place >> 7 & 3) << 5));
    CHECK(at(3, 3, place) == (place ^ (place >> 7 & 1) << 6));
  }
}

TEST_CASE("columns of tensor memory are allocated, reused and given back") {
  TensorMemory memory(true);
  auto a = memory.allocate(256), b = memory.allocate(128), c = memory.allocate(128);
  REQUIRE((a && b && c));
  CHECK_FALSE(memory.allocate(32));
  CHECK_FALSE(memory.release(*b, 256));
  CHECK(memory.release(*b, 128));
  CHECK_FALSE(memory.holds(*b));
  CHECK(memory.allocate(64) == *b);
  CHECK(memory.holds(*b));
  CHECK(memory.any_allocated());
  View cell = memory.cell(127, 511);
  CHECK(cell.defined[3] == 0);
  CHECK(cell.tags[0] == 0);
}

TEST_CASE("values are combined as atomics do") {
  auto number = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  CHECK(combined(Combine::Add, ir::kInt32, number(0x7fffffff), 1) == number(-2147483648ll));
  CHECK(combined(Combine::Min, ir::kInt32, number(-5), 3) == number(-5));
  CHECK(combined(Combine::Min, ir::kUInt32, 0xfffffffb, 3) == 3);
  CHECK(combined(Combine::Inc, ir::kUInt32, 4, 4) == 0);
  CHECK(combined(Combine::Dec, ir::kUInt32, 0, 9) == 9);
  CHECK(combined(Combine::Exchange, ir::kUInt32, 1, 2) == 2);
  CHECK(ptx_type("bf16") == ir::kBFloat16);
  CHECK(ptx_type("s64") == ir::kInt64);
  CHECK(to_bits(combined(Combine::Add, ir::kFloat16, from_bits(0x3c00, ir::kFloat16), from_bits(0x4000, ir::kFloat16)),
                ir::kFloat16) == 0x4200);
}

TEST_CASE("launches that the driver refuses") {
  testing::Script s;
  testing::round_trip(s, 32, 32, ir::kFloat16, 32, ir::ExecScope::Warp, testing::rows({32, 32}));
  auto lowered = s.lowered();
  REQUIRE(lowered);
  ArenaScope scope(*lowered->arena);
  auto refused = [&](auto change) {
    lower::LoweredKernel kernel = *lowered;
    change(kernel.plan.launch);
    Result r = run(kernel, {});
    return r.findings.empty() ? std::string("clean") : std::string(r.findings[0].code) + ": " + r.findings[0].message;
  };
  CHECK(refused([](scope::Launch& l) { l.block[0] = ir::Expr(2048); }) ==
        "TW5019: the launch has a CTA of more than 1024 threads");
  CHECK(refused([](scope::Launch& l) { l.cluster[1] = ir::Expr(17); }) ==
        "TW5019: the launch has a cluster of more than 16 CTAs");
  CHECK(refused([](scope::Launch& l) { l.grid[0] = ir::Expr(3), l.cluster[0] = ir::Expr(2); }) ==
        "TW5019: the launch has 3 CTAs in clusters of 2");
}
